"""A verification from what is asked to the files that come of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from surefoot.evaluation.judging.gate import GateVerdict, judge_evaluation
from surefoot.evaluation.judging.gate_file import load_gate
from surefoot.evaluation.report.junit import junit_xml
from surefoot.evaluation.report.markdown_summary import markdown_summary
from surefoot.evaluation.results.evaluation_file import write_evaluation
from surefoot.evaluation.results.evaluation_form import FILE_NAME as EVALUATION_FILE
from surefoot.evaluation.results.result import Evaluation, ProvenPolicy
from surefoot.evaluation.scenarios.robot_fit import STAGE
from surefoot.files import atomic_write
from surefoot.report import provenance, versions
from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.contract import Contract

from .plan import plan_of
from .progress import Tally
from .request import VerifyRequest
from .suite_run import SuiteRun

JUNIT_FILE, SUMMARY_FILE = "junit.xml", "summary.md"


@dataclass(frozen=True, kw_only=True)
class Verified:
    """What came of a verification.

    Attributes:
        evaluation: What came of each scenario.
        gate: What the gate says; the suite's thresholds where none was asked for.
        tally: What has been done, and how long it took.
        folder: Where the files are.
    """

    evaluation: Evaluation
    gate: GateVerdict
    tally: Tally
    folder: Path


def verify(
    request: VerifyRequest,
    *,
    progress: Callable[[Tally], None] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> Verified:
    """Run a verification and write its files; Ctrl-C ends it with those of what is finished.

    Raises:
        SurefootError: If it cannot begin, or a file cannot be written.
    """
    bundle = load_bundle(request.bundle, runtime="numpy")
    plan = plan_of(request, bundle)
    gate = load_gate(request.gate or "standard")
    suite_run = SuiteRun(plan, progress=progress, say=say)
    outcomes = suite_run.run()
    evaluation = Evaluation(
        suite=plan.suite,
        engines=plan.engines,
        policy=ProvenPolicy.of(bundle.contract),
        outcomes=outcomes,
        conditions={"safety limits": f"stage {STAGE}", "device of PhysX and Newton": plan.device},
        versions=versions(),
    )
    verdict = judge_evaluation(evaluation, gate)
    verified = Verified(evaluation=evaluation, gate=verdict, tally=suite_run.tally, folder=plan.folder)
    _write_files(request, verified, bundle.contract, suite_run, say)
    return verified


def _write_files(
    request: VerifyRequest,
    verified: Verified,
    contract: Contract,
    suite_run: SuiteRun,
    say: Callable[[str], None],
) -> None:
    evaluation, verdict, folder = verified.evaluation, verified.gate, verified.folder
    gated = request.gate is not None
    write_evaluation(folder / EVALUATION_FILE, evaluation)
    texts = {
        JUNIT_FILE: junit_xml(evaluation, verdict),
        SUMMARY_FILE: markdown_summary(evaluation, verdict, gated=gated),
    }
    for name, text in texts.items():
        with atomic_write(folder / name, "w") as file:
            file.write(text)
    if not request.pages:
        return
    from surefoot.evaluation.report.figure import load_recordings
    from surefoot.evaluation.report.page import FILE_NAME, ReportContent, write_page

    say("Drawing the report ...")
    recordings, refused = load_recordings(evaluation, suite_run.store.recordings)
    content = ReportContent(
        evaluation=evaluation,
        contract=contract,
        verdict=verdict if gated else None,
        recordings=recordings,
        provenance=provenance(seed=evaluation.suite.seed, engine=", ".join(evaluation.engines), device=request.device),
        remarks=refused,
    )
    write_page(folder / FILE_NAME, content)
