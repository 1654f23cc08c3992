"""What the safety layer is given besides the command to the joints."""

from typing import Any, NamedTuple

import numpy as np

from surefoot_bridge.robots import NO_ALARMS
from surefoot_bridge.state import RobotState


class SafetyInputs(NamedTuple):
    """What a check needs besides the command to the joints. For a single robot plain numbers do in place of (...,).

    Attributes:
        time_s: When the check is made, on the loop's monotonic clock [s], (...,).
        report: The robot's last report.
        report_age_s: Its age [s], (...,).
        wrong_crc: Whether its checksum is wrong, (...,), bool.
        lateness_s: How late the tick begins [s], (...,).
        action: The policy's last action in its own order, not clipped, (..., num_joints).
        velocity_command: What the operator asks for, in the order of the contract's ``command.names``,
            (..., num_components).
        policy_failed: Whether the policy raised an exception or gave nothing, (...,), bool.
        operator_stop: Whether the operator stops the robot, (...,), bool.
        operator_release: Whether the operator releases it, (...,), bool. It counts when it becomes true.
        operator_age_s: Age of the operator's last heartbeat [s], (...,).
        walking: Whether the policy's command reaches the robot: the state machine's mode is walk, (...,), bool.
        frozen: Which sensors measure the same over and over: the IMU, and each joint's in the order of the robot's
            interface, (..., 1 + num_joints), bool.
        alarms: Which alarms the robot raises, in the order of :data:`~surefoot_bridge.robots.ALARMS`,
            (..., num_alarms), bool; where it is of shape (num_alarms,) it holds for all.
    """

    time_s: Any
    report: RobotState
    report_age_s: Any
    wrong_crc: Any
    lateness_s: Any
    action: np.ndarray
    velocity_command: np.ndarray
    policy_failed: Any
    operator_stop: Any
    operator_release: Any
    operator_age_s: Any
    walking: Any
    frozen: np.ndarray
    alarms: np.ndarray = NO_ALARMS
