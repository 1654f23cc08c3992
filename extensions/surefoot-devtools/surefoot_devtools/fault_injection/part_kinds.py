"""Faults of policy, operator and clock that are no single exception: late, restless, contradictory, one-sided.

A kind is declared once: its :class:`~surefoot_devtools.fault_injection.fault.Fault` and what it does stand together.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from surefoot_bridge.operators import OperatorInput
from surefoot_bridge.safety import Response
from surefoot_bridge.state import Request

from .fault import AT_ONCE_S, LONG_S, Fault, harmless

_HELD_ACTION, _SWUNG_ACTION = 10.0, 5.0
_BEHIND_STEPS = 3
_SLOWEST_S = 0.015
_FLIP_S = 0.05
_PRESSED_S = 0.05
_AT_REST_S = 6.0  # to stop walking, stand and sit down
_BEAT_S = 0.4  # just below the age from which an operator is lost


class Answering(NamedTuple):
    """What a policy's fault may look at.

    Attributes:
        action: The policy's answer.
        past: Its answers before, the newest last; one at least.
        number: How many answers have been spoilt so far.
        generator: Draws what is random.
        spend: Lets time pass [s].
    """

    action: np.ndarray
    past: tuple[np.ndarray, ...]
    number: int
    generator: np.random.Generator
    spend: Callable[[float], None]


class Wishing(NamedTuple):
    """What an operator's fault may look at.

    Attributes:
        wish: What the operator wants.
        passed_s: Since the fault began [s].
        begun_s: Heartbeat when it began [s].
    """

    wish: OperatorInput
    passed_s: float
    begun_s: float


def _asked(wishing: Wishing, *requests: tuple[float, Request]) -> OperatorInput:
    """Return the wish with the last request that is due [s], held as long as a key is pressed."""
    due = [request for at_s, request in requests if at_s <= wishing.passed_s < at_s + _PRESSED_S]
    return replace(wishing.wish, request=due[-1] if due else Request.KEEP)


def _took(answering: Answering) -> np.ndarray:
    answering.spend(answering.generator.uniform(0.0, _SLOWEST_S))
    return answering.action


ANSWERS: dict[str, Callable[[Answering], Any]] = {
    "policy_constant": lambda a: np.zeros_like(a.action),
    "policy_behind": lambda a: a.past[-min(_BEHIND_STEPS, len(a.past))],
    "policy_reversed": lambda a: -a.action,
    "policy_one_sided": lambda a: np.full_like(a.action, _HELD_ACTION),
    "policy_swings": lambda a: np.full_like(a.action, _SWUNG_ACTION * (-1.0) ** a.number),
    "policy_none": lambda _: None,
    "policy_jitters": _took,
}
"""What each kind makes of a policy's answer."""

WISHES: dict[str, Callable[[Wishing], OperatorInput]] = {
    "operator_taps_stop": lambda w: replace(w.wish, stop=True),
    "operator_stops_and_releases": lambda w: replace(w.wish, stop=True, release=True),
    "operator_releases": lambda w: replace(w.wish, release=True),
    "operator_flips": lambda w: replace(
        w.wish, request=Request.STAND if int(w.passed_s / _FLIP_S) % 2 == 0 else Request.WALK
    ),
    "operator_stand_passive": lambda w: _asked(w, (0.0, Request.STAND), (0.3, Request.PASSIVE)),
    "operator_sit_passive": lambda w: _asked(w, (0.0, Request.SIT), (0.1, Request.PASSIVE)),
    "operator_passive": lambda w: _asked(w, (0.0, Request.PASSIVE)),
    "operator_insists": lambda w: replace(w.wish, request=Request.WALK),
    "operator_stutters": lambda w: replace(w.wish, heartbeat_s=w.begun_s + w.passed_s // _BEAT_S * _BEAT_S),
    "operator_heartbeat_nan": lambda w: replace(w.wish, heartbeat_s=float("nan")),
    "operator_short": lambda w: replace(w.wish, velocity_command=w.wish.velocity_command[:-1]),
}
"""What each kind makes of an operator's wish."""

STALLS: dict[str, tuple[float, float]] = {
    "loop_suspended": (5.0, 0.0),
    "loop_stutters": (0.015, 0.1),
    "loop_jitters": (0.008, 0.002),
}
"""Of kinds of the clock: for how long the loop is held up [s], and again after how long [s]; 0 for once."""

RANDOM_STALLS = ("loop_jitters",)
"""Those of which the time is the longest of a random one."""

CREEPS_BACK_S = 0.003
"""By how much the clock goes back in ``loop_clock_creeps``, every 0.1 s [s]."""

PART_KINDS: tuple[Fault, ...] = (
    # The policy.
    harmless("policy_constant", "The policy answers zeros.", "policy", walking_only=True),
    harmless("policy_behind", "The policy's answers are 60 ms behind.", "policy", walking_only=True),
    harmless("policy_reversed", "The policy's answers have the wrong sign.", "policy", walking_only=True),
    Fault("policy_one_sided", "The policy answers the end of its range for every joint.", "policy", ("command_far",),
          Response.HOLD, AT_ONCE_S, LONG_S, walking_only=True),
    Fault("policy_swings", "The policy's answers swing from end to end.", "policy",
          ("command_range", "target_rate", "torque_asked"), Response.STAND, 2 * AT_ONCE_S, LONG_S, walking_only=True),
    Fault("policy_none", "The policy answers nothing.", "policy", ("policy_failed",), Response.HOLD, AT_ONCE_S, LONG_S,
          walking_only=True),
    harmless("policy_jitters", "The policy takes up to 15 ms.", "policy", walking_only=True),
    # The operator.
    Fault("operator_taps_stop", "The operator's stop is seen in one reading only.", "operator", ("operator_stop",),
          Response.DAMP, AT_ONCE_S, 0.002),
    Fault("operator_stops_and_releases", "The operator stops and releases the robot at once.", "operator",
          ("operator_stop",), Response.DAMP, AT_ONCE_S, LONG_S),
    harmless("operator_releases", "The operator releases a robot that needs none at every reading.", "operator"),
    harmless("operator_flips", "The operator asks to stand and to walk in turn, every 50 ms.", "operator"),
    harmless("operator_stand_passive", "The operator asks to stand and 0.3 s later to be passive.", "operator",
             within_s=_AT_REST_S, duration_s=_AT_REST_S, walking_only=True),
    harmless("operator_sit_passive", "The operator asks to sit and 0.1 s later to be passive.", "operator",
             within_s=_AT_REST_S, duration_s=_AT_REST_S, walking_only=True),
    harmless("operator_passive", "The operator asks a walking robot to be passive.", "operator",
             within_s=_AT_REST_S, duration_s=_AT_REST_S, walking_only=True),
    harmless("operator_insists", "The operator asks to walk at every reading.", "operator"),
    harmless("operator_stutters", "The operator's heartbeat comes every 0.4 s only.", "operator"),
    Fault("operator_heartbeat_nan", "The operator's heartbeat is not a number.", "operator", ("operator_lost",),
          Response.STOP, AT_ONCE_S, LONG_S),
    Fault("operator_short", "A velocity command has one number too few.", "operator", (), Response.DAMP, AT_ONCE_S,
          LONG_S),
    # The loop's time.
    Fault("loop_suspended", "The loop's computer sleeps for 5 s.", "clock", ("deadline", "clock_jump"), Response.DAMP,
          5.0 + AT_ONCE_S, 0.002),
    harmless("loop_stutters", "The loop is held up for 15 ms, every 0.1 s.", "clock"),
    harmless("loop_jitters", "The loop is held up for up to 8 ms, again and again.", "clock"),
    # A tick of 2 ms that is a millisecond late cannot see 3 ms: the next step back is due to be seen.
    Fault("loop_clock_creeps", "The loop's clock goes back by 3 ms, every 0.1 s.", "clock", ("clock_back",),
          Response.HOLD, 0.2 + AT_ONCE_S, LONG_S),
)  # fmt: skip
"""The kinds of this module."""
