"""Commands to the joints, as messages with header and checksum."""

from typing import Any

import numpy as np

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import JointCommand

from .dds.checksum import checksum
from .dds.messages import GO_COMMAND
from .dds.participant import Participant, Publisher
from .kinds import (
    COMMAND_TOPIC,
    GO_HEAD,
    GO_LOW_LEVEL,
    MOTOR_ENABLED,
    NO_POSITION,
    NO_VELOCITY,
    SERIES_ANKLES,
    RobotKind,
)
from .motor_slots import MotorSlots


class LowCommand:
    """Sends commands to the joints.

    Args:
        participant: Who sends.
        kind: Kind of the robot.
        motors: For each joint of a command its motor, (num_joints,).

    Attributes:
        mode_machine: What a G1 calls its kind; its reports say it and commands must repeat it.
    """

    def __init__(self, participant: Participant, kind: RobotKind, motors: np.ndarray) -> None:
        self._publisher = Publisher(participant, COMMAND_TOPIC, kind.command)
        self._message = self._publisher.message
        self._motors, self._all = motors, self._message[0]["motor_cmd"]
        self._slots = {name: self._all[name] for name in ("q", "dq", "kp", "kd", "tau")}
        self.mode_machine = 0
        self._damped = kind.damped_nms_per_rad
        self._is_go = kind.command is GO_COMMAND
        begin_command(self._message, num_motors=len(kind.joint_names))
        self._motor_slots = MotorSlots(self._all, motors)

    def send(self, command: JointCommand) -> None:
        """Send a command.

        Raises:
            SurefootError: If a number of it is not finite, or it cannot be sent. Nothing is sent then.
        """
        if not self._motor_slots.fill(command):
            raise SurefootError("The command to the joints is not finite; nothing was sent.")
        self._publish()

    def send_damped(self, joint_pos_rad: Any) -> None:
        """Damp all joints.

        Args:
            joint_pos_rad: Where the motors are, in their own order [rad], (slots,). Without stiffness it matters not;
                it is sent so that nothing far away stands there.
        """
        joints = slice(0, len(self._motors))
        measured = np.asarray(joint_pos_rad, dtype=np.float32)[joints]
        self._slots["q"][joints] = np.where(np.isfinite(measured), measured, 0.0)
        for name, value in (("dq", 0.0), ("kp", 0.0), ("kd", self._damped), ("tau", 0.0)):
            self._slots[name][joints] = value
        self._publish()

    @property
    def damping_nms_per_rad(self) -> float:
        """Velocity gain with which each motor is damped [N m s/rad]."""
        return self._damped

    @property
    def num_subscribers(self) -> int:
        """How many receive the commands, as far as they have been discovered."""
        return self._publisher.num_subscribers

    def _publish(self) -> None:
        message = self._message
        if not self._is_go:
            message["mode_machine"] = self.mode_machine
        message["crc"] = checksum(message)
        self._publisher.publish()


def require_keepable(command: JointCommand) -> None:
    """Refuse a command that drives joints.

    A robot keeps its last command until another comes; nothing in the messages tells it to let go when they stay away.
    So only what is safe to keep is sent: gains that hold a position, or damp. A velocity or a torque that is kept would
    drive a joint into its stop and hold it there.

    Raises:
        SurefootError: If it has a velocity or a torque of its own.
    """
    if command.joint_vel_rad_s.any() or command.torque_nm.any():
        raise SurefootError(
            "The command to the joints has a velocity or a torque of its own, which the robot would keep if it were "
            "the last; nothing was sent. Command positions, stiffness and damping."
        )


def begin_command(message: np.ndarray, *, num_motors: int) -> None:
    """Fill what never changes in a command, as the SDK's examples do.

    Args:
        message: The command, (1,), all zeros.
        num_motors: Number of motors of the robot; the message has room for more.
    """
    motors = message[0]["motor_cmd"]
    motors["mode"][:num_motors] = MOTOR_ENABLED
    if "head" in (message.dtype.names or ()):
        message[0]["head"] = GO_HEAD
        message[0]["level_flag"] = GO_LOW_LEVEL
        motors["mode"] = MOTOR_ENABLED
        motors["q"][num_motors:], motors["dq"][num_motors:] = NO_POSITION, NO_VELOCITY
    else:
        message[0]["mode_pr"] = SERIES_ANKLES
