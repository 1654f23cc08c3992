"""Warp kernel of the joint actuators.

Equations, per joint, with position target ``q*``, position ``q`` and velocity ``qd``:

    computed  = kp (q* - q) - kd qd                                   PD law of the motor controller
    upper     = clamp(stall (1 - qd / qd_max), -limit, limit)         torque-speed line of a DC motor
    lower     = clamp(stall (-1 - qd / qd_max), -limit, limit)
    motor     = clamp(computed, lower, upper)
    effort    = motor - friction tanh(qd / FRICTION_VELOCITY) - viscous qd

The torque-speed line is the steady state of a brushed or field-oriented motor at constant voltage: stall torque at
rest, no torque at the no-load speed, braking beyond it (e.g. Hughes & Drury, Electric Motors and Drives, ch. 3). Joint
friction acts here and not in the engine, so that it means the same in every engine.
"""

import warp as wp

FRICTION_VELOCITY = wp.constant(0.1)
"""Velocity [rad/s] at which the smoothed Coulomb friction reaches tanh(1) = 76 % of its value.

Explicit integration of the smoothed friction is stable while friction / FRICTION_VELOCITY * dt / inertia < 2: at
0.2 N.m, 5 ms and the 0.01 kg.m^2 armature of a small quadruped's joint the left side is 1.
"""


@wp.func
def motor_torque(
    computed: float, joint_vel: float, effort_limit: float, saturation_effort: float, velocity_limit: float
) -> float:
    """Clamp a demanded torque [N.m] into the torque-speed envelope of the motor."""
    speed_ratio = joint_vel / velocity_limit
    upper = wp.clamp(saturation_effort * (1.0 - speed_ratio), -effort_limit, effort_limit)
    lower = wp.clamp(saturation_effort * (-1.0 - speed_ratio), -effort_limit, effort_limit)
    return wp.clamp(computed, lower, upper)


@wp.func
def joint_friction(joint_vel: float, friction: float, viscous: float) -> float:
    """Friction torque [N.m] that opposes a joint velocity [rad/s]."""
    return friction * wp.tanh(joint_vel / FRICTION_VELOCITY) + viscous * joint_vel


@wp.kernel
def compute_joint_efforts(
    joint_pos: wp.array2d(dtype=float),
    joint_vel: wp.array2d(dtype=float),
    joint_pos_target: wp.array2d(dtype=float),
    stiffness: wp.array(dtype=float),
    damping: wp.array(dtype=float),
    effort_limit: wp.array(dtype=float),
    saturation_effort: wp.array(dtype=float),
    velocity_limit: wp.array(dtype=float),
    friction: wp.array(dtype=float),
    viscous: wp.array(dtype=float),
    source_joint: wp.array(dtype=int),
    # outputs
    computed_effort: wp.array2d(dtype=float),
    motor_effort: wp.array2d(dtype=float),
    joint_effort: wp.array2d(dtype=float),
) -> None:
    """One thread per (environment, joint): PD, torque-speed curve, friction.

    ``joint_pos``, ``joint_vel`` and ``joint_effort`` are in the engine's joint order, everything else in the policy's;
    ``source_joint[j]`` is the engine's index of policy joint ``j``.
    """
    env, joint = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    column = source_joint[joint]
    velocity = joint_vel[env, column]
    computed = stiffness[joint] * (joint_pos_target[env, joint] - joint_pos[env, column]) - damping[joint] * velocity
    motor = motor_torque(computed, velocity, effort_limit[joint], saturation_effort[joint], velocity_limit[joint])
    computed_effort[env, joint] = computed
    motor_effort[env, joint] = motor
    joint_effort[env, column] = motor - joint_friction(velocity, friction[joint], viscous[joint])
