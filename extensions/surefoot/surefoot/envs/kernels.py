"""Warp kernels of the locomotion state: one pass over what the engine holds, without allocation."""

# A kernel is compiled by Warp, whose vector types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportReturnType=false

import warp as wp

from surefoot.terrains.ground_array import GroundArray, ground_height

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without

CONTACT_FORCE_N = wp.constant(1.0)
"""Contact force above which a body counts as touching [N]; the usual threshold of contact sensors in simulation."""


@wp.func
def lowest_point(quat: wp.quatf, points: wp.array2d(dtype=wp.vec3f), row: int) -> int:
    """Index of the lowest of a body's points."""
    up_b = wp.quat_rotate_inv(quat, wp.vec3f(0.0, 0.0, 1.0))
    best = wp.int32(0)
    lowest = wp.dot(up_b, points[row, 0])
    for point in range(1, points.shape[1]):
        height = wp.dot(up_b, points[row, point])
        if height < lowest:
            lowest = height
            best = point
    return best


@wp.func
def sole_above_ground(
    pose: wp.transformf, points: wp.array2d(dtype=wp.vec3f), row: int, radius_m: float, ground: GroundArray
) -> wp.vec2f:
    """Height of the lowest point of a sole above the ground beneath that point, and the height of that ground [m]."""
    quat = wp.transform_get_rotation(pose)
    position = wp.transform_get_translation(pose)
    up_b = wp.quat_rotate_inv(quat, wp.vec3f(0.0, 0.0, 1.0))
    point = points[row, lowest_point(quat, points, row)]
    place = position + wp.quat_rotate(quat, point)
    beneath = ground_height(ground, place[0], place[1])
    return wp.vec2f(position[2] + wp.dot(up_b, point) - radius_m - beneath, beneath)


@wp.kernel
def begin_joints(
    engine_joint_vel: wp.array2d(dtype=float),
    env_mask: wp.array(dtype=bool),
    # outputs
    joint_vel: wp.array2d(dtype=float),
    joint_acc: wp.array2d(dtype=float),
    was_reset: wp.array(dtype=bool),
) -> None:
    """One thread per (environment, joint): the state in which an episode begins; others than the mask's keep theirs."""
    env, joint = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    if env_mask[env]:
        joint_vel[env, joint] = engine_joint_vel[env, joint]
        joint_acc[env, joint] = 0.0
        if joint == 0:
            was_reset[env] = True


@wp.kernel
def begin_feet(
    body_pose_w: wp.array2d(dtype=wp.transformf),
    foot_body: wp.array(dtype=int),
    sole_points: wp.array2d(dtype=wp.vec3f),
    sole_radius_m: float,
    ground: GroundArray,
    env_mask: wp.array(dtype=bool),
    # outputs
    foot_pos_w: wp.array2d(dtype=wp.vec3f),
    air_time_s: wp.array2d(dtype=float),
    contact_time_s: wp.array2d(dtype=float),
    last_air_time_s: wp.array2d(dtype=float),
    last_contact_time_s: wp.array2d(dtype=float),
    swing_peak_m: wp.array2d(dtype=float),
    foot_vel_w: wp.array2d(dtype=wp.vec3f),
    sole_height_m: wp.array2d(dtype=float),
    foot_ground_m: wp.array2d(dtype=float),
    foot_force_n: wp.array2d(dtype=float),
    foot_contact: wp.array2d(dtype=bool),
    touchdown: wp.array2d(dtype=bool),
    fall_force_n: wp.array(dtype=float),
) -> None:
    """One thread per (environment, foot): the state in which an episode begins; others than the mask's keep theirs.

    Feet are where the engine has them. Forces are zero: the engine works them out in its next step.
    """
    env, foot = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    if env_mask[env]:
        pose = body_pose_w[env, foot_body[foot]]
        foot_pos_w[env, foot] = wp.transform_get_translation(pose)
        sole = sole_above_ground(pose, sole_points, foot, sole_radius_m, ground)
        sole_height_m[env, foot] = sole[0]
        foot_ground_m[env, foot] = sole[1]
        foot_vel_w[env, foot] = wp.vec3f(0.0, 0.0, 0.0)
        air_time_s[env, foot] = 0.0
        contact_time_s[env, foot] = 0.0
        last_air_time_s[env, foot] = 0.0
        last_contact_time_s[env, foot] = 0.0
        swing_peak_m[env, foot] = 0.0
        foot_force_n[env, foot] = 0.0
        foot_contact[env, foot] = False
        touchdown[env, foot] = False
        if foot == 0:
            fall_force_n[env] = 0.0


@wp.kernel
def update_joints(
    engine_joint_vel: wp.array2d(dtype=float),
    was_reset: wp.array(dtype=bool),
    step_dt: float,
    # in and out
    joint_vel: wp.array2d(dtype=float),
    # outputs
    joint_acc: wp.array2d(dtype=float),
) -> None:
    """One thread per (environment, joint): keep the velocity and form its difference to the step before."""
    env, joint = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    velocity = engine_joint_vel[env, joint]
    acceleration = 0.0
    if not was_reset[env]:
        acceleration = (velocity - joint_vel[env, joint]) / step_dt
    joint_acc[env, joint] = acceleration
    joint_vel[env, joint] = velocity


@wp.kernel
def update_feet(
    body_pose_w: wp.array2d(dtype=wp.transformf),
    force_w: wp.array2d(dtype=wp.vec3f),
    foot_body: wp.array(dtype=int),
    foot_sensor: wp.array(dtype=int),
    sole_points: wp.array2d(dtype=wp.vec3f),
    sole_radius_m: float,
    ground: GroundArray,
    was_reset: wp.array(dtype=bool),
    step_dt: float,
    # in and out
    foot_pos_w: wp.array2d(dtype=wp.vec3f),
    air_time_s: wp.array2d(dtype=float),
    contact_time_s: wp.array2d(dtype=float),
    last_air_time_s: wp.array2d(dtype=float),
    last_contact_time_s: wp.array2d(dtype=float),
    swing_peak_m: wp.array2d(dtype=float),
    # outputs
    foot_vel_w: wp.array2d(dtype=wp.vec3f),
    sole_height_m: wp.array2d(dtype=float),
    foot_ground_m: wp.array2d(dtype=float),
    foot_force_n: wp.array2d(dtype=float),
    foot_contact: wp.array2d(dtype=bool),
    touchdown: wp.array2d(dtype=bool),
) -> None:
    """One thread per (environment, foot): velocity, sole height, contact, and the times and peak of swing and stance.

    ``body_pose_w`` and ``force_w`` may hold other bodies; ``foot_body`` and ``foot_sensor`` are the feet's columns.
    """
    env, foot = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    pose = body_pose_w[env, foot_body[foot]]
    position = wp.transform_get_translation(pose)
    velocity = wp.vec3f(0.0, 0.0, 0.0)
    if not was_reset[env]:  # chosen, not multiplied by zero: the state before a reset may have been NaN
        velocity = (position - foot_pos_w[env, foot]) / step_dt
    foot_vel_w[env, foot] = velocity
    foot_pos_w[env, foot] = position
    sole = sole_above_ground(pose, sole_points, foot, sole_radius_m, ground)
    height = sole[0]
    sole_height_m[env, foot] = height
    foot_ground_m[env, foot] = sole[1]

    force = wp.length(force_w[env, foot_sensor[foot]])
    foot_force_n[env, foot] = force
    air_time = air_time_s[env, foot]
    contact_time = contact_time_s[env, foot]
    peak = wp.max(swing_peak_m[env, foot], height)
    if force > CONTACT_FORCE_N:
        foot_contact[env, foot] = True
        if air_time > 0.0:
            touchdown[env, foot] = True
            last_air_time_s[env, foot] = air_time
            swing_peak_m[env, foot] = peak
        else:
            touchdown[env, foot] = False
            swing_peak_m[env, foot] = 0.0
        air_time_s[env, foot] = 0.0
        contact_time_s[env, foot] = contact_time + step_dt
    else:
        foot_contact[env, foot] = False
        touchdown[env, foot] = False
        if contact_time > 0.0:
            last_contact_time_s[env, foot] = contact_time
        swing_peak_m[env, foot] = peak
        air_time_s[env, foot] = air_time + step_dt
        contact_time_s[env, foot] = 0.0


@wp.kernel
def update_fall_force(
    force_w: wp.array2d(dtype=wp.vec3f),
    fall_sensor: wp.array(dtype=int),
    # in and out
    was_reset: wp.array(dtype=bool),
    # outputs
    fall_force_n: wp.array(dtype=float),
) -> None:
    """One thread per environment, the last of a step: largest force on a body that must not touch the ground."""
    env = wp.tid()
    largest = wp.float32(0.0)
    for index in range(fall_sensor.shape[0]):
        largest = wp.max(largest, wp.length(force_w[env, fall_sensor[index]]))
    fall_force_n[env] = largest
    was_reset[env] = False


@wp.kernel
def take_friction_off(
    total_w: wp.array2d(dtype=wp.vec3f),
    friction_w: wp.array2d(dtype=wp.vec3f),
    # outputs
    normal_w: wp.array2d(dtype=wp.vec3f),
) -> None:
    """One thread per (environment, body): the force on a body without its friction."""
    env, body = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    normal_w[env, body] = total_w[env, body] - friction_w[env, body]


@wp.kernel
def update_base(
    root_pose_w: wp.array(dtype=wp.transformf),
    root_com_vel_w: wp.array(dtype=wp.spatial_vectorf),
    body_com_pos_b: wp.array2d(dtype=wp.vec3f),
    gravity_w: wp.array(dtype=wp.vec3f),
    foot_ground_m: wp.array2d(dtype=float),
    # outputs
    base_lin_vel_b: wp.array(dtype=wp.vec3f),
    base_ang_vel_b: wp.array(dtype=wp.vec3f),
    projected_gravity_b: wp.array(dtype=wp.vec3f),
    base_height_m: wp.array(dtype=float),
) -> None:
    """One thread per environment: motion of the base frame's origin, and the direction of gravity, in the base frame.

    The height of the base frame is that above the ground beneath the feet, in the mean over them.

    The velocity of the origin is that of the centre of mass less ``omega x r``, with ``r`` from origin to centre.
    """
    env = wp.tid()
    quat = wp.transform_get_rotation(root_pose_w[env])
    velocity = root_com_vel_w[env]
    angular = wp.quat_rotate_inv(quat, wp.spatial_bottom(velocity))
    com_linear = wp.quat_rotate_inv(quat, wp.spatial_top(velocity))
    base_ang_vel_b[env] = angular
    base_lin_vel_b[env] = com_linear - wp.cross(angular, body_com_pos_b[env, 0])  # the root is the first body
    projected_gravity_b[env] = wp.quat_rotate_inv(quat, wp.normalize(gravity_w[env]))
    ground_m = wp.float32(0.0)
    num_feet = foot_ground_m.shape[1]
    for foot in range(num_feet):
        ground_m += foot_ground_m[env, foot]
    base_height_m[env] = wp.transform_get_translation(root_pose_w[env])[2] - ground_m / float(num_feet)
