"""What there is to know of each Unitree robot to talk to it."""

from dataclasses import dataclass, field
from typing import Dict, Mapping, Sequence, Tuple

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
        machine: What ``mode_machine`` must be in its reports: its joints, gear ratios and limits are that variant's; 0
            for a robot that does not say.
        machines: What every ``mode_machine`` is, in words.
    """

    robot: str
    command: Message
    report: Message
    joint_names: Tuple[str, ...]
    foot_names: Tuple[str, ...]
    low_level_hz: float
    machine: int = 0
    machines: Mapping[int, str] = field(default_factory=dict)


# The table of ``mode_machine`` in unitree_ros' robots/g1_description/README.md: joints, gear ratio of hip roll and
# pitch, wrist motors, waist. What contracts know of the robot is ``g1_29dof_rev_1_0``, which that table calls 5.
_G1_MACHINES = {
    1: "23 joints, hip gears 14.3 and 14.5 (g1_23dof, deprecated)",
    2: "29 joints, hip gears 14.3 and 14.5 (g1_29dof, deprecated)",
    3: "29 joints with a locked waist, hip gears 14.3 and 14.5 (g1_29dof_lock_waist, deprecated)",
    4: "23 joints (g1_23dof_rev_1_0)",
    5: "29 joints (g1_29dof_rev_1_0)",
    6: "29 joints with a locked waist (g1_29dof_lock_waist_rev_1_0)",
    9: "two arms without legs (g1_dual_arm)",
    10: "23 joints, hip gears 22.5 (g1_23dof_mode_10)",
    11: "29 joints, hip gears 22.5 (g1_29dof_mode_11)",
    12: "29 joints with a locked waist, hip gears 22.5 (g1_29dof_mode_12)",
    13: "29 joints, wrist motors 5010 (g1_29dof_mode_13)",
    14: "29 joints with a locked waist, wrist motors 5010 (g1_29dof_mode_14)",
    15: "29 joints, hip gears 22.5, wrist motors 5010 (g1_29dof_mode_15)",
    16: "29 joints with a locked waist, hip gears 22.5, wrist motors 5010 (g1_29dof_mode_16)",
}

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
        machine=5,
        machines=_G1_MACHINES,
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


def place(names: Sequence[str], name: str, what: str) -> int:
    """Return the place of a joint or foot of the contract among the robot's own.

    Raises:
        SurefootError: If the robot has none of this name.
    """
    if name not in names:
        raise SurefootError(f"The contract's {what} {name!r} is not among the robot's: {', '.join(names)}.")
    return list(names).index(name)
