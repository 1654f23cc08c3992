"""What a number of trials says: rates, medians and their differences with intervals, and verdicts that are certain.

Nothing here approximates what can be had exactly, and nothing draws a number that is not seeded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np

from surefoot_bridge.errors import SurefootError

CONFIDENCE = 0.95
"""Of every interval in a report: two-sided."""

RESAMPLES = 4000
"""Of a bootstrap: the ends of its interval then differ from seed to seed by a few hundredths of its length."""

Verdict = Literal["pass", "fail"]


class Interval(NamedTuple):
    """Where a number lies, with a confidence."""

    low: float
    high: float


def wilson_interval(successes: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the interval of a success rate (Wilson, JASA 1927, the score interval), within [0, 1].

    ``(p + z^2/2n +- z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n)`` for the rate ``p`` of ``n`` trials and the normal
    quantile ``z``. Without trials it is [0, 1].

    Args:
        successes: Number of trials that succeeded.
        trials: Number of all.
        confidence: Confidence, two-sided.

    Raises:
        SurefootError: If the counts are impossible.
    """
    if not 0 <= successes <= trials:
        raise SurefootError(f"{successes} successes of {trials} trials: successes must be from 0 to the trials.")
    if trials == 0:
        return Interval(0.0, 1.0)
    z = _quantile(confidence)
    rate = successes / trials
    scale = 1.0 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / scale
    half = z * math.sqrt(rate * (1.0 - rate) / trials + z * z / (4 * trials * trials)) / scale
    # The ends of certain rates are exact; rounding would leave 1e-17 beside them.
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == trials else centre + half
    return Interval(low, high)


def rate_interval(successes: int, trials: int, planned: int) -> Interval:
    """Return the interval of the success rate of a scenario that ended because its verdict was certain.

    Trials that stop at a moment that their outcomes choose are no sample of a fixed size: Wilson's interval of those
    that ran would promise too much. This one holds all intervals that the planned trials could have led to: its low
    end is Wilson's if all that did not run had failed, its high end if all had succeeded.

    Args:
        successes: Number of trials that succeeded.
        trials: Number of those that ran.
        planned: Number of those that were planned, at least ``trials``.
    """
    left = planned - trials
    return Interval(wilson_interval(successes, planned).low, wilson_interval(successes + left, planned).high)


def fewest_successes(planned: int, threshold: float) -> int | None:
    """Return how many of the planned trials put the lower bound above a threshold; None if all of them do not."""
    low, high = 0, planned + 1  # the lower bound grows with the successes
    while low < high:
        middle = (low + high) // 2
        if middle > planned or wilson_interval(middle, planned).low > threshold:
            high = middle
        else:
            low = middle + 1
    return low if low <= planned else None


def fewest_trials(threshold: float) -> int:
    """Return how many trials a threshold needs: with fewer, the lower bound stays below it if all succeed."""
    z = _quantile(CONFIDENCE)
    trials = max(1, math.floor(z * z * threshold / (1.0 - threshold)))  # n / (n + z^2) is the bound of n of n
    while wilson_interval(trials, trials).low <= threshold:
        trials += 1
    return trials


def certain_verdict(successes: int, failures: int, planned: int, threshold: float) -> Verdict | None:
    """Return the verdict on a scenario as soon as no outcome of its remaining trials can change it.

    A scenario passes if the lower end of Wilson's interval of all planned trials is above the threshold. That is
    decided once it would be if all remaining trials failed, or would not be if all succeeded: exact, not a test with an
    error of its own. A sequential probability ratio test (Wald, 1945) would often end earlier, but its verdict can
    differ from that of all planned trials, and a gate must not depend on when it stopped; so there is none here.

    Args:
        successes: Trials that succeeded so far.
        failures: Trials that failed so far.
        planned: Trials that are planned in all.
        threshold: What the lower bound must exceed.

    Returns:
        ``pass``, ``fail``, or None while it is open.

    Raises:
        SurefootError: If more trials ran than were planned.
    """
    left = planned - successes - failures
    if left < 0 or successes < 0 or failures < 0:
        raise SurefootError(f"{successes} successes and {failures} failures are no part of {planned} planned trials.")
    if wilson_interval(successes, planned).low > threshold:
        return "pass"
    if wilson_interval(successes + left, planned).low <= threshold:
        return "fail"
    return None


def newcombe_interval(
    successes: int, trials: int, other_successes: int, other_trials: int, confidence: float = CONFIDENCE
) -> Interval:
    """Return the interval of the difference of two independent success rates, first less second.

    Newcombe, Statistics in Medicine 1998, 17, 873-890, method 10: both Wilson intervals, added in squares.

    Raises:
        SurefootError: If there are no trials on either side, or counts are impossible.
    """
    if trials == 0 or other_trials == 0:
        raise SurefootError(f"A difference of rates needs trials on both sides, not {trials} and {other_trials}.")
    rate, other_rate = successes / trials, other_successes / other_trials
    low, high = wilson_interval(successes, trials, confidence)
    other_low, other_high = wilson_interval(other_successes, other_trials, confidence)
    difference = rate - other_rate
    return Interval(
        difference - math.hypot(rate - low, other_high - other_rate),
        difference + math.hypot(high - rate, other_rate - other_low),
    )


def median_interval(values: Sequence[float] | np.ndarray) -> Interval | None:
    """Return an interval of the median that two values of the sample span, whatever their distribution.

    The k-th smallest and k-th largest of n values hold the median between them unless fewer than k of them lie on one
    of its sides, of which each has the binomial probability P(B(n, 1/2) < k). The largest k is taken that keeps
    :data:`CONFIDENCE` (David and Nagaraja, Order Statistics, 2003, 7.1).

    Args:
        values: The sample, (n,).

    Returns:
        The interval; None where the sample is too small for one (fewer than 6 values at 0.95).
    """
    ordered = np.sort(_sample(values))
    number = len(ordered)
    tail, rank = 0, 0
    while rank < number // 2:
        tail += math.comb(number, rank)
        if 2 * tail / 2**number > 1.0 - CONFIDENCE:
            break
        rank += 1
    return None if rank == 0 else Interval(float(ordered[rank - 1]), float(ordered[number - rank]))


def median_difference_interval(
    values: Sequence[float] | np.ndarray, other_values: Sequence[float] | np.ndarray, *, seed: int
) -> Interval:
    """Return the interval of the difference of two medians, first less second, by a bootstrap of percentiles.

    :data:`RESAMPLES` pairs of samples are drawn with replacement (Efron and Tibshirani, An Introduction to the
    Bootstrap, 1993, 13.3); the same seed gives the same interval.

    Args:
        values: A sample, (n,).
        other_values: An independent sample, (m,).
        seed: Seed of the resampling.

    Raises:
        SurefootError: If a sample is empty or not finite.
    """
    generator = np.random.Generator(np.random.Philox(seed))
    medians = []
    for sample in (_sample(values), _sample(other_values)):
        if len(sample) == 0:
            raise SurefootError("A difference of medians needs values on both sides.")
        chosen = generator.integers(0, len(sample), size=(RESAMPLES, len(sample)))
        medians.append(np.median(sample[chosen], axis=1))
    low, high = np.quantile(medians[0] - medians[1], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(float(low), float(high))


def _quantile(confidence: float) -> float:
    if not 0.0 < confidence < 1.0:
        raise SurefootError(f"A confidence of {confidence:g} is impossible; it must be above 0 and below 1.")
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def _sample(values: Sequence[float] | np.ndarray) -> np.ndarray:
    sample = np.asarray(values, dtype=np.float64).reshape(-1)
    if not np.isfinite(sample).all():
        raise SurefootError("A sample holds a number that is not finite; leave out what was not measured.")
    return sample
