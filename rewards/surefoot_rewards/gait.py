"""When the feet meet the ground: swing duration, left-right evenness, trot, and an externally given rhythm.

Feet stand in the order of ``RobotSpec.foot_bodies``. ``air_time_s`` and ``contact_time_s`` count the running phase of a
foot, each 0 while the other runs; ``last_*`` is the length of the last complete phase.
"""

# Warp compiles the functions, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportReturnType=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportCallIssue=false

import math

import warp as wp

from surefoot_rewards.kernel import at_most, exp_kernel, one_if

_PI = wp.constant(math.pi)


@wp.func
def feet_air_time(
    last_air_time_s: wp.array(dtype=float),
    touchdown: wp.array(dtype=bool),
    moving: bool,
    threshold_s: float,
    max_s: float,
) -> float:
    """Reward, at touchdown, swings that lasted longer than a threshold, and penalise shorter ones.

    Equation: ``[moving] sum_f [touchdown of f] (min(t_f, max) - threshold)``.
    Units: s.
    Zero: when the command asks to stand, when no foot touches down, and for a swing that lasted the threshold.
    Source: Rudin et al., CoRL 2021; the upper bound keeps leaps from paying more than steps.

    Args:
        last_air_time_s: Duration of the swing that ended last, (num_feet,).
        touchdown: Whether a foot touches down in this step, (num_feet,).
        moving: Whether the command asks for motion.
        threshold_s: Duration that is worth nothing [s].
        max_s: Duration beyond which nothing more is gained [s].
    """
    total = wp.float32(0.0)
    for foot in range(touchdown.shape[0]):
        total += (at_most(last_air_time_s[foot], max_s) - threshold_s) * one_if(touchdown[foot])
    return total * one_if(moving)


@wp.func
def gait_symmetry(
    last_air_time_s: wp.array(dtype=float),
    last_contact_time_s: wp.array(dtype=float),
    moving: bool,
    mirror_foot: wp.array(dtype=int),
    max_s: float,
) -> float:
    """Penalise a limp: left and right feet with different swing or stance durations.

    Equation: ``[moving] 1/2 sum_f ((a_f - a_m(f))^2 + (c_f - c_m(f))^2)`` with ``a``, ``c`` the durations clipped at
    ``max`` and ``m(f)`` the foot across; a left-right pair counts once.
    Units: s^2.
    Zero: when the command asks to stand, and when both feet of each pair had equal swings and equal stances.
    Source: derived from the variance over all feet of Isaac Lab's ``feet_air_time_variance``, by pair here, so that
    front and rear may differ.

    Args:
        last_air_time_s: Duration of the last complete swing, (num_feet,).
        last_contact_time_s: Duration of the last complete stance, (num_feet,).
        moving: Whether the command asks for motion.
        mirror_foot: Index of the foot across, from the robot's mirror map, (num_feet,).
        max_s: Duration at which both are clipped [s], so that one long stand does not outlast its cause.
    """
    total = wp.float32(0.0)
    for foot in range(last_air_time_s.shape[0]):
        across = mirror_foot[foot]
        air = at_most(last_air_time_s[foot], max_s) - at_most(last_air_time_s[across], max_s)
        contact = at_most(last_contact_time_s[foot], max_s) - at_most(last_contact_time_s[across], max_s)
        total += air * air + contact * contact
    return 0.5 * total * one_if(moving)


@wp.func
def diagonal_pairs_sync(
    air_time_s: wp.array(dtype=float),
    contact_time_s: wp.array(dtype=float),
    moving: bool,
    diagonal_foot: wp.array(dtype=int),
    mirror_foot: wp.array(dtype=int),
    std_s: float,
    max_error_s: float,
) -> float:
    """Reward a trot: diagonal feet swing and stand together while the feet across do the opposite.

    Equation: ``[moving] exp(-mean_f e_f / std^2)`` with
    ``e_f = (a_f - a_d(f))^2 + (c_f - c_d(f))^2 + (a_f - c_m(f))^2``, where ``a`` and ``c`` are air and contact times,
    ``d(f)`` is the diagonal foot, ``m(f)`` the foot across, and each difference is clipped to ``max_error``.
    Units: dimensionless, in [0, 1]; times in s.
    Zero: when the command asks to stand; approached as the differences grow past ``std``; 1 in a perfect trot.
    Source: the gait reward of Isaac Lab's Spot task, one exponential here in place of a product over pairs.

    Args:
        air_time_s: Time since each foot left the ground, 0 in stance, (num_feet,).
        contact_time_s: Time since each foot touched down, 0 in swing, (num_feet,).
        moving: Whether the command asks for motion.
        diagonal_foot: Index of the diagonal foot, (num_feet,).
        mirror_foot: Index of the foot across, (num_feet,).
        std_s: Time difference at which the reward has fallen to about 1/e [s], positive.
        max_error_s: Largest difference that is counted [s], so that a bad start does not flatten the kernel for long.
    """
    total = wp.float32(0.0)
    bound = max_error_s * max_error_s
    for foot in range(air_time_s.shape[0]):
        diagonal, across = diagonal_foot[foot], mirror_foot[foot]
        air = air_time_s[foot] - air_time_s[diagonal]
        contact = contact_time_s[foot] - contact_time_s[diagonal]
        opposite = air_time_s[foot] - contact_time_s[across]
        total += at_most(air * air, bound) + at_most(contact * contact, bound) + at_most(opposite * opposite, bound)
    return exp_kernel(total / float(air_time_s.shape[0]), std_s) * one_if(moving)


@wp.func
def trot_contacts(
    foot_contact: wp.array(dtype=bool),
    moving: bool,
    diagonal_foot: wp.array(dtype=int),
    mirror_foot: wp.array(dtype=int),
) -> float:
    """Reward the contact pattern of a trot: diagonal feet alike, feet across unlike.

    It asks for no frequency and no duty factor, and tells a trot from a pronk at any of them: all feet alike, as in a
    pronk or in standing, are worth half.

    Equation: ``[moving] mean_f (1/2 [c_f = c_d(f)] + 1/2 [c_f != c_m(f)])`` with ``c_f`` the contact of foot ``f``,
    ``d(f)`` the diagonal foot, ``m(f)`` the foot across.
    Units: dimensionless, in [0, 1].
    Zero: when the command asks to stand, and in a bound, where diagonal feet differ and feet across are alike.
    Source: derived from the definition of a trot (Hildebrand, "Symmetrical gaits of horses", Science 1965).

    Args:
        foot_contact: Whether a foot touches the ground, (num_feet,).
        moving: Whether the command asks for motion.
        diagonal_foot: Index of the diagonal foot, (num_feet,).
        mirror_foot: Index of the foot across, (num_feet,).
    """
    total = wp.float32(0.0)
    for foot in range(foot_contact.shape[0]):
        total += one_if(foot_contact[foot] == foot_contact[diagonal_foot[foot]])
        total += one_if(foot_contact[foot] != foot_contact[mirror_foot[foot]])
    return 0.5 * total / float(foot_contact.shape[0]) * one_if(moving)


@wp.func
def periodic_gait(
    foot_contact: wp.array(dtype=bool),
    episode_steps: wp.int64,
    moving: bool,
    foot_offset: wp.array(dtype=float),
    step_dt: float,
    frequency_hz: float,
    duty_factor: float,
    sharpness: float,
) -> float:
    """Reward feet that touch the ground when a clock expects stance and leave it when it expects swing.

    A foot's stance begins where ``phase + offset`` passes 0 and lasts ``duty_factor`` of the cycle. Offsets that are
    equal for diagonal feet and 1/2 apart for feet across make a trot, or a walk on two feet.

    Off by default: a clock that the policy cannot see contradicts the left-right augmentation, which shifts it by half
    a cycle. A task that weighs it adds the sine and cosine of the phase to its observations.

    Equation: ``[moving] mean_f (c_f s_f + (1 - c_f)(1 - s_f))`` with ``c_f`` the contact and
    ``s_f = sigmoid(sharpness * (cos(2 pi (phase + offset_f) - pi duty) - cos(pi duty)))`` the expected stance.
    Units: dimensionless, in [0, 1]; phases in cycles.
    Zero: when the command asks to stand; approached, for large ``sharpness``, when each foot does the opposite.
    Source: Siekmann et al., "Sim-to-Real Learning of All Common Bipedal Gaits via Periodic Reward Composition", ICRA
    2021: an indicator blurred at its ends. The exponent of a von Mises density takes the place of their difference of
    two von Mises distribution functions: periodic as well, 1/2 at both ends of the stance, and in closed form.

    Args:
        foot_contact: Whether a foot touches the ground, (num_feet,).
        episode_steps: Control steps since the episode began; the clock is at 0 there.
        moving: Whether the command asks for motion.
        foot_offset: Phase offset of each foot [cycles], (num_feet,).
        step_dt: Control step [s].
        frequency_hz: Cycles of the clock in a second [Hz].
        duty_factor: Share of the cycle that a foot stands, in (0, 1).
        sharpness: Concentration of the transition; 0 expects nothing, large values a hard indicator.
    """
    cycles = float(episode_steps) * (step_dt * frequency_hz)
    phase = cycles - wp.floor(cycles)
    total = wp.float32(0.0)
    for foot in range(foot_contact.shape[0]):
        angle = 2.0 * _PI * (phase + foot_offset[foot] - 0.5 * duty_factor)
        distance = wp.cos(angle) - wp.cos(_PI * duty_factor)
        expected_stance = 1.0 / (1.0 + wp.exp(-sharpness * distance))
        total += wp.where(foot_contact[foot], expected_stance, 1.0 - expected_stance)
    return total / float(foot_contact.shape[0]) * one_if(moving)
