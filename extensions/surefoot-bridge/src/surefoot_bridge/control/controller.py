"""What turns a robot's report into a command: observation, policy, targets, machine, safety, in one place.

It is a pure function of an explicit state, for any batch shape: the control loop runs it with ``()``, and whoever
verifies a bundle in simulation runs the same with ``(N,)``.
"""

from typing import Any, Optional, Tuple

import numpy as np

from surefoot_bridge.bundle import Bundle
from surefoot_bridge.core import Core, load_core
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import Memory, ObservationState, TargetState
from surefoot_bridge.safety import Response, Safety, SafetyInputs, SafetyVerdict, StageLimits
from surefoot_bridge.safety.frozen_sensors import FrozenSensors
from surefoot_bridge.state import Mode, Request, RobotState, by_policy
from surefoot_bridge.state.batch import every, some

from .controller_state import ControllerState, TickInputs
from .ordinary_step import OrdinaryAnswer, OrdinaryObservation
from .ordinary_tick import OrdinaryTick
from .state_machine import Machine
from .transitions import velocity_share

# Comparisons with a member of an enumeration take twice as long as those with its code.
_STOP, _DAMPED, _TO_WALK = np.int8(Mode.STOP), np.int8(Mode.DAMPED), np.int8(Request.WALK)
_ANSWER_STOP, _ANSWER_STAND = np.int8(Response.STOP), np.int8(Response.STAND)
_KEEP, _RELEASE = np.int8(Request.KEEP), np.int8(Request.RELEASE)


class Controller:
    """The controller of a bundle's robot in a stage. It holds no state of its own.

    A tick is :meth:`observe` and :meth:`infer` where the policy is due, then :meth:`command`. The policy is due
    each control period while the robot walks, and at the control period that begins to walk: there an episode
    begins, as in training. A robot that stops is asked for less and less velocity, whatever the operator asks for.
    A report that cannot be shown (not finite, wrong checksum, no attitude) is not: the policy skips that step, so
    that neither its history nor its memory knows of it.

    Safety is told which sensors are frozen (:mod:`~surefoot_bridge.safety.frozen_sensors`) while the robot walks.

    Where there is a compiled core, it takes a single robot's ordinary ticks, through arrays that are kept: one thread
    at a time.

    Args:
        bundle: Policy and contract.
        limits: Limits of the stage.
        core: What does a single robot's ordinary ticks; None for the compiled core of this process, if there is one.

    Raises:
        SurefootError: If they do not fit each other, or the control period is no whole number of low-level periods.

    Attributes:
        safety: The safety layer.
        machine: The state machine.
        ticks_per_step: Low-level ticks of a control period.
    """

    def __init__(self, bundle: Bundle, limits: StageLimits, *, core: Optional[Core] = None) -> None:
        contract = bundle.contract
        self.contract, self.policy = contract, bundle.policy
        self.observations, self.targets = bundle.observations, bundle.targets
        self.machine = Machine(contract)
        self.safety = Safety(contract, limits)
        ticks = contract.timing.control_period_s * contract.timing.low_level_hz
        self.ticks_per_step = round(ticks)
        if self.ticks_per_step < 1 or abs(ticks - self.ticks_per_step) > 1e-6 * ticks:
            raise SurefootError(
                f"The control period of {contract.timing.control_period_s} s is {ticks} low-level periods of "
                f"{contract.timing.low_level_hz} Hz; it must be a whole number of them. Train with another period."
            )
        self.frozen = FrozenSensors(contract)
        tolerance = self._quaternion_tolerance = limits.quaternion_tolerance
        self._ordinary_tick: Optional[OrdinaryTick] = None
        self._ordinary_observation: Optional[OrdinaryObservation] = None
        self._ordinary_answer: Optional[OrdinaryAnswer] = None
        functions = (core or load_core()).functions
        if functions is not None:
            self._ordinary_tick = OrdinaryTick(functions, self.machine, self.safety)
            self._ordinary_answer = OrdinaryAnswer(functions, self.targets)
            self._ordinary_observation = OrdinaryObservation(
                functions, contract, self.observations, self.safety, self.frozen, tolerance=tolerance
            )

    def initial(self, batch_shape: Tuple[int, ...]) -> ControllerState:
        """Return the state of passive robots before the first tick.

        Args:
            batch_shape: Shape of the batch; ``()`` for one robot.
        """
        n, dim = len(self.contract.robot.joint_names), self.observations.dim
        action = np.zeros((*batch_shape, n), np.float32)
        target = self.targets.initial(batch_shape)
        return ControllerState(
            observation=self.observations.initial(batch_shape),
            memory=self.policy.initial(batch_shape),
            target=target,
            machine=self.machine.initial(batch_shape),
            safety=self.safety.initial(batch_shape),
            shown=np.zeros((*batch_shape, dim), np.float32),
            action=action,
            last_action=action,
            policy_command=self.targets.flat(target, action)[0],
            frozen=self.frozen.initial(batch_shape),
            released=np.zeros(batch_shape, dtype=bool),
        )

    def due(self, state: ControllerState, request: Any) -> np.ndarray:
        """Return where the policy must be asked at a control period, (...,), bool: it walks, or is about to.

        Where safety has just taken the robot from it, it need not be: one that is slow would delay the catch.

        Args:
            state: The state after the last tick.
            request: What is asked of the state machine in this tick, (...,).
        """
        walks = by_policy(state.machine.mode)
        due = walks & (state.safety.response < _ANSWER_STAND)
        return due if every(walks) else due | self._starts(state, request)

    def showable(self, report: RobotState, wrong_crc: Any) -> np.ndarray:
        """Return where a report can be shown to the policy, (...,), bool.

        Args:
            report: The report.
            wrong_crc: Whether its checksum is wrong, (...,), bool.
        """
        if self._ordinary_observation is not None and type(wrong_crc) is bool:
            good = self._ordinary_observation.showable(report)
            if good is not None:
                return np.array(good and not wrong_crc)
        seen = (report.joint_pos_rad, report.joint_vel_rad_s, report.imu_quat_wxyz, report.imu_ang_vel_rad_s)
        finite = np.isfinite(np.concatenate((*seen, report.foot_force_n), axis=-1))
        with np.errstate(invalid="ignore", over="ignore"):
            length = np.sqrt(np.add.reduce(report.imu_quat_wxyz * report.imu_quat_wxyz, axis=-1))
            unit = np.abs(length - 1.0) < self._quaternion_tolerance
        good = unit & np.logical_and.reduce(finite, axis=-1)
        return np.asarray(good & ~np.asarray(wrong_crc, dtype=bool))

    def observe(
        self, state: ControllerState, report: RobotState, velocity_command: np.ndarray, request: Any, mask: np.ndarray
    ) -> ControllerState:
        """Return the state in which what the policy is shown is up to date.

        Args:
            state: The state after the last tick.
            report: The robot's report.
            velocity_command: What the operator asks for; the policy is shown what stage and training allow of it,
                (..., num_components).
            request: What is asked of the state machine in this tick, (...,).
            mask: Where it is shown something: :meth:`due` and :meth:`showable`, (...,), bool.
        """
        starts = np.asarray(self._starts(state, request))
        if self._ordinary_observation is not None and not (mask.ndim or starts or state.observation.fresh) and mask:
            observed = self._ordinary_observation(state, report, self.slowed(state, velocity_command))
            if observed is not None:
                return observed
        if some(starts):
            state = state._replace(
                observation=self.observations.reset(state.observation, starts),
                memory=self.policy.reset(state.memory, starts),
                target=self.targets.reset(state.target, starts),
            )
        asked = self.safety.allowed_velocity(self.slowed(state, velocity_command))
        shown, history = self.observations(state.observation, report, asked, state.last_action)
        if not every(mask):
            wide = mask[..., None]
            history = ObservationState(
                np.where(wide, history.shown, state.observation.shown),
                np.where(mask, history.fresh, state.observation.fresh),
            )
            shown = np.where(wide, shown, state.shown)
        sent_rad = state.machine.sent[..., : report.joint_pos_rad.shape[-1]]
        frozen = self.frozen.step(state.frozen, report, sent_rad, by_policy(state.machine.mode))
        return state._replace(observation=history, shown=shown, frozen=frozen)

    def slowed(self, state: ControllerState, velocity_command: np.ndarray) -> np.ndarray:
        """Return what is left of a velocity command for a robot that stops, all of it for others, (..., components).

        Args:
            state: The state after the last tick.
            velocity_command: What the operator asks for, (..., components).
        """
        if not some(state.machine.mode == _STOP):
            return velocity_command
        return velocity_command * velocity_share(state.machine)[..., None]

    def infer(self, state: ControllerState, mask: np.ndarray) -> ControllerState:
        """Return the state in which the policy has answered what it is shown.

        An answer that is not finite is left for safety to judge; memory, filter and the next observation keep to the
        last one that was.

        Args:
            state: The state after :meth:`observe`.
            mask: Where it answers, (...,), bool.
        """
        action, memory = self.policy(state.shown, state.memory)
        if self._ordinary_answer is not None and not mask.ndim and mask:
            answered = self._ordinary_answer(state, action, memory)
            if answered is not None:
                return answered
        good = mask & np.logical_and.reduce(np.isfinite(action), axis=-1)
        answered = action if every(mask) else np.where(mask[..., None], action, state.action)
        if every(good):
            command, target = self.targets.flat(state.target, action)
            last = action
        elif some(good):
            wide = good[..., None]
            last = np.where(wide, action, state.last_action)
            command, target = self.targets.flat(state.target, last)
            target = TargetState(
                np.where(wide, target.joint_pos_rad, state.target.joint_pos_rad),
                np.where(good, target.fresh, state.target.fresh),
            )
            command = np.where(wide, command, state.policy_command)
            memory = Memory(
                tuple(np.where(wide[..., None], new, was) for new, was in zip(memory.arrays, state.memory.arrays))
            )
        else:
            return state._replace(action=answered)
        return state._replace(
            memory=memory,
            target=target,
            action=answered,
            last_action=last,
            policy_command=command,
        )

    def command(
        self, state: ControllerState, report: RobotState, inputs: TickInputs
    ) -> Tuple[SafetyVerdict, ControllerState]:
        """Return what the joints are to be told, with why, and the next state.

        Args:
            state: The state, with the policy's answer where it was due.
            report: The robot's report.
            inputs: What else there is.

        Returns:
            The verdict, whose ``command`` is what the joints must be told, and the state after the tick.
        """
        if self._ordinary_tick is not None:
            ordinary = self._ordinary_tick(state, report, inputs)
            if ordinary is not None:
                return ordinary
        request = inputs.request
        if some(state.released):  # safety has looked at the release by now; the machine obeys it one tick later
            again = state.released & (np.asarray(request) == _KEEP) & (state.machine.mode == _DAMPED)
            request = np.where(again, _RELEASE, request)
        response = state.safety.response
        starts = self._starts(state, request)
        if some(starts):
            stops = np.where(starts & self.safety.forbids_walking(state.safety), _ANSWER_STOP, np.int8(0))
            response = np.maximum(response, stops)
        sent, machine = self.machine.step(state.machine, report, request, state.policy_command, response, inputs.time_s)
        frozen = state.frozen.frozen
        if some(frozen):
            frozen = frozen & by_policy(state.machine.mode)[..., None]
        verdict = self.safety.check(
            state.safety,
            SafetyInputs(
                time_s=inputs.time_s,
                report=report,
                report_age_s=inputs.report_age_s,
                wrong_crc=inputs.wrong_crc,
                lateness_s=inputs.lateness_s,
                action=state.action,
                velocity_command=inputs.velocity_command,
                policy_failed=inputs.policy_failed,
                operator_stop=inputs.operator_stop,
                operator_release=inputs.operator_release,
                operator_age_s=inputs.operator_age_s,
                walking=by_policy(machine.mode),
                frozen=frozen,
                alarms=inputs.alarms,
            ),
            sent,
        )
        machine = self.machine.sent(machine, verdict.handed_over)
        return verdict, state._replace(machine=machine, safety=verdict.state, released=verdict.state.released)

    def _starts(self, state: ControllerState, request: Any) -> np.ndarray:
        return ~by_policy(state.machine.mode) & (np.asarray(request)[()] == _TO_WALK)
