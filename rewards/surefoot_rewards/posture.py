"""Where the base and the joints should be: level, at height, near the default pose, and quiet when asked to stand."""

# Warp compiles the functions, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportReturnType=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportCallIssue=false

import warp as wp

from surefoot_rewards.kernel import one_if


@wp.func
def flat_orientation_l2(projected_gravity_b: wp.vec3f) -> float:
    """Penalise a tilted base.

    Equation: ``gx^2 + gy^2``, the squared sine of the angle between the base's z axis and the vertical.
    Units: dimensionless, in [0, 1].
    Zero: when the base is level (also upside down, which terminations must catch).
    Source: Rudin et al., CoRL 2021, ``legged_gym`` term ``orientation``.

    Args:
        projected_gravity_b: Unit vector of gravity in the base frame.
    """
    return projected_gravity_b[0] * projected_gravity_b[0] + projected_gravity_b[1] * projected_gravity_b[1]


@wp.func
def base_height_l2(base_height_m: float, target_m: float) -> float:
    """Penalise a base above or below its target height.

    Equation: ``(h - target)^2``.
    Units: m^2.
    Zero: when the base is at the target height.
    Source: Rudin et al., CoRL 2021, ``legged_gym`` term ``base_height``.

    Args:
        base_height_m: Height of the base frame above the ground beneath it.
        target_m: Target height [m].
    """
    return (base_height_m - target_m) * (base_height_m - target_m)


@wp.func
def joint_deviation_l1(
    joint_pos: wp.array(dtype=float), default_joint_pos: wp.array(dtype=float), selected_joints: wp.array(dtype=bool)
) -> float:
    """Penalise joints away from the default pose; of those alone that should stay there, such as the hips.

    Equation: ``sum_j |q_j - q0_j|`` over the selected joints.
    Units: rad.
    Zero: when these joints are in the default pose.
    Source: Isaac Lab, stock humanoid velocity tasks.

    Args:
        joint_pos: Joint position [rad], (num_joints,).
        default_joint_pos: Default pose [rad], (num_joints,).
        selected_joints: Whether a joint counts, (num_joints,).
    """
    total = wp.float32(0.0)
    for joint in range(joint_pos.shape[0]):
        if selected_joints[joint]:
            total += wp.abs(joint_pos[joint] - default_joint_pos[joint])
    return total


@wp.func
def pose_l2(joint_pos: wp.array(dtype=float), default_joint_pos: wp.array(dtype=float)) -> float:
    """Penalise the squared distance from the default pose, lenient to small and strict to large deviations.

    Equation: ``sum_j (q_j - q0_j)^2``.
    Units: rad^2.
    Zero: when the joints are in the default pose.
    Source: Zakka et al., "MuJoCo Playground", 2025, locomotion term ``pose``.

    Args:
        joint_pos: Joint position [rad], (num_joints,).
        default_joint_pos: Default pose [rad], (num_joints,).
    """
    total = wp.float32(0.0)
    for joint in range(joint_pos.shape[0]):
        deviation = joint_pos[joint] - default_joint_pos[joint]
        total += deviation * deviation
    return total


@wp.func
def stand_still_joint_deviation(
    joint_pos: wp.array(dtype=float), default_joint_pos: wp.array(dtype=float), moving: bool
) -> float:
    """Penalise joints away from the default pose when the robot is asked to stand.

    Equation: ``[not moving] sum_j |q_j - q0_j|``.
    Units: rad.
    Zero: when the command asks for motion, or the joints are in the default pose.
    Source: Rudin et al., CoRL 2021, ``legged_gym`` term ``stand_still``.

    Args:
        joint_pos: Joint position [rad], (num_joints,).
        default_joint_pos: Default pose [rad], (num_joints,).
        moving: Whether the command asks for motion.
    """
    total = wp.float32(0.0)
    for joint in range(joint_pos.shape[0]):
        total += wp.abs(joint_pos[joint] - default_joint_pos[joint])
    return total * one_if(not moving)


@wp.func
def stand_still_feet_in_air(foot_contact: wp.array(dtype=bool), moving: bool) -> float:
    """Penalise lifted feet when the robot is asked to stand.

    Equation: ``[not moving] sum_f [foot f not in contact]``.
    Units: number of feet.
    Zero: when the command asks for motion, or all feet are on the ground.
    Source: derived; it stops the marching on the spot that an air-time reward teaches.

    Args:
        foot_contact: Whether a foot touches the ground, (num_feet,).
        moving: Whether the command asks for motion.
    """
    total = wp.float32(0.0)
    for foot in range(foot_contact.shape[0]):
        total += one_if(not foot_contact[foot])
    return total * one_if(not moving)


@wp.func
def stand_still_joint_motion(joint_vel: wp.array(dtype=float), moving: bool) -> float:
    """Penalise joints that move when the robot is asked to stand.

    Equation: ``[not moving] sum_j qd_j^2``.
    Units: rad^2/s^2.
    Zero: when the command asks for motion, or each joint is at rest.
    Source: derived; it tells standing from stepping on the spot around the default pose.

    Args:
        joint_vel: Joint velocity [rad/s], (num_joints,).
        moving: Whether the command asks for motion.
    """
    total = wp.float32(0.0)
    for joint in range(joint_vel.shape[0]):
        total += joint_vel[joint] * joint_vel[joint]
    return total * one_if(not moving)


@wp.func
def stand_still_effort(torque_nm: wp.array(dtype=float), effort_limit_nm: wp.array(dtype=float), moving: bool) -> float:
    """Penalise, when the robot is asked to stand, torques as what they heat the motors by.

    Equation: ``[not moving] sum_j (tau_j / limit_j)^2``.
    Units: dimensionless; torques in N m.
    Zero: when the command asks for motion, or no motor has torque.
    Source: derived; heat goes with the square of the current, and a robot stands longest of all that it does.

    Args:
        torque_nm: Motor torque [N m], (num_joints,).
        effort_limit_nm: Torque limit [N m], positive, (num_joints,).
        moving: Whether the command asks for motion.
    """
    total = wp.float32(0.0)
    for joint in range(torque_nm.shape[0]):
        share = torque_nm[joint] / effort_limit_nm[joint]
        total += share * share
    return total * one_if(not moving)


@wp.func
def stand_still(
    joint_pos: wp.array(dtype=float),
    joint_vel: wp.array(dtype=float),
    torque_nm: wp.array(dtype=float),
    foot_contact: wp.array(dtype=bool),
    default_joint_pos: wp.array(dtype=float),
    effort_limit_nm: wp.array(dtype=float),
    moving: bool,
    motion_s2: float,
    deviation_per_rad: float,
    effort: float,
) -> float:
    """Penalise, where the command asks to stand, whatever is not standing at ease.

    A stance whose legs push against each other or reach far out costs torque for nothing.

    Equation: ``stand_still_feet_in_air + motion_s2 * stand_still_joint_motion
    + deviation_per_rad * stand_still_joint_deviation + effort * stand_still_effort``.
    Units: number of feet.
    Zero: when the command asks for motion, or all feet are on the ground, the joints at rest in the default pose and
    the motors without torque; what has the rate zero counts for nothing.
    Source: those of its parts.

    Args:
        joint_pos: Joint position [rad], (num_joints,).
        joint_vel: Joint velocity [rad/s], (num_joints,).
        torque_nm: Motor torque [N m], (num_joints,).
        foot_contact: Whether a foot touches the ground, (num_feet,).
        default_joint_pos: Default pose [rad], (num_joints,).
        effort_limit_nm: Torque limit [N m], positive where the effort counts, (num_joints,).
        moving: Whether the command asks for motion.
        motion_s2: What a squared joint speed costs, in feet in the air.
        deviation_per_rad: What a radian of deviation costs.
        effort: What the squared share of a torque limit costs.
    """
    penalty = stand_still_feet_in_air(foot_contact, moving)
    if motion_s2 != 0.0:
        penalty += motion_s2 * stand_still_joint_motion(joint_vel, moving)
    if deviation_per_rad != 0.0:
        penalty += deviation_per_rad * stand_still_joint_deviation(joint_pos, default_joint_pos, moving)
    if effort != 0.0:
        penalty += effort * stand_still_effort(torque_nm, effort_limit_nm, moving)
    return penalty
