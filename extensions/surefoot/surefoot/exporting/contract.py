"""The contract of a policy, from the environment that it was trained in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from surefoot.envs.kernels import CONTACT_FORCE_N
from surefoot.randomization.catalogue import DECLARED
from surefoot.randomization.layout import TableLayout
from surefoot.randomization.parameter import to_value
from surefoot.sensors.observation import FusedProprioception
from surefoot.task_config import velocity_command
from surefoot_bridge import contract as bridge
from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv
    from surefoot_robots import RobotSpec

HANDOVER_S = 0.5
"""Time over which targets and gains pass to the policy's [s]. An assumption: about two steps of a trot."""

TILT_LIMIT_RAD = 1.0
"""Tilt that counts as a fall [rad]: just under the 60 degrees at which training ends an episode."""

COMMANDS = ("lin_vel_x_m_s", "lin_vel_y_m_s", "ang_vel_z_rad_s")
"""Components of a velocity command."""


def check_sensed(env: SurefootEnv, groups: list[str]) -> None:
    """Refuse an actor that sees what the robot's sensors do not measure.

    Raises:
        SurefootError: Naming the term and what the robot measures.
    """
    spec, manager = env.robot_spec, env.observation_manager
    measured = ", ".join(spec.interface.sensors)
    for group in groups:
        for name in manager.active_terms[group]:
            if getattr(getattr(env.cfg.observations, group), name).func is not FusedProprioception:
                raise SurefootError(
                    f"The actor sees {name!r} of observation group {group!r}, which no sensor of {spec.name} measures; "
                    f"it measures {measured}. Train an actor on the group of sensors, and leave {name!r} to the critic."
                )
    if len(groups) != 1:
        raise SurefootError(f"The actor sees the groups {', '.join(groups)}; a policy on a robot sees one.")
    for term in env.proprioception.layout.slices:
        if term.source not in (*spec.interface.sensors, "last_action", "command"):
            raise SurefootError(
                f"The actor sees {term.source!r} in term {term.name!r}, which {spec.name} does not measure; "
                f"it measures {measured}."
            )


def make_contract(
    env: SurefootEnv,
    trained: TableLayout,
    *,
    network: bridge.NetworkPart,
    training: bridge.TrainingPart,
    target_rate_limit_rad_s: tuple[float, ...],
    scores: tuple[bridge.Score, ...],
) -> bridge.Contract:
    """Write down what a policy saw and moved.

    Args:
        env: The environment, of the task that it was trained for.
        trained: Table of randomized parameters that it was trained with.
        network: The network.
        training: What it was trained with.
        target_rate_limit_rad_s: Largest rate of each joint's target [rad/s].
        scores: How it did.
    """
    spec, action = env.robot_spec, env.joint_target
    values = spec.joint_values
    return bridge.Contract(
        schema=bridge.SCHEMA,
        robot=robot_part(spec),
        handling=handling_part(spec),
        gains=bridge.GainPart(values("stiffness"), values("damping"), HANDOVER_S),
        action=bridge.ActionPart(
            "joint_position_offset",
            tuple(action.cfg.scale.values()),
            action.cfg.clip_actions,
            False,
            None,
            interval(trained, "command_delay"),
        ),
        timing=bridge.TimingPart(env.step_dt, spec.interface.low_level_hz),
        observation=bridge.ObservationPart(
            "term_major_oldest_first",
            "first_reading_fills_history",
            float(CONTACT_FORCE_N),
            tuple(
                bridge.ObservationTerm(
                    name=term.name,
                    source=term.source,
                    frame=bridge.SOURCES[term.source].frame,
                    dim=term.dim,
                    scale=1.0,
                    clip_at=None,
                    history=term.history,
                    trained_noise={
                        name: sensor_error(trained, name) for name, item in DECLARED.items() if term.source in item.errs
                    },
                )
                for term in env.proprioception.layout.slices
            ),
        ),
        command=bridge.CommandPart(COMMANDS, command_ranges(env)),
        network=network,
        phase=None,
        estimate=None,
        base_controller=None,
        safety=_safety(spec, target_rate_limit_rad_s),
        training=training,
        scores=scores,
    )


def interval(layout: TableLayout, name: str) -> bridge.Interval:
    """Return the least and the largest value that a parameter can have, over all its columns."""
    low, high = value_range(layout, name)
    return bridge.Interval(min(low), max(high))


def sensor_error(layout: TableLayout, name: str) -> bridge.SensorError:
    """Return how large an error of a sensor was in training."""
    drawn, law = interval(layout, name), DECLARED[name].law
    assert law is not None, name
    return bridge.SensorError(
        law=law,
        distribution=layout.range_of(name).range.distribution if layout.is_random(name) else "fixed",
        unit=layout.parameter(name).unit,
        low=drawn.low,
        high=drawn.high,
    )


def value_range(layout: TableLayout, name: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the least and the largest value of each column of a parameter, in its unit."""
    parameter, resolved = layout.parameter(name), layout.range_of(name)
    ends = [
        sorted(to_value(resolved.range.operation, nominal, draw) for draw in (low, high))
        for nominal, low, high in zip(parameter.nominal, resolved.low, resolved.high, strict=True)
    ]
    return tuple(low for low, _ in ends), tuple(high for _, high in ends)


def randomized_ranges(layout: TableLayout, shares: dict[str, bridge.Interval]) -> dict[str, bridge.RandomizedRange]:
    """Return the range of every parameter that was random.

    Args:
        layout: The table.
        shares: How far adaptive ranges had grown to their ends, by parameter; the others were full.
    """
    ranges = {}
    for name in layout.first_columns:
        if layout.is_random(name):
            low, high = value_range(layout, name)
            ranges[name] = bridge.RandomizedRange(
                unit=layout.parameter(name).unit,
                distribution=layout.range_of(name).range.distribution,
                low=low,
                high=high,
                share=shares.get(name, bridge.Interval(1.0, 1.0)),
            )
    return ranges


def command_ranges(env: SurefootEnv) -> tuple[bridge.Interval, ...]:
    """Return what each component of the command is trained for, in the order of :data:`COMMANDS`.

    A task without a velocity command asks for none: its ranges are 0 to 0.
    """
    command = velocity_command(env.cfg)
    if command is None:
        return (bridge.Interval(0.0, 0.0),) * len(COMMANDS)
    ranges = command.ranges
    return tuple(bridge.Interval(*getattr(ranges, name)) for name in ("lin_vel_x", "lin_vel_y", "ang_vel_z"))


def robot_part(spec: RobotSpec) -> bridge.RobotPart:
    """Return what a contract says of a robot, each list in the policy's order."""
    diagonal = tuple(spec.foot_diagonal[foot] for foot in spec.foot_bodies) if spec.foot_diagonal else None
    return bridge.RobotPart(
        name=spec.name,
        revision=spec.revision,
        kind=spec.kind,
        joint_names=spec.joint_names,
        sdk_joint_names=spec.sdk_joint_names,
        foot_names=spec.foot_bodies,
        mirror_foot_names=tuple(spec.foot_mirror[foot] for foot in spec.foot_bodies),
        diagonal_foot_names=diagonal,
        default_joint_pos_rad=spec.joint_values("default_joint_pos"),
        imu=bridge.ImuPart(spec.imu.body, "x_forward_y_left_z_up", spec.imu.pos_m, spec.imu.quat_wxyz),
    )


def handling_part(spec: RobotSpec) -> bridge.HandlingPart:
    """Return how a robot is held without its policy, each list in the policy's order."""
    handling = spec.handling

    def ordered(by_joint: Mapping[str, float]) -> tuple[float, ...]:
        return tuple(by_joint[joint] for joint in spec.joint_names)

    return bridge.HandlingPart(
        stand_rad=ordered(handling.stand_rad),
        sit_rad=ordered(handling.sit_rad),
        crouch_rad=ordered(handling.crouch_rad),
        stand_s=handling.stand_s,
        sit_s=handling.sit_s,
        crouch_s=handling.crouch_s,
        stiffness_nm_per_rad=ordered(handling.stiffness_nm_per_rad),
        damping_nms_per_rad=ordered(handling.damping_nms_per_rad),
        damped_nms_per_rad=(handling.damped_nms_per_rad,) * spec.num_joints,
        rests_without_gantry=handling.rests_without_gantry,
        passive_needs=handling.passive_needs,
    )


def _safety(spec: RobotSpec, target_rate_limit_rad_s: tuple[float, ...]) -> bridge.SafetyPart:
    lower, upper = spec.joint_values("lower_limit_rad"), spec.joint_values("upper_limit_rad")
    return bridge.SafetyPart(
        joint_pos_limit_rad=tuple(bridge.Interval(*ends) for ends in zip(lower, upper, strict=True)),
        joint_vel_limit_rad_s=spec.joint_values("velocity_limit_rad_s"),
        torque_limit_nm=spec.joint_values("effort_limit_nm"),
        target_rate_limit_rad_s=target_rate_limit_rad_s,
        tilt_limit_rad=TILT_LIMIT_RAD,
        motor_temperature_limit_c=spec.interface.motor_temperature_limit_c,
    )
