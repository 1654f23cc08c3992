"""What a fault is, and the times that follow from the safety rules."""

from dataclasses import dataclass
from typing import Literal

from surefoot_bridge.safety import Response

Where = Literal["robot", "policy", "operator", "clock", "process"]

NOTICE_S = 0.024
"""A control period of 20 ms and two ticks of 2 ms, in which what has gone wrong is noticed [s]."""

AT_ONCE_S = NOTICE_S
"""Until a rule without a grace has acted [s]."""

LOST = ("report_lost", "report_stale")
"""Rules that act on reports that stay away."""

LOST_S = 0.1 + NOTICE_S
"""Until a robot without reports that can be trusted is damped [s]: ``lost_report_grace_s``, and noticing it."""

LONG_S = 1.5
"""Longer than any grace but that of the battery [s]."""


@dataclass(frozen=True)
class Fault:
    """One kind of fault.

    Attributes:
        name: Its name.
        what: What it does, in one sentence.
        where: Which part is faulty.
        rules: Rules of which one at least must act; none where the robot may go on.
        safe: Least response that makes the robot safe; :attr:`Response.NONE` where it may go on, as long as it is
            damped should it fall.
        within_s: Time from the beginning of the fault in which it must be given [s].
        duration_s: How long the fault lasts [s].
        walking_only: Whether it concerns a walking robot only.
        before_walking: Whether it is there from the start, and must keep the robot from walking.
    """

    name: str
    what: str
    where: Where
    rules: tuple[str, ...]
    safe: Response
    within_s: float
    duration_s: float
    walking_only: bool = False
    before_walking: bool = False


def harmless(
    name: str,
    what: str,
    where: Where,
    *,
    within_s: float = LONG_S,
    duration_s: float = LONG_S,
    walking_only: bool = False,
) -> Fault:
    """Return a fault with which the robot may go on, as long as it is damped should it fall.

    It is watched for ``within_s``.
    """
    return Fault(name, what, where, (), Response.NONE, within_s, duration_s, walking_only)
