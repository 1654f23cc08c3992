"""What each mode tells the joints, and what they are told while one mode hands over to the next."""

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.safety import Response
from surefoot_bridge.state import Mode, by_policy
from surefoot_bridge.state.batch import every, some

from .machine_state import MachineState

# Comparisons with a member of an enumeration take twice as long as those with its code.
_PASSIVE = np.int8(Mode.PASSIVE)
_ZERO = np.int8(Response.ZERO)
POSED = np.array([mode in (Mode.STAND, Mode.CROUCH, Mode.SIT) for mode in Mode])
"""Modes that move to a pose and keep it, (num_modes,), bool."""


class Goals:
    """Commands of a contract's robot in each mode, for any batch shape. It holds no state of its own.

    Args:
        contract: The contract.
    """

    def __init__(self, contract: Contract) -> None:
        held = contract.handling
        place = list(contract.sdk_order)
        n = self._n = len(place)
        self.fixed = np.zeros((len(Mode), 5 * n))
        """Command of each mode but for targets and the policy's, (num_modes, 5 num_joints)."""
        posed = ((Mode.STAND, held.stand_rad), (Mode.CROUCH, held.crouch_rad), (Mode.SIT, held.sit_rad))
        for mode, pose in posed:
            self.fixed[mode, :n] = np.array(pose)[place]
        # A walking robot that is held is held with the gains of standing.
        for mode in (Mode.STAND, Mode.CROUCH, Mode.SIT, Mode.WALK, Mode.STOP):
            self.fixed[mode, 2 * n : 3 * n] = np.array(held.stiffness_nm_per_rad)[place]
            self.fixed[mode, 3 * n : 4 * n] = np.array(held.damping_nms_per_rad)[place]
        self.fixed[Mode.DAMPED, 3 * n : 4 * n] = np.array(held.damped_nms_per_rad)[place]

    def goal(self, state: MachineState, response: np.ndarray, policy_command: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return the command of what drives each robot, (..., 5 num_joints).

        Args:
            state: The state, in which mode and motion are those of this step, and the last command that before.
            response: The last response of safety, (...,), int8.
            policy_command: What the policy asks for, flat, (..., 5 num_joints).
            q: Joint positions as measured [rad], (..., num_joints).
        """
        n, mode, zero = self._n, state.mode, response == _ZERO
        driven = by_policy(mode) & (state.held == 0)
        if every(driven):
            return finite_or(policy_command, state.sent)
        goal = self.fixed.take(np.where(zero, _PASSIVE, mode) if some(zero) else mode, axis=0)
        pose, posed = goal[..., :n], _posed(mode)
        share = _smooth(state.moved_s / state.motion_s)[..., None]
        moves = share < 1.0
        if some(moves):
            pose = np.where(moves, state.start_rad + share * (pose - state.start_rad), pose)
        if not every(posed):
            stays = np.where(state.held[..., None], state.source[..., :n], finite_or(q, state.sent[..., :n]))
            pose = np.where(posed[..., None], pose, stays)
        goal[..., :n] = pose
        if some(driven):
            goal = np.where(driven[..., None], finite_or(policy_command, state.sent), goal)
        return goal

    def blend(self, state: MachineState, goal: np.ndarray, done: np.ndarray) -> np.ndarray:
        """Return the command between what was told when a hand-over began and the goal, (..., 5 num_joints).

        Args:
            state: The state, as for :meth:`goal`.
            goal: The goal, (..., 5 num_joints).
            done: Where the hand-over is over, (...,), bool.
        """
        n = self._n
        handover_s = np.where(state.handover_s > 0.0, state.handover_s, 1.0)
        weight = _smooth(state.blended_s / handover_s)[..., None]
        source = state.source.copy()  # what was told moves along
        source[..., :n] += np.where(_posed(state.mode)[..., None], goal[..., :n] - state.start_rad, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            sent = np.where(done[..., None], goal, source + weight * (goal - source))
        return np.where(np.isfinite(sent), sent, state.sent)


def finite_or(numbers: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    """Return a copy of numbers in float64, with others in place of those that are not finite.

    For a command of the policy these are what was told last: safety judges it, and nothing here must remember it.
    """
    finite = np.isfinite(numbers)
    return np.array(numbers if every(finite) else np.where(finite, numbers, otherwise), dtype=np.float64)


def _posed(mode: np.ndarray) -> np.ndarray:
    """Return where a mode moves to a pose and keeps it, (...,), bool."""
    return np.asarray(POSED[mode])[()]


def _smooth(share: np.ndarray) -> np.ndarray:
    """Return ``3 x^2 - 2 x^3``, 1 beyond 1: slope 0 at both ends, at most 1.5 between."""
    share = np.minimum(share, 1.0)
    return share * share * (3.0 - 2.0 * share)
