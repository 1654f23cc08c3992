"""What tripped, in words and numbers, for the log and the person in front of the robot."""

from dataclasses import dataclass
from typing import Sequence, Tuple

import numpy as np

from .rules import Response, Rule


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
        index = int(
            np.argmax(np.where(value == limit, 0.0, beyond))
        )  # what is no number comes first, inf - inf is at 0
        component = rule.components[index]
        told = _told(rule, value[index], limit[index])
        message = f"{rule.description} {component + ': ' if component else ''}{told}."
        found.append(
            Event(
                robot,
                rule.name,
                rule.response,
                float(time_s[robot]),
                float(value[index]),
                float(limit[index]),
                index,
                component,
                message,
            )
        )
    return tuple(found)


def _told(rule: Rule, value: float, limit: float) -> str:
    """Return what a rule looked at, in words: an excess is what is beyond a range that the description names."""
    if not rule.measure.startswith("excess of "):
        return f"{value:.6g}, limit {limit:.6g}"
    return f"{value:.6g} beyond it" + (f", {limit:.6g} allowed" if limit else "")
