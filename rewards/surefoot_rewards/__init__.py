"""Reward terms for legged locomotion: Warp functions of one robot, without a simulator.

Each term returns its unweighted value. Rewards are to be maximised, penalties (``*_l1``, ``*_l2``, limits, costs) are
non-negative and take a negative weight. NaN in the input stays NaN in the output, for a fault guard to see; no term
makes one of finite input. Parameters that would are refused by :func:`check_parameters`. In equations,
``[condition]`` is 1 where the condition holds and 0 elsewhere.

A term is given what its arguments are named after: the state of the robot and its constants, arrays for joints and
feet; what is left are its parameters, numbers. :mod:`surefoot.envs.fused` calls all terms of a task for all robots in
one kernel.

A gait matters only to a robot that is asked to move: such terms take ``moving``, which the environment forms once a
step from the norm of the command.

Each public function of the families is a term, offered here under its name: a new one needs no line in this file.
"""

from typing import Any

import warp as wp

from surefoot_rewards import contact, effort, episode, gait, posture, standing, tracking
from surefoot_rewards.parameters import check_parameters

TERMS: dict[str, wp.Function] = {
    name: term
    for family in (contact, effort, episode, gait, posture, standing, tracking)
    for name, term in vars(family).items()
    if isinstance(term, wp.Function) and term.func.__module__ == family.__name__ and not name.startswith("_")
}
"""Every term by its name."""

__all__ = ["TERMS", "check_parameters"]


def __getattr__(name: str) -> Any:
    """Return a term."""
    if name in TERMS:
        return TERMS[name]
    raise AttributeError(f"module {__name__!r} has no term {name!r}; it has {', '.join(sorted(TERMS))}")


def __dir__() -> list[str]:
    return sorted({*globals(), *TERMS})
