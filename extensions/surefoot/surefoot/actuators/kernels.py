"""Warp kernels of the joint actuators.

Equations of a physics substep, per joint, with the delayed command (``q*``, ``qd*``, ``tau*``), position ``q`` and
velocity ``qd``:

    computed  = kp deadzone(q* - (q + offset), backlash / 2) + kd (qd* - qd) + tau*     PD law on the encoder's reading
    limit     = effort_limit derating(heat)
    upper     = clamp(stall (V - qd / qd_max), -limit, limit)                           torque-speed line at voltage V
    lower     = clamp(stall (-V - qd / qd_max), -limit, limit)
    motor     = strength clamp(computed, lower, upper)
    friction  = tanh(qd / FRICTION_VELOCITY) (coulomb + (static - coulomb) exp(-(qd / STRIBECK_VELOCITY)^2))
    effort    = motor - friction - viscous qd

The torque-speed line is the steady state of a brushed or field-oriented motor at constant voltage: stall torque at
rest, no torque at the no-load speed, braking beyond it; both scale with the voltage (e.g. Hughes & Drury, Electric
Motors and Drives, ch. 3). Joint friction acts here and not in the engine, so that it means the same in every engine;
its fall from static to Coulomb friction is Stribeck's curve (Armstrong-Helouvry et al., "A survey of models, analysis
tools and compensation methods for the control of machines with friction", Automatica 30 (1994), section 2).

Backlash is the dead-zone model (Nordin & Gutman, "Controlling mechanical systems with backlash - a survey", Automatica
38 (2002), section 2): the spring kp pulls only once the gap is closed. Not modelled are the motor's own inertia inside
the gap, the impact that closes it, damping that is absent there, and the hysteresis of a gap that closes on one side.

Delay: commands are held from one push to the next, one control step ``T`` apart. With a newest command of age ``a`` at
the start of a substep ``dt <= T`` and a delay ``d``, the substep sees the commands of the window that starts
``b = d - a`` before the newest push and is ``dt`` long. The window touches at most two neighbouring commands: the one
``k = max(ceil(b / T), 0)`` pushes old, and from the push at ``-(k - 1) T`` on the next newer one, for the share
``clamp((dt - b + (k - 1) T) / dt, 0, 1)`` of the substep. The PD law is linear in the command, so that the mean command
of the window gives the mean torque of the substep: the delay acts continuously, not in multiples of ``dt`` or ``T``.

All state belongs to the thread that updates it, so that recorded launches and captured graphs stay valid when single
environments are reset in between.
"""

# A kernel is compiled by Warp, whose structs and vectors have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

import warp as wp

from surefoot_bridge.actuators.parameters import PER_ENVIRONMENT, PER_JOINT

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without

FRICTION_VELOCITY = wp.constant(0.1)
"""Velocity [rad/s] at which the smoothed friction reaches tanh(1) = 76 % of its value.

Explicit integration of the smoothed friction is stable while static friction / FRICTION_VELOCITY * dt / inertia < 2: at
0.2 N.m, 5 ms and the 0.01 kg.m^2 armature of a small quadruped's joint the left side is 1.
"""

STRIBECK_VELOCITY = wp.constant(0.3)
"""Velocity [rad/s] at which 1/e of the excess of static over Coulomb friction is left.

A choice: it has to lie above FRICTION_VELOCITY for the excess to be felt at all (at 0.3 rad/s up to 71 % of it is, at
0.1 rad/s no more than 38 %), and far below the speeds of walking.
"""

FULL_DERATING_HEAT = wp.constant(1.5)
"""Heat at which derating ends. It begins at 1, the heat of the continuous torque; a choice, as controllers' derating
curves are not published."""

LOWEST_VOLTAGE = wp.constant(0.5)
"""Floor of the battery's voltage, as a share of the nominal one. A robot's battery management has switched off long
before; without a floor the linear model reaches zero, where the torque-speed curve would turn over."""

SMALLEST_STRENGTH = wp.constant(1.0e-6)
"""Keeps the current of a motor without strength from being 0 / 0."""

NOT_SATURATED = wp.constant(0)
EFFORT_LIMIT = wp.constant(1)
TORQUE_SPEED = wp.constant(2)
BATTERY = wp.constant(3)
HEAT = wp.constant(4)


@wp.struct
class ActuatorColumns:
    """First column of each randomized parameter in the table; joint ``j`` of a parameter per joint is ``+ j``."""

    __annotations__ = dict.fromkeys((*PER_JOINT, *PER_ENVIRONMENT), wp.int32)


@wp.func
def delayed_command(
    commands: wp.array3d(dtype=wp.vec3f), env: int, joint: int, behind_s: float, physics_dt: float, step_dt: float
) -> wp.vec3f:
    """Mean command of a substep that starts ``behind_s`` before the newest push; negative when after it."""
    if behind_s <= 0.0:
        return commands[env, 0, joint]
    slot = wp.clamp(int(wp.ceil(behind_s / step_dt)), 0, commands.shape[1] - 1)
    older = commands[env, slot, joint]
    newer = commands[env, wp.max(slot - 1, 0), joint]
    newer_share = wp.clamp((physics_dt - behind_s + float(slot - 1) * step_dt) / physics_dt, 0.0, 1.0)
    return older + newer_share * (newer - older)


@wp.func
def position_error(target: float, joint_pos: float, encoder_offset: float, backlash: float) -> float:
    """Error that the gear passes on [rad]: of the encoder's reading, beyond the gap's half width on either side."""
    error = target - (joint_pos + encoder_offset)
    return error - wp.clamp(error, -0.5 * backlash, 0.5 * backlash)


@wp.func
def derating(heat: float, derated_share: float) -> float:
    """Share of the effort limit that a motor's heat leaves."""
    return 1.0 - (1.0 - derated_share) * wp.clamp((heat - 1.0) / (FULL_DERATING_HEAT - 1.0), 0.0, 1.0)


@wp.func
def motor_torque(computed: float, speed_ratio: float, stall_torque: float, limit: float, voltage: float) -> float:
    """Clamp a demanded torque [N.m] into the torque-speed envelope of the motor at a voltage."""
    upper = wp.clamp(stall_torque * (voltage - speed_ratio), -limit, limit)
    lower = wp.clamp(stall_torque * (-voltage - speed_ratio), -limit, limit)
    return wp.clamp(computed, lower, upper)


@wp.func
def saturation_reason(
    computed: float, delivered: float, speed_ratio: float, stall_torque: float, effort_limit: float, limit: float
) -> int:
    """What cut a demanded torque [N.m] down to the delivered one; ``limit`` is the derated effort limit."""
    if computed == delivered:
        return NOT_SATURATED
    sign = wp.where(computed > delivered, 1.0, -1.0)
    if sign * delivered < limit:
        # The line cut; would it have done so at nominal voltage?
        if sign * computed <= stall_torque * (1.0 - sign * speed_ratio):
            return BATTERY
        return TORQUE_SPEED
    if sign * computed <= effort_limit:
        return HEAT
    return EFFORT_LIMIT


@wp.func
def joint_friction(joint_vel: float, coulomb: float, static_ratio: float, viscous: float) -> float:
    """Friction torque [N.m] that opposes a joint velocity [rad/s]."""
    dry = coulomb
    if static_ratio > 1.0:  # spares most joints an exponential
        slip = joint_vel / STRIBECK_VELOCITY
        dry = coulomb * (1.0 + (static_ratio - 1.0) * wp.exp(-slip * slip))
    # tanh by one exponential, which cannot overflow; on a CPU the library's takes three times as long.
    decay = wp.exp(-2.0 * wp.abs(joint_vel) / FRICTION_VELOCITY)
    return wp.sign(joint_vel) * dry * (1.0 - decay) / (1.0 + decay) + viscous * joint_vel


@wp.func
def drive_joint(
    computed: float,
    velocity: float,
    table: wp.array2d(dtype=float),
    columns: ActuatorColumns,
    env: int,
    joint: int,
    effort_limit: float,
    limit: float,
    voltage: float,
) -> wp.vec3f:
    """Motor torque [N.m], joint torque [N.m] and the reason of saturation for a demanded torque [N.m]."""
    stall_torque = table[env, columns.stall_torque + joint]
    speed_ratio = velocity / table[env, columns.no_load_speed + joint]
    delivered = motor_torque(computed, speed_ratio, stall_torque, limit, voltage)
    reason = saturation_reason(computed, delivered, speed_ratio, stall_torque, effort_limit, limit)
    motor = table[env, columns.motor_strength + joint] * delivered
    friction = joint_friction(
        velocity,
        table[env, columns.coulomb_friction + joint],
        table[env, columns.static_friction_ratio + joint],
        table[env, columns.viscous_friction + joint],
    )
    return wp.vec3f(motor, motor - friction, float(reason))


@wp.kernel
def compute_joint_efforts(
    joint_pos: wp.array2d(dtype=float),
    joint_vel: wp.array2d(dtype=float),
    engine_joint: wp.array(dtype=int),
    commands: wp.array3d(dtype=wp.vec3f),
    table: wp.array2d(dtype=float),
    columns: ActuatorColumns,
    effort_limit: wp.array(dtype=float),
    derated_share: float,
    heat: wp.array2d(dtype=float),
    voltage: wp.array(dtype=float),
    physics_dt: float,
    step_dt: float,
    # in and out
    command_age: wp.array2d(dtype=float),
    # outputs
    computed_effort: wp.array2d(dtype=float),
    motor_effort: wp.array2d(dtype=float),
    motor_power: wp.array2d(dtype=float),
    saturation: wp.array2d(dtype=wp.int8),
    joint_effort: wp.array2d(dtype=float),
) -> None:
    """One thread per (environment, joint) and substep: delay, PD law, limits, friction.

    ``joint_pos``, ``joint_vel`` and ``joint_effort`` are in the engine's joint order, everything else in the policy's;
    ``engine_joint[j]`` is the engine's index of policy joint ``j``. ``commands[env, k, j]`` is the command (position
    [rad], velocity [rad/s], effort [N.m]) pushed ``k`` control steps before the newest, whose age is ``command_age``.
    """
    env, joint = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    column = engine_joint[joint]
    velocity = joint_vel[env, column]
    age = command_age[env, joint]
    behind_s = table[env, columns.command_delay] - age
    command = delayed_command(commands, env, joint, behind_s, physics_dt, step_dt)
    error = position_error(
        command[0],
        joint_pos[env, column],
        table[env, columns.encoder_offset + joint],
        table[env, columns.backlash + joint],
    )
    stiffness = table[env, columns.stiffness + joint]
    damping = table[env, columns.damping + joint]
    computed = stiffness * error + damping * (command[1] - velocity) + command[2]
    limit = effort_limit[joint] * derating(heat[env, joint], derated_share)
    result = drive_joint(computed, velocity, table, columns, env, joint, effort_limit[joint], limit, voltage[env])
    command_age[env, joint] = age + physics_dt
    computed_effort[env, joint] = computed
    motor_effort[env, joint] = result[0]
    motor_power[env, joint] = result[0] * velocity
    saturation[env, joint] = wp.int8(result[2])
    joint_effort[env, column] = result[1]
