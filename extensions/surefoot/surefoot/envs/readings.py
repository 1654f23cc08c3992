"""Where the sensors of an environment read the true state of its robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import warp as wp

from surefoot.sensors.proprioception import TrueReadings

if TYPE_CHECKING:
    from isaaclab.assets import Articulation

    from .locomotion_state import LocomotionState


def bind_readings(
    robot: Articulation, locomotion: LocomotionState, *, last_action: torch.Tensor | None, command: torch.Tensor | None
) -> TrueReadings:
    """Find the arrays that hold the true state of a legged robot.

    Args:
        robot: The robot.
        locomotion: What is known of its motion.
        last_action: The policy's last output, (num_envs, num_joints); None where no observation shows it.
        command: Commanded velocity, (num_envs, 3); None likewise.
    """
    gravity, joint_pos = locomotion.projected_gravity_b, robot.data.joint_pos.warp
    if last_action is None:
        last_action = torch.zeros(joint_pos.shape, device=gravity.device)
    if command is None:
        command = torch.zeros_like(gravity)

    def refresh() -> None:
        # Each is read from the engine when it is asked for; events may have written it since the last step.
        _ = locomotion.base_ang_vel_b, robot.data.joint_pos, robot.data.joint_vel

    return TrueReadings(
        of={
            "gyro": wp.from_torch(locomotion.base_ang_vel_b, dtype=wp.vec3f),
            "gravity": wp.from_torch(gravity, dtype=wp.vec3f),
            "joint_pos": joint_pos,
            "joint_vel": robot.data.joint_vel.warp,
            "last_action": wp.from_torch(last_action),
            "foot_contact": wp.from_torch(locomotion.foot_contact),
            "command": wp.from_torch(command),
        },
        refresh=refresh,
    )
