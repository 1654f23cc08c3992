"""Trials of a scenario that run side by side in one engine, from the draw to what came of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import numpy as np

from surefoot.engines import short_name
from surefoot.evaluation.engines.choice import MUJOCO, PHYSX, has_turning_friction, why_not_scored
from surefoot.evaluation.measures.quality import QualityMeasures
from surefoot.evaluation.measures.success import with_measure
from surefoot.evaluation.scenarios.ground import lay_out, scenario_grid
from surefoot.evaluation.scenarios.robot_fit import trial_limits
from surefoot.evaluation.scenarios.scenario import LargestPush, Scenario, Suite
from surefoot.evaluation.trials.batch import TrialBatch
from surefoot.evaluation.trials.engine import TrialEngine
from surefoot.evaluation.trials.outcome import Searched, TrialOutcome
from surefoot.evaluation.trials.push_search import push_search
from surefoot.evaluation.trials.recording import TrialRecorder
from surefoot.evaluation.trials.sampling import draw_batch, largest_push_times
from surefoot.terrains.height_grid import HeightGrid
from surefoot.terrains.isaac_ground import IsaacGround
from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.errors import SurefootError, unknown_name

from .level_run import grade, search_half
from .messages import Setup
from .timing import TimeSpent
from .trial_run import TrialRun, run_batch

LARGEST_PUSH = "largest_push_n"
"""Measure that the search for the largest push fills in."""


def scenario_in(suite: Suite, name: str, *, whole_length: bool) -> Scenario:
    """Return a scenario of a suite as an engine runs it.

    Args:
        suite: The suite.
        name: Name of the scenario.
        whole_length: Whether it runs for its whole length, or for its ``slow_engines_length_s`` where it has one.

    Raises:
        SurefootError: If the suite has none of this name.
    """
    found = {scenario.name: scenario for scenario in suite.scenarios}
    if name not in found:
        raise unknown_name("scenario", name, found)
    scenario = found[name]
    if whole_length or scenario.slow_engines_length_s is None:
        return scenario
    return scenario.model_copy(update={"length_s": min(scenario.length_s, scenario.slow_engines_length_s)})


class TrialRunner:
    """Runs trials of a suite in one engine.

    Raises:
        SurefootError: If the bundle is refused, or the engine does not start.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._suite = Suite.model_validate(setup.suite)
        self._bundle = load_bundle(Path(setup.bundle), runtime="numpy")
        self._limits = trial_limits(self._bundle.contract)
        self._period_s = self._bundle.contract.timing.control_period_s
        self._spent = TimeSpent()
        self._engine: TrialEngine | None = None
        self._grid: HeightGrid | None = None
        self._ground: IsaacGround | None = None

    def __enter__(self) -> TrialRunner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._engine is not None:
            self._engine.close()

    def take_time_spent(self) -> TimeSpent:
        """Return where the time has gone since this was asked last."""
        taken, self._spent = self._spent, TimeSpent()
        return taken

    def run(
        self,
        name: str,
        numbers: list[int],
        recordings: Path | None,
        on_progress: Callable[[float], None] = lambda _: None,
    ) -> tuple[TrialOutcome, ...]:
        """Run trials of a scenario.

        Args:
            name: Its name.
            numbers: Numbers of the trials, at most as many as run side by side.
            recordings: Folder for their motion, a file for each; None for none.
            on_progress: Is told how much of it is done, in [0, 1], each control period.

        Raises:
            SurefootError: If the suite has no such scenario, or the engine cannot run it.
        """
        scenario = self._scored(name)
        batch = draw_batch(self._suite, scenario, np.asarray(numbers, dtype=np.int64), self._bundle.contract)
        if scenario.is_searched:
            raise SurefootError(f"{name} is a search over levels of its ground; it has no single trial to run.")
        if scenario.largest_push is not None:
            return self._search(batch, scenario.largest_push, recordings, on_progress)
        return self._run(batch, recordings, on_progress)

    def find(
        self,
        name: str,
        numbers: list[int],
        recordings: Path | None,
        on_progress: Callable[[float], None] = lambda _: None,
    ) -> Searched:
        """Run trials of a scenario, or the search over levels that they all belong to; see :meth:`run`."""
        scenario = self._scored(name)
        self._open_ground(scenario)
        if scenario.grading is not None:
            found = grade(_Batches(self), scenario, scenario.grading, on_progress)
            if self._setup.engine == PHYSX and has_turning_friction(scenario.robot):
                found = replace(
                    found, notes=(*found.notes, "PhysX has no rolling friction: feet resist sliding alone.")
                )
            return found
        if scenario.half_success is not None:
            return search_half(_Batches(self), scenario, scenario.half_success.levels, on_progress)
        return Searched(outcomes=self.run(name, numbers, recordings, on_progress))

    def _scored(self, name: str) -> Scenario:
        """Return a scenario that the engine can run as it is meant; one that it cannot is refused."""
        scenario = scenario_in(self._suite, name, whole_length=self._setup.whole_length)
        if reason := why_not_scored(self._setup.engine, scenario):
            raise SurefootError(f"{name} is not scored in {short_name(self._setup.engine)}. {reason}")
        return scenario

    def _open_ground(self, scenario: Scenario) -> None:
        """Lay out the ground of a simulator that has all of it from the beginning on: of a search, or of all others."""
        if self._setup.engine == MUJOCO or self._ground is not None:
            return
        scored = [item for item in self._suite.scenarios if not why_not_scored(self._setup.engine, item)]
        mine = [scenario] if scenario.is_searched else [item for item in scored if not item.is_searched]
        self._ground = lay_out(mine)
        turning = any(has_turning_friction(item.robot) for item in mine)
        self._turning_friction = turning and self._setup.engine != PHYSX

    def _run(
        self,
        batch: TrialBatch,
        recordings: Path | None,
        on_progress: Callable[[float], None],
        *,
        successes_only: bool = False,
    ) -> tuple[TrialOutcome, ...]:
        """Run a batch; where it is recorded, write the motion of all trials or of those that succeeded."""
        scenario, robot = batch.scenario, self._bundle.contract.robot.name
        engine, grid = self._engine_for(scenario)
        declared = scenario_in(self._suite, scenario.name, whole_length=True)
        recorder = None
        if recordings is not None:
            recorder = TrialRecorder(
                batch, engine=engine.name, robot=robot, control_period_s=self._period_s, length_s=scenario.length_s
            )
        outcomes = run_batch(
            self._bundle,
            engine,
            batch,
            limits=self._limits,
            ground_height=None if grid.is_flat else grid.height,
            whole_length_s=declared.length_s,
            recorder=recorder,
            on_progress=on_progress,
            spent=self._spent,
        )
        if recorder is not None and recordings is not None:
            for outcome in outcomes:
                if successes_only and not outcome.success:
                    continue
                recording = recorder.recording(outcome.number, success=outcome.success, reason=outcome.reason)
                recording.save(recordings / f"{outcome.number}.npz")
        return outcomes

    def _search(
        self,
        batch: TrialBatch,
        search: LargestPush,
        recordings: Path | None,
        on_progress: Callable[[float], None],
    ) -> tuple[TrialOutcome, ...]:
        """Search for the largest push that each trial survives; measured and recorded is the last survived round."""
        bounds = {name: bound for name, bound in batch.scenario.success.items() if name != LARGEST_PUSH}
        judged = batch.scenario
        pushed = replace(batch, scenario=judged.model_copy(update={"success": bounds}))
        halving = push_search(search, batch.num_trials)
        best: list[TrialOutcome] = []
        while not halving.done:
            times = largest_push_times(search, batch.numbers, halving.forces)
            with_push = replace(pushed, pushes=(*batch.pushes, times))
            outcomes = self._run(
                with_push,
                recordings,
                lambda share, over=halving.round: on_progress((over + share) / halving.rounds),
                successes_only=halving.round > 0,
            )
            best = best or list(outcomes)
            best = [new if new.success else old for new, old in zip(outcomes, best, strict=True)]
            halving.tell([outcome.success for outcome in outcomes])
        return tuple(
            with_measure(judged, outcome, LARGEST_PUSH, float(largest))
            for outcome, largest in zip(best, halving.largest_n, strict=True)
        )

    def _engine_for(self, scenario: Scenario) -> tuple[TrialEngine, HeightGrid]:
        """Return the engine with the scenario's ground, and the ground; a MuJoCo model has one ground only."""
        setup, contract = self._setup, self._bundle.contract
        self._open_ground(scenario)
        if self._ground is not None:
            if self._engine is None:
                from surefoot.engines import check_physics
                from surefoot.evaluation.engines.isaac_engine import IsaacTrialEngine

                self._engine = IsaacTrialEngine(
                    check_physics(setup.engine, setup.device),
                    contract,
                    num_trials=setup.num_trials,
                    ground=self._ground,
                    device=setup.device,
                    turning_friction=self._turning_friction,
                )
            return self._engine, self._ground.tile(scenario.terrain).grid
        grid = scenario_grid(scenario)
        if self._engine is None or self._grid is None or not _same(grid, self._grid):
            from surefoot.evaluation.engines.mujoco_engine import MujocoTrialEngine

            if self._engine is not None:
                self._engine.close()
            self._engine = MujocoTrialEngine(contract, num_trials=setup.num_trials, grid=grid)
            self._grid = grid
        return self._engine, grid


class _Batches:
    """Runs batches of a search; see :class:`~surefoot.evaluation.running.level_run.BatchRunner`."""

    def __init__(self, runner: TrialRunner) -> None:
        self._runner = runner
        self.most, self.period_s = runner._setup.num_trials, runner._period_s

    def draw(self, scenario: Scenario, numbers: np.ndarray) -> TrialBatch:
        return draw_batch(self._runner._suite, scenario, numbers, self._runner._bundle.contract)

    def run(
        self, batch: TrialBatch, on_progress: Callable[[float], None]
    ) -> tuple[tuple[TrialOutcome, ...], QualityMeasures | None]:
        runner = self._runner
        engine, grid = runner._engine_for(batch.scenario)
        if runner._setup.engine == PHYSX:
            still = dict.fromkeys(("torsional_friction_m", "rolling_friction_m"), np.zeros(batch.num_trials))
            batch = replace(batch, variation=type(batch.variation)(**{**vars(batch.variation), **still}))
        run = TrialRun(
            runner._bundle,
            engine,
            batch,
            limits=runner._limits,
            ground_height=None if grid.is_flat else grid.height,
        )
        outcomes = run.run(recorder=None, on_progress=on_progress, spent=runner._spent)
        return outcomes, run.measures.quality


def _same(one: HeightGrid, other: HeightGrid) -> bool:
    if one.is_flat and other.is_flat:
        return bool(one.height(0.0, 0.0) == other.height(0.0, 0.0))
    return one.heights_m.shape == other.heights_m.shape and bool((one.heights_m == other.heights_m).all())
