"""The slots of the motors in a command, and how numbers for the joints get there."""

from typing import Optional

import numpy as np

from surefoot_bridge.core import Core, SlotsArguments, load_core
from surefoot_bridge.state import JointCommand

_PARTS = ("q", "dq", "kp", "kd", "tau")


class MotorSlots:
    """The slots of a message.

    Args:
        slots: The message's ``motor_cmd``, (slots,), which stays where it is in memory.
        motors: For each joint of a command its motor, (num_joints,).
        core: What fills them; None for the compiled core of this process, if there is one.
    """

    def __init__(self, slots: np.ndarray, motors: np.ndarray, *, core: Optional[Core] = None) -> None:
        self._fields, self._motors = [slots[name] for name in _PARTS], motors
        self._numbers = np.zeros(len(_PARTS) * len(motors))
        self._functions = (core or load_core()).functions
        at = slots.dtype.fields or {}
        self._arguments = SlotsArguments(
            n=len(motors),
            stride=slots.itemsize,
            motor=motors.astype(np.int64),
            place=np.array([at[name][1] for name in _PARTS], dtype=np.int64),
            command=self._numbers,
            slots=slots.view(np.uint8),
        )

    def fill(self, command: JointCommand) -> bool:
        """Put a command there; return whether it is finite in float32. If not, nothing is changed."""
        parts = (
            command.joint_pos_rad,
            command.joint_vel_rad_s,
            command.stiffness_nm_per_rad,
            command.damping_nms_per_rad,
            command.torque_nm,
        )
        if self._functions is not None:
            np.concatenate(parts, out=self._numbers)
            return bool(self._functions.fill(self._arguments.address))
        with np.errstate(over="ignore"):  # what is too large for the message becomes infinite
            numbers = np.array(parts, dtype=np.float32)  # (5, num_joints)
        if not np.isfinite(numbers).all():
            return False
        for field, row in zip(self._fields, numbers):
            field[self._motors] = row
        return True
