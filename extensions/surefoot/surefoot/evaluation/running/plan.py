"""The plan of a verification: what was asked for, every part of which was looked at before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from surefoot.evaluation.engines.choice import TrialAllocation, allocate, check_engines
from surefoot.evaluation.scenarios.scenario import Scenario, Suite
from surefoot_bridge.bundle import Bundle, load_bundle
from surefoot_bridge.errors import SurefootError

from .messages import Setup
from .request import VerifyRequest, suite_asked
from .worker_process import WorkerProcess


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be verified.

    Attributes:
        bundle: Folder of the bundle.
        identity: Its identity.
        suite: The suite.
        engines: Names of the engines.
        device: Device of PhysX and Newton.
        folder: Where finished scenarios and recordings are kept.
        trials: Trials of every scenario; None for as many as each asks for.
        processes: Processes of each engine on a CPU; None for one a processor, or for as many as find memory.
        stop_early: Whether a scenario ends as soon as no further trial could change its verdict.
        record: Whether motions are recorded for the report.
    """

    bundle: Path
    identity: str
    suite: Suite
    engines: tuple[str, ...]
    device: str
    folder: Path
    trials: int | None = None
    processes: int | None = None
    stop_early: bool = False
    record: bool = True

    def allocation(self, engine: str) -> TrialAllocation:
        """Return how trials are allocated in an engine."""
        return allocate(engine, self.device, processes=self.processes)

    def asked(self, scenario: Scenario) -> int:
        """Return how many trials of a scenario run in an engine at most."""
        return scenario.planned_trials if scenario.is_searched else self.trials or scenario.trials

    def chunks(self, scenario: Scenario, engine: str) -> list[list[int]]:
        """Return the numbers of a scenario's trials in an engine, those in one list that run side by side."""
        asked = self.asked(scenario)
        if scenario.is_searched:
            return [list(range(asked))]
        chunk = self.allocation(engine).chunk
        return [list(range(first, min(first + chunk, asked))) for first in range(0, asked, chunk)]

    def worker(self, engine: str, index: int) -> WorkerProcess:
        """Return a worker for an engine, not started yet; the index tells its log from those of others."""
        how = self.allocation(engine)
        setup = Setup(
            bundle=str(self.bundle.resolve()),
            engine=engine,
            device=self.device,
            suite=self.suite.model_dump(mode="json"),
            num_trials=how.chunk,
            whole_length=how.whole_length,
        )
        return WorkerProcess(setup, self.folder / "logs" / f"{engine}_{index}.log")


def plan_of(request: VerifyRequest, bundle: Bundle | None = None) -> Plan:
    """Return the plan of a verification, every part of which was looked at before anything runs.

    Args:
        request: What is asked.
        bundle: The bundle, where it is loaded already.

    Raises:
        SurefootError: If the bundle or the suite is refused, or an engine is not there.
    """
    bundle = bundle or load_bundle(request.bundle, runtime="numpy")
    suite = suite_asked(request.suite, request.gate, request.scenarios, bundle.contract)
    searched = [scenario.name for scenario in suite.scenarios if scenario.is_searched]
    if request.trials is not None and len(searched) == len(suite.scenarios):
        raise SurefootError(
            f"--trials {request.trials} does not go with {', '.join(searched)}: a search says itself how many trials "
            "it takes. Leave it out, or write a suite of your own."
        )
    return Plan(
        bundle=request.bundle,
        identity=bundle.identity,
        suite=suite,
        engines=check_engines(request.engines, request.device),
        device=request.device,
        folder=request.folder,
        trials=request.trials,
        processes=request.processes,
        stop_early=request.stop_early,
        record=request.pages,
    )
