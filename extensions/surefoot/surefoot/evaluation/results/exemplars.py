"""The two trials of a scenario that a report shows: the one in the middle, and the worst."""

from __future__ import annotations

import math
from pathlib import Path

from surefoot.evaluation.trials.outcome import ScenarioOutcome, TrialOutcome
from surefoot_bridge.errors import SurefootError

MEDIAN, WORST = "median", "worst"
_TRACKING = ("rms_vx_error", "rms_vy_error", "rms_yaw_rate_error")


def ranked(outcomes: tuple[TrialOutcome, ...]) -> list[TrialOutcome]:
    """Return trials from the best to the worst: successes first, by tracking error; then failures, late falls first."""

    def key(outcome: TrialOutcome) -> tuple[bool, float, float, int]:
        measures = outcome.measures
        fall_s = measures.get("time_to_fall_s", math.inf)
        error = math.hypot(*(measures.get(name, 0.0) for name in _TRACKING))
        return not outcome.success, -fall_s, error, outcome.number

    return sorted(outcomes, key=key)


def exemplars(outcome: ScenarioOutcome) -> dict[str, int]:
    """Return the numbers of the trials that are shown, by role; none where none ran."""
    order = ranked(outcome.outcomes)
    return {MEDIAN: order[(len(order) - 1) // 2].number, WORST: order[-1].number} if order else {}


def keep_exemplars(folder: Path, outcome: ScenarioOutcome) -> None:
    """Keep the recordings of the trials that are shown as ``median.npz`` and ``worst.npz``; delete all others.

    Args:
        folder: Where each trial's recording is, as ``<number>.npz``.
        outcome: What came of the scenario.
    """
    try:
        recorded = {int(path.stem): path for path in folder.glob("*.npz") if path.stem.isdigit()}
        for role, number in exemplars(outcome).items():
            if number in recorded:
                (folder / f"{role}.npz").write_bytes(recorded[number].read_bytes())
        for path in recorded.values():
            path.unlink()
    except OSError as error:
        raise SurefootError(f"Cannot keep recordings in {folder}: {error.strerror or error}.") from error
