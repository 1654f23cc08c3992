"""For each rule of the safety layer that does not damp the robot: a fault that makes it act in a walk."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import unknown_name
from surefoot_bridge.robots import ALARMS
from surefoot_bridge.state import RobotState, each

from .moment import Moment

Spoil = Callable[[np.ndarray, float], np.ndarray]
"""Changes an action or a command, given for how long the fault has been on [s]."""

LONG_S = 2.0
"""Longer than any grace, any hold and the way from walking to a stand."""

_BURST_S, _EVERY_S = 0.08, 0.5
"""Reports that cannot be trusted for 0.1 s in a row damp the robot; what stays below that comes again and again."""


@dataclass(frozen=True)
class RuleFault:
    """A fault that makes a rule act.

    Attributes:
        rule: Name of the rule.
        what: What happens, in one sentence.
        lasts_s: From the beginning of the fault to its end [s].
        changes: Changes what the controller is given in a tick while the fault is on; None where it spoils something.
        spoils: What it spoils.
        spoil: How.
        burst_s: How long it is on at a time [s].
        every_s: From the beginning of one time to that of the next [s].
    """

    rule: str
    what: str
    lasts_s: float
    changes: Callable[[Moment], None] | None = None
    spoils: Literal["", "action", "command"] = ""
    spoil: Spoil | None = None
    burst_s: float = math.inf
    every_s: float = math.inf

    def burst(self, passed_s: float) -> int | None:
        """Return which time it is on; None while it is off.

        Args:
            passed_s: Time since it began [s].
        """
        if not 0.0 <= passed_s < self.lasts_s - 1e-9:
            return None
        number = 0 if math.isinf(self.every_s) else int(passed_s / self.every_s + 1e-9)
        return number if math.isinf(self.every_s) or passed_s - number * self.every_s < self.burst_s - 1e-9 else None


def _report(moment: Moment, **fields: Any) -> None:
    moment.report = replace(moment.report, **fields)


def _inputs(moment: Moment, **fields: Any) -> None:
    moment.inputs = moment.inputs._replace(**fields)


def _like(moment: Moment, value: float) -> np.ndarray:
    return np.full(moment.report.time_s.shape, value)


def _policy_fails(moment: Moment) -> None:
    moment.policy_fails = True


def _operator_silent(moment: Moment) -> None:
    _inputs(moment, operator_age_s=_like(moment, moment.passed_s))


def _velocity_huge(moment: Moment) -> None:
    _inputs(moment, velocity_command=1000.0 * np.sign(moment.inputs.velocity_command + 1e-9))


def _battery_low(moment: Moment) -> None:
    _report(moment, battery_share=_like(moment, 0.05))


def _not_finite(moment: Moment) -> None:
    q = moment.report.joint_pos_rad.copy()
    q[..., 0] = np.nan
    _report(moment, joint_pos_rad=q)


def _quaternion(moment: Moment) -> None:
    _report(moment, imu_quat_wxyz=1.2 * moment.report.imu_quat_wxyz)


def _wrong_crc(moment: Moment) -> None:
    _inputs(moment, wrong_crc=_like(moment, 1.0) > 0.0)


def _first_of(moment: Moment) -> RobotState:
    """Return the report with which this time of the fault began."""
    if moment.kept.get("burst") != moment.burst:
        moment.kept.update(burst=moment.burst, first=each(moment.report, np.copy), since_s=moment.time_s)
    first: RobotState = moment.kept["first"]
    return first


def _repeated(moment: Moment) -> None:
    moment.report = _first_of(moment)


def _older(moment: Moment) -> None:
    first = _first_of(moment)
    moment.report = replace(first, sequence=first.sequence - 2)  # the last one has the number before the first


def _stale(moment: Moment) -> None:
    moment.report = _first_of(moment)
    _inputs(moment, report_age_s=_like(moment, moment.time_s - moment.kept["since_s"]))


def _imu_frozen(moment: Moment) -> None:
    first = _first_of(moment)
    _report(
        moment,
        imu_quat_wxyz=first.imu_quat_wxyz,
        imu_ang_vel_rad_s=first.imu_ang_vel_rad_s,
        imu_lin_acc_m_s2=first.imu_lin_acc_m_s2,
    )


def _alarm(name: str, what: str) -> RuleFault:
    raised = np.array([name == other for other in ALARMS])
    return RuleFault(name, what, LONG_S, lambda moment: _inputs(moment, alarms=raised))


def _slow_policy(moment: Moment) -> None:
    """Every policy step takes 60 ms: no tick in that time, and the first one after it is late by as much."""
    period_s = moment.kept["tick_s"]
    free_s = moment.kept.setdefault("free_s", moment.time_s)
    if moment.kept.pop("asked", False):
        free_s = moment.kept["free_s"] = moment.time_s - period_s + _SLOW_S
        moment.kept["late_s"] = _SLOW_S - period_s
    if moment.time_s < free_s - 1e-9:
        moment.misses = True
    elif moment.kept.pop("late_s", None) is not None:
        _inputs(moment, lateness_s=_like(moment, _SLOW_S - period_s))


_SLOW_S = 0.06


def _one_not_a_number(numbers: np.ndarray, passed_s: float) -> np.ndarray:
    del passed_s
    numbers[..., 0] = np.nan
    return numbers


def _too_large(numbers: np.ndarray, passed_s: float) -> np.ndarray:
    del passed_s
    return 1e6 * numbers


def _pulled(rad: float) -> Spoil:
    def spoil(command: np.ndarray, passed_s: float) -> np.ndarray:
        del passed_s
        command[..., 0] += rad
        return command

    return spoil


def _at(rad: float) -> Spoil:
    def spoil(command: np.ndarray, passed_s: float) -> np.ndarray:
        del passed_s
        command[..., 0] = rad
        return command

    return spoil


def _shaken(command: np.ndarray, passed_s: float) -> np.ndarray:
    command[..., 0] += 0.6 if int(passed_s / 0.002 + 0.5) % 2 else -0.6
    return command


def rule_faults(contract: Contract) -> dict[str, RuleFault]:
    """Return the fault of each rule that does not damp a contract's robot, by the rule's name."""
    hot_c = contract.safety.motor_temperature_limit_c

    def motor_warm(moment: Moment) -> None:
        temperature = moment.report.motor_temperature_c.copy()
        temperature[..., 0] = hot_c - 5.0
        _report(moment, motor_temperature_c=temperature)

    listed = (
        RuleFault("action_not_finite", "An action is not a number.", LONG_S, spoils="action", spoil=_one_not_a_number),
        RuleFault("action_range", "Actions are a million times too large.", LONG_S, spoils="action", spoil=_too_large),
        RuleFault("policy_failed", "The policy raises an exception.", LONG_S, _policy_fails),
        RuleFault("velocity_command", "The velocity command is a thousand times too large.", LONG_S, _velocity_huge),
        RuleFault("operator_lost", "The operator's heartbeat stays away.", LONG_S, _operator_silent),
        RuleFault(
            "command_not_finite",
            "The target of a joint is not a number.",
            LONG_S,
            spoils="command",
            spoil=_one_not_a_number,
            burst_s=_BURST_S,
            every_s=_EVERY_S,
        ),
        RuleFault(
            "command_far",
            "The target of a joint is 10 rad away.",
            LONG_S,
            spoils="command",
            spoil=_pulled(10.0),
        ),
        RuleFault(
            "command_range",
            "The target of a joint is 0.3 rad beyond its range.",
            LONG_S,
            spoils="command",
            spoil=_at(contract.safety.joint_pos_limit_rad[contract.sdk_order[0]].high + 0.3),
        ),
        RuleFault(
            "target_rate",
            "The target of a joint goes back and forth by 1.2 rad at every tick.",
            LONG_S,
            spoils="command",
            spoil=_shaken,
        ),
        RuleFault(
            "torque_asked",
            "The target of a joint is 2 rad away.",
            LONG_S,
            spoils="command",
            spoil=_pulled(2.0),
        ),
        RuleFault("motor_warm", "A motor is 5 K below where it must rest.", LONG_S, motor_warm),
        RuleFault("battery_low", "The battery is almost empty.", 2.0 + LONG_S, _battery_low),
        RuleFault(
            "report_not_finite",
            "A joint position is not a number.",
            LONG_S,
            _not_finite,
            burst_s=_BURST_S,
            every_s=_EVERY_S,
        ),
        RuleFault(
            "report_quaternion",
            "The IMU's quaternion is of length 1.2.",
            LONG_S,
            _quaternion,
            burst_s=_BURST_S,
            every_s=_EVERY_S,
        ),
        RuleFault(
            "report_crc", "Reports have wrong checksums.", LONG_S, _wrong_crc, burst_s=_BURST_S, every_s=_EVERY_S
        ),
        RuleFault(
            "report_order",
            "A report that is older than the last one comes again and again.",
            LONG_S,
            _older,
            burst_s=_BURST_S,
            every_s=_EVERY_S,
        ),
        RuleFault(
            "report_repeated",
            "The same report comes again and again.",
            LONG_S,
            _repeated,
            burst_s=_BURST_S,
            every_s=_EVERY_S,
        ),
        RuleFault(
            "sensor_frozen",
            "The IMU measures the same over and over.",
            LONG_S,
            _imu_frozen,
            burst_s=0.12,
            every_s=_EVERY_S,
        ),
        RuleFault("report_stale", "No report comes.", LONG_S, _stale, burst_s=_BURST_S, every_s=_EVERY_S),
        RuleFault(
            "clock_back",
            "The robot's clock jumps 0.3 s back and ahead again, over and over.",  # from 0.5 s on it would be damped
            LONG_S,
            lambda m: _report(m, time_s=m.report.time_s - 0.3),
            burst_s=0.25,
            every_s=_EVERY_S,
        ),
        _alarm("robot_clock_rate", "The robot's clock runs at another rate."),
        _alarm("motor_fault", "A motor reports a fault."),
        _alarm("motor_link", "Messages of a motor are lost."),
        _alarm("battery_silent", "The battery reports no more."),
        RuleFault("deadline", "Every step of the policy takes 60 ms.", LONG_S, _slow_policy),
    )
    return {fault.rule: fault for fault in listed}


def fault_of_rule(contract: Contract, rule: str) -> RuleFault:
    """Return the fault that makes a rule act.

    Raises:
        SurefootError: If there is none.
    """
    faults = rule_faults(contract)
    if rule not in faults:
        raise unknown_name("rule with a fault", rule, faults)
    return faults[rule]
