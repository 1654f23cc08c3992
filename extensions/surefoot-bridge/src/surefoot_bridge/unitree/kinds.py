"""What there is to know of each Unitree robot to talk to it."""

from dataclasses import dataclass
from typing import Dict, Sequence, Tuple

from surefoot_bridge.errors import SurefootError

from .messages import GO_COMMAND, GO_REPORT, HG_COMMAND, HG_REPORT, Message

COMMAND_TOPIC, REPORT_TOPIC = "rt/lowcmd", "rt/lowstate"
"""Topics of commands and reports, from the low-level examples of unitree_sdk2."""

BATTERY_TOPIC = "rt/lf/bmsstate"
"""Topic of a G1's battery, which its reports leave out."""

TICKS_PER_S = 1000.0
"""Ticks of a robot's clock in a report [1/s]. It is checked when a robot is opened."""


@dataclass(frozen=True)
class RobotKind:
    """A kind of robot.

    Attributes:
        robot: Its name.
        command: Message with commands.
        report: Message with reports.
        joint_names: Joints in the order of the motors in both messages. They are fewer than there is room for.
        foot_names: Feet in the order of the report's ``foot_force``; none without such sensors.
        low_level_hz: Rate of reports, and of commands in the SDK's examples [Hz].
    """

    robot: str
    command: Message
    report: Message
    joint_names: Tuple[str, ...]
    foot_names: Tuple[str, ...]
    low_level_hz: float


# Order of the legs: enum of motors in unitree_sdk2's example/go2/unitree_legged_const (FR, FL, RR, RL).
_GO2_LEGS = ("FR", "FL", "RR", "RL")

# Order of the motors: enum in unitree_rl_lab's deploy/include/unitree/dds_wrapper/robots/g1/defines.h.
_G1_LEG = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
_G1_WAIST = ("waist_yaw", "waist_roll", "waist_pitch")
_G1_ARM = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_roll", "wrist_pitch", "wrist_yaw")

KINDS: Dict[str, RobotKind] = {
    "unitree_go2": RobotKind(
        robot="unitree_go2",
        command=GO_COMMAND,
        report=GO_REPORT,
        joint_names=tuple(f"{leg}_{part}_joint" for leg in _GO2_LEGS for part in ("hip", "thigh", "calf")),
        foot_names=tuple(f"{leg}_foot" for leg in _GO2_LEGS),
        low_level_hz=500.0,
    ),
    "unitree_g1": RobotKind(
        robot="unitree_g1",
        command=HG_COMMAND,
        report=HG_REPORT,
        joint_names=(
            *(f"{side}_{part}_joint" for side in ("left", "right") for part in _G1_LEG),
            *(f"{part}_joint" for part in _G1_WAIST),
            *(f"{side}_{part}_joint" for side in ("left", "right") for part in _G1_ARM),
        ),
        foot_names=(),
        low_level_hz=500.0,
    ),
}
"""All kinds by the robot's name."""

GO_HEAD = (0xFE, 0xEF)
GO_LOW_LEVEL = 0xFF
"""First bytes of a Go2's command. Unitree's examples (unitree_sdk2 ``example/go2/go2_low_level``, unitree_sdk2_python
``example/go2/low_level/go2_stand_example.py``) set them; far-unitree-sdk leaves zeros. What the firmware does without
them is not documented, so they are sent as in the examples."""

MOTOR_ENABLED = 1
"""``mode`` of a motor that obeys: 1 in the examples for both robots (Go2: its drive's mode; G1: enable)."""

NO_POSITION, NO_VELOCITY = 2.146e9, 16000.0
"""``PosStopF`` and ``VelStopF`` of the SDK's ``unitree_legged_const``: the Go2's slots without a motor carry them in
the examples, together with zero gains."""

SERIES_ANKLES = 0
"""``mode_pr`` of a G1: ankles and waist are commanded as pitch and roll, as policies know them, not as their rods."""


EMULATED = 0x53464D55
"""First word of ``reserve`` in the reports of a robot that this package emulates, so that nobody takes it for a real
one on whatever network. Its value is "SFMU"; that real robots leave the word 0 is an assumption."""


def place(names: Sequence[str], name: str, what: str) -> int:
    """Return the place of a joint or foot of the contract among the robot's own.

    Raises:
        SurefootError: If the robot has none of this name.
    """
    if name not in names:
        raise SurefootError(f"The contract's {what} {name!r} is not among the robot's: {', '.join(names)}.")
    return list(names).index(name)
