"""The walks in which faults come, and one run of all robots of a row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from surefoot.evaluation.engines.mujoco_engine import MujocoTrialEngine
from surefoot.evaluation.running.trial_run import stand_up
from surefoot.evaluation.scenarios.ground import scenario_grid
from surefoot.evaluation.scenarios.scenario import CommandAt, Scenario, Suite
from surefoot.evaluation.trials.command_schedule import component_order
from surefoot.evaluation.trials.engine import Truth
from surefoot.evaluation.trials.sampling import draw_batch
from surefoot.terrains.terrain import Terrain
from surefoot_bridge.bundle import Bundle
from surefoot_bridge.control import Controller, ControllerState, TickInputs
from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_bridge.safety import Response
from surefoot_bridge.stages import stage_of
from surefoot_bridge.state import Mode, Request, RobotState, joint_command

from .faults import RuleFault
from .moment import FaultyMachine, FaultyPolicy, Moment

STAGE = "field"
"""Stage whose limits hold: as much as the policy was trained for."""

STAGGER_S = 0.6
"""In which time the robots of a row begin to walk, one after another [s]: more than a stride, so that the fault meets
each in another phase of its gait."""

AFTER_S = 2.5
"""How long robots are watched after the fault has ended, or after its rule began to act where that is later [s]."""


@dataclass(frozen=True)
class Walk:
    """A walk.

    Attributes:
        name: Its name.
        what: What it is, for people.
        velocity: Forward and sideways velocity [m/s], yaw rate [rad/s].
        terrain: The ground.
        fault_s: When the fault begins, counted from the first robot's first step [s]; on the slope by then.
    """

    name: str
    what: str
    velocity: tuple[float, float, float]
    terrain: Terrain = field(default_factory=Terrain)
    fault_s: float = 2.0


def _slope(name: str, what: str, direction: str) -> Walk:
    terrain = Terrain.model_validate({"kind": "slope", "direction": direction, "grade_deg": 10.0})
    return Walk(name, what, (0.3, 0.0, 0.0), terrain, 5.0)


WALKS = {
    walk.name: walk
    for walk in (
        Walk("still", "velocity 0", (0.0, 0.0, 0.0)),
        Walk("slow", "0.3 m/s", (0.3, 0.0, 0.0)),
        Walk("medium", "0.5 m/s", (0.5, 0.0, 0.0)),
        Walk("fast", "1.0 m/s", (1.0, 0.0, 0.0)),
        Walk("turning", "0.3 m/s, 0.7 rad/s", (0.3, 0.0, 0.7)),
        _slope("slope_up", "0.3 m/s up 10 degrees", "up"),
        _slope("slope_down", "0.3 m/s down 10 degrees", "down"),
    )
}
"""All walks by name."""


def walk_of(name: str) -> Walk:
    """Return a walk.

    Raises:
        SurefootError: If there is none of this name.
    """
    if name not in WALKS:
        raise unknown_name("walk", name, WALKS)
    return WALKS[name]


class RowOutcome(NamedTuple):
    """What came of the robots of a row.

    Attributes:
        fell: Which fell or were damped, (N,), bool.
        acted: In which the rule acted, (N,), bool; all where there was no fault.
        stood: Which stood in the end, by mode, (N,), bool.
    """

    fell: np.ndarray
    acted: np.ndarray
    stood: np.ndarray


def run_row(bundle: Bundle, walk: Walk, fault: RuleFault | None, *, trials: int, seed: int) -> RowOutcome:
    """Run the robots of a row side by side in MuJoCo, by the bridge's own controller.

    They stand, begin to walk one after another, and have the fault at the same time, in different phases of their
    gaits. Whoever touches the ground with anything but feet, leans beyond the contract's limit, or is damped by the
    safety layer has fallen.

    Args:
        bundle: The bundle.
        walk: The walk.
        fault: The fault; None for a walk without any.
        trials: N, the number of robots.
        seed: Draws what they differ in.

    Raises:
        SurefootError: If the bundle's robot cannot be run so.
    """
    return _Row(bundle, walk, fault, trials, seed).run()


class _Row:
    def __init__(self, bundle: Bundle, walk: Walk, fault: RuleFault | None, trials: int, seed: int) -> None:
        contract = bundle.contract
        limits = stage_of(STAGE).limits(contract)
        self._contract, self._fault, self._n = contract, fault, trials
        controller = self._controller = Controller(bundle, limits)
        controller.policy = self._policy = FaultyPolicy(controller.policy)
        controller.machine = self._machine = FaultyMachine(contract)
        rules = controller.safety.rules
        grace_s = max(rule.grace_s for rule in rules if fault is None or rule.name == fault.rule)
        self._fault_s = walk.fault_s
        self._length_s = walk.fault_s + AFTER_S + (0.0 if fault is None else max(fault.lasts_s, grace_s))
        length_s = walk.fault_s + AFTER_S + 4.0  # the same ground for all rows
        scenario = Scenario(
            name=walk.name,
            description=walk.what,
            terrain=walk.terrain,
            commands=(CommandAt(at_s=0.0, velocity=walk.velocity),),
            length_s=length_s,
        )
        suite = Suite(version=1, name="falls", description="Faults in walks.", seed=seed, scenarios=(scenario,))
        self._batch = draw_batch(suite, scenario, np.arange(trials), contract)
        self._engine = MujocoTrialEngine(contract, num_trials=trials, grid=scenario_grid(scenario))
        self._tick_s = self._engine.tick_s
        self._velocity = np.tile(np.array(walk.velocity)[component_order(contract)], (trials, 1))
        steps = round(STAGGER_S / contract.timing.control_period_s)
        self._begins = np.arange(trials) * steps // max(trials - 1, 1)  # control step in which each begins to walk
        self._fallen_xy = np.sin(contract.safety.tilt_limit_rad / 2.0) ** 2
        self._force_n = contract.observation.foot_contact_force_n
        self._rule = None if fault is None else controller.safety.rule(fault.rule)
        self._deadline_s = limits.late_control_periods * contract.timing.control_period_s

    def run(self) -> RowOutcome:
        engine, controller, n = self._engine, self._controller, self._n
        try:
            engine.begin(self._batch)
            report = engine.report()
            state, _ = stand_up(controller, report, self._tick_s)
            if not (state.machine.mode == Mode.STAND).all():
                robot = self._contract.robot.name
                raise SurefootError(f"{robot} does not stand before it walks; verify the bundle first.")
            fell = np.zeros(n, dtype=bool)
            acted = np.full(n, self._fault is None)
            command, kept, failed, step_asked = None, {"tick_s": self._tick_s}, False, -1
            per_step = controller.ticks_per_step
            for tick in range(round(self._length_s / self._tick_s)):
                step = tick // per_step
                moment = self._moment(tick, report, failed, kept)
                if not moment.misses or command is None:
                    asks = step != step_asked and not (moment.inputs.lateness_s >= self._deadline_s).any()
                    if asks:
                        step_asked = step
                        request = np.where(self._begins == step, Request.WALK, Request.KEEP).astype(np.int8)
                        state, failed, asked = self._ask_policy(state, moment, request)
                        kept["asked"] = asked
                        moment.inputs = moment.inputs._replace(request=request, policy_failed=np.full(n, failed))
                    verdict, state = controller.command(state, moment.report, moment.inputs)
                    command = joint_command(verdict.sent)
                    if self._rule is not None:
                        acted |= verdict.active[:, self._rule]
                    fell |= verdict.response >= Response.DAMP
                engine.step(command, None)
                report = engine.report()
                fell |= self._lies(engine.truth())
                if fell.all():
                    break
            return RowOutcome(fell, acted, state.machine.mode == Mode.STAND)
        finally:
            engine.close()

    def _ask_policy(
        self, state: ControllerState, moment: Moment, request: np.ndarray
    ) -> tuple[ControllerState, bool, bool]:
        """Return the state, whether the policy failed, and whether it was asked."""
        controller = self._controller
        asked = controller.due(state, request) & controller.showable(moment.report, moment.inputs.wrong_crc)
        if not asked.any():
            return state, False, False
        state = controller.observe(state, moment.report, moment.inputs.velocity_command, request, asked)
        return (state, True, True) if moment.policy_fails else (controller.infer(state, asked), False, True)

    def _moment(self, tick: int, report: RobotState, failed: bool, kept: dict) -> Moment:
        """Return what the controller is given in a tick, with the fault in it while it is on."""
        time_s = tick * self._tick_s
        keep = np.full(self._n, Request.KEEP, dtype=np.int8)
        inputs = TickInputs.undisturbed(time_s, self._velocity, keep)._replace(policy_failed=np.full(self._n, failed))
        moment = Moment(time_s, time_s - self._fault_s, 0, report, inputs, kept=kept)
        fault, passed_s = self._fault, moment.passed_s
        self._policy.spoils = self._machine.spoils = None
        burst = None if fault is None else fault.burst(passed_s)
        if fault is None or burst is None:
            return moment
        moment.burst = burst
        if fault.changes is not None:
            fault.changes(moment)
        elif fault.spoil is not None:
            spoiled, spoil = (self._policy if fault.spoils == "action" else self._machine), fault.spoil
            spoiled.spoils = lambda numbers: spoil(numbers, passed_s)
        return moment

    def _lies(self, truth: Truth) -> np.ndarray:
        quat = truth.base_quat_wxyz
        with np.errstate(invalid="ignore"):
            upright = quat[:, 1] ** 2 + quat[:, 2] ** 2 < self._fallen_xy
        return ~upright | (truth.body_force_n > self._force_n)  # what is not a number is not upright
