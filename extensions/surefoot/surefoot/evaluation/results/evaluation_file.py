"""An evaluation, and ``evaluation.json``: what a policy was proven with and what came of every trial, nothing else.

The file holds no dates, durations, machines or paths: the same bundle, suite and versions give the same bytes.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from surefoot.evaluation.scenarios.scenario import Suite
from surefoot.evaluation.trials.outcome import Grade, ScenarioOutcome, TrialOutcome, Tried
from surefoot.files import atomic_write
from surefoot.located_yaml import LocatedYaml, validated
from surefoot.schema_descriptions import add_descriptions
from surefoot.strict_model import StrictModel
from surefoot_bridge.errors import SurefootError

from .evaluation_form import SCHEMA, evaluation_data
from .json_lines import json_lines, without_infinity
from .result import Evaluation, ProvenPolicy, success_interval

DIGITS = 9
"""Significant digits of numbers: more than any measure has, and few enough that they are the same when read back."""

_AGAIN = "Verify the bundle again."


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class _Trials(_Part):
    """Trials of a scenario in an engine, a column for each thing that is known of them."""

    number: tuple[int, ...]
    seed: tuple[Annotated[str, Field(pattern="^[0-9a-f]{16}$")], ...]
    """Hexadecimal: readers that know only floating-point numbers would lose its last digits."""
    success: tuple[bool, ...]
    reason: tuple[str, ...]
    measures: dict[str, tuple[float | None, ...]]
    """By name; null for a trial that had nothing to be measured on."""
    interventions: dict[str, tuple[int, ...]] = {}
    """How many times a rule of the safety layer began to act, by its name; rules that never did are left out."""

    @model_validator(mode="after")
    def _same_length(self) -> Self:
        columns = {"seed": self.seed, "success": self.success, "reason": self.reason}
        columns |= {f"measures.{name}": values for name, values in self.measures.items()}
        columns |= {f"interventions.{name}": values for name, values in self.interventions.items()}
        for name, values in columns.items():
            if len(values) != len(self.number):
                raise ValueError(f"{name} has {len(values)} entries for {len(self.number)} trials")
        return self


class _SuccessRate(_Part):
    """Share of trials that succeeded, with its 95 % interval; null where none ran."""

    trials: int
    successes: int
    rate: float | None
    low: float | None
    high: float | None


class _Tried(_Part):
    """A level of the ground that a search tried; ``friction`` is null in a search at the scenario's own."""

    size: float
    friction: float | None
    successes: int
    trials: int


class _Grade(_Part):
    """How well the policy does on a kind of ground at a friction; ``level`` is null of ground without levels."""

    friction: float
    level: int | None
    quality: float | None
    figure: float


class _Search(_Part):
    """What a search over levels of the ground found."""

    tried: tuple[_Tried, ...]
    grades: tuple[_Grade, ...]
    half_at: float | None
    """Size at which success falls to one half; null where it is beyond the levels, or was not searched for."""


class _Result(_Part):
    """A scenario in an engine."""

    scenario: str
    engine: str
    threshold: float
    planned: int
    stopped_early: bool
    length_s: float | None
    """Length of the trials [s] where it is not the scenario's own; null where it is."""
    notes: tuple[str, ...]
    error: str
    success: _SuccessRate
    trials: _Trials
    search: _Search | None = None
    """Of a scenario that searches over levels of its ground; left out of others."""


class _File(_Part):
    """What a policy was proven with, and what came of every trial."""

    schema_version: Literal[1] = Field(alias="schema")
    complete: bool
    """Whether every scenario of the suite ran in every engine."""
    policy: ProvenPolicy
    engines: tuple[str, ...]
    conditions: dict[str, str]
    versions: dict[str, str]
    suite: Suite
    results: tuple[_Result, ...]


def evaluation_text(evaluation: Evaluation) -> str:
    """Return the text of ``evaluation.json``: the same for the same evaluation.

    Raises:
        SurefootError: If a measure is no finite number.
    """
    content = {
        "schema": SCHEMA,
        "complete": evaluation.complete,
        "policy": evaluation.policy.model_dump(),
        "engines": list(evaluation.engines),
        "conditions": dict(evaluation.conditions),
        "versions": dict(evaluation.versions),
        "suite": without_infinity(evaluation.suite.model_dump(mode="json")),
        "results": [_result(outcome) for outcome in evaluation.outcomes],
    }
    return json_lines(content) + "\n"


def write_evaluation(path: Path, evaluation: Evaluation) -> None:
    """Write ``evaluation.json``, whole or not at all."""
    text = evaluation_text(evaluation)
    with atomic_write(path, "w") as file:
        file.write(text)


def read_evaluation(path: Path) -> Evaluation:
    """Read an evaluation.

    Args:
        path: An ``evaluation.json``, or a folder that holds one: a bundle or a report.

    Raises:
        SurefootError: If there is none, or it is not as it was written; what is wrong is named with its place.
    """
    file, data = evaluation_data(Path(path))
    try:
        content = validated(_File, LocatedYaml(file, data, {}))
    except SurefootError as error:
        raise SurefootError(f"{error} {_AGAIN}") from error
    evaluation = Evaluation(
        suite=content.suite,
        engines=content.engines,
        policy=content.policy,
        outcomes=tuple(_outcome(result) for result in content.results),
        conditions=content.conditions,
        versions=content.versions,
    )
    # Totals stand in the file for its readers; they follow from the trials.
    totals = [_result(outcome)["success"] for outcome in evaluation.outcomes]
    if totals != [result.success.model_dump() for result in content.results] or content.complete != evaluation.complete:
        raise SurefootError(f"{file} was changed: its totals are not those of its trials. {_AGAIN}")
    return evaluation


def evaluation_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of the file; it is published as ``evaluation.schema.json``."""
    schema = without_infinity(_File.model_json_schema(by_alias=True))
    add_descriptions(schema, StrictModel)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Evaluation"}


def rounded(value: float) -> float:
    """Return a number as it is written: with :data:`DIGITS` significant digits."""
    return float(f"{value:.{DIGITS}g}")


def _result(outcome: ScenarioOutcome) -> dict[str, Any]:
    trials = outcome.outcomes
    names = sorted({name for trial in trials for name in trial.measures})
    rules = sorted({name for trial in trials for name in trial.interventions})
    low, high = success_interval(outcome) or (None, None)
    search = {} if not (outcome.tried or outcome.grades) else {"search": _search(outcome)}
    return {
        "scenario": outcome.scenario,
        "engine": outcome.engine,
        "threshold": outcome.threshold,
        "planned": outcome.planned,
        "stopped_early": outcome.stopped_early,
        "length_s": outcome.length_s,
        "notes": list(outcome.notes),
        "error": outcome.error,
        "success": {
            "trials": outcome.trials,
            "successes": outcome.successes,
            "rate": rounded(outcome.successes / outcome.trials) if trials else None,
            "low": None if low is None else rounded(low),
            "high": None if high is None else rounded(high),
        },
        "trials": {
            "number": [trial.number for trial in trials],
            "seed": [f"{trial.seed:016x}" for trial in trials],
            "success": [trial.success for trial in trials],
            "reason": [trial.reason for trial in trials],
            "measures": {name: [_measure(outcome, trial, name) for trial in trials] for name in names},
            "interventions": {name: [trial.interventions.get(name, 0) for trial in trials] for name in rules},
        },
        **search,
    }


def _search(outcome: ScenarioOutcome) -> dict[str, Any]:
    grades = [
        {
            **asdict(grade),
            "quality": None if grade.quality is None else rounded(grade.quality),
            "figure": rounded(grade.figure),
        }
        for grade in outcome.grades
    ]
    half_at = None if outcome.half_at is None else rounded(outcome.half_at)
    return {"tried": [asdict(item) for item in outcome.tried], "grades": grades, "half_at": half_at}


def _measure(outcome: ScenarioOutcome, trial: TrialOutcome, name: str) -> float | None:
    if name not in trial.measures:
        return None
    value = float(trial.measures[name])
    if not math.isfinite(value):
        raise SurefootError(
            f"{name} of trial {trial.number} of {outcome.scenario} in {outcome.engine} is {value}; a measure is a "
            "finite number, or is left out."
        )
    return rounded(value)


def _outcome(result: _Result) -> ScenarioOutcome:
    columns = result.trials
    trials = tuple(
        TrialOutcome(
            number=number,
            seed=int(columns.seed[row], 16),
            success=columns.success[row],
            reason=columns.reason[row],
            measures={name: value for name, values in columns.measures.items() if (value := values[row]) is not None},
            interventions={name: values[row] for name, values in columns.interventions.items() if values[row]},
        )
        for row, number in enumerate(columns.number)
    )
    search = result.search or _Search(tried=(), grades=(), half_at=None)
    return ScenarioOutcome(
        scenario=result.scenario,
        engine=result.engine,
        threshold=result.threshold,
        planned=result.planned,
        outcomes=trials,
        stopped_early=result.stopped_early,
        length_s=result.length_s,
        notes=result.notes,
        error=result.error,
        tried=tuple(Tried(**item.model_dump()) for item in search.tried),
        grades=tuple(Grade(**item.model_dump()) for item in search.grades),
        half_at=search.half_at,
    )


if __name__ == "__main__":  # writes the schema that is published as evaluation.schema.json
    print(json.dumps(evaluation_schema(), indent=2))
