"""Reward terms: the functions of :mod:`surefoot_rewards` on the state of an environment.

Each function there is a term here under its own name, ``rewards.foot_slip``: an argument's name says what it is given,
by the tables of :mod:`surefoot.envs.fused.inputs`, and what they do not know is a parameter of the term. So a new
reward is a function and a line of a task's configuration. All of a task's are computed in one kernel.

A term of one's own may also be any function of the environment that returns (num_envs,), in torch; each of its
operations is a launch more in every control step, which ``python scripts/benchmark.py launches`` counts.
"""

from __future__ import annotations

from functools import cache

from surefoot.envs.fused.rewards import RewardTerm
from surefoot.envs.fused.term import RobotTerm, make_term
from surefoot_rewards import TERMS


def __getattr__(name: str) -> type[RobotTerm]:
    """Return the term of a function of :mod:`surefoot_rewards`."""
    if name not in TERMS:
        raise AttributeError(f"module {__name__!r} has no term {name!r}; its functions are {', '.join(sorted(TERMS))}")
    return _term_of(name)


@cache
def _term_of(name: str) -> type[RobotTerm]:
    return make_term(RewardTerm, TERMS[name], __name__)
