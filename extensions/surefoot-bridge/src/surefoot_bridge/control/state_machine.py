"""The state machine: what drives the robot, and hand-overs without a jump from one to the other."""

from typing import Any, Tuple

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.safety import Response
from surefoot_bridge.state import Mode, Request, RobotState, by_policy
from surefoot_bridge.state.batch import begun, every, require_shape, some
from surefoot_bridge.state.modes import codes

from .goals import Goals, finite_or
from .machine_state import MachineState
from .transitions import Transitions, quiet_time

# Comparisons with a member of an enumeration take twice as long as those with its code.
_PASSIVE, _STAND, _DAMPED = np.int8(Mode.PASSIVE), np.int8(Mode.STAND), np.int8(Mode.DAMPED)
_CROUCH = np.int8(Mode.CROUCH)
_STOP, _HOLD = np.int8(Response.STOP), np.int8(Response.HOLD)
_NO_WAY_RAD = 1e-6  # between poses that are the same


class Machine:
    """What drives a contract's robot, for any batch shape. It holds no state of its own.

    Stand and sit move each joint from where it is measured when they begin to their pose, along ``3 x^2 - 2 x^3`` of
    the share ``x`` of the duration: at rest at both ends. A robot that walks or crouches stands sooner: in the share of
    the duration that its longest way is of that from sitting, but in no less than a hand-over or a control period. The
    policy's command is taken as it comes.

    Whatever takes over, targets and gains pass to it from what the joints were told last, along the same curve over the
    contract's ``handover_s``, to the crouch over its motion, for soft legs catch no robot. So the largest change in a
    time ``dt`` is that of the new command itself, plus ``1.5 dt`` over that time of the distance between the two. Only
    passive and damped come at once, and the target of a joint that had no stiffness starts from where the joint is.

    A hold stops the motion of stand and sit. A robot that its policy drives keeps its targets and goes over to the
    gains of standing; the hand-over back takes as long as the hold has lasted, at most ``handover_s``: a short one
    costs little. What else requests and safety lead to: :class:`~surefoot_bridge.control.transitions.Transitions`.

    No step counts for more than a control period, however the clock jumps.

    Args:
        contract: The contract.
    """

    def __init__(self, contract: Contract) -> None:
        held = contract.handling
        place = list(contract.sdk_order)
        self.goals = Goals(contract)
        """Commands in each mode."""
        self._transitions = Transitions(contract)
        self._handover_s = contract.gains.handover_s
        self.longest_step_s = contract.timing.control_period_s
        """What a step counts for at most [s]."""
        self._default = np.array(contract.robot.default_joint_pos_rad)[place]
        self._duration_s = np.ones(len(Mode))
        self._stand = np.array(held.stand_rad)[place]
        self._way_rad = max(float(np.abs(self._stand - np.array(held.sit_rad)[place]).max()), _NO_WAY_RAD)
        self._least_share = min(max(self._handover_s, self.longest_step_s) / held.stand_s, 1.0)
        self._duration_s[Mode.STAND], self._duration_s[Mode.SIT] = held.stand_s, held.sit_s
        self._duration_s[Mode.CROUCH] = held.crouch_s

    def initial(self, batch_shape: Tuple[int, ...]) -> MachineState:
        """Return the state of a passive robot before the first step.

        Args:
            batch_shape: Shape of the batch; ``()`` for one robot.
        """
        pose = np.broadcast_to(self._default, (*batch_shape, len(self._default)))
        sent = np.concatenate([pose, *[np.zeros(pose.shape)] * 4], axis=-1)
        no, zero = np.zeros(batch_shape, dtype=bool), np.zeros(batch_shape)
        return MachineState(
            mode=np.full(batch_shape, Mode.PASSIVE, dtype=np.int8),
            wanted=np.full(batch_shape, Mode.PASSIVE, dtype=np.int8),
            quiet_s=zero.copy(),
            refused=no,
            held=no.copy(),
            time_s=np.full(batch_shape, np.nan),
            moved_s=zero,
            motion_s=np.ones(batch_shape),
            start_rad=pose.copy(),
            blended_s=zero.copy(),
            handover_s=np.full(batch_shape, self._handover_s),
            unfinished_s=zero.copy(),
            source=sent,
            sent=sent.copy(),
        )

    def reset(self, state: MachineState, mask: np.ndarray) -> MachineState:
        """Return the state in which some robots are passive and at their first step.

        Args:
            state: The state.
            mask: True where it begins anew, of the batch shape, bool.

        Raises:
            SurefootError: If it is no such mask.
        """
        anew = begun(np.zeros(state.mode.shape, dtype=bool), mask)
        first, chosen = self.initial(anew.shape), {}
        for name, old in state._asdict().items():
            where = anew.reshape(anew.shape + (1,) * (old.ndim - anew.ndim))
            chosen[name] = np.where(where, getattr(first, name), old)
        return MachineState(**chosen)

    def step(
        self,
        state: MachineState,
        report: RobotState,
        request: Any,
        policy_command: np.ndarray,
        response: Any,
        time_s: Any,
    ) -> Tuple[np.ndarray, MachineState]:
        """Return what the joints are to be told, flat, (..., 5 num_joints), and the next state.

        Args:
            state: The state after the last step.
            report: The robot's last report.
            request: What the operator asks for, codes of :class:`~surefoot_bridge.state.Request`, (...,). In
                the damped mode a release is obeyed once safety asks for damping no more.
            policy_command: What the policy asks for, flat, (..., 5 num_joints); read where the robot walks.
            response: The last response of safety, codes of :class:`~surefoot_bridge.safety.Response`, (...,).
            time_s: The loop's monotonic clock [s], (...,).

        Raises:
            SurefootError: If an array is not of the shape that contract and state demand, or a code is unknown.
        """
        shape, n = state.mode.shape, len(self._default)
        request, response = codes("request", request, Request, shape), codes("response", response, Response, shape)
        require_shape("report.joint_pos_rad", report.joint_pos_rad, shape, n)
        require_shape("policy_command", policy_command, shape, 5 * n)
        now = np.array(time_s, dtype=np.float64)[()]
        passed, time_s = self._passed(state.time_s, now)
        q = report.joint_pos_rad

        # Nothing asked, no fault, no motion to wait for: each goes on with what it does, and needs no other question.
        goes_on = not (some(request != 0) or some(response >= _STOP) or some(state.held))
        goes_on = goes_on and not some(state.wanted != state.mode)
        if goes_on:
            mode, wanted, refused, held = state.mode[()], state.wanted[()], state.held, state.held
            quiet_s = quiet_time(state, report, passed)
        else:
            mode, wanted, refused, quiet_s = self._transitions.step(state, report, request, response, passed)
            walks, hold = by_policy(mode), response == _HOLD
            held = walks & hold
            if some(hold & ~walks):
                passed = np.where(hold & ~walks, 0.0, passed)
        going = MachineState(
            mode=mode,
            wanted=wanted,
            quiet_s=quiet_s,
            refused=refused,
            held=held,
            time_s=time_s,
            moved_s=state.moved_s + passed,
            motion_s=state.motion_s,
            start_rad=state.start_rad,
            blended_s=state.blended_s + passed,
            handover_s=state.handover_s,
            unfinished_s=state.unfinished_s,
            source=state.source,
            sent=state.sent,
        )
        if not goes_on and some((mode != state.mode) | (held != state.held)):
            going = self._begin(state, going, finite_or(q, state.sent[..., :n]))
        goal = self.goals.goal(going, response, policy_command, q)
        done = (going.blended_s >= going.handover_s) | (mode == _PASSIVE) | (mode == _DAMPED)
        sent = goal if every(done) else self.goals.blend(going, goal, done)
        return sent.copy(), _with_sent(going, sent)

    def sent(self, state: MachineState, command: np.ndarray) -> MachineState:
        """Return the state that knows what the joints were told in the end, after safety had its say.

        The next hand-over begins from there. Without it the machine's own command counts as sent.

        Args:
            state: The state after a step.
            command: What was sent, flat, (..., 5 num_joints).
        """
        return _with_sent(state, np.array(command, dtype=np.float64))

    def _passed(self, last: np.ndarray, now: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Return how much of the time since the last step counts [s], and when the next begins to count [s], (...,)."""
        passed = now - last
        if now.ndim == 0 and 0.0 <= passed <= self.longest_step_s:  # a single robot whose clock goes well
            return passed, now
        known = np.isfinite(now)
        return np.minimum(np.fmax(passed, 0.0), self.longest_step_s), np.where(known, now, last)[()]

    def _begin(self, state: MachineState, going: MachineState, q: np.ndarray) -> MachineState:
        """Return the next state with what begins in this step: motions, hand-overs, holds."""
        n, walked, walks = len(self._default), by_policy(state.mode), by_policy(going.mode)
        taken = going.mode != state.mode
        begins = (taken & ~(walked & walks)) | (going.held != state.held)  # the policy hands nothing over to itself
        resumes = walked & walks & state.held & ~going.held
        left_s = np.maximum(state.handover_s - going.blended_s, 0.0)
        resumed_s = np.minimum(going.blended_s + state.unfinished_s, self._handover_s)
        handover_s = np.where(going.mode == _CROUCH, self._duration_s[Mode.CROUCH], self._handover_s)
        limp = state.sent[..., 2 * n : 3 * n] <= 0.0
        source = np.concatenate([np.where(limp, q, state.sent[..., :n]), state.sent[..., n:]], axis=-1)
        return going._replace(
            moved_s=np.where(taken, 0.0, going.moved_s),
            quiet_s=np.where(taken, 0.0, going.quiet_s)[()],
            motion_s=np.where(taken, self._motion_s(going.mode, walked | (state.mode == _CROUCH), q), state.motion_s)[
                ()
            ],
            start_rad=np.where(taken[..., None], q, state.start_rad),
            blended_s=np.where(begins, 0.0, going.blended_s),
            handover_s=np.where(begins, np.where(resumes, resumed_s, handover_s), state.handover_s)[()],
            unfinished_s=np.where(begins, np.where(going.held, left_s, 0.0), state.unfinished_s),
            source=np.where(begins[..., None], source, state.source),
        )

    def _motion_s(self, mode: np.ndarray, on_feet: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return how long the motion of a mode takes from where the joints are [s], (...,)."""
        way_rad = np.abs(self._stand - q).max(axis=-1)
        share = np.minimum(np.maximum(way_rad / self._way_rad, self._least_share), 1.0)
        return self._duration_s[mode] * np.where(on_feet & (mode == _STAND), share, 1.0)


def _with_sent(state: MachineState, sent: np.ndarray) -> MachineState:
    """Return a state with another last command."""
    return MachineState(*state[:-1], sent)  # its last field: replacing one by name takes three times as long
