"""What the state machine remembers."""

from typing import NamedTuple

import numpy as np


class MachineState(NamedTuple):
    """What is remembered from one step to the next; joints in the order of the robot's interface.

    Attributes:
        mode: What drives the robot, (...,), int8.
        wanted: Mode to which it is on the way; the same where it is on none, (...,), int8.
        quiet_s: For how long a stopping robot has been quiet [s], (...,).
        refused: Whether the last request was refused, (...,), bool.
        held: Whether a walking robot is held, (...,), bool.
        time_s: When the last step was [s], not a number before the first, (...,).
        moved_s: For how long the motion to a pose has gone on [s], (...,).
        motion_s: How long it takes [s], (...,).
        start_rad: Where the joints were when it began [rad], (..., num_joints).
        blended_s: For how long the hand-over has gone on [s], (...,).
        handover_s: How long it takes [s], (...,).
        unfinished_s: How long the one before would have gone on if a hold had not cut it short [s], (...,).
        source: Command from which it began, (..., 5 num_joints).
        told: Last command, (..., 5 num_joints).
    """

    mode: np.ndarray
    wanted: np.ndarray
    quiet_s: np.ndarray
    refused: np.ndarray
    held: np.ndarray
    time_s: np.ndarray
    moved_s: np.ndarray
    motion_s: np.ndarray
    start_rad: np.ndarray
    blended_s: np.ndarray
    handover_s: np.ndarray
    unfinished_s: np.ndarray
    source: np.ndarray
    sent: np.ndarray
