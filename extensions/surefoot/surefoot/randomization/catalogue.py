"""The physical parameters that Surefoot can randomize, with their nominal values for a robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surefoot.symmetry import MirrorKind
from surefoot_robots import RobotSpec

from .nominal_model import read_nominal_model
from .parameter import ActsOn, Parameter

GRAVITY_M_S2 = 9.81
"""Standard gravity, as Isaac Lab and MuJoCo set it."""

NEVER_S = 1e9
"""Time to the next push where there are none [s]."""

_AXES = ("x", "y", "z")


def make_catalogue(spec: RobotSpec) -> tuple[Parameter, ...]:
    """List every parameter with its nominal value for a robot, in the order of the table's columns."""
    return (
        *_contact(spec),
        *_bodies(spec),
        *_joints(spec),
        *_actuators(spec),
        *_sensors(),
        *_world(),
        *_initial_state(spec),
    )


def _contact(spec: RobotSpec) -> list[Parameter]:
    def per_foot(name: str, unit: str, description: str, nominal: float | Sequence[float], **rules: Any) -> Parameter:
        return _parameter(name, unit, description, "foot", spec.foot_bodies, nominal, "contact", "foot_scalar", **rules)

    model = read_nominal_model(spec)
    # MuJoCo's convention: the largest torque about the normal, or about an axis in the ground, is the coefficient times
    # the normal force.
    turning = [
        per_foot(name, "m", text, nominal, minimum=0.0)
        for name, text, nominal in (
            ("foot_torsional_friction", "torque against a foot's spin per force", model.foot_torsional_friction_m),
            ("foot_rolling_friction", "torque against a foot's roll per force", model.foot_rolling_friction_m),
        )
    ]
    friction = model.foot_friction
    return [
        per_foot("foot_friction", "-", "static friction of each foot on the ground", friction, minimum=0.0),
        per_foot("foot_dynamic_friction_ratio", "-", "dynamic over static friction", 1.0, minimum=0.0, maximum=1.0),
        *turning,
        per_foot("foot_restitution", "-", "restitution of each foot", 0.0, minimum=0.0, maximum=1.0),
        per_foot("contact_stiffness_ratio", "-", "stiffness of each foot's contacts over nominal", 1.0, minimum=0.01),
        per_foot("contact_damping_ratio", "-", "damping of each foot's contacts over nominal", 1.0, minimum=0.01),
    ]


def _bodies(spec: RobotSpec) -> list[Parameter]:
    model = read_nominal_model(spec)
    base = model.body_names.index(spec.base_body)
    link_mass = [float(model.mass_kg[model.joint_of_body.index(joint)]) for joint in range(spec.num_joints)]
    return [
        _scalar(
            "base_mass", "kg", "mass of the base without payload", float(model.mass_kg[base]), "body", minimum=1e-3
        ),
        _scalar("base_inertia_ratio", "-", "inertia of the base beyond its mass", 1.0, "body", minimum=0.05),
        _vector("base_com", "m", "centre of mass of the base in its frame", model.com_m[base].tolist(), "body"),
        _scalar("payload_mass", "kg", "point mass that the base carries", 0.0, "body", minimum=0.0),
        _vector("payload_position", "m", "where the payload is, in the base's frame", (0.0, 0.0, 0.0), "body"),
        _per_joint(spec, "link_mass", "kg", "mass of the link that each joint moves", link_mass, "body", minimum=1e-3),
        _per_joint(spec, "link_inertia_ratio", "-", "inertia of each link beyond its mass", 1.0, "body", minimum=0.05),
    ]


def _joints(spec: RobotSpec) -> list[Parameter]:
    values = spec.joint_values
    return [
        _per_joint(spec, "armature", "kg.m^2", "rotor inertia", values("armature_kgm2"), "joint", minimum=0.0),
        _per_joint(spec, "coulomb_friction", "N.m", "kinetic friction", values("friction_nm"), "joint", minimum=0.0),
        _per_joint(spec, "static_friction_ratio", "-", "static over kinetic friction", 1.0, "joint", minimum=1.0),
        _per_joint(
            spec, "viscous_friction", "N.m.s/rad", "viscous friction", values("viscous_nms_rad"), "joint", minimum=0.0
        ),
        _per_joint(
            spec, "encoder_offset", "rad", "reading of each encoder less the position", 0.0, "joint", mirror="joint"
        ),
    ]


def _actuators(spec: RobotSpec) -> list[Parameter]:
    values = spec.joint_values

    def per_joint(name: str, unit: str, text: str, nominal: float | Sequence[float], minimum: float = 0.0) -> Parameter:
        return _per_joint(spec, name, unit, text, nominal, "actuator", minimum=minimum)

    return [
        per_joint("stiffness", "N.m/rad", "position gain", values("stiffness")),
        per_joint("damping", "N.m.s/rad", "velocity gain", values("damping")),
        per_joint("motor_strength", "-", "delivered over commanded torque", 1.0),
        per_joint("stall_torque", "N.m", "torque at standstill", values("saturation_effort_nm"), minimum=1e-3),
        per_joint("no_load_speed", "rad/s", "speed without torque", values("velocity_limit_rad_s"), minimum=1e-3),
        per_joint("backlash", "rad", "width of the gap between gears", 0.0),
        per_joint("initial_motor_heat", "-", "motor heat at the start, 1 at continuous torque", 0.0),
        _scalar("command_delay", "s", "from the policy's output to the motor", 0.0, "actuator", minimum=0.0),
        _scalar("battery_voltage", "-", "voltage over nominal at the start", 1.0, "actuator", minimum=0.5, maximum=1.5),
        _scalar("battery_sag", "1/s", "loss of that share per second", 0.0, "actuator", minimum=0.0),
        _scalar("battery_resistance", "1/W", "loss of that share per watt", 0.0, "actuator", minimum=0.0),
    ]


def _sensors() -> list[Parameter]:
    def std(name: str, unit: str, description: str) -> Parameter:
        return _scalar(name, unit, description, 0.0, "sensor", minimum=0.0)

    def probability(name: str, description: str) -> Parameter:
        return _scalar(name, "-", description, 0.0, "sensor", minimum=0.0, maximum=1.0)

    zero = (0.0, 0.0, 0.0)
    return [
        std("gyro_noise", "rad/s", "standard deviation of the gyroscope's noise"),
        _vector("gyro_bias", "rad/s", "bias of the gyroscope", zero, "sensor", mirror="axial_vector"),
        std("gyro_drift", "rad/s^1.5", "random walk of the gyroscope's bias per root of a second"),
        std("gravity_noise", "-", "standard deviation of the noise of the gravity direction"),
        std("attitude_drift", "rad/s^0.5", "random walk of roll and pitch per root of a second"),
        _vector("imu_mounting", "rad", "rotation from base to IMU", zero, "sensor", mirror="axial_vector"),
        std("imu_latency", "s", "age of the IMU's readings"),
        std("encoder_noise", "rad", "standard deviation of the noise of joint positions"),
        std("encoder_velocity_noise", "rad/s", "standard deviation of the noise of joint velocities"),
        std("encoder_latency", "s", "age of the encoders' readings"),
        probability("sensor_dropout", "probability that a packet of a sensor is lost"),
        probability("sensor_repeat", "probability that a packet of a sensor comes again"),
        probability("contact_miss", "probability that a foot on the ground is reported in the air"),
        probability("contact_false", "probability that a foot in the air is reported on the ground"),
    ]


def _world() -> list[Parameter]:
    zero, gravity = (0.0, 0.0, 0.0), (0.0, 0.0, -GRAVITY_M_S2)
    push_velocity: dict[str, Any] = {"acts_on": "world", "occasion": "push_velocity"}
    push_force: dict[str, Any] = {"acts_on": "world", "occasion": "push_force"}
    return [
        _vector("gravity", "m/s^2", "acceleration of gravity in the world frame", gravity, "world"),
        _vector("push_velocity", "m/s", "velocity that a push adds to the base", zero, **push_velocity),
        _scalar("push_velocity_interval", "s", "time to the next such push", NEVER_S, minimum=0.02, **push_velocity),
        _vector("push_force", "N", "force of a push on the base in the world frame", zero, **push_force),
        _vector("push_point", "m", "where it acts, in the base's frame", zero, **push_force),
        _scalar("push_duration", "s", "how long it acts", 0.0, minimum=0.0, **push_force),
        _scalar("push_force_interval", "s", "time to the next such push", NEVER_S, minimum=0.02, **push_force),
    ]


def _initial_state(spec: RobotSpec) -> list[Parameter]:
    def of_base(name: str, unit: str, description: str, mirror: MirrorKind) -> Parameter:
        return _vector(name, unit, description, (0.0, 0.0, 0.0), "initial_state", mirror=mirror)

    def of_joints(name: str, unit: str, description: str) -> Parameter:
        return _per_joint(spec, name, unit, description, 0.0, "initial_state", mirror="joint")

    return [
        of_base("initial_position", "m", "where an episode begins, from the default position", "polar_vector"),
        of_base("initial_orientation", "rad", "angles about x, y, z at the start of an episode", "axial_vector"),
        of_base("initial_lin_vel", "m/s", "velocity of the base at the start, in the world frame", "polar_vector"),
        of_base("initial_ang_vel", "rad/s", "rotation of the base at the start, in the world frame", "axial_vector"),
        of_joints("initial_joint_offset", "rad", "joint position at the start, from the default one"),
        of_joints("initial_joint_vel", "rad/s", "joint velocity at the start of an episode"),
    ]


def _parameter(
    name: str,
    unit: str,
    description: str,
    over: Any,
    elements: Sequence[str],
    nominal: float | Sequence[float],
    acts_on: ActsOn,
    mirror: MirrorKind,
    **rules: Any,
) -> Parameter:
    values = nominal if isinstance(nominal, Sequence) else (nominal,) * len(elements)
    return Parameter(
        name=name,
        unit=unit,
        description=description,
        over=over,
        elements=tuple(elements),
        nominal=tuple(map(float, values)),
        acts_on=acts_on,
        mirror=mirror,
        **rules,
    )


def _scalar(name: str, unit: str, description: str, nominal: float, acts_on: ActsOn, **rules: Any) -> Parameter:
    return _parameter(name, unit, description, "environment", ("",), nominal, acts_on, "scalar", **rules)


def _vector(
    name: str,
    unit: str,
    description: str,
    nominal: Sequence[float],
    acts_on: ActsOn,
    *,
    mirror: MirrorKind = "polar_vector",
    **rules: Any,
) -> Parameter:
    return _parameter(name, unit, description, "xyz", _AXES, nominal, acts_on, mirror, **rules)


def _per_joint(
    spec: RobotSpec,
    name: str,
    unit: str,
    description: str,
    nominal: float | Sequence[float],
    acts_on: ActsOn,
    *,
    mirror: MirrorKind = "joint_scalar",
    **rules: Any,
) -> Parameter:
    return _parameter(name, unit, description, "joint", spec.joint_names, nominal, acts_on, mirror, **rules)
