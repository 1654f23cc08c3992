"""The page of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2

from surefoot.evaluation.judging.gate import GateVerdict, judge_evaluation
from surefoot.evaluation.judging.gate_file import STANDARD
from surefoot.evaluation.results.result import Evaluation
from surefoot.files import atomic_write
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError

from .engine_style import style_of
from .figure import Recordings
from .film import Drawn, FilmKey, films
from .findings import engine_gap, red_flags
from .grades import FORMULA, grades_of
from .scenario_section import filmed, scenario_section
from .verdict import MEANINGS, SYMBOLS, headline
from .words import title, with_code

FILE_NAME = "index.html"


@dataclass(frozen=True, kw_only=True)
class ReportContent:
    """What a page is made of.

    Attributes:
        evaluation: The evaluation.
        contract: Contract of the policy.
        verdict: What the gate says; None where nobody asked for one, and the suite's own thresholds are shown.
        recordings: Motions of trials, see :func:`~surefoot.evaluation.report.figure.load_recordings`.
        provenance: Where the numbers come from, as :func:`surefoot.report.provenance` has it.
        with_films: Whether to draw films.
        remarks: What else the reader must know, a sentence each.
    """

    evaluation: Evaluation
    contract: Contract
    verdict: GateVerdict | None = None
    recordings: Recordings = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    with_films: bool = True
    remarks: tuple[str, ...] = ()


def write_page(path: Path, content: ReportContent) -> None:
    """Write the page, whole or not at all."""
    text = render_page(content)
    with atomic_write(path, "w") as file:
        file.write(text)


def render_page(content: ReportContent) -> str:
    """Return the page: HTML with all that it shows in it. Films that cannot be drawn are left out, and that is said."""
    whole, remarks = content.evaluation, list(content.remarks)
    verdict, evaluation = content.verdict or suite_verdict(whole), whole.judged
    drawn: dict[FilmKey, Drawn] = {}
    to_film = filmed(evaluation, content.recordings) if content.with_films else {}
    if to_film:
        try:
            drawn = films(to_film, {scenario.name: scenario for scenario in evaluation.suite.scenarios})
        except SurefootError as error:
            remarks.append(f"No films. {error}")
    sections = [
        scenario_section(evaluation, scenario, content.contract, verdict, content.recordings, drawn)
        for scenario in evaluation.suite.scenarios
    ]
    return template("page.html").render(
        evaluation=evaluation,
        headline=headline(whole, verdict, gated=content.verdict is not None),
        gate=content.verdict.gate if content.verdict else None,
        engines=[style_of(engine) for engine in evaluation.engines],
        sections=sections,
        grades=grades_of(whole),
        formula=FORMULA,
        aside=any(not cell.counts for section in sections for cell in section.cells),
        flags=red_flags(evaluation),
        gap=engine_gap(evaluation),
        symbols=[(state, SYMBOLS[state], MEANINGS[state]) for state in SYMBOLS if _occurs(state, sections)],
        remarks=remarks,
        provenance=provenance_rows(evaluation, content.provenance),
    )


def suite_verdict(evaluation: Evaluation) -> GateVerdict:
    """Return what the suite's own thresholds say of an evaluation."""
    return judge_evaluation(evaluation, STANDARD)


def provenance_rows(evaluation: Evaluation, provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return where the numbers come from, in words."""
    policy = evaluation.policy
    rows = [
        ("Policy", f"{policy.task}, {policy.iterations} iterations in {policy.trained_in}, seed {policy.seed}"),
        ("Weights, SHA-256", policy.weights_sha256),
        ("Contract, SHA-256", policy.contract_sha256),
        ("Trained with commit", policy.commit),
        ("Robot", f"{policy.robot}, revision {policy.robot_revision}"),
        ("Suite", f"{evaluation.suite.name}, seed {evaluation.suite.seed}"),
        *((name, text) for name, text in evaluation.conditions.items()),
    ]
    shown = {"command": "Command", "commit": "Commit", "device": "Device", "machine": "Machine", "date": "Date"}
    rows += [(label, str(provenance[name])) for name, label in shown.items() if provenance.get(name)]
    versions = dict(evaluation.versions) or dict(provenance.get("versions", {}))
    if versions:
        rows.append(("Versions", ", ".join(f"{name} {version}" for name, version in versions.items())))
    return rows


def template(name: str) -> jinja2.Template:
    """Return a template of this package; whatever is put into one is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("surefoot.evaluation.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"title_of": title, "with_code": with_code}
    return environment.get_template(name)


def _occurs(state: str, sections: list) -> bool:
    return any(cell.state == state for section in sections for cell in section.cells)
