"""What a policy was trained with and how it did, from the files of its run, for the contract."""

from __future__ import annotations

import json
import math
import shlex
from pathlib import Path
from typing import Any

from surefoot.learning.run_directory import RunDirectory
from surefoot.playing.run_files import TrainedPolicy
from surefoot.randomization.layout import TableLayout
from surefoot_bridge.contract import Interval, Score, TrainingPart
from surefoot_bridge.errors import SurefootError

from .contract import randomized_ranges


def training_part(trained: TrainedPolicy, layout: TableLayout, *, preset: str, iterations: int) -> TrainingPart:
    """Say what a policy was trained with.

    Args:
        trained: The checkpoint and its run.
        layout: Table of randomized parameters of its training.
        preset: Preset of the randomization.
        iterations: Iterations that the checkpoint has completed.
    """
    run = RunDirectory.open(trained.checkpoint)
    record = run.read_record()
    settings = trained.settings
    return TrainingPart(
        task=settings.task,
        engine=settings.physics,
        versions=record["versions"],
        commit=record["commit"] or "unknown",
        seed=settings.seed,
        iterations=iterations,
        preset=preset,
        ranges=randomized_ranges(layout, grown_shares(run, layout, iterations)),
    )


def grown_shares(run: RunDirectory, layout: TableLayout, iterations: int) -> dict[str, Interval]:
    """Read how far adaptive ranges had grown towards either end when an iteration was complete, by parameter.

    Raises:
        SurefootError: If the run's metrics do not reach that iteration.
    """
    lines = run.metrics.read_text(encoding="utf-8").splitlines() if run.metrics.is_file() else []
    records = [json.loads(line) for line in lines if line.endswith("}")]
    at = next((record for record in records if record["iteration"] == iterations), None)
    if at is None:
        raise SurefootError(
            f"{run.metrics} has no iteration {iterations}, which the checkpoint has completed; the ranges that it was "
            "trained with are not known. Export from a run directory with its metrics."
        )
    shares = {}
    for name in layout.first_columns:
        ends = [at.get(f"Randomization/{name}/{end}") for end in ("low", "high")]
        if None not in ends and layout.is_random(name):
            resolved = layout.range_of(name)
            grown = [
                _share(resolved.identity, declared, float(end), resolved.range.distribution)
                for declared, end in zip((resolved.low, resolved.high), ends, strict=True)
            ]
            shares[name] = Interval(min(grown), max(grown))
    return shares


def scores(folder: Path) -> tuple[Score, ...]:
    """Read the reports of ``surefoot play`` that lie in a run's folder (``play*.json``), by name."""
    found = []
    for path in sorted(folder.glob("play*.json")):
        report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        figures = {name: float(value) for name, value in report["figures"].items() if value is not None}
        episodes = int(figures.pop("episodes", len(report.get("rows", ()))))
        words = shlex.split(report["provenance"]["command"])
        preset = words[words.index("--randomization") + 1] if "--randomization" in words else "none"
        found.append(Score(report["provenance"]["engine"], preset, episodes, figures))
    return tuple(found)


def _share(identity: tuple[float, ...], declared: tuple[float, ...], end: float, distribution: str) -> float:
    """Return which share of the way from the nominal draw to the declared end an end in use has gone."""
    start, stop = identity[0], declared[0]
    if start == stop:
        return 1.0
    if distribution == "log_uniform":
        return math.log(end / start) / math.log(stop / start)
    return (end - start) / (stop - start)
