"""What tripped, in words and numbers, for the log and the person in front of the robot."""

from dataclasses import dataclass, fields
from typing import Sequence, Tuple

import numpy as np

from surefoot_bridge.robots import ALARMS
from surefoot_bridge.state import COMMAND_PARTS, JointCommand
from surefoot_bridge.words import unit_of

from .rules import Response, Rule

_FLAGS = ("policy_failed", "operator_stop", "wrong_crc", "report_backwards", "report_repeated", "report_lost", "frozen")
_YES_OR_NO = (*_FLAGS, *ALARMS)  # what these look at is no number that tells a person anything


@dataclass(frozen=True)
class Event:
    """A rule that begins to act.

    Attributes:
        robot: Where in the batch, ``()`` for a single robot.
        rule: Name of the rule.
        response: What it asks for.
        time_s: When, on the loop's clock [s].
        value: What was measured or asked.
        limit: What is allowed.
        index: Which component of the measure (a joint in the order of the robot's interface, for example); the one that
            is furthest beyond its limit.
        component: Its name; empty where there is but one.
        message: One sentence for a person.
    """

    robot: Tuple[int, ...]
    rule: str
    response: Response
    time_s: float
    value: float
    limit: float
    index: int
    component: str
    message: str


def events(rules: Sequence[Rule], tripped: np.ndarray, values: np.ndarray, time_s: np.ndarray) -> Tuple[Event, ...]:
    """Return an event for each rule that tripped, robots and rules in their order.

    Args:
        rules: The rules.
        tripped: Which rules tripped, (..., num_rules), bool.
        values: What they looked at, all measures side by side, (..., num_values).
        time_s: When [s], (...,).
    """
    start = np.cumsum([0, *(len(rule.limit) for rule in rules)])
    found = []
    for *where, k in np.argwhere(tripped).tolist():
        rule, robot = rules[k], tuple(where)
        value, limit = values[robot][start[k] : start[k + 1]], np.array(rule.limit)
        with np.errstate(invalid="ignore"):
            beyond = limit - value if rule.trips in ("down_to", "below") else value - limit
        # What is no number comes first, inf - inf is at 0.
        index = int(np.argmax(np.where(value == limit, 0.0, beyond)))
        component = rule.components[index]
        words = [component, _told(rule, index, value[index])]
        told = ": ".join(word for word in words if word)
        message = f"{rule.description} {told}." if told else rule.description
        numbers = float(time_s[robot]), float(value[index]), float(limit[index])
        found.append(Event(robot, rule.name, rule.response, *numbers, index, component, message))
    return tuple(found)


def _told(rule: Rule, index: int, value: float) -> str:
    """Return what a rule looked at, in words: an excess is what is beyond a range that the description names."""
    if rule.measure in _YES_OR_NO:
        return ""
    kind, quantity = rule.measure.rpartition("excess of ")[1:]
    if quantity == "command":
        quantity = fields(JointCommand)[index * len(COMMAND_PARTS) // len(rule.limit)].name
    elif quantity == "velocity_command":
        quantity = rule.components[index]
    _, unit = unit_of(quantity)
    limit = rule.limit[index]
    shown, allowed = (f"{number:.6g} {unit}".rstrip() for number in (value, limit))
    if np.isinf(limit):
        return shown
    return f"{shown}, limit {allowed}" if not kind else f"{shown} beyond it" + (f", {allowed} allowed" if limit else "")
