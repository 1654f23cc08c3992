"""Getting up from a fall and standing at rest: how upright the base is, how high, and whether the robot stands."""

# Warp compiles the functions, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportReturnType=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportCallIssue=false

import warp as wp

from surefoot_rewards.kernel import at_least, at_most, exp_kernel, one_if


@wp.func
def uprightness(projected_gravity_b: wp.vec3f) -> float:
    """Reward a base the more upright it is, each degree alike.

    Equation: ``1 - tilt / pi`` with ``tilt = atan2(hypot(gx, gy), -gz)``.
    Units: dimensionless, in [0, 1].
    Zero: upside down; 1/2 on a side, 1 when the base is level.
    Source: derived; the projection ``(1 - gz) / 2``, which Lee, Hwangbo and Hutter ("Robust Recovery Controller for a
    Quadrupedal Robot using Deep Reinforcement Learning", 2019) take, has no slope upside down, where it is needed most.

    Args:
        projected_gravity_b: Unit vector of gravity in the base frame.
    """
    sine = wp.length(wp.vec2f(projected_gravity_b[0], projected_gravity_b[1]))
    return 1.0 - wp.atan2(sine, -projected_gravity_b[2]) / wp.static(wp.pi)


@wp.func
def risen(projected_gravity_b: wp.vec3f, base_height_m: float, target_m: float) -> float:
    """Reward a base for its height as far as it is upright: a robot on its back gains nothing by lifting it.

    Equation: ``uprightness^2 clip(h / target, 0, 1)``.
    Units: dimensionless, in [0, 1].
    Zero: upside down, or on the ground; 1 when the base is level at the target or above.
    Source: Zakka et al., "MuJoCo Playground", 2025, term ``torso_height`` of its get-up task, which has no factor for
    the tilt.

    Args:
        projected_gravity_b: Unit vector of gravity in the base frame.
        base_height_m: Height of the base frame above the ground beneath it.
        target_m: Height at which the robot stands [m], positive.
    """
    upright = uprightness(projected_gravity_b)
    return upright * upright * at_most(at_least(base_height_m / target_m, 0.0), 1.0)


@wp.func
def standing(
    projected_gravity_b: wp.vec3f,
    base_height_m: float,
    joint_pos: wp.array(dtype=float),
    joint_vel: wp.array(dtype=float),
    foot_contact: wp.array(dtype=bool),
    default_joint_pos: wp.array(dtype=float),
    target_m: float,
    tilt_std: float,
    height_std_m: float,
    pose_std_rad: float,
    rest_std_rad_s: float,
) -> float:
    """Reward a robot for standing: level, at its height, in its default pose, at rest and on its feet, all at once.

    A product, so that none of them is sold for another: a robot that lies still in its default pose earns nothing.

    Equation: ``[gz < 0] exp(-(gx^2 + gy^2) / tilt_std^2) exp(-(h - target)^2 / height_std^2)
    exp(-mean_j (q_j - q0_j)^2 / pose_std^2) exp(-mean_j qd_j^2 / rest_std^2) mean_f [f in contact]``.
    Units: dimensionless, in [0, 1].
    Zero: with the base beyond a right angle, or no foot on the ground; 1 at rest in the default pose.
    Source: derived; the parts are those of MuJoCo Playground's get-up task, there added up behind thresholds.

    Args:
        projected_gravity_b: Unit vector of gravity in the base frame.
        base_height_m: Height of the base frame above the ground beneath it.
        joint_pos: Joint position [rad], (num_joints,).
        joint_vel: Joint velocity [rad/s], (num_joints,).
        foot_contact: Whether a foot touches the ground, (num_feet,).
        default_joint_pos: Default pose [rad], (num_joints,).
        target_m: Height at which the robot stands [m].
        tilt_std: Sine of the tilt at which the reward is 1/e, positive.
        height_std_m: Error of the height at which it is 1/e [m], positive.
        pose_std_rad: RMS deviation of the joints at which it is 1/e [rad], positive.
        rest_std_rad_s: RMS speed of the joints at which it is 1/e [rad/s], positive.
    """
    deviation, motion = wp.float32(0.0), wp.float32(0.0)
    for joint in range(joint_pos.shape[0]):
        off = joint_pos[joint] - default_joint_pos[joint]
        deviation += off * off
        motion += joint_vel[joint] * joint_vel[joint]
    joints = float(joint_pos.shape[0])
    grounded = wp.float32(0.0)
    for foot in range(foot_contact.shape[0]):
        grounded += one_if(foot_contact[foot])
    x, y = projected_gravity_b[0], projected_gravity_b[1]
    off_height = base_height_m - target_m
    return (
        exp_kernel(x * x + y * y, tilt_std)
        * exp_kernel(off_height * off_height, height_std_m)
        * exp_kernel(deviation / joints, pose_std_rad)
        * exp_kernel(motion / joints, rest_std_rad_s)
        * (grounded / float(foot_contact.shape[0]))
        * one_if(projected_gravity_b[2] < 0.0)
    )
