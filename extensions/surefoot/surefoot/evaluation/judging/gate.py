"""Whether what each scenario must reach, in which engines, was reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from surefoot.engines import short_name
from surefoot.evaluation.results.result import Evaluation, success_interval
from surefoot.evaluation.statistics import Interval, certain_verdict, fewest_successes, fewest_trials
from surefoot.evaluation.trials.outcome import ScenarioOutcome
from surefoot_bridge.errors import SurefootError, unknown_name

from .gate_file import Gate

Judgement = Literal["pass", "fail", "undecided", "could not run", "not scored", "searched"]

PASSED, FAILED, COULD_NOT_RUN = 0, 1, 2
"""Exit codes."""

NOTHING_KNOWN = Interval(0.0, 1.0)
"""Where a success rate lies of which no trial tells."""


@dataclass(frozen=True, kw_only=True)
class ScenarioVerdict:
    """What the gate says of a scenario in an engine.

    Attributes:
        scenario: Name of the scenario.
        engine: Name of the engine.
        counts: Whether the gate depends on it.
        judgement: ``pass`` where the lower bound is above the threshold; ``undecided`` where trials are missing whose
            outcomes could decide; ``not scored`` where the engine cannot run it as it is meant, and ``searched`` of a
            search over levels, which is no matter of success: neither counts.
        threshold: The threshold; None where nothing ran, and none was named.
        interval: Interval of the success rate; see :func:`~surefoot.evaluation.results.result.success_interval`.
        sentence: All that in words.
    """

    scenario: str
    engine: str
    counts: bool
    judgement: Judgement
    threshold: float | None
    interval: Interval
    sentence: str

    @property
    def passed(self) -> bool:
        """Whether the lower bound is above the threshold."""
        return self.judgement == "pass"


@dataclass(frozen=True, kw_only=True)
class GateVerdict:
    """What the gate says."""

    gate: str
    rows: tuple[ScenarioVerdict, ...]

    @property
    def exit_code(self) -> int:
        """0 if all that counts passed, 1 if any of it failed, which no further trial could mend; else 2."""
        judgements = {row.judgement for row in self.rows if row.counts}
        if "fail" in judgements:
            return FAILED
        return PASSED if judgements == {"pass"} else COULD_NOT_RUN

    @property
    def passed(self) -> bool:
        """Whether all that counts passed."""
        return self.exit_code == PASSED

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it did not pass, a sentence for each scenario and engine."""
        return tuple(row.sentence for row in self.rows if row.counts and not row.passed)

    def of(self, scenario: str, engine: str) -> ScenarioVerdict:
        """Return the verdict on a scenario in an engine.

        Raises:
            SurefootError: If there is none.
        """
        for row in self.rows:
            if (row.scenario, row.engine) == (scenario, engine):
                return row
        given = [_where(row.scenario, row.engine) for row in self.rows]
        raise unknown_name("verdict", f"{scenario} in {engine}", given)


def judge(
    outcomes: Sequence[ScenarioOutcome],
    gate: Gate,
    *,
    scenarios: Sequence[str] = (),
    engines: Sequence[str] = (),
    not_scored: Mapping[tuple[str, str], str] = MappingProxyType({}),
) -> GateVerdict:
    """Return what the gate says of outcomes.

    Each scenario must have an outcome in each engine that counts: one that is missing could not run.

    Args:
        outcomes: What came of scenarios, in the order of the report.
        gate: The gate.
        scenarios: Scenarios that were to run, besides those with an outcome: an interrupted run has none of some.
        engines: Engines that were to run, likewise.
        not_scored: Why scenarios were not to run in engines, by both;
            :attr:`~surefoot.evaluation.results.result.Evaluation.not_scored`.

    Raises:
        SurefootError: If an outcome stands twice.
    """
    found: dict[tuple[str, str], ScenarioOutcome] = {}
    for outcome in outcomes:
        if (outcome.scenario, outcome.engine) in found:
            raise SurefootError(
                f"{_where(outcome.scenario, outcome.engine)} has two outcomes; judge one run at a time."
            )
        found[outcome.scenario, outcome.engine] = outcome
    names = _in_order([item.scenario for item in outcomes], scenarios, gate.scenarios)
    ran = _in_order([item.engine for item in outcomes], engines, gate.engines or ())
    rows = []
    for name in names:
        for engine in ran:
            if (name, engine) in not_scored:
                rows.append(_not_scored(name, engine, not_scored[name, engine]))
                continue
            outcome = found.get((name, engine))
            counts = _counts(gate, name, engine)
            rows.append(_missing(gate, name, engine, counts) if outcome is None else _row(gate, outcome, counts))
    return GateVerdict(gate=gate.name, rows=tuple(rows))


def judge_evaluation(evaluation: Evaluation, gate: Gate) -> GateVerdict:
    """Return what a gate says of an evaluation."""
    return judge(
        evaluation.outcomes,
        gate,
        scenarios=[scenario.name for scenario in evaluation.suite.scenarios],
        engines=evaluation.engines,
        not_scored=evaluation.not_scored,
    )


def _where(scenario: str, engine: str) -> str:
    return f"{scenario} in {short_name(engine)}"


def _in_order(*groups: Sequence[str] | dict[str, float]) -> list[str]:
    return list(dict.fromkeys(name for group in groups for name in group))


def _counts(gate: Gate, scenario: str, engine: str) -> bool:
    named = scenario in gate.scenarios or gate.others == "count"
    return named and (gate.engines is None or engine in gate.engines)


def _missing(gate: Gate, scenario: str, engine: str, counts: bool) -> ScenarioVerdict:
    return ScenarioVerdict(
        scenario=scenario,
        engine=engine,
        counts=counts,
        judgement="could not run",
        threshold=gate.scenarios.get(scenario),
        interval=NOTHING_KNOWN,
        sentence=f"{_where(scenario, engine)} did not run: run a suite that has it in that engine, or change the gate.",
    )


def _not_scored(scenario: str, engine: str, reason: str) -> ScenarioVerdict:
    return ScenarioVerdict(
        scenario=scenario,
        engine=engine,
        counts=False,
        judgement="not scored",
        threshold=None,
        interval=NOTHING_KNOWN,
        sentence=f"{_where(scenario, engine)} is not scored. {reason}",
    )


def _searched(outcome: ScenarioOutcome) -> ScenarioVerdict:
    return ScenarioVerdict(
        scenario=outcome.scenario,
        engine=outcome.engine,
        counts=False,
        judgement="searched",
        threshold=None,
        interval=NOTHING_KNOWN,
        sentence=f"{_where(outcome.scenario, outcome.engine)} is a search over levels, which no gate judges.",
    )


def _row(gate: Gate, outcome: ScenarioOutcome, counts: bool) -> ScenarioVerdict:
    threshold = gate.scenarios.get(outcome.scenario, outcome.threshold)
    successes, trials, planned = outcome.successes, outcome.trials, outcome.planned
    judgement: Judgement = "could not run"
    if outcome.is_search and not outcome.error:
        return _searched(outcome)
    if not outcome.error:
        judgement = certain_verdict(successes, trials - successes, planned, threshold) or "undecided"
    return ScenarioVerdict(
        scenario=outcome.scenario,
        engine=outcome.engine,
        counts=counts,
        judgement=judgement,
        threshold=threshold,
        interval=success_interval(outcome) or NOTHING_KNOWN,
        sentence=" ".join(_sentence(outcome, judgement, threshold)),
    )


def _sentence(outcome: ScenarioOutcome, judgement: Judgement, threshold: float) -> Iterator[str]:
    name, successes, planned = _where(outcome.scenario, outcome.engine), outcome.successes, outcome.planned
    if judgement == "could not run":
        yield f"{name} could not run: {outcome.error}"
        return
    if judgement == "undecided":
        yield f"{name} is open: {outcome.trials} of {planned} trials ran, {successes} succeeded. Run the rest."
        return
    needed = fewest_successes(planned, threshold)
    yield f"{name} {'passes' if judgement == 'pass' else 'fails'}: {successes} of {outcome.trials} trials succeeded"
    if outcome.trials < planned:
        yield f"(of {planned} planned, whose outcome could not change the verdict)"
    if needed is None:
        yield (
            f"and no number of {planned} would put the lower bound above {threshold:g}: plan at least "
            f"{fewest_trials(threshold)}."
        )
        return
    yield f"and {needed} of {planned} put the lower bound above {threshold:g}."
    reasons = Counter(item.reason for item in outcome.outcomes if not item.success)
    if judgement == "fail" and reasons:
        yield f"Failures: {', '.join(f'{reason} ({count})' for reason, count in reasons.most_common(4))}."
