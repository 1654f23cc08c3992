"""The state machine: what drives the robot, and hand-overs without a jump from one to the other."""

from typing import Any, Tuple

import numpy as np

from .contract import Contract
from .flat_command import flat, joint_command
from .machine_modes import REFUSED, HoldGains, Mode, Poses, Request, check_poses, codes, obeyed
from .machine_state import MachineState
from .masks import every, some
from .observations import begun, require_shape
from .safety_rules import Response
from .state import JointCommand, RobotState

_NO_WAY_RAD = 1e-6  # between poses that are the same


class Machine:
    """What drives a contract's robot, for any batch shape. It holds no state of its own.

    Stand and sit move each joint from where it is measured when they begin to their pose, along ``3 x^2 - 2 x^3`` of
    the share ``x`` of the duration: at rest at both ends. A walking robot, some of whose legs are in the air, stands
    sooner: in the share of the duration that its longest way is of that from sitting, but in no less than a hand-over
    or a control period.
    The policy's command is taken as it comes.

    Whatever takes over, targets and gains pass to it from what the joints were told last, along the same curve over the
    contract's ``handover_s``. So the largest change in a time ``dt`` is that of the new command itself, plus
    ``1.5 dt / handover_s`` of the distance between the two. Only passive and damped come at once, and the target of a
    joint that had no stiffness starts from where the joint is.

    A hold stops the motion of stand and sit. A walking robot keeps its targets and goes over to the gains of standing;
    the hand-over back takes as long as the hold has lasted, at most ``handover_s``: a short one costs little.

    No step counts for more than a control period, however the clock jumps.

    Args:
        contract: The contract.
        poses: Poses without the policy.
        gains: Gains without the policy.

    Raises:
        SurefootError: If poses or gains do not fit the contract.
    """

    def __init__(self, contract: Contract, poses: Poses, gains: HoldGains) -> None:
        check_poses(contract, poses, gains)
        place = list(contract.sdk_order)
        n = len(place)
        self._obeyed = obeyed()
        self._handover_s = contract.gains.handover_s
        self._longest_step_s = contract.timing.control_period_s
        self._default = np.array(contract.robot.default_joint_pos_rad)[place]
        self._fixed = np.zeros((len(Mode), 5 * n))  # command of each mode but for targets and the policy's
        self._duration_s = np.ones(len(Mode))
        self._stand = np.array(poses.stand_rad)[place]
        self._way_rad = max(float(np.abs(self._stand - np.array(poses.sit_rad)[place]).max()), _NO_WAY_RAD)
        self._least_share = min(max(self._handover_s, self._longest_step_s) / poses.stand_s, 1.0)
        for mode, pose, duration_s in (
            (Mode.STAND, poses.stand_rad, poses.stand_s),
            (Mode.SIT, poses.sit_rad, poses.sit_s),
        ):
            self._fixed[mode, :n] = np.array(pose)[place]
            self._duration_s[mode] = duration_s
        for mode in (Mode.STAND, Mode.SIT, Mode.WALK):  # a walking robot that is held is held with these
            self._fixed[mode, 2 * n : 3 * n] = np.array(gains.stiffness_nm_per_rad)[place]
            self._fixed[mode, 3 * n : 4 * n] = np.array(gains.damping_nms_per_rad)[place]
        self._fixed[Mode.DAMPED, 3 * n : 4 * n] = np.array(gains.damped_nms_per_rad)[place]

    def initial(self, batch_shape: Tuple[int, ...]) -> MachineState:
        """Return the state of a passive robot before the first step.

        Args:
            batch_shape: Shape of the batch; ``()`` for one robot.
        """
        pose = np.broadcast_to(self._default, (*batch_shape, len(self._default)))
        told = np.concatenate([pose, *[np.zeros(pose.shape)] * 4], axis=-1)
        no, zero = np.zeros(batch_shape, dtype=bool), np.zeros(batch_shape)
        return MachineState(
            mode=np.full(batch_shape, Mode.PASSIVE, dtype=np.int8),
            refused=no,
            held=no.copy(),
            time_s=np.full(batch_shape, np.nan),
            moved_s=zero,
            motion_s=np.ones(batch_shape),
            start_rad=pose.copy(),
            blended_s=zero.copy(),
            handover_s=np.full(batch_shape, self._handover_s),
            unfinished_s=zero.copy(),
            source=told,
            told=told.copy(),
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
        policy_command: JointCommand,
        response: Any,
        time_s: Any,
    ) -> Tuple[JointCommand, MachineState]:
        """Return what the joints are to be told, and the next state.

        Args:
            state: The state after the last step.
            report: The robot's last report.
            request: What the operator asks for, codes of :class:`~surefoot_bridge.machine_modes.Request`, (...,). In
                the damped mode a release is obeyed once safety asks for damping no more.
            policy_command: What the policy asks for; read where the robot walks.
            response: The last response of safety, codes of :class:`~surefoot_bridge.safety_rules.Response`, (...,).
            time_s: The loop's monotonic clock [s], (...,).

        Raises:
            SurefootError: If an array is not of the shape that contract and state demand, or a code is unknown.
        """
        shape, n = state.mode.shape, len(self._default)
        request, response = codes("request", request, Request, shape), codes("response", response, Response, shape)
        require_shape("report.joint_pos_rad", report.joint_pos_rad, shape, n)
        require_shape("policy_command.joint_pos_rad", policy_command.joint_pos_rad, shape, n)
        now = np.array(time_s, dtype=np.float64)
        passed = np.minimum(np.fmax(now - state.time_s, 0.0), self._longest_step_s)
        q = np.asarray(report.joint_pos_rad, dtype=np.float64)
        measured = np.isfinite(q)
        if not every(measured):
            q = np.where(measured, q, state.told[..., :n])

        mode, refused = self._next_mode(state, request, response)
        walks, hold = mode == Mode.WALK, response == Response.HOLD
        held = walks & hold
        if some(hold & ~walks):
            passed = np.where(hold & ~walks, 0.0, passed)
        going = state._replace(
            mode=mode,
            refused=refused,
            held=held,
            time_s=np.where(np.isfinite(now), now, state.time_s),
            moved_s=state.moved_s + passed,
            blended_s=state.blended_s + passed,
        )
        if some((mode != state.mode) | (held != state.held)):
            going = self._begin(state, going, q)
        goal = self._goal(going, response, policy_command, q)
        done = (going.blended_s >= going.handover_s) | (mode == Mode.PASSIVE) | (mode == Mode.DAMPED)
        if every(done):
            told = goal
        else:
            handover_s = np.where(going.handover_s > 0.0, going.handover_s, 1.0)
            weight = _smooth(going.blended_s / handover_s)[..., None]
            source, posed = going.source.copy(), ((mode == Mode.STAND) | (mode == Mode.SIT))[..., None]
            source[..., :n] += np.where(posed, goal[..., :n] - going.start_rad, 0.0)  # what was told moves along
            with np.errstate(over="ignore", invalid="ignore"):
                told = np.where(done[..., None], goal, source + weight * (goal - source))
            told = np.where(np.isfinite(told), told, state.told)
        return joint_command(told.copy()), going._replace(told=told)

    def sent(self, state: MachineState, command: JointCommand) -> MachineState:
        """Return the state that knows what the joints were told in the end, after safety had its say.

        The next hand-over begins from there. Without it the machine's own command counts as sent.

        Args:
            state: The state after a step.
            command: What was sent.
        """
        return state._replace(told=flat(command))

    def _next_mode(
        self, state: MachineState, request: np.ndarray, response: np.ndarray
    ) -> Tuple[np.ndarray, np.ndarray]:
        """Return the mode from now on (...,), int8, and whether the request was refused (...,), bool."""
        asked = np.asarray(self._obeyed[state.mode, request])
        refused = asked == REFUSED
        if some(asked != state.mode):
            starts = (asked == Mode.WALK) & (state.mode == Mode.STAND)
            ready = (response < Response.HOLD) & (state.moved_s >= state.motion_s)
            refused = refused | (starts & ~ready)
        mode = np.where(refused, state.mode, asked)
        if some(response >= Response.DAMP):
            zero = response == Response.ZERO
            damped = (response == Response.DAMP) | (zero & (state.mode == Mode.DAMPED))
            mode = np.where(damped, np.int8(Mode.DAMPED), np.where(zero, np.int8(Mode.PASSIVE), mode))
            refused = refused | ((request != Request.KEEP) & (mode != asked))
        return mode, refused

    def _begin(self, state: MachineState, going: MachineState, q: np.ndarray) -> MachineState:
        """Return the next state with what begins in this step: motions, hand-overs, holds."""
        n, walked = len(self._default), state.mode == Mode.WALK
        taken = going.mode != state.mode
        begins = taken | (going.held != state.held)
        resumes = walked & (going.mode == Mode.WALK) & state.held & ~going.held
        left_s = np.maximum(state.handover_s - going.blended_s, 0.0)
        resumed_s = np.minimum(going.blended_s + state.unfinished_s, self._handover_s)
        limp = state.told[..., 2 * n : 3 * n] <= 0.0
        source = np.concatenate([np.where(limp, q, state.told[..., :n]), state.told[..., n:]], axis=-1)
        return going._replace(
            moved_s=np.where(taken, 0.0, going.moved_s),
            motion_s=np.where(taken, self._motion_s(going.mode, walked, q), state.motion_s),
            start_rad=np.where(taken[..., None], q, state.start_rad),
            blended_s=np.where(begins, 0.0, going.blended_s),
            handover_s=np.where(begins, np.where(resumes, resumed_s, self._handover_s), state.handover_s),
            unfinished_s=np.where(begins, np.where(going.held, left_s, 0.0), state.unfinished_s),
            source=np.where(begins[..., None], source, state.source),
        )

    def _motion_s(self, mode: np.ndarray, walked: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return how long the motion of a mode takes from where the joints are [s], (...,)."""
        way_rad = np.abs(self._stand - q).max(axis=-1)
        share = np.minimum(np.maximum(way_rad / self._way_rad, self._least_share), 1.0)
        return self._duration_s[mode] * np.where(walked & (mode == Mode.STAND), share, 1.0)

    def _goal(
        self, going: MachineState, response: np.ndarray, policy_command: JointCommand, q: np.ndarray
    ) -> np.ndarray:
        """Return the command of what drives each robot, (..., 5 num_joints)."""
        n, mode, zero = len(self._default), going.mode, response == Response.ZERO
        driven, posed = (mode == Mode.WALK) & ~going.held, (mode == Mode.STAND) | (mode == Mode.SIT)
        if every(driven):
            return self._policy(policy_command, going.told)
        goal = self._fixed.take(np.where(zero, np.int8(Mode.PASSIVE), mode) if some(zero) else mode, axis=0)
        share = _smooth(going.moved_s / going.motion_s)[..., None]
        motion = np.where(share < 1.0, going.start_rad + share * (goal[..., :n] - going.start_rad), goal[..., :n])
        stays = np.where(going.held[..., None], going.source[..., :n], q)
        goal[..., :n] = np.where(posed[..., None], motion, stays)
        if some(driven):
            goal = np.where(driven[..., None], self._policy(policy_command, going.told), goal)
        return goal

    def _policy(self, policy_command: JointCommand, told: np.ndarray) -> np.ndarray:
        """Return what the policy asks for; safety judges what is not finite, and nothing here must remember it."""
        policy = flat(policy_command)
        finite = np.isfinite(policy)
        return policy if every(finite) else np.where(finite, policy, told)


def _smooth(share: np.ndarray) -> np.ndarray:
    """Return ``3 x^2 - 2 x^3``, 1 beyond 1: slope 0 at both ends, at most 1.5 between."""
    share = np.minimum(share, 1.0)
    return share * share * (3.0 - 2.0 * share)
