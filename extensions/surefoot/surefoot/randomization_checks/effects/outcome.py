"""What an experiment finds, and the ways to judge it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from surefoot.randomization_checks.bench import Bench


class Outcome(NamedTuple):
    """What an experiment found: how far it was from the prediction, and how far it may be."""

    value: float
    limit: float
    statement: str


Experiment = Callable[[Bench], Outcome]

LEAST_CORRELATION = 0.6
"""Rank correlation that 16 values without connection exceed once in a hundred times."""


def rises(measured: np.ndarray, statement: str) -> Outcome:
    """Expect a measure to rise from each environment to the next; the value is how many steps do not."""
    return Outcome(float((np.diff(measured) <= 0.0).sum()), 0.0, statement)


def falls(measured: np.ndarray, statement: str) -> Outcome:
    """Expect a measure to fall from each environment to the next."""
    return rises(-measured, statement)


def equals(measured: np.ndarray, predicted: np.ndarray, limit: float, statement: str) -> Outcome:
    """Expect a measure to equal a prediction; the value is the largest difference."""
    return Outcome(float(np.abs(measured - predicted).max()), limit, statement)


def correlation(measured: np.ndarray) -> float:
    """Return the rank correlation of a measure with the order of the environments."""
    ranks = np.argsort(np.argsort(measured))
    return float(np.corrcoef(ranks, np.arange(len(measured)))[0, 1])
