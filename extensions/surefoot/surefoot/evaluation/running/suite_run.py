"""Runs a suite in several engines with all processors busy, and keeps what is finished."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from surefoot.engines import short_name
from surefoot.evaluation.engines.choice import (
    MUJOCO,
    leaves_traces,
    needs_new_ground,
    why_not_scored,
)
from surefoot.evaluation.results.exemplars import keep_exemplars
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.statistics import certain_verdict
from surefoot.evaluation.trials.level_search import LevelSearch
from surefoot.evaluation.trials.outcome import ScenarioOutcome, Searched, TrialOutcome
from surefoot.evaluation.trials.push_search import push_search

from .messages import Answer, Request
from .plan import Plan
from .progress import EngineTally, Tally
from .store import OutcomeStore
from .trial_runner import scenario_in
from .worker_process import WorkerProcess


@dataclass
class _Job:
    """A scenario in an engine, while it runs: as the suite declares it, and as it is run there.

    What is ``held_back`` runs if the trials in ``chunks`` leave the verdict open.
    """

    declared: Scenario
    scenario: Scenario
    engine: str
    chunks: list[list[int]]
    held_back: list[list[int]]
    answers: dict[int, Answer] = field(default_factory=dict)
    next_chunk: int = 0
    over: bool = False

    @property
    def planned(self) -> int:
        """Trials that are to run, as far as is known."""
        return sum(map(len, self.chunks))

    def is_open(self) -> bool:
        """Tell whether trials that are held back could lead to a pass, which those that ran do not."""
        answers = self.answers.values()
        if not self.held_back or len(answers) < len(self.chunks) or any(answer.error for answer in answers):
            return False
        successes = sum(outcome.success for answer in answers for outcome in answer.outcomes)
        counts, asked = (successes, self.planned - successes), self.planned + sum(map(len, self.held_back))
        passes = certain_verdict(*counts, self.planned, self.scenario.threshold) == "pass"
        return not passes and certain_verdict(*counts, asked, self.scenario.threshold) != "fail"

    def work_s(self, trials: int) -> float:
        """Return the simulated time of so many trials [s]."""
        rounds = 1 if self.scenario.largest_push is None else push_search(self.scenario.largest_push, 1).rounds
        if self.scenario.levels is not None:
            rounds = LevelSearch(len(self.scenario.levels.sizes)).rounds
        return trials * rounds * self.scenario.length_s


class SuiteRun:
    """Runs a plan.

    Args:
        plan: The plan.
        progress: Is told what has been done now and then, from any thread, but one at a time.
        say: Is told what a person must know, a line at a time.
    """

    def __init__(self, plan: Plan, *, progress: Callable[[Tally], None], say: Callable[[str], None]) -> None:
        self._plan, self._progress, self._say = plan, progress, say
        self.store = OutcomeStore(plan.folder, bundle=plan.identity, seed=plan.suite.seed, device=plan.device)
        self.tally = Tally()
        self._lock = threading.Lock()
        self._stopped = False
        self._done: dict[tuple[str, str], ScenarioOutcome] = {}

    def run(self) -> tuple[ScenarioOutcome, ...]:
        """Run all that is not finished yet, and return all outcomes, scenarios and engines in their order.

        Ctrl-C ends it early: what is finished is returned, and what is not is absent.
        """
        jobs = [job for engine in self._plan.engines for job in self._jobs(engine)]
        self.tally.engines = {engine: self._to_do(engine, jobs) for engine in self._plan.engines}
        # MuJoCo first, which is quick; then the others side by side, so that no processor waits for one of them.
        groups = [[MUJOCO], [engine for engine in self._plan.engines if engine != MUJOCO]]
        try:
            for group in groups:
                self._run_group([job for job in jobs if job.engine in group], group)
        except KeyboardInterrupt:
            self._say("Interrupted: what is finished is kept; run the same again to go on.")
        order = [(scenario.name, engine) for scenario in self._plan.suite.scenarios for engine in self._plan.engines]
        return tuple(self._done[key] for key in order if key in self._done)

    def _to_do(self, engine: str, jobs: Sequence[_Job]) -> EngineTally:
        work_s = sum(job.work_s(job.planned) for job in jobs if job.engine == engine)
        return EngineTally(engine, self._plan.allocation(engine).processes, work_s)

    def _jobs(self, engine: str) -> list[_Job]:
        plan, jobs, finished = self._plan, [], 0
        for declared in plan.suite.scenarios:
            if reason := why_not_scored(engine, declared):
                self._say(f"{short_name(engine):8s} {declared.name:28s} is not scored. {reason}")
                continue
            scenario = scenario_in(plan.suite, declared.name, whole_length=plan.allocation(engine).whole_length)
            found = self.store.find(declared, engine, asked=plan.asked(declared), stop_early=plan.stop_early)
            if found is not None:
                self._done[declared.name, engine] = found
                finished += 1
                continue
            chunks, first = plan.chunks(declared, engine), plan.allocation(engine).first_chunks
            first = None if declared.is_searched else first
            jobs.append(_Job(declared, scenario, engine, chunks[:first], chunks[first:] if first else []))
        if finished:
            self._say(f"{short_name(engine)}: {finished} scenarios are finished already.")
        return jobs

    def _run_group(self, jobs: Sequence[_Job], engines: Sequence[str]) -> None:
        workers = []
        for engine in engines:
            mine = [job for job in jobs if job.engine == engine]
            count = min(self._plan.allocation(engine).processes, sum(len(job.chunks) for job in mine))
            workers += [(self._plan.worker(engine, i), mine) for i in range(count)]
        if not workers:
            return
        with ThreadPoolExecutor(len(workers)) as pool:
            futures = [pool.submit(self._serve, worker, mine) for worker, mine in workers]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                self._stopped = True
                for worker, _ in workers:
                    worker.stop()
                raise
            finally:
                for worker, _ in workers:
                    worker.finish()

    def _serve(self, worker: WorkerProcess, jobs: Sequence[_Job]) -> None:
        """Give a worker one chunk of trials after the other."""
        while (taken := self._take(jobs)) is not None:
            job, index = taken
            if needs_new_ground(job.engine, job.scenario):
                worker.finish()  # this request starts another
            record = self._plan.record and not job.declared.is_searched
            folder = self.store.recordings(job.scenario.name, job.engine).resolve() if record else ""
            answer = worker.ask(Request(job.scenario.name, job.chunks[index], str(folder)), self._advancing(job, index))
            with self._lock:
                if self._stopped:
                    return
                self._take_in(job, index, answer)
                self._progress(self.tally)
            if leaves_traces(job.engine, job.scenario):
                worker.finish()  # the next request starts another

    def _advancing(self, job: _Job, index: int) -> Callable[[float], None]:
        def tell(share: float) -> None:
            with self._lock:
                self.tally.advance(job.engine, (job.scenario.name, index), share)
                self._progress(self.tally)

        return tell

    def _take(self, jobs: Sequence[_Job]) -> tuple[_Job, int] | None:
        with self._lock:
            for job in jobs:
                if not self._stopped and not job.over and job.next_chunk < len(job.chunks):
                    index, name = job.next_chunk, job.scenario.name
                    job.next_chunk += 1
                    self.tally.begin(
                        job.engine,
                        (name, index),
                        f"{name} in {short_name(job.engine)}",
                        job.work_s(len(job.chunks[index])),
                    )
                    return job, index
        return None

    def _take_in(self, job: _Job, index: int, answer: Answer) -> None:
        name, engine = job.scenario.name, job.engine
        self.tally.finish(engine, (name, index), trials=len(answer.outcomes), spent_s=answer.spent_s)
        job.answers[index] = answer
        key = name, engine
        if job.over:  # it came too late to count; nor must its recordings stay
            self._keep_exemplars(self._done[key])
            return
        if job.is_open():
            first, more, job.held_back = job.planned, job.held_back, []
            job.chunks += more
            self.tally.engines[engine].work_s += job.work_s(job.planned - first)
            self._say(f"{short_name(engine):8s} {name:28s} is open after {first} trials; all {job.planned} run.")
        outcome = self._outcome(job)
        if outcome is None:
            return
        job.over = True
        left = sum(len(chunk) for i, chunk in enumerate(job.chunks) if i >= job.next_chunk)
        self.tally.engines[engine].work_s -= job.work_s(left)
        self._done[key] = outcome
        self._keep_exemplars(outcome)
        self.store.keep(job.declared, outcome, asked=self._plan.asked(job.declared), stop_early=self._plan.stop_early)
        self._say(_line(outcome))

    def _keep_exemplars(self, outcome: ScenarioOutcome) -> None:
        if self._plan.record:
            keep_exemplars(self.store.recordings(outcome.scenario, outcome.engine), outcome)

    def _outcome(self, job: _Job) -> ScenarioOutcome | None:
        """Return what came of a scenario once that is certain, whatever the order in which its chunks came back."""
        ran: list[TrialOutcome] = []
        for index in range(len(job.chunks)):
            answer = job.answers.get(index)
            if answer is None:
                return None
            if answer.error:
                return self._ended(job, ran, error=answer.error)
            ran += answer.outcomes
            if not self._plan.stop_early or job.declared.is_searched or len(ran) == job.planned:
                continue
            successes = sum(outcome.success for outcome in ran)
            if certain_verdict(successes, len(ran) - successes, job.planned, job.scenario.threshold) is not None:
                return self._ended(job, ran, stopped_early=True)
        return self._ended(job, ran)

    def _ended(
        self, job: _Job, ran: list[TrialOutcome], *, stopped_early: bool = False, error: str = ""
    ) -> ScenarioOutcome:
        declared, notes = job.declared, []
        shortened = job.scenario.length_s != declared.length_s
        if shortened:
            notes.append(f"{job.scenario.length_s:g} s of {declared.length_s:g} s; motor heat is extrapolated.")
        if job.held_back:
            asked = self._plan.asked(declared)
            notes.append(f"{job.planned} trials of {asked}, which decide; this engine is slow on a CPU.")
        found = job.answers[0].found if job.declared.is_searched and 0 in job.answers else Searched(outcomes=())
        notes += found.notes
        return ScenarioOutcome(
            scenario=job.scenario.name,
            engine=job.engine,
            threshold=job.scenario.threshold,
            planned=job.planned,
            outcomes=tuple(ran),
            stopped_early=stopped_early,
            length_s=job.scenario.length_s if shortened else None,
            notes=tuple(notes),
            error=error,
            tried=found.tried,
            grades=found.grades,
            half_at=found.half_at,
        )


def _line(outcome: ScenarioOutcome) -> str:
    name = f"{short_name(outcome.engine):8s} {outcome.scenario:28s}"
    if outcome.error:
        return f"{name} could not run: {outcome.error.splitlines()[0]}"
    if outcome.figure is not None:
        return f"{name} {outcome.figure:.3f}"
    if outcome.half_at is not None:
        return f"{name} one half at {outcome.half_at:.3g}"
    return f"{name} {outcome.successes} of {outcome.trials} succeeded"
