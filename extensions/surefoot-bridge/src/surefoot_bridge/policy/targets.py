"""From a policy's action to what the joints are told, as the contract says."""

import math
from dataclasses import dataclass
from typing import Optional, Tuple

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.state import JointCommand, each, joint_command
from surefoot_bridge.state.batch import begun, require_shape


@dataclass(frozen=True)
class TargetState:
    """What is remembered from one control step to the next.

    Attributes:
        joint_pos_rad: Last targets [rad], joints in the order of the robot's interface, (..., num_joints), float64.
        fresh: Where an episode begins, so that the filter starts at the next target, (...,), bool.
    """

    joint_pos_rad: np.ndarray
    fresh: np.ndarray


class Targets:
    """What the actions of a contract's policy mean, for any batch shape. It holds no state of its own.

    ``target = default + scale clip(action, -clip_at, clip_at)`` in float64, with the gains of the contract and neither
    velocity nor torque; where training clamped targets to the joints' limits, they are here too.

    Where the contract has a low-pass filter, ``dy/dt = 2 pi low_pass_hz (target - y)``, the joints are told ``y``. Each
    control step it goes the share ``1 - exp(-2 pi low_pass_hz control_period_s)`` of the way to the target, which
    solves the equation exactly for a target that is held over the step. It starts at the first target of an episode.

    An action that is not finite gives a target that is not, and stays in the filter until a reset.

    Args:
        contract: The contract.

    Attributes:
        order: Place of each joint in the policy's order, (num_joints,).
        default: Targets for an action of 0 [rad], (num_joints,).
        scale: Change of each target for an action of 1 [rad], (num_joints,).
        low: Least action that is obeyed, (num_joints,).
        high: Largest one, (num_joints,).
        limits: Least and largest targets [rad], (2, num_joints); None where training did not clamp them.
        command: What the joints are told but for the targets, flat, (5 num_joints,).
        share: Share of the way to the target that the filter goes in a control step; None without a filter.
    """

    def __init__(self, contract: Contract) -> None:
        action = contract.action
        self.order = np.array(contract.sdk_order, dtype=np.intp)
        self.default = self._in_sdk_order(contract.robot.default_joint_pos_rad)
        self.scale = self._in_sdk_order(action.scale_rad)
        self.high = np.full(len(self.order), action.clip_at)  # an array, so that float32 is clipped in float64
        self.low = -self.high
        self.limits: Optional[np.ndarray] = None  # (2, num_joints)
        if action.clamped_to_limits:
            limits = contract.safety.joint_pos_limit_rad
            ends = tuple(limit.low for limit in limits), tuple(limit.high for limit in limits)
            self.limits = np.stack([self._in_sdk_order(end) for end in ends])
        stiffness = self._in_sdk_order(contract.gains.stiffness_nm_per_rad)
        damping = self._in_sdk_order(contract.gains.damping_nms_per_rad)
        zeros = np.zeros(len(self.order))
        self.command = np.concatenate([zeros, zeros, stiffness, damping, zeros])  # but for the targets
        self.share: Optional[float] = None
        if action.low_pass_hz is not None:
            self.share = -math.expm1(-2.0 * math.pi * action.low_pass_hz * contract.timing.control_period_s)

    def _in_sdk_order(self, numbers: Tuple[float, ...]) -> np.ndarray:
        return np.array(numbers, dtype=np.float64)[self.order]

    def initial(self, batch_shape: Tuple[int, ...]) -> TargetState:
        """Return the state before the first action of an episode.

        Args:
            batch_shape: Shape of the batch; ``()`` for one robot.
        """
        return TargetState(np.zeros((*batch_shape, len(self.order))), np.ones(batch_shape, dtype=bool))

    def reset(self, state: TargetState, mask: np.ndarray) -> TargetState:
        """Return the state in which the next action of some robots is the first of an episode.

        Args:
            state: The state.
            mask: True where an episode begins, of the batch shape, bool.

        Raises:
            SurefootError: If it is no such mask.
        """
        return TargetState(state.joint_pos_rad.copy(), begun(state.fresh, mask))

    def __call__(self, state: TargetState, action: np.ndarray) -> Tuple[JointCommand, TargetState]:
        """Return what the joints are told.

        Args:
            state: The state after the last control step.
            action: The policy's output in its own order, clipped or not, (..., num_joints).

        Returns:
            The command, joints in the order of the robot's interface, float64, and the next state. They share no memory
            with each other or the inputs.

        Raises:
            SurefootError: If an array is not of the shape that contract and state demand.
        """
        command, following = self.flat(state, action)
        return each(joint_command(command), np.copy), following

    def flat(self, state: TargetState, action: np.ndarray) -> Tuple[np.ndarray, TargetState]:
        """Return the same with the command flat, (..., 5 num_joints); see :meth:`__call__`."""
        batch_shape, num_joints = state.fresh.shape, len(self.order)
        require_shape("state.joint_pos_rad", state.joint_pos_rad, batch_shape, num_joints)
        require_shape("action", action, batch_shape, num_joints)
        clipped = np.minimum(np.maximum(action.take(self.order, axis=-1), self.low), self.high)
        target = self.default + self.scale * clipped
        if self.limits is not None:
            target = np.minimum(np.maximum(target, self.limits[0]), self.limits[1])
        if self.share is not None:
            filtered = state.joint_pos_rad + self.share * (target - state.joint_pos_rad)
            target = np.where(state.fresh[..., None], target, filtered)
        command = np.empty((*batch_shape, len(self.command)))
        command[...] = self.command
        command[..., :num_joints] = target
        return command, TargetState(target, np.zeros(batch_shape, dtype=bool))
