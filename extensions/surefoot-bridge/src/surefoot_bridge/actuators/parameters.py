"""What an actuator is described by: the randomized columns, the constants of its motors, and the clock it runs on."""

import math
from dataclasses import dataclass, fields
from typing import Callable, Dict, Protocol, Sequence, Tuple

import numpy as np

from surefoot_bridge.errors import SurefootError

PER_JOINT = (
    "stiffness",
    "damping",
    "motor_strength",
    "stall_torque",
    "no_load_speed",
    "coulomb_friction",
    "static_friction_ratio",
    "viscous_friction",
    "encoder_offset",
    "backlash",
    "initial_motor_heat",
)
"""Randomized parameters with one value per joint, in columns that follow one another in the policy's joint order."""

PER_ENVIRONMENT = ("command_delay", "battery_voltage", "battery_sag", "battery_resistance")
"""Randomized parameters with one value per environment."""

CONTINUOUS_TORQUE_SHARE = 0.5
"""Torque that a motor holds for ever, as a share of its effort limit. An assumption: makers of legged robots publish
peak torques only."""

THERMAL_TIME_CONSTANT_S = 60.0
"""Time constant of a motor's heat [s]. An assumption, for makers of legged robots publish none: a motor's data sheet
lists seconds for the winding alone and minutes for the whole motor (maxon EC 13, 305190: 0.72 s and 188 s)."""

DERATED_SHARE = CONTINUOUS_TORQUE_SHARE
"""Share of the effort limit that is left to a hot motor: what it can hold for ever."""


class JointNumbers(Protocol):
    """What describes the joints of a robot, in the order in which it names them."""

    def joint_values(self, quantity: str) -> Sequence[float]:
        """Return one number for each joint: ``effort_limit_nm``, ``saturation_effort_nm``, ``friction_nm``, ..."""
        ...


@dataclass(frozen=True)
class ControlTiming:
    """The two clocks of an actuator.

    Attributes:
        physics_dt_s: Length of a physics substep [s].
        decimation: Physics substeps per control step; a command is pushed once per control step.
    """

    physics_dt_s: float
    decimation: int

    def __post_init__(self) -> None:
        """Refuse clocks that do not advance."""
        if not (math.isfinite(self.physics_dt_s) and self.physics_dt_s > 0.0 and self.decimation >= 1):
            raise SurefootError(
                f"Actuators need a physics step > 0 s and a decimation >= 1, not {self.physics_dt_s} and "
                f"{self.decimation}."
            )

    @property
    def step_dt_s(self) -> float:
        """Length of a control step [s]."""
        return self.physics_dt_s * self.decimation

    def command_slots(self, largest_delay_s: float) -> int:
        """How many commands must be remembered to delay them by at most ``largest_delay_s``.

        The command in force ``d`` seconds ago is at most ``ceil(d / step_dt)`` pushes old; the newest is always kept.
        """
        if not (math.isfinite(largest_delay_s) and largest_delay_s >= 0.0):
            raise SurefootError(f"The largest command delay is {largest_delay_s} s; it must be finite and >= 0.")
        steps = largest_delay_s / self.step_dt_s
        return math.ceil(steps - 1e-6) + 1  # 0.04 / 0.02 must not become three steps by rounding


@dataclass(frozen=True)
class MotorConstants:
    """What is not randomized, of every joint in policy order; each array has shape (num_joints,), float32."""

    effort_limit: np.ndarray
    """Largest motor torque of a motor that is not hot [N.m]."""
    continuous_torque: np.ndarray
    """Torque whose heat settles at 1 [N.m]."""
    thermal_time_constant_s: np.ndarray
    """Time constant of the motor's heat [s]."""
    derated_share: float = DERATED_SHARE
    """Share of the effort limit that is left to a motor of heat 1.5 and more."""

    @classmethod
    def from_spec(cls, spec: JointNumbers) -> "MotorConstants":
        """Constants of a robot's motors, in its policy joint order."""
        effort_limit = _joint_values(spec, "effort_limit_nm")
        return cls(
            effort_limit=effort_limit,
            continuous_torque=np.float32(CONTINUOUS_TORQUE_SHARE) * effort_limit,
            thermal_time_constant_s=np.full_like(effort_limit, THERMAL_TIME_CONSTANT_S),
        )


@dataclass(frozen=True)
class JointParameters:
    """Randomized parameters of every joint in policy order, float32.

    Parameters per joint broadcast against [..., num_joints], those per environment against [...].
    """

    stiffness: np.ndarray
    """Proportional gain kp [N.m/rad]."""
    damping: np.ndarray
    """Derivative gain kd [N.m.s/rad]."""
    motor_strength: np.ndarray
    """Torque delivered per torque asked for, after all limits; nominally 1."""
    stall_torque: np.ndarray
    """Torque of the torque-speed line at rest and nominal voltage [N.m]."""
    no_load_speed: np.ndarray
    """Speed of the torque-speed line without torque, at nominal voltage [rad/s]."""
    coulomb_friction: np.ndarray
    """Friction torque of a sliding joint [N.m]."""
    static_friction_ratio: np.ndarray
    """Friction torque just before sliding, in multiples of the Coulomb friction; at least 1, nominally 1."""
    viscous_friction: np.ndarray
    """Viscous friction coefficient [N.m.s/rad]."""
    encoder_offset: np.ndarray
    """What the encoder reads more than the joint's true position [rad]."""
    backlash: np.ndarray
    """Full width of the gear's gap, at the joint [rad]."""
    initial_motor_heat: np.ndarray
    """Heat at the start of an episode; 1 is what the continuous torque settles at."""
    command_delay: np.ndarray
    """Time between a command and its effect [s]."""
    battery_voltage: np.ndarray
    """Voltage at the start of an episode without load, as a share of the nominal voltage."""
    battery_sag: np.ndarray
    """Share of the nominal voltage that is lost per second of an episode [1/s]."""
    battery_resistance: np.ndarray
    """Share of the nominal voltage that is lost per watt of mechanical power [1/W]."""

    @classmethod
    def nominal(
        cls,
        *,
        stiffness: np.ndarray,
        damping: np.ndarray,
        stall_torque: np.ndarray,
        no_load_speed: np.ndarray,
        coulomb_friction: np.ndarray,
        viscous_friction: np.ndarray,
    ) -> "JointParameters":
        """Parameters without any imperfection; arguments have shape (num_joints,)."""
        zero, one = np.zeros_like(stiffness), np.ones_like(stiffness)
        return cls(
            stiffness=stiffness,
            damping=damping,
            motor_strength=one,
            stall_torque=stall_torque,
            no_load_speed=no_load_speed,
            coulomb_friction=coulomb_friction,
            static_friction_ratio=one,
            viscous_friction=viscous_friction,
            encoder_offset=zero,
            backlash=zero,
            initial_motor_heat=zero,
            command_delay=np.zeros((), np.float32),
            battery_voltage=np.ones((), np.float32),
            battery_sag=np.zeros((), np.float32),
            battery_resistance=np.zeros((), np.float32),
        )

    @classmethod
    def from_spec(cls, spec: JointNumbers) -> "JointParameters":
        """Nominal parameters of a robot, in its policy joint order."""
        return cls.nominal(
            stiffness=_joint_values(spec, "stiffness"),
            damping=_joint_values(spec, "damping"),
            stall_torque=_joint_values(spec, "saturation_effort_nm"),
            no_load_speed=_joint_values(spec, "velocity_limit_rad_s"),
            coulomb_friction=_joint_values(spec, "friction_nm"),
            viscous_friction=_joint_values(spec, "viscous_nms_rad"),
        )

    @classmethod
    def from_table(cls, table: np.ndarray, first_column: Callable[[str], int], num_joints: int) -> "JointParameters":
        """Parameters in force in each environment.

        Args:
            table: Values, shape (num_envs, num_columns).
            first_column: First column of a parameter by name.
            num_joints: How many columns a parameter per joint has.
        """
        columns = {name: first_column(name) for name in (*PER_JOINT, *PER_ENVIRONMENT)}
        per_joint = {name: table[:, columns[name] : columns[name] + num_joints] for name in PER_JOINT}
        return cls(**per_joint, **{name: table[:, columns[name]] for name in PER_ENVIRONMENT})

    def row(self) -> Tuple[np.ndarray, Dict[str, int]]:
        """One row of a table that holds these parameters of one environment, and each parameter's first column."""
        values, first_columns = [], {}
        column = 0
        for field in fields(self):
            value = np.atleast_1d(np.asarray(getattr(self, field.name), np.float32))
            first_columns[field.name] = column
            values.append(value)
            column += value.size
        return np.concatenate(values), first_columns


def _joint_values(spec: JointNumbers, field: str) -> np.ndarray:
    return np.asarray(spec.joint_values(field), dtype=np.float32)
