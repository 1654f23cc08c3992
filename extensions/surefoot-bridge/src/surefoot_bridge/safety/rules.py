"""The rules of the safety layer, each declared once."""

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import List, Literal, Sequence, Tuple

from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import unknown_name
from surefoot_bridge.state import COMMAND_PARTS

from .frozen_sensors import sensors_of
from .limits import StageLimits


class Response(IntEnum):
    """What is done about a fault, in order of severity; arrays hold the codes as int8.

    A walking robot is not stopped by freezing its targets: in the middle of a step that topples it. The less of what
    makes it walk can be trusted, the sooner another part of the bridge brings it to a stand.
    """

    NONE = 0
    """The command leaves as it came."""
    CLAMP = 1
    """The command is brought within its limits; a doubt in it lasts for :attr:`StageLimits.longest_doubt_s` at most."""
    STOP = 2
    """The policy, which can be trusted, brings a walking robot to rest, and the robot stands."""
    HOLD = 3
    """The targets stay where they were last allowed, for as long as :attr:`StageLimits.longest_hold_s` at most."""
    STAND = 4
    """A walking robot crouches and stands without its policy, for a hold or a doubt has lasted too long."""
    DAMP = 5
    """No stiffness, damping only; nothing but the operator's release ends it."""
    ZERO = 6
    """No gain at all; nothing but the operator's release ends it."""


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        name: Name, as events and logs have it.
        measure: What it looks at, by its name in :attr:`~surefoot_bridge.safety.measures.FactFinder.columns`: whatever
            a check is given, as ``report.battery_share``, its size, as ``size of report.joint_vel_rad_s``, or its
            excess.
        trips: Where it trips: ``from`` the limit on or only ``above`` it, ``down_to`` the limit or only ``below`` it.
            What is not a number trips.
        limit: Limit of each component.
        grace_s: How long the condition must have lasted until the rule acts [s].
        response: What is done then. A hold or a doubt that lasts becomes a stand.
        components: What each number of the measure belongs to; an empty name where there is but one.
        description: What it says, in one sentence for a person.
        walking_only: Whether it acts only while the policy's command reaches the robot.
        reads_report: Whether it reads what the report measures: while a report cannot be trusted or is old, such a rule
            stays as it was, and its condition lasts no longer.
        doubted_s: For how long a trained policy may cause its condition [s]. From then on the policy is in doubt: if it
            goes on for :attr:`StageLimits.longest_doubt_s`, a walking robot stands without it, if it can. Infinite
            where its condition says nothing of the policy.
    """

    name: str
    measure: str
    trips: Literal["from", "above", "down_to", "below"]
    limit: Tuple[float, ...]
    grace_s: float
    response: Response
    components: Tuple[str, ...]
    description: str
    walking_only: bool = False
    reads_report: bool = False
    doubted_s: float = math.inf


def safety_rules(contract: Contract, limits: StageLimits, report: Tuple[str, ...]) -> Tuple[Rule, ...]:
    """Return the rules for a contract's robot in a stage, in the order in which all results have them.

    Args:
        contract: The contract.
        limits: Limits of the stage.
        report: What of a report each number is.
    """
    joints, safety = contract.robot.sdk_joint_names, contract.safety
    n = len(joints)
    parts = tuple(f"{part} of {joint}" for part in COMMAND_PARTS for joint in joints)
    clocks = ("loop", "robot")

    def sdk(numbers: Sequence[float], scale: float = 1.0) -> Tuple[float, ...]:
        return tuple(scale * numbers[i] for i in contract.sdk_order)

    # Which answer? Clamp: what is within the limits is still worth obeying, but not for longer than a trained policy
    # asks for the rest: a leg that swings may be sent a little beyond its range, and two seconds of it topple a robot.
    # Stop: report and policy are right, so the policy stops the robot better than anything else can. Hold: what makes
    # the robot walk cannot be trusted now, which a single report, step or tick often means; if it lasts the robot
    # stands without it. Damp: where the robot is or what it does is beyond standing, or not known.
    inf, hold, damp, clamp, stop = float("inf"), Response.HOLD, Response.DAMP, Response.CLAMP, Response.STOP
    hot = safety.motor_temperature_limit_c
    late = limits.late_control_periods * contract.timing.control_period_s
    torques = sdk(safety.torque_limit_nm)
    at_once, joint_s, tilt = 0.0, limits.joint_grace_s, (safety.tilt_limit_rad,)
    walking, measured = {"walking_only": True}, {"reads_report": True}
    far = (limits.far_target_rad,) * n + (0.0,) * (4 * n)  # a policy chooses targets only: the rest is never beyond
    rows: List[Rule] = [
        # What the policy and the operator ask for.
        Rule("action_not_finite", "size of action", "from", (inf,) * n, at_once, hold, joints,
             "The policy's action is not finite.", **walking),
        # Of a trained one the largest is below half of that; obeyed for 40 ms, the ends of the range topple a robot.
        Rule("action_range", "size of action", "above", (contract.action.clip_at,) * n, at_once, hold, joints,
             "The policy's action is beyond the range to which training clips it.", **walking),
        Rule("policy_failed", "policy_failed", "from", (1.0,), at_once, hold, ("",),
             "The policy gave no action.", **walking),
        Rule("velocity_command", "excess of velocity_command", "above", (0.0,) * len(contract.command.names), at_once,
             clamp, contract.command.names, "The velocity command is beyond what stage and training allow."),
        Rule("operator_stop", "operator_stop", "from", (1.0,), at_once, damp, ("",), "The operator stopped the robot."),
        # Half a second has passed already, and to stop needs nobody.
        Rule("operator_lost", "operator_age_s", "from", (limits.operator_age_s,), at_once, stop, ("",),
             "The operator's heartbeat stayed away."),
        # What the joints are told.
        Rule("command_not_finite", "size of command", "from", (inf,) * (5 * n), at_once, hold, parts,
             "The command to the joints is not finite."),
        Rule("command_far", "excess of command", "above", far, at_once, hold, parts,
             "The command to the joints is far beyond its range."),
        Rule("command_range", "excess of command", "above", (0.0,) * (5 * n), at_once, clamp, parts,
             "The command to the joints is beyond its range.", doubted_s=limits.beyond_range_s),
        Rule("target_rate", "target_rate_rad_s", "above", sdk(safety.target_rate_limit_rad_s), at_once, clamp, joints,
             "The target of a joint moves too fast.", doubted_s=at_once),
        Rule("torque_asked", "torque_asked_nm", "above", sdk(safety.torque_limit_nm, limits.torque_share), at_once,
             clamp, joints, "The command asks for more torque than the stage allows.", doubted_s=at_once),
        # What the robot measures.
        Rule("joint_position", "excess of report.joint_pos_rad", "from", (limits.position_margin_rad,) * n, joint_s,
             damp, joints, "A joint is beyond its range.", **measured),
        Rule("joint_velocity", "size of report.joint_vel_rad_s", "from", sdk(safety.joint_vel_limit_rad_s), joint_s,
             damp, joints, "A joint is too fast.", **measured),
        Rule("joint_torque", "size of report.joint_torque_nm", "from", torques, limits.torque_grace_s, damp, joints,
             "A joint's estimated torque is at its limit.", **measured),
        # A warm motor and a low battery leave minutes: the robot stops, and does not walk again before it has rested.
        Rule("motor_warm", "report.motor_temperature_c", "from", (hot - limits.temperature_margin_c,) * n,
             limits.temperature_grace_s, stop, joints, "A motor is warm: sit down and let it rest.",
             **walking, **measured),
        Rule("motor_hot", "report.motor_temperature_c", "from", (hot,) * n, limits.temperature_grace_s, damp, joints,
             "A motor is too hot.", **measured),
        Rule("tilt", "tilt_rad", "from", tilt, limits.tilt_grace_s, damp, ("",), "The base is tilted as in a fall.",
             **measured),
        Rule("fallen", "tilt_rad", "from", tilt, limits.fallen_grace_s, Response.ZERO, ("",),
             "The robot has fallen and lies.", **measured),
        Rule("free_fall", "specific_force_m_s2", "down_to", (limits.free_fall_m_s2,), limits.free_fall_grace_s, damp,
             ("",), "The robot falls freely.", **measured),
        Rule("battery_low", "report.battery_share", "down_to", (limits.lowest_battery_share,), limits.battery_grace_s,
             stop, ("",), "The battery is low: sit down and charge it.", **walking, **measured),
        # Whether what it measures can be trusted. Without any such report nobody can tell whether it stands: damped.
        Rule("report_not_finite", "size of report", "from", (inf,) * len(report), at_once, hold, report,
             "The robot's report is not finite."),
        Rule("report_quaternion", "quaternion_error", "from", (limits.quaternion_tolerance,), at_once, hold, ("",),
             "The IMU's quaternion is not of length 1."),
        Rule("report_crc", "wrong_crc", "from", (1.0,), at_once, hold, ("",), "The report's checksum is wrong."),
        # One old report among new ones says nothing new, and does no harm: the next is a tick away.
        Rule("report_order", "report_backwards", "from", (1.0,), limits.old_report_grace_s, hold, ("",),
             "The report is older than one that came before it."),
        Rule("report_repeated", "report_repeated", "from", (1.0,), limits.old_report_grace_s, hold, ("",),
             "The robot repeats its report."),
        Rule("sensor_frozen", "frozen", "from", (1.0,) * (1 + n), at_once, hold, sensors_of(contract),
             "A sensor measures the same over and over."),
        Rule("report_stale", "report_age_s", "from", (limits.report_age_s,), at_once, hold, ("",),
             "The report is old."),
        Rule("report_lost", "report_lost", "from", (1.0,), limits.lost_report_grace_s, damp, ("",),
             "There is no new report that can be trusted."),
        # What else the robot says of itself, and of who commands it.
        Rule("other_commander", "other_commander", "from", (1.0,), at_once, damp, ("",),
             "Another program commands the robot."),
        Rule("own_controller", "own_controller", "from", (1.0,), at_once, damp, ("",),
             "The robot's own controller is active."),
        Rule("other_variant", "other_variant", "from", (1.0,), at_once, damp, ("",),
             "The robot says that it is another variant."),
        Rule("robot_clock_rate", "robot_clock_rate", "from", (1.0,), limits.alarm_grace_s, stop, ("",),
             "The robot's clock runs at another rate than this computer's."),
        Rule("motor_fault", "motor_fault", "from", (1.0,), limits.alarm_grace_s, stop, ("",),
             "A motor reports a fault.", **walking),
        Rule("motor_link", "motor_link", "from", (1.0,), limits.alarm_grace_s, stop, ("",),
             "Messages of a motor are lost.", **walking),
        Rule("battery_silent", "battery_silent", "from", (1.0,), limits.alarm_grace_s, stop, ("",),
             "The battery's charge is not known any more.", **walking),
        # Time. Standing bears late ticks, the policy does not.
        Rule("clock_back", "clock_step_s", "below", (0.0, 0.0), at_once, hold, clocks, "A clock goes back."),
        Rule("clock_jump", "clock_step_s", "from", (limits.clock_step_s,) * 2, at_once, damp, clocks,
             "A clock jumps ahead (loop: this computer slept or was held up; robot: its clock was set, or no report "
             "came for as long)."),
        Rule("clock_jump_back", "clock_step_s", "below", (-limits.clock_step_s,) * 2, at_once, damp, clocks,
             "A clock jumps back (loop: this computer's clock is broken; robot: it was started anew, or its clock was "
             "set)."),
        Rule("deadline", "lateness_s", "from", (late,), at_once, hold, ("",), "The control loop is late."),
    ]  # fmt: skip
    return tuple(rows)


def rule_index(rules: Sequence[Rule], name: str) -> int:
    """Return the place of a rule.

    Raises:
        SurefootError: If there is none of this name.
    """
    names = [rule.name for rule in rules]
    if name not in names:
        raise unknown_name("safety rule", name, names)
    return names.index(name)
