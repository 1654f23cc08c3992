"""Runs trials: the bundle's own controller, tick by tick, on robots of an engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from surefoot.evaluation.measures.collector import GroundHeight, TrialMeasures
from surefoot.evaluation.trials.batch import TrialBatch
from surefoot.evaluation.trials.command_schedule import COMPONENTS, component_order
from surefoot.evaluation.trials.engine import TrialEngine
from surefoot.evaluation.trials.latency import CommandLatency
from surefoot.evaluation.trials.operator import operator_of
from surefoot.evaluation.trials.outcome import TrialOutcome
from surefoot.evaluation.trials.pushes import TrialPushes
from surefoot.evaluation.trials.recording import TrialRecorder
from surefoot.evaluation.trials.sensor_noise import SensorLayer
from surefoot.evaluation.trials.uniform_noise import UniformNoiseLayer
from surefoot_bridge.bundle import Bundle
from surefoot_bridge.control import Controller, ControllerState, TickInputs
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.safety import StageLimits
from surefoot_bridge.state import JointCommand, Mode, Request, RobotState
from surefoot_robots import get_robot

from .timing import TimeSpent

AFTERMATH_S = 1.0
"""How long recorded robots are still watched after the last of a batch has fallen [s]."""

_ROUNDING = 1e-6  # of quotients of times


def run_batch(
    bundle: Bundle,
    engine: TrialEngine,
    batch: TrialBatch,
    *,
    limits: StageLimits,
    ground_height: GroundHeight | None = None,
    whole_length_s: float | None = None,
    recorder: TrialRecorder | None = None,
    on_progress: Callable[[float], None] | None = None,
    spent: TimeSpent | None = None,
) -> tuple[TrialOutcome, ...]:
    """Run the trials of a batch and return what came of each, in the order of the batch.

    Args:
        bundle: Policy and contract.
        engine: The engine, with the batch's terrain as its ground.
        batch: The trials.
        limits: Limits of the safety layer; :func:`~surefoot.evaluation.scenarios.robot_fit.trial_limits`.
        ground_height: Height of the ground for the measures; None for flat ground at 0.
        whole_length_s: Length that heat is extrapolated to where the scenario is shortened [s]; None for its own.
        recorder: Keeps the motion of the trials.
        on_progress: Is told how much of the length is over, in [0, 1], each control period.
        spent: Counts where the time goes.

    Raises:
        SurefootError: If bundle, engine and scenario do not fit each other.
    """
    run = TrialRun(bundle, engine, batch, limits=limits, ground_height=ground_height, whole_length_s=whole_length_s)
    return run.run(recorder=recorder, on_progress=on_progress, spent=spent or TimeSpent())


class TrialRun:
    """One run of a batch; the arguments are those of :func:`run_batch`.

    The robots begin standing: the controller has told them to stand for as long as that takes, and at the first tick
    they are asked to walk. Nobody else interferes: the operator is always there and on time, so are the reports.
    """

    def __init__(
        self,
        bundle: Bundle,
        engine: TrialEngine,
        batch: TrialBatch,
        *,
        limits: StageLimits,
        ground_height: GroundHeight | None = None,
        whole_length_s: float | None = None,
    ) -> None:
        contract = bundle.contract
        self._engine, self._batch = engine, batch
        self._period_s, self._tick_s = contract.timing.control_period_s, engine.tick_s
        self._ticks_per_step = _whole_ticks(self._period_s, engine)
        self.controller = Controller(bundle, limits)
        self._operator, self._order = operator_of(batch, self._period_s), component_order(contract)
        self._num_steps = max(1, round(batch.scenario.length_s / self._period_s))
        self.measures = TrialMeasures(
            contract,
            get_robot(contract.robot.name),
            batch,
            tick_s=self._tick_s,
            rules=self.controller.safety.rules,
            ground_height=ground_height,
            whole_length_s=whole_length_s,
        )
        n = batch.num_trials
        self._no = np.zeros(n, dtype=bool)
        self._sensors = SensorLayer(contract, batch)
        noise = batch.scenario.uniform_noise
        self._noise = None
        if noise is not None:
            self._noise = UniformNoiseLayer(noise, batch.seeds, len(contract.robot.joint_names))
        self._pushes = TrialPushes(batch, self._tick_s)

    def run(
        self, *, recorder: TrialRecorder | None, on_progress: Callable[[float], None] | None, spent: TimeSpent
    ) -> tuple[TrialOutcome, ...]:
        """Run the trials; for once."""
        engine, measures, n = self._engine, self.measures, self._batch.num_trials
        spent.restart()
        engine.begin(self._batch)
        report, truth = engine.report(), engine.truth()
        spent.add("physics_s")
        state, stands = stand_up(self.controller, report, self._tick_s)
        latency = CommandLatency(self._batch.variation.command_latency_s, self._tick_s, stands)
        request = np.full(n, Request.WALK, dtype=np.int8)
        spent.add("controller_s")
        watched_s, tick = 0.0, 0
        for step in range(self._num_steps):
            command = self._operator.command(step, truth)  # (N, 3)
            response = np.zeros(n, dtype=np.int8)
            velocity = command[:, self._order]
            target, push = stands.joint_pos_rad, None
            for within in range(self._ticks_per_step):
                seen = self._sensors(report, new_step=within == 0)
                spent.add("other_s")
                if within == 0:
                    shown = seen if self._noise is None else self._noise(seen)
                    state = self._ask_policy(state, shown, velocity, request)
                inputs = TickInputs.undisturbed(tick * self._tick_s, velocity, request)
                verdict, state = self.controller.command(state, seen, inputs)
                if tick == 0:
                    self._check_walks(state)
                    request = np.full(n, Request.KEEP, dtype=np.int8)
                spent.add("controller_s")
                push = self._pushes.force_w(tick, truth.base_quat_wxyz)
                target, sent = verdict.command.joint_pos_rad, latency(verdict.command)
                response = np.maximum(response, verdict.response)
                spent.add("other_s")
                engine.step(sent, push)
                report, truth = engine.report(), engine.truth()
                tick += 1
                spent.add("physics_s")
                measures.tick(truth, verdict)
                spent.add("measures_s")
            measures.step(truth, command, state.action)
            measures.arrive(self._operator.arrived(truth))
            spent.add("measures_s")
            if recorder is not None:
                recorder.record(truth, command=command, joint_target_rad=target, response=response, push_force_w=push)
            if on_progress is not None:
                on_progress((step + 1) / self._num_steps)
            if not measures.running.any():
                watched_s += self._period_s
                if recorder is None or watched_s >= AFTERMATH_S:
                    break
            spent.add("other_s")
        outcomes = measures.outcomes()
        spent.add("measures_s")
        return outcomes

    def _ask_policy(
        self, state: ControllerState, report: RobotState, command: np.ndarray, request: np.ndarray
    ) -> ControllerState:
        controller = self.controller
        asked = controller.due(state, request) & controller.showable(report, self._no)
        if not asked.any():
            return state
        return controller.infer(controller.observe(state, report, command, request, asked), asked)

    def _check_walks(self, state: ControllerState) -> None:
        modes = state.machine.mode
        if not (modes == Mode.WALK).all():
            trials = self._batch.numbers[modes != Mode.WALK].tolist()
            raise SurefootError(
                f"{self._batch.scenario.name}: the robots of trials {trials} do not begin to walk: the safety layer "
                "holds them already. Does the scenario begin with a tilt or heat beyond the limits of a walking robot?"
            )


def stand_up(controller: Controller, report: RobotState, tick_s: float) -> tuple[ControllerState, JointCommand]:
    """Return the state of a controller that has made its robots stand where they are, and what it tells them.

    It is told so in steps of a control period, the longest that count, of a robot that rests in its standing pose.

    Args:
        controller: The controller.
        report: What the robots report, (N, ...).
        tick_s: Time between two ticks [s]; the first is at 0.
    """
    n, period_s = len(report.joint_pos_rad), controller.contract.timing.control_period_s
    passed = int(np.ceil(controller.contract.handling.stand_s / period_s)) + 2
    state, request = controller.initial((n,)), np.full(n, Request.STAND, dtype=np.int8)
    still, sent = np.zeros((n, len(COMPONENTS))), None
    for step in range(passed):
        time_s = np.full(n, -tick_s - (passed - 1 - step) * period_s)
        seen = replace(report, time_s=time_s, sequence=np.full(n, step - passed, dtype=np.int64))
        verdict, state = controller.command(state, seen, TickInputs.undisturbed(time_s, still, request))
        sent, request = verdict.command, np.full(n, Request.KEEP, dtype=np.int8)
    assert sent is not None
    return state, sent


def _whole_ticks(control_period_s: float, engine: TrialEngine) -> int:
    ticks = control_period_s / engine.tick_s
    if round(ticks) < 1 or abs(ticks - round(ticks)) > _ROUNDING * ticks:
        raise SurefootError(
            f"The control period of {control_period_s} s is {ticks:g} ticks of {engine.name}, each of "
            f"{engine.tick_s} s; it must be a whole number of them."
        )
    return round(ticks)
