"""What there is to know of each Unitree robot to talk to it."""

from dataclasses import dataclass, field
from typing import Dict, Mapping, Tuple

from surefoot_bridge.robots import HardwareCaps

from .caps import G1_CAPS, GO2_CAPS
from .dds.messages import GO_COMMAND, GO_REPORT, HG_COMMAND, HG_REPORT, Message

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
        caps: Its joints, in the order of the motors in both messages, and what they bear. Messages have room for more.
        command: Message with commands.
        report: Message with reports.
        foot_names: Feet in the order of the report's ``foot_force``; none without such sensors.
        damped_nms_per_rad: Velocity gain of every motor of the damped robot [N m s/rad]: what it is sent when it is let
            go of, with or without a contract.
        machine: What ``mode_machine`` must be in its reports: its joints, gear ratios and limits are that variant's; 0
            for a robot that does not say.
        machines: What every ``mode_machine`` is, in words.
    """

    caps: HardwareCaps
    command: Message
    report: Message
    foot_names: Tuple[str, ...]
    damped_nms_per_rad: float
    machine: int = 0
    machines: Mapping[int, str] = field(default_factory=dict)

    @property
    def robot(self) -> str:
        """Its name."""
        return self.caps.robot

    @property
    def joint_names(self) -> Tuple[str, ...]:
        """Its joints in the order of the motors in both messages."""
        return self.caps.joint_names

    @property
    def low_level_hz(self) -> float:
        """Rate of reports, and of commands in the SDK's examples [Hz]."""
        return self.caps.low_level_hz


_PASSIVE = 3.0  # velocity gain of the state Passive of unitree_rl_lab's controllers, for both robots
_GO2_FORCES = ("FR_foot", "FL_foot", "RR_foot", "RL_foot")  # the order of the legs' motors

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

KINDS: Dict[str, RobotKind] = {
    "unitree_go2": RobotKind(
        caps=GO2_CAPS,
        command=GO_COMMAND,
        report=GO_REPORT,
        foot_names=_GO2_FORCES,
        damped_nms_per_rad=_PASSIVE,
    ),
    "unitree_g1": RobotKind(
        caps=G1_CAPS,
        command=HG_COMMAND,
        report=HG_REPORT,
        foot_names=(),
        damped_nms_per_rad=_PASSIVE,
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


EMULATED = 0x53464D55
"""First word of ``reserve`` in the reports of a robot that this package emulates, so that nobody takes it for a real
one on whatever network. Its value is "SFMU"; that real robots leave the word 0 is an assumption."""
