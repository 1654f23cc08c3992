"""Named sets of ranges, from nothing to more than a robot will meet, each range with its source.

``standard`` is the middle of what policies were trained with that then ran on a robot of the same class, ``mild`` about
half of that, ``harsh`` the far end. A range's source is a key of :data:`surefoot.randomization.preset_sources.SOURCES`,
a colon and what is stated there; several are separated by semicolons. Where no source states a range it says
"assumption" and why. Ranges are facts of the sources; no text or code is taken from them.

Sources add a mass to the base that may be negative; here the base's own mass varies by a factor and the payload is a
mass of its own that is never negative.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, get_args

from surefoot_bridge.errors import unknown_name
from surefoot_robots import RobotSpec

from .parameter import Distribution, Range, one_of

Preset = Literal["none", "mild", "standard", "harsh"]

PRESETS: tuple[Preset, ...] = get_args(Preset)

ASSUMPTION = "assumption"
"""Key of a range that no source states."""

SURFACES = MappingProxyType({"wood": 0.4, "carpet": 0.8, "wet": 0.2})
"""Friction coefficients of named floors under a rubber foot; `surfaces` draws among them."""

Ends = float | tuple[float, ...]
Ranges = dict[str, Range]


def preset_ranges(name: str, spec: RobotSpec) -> Ranges:
    """Return the ranges of a preset by parameter; what it does not name keeps its nominal value.

    Raises:
        SurefootError: If there is no such preset.
    """
    if name not in PRESETS:
        raise unknown_name("randomization preset", name, PRESETS)
    if name == "none":
        return {}
    ranges = _BY_PRESET[name](spec)
    if not any(spec.joint_values("friction_nm")):  # a factor of nothing
        ranges = {parameter: drawn for parameter, drawn in ranges.items() if parameter != "coulomb_friction"}
    return ranges


def surfaces(*names: str) -> Range:
    """Draw the friction of all feet from named floors; from all of them when none is named.

    Raises:
        SurefootError: If a floor is unknown.
    """
    for name in names:
        if name not in SURFACES:
            raise unknown_name("surface", name, SURFACES)
    chosen = names or tuple(SURFACES)
    return one_of(*(SURFACES[name] for name in chosen), shared=True, source=f"{ASSUMPTION}: rubber on named floors")


def sensor_noise() -> Ranges:
    """Return the noise of the sensors alone, as in ``mild`` and ``standard``."""
    return _noise(1.0, "legged_gym: noise_scales")


def _times(low: float, high: float, source: str, distribution: Distribution = "uniform") -> Range:
    return Range(operation="scale", low=low, high=high, distribution=distribution, source=source)


def _between(low: Ends, high: Ends, source: str, distribution: Distribution = "uniform", shared: bool = False) -> Range:
    return Range(operation="absolute", low=low, high=high, distribution=distribution, shared=shared, source=source)


def _around(half_width: Ends, source: str) -> Range:
    low = tuple(-value for value in half_width) if isinstance(half_width, tuple) else -half_width
    return Range(operation="offset", low=low, high=half_width, source=source)


def _noise(factor: float, source: str) -> Ranges:
    """Return Gaussian noise: from as strong as uniform noise of legged_gym's half widths to a factor of that."""

    def std(half_width: float) -> Range:
        value = half_width / math.sqrt(3.0)
        return _between(value, factor * value, source)

    return {
        "gyro_noise": std(0.2),
        "gravity_noise": std(0.05),
        "encoder_noise": std(0.01),
        "encoder_velocity_noise": std(1.5),
    }


def _turning(factor: float, source: str) -> Ranges:
    """Return torsional and rolling friction of rubber feet from none to a factor of 0.02 m and 0.01 m."""
    return {
        "foot_torsional_friction": _between(0.0, 0.02 * factor, source, shared=True),
        "foot_rolling_friction": _between(0.0, 0.01 * factor, source, shared=True),
    }


def _by_kind(spec: RobotSpec, *, quadruped: Ranges, humanoid: Ranges) -> Ranges:
    return {"quadruped": quadruped, "humanoid": humanoid}[spec.kind]


def _payload_position(spec: RobotSpec) -> Range:
    return _between(*spec.tuning.payload_box_m, f"{ASSUMPTION}: where the robot carries a load")


def _mild(spec: RobotSpec) -> Ranges:
    return {
        **sensor_noise(),
        "foot_friction": _between(0.4, 1.0, "playground: 0.4 to 1 for Go1 and G1", shared=True),
        "base_mass": _times(0.9, 1.1, "playground: 0.9 to 1.1 of each link's mass"),
        "base_com": _around(0.025, "mjlab: 0.025 m, vertically 0.03 m"),
        "payload_mass": _between(0.0, 1.5, "unitree_rl_lab: -1 to 3 kg on Go2 and G1, here half"),
        "payload_position": _payload_position(spec),
        "link_mass": _times(0.95, 1.05, "playground: 0.9 to 1.1, here half"),
        "motor_strength": _times(0.95, 1.05, "walk_these_ways: 0.9 to 1.1, here half"),
        "command_delay": _between(0.0, 0.01, "himloco: 0 to 15 ms, here half; booster_gym: 0 to 18 ms, here half"),
        "imu_mounting": _around(0.017, "haarnoja: 2 degrees, here half"),
        "push_velocity": _around((0.5, 0.5, 0.0), "unitree_rl_lab: 0.5 m/s for Go2 and G1"),
        "push_velocity_interval": _between(5.0, 10.0, "unitree_rl_lab: 5 to 10 s for Go2, 5 s for G1"),
        **_by_kind(
            spec,
            quadruped={
                **_turning(0.5, "unitree_mujoco: 0.02 m and 0.01 m for Go2, here half"),
                "armature": _times(0.7, 1.4, "unitree_go2: a factor of 2 between models, here its root", "log_uniform"),
                "coulomb_friction": _times(0.5, 1.5, "unitree_go2: none to 0.2 N m, here half of the way"),
                "encoder_offset": _around(0.01, "walk_these_ways: 0.02 rad, here half"),
                "stiffness": _times(0.95, 1.05, "himloco: 0.9 to 1.1, here half"),
                "damping": _times(0.83, 1.17, "rl_locomotion: 0.6 +- 0.2, here half"),
            },
            humanoid={
                "armature": _times(1.0, 1.05, "playground: 1 to 1.05 for G1"),
                "coulomb_friction": _times(0.75, 1.5, "playground: 0.5 to 2 for G1, here half"),
                "encoder_offset": _around(0.015, "mjlab: 0.015 rad"),
                "stiffness": _times(0.9, 1.1, "playground: 0.9 to 1.1 for T1"),
                "damping": _times(0.9, 1.1, "agibot_x1: 0.8 to 1.2, here half"),
            },
        ),
    }


def _standard(spec: RobotSpec) -> Ranges:
    return {
        **sensor_noise(),
        "foot_dynamic_friction_ratio": _between(0.75, 1.0, "isaaclab: 0.6 under a static coefficient of 0.8"),
        "contact_stiffness_ratio": _between(
            0.5, 1.0, f"{ASSUMPTION}: nominal is the stiffest contact that the time step resolves", "log_uniform"
        ),
        "contact_damping_ratio": _between(0.8, 1.2, f"{ASSUMPTION}: stays near critical damping"),
        "base_mass": _times(0.8, 1.2, "minitaur: 0.8 to 1.2; booster_gym: 0.8 to 1.2"),
        "base_inertia_ratio": _between(0.75, 1.25, "minitaur: 0.5 to 1.5, here half"),
        "base_com": _around(0.05, "playground: 0.05 m for Go1; agibot_x1: 0.05 m"),
        "payload_mass": _between(0.0, 3.0, "unitree_rl_lab: -1 to 3 kg on Go2 and G1"),
        "payload_position": _payload_position(spec),
        "link_mass": _times(0.9, 1.1, "playground: 0.9 to 1.1 for Go1 and G1; agibot_x1: 0.9 to 1.1"),
        "link_inertia_ratio": _between(0.75, 1.25, "minitaur: 0.5 to 1.5, here half"),
        "static_friction_ratio": _between(1.0, 1.3, f"{ASSUMPTION}: breaking greased gears loose takes somewhat more"),
        "motor_strength": _times(0.9, 1.1, "walk_these_ways: 0.9 to 1.1; agibot_x1: 0.8 to 1.2, here half"),
        "stall_torque": _times(1.0, 1.2, f"{ASSUMPTION}: nominal is the effort limit, the least that it can be"),
        "no_load_speed": _times(0.9, 1.1, f"{ASSUMPTION}: tolerance of windings"),
        "backlash": _between(0.0, 0.005, f"{ASSUMPTION}: up to 17 arc minutes, planetary gears that have worn"),
        "initial_motor_heat": _between(0.0, 1.0, f"{ASSUMPTION}: from cold to what the continuous torque settles at"),
        "battery_voltage": _between(0.95, 1.13, "minitaur: 14 to 16.8 V of four cells of nominally 3.7 V", shared=True),
        "battery_sag": _between(0.0, 0.001, f"{ASSUMPTION}: 2 % in 20 s, so that an episode sees it at all"),
        "gyro_bias": _around(0.02, f"{ASSUMPTION}: 1 degree per second, a MEMS gyroscope without calibration"),
        "gyro_drift": _between(0.0, 0.002, f"{ASSUMPTION}: 0.01 rad/s in 20 s"),
        "attitude_drift": _between(0.0, 0.002, f"{ASSUMPTION}: 0.01 rad in 20 s"),
        "imu_mounting": _around(0.035, "haarnoja: 2 degrees"),
        "encoder_latency": _between(0.0, 0.02, "parkour: 5 to 45 ms, here half; agibot_x1: 0 to 40 ms, here half"),
        "sensor_dropout": _between(0.0, 0.01, f"{ASSUMPTION}: one packet in a hundred on a loaded bus"),
        "sensor_repeat": _between(0.0, 0.02, f"{ASSUMPTION}: clocks of sensor and controller that drift apart"),
        "contact_miss": _between(0.0, 0.05, f"{ASSUMPTION}: light contacts below a threshold"),
        "contact_false": _between(0.0, 0.02, f"{ASSUMPTION}: jolts of the swing leg above a threshold"),
        "push_velocity": _around((1.0, 1.0, 0.0), "legged_gym: 1 m/s; human2humanoid: 1 m/s; playground: 1 m/s for T1"),
        **_by_kind(
            spec,
            quadruped={
                **_turning(1.0, "unitree_mujoco: 0.02 m and 0.01 m for Go2"),
                "foot_friction": _between(0.3, 1.2, "unitree_rl_lab: 0.3 to 1.2 for Go2, on ground of 1", shared=True),
                "foot_restitution": _between(0.0, 0.15, "unitree_rl_lab: 0 to 0.15 for Go2", shared=True),
                "armature": _times(0.5, 2.0, "unitree_go2: a factor of 2 between models", "log_uniform"),
                "coulomb_friction": _times(0.0, 2.0, "unitree_go2: none to 0.2 N m, here as far upwards"),
                "viscous_friction": _between(0.0, 0.05, "minitaur: 0 to 0.05 N m s/rad"),
                "encoder_offset": _around(0.02, "walk_these_ways: 0.02 rad"),
                "stiffness": _times(0.9, 1.1, "himloco: 0.9 to 1.1; rl_locomotion: 45 +- 5"),
                "damping": _times(0.67, 1.33, "rl_locomotion: 0.6 +- 0.2"),
                "command_delay": _between(0.0, 0.015, "himloco: 0 to 3 steps of 5 ms"),
                "battery_resistance": _between(0.0, 1e-4, f"{ASSUMPTION}: 0.1 ohm at 30 V"),
                "imu_latency": _between(0.0, 0.02, "parkour: 5 to 45 ms for Go2, here half"),
                "gravity": _around(0.5, "walk_these_ways: 1 m/s^2, here half"),
                "push_velocity_interval": _between(5.0, 15.0, "unitree_rl_lab: 5 to 10 s; legged_gym: 15 s"),
                "push_force": _around((30.0, 30.0, 0.0), "himloco: 30 N"),
                "push_point": _around((0.1, 0.05, 0.05), f"{ASSUMPTION}: within the trunk"),
                "push_duration": _between(0.05, 0.2, "playground: 0.05 to 0.2 s for kicks of Go1"),
                "push_force_interval": _between(6.0, 10.0, "himloco: 8 s, here around it"),
            },
            humanoid={
                "foot_torsional_friction": _between(0.0, 0.005, "mujoco: 0.005 m by default", shared=True),
                "foot_rolling_friction": _between(0.0, 1e-4, "mujoco: 0.0001 m by default", shared=True),
                "foot_friction": _between(0.2, 1.25, "berkeley_humanoid: 0.2 to 1.25, on ground of 1", shared=True),
                "foot_restitution": _between(0.0, 0.1, "berkeley_humanoid: 0 to 0.1", shared=True),
                "armature": _times(
                    0.95, 1.1, "playground: 1 to 1.05 for G1, here both ways because a derived value errs either way"
                ),
                "coulomb_friction": _times(0.5, 2.0, "playground: 0.5 to 2 for G1"),
                "viscous_friction": _between(0.0, 0.1, "agibot_x1: 0.05 to 0.1 N m s/rad"),
                "encoder_offset": _around(0.035, "agibot_x1: 0.035 rad"),
                "stiffness": _times(0.8, 1.2, "agibot_x1: 0.8 to 1.2"),
                "damping": _times(0.8, 1.2, "agibot_x1: 0.8 to 1.2"),
                "command_delay": _between(0.0, 0.02, "booster_gym: 0 to 18 ms"),
                "battery_resistance": _between(0.0, 5e-5, f"{ASSUMPTION}: 0.1 ohm at 45 V"),
                "imu_latency": _between(0.0, 0.01, "agibot_x1: 1 to 10 ms"),
                "gravity": _around(0.3, f"{ASSUMPTION}: a floor that slopes by 2 degrees"),
                "push_velocity_interval": _between(5.0, 10.0, "unitree_rl_lab: 5 s; playground: 5 to 10 s for G1"),
                "push_force": _around((50.0, 50.0, 0.0), f"{ASSUMPTION}: a quadruped's by weight, below 80 N"),
                "push_point": _between(
                    (-0.05, -0.05, 0.0), (0.05, 0.05, 0.3), f"{ASSUMPTION}: from the pelvis up to the chest"
                ),
                "push_duration": _between(0.05, 0.25, "agibot_x1: 0.05 to 0.25 s"),
                "push_force_interval": _between(5.0, 10.0, "booster_gym: 5 s and above"),
            },
        ),
    }


def _harsh(spec: RobotSpec) -> Ranges:
    return {
        **_standard(spec),
        **_noise(1.5, "legged_gym: noise_scales; agibot_x1: noise_level 1.5"),
        "foot_friction": _between(0.1, 2.0, "booster_gym: 0.1 to 2; walk_these_ways: 0.1 to 3", "log_uniform"),
        **_turning(2.0, f"{ASSUMPTION}: twice the 0.02 m and 0.01 m of unitree_mujoco"),
        "foot_dynamic_friction_ratio": _between(0.6, 1.0, f"{ASSUMPTION}: beyond the 0.75 of isaaclab"),
        "foot_restitution": _between(0.0, 0.4, "walk_these_ways: 0 to 0.4; agibot_x1: 0 to 0.4"),
        "contact_stiffness_ratio": _between(0.25, 1.0, f"{ASSUMPTION}: soft floors", "log_uniform"),
        "contact_damping_ratio": _between(0.7, 1.3, f"{ASSUMPTION}: half as much again as standard"),
        "base_mass": _times(0.7, 1.3, "human2humanoid: 0.7 to 1.3 of links"),
        "base_inertia_ratio": _between(0.5, 1.5, "minitaur: 0.5 to 1.5"),
        "payload_mass": _between(0.0, 5.0, "chrl: -1 to 5 kg on a quadruped; humanoid_gym: -5 to 5 kg on a humanoid"),
        "link_inertia_ratio": _between(0.5, 1.5, "minitaur: 0.5 to 1.5"),
        "static_friction_ratio": _between(1.0, 1.5, f"{ASSUMPTION}: gears in the cold"),
        "encoder_offset": _around(0.05, "playground: 0.05 rad; berkeley_humanoid: 0.05 rad"),
        "motor_strength": _times(0.8, 1.2, "extreme_parkour: 0.8 to 1.2; agibot_x1: 0.8 to 1.2"),
        "stall_torque": _times(0.9, 1.3, f"{ASSUMPTION}: 10 % beyond standard"),
        "no_load_speed": _times(0.8, 1.2, f"{ASSUMPTION}: twice standard"),
        "backlash": _between(0.0, 0.015, f"{ASSUMPTION}: three times standard"),
        "battery_voltage": _between(0.85, 1.15, f"{ASSUMPTION}: cells down to 3.15 V", shared=True),
        "battery_sag": _between(0.0, 0.005, f"{ASSUMPTION}: 10 % in 20 s"),
        "gyro_bias": _around(0.05, f"{ASSUMPTION}: 3 degrees per second"),
        "gyro_drift": _between(0.0, 0.005, f"{ASSUMPTION}: 0.02 rad/s in 20 s"),
        "attitude_drift": _between(0.0, 0.005, f"{ASSUMPTION}: 0.02 rad in 20 s"),
        "imu_mounting": _around(0.05, "mjlab: 0.05 rad about each axis"),
        "sensor_dropout": _between(0.0, 0.05, f"{ASSUMPTION}: one packet in twenty"),
        "sensor_repeat": _between(0.0, 0.1, f"{ASSUMPTION}: five times standard"),
        "contact_miss": _between(0.0, 0.1, f"{ASSUMPTION}: twice standard"),
        "contact_false": _between(0.0, 0.05, f"{ASSUMPTION}: more than twice standard"),
        "push_velocity": _around((1.5, 1.5, 0.4), "unitree_rl_gym: 1.5 m/s for G1; mjlab: 0.4 m/s vertically"),
        "push_force": _around((80.0, 80.0, 20.0), f"{ASSUMPTION}: 80 N, the most that is asked of a policy"),
        "push_duration": _between(0.05, 0.25, "agibot_x1: 0.05 to 0.25 s"),
        **_by_kind(
            spec,
            quadruped={
                "base_com": _around((0.1, 0.05, 0.05), "rl_locomotion: 0.1 and 0.05 m; playground: 0.05 m for Go1"),
                "link_mass": _times(0.8, 1.2, "minitaur: 0.8 to 1.2"),
                "coulomb_friction": _times(
                    0.0, 3.5, "walk_these_ways: 0 to 0.7 N m, to which Go2's 0.2 N m are scaled"
                ),
                "viscous_friction": _between(0.0, 0.1, "agibot_x1: 0.05 to 0.1 N m s/rad"),
                "stiffness": _times(0.8, 1.3, "walk_these_ways: 0.8 to 1.3"),
                "damping": _times(0.5, 1.5, "walk_these_ways: 0.5 to 1.5"),
                "command_delay": _between(0.0, 0.03, "walk_these_ways: a fixed lag of 6 steps of 5 ms"),
                "battery_resistance": _between(0.0, 3e-4, f"{ASSUMPTION}: 0.3 ohm at 30 V"),
                "imu_latency": _between(0.0, 0.045, "parkour: 5 to 45 ms for Go2"),
                "encoder_latency": _between(0.0, 0.045, "parkour: 5 to 45 ms for Go2"),
                "gravity": _around(1.0, "walk_these_ways: 1 m/s^2"),
                "push_velocity_interval": _between(2.0, 15.0, "parkour: 2 s for Go2; legged_gym: 15 s"),
                "push_force_interval": _between(4.0, 10.0, f"{ASSUMPTION}: more often than himloco's 8 s"),
            },
            humanoid={
                "base_com": _around(0.1, "booster_gym: 0.1 m; human2humanoid: 0.1 m"),
                "link_mass": _times(0.7, 1.3, "human2humanoid: 0.7 to 1.3"),
                "armature": _times(0.95, 1.2, f"{ASSUMPTION}: lower ones make explicit velocity gains unstable"),
                "coulomb_friction": _times(0.33, 3.0, "agibot_x1: 0.1 to 0.9 N m, to which G1's 0.3 N m are scaled"),
                "stiffness": _times(0.75, 1.25, "human2humanoid: 0.75 to 1.25"),
                "damping": _times(0.75, 1.25, "human2humanoid: 0.75 to 1.25"),
                "command_delay": _between(0.0, 0.04, "agibot_x1: 5 to 40 ms"),
                "battery_resistance": _between(0.0, 1.5e-4, f"{ASSUMPTION}: 0.3 ohm at 45 V"),
                "imu_latency": _between(0.0, 0.05, "haarnoja: 10 to 50 ms"),
                "encoder_latency": _between(0.0, 0.04, "agibot_x1: 0 to 40 ms"),
                "gravity": _around(0.6, f"{ASSUMPTION}: twice standard"),
                "push_velocity_interval": _between(2.0, 10.0, "mjlab: 1 to 3 s; playground: 5 to 10 s for G1"),
                "push_force_interval": _between(3.0, 10.0, f"{ASSUMPTION}: more often than booster_gym's 5 s"),
            },
        ),
    }


_BY_PRESET: Mapping[str, Callable[[RobotSpec], Ranges]] = {
    "mild": _mild,
    "standard": _standard,
    "harsh": _harsh,
}
