"""An evaluation as tables of Weights & Biases."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from surefoot.evaluation.judging.gate import GateVerdict
from surefoot.evaluation.measure_catalogue import MEASURES
from surefoot.evaluation.results.result import Evaluation
from surefoot.evaluation.statistics import median_interval

PREFIX = "Evaluation"
"""Of all keys, as the training's metrics have theirs."""


class Rows(NamedTuple):
    """A table: names of its columns, and its rows."""

    columns: list[str | int]
    rows: list[list[Any]]


def tables(evaluation: Evaluation, verdict: GateVerdict) -> dict[str, Rows]:
    """Return scenarios, measures and trials as tables, by name.

    Args:
        evaluation: The evaluation.
        verdict: What the gate, or the suite's own thresholds, say of it.
    """
    scenarios, measures, trials = [], [], []
    for outcome in evaluation.outcomes:
        name, engine, row = outcome.scenario, outcome.engine, verdict.of(outcome.scenario, outcome.engine)
        rate = outcome.successes / outcome.trials if outcome.trials else None
        scenarios.append([
            name, engine, row.judgement, rate, row.interval.low, row.interval.high, row.threshold, outcome.successes,
            outcome.trials, " ".join(outcome.notes) or outcome.error,
        ])  # fmt: skip
        for measure, about in MEASURES.items():
            values = [trial.measures[measure] for trial in outcome.outcomes if measure in trial.measures]
            if values:
                low, high = median_interval(values) or (None, None)
                measures.append([name, engine, measure, about.unit, float(np.median(values)), low, high, len(values)])
        trials += [[name, engine, trial.number, trial.success, trial.reason] for trial in outcome.outcomes]
    return {
        f"{PREFIX}/scenarios": Rows(
            [
                "scenario",
                "engine",
                "verdict",
                "success_rate",
                "low",
                "high",
                "threshold",
                "successes",
                "trials",
                "notes",
            ],
            scenarios,
        ),
        f"{PREFIX}/measures": Rows(
            ["scenario", "engine", "measure", "unit", "median", "low", "high", "trials"], measures
        ),
        f"{PREFIX}/trials": Rows(["scenario", "engine", "number", "success", "reason"], trials),
    }


def log_evaluation(run: Any, evaluation: Evaluation, verdict: GateVerdict) -> None:
    """Send an evaluation to a run of Weights & Biases: the tables, and each success rate in its summary.

    Of searches over levels the summary has what they found.

    Args:
        run: What ``wandb.init`` returned.
        evaluation: The evaluation.
        verdict: What the gate, or the suite's own thresholds, say of it.
    """
    import wandb

    found = tables(evaluation.judged, verdict)
    run.log({name: wandb.Table(columns=[*table.columns], data=table.rows) for name, table in found.items()})
    for outcome in evaluation.outcomes:
        place = f"{PREFIX}/{outcome.engine}/{outcome.scenario}"
        if outcome.figure is not None:
            run.summary[f"{place}/figure"] = outcome.figure
        elif outcome.half_at is not None:
            run.summary[f"{place}/half_at"] = outcome.half_at
        elif outcome.trials and not outcome.is_search:
            run.summary[f"{place}/success_rate"] = outcome.successes / outcome.trials
    run.summary[f"{PREFIX}/passed"] = verdict.passed
