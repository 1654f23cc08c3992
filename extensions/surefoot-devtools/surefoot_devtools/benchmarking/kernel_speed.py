"""Time of the actuator and sensor kernels of a running environment, and the bandwidth that they reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import warp as wp

from .timing import median_us
from .traffic import actuator_bytes, memory_bytes_per_s, sensor_bytes

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv

JOINT_VELOCITY_RAD_S = 1.0
"""Standard deviation of joint velocities: friction and the torque-speed curve are computed as in motion."""


def kernel_figures(env: SurefootEnv, device: str, *, repeats: int) -> dict[str, float]:
    """Measure the kernels of actuators and sensors against what a copy of memory reaches on the same device."""
    memory = memory_bytes_per_s(device, repeats=repeats)
    figures = {"memory_gb_s": 1e-9 * memory}
    substep_us, substep_bytes = _actuator(env, device, repeats)
    reading_bytes, observation_bytes = sensor_bytes(env.proprioception, env.randomization.layout)
    seen = env.proprioception.observe()
    timed = {
        "actuator": ("substep", substep_us, substep_bytes),
        "sensor": ("step", median_us(env.proprioception.advance, device, repeats=repeats), reading_bytes),
        "observation": (
            "step",
            median_us(lambda: env.proprioception.observe(out=seen), device, repeats=repeats),
            observation_bytes,
        ),
    }
    for name, (per, time_us, moved) in timed.items():
        figures[f"{name}_us_per_{per}"] = time_us
        figures[f"{name}_bytes_per_{per}"] = moved
        figures[f"{name}_gb_s"] = 1e-3 * moved / time_us
        figures[f"{name}_share_of_memory"] = 1e6 * moved / time_us / memory
    return figures


def _actuator(env: SurefootEnv, device: str, repeats: int) -> tuple[float, float]:
    """Return the time [us] and the bytes of a substep: a control step's commands and substeps, less the commands."""
    robot, actuator = env.robot, env.actuator
    position = robot.data.default_joint_pos.torch.clone()  # (num_envs, num_joints)
    velocity = torch.randn_like(position) * JOINT_VELOCITY_RAD_S
    zeros = torch.zeros_like(position)
    push = actuator.record_push(position, zeros, zeros)
    substep = actuator.record(
        wp.from_torch(position.clone()),
        wp.from_torch(velocity),
        actuator.engine_joint(robot.backend_joint_names),
        out=wp.from_torch(zeros.clone()),
    )

    def control_step() -> None:
        push.launch()
        for _ in range(env.cfg.decimation):
            substep.launch()

    whole_us = median_us(control_step, device, repeats=repeats)
    push_us = median_us(push.launch, device, repeats=repeats)
    return (whole_us - push_us) / env.cfg.decimation, actuator_bytes(substep, position.shape[1])
