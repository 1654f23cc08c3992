/* What a tick of a single robot does nearly always, to the bit as NumPy does it; the reasons stand beside the NumPy.
 *
 * Python has checked all shapes and laid everything out: nothing here can fail. Operations stand in NumPy's order, for
 * they round, and comparisons are such that what is no number stays none.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "Intermediate results need the precision of their type here, or they are not NumPy's."
#endif

static double at_least(double x, double low) { return x < low ? low : x; }
static double at_most(double x, double high) { return x > high ? high : x; }
static int within(double x, const double *low, const double *high, long i) { return x > low[i] && x < high[i]; }

static double smooth(double share)
{
    share = at_most(share, 1.0);
    return share * share * (3.0 - 2.0 * share);
}

enum { BY_POLICY = 1, POSED = 2, AT_ONCE = 4 }; /* kinds of modes */

struct calm {
    long n, width; /* number of joints, length of the row */
    double period_s;
    const double *fixed;      /* commands of the modes, (modes, 5n) */
    const double *low, *high; /* open intervals: row, rates of targets (n), torques (n), steps of clocks (2), attitude (3) */
    const double *rate_rad_s; /* (n) */
    const double *attitude;   /* (7, 3) */
    const double *row, *q, *dq, *clocks_s, *squared; /* all that comes in, and in it joints, clocks (2), attitude (7) */
    double *told;                                    /* in it the policy's command, and then the robot's, (5n) */
    const double *times_s;                           /* motion, its duration, hand-over, its duration */
    const double *sent, *start, *source;             /* of the state machine, (5n), (n), (5n) */
    const double *seen_s, *seen;                     /* clocks (2) and command (5n) at the last check */
    double *moved;                                   /* how far targets have moved, (n) */
};

/* control.Machine.step where no mode changes. */
static void step(const struct calm *c, long mode, long kind)
{
    const long n = c->n;
    const double *fixed = c->fixed + 5 * n * mode, *times_s = c->times_s;
    const double share = smooth(times_s[0] / times_s[1]);
    const double weight = smooth(times_s[2] / (times_s[3] > 0.0 ? times_s[3] : 1.0));
    const int done = times_s[2] >= times_s[3] || kind & AT_ONCE;
    for (long i = 0; i < 5 * n; i++) {
        double goal = fixed[i], from = c->source[i];
        if (kind & BY_POLICY)
            goal = isfinite(c->told[i]) ? c->told[i] : c->sent[i];
        else if (i < n && !(kind & POSED))
            goal = isfinite(c->q[i]) ? c->q[i] : c->sent[i];
        else if (i < n && share < 1.0)
            goal = c->start[i] + share * (goal - c->start[i]);
        if (!done) {
            if (i < n)
                from += kind & POSED ? goal - c->start[i] : 0.0;
            goal = from + weight * (goal - from);
            goal = isfinite(goal) ? goal : c->sent[i];
        }
        c->told[i] = goal;
    }
}

/* That, and safety.FastCheck.look: returns whether nothing is wrong. */
int calm(const struct calm *c, long mode, long kind)
{
    const long n = c->n;
    const double *target = c->told, *velocity = target + n, *stiffness = velocity + n, *damping = stiffness + n;
    const double *torque = damping + n, *low = c->low, *high = c->high;
    step(c, mode, kind);
    for (long i = 0; i < c->width; i++)
        if (!within(c->row[i], low, high, i))
            return 0;
    low += c->width, high += c->width;
    for (long j = 0; j < n; j++) {
        const double rest = damping[j] * (velocity[j] - c->dq[j]) + torque[j];
        const double left = at_least(c->moved[j] - c->rate_rad_s[j] * (c->clocks_s[0] - c->seen_s[0]), 0.0);
        c->moved[j] = left + fabs(target[j] - c->seen[j]);
        if (!within(c->moved[j] / c->period_s, low, high, j) ||
            !within(stiffness[j] * (target[j] - c->q[j]) + rest, low, high, n + j))
            return 0;
    }
    low += 2 * n, high += 2 * n;
    for (long i = 0; i < 2; i++)
        if (!within(c->clocks_s[i] - c->seen_s[i], low, high, i))
            return 0;
    for (long k = 0; k < 3; k++) {
        double sum = 0.0;
        for (long i = 0; i < 7; i++)
            sum += c->squared[i] * c->squared[i] * c->attitude[3 * i + k];
        if (!within(sum, low, high, 2 + k))
            return 0;
    }
    return 1;
}

struct glance {
    long n, feet, components, dim, now; /* joints; feet; of the velocity command; of an observation and its newest step */
    double contact_n, control_s, travelled_rad, tolerance;
    const double *velocity_low, *velocity_high; /* (components) */
    const double *origin, *scale, *low, *high;  /* (now) */
    const int64_t *column, *shift;              /* where numbers come from: in the row, and in what was shown, now behind */
    const double *least_s;                      /* (1 + n) */
    const double *row, *measured, *foot_force;  /* quaternion, gyro, acceleration, positions, velocities; (feet) */
    const double *before, *target, *target_before; /* measured (10 + 2n), targets (n) */
    double *velocity, *gravity, *contact, *same_s, *travel_rad; /* (components), (3), (feet), (1 + n), (n) */
    float *shown, *next;                        /* what was shown, with room for the newest step (dim + now); (dim) */
    uint8_t *frozen;                            /* (1 + n) */
};

/* control.Controller.showable */
int showable(const struct glance *g)
{
    const double *x = g->measured;
    for (long i = 0; i < 10 + 2 * g->n; i++)
        if ((i < 7 || i >= 10) && !isfinite(x[i]))
            return 0;
    for (long i = 0; i < g->feet; i++)
        if (!isfinite(g->foot_force[i]))
            return 0;
    return fabs(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]) - 1.0) < g->tolerance;
}

/* control.Controller.observe within an episode: safety.Safety.allowed_velocity, policy.Observations and
   safety.FrozenSensors. Returns whether a sensor is frozen. */
int glance(const struct glance *g, int walking)
{
    const long n = g->n;
    const double *x = g->measured, qw = x[0], qx = x[1], qy = x[2], qz = x[3];
    for (long i = 0; i < g->components; i++) {
        const double asked = isfinite(g->velocity[i]) ? g->velocity[i] : 0.0;
        g->velocity[i] = at_most(at_least(asked, g->velocity_low[i]), g->velocity_high[i]);
    }
    g->gravity[0] = 2.0 * (qw * qy - qx * qz);
    g->gravity[1] = -2.0 * (qw * qx + qy * qz);
    g->gravity[2] = -(qw * qw - qx * qx - qy * qy + qz * qz);
    for (long i = 0; i < g->feet; i++)
        g->contact[i] = g->foot_force[i] > g->contact_n;
    for (long i = 0; i < g->now; i++) {
        const double value = (g->row[g->column[i]] - g->origin[i]) * g->scale[i];
        g->shown[g->dim + i] = (float)at_most(at_least(value, g->low[i]), g->high[i]);
    }
    for (long i = 0; i < g->dim; i++)
        g->next[i] = g->shown[g->shift[i]];

    int some = 0, same = walking;
    for (long i = 0; i < 10; i++)
        same = same && x[i] == g->before[i];
    for (long i = 0; i <= n; i++) { /* the IMU, and each joint */
        if (i > 0) {
            const long at = 9 + i;
            same = walking && x[at] == g->before[at] && x[at + n] == g->before[at + n];
            g->travel_rad[i - 1] = same ? g->travel_rad[i - 1] + fabs(g->target[i - 1] - g->target_before[i - 1]) : 0.0;
        }
        g->same_s[i] = same ? g->same_s[i] + g->control_s : 0.0;
        g->frozen[i] = g->same_s[i] >= g->least_s[i] && (i == 0 || g->travel_rad[i - 1] >= g->travelled_rad);
        some |= g->frozen[i];
    }
    return some;
}

struct answer {
    long n;
    double share;                               /* of the way to the target */
    const int64_t *order;                       /* place of each joint in the action, (n) */
    const double *origin, *scale, *least, *most; /* of targets and actions, (n) */
    const double *low, *high;                   /* of targets, (n) */
    const double *action, *before;              /* action and last targets, (n) */
    double *target;                             /* (n) */
};

/* control.Controller.infer behind the policy: policy.Targets. Returns whether the action is finite. */
int answer(const struct answer *a, int filters)
{
    for (long j = 0; j < a->n; j++) {
        const double action = a->action[a->order[j]];
        if (!isfinite(action))
            return 0;
        double target = a->origin[j] + a->scale[j] * at_most(at_least(action, a->least[j]), a->most[j]);
        target = at_most(at_least(target, a->low[j]), a->high[j]);
        a->target[j] = filters ? a->before[j] + a->share * (target - a->before[j]) : target;
    }
    return 1;
}

/* unitree.dds.checksum */
uint32_t checksum(const uint32_t *words, long count)
{
    static uint32_t table[256];
    uint32_t sum = 0xFFFFFFFFu;
    if (!table[1])
        for (uint32_t byte = 256; byte-- > 0;) { /* table[1] is the last but one to be filled */
            uint32_t rest = byte << 24;
            for (int bit = 0; bit < 8; bit++)
                rest = rest & 0x80000000u ? rest << 1 ^ 0x04C11DB7u : rest << 1;
            table[byte] = rest;
        }
    for (long i = 0; i < count; i++)
        for (int shift = 24; shift >= 0; shift -= 8)
            sum = sum << 8 ^ table[(sum >> 24 ^ words[i] >> shift) & 0xFF];
    return sum;
}

struct slots {
    long n, stride;               /* joints, bytes of a slot */
    const int64_t *motor, *place; /* motor of each joint, (n); where positions and so on stand in a slot [bytes], (5) */
    const double *command;        /* (5n) */
    unsigned char *slots;
};

/* unitree.MotorSlots.fill */
int fill(const struct slots *s)
{
    for (long i = 0; i < 5 * s->n; i++)
        if (!isfinite((float)s->command[i]))
            return 0;
    for (long i = 0; i < 5 * s->n; i++) {
        const float number = (float)s->command[i];
        memcpy(s->slots + s->motor[i % s->n] * s->stride + s->place[i / s->n], &number, sizeof number);
    }
    return 1;
}
