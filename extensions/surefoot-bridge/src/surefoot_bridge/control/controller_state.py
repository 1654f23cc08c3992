"""What a controller remembers, and what a tick is given."""

from typing import Any, NamedTuple

import numpy as np

from surefoot_bridge.policy import Memory, ObservationState, TargetState
from surefoot_bridge.robots import NO_ALARMS
from surefoot_bridge.safety import SafetyState
from surefoot_bridge.safety.frozen_sensors import FrozenState

from .machine_state import MachineState


class ControllerState(NamedTuple):
    """What is remembered from one tick to the next.

    Attributes:
        observation: History of the observation.
        memory: Memory of a recurrent policy.
        target: Filter of the targets.
        machine: State machine.
        safety: Safety layer.
        shown: What the policy was shown last, (..., observation_dim), float32.
        action: What it answered last, not clipped, (..., num_joints), float32.
        last_action: Its last answer that was finite, which the next observation shows, (..., num_joints), float32.
        policy_command: What that answer means to the joints, flat, (..., 5 num_joints).
        frozen: What is known of sensors that measure the same over and over.
        released: Where the operator's release was given at the last tick, (...,), bool.
    """

    observation: ObservationState
    memory: Memory
    target: TargetState
    machine: MachineState
    safety: SafetyState
    shown: np.ndarray
    action: np.ndarray
    last_action: np.ndarray
    policy_command: np.ndarray
    frozen: FrozenState
    released: np.ndarray


class TickInputs(NamedTuple):
    """What a tick is given besides the report. For a single robot plain numbers do in place of (...,).

    Attributes:
        time_s: The loop's monotonic clock [s], (...,).
        report_age_s: Age of the report [s], (...,).
        wrong_crc: Whether its checksum is wrong, (...,), bool.
        lateness_s: How late the tick begins [s], (...,).
        velocity_command: What the operator asks for, (..., num_components).
        request: What is asked of the state machine, codes of :class:`~surefoot_bridge.state.Request`, (...,).
        policy_failed: Whether the policy raised an exception at its last step, (...,), bool.
        operator_stop: Whether the operator stops the robot, (...,), bool.
        operator_release: Whether the operator releases it, (...,), bool.
        operator_age_s: Age of the operator's heartbeat [s], (...,).
        alarms: Which alarms the robot raises, in the order of :data:`~surefoot_bridge.robots.ALARMS`,
            (..., num_alarms), bool; where it is of shape (num_alarms,) it holds for all.
    """

    time_s: Any
    report_age_s: Any
    wrong_crc: Any
    lateness_s: Any
    velocity_command: np.ndarray
    request: Any
    policy_failed: Any
    operator_stop: Any
    operator_release: Any
    operator_age_s: Any
    alarms: np.ndarray = NO_ALARMS

    @classmethod
    def undisturbed(cls, time_s: Any, velocity_command: np.ndarray, request: np.ndarray) -> "TickInputs":
        """Return what ticks are given in which report, loop, policy and operator are as they should be.

        Args:
            time_s: The clock [s].
            velocity_command: As above.
            request: As above; of the batch's shape.
        """
        none, no = np.zeros(request.shape), np.zeros(request.shape, dtype=bool)
        return cls(np.full(request.shape, time_s), none, no, none, velocity_command, request, no, no, no, none)
