"""Reward terms for legged locomotion: pure functions on batched tensors, without a simulator.

Each term returns its unweighted value for each environment, (num_envs,), as float. Rewards are to be maximised,
penalties (``*_l1``, ``*_l2``, limits, costs) are non-negative and take a negative weight. Inputs are never changed.
NaN in the input stays NaN in the output, for a fault guard to see; no term makes one of finite input. Parameters that
would are a ``ValueError``. In equations, ``[condition]`` is 1 where the condition holds and 0 elsewhere.

A gait matters only to a robot that is asked to move: such terms take ``moving``, a mask that the environment forms
once a step from the norm of the command.

Each public function of the families is a term, offered here under its name: a new one needs no line in this file.
"""

from collections.abc import Callable
from inspect import isfunction
from typing import Any

from surefoot_rewards import contact, effort, episode, gait, posture, tracking

TERMS: dict[str, Callable[..., Any]] = {
    name: term
    for family in (contact, effort, episode, gait, posture, tracking)
    for name, term in vars(family).items()
    if isfunction(term) and term.__module__ == family.__name__ and not name.startswith("_")
}
"""Every term by its name."""


def __getattr__(name: str) -> Callable[..., Any]:
    """Return a term."""
    if name in TERMS:
        return TERMS[name]
    raise AttributeError(f"module {__name__!r} has no term {name!r}; it has {', '.join(sorted(TERMS))}")


def __dir__() -> list[str]:
    return sorted({*globals(), *TERMS})
