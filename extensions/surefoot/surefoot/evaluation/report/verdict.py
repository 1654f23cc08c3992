"""The verdict in one sentence, and the table of scenarios by engines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from markupsafe import Markup

from surefoot.evaluation.judging.gate import COULD_NOT_RUN, GateVerdict, ScenarioVerdict
from surefoot.evaluation.results.result import Evaluation
from surefoot.evaluation.trials.outcome import ScenarioOutcome

from .engine_style import style_of
from .words import counted, listed, percent, percent_interval, title, why

State = Literal["pass", "fail", "unproven", "open", "error", "unscored"]

SYMBOLS: dict[State, str] = {"pass": "✓", "fail": "✕", "unproven": "△", "open": "…", "error": "!", "unscored": "∅"}
MEANINGS: dict[State, str] = {
    "pass": "proven: the interval is above the threshold",
    "fail": "below the threshold",
    "unproven": "above the threshold, but the interval reaches below it: more trials would tell",
    "open": "has not run yet",
    "error": "could not run",
    "unscored": "not scored in this engine",
}
_MOST_NAMED = 4
_BAR_WIDTH, _BAR_HEIGHT, _BAR_MIDDLE = 200.0, 30.0, 9.0
_LABEL_HALF = 14.0
"""Half the width of the threshold's label: so far it stays from the ends."""


@dataclass(frozen=True)
class Headline:
    """What stands on top."""

    state: State
    sentence: str
    basis: str


class Cell(NamedTuple):
    """A scenario in an engine, as the table has it."""

    engine: str
    state: State
    symbol: str
    meaning: str
    rate: str
    interval: str
    trials: str
    bar: Markup
    counts: bool
    failures: tuple[tuple[str, int, str], ...]
    notes: tuple[str, ...]


def state_of(row: ScenarioVerdict, outcome: ScenarioOutcome | None) -> State:
    """Return how a scenario did in an engine."""
    if row.judgement in ("not scored", "searched"):
        return "unscored"
    if outcome is None or row.judgement == "undecided":
        return "open"
    if row.judgement == "could not run":
        return "error"
    if row.passed:
        return "pass"
    threshold = outcome.threshold if row.threshold is None else row.threshold
    return "unproven" if outcome.successes > threshold * outcome.trials else "fail"


def headline(evaluation: Evaluation, verdict: GateVerdict, *, gated: bool) -> Headline:
    """Return the verdict in one sentence, and what it stands on.

    Args:
        evaluation: The evaluation.
        verdict: What the gate, or the suite's own thresholds, say of it.
        gated: Whether somebody asked for a gate; without one, running is all that was asked.
    """
    counting = [row for row in verdict.rows if row.counts]
    names = list(dict.fromkeys(row.scenario for row in counting))
    states = {(row.scenario, row.engine): state_of(row, evaluation.of(row.scenario, row.engine)) for row in counting}
    unfit = [
        name
        for name in names
        if any(states[row.scenario, row.engine] != "pass" for row in counting if row.scenario == name)
    ]
    where = listed([style_of(engine).label for engine in dict.fromkeys(row.engine for row in counting)])
    trials = sum(outcome.trials for outcome in evaluation.outcomes)
    basis = (
        f"{counted(trials, 'trial')} of {counted(len(evaluation.suite.scenarios), 'scenario')} in "
        f"{listed([style_of(engine).label for engine in evaluation.engines])}. A scenario holds where the lower end of "
        "the 95 % interval of its success rate is above its threshold."
    )
    ran = len(evaluation.outcomes)
    asked = ran + len(evaluation.missing)
    if evaluation.missing:
        sentence = f"Partial: {ran} of {asked} runs are finished"
        failed = sum(state not in ("pass", "open") for state in states.values())
        return Headline("open", f"{sentence}; {failed} of them fall short." if failed else f"{sentence}.", basis)
    errors = [title(key[0]) for key, state in states.items() if state == "error"]
    if errors and verdict.exit_code == COULD_NOT_RUN:
        return Headline("error", f"No verdict: {_some(errors)} could not run.", basis)
    if not names:
        return Headline("pass", f"Graded in {listed([style_of(engine).label for engine in evaluation.engines])}.", "")
    if not unfit:
        quantity = "both" if len(names) == 2 else f"all {len(names)}"
        all_of_them = f"{quantity} scenarios hold" if len(names) > 1 else f"{title(names[0])} holds"
        others = _not_counting(evaluation, verdict)
        said = f"{all_of_them} in {where}{others}."
        return Headline("pass", f"Passes the gate: {said}" if gated else _capital(said), basis)
    bad: tuple[State, ...] = ("fail", "error")
    short = [
        name
        for name in unfit
        if any(states[row.scenario, row.engine] in bad for row in counting if row.scenario == name)
    ]
    unproven = len(unfit) - len(short)
    said = []
    if short:
        verb = "falls" if len(short) == 1 else "fall"
        of_all = f"{len(short)} of {counted(len(names), 'scenario')}"
        said.append(f"{_some([title(name) for name in short])} {verb} short ({of_all})")
    if unproven:
        need = f"{'needs' if unproven == 1 else 'need'} more trials to tell"
        said.append(f"{unproven} {need}" if short else f"{unproven} of {counted(len(names), 'scenario')} {need}")
    others = _not_counting(evaluation, verdict)
    sentence = f"{'Does not pass the gate: ' if gated else ''}{'; '.join(said)}{others}."
    return Headline("fail" if short else "unproven", sentence, basis)


def _not_counting(evaluation: Evaluation, verdict: GateVerdict) -> str:
    """Return what is to be said of scenarios that the gate reports only; nothing where all count."""
    counting = {row.scenario for row in verdict.rows if row.counts}
    rows = [
        row for row in verdict.rows if row.scenario not in counting and row.judgement not in ("not scored", "searched")
    ]
    names = {row.scenario for row in rows}
    if not names:
        return ""
    short = {row.scenario for row in rows if state_of(row, evaluation.of(row.scenario, row.engine)) != "pass"}
    counts = "does not count" if len(names) == 1 else "do not count"
    falls = "falls" if len(short) == 1 else "fall"
    return f"; {len(names)} {counts}, of which {len(short) or 'none'} {falls if short else 'falls'} short"


def cells(evaluation: Evaluation, verdict: GateVerdict, scenario: str) -> tuple[Cell, ...]:
    """Return the cells of a scenario, one for each engine."""
    return tuple(_cell(evaluation.of(scenario, engine), verdict.of(scenario, engine)) for engine in evaluation.engines)


def _cell(outcome: ScenarioOutcome | None, row: ScenarioVerdict) -> Cell:
    state = state_of(row, outcome)
    label = style_of(row.engine).label
    common = {
        "engine": label,
        "state": state,
        "symbol": SYMBOLS[state],
        "meaning": MEANINGS[state],
        "counts": row.counts,
    }
    if outcome is None or not outcome.trials:
        notes = (outcome.error.strip(),) if outcome is not None and outcome.error else ()
        if state == "unscored":
            notes = (row.sentence,)
        return Cell(**common, rate="", interval="", trials="", bar=Markup(""), failures=(), notes=notes)
    rate = outcome.successes / outcome.trials
    threshold = outcome.threshold if row.threshold is None else row.threshold
    notes = [*outcome.notes]
    if outcome.stopped_early:
        notes.append(
            f"Ended after {outcome.trials} of {outcome.planned} trials: no further one could change the verdict."
        )
    if outcome.error:
        notes.append(outcome.error.strip())
    return Cell(
        **common,
        rate=percent(rate),
        interval=percent_interval(*row.interval),
        trials=f"{outcome.successes} of {outcome.trials}",
        bar=_bar(rate, row.interval.low, row.interval.high, threshold, state),
        failures=_failures(outcome),
        notes=tuple(notes),
    )


def _failures(outcome: ScenarioOutcome) -> tuple[tuple[str, int, str], ...]:
    """Return reasons with how many trials each ended, and which, the most frequent first."""
    failed = [trial for trial in outcome.outcomes if not trial.success]
    reasons = Counter(trial.reason for trial in failed).most_common()
    return tuple(
        (why(reason), count, _some([str(trial.number) for trial in failed if trial.reason == reason], most=8))
        for reason, count in reasons
    )


def _bar(rate: float, low: float, high: float, threshold: float, state: State) -> Markup:
    """Draw a rate with its interval from 0 to 100 % between strokes, and the threshold as a tick with its number."""
    middle = _BAR_MIDDLE

    def at(share: float) -> float:
        return 5 + share * (_BAR_WIDTH - 10)

    left, right = at(low), max(at(high), at(low) + 1)
    named = min(max(at(threshold), _LABEL_HALF), _BAR_WIDTH - _LABEL_HALF)
    said = (
        f"{percent(rate)}, 95 % interval {percent_interval(low, high)}, on a line from 0 to 100 %; "
        f"asked for: more than {percent(threshold)}"
    )
    return Markup(
        f'<svg class="bar {state}" viewBox="0 0 {_BAR_WIDTH:g} {_BAR_HEIGHT:g}" role="img" aria-label="{said}">'
        f'<path class="t" d="M{at(0):g} {middle:g}H{at(1):g}M{at(0):g} {middle - 4:g}v8M{at(1):g} {middle - 4:g}v8"/>'
        f'<path class="i" d="M{left:.1f} {middle:g}H{right:.1f}"/>'
        f'<path class="w" d="M{left:.1f} {middle - 5:g}v10M{right:.1f} {middle - 5:g}v10"/>'
        f'<circle cx="{at(rate):.1f}" cy="{middle:g}" r="4"/>'
        f'<path class="h" d="M{at(threshold):.1f} 0V{2 * middle:g}"/>'
        f'<text x="{named:.1f}" y="{_BAR_HEIGHT - 2:g}" text-anchor="middle">&gt; {percent(threshold)}</text></svg>'
    )


def _some(names: Sequence[str], most: int = _MOST_NAMED) -> str:
    names = list(dict.fromkeys(names))
    if len(names) <= most + 1:
        return listed(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
