"""Experiments on the state in which episodes begin: what the engine makes of it in the first control step.

Buffers would show what was written into them, so each experiment lets a step pass and looks at the motion.
"""

from __future__ import annotations

import numpy as np

from surefoot.randomization.catalogue import GRAVITY_M_S2
from surefoot.randomization_checks.bench import FLIGHT_HEIGHT_M, Bench
from surefoot_bridge.state import heading

from .free_joints import limp
from .outcome import Outcome, equals


def initial_position(bench: Bench) -> Outcome:
    """Begin beside the origin, and fall for a control step."""
    place = np.stack([bench.ramp(-0.5, 0.5), bench.ramp(0.5, -0.5), bench.ramp(0.0, 0.1)], axis=1)
    moved = _first_step(bench, initial_position=place)[0]
    return equals(moved, place, 1e-3, "the base is where the table says, but for its fall in a control step [m]")


def initial_orientation(bench: Bench) -> Outcome:
    """Begin turned about all axes."""
    angles = np.stack([bench.ramp(-0.3, 0.3), bench.ramp(0.2, -0.2), bench.ramp(-3.0, 3.0)], axis=1)
    found = _first_step(bench, initial_orientation=angles)[1]
    return equals(found, _gravity_direction_and_heading(angles), 1e-3, "the base is turned as the table says")


def initial_lin_vel(bench: Bench) -> Outcome:
    """Begin moving."""
    velocity = np.stack([bench.ramp(-1.0, 1.0), bench.ramp(0.5, -0.5), bench.ramp(-0.2, 0.2)], axis=1)
    moved = _first_step(bench, initial_lin_vel=velocity)[0]
    return equals(moved, velocity * bench.step_dt, 1e-3, "the base moves by velocity times time [m]")


def initial_ang_vel(bench: Bench) -> Outcome:
    """Begin turning about the vertical."""
    velocity = np.zeros((bench.num_envs, 3))
    velocity[:, 2] = bench.ramp(-2.0, 2.0)
    found = _first_step(bench, initial_ang_vel=velocity)[1]
    expected = _gravity_direction_and_heading(velocity * bench.step_dt)
    return equals(found, expected, 1e-3, "the base turns by angular velocity times time [rad]")


def initial_joint_offset(bench: Bench) -> Outcome:
    """Begin with bent joints that nothing drives."""
    offset = bench.ramp(-0.2, 0.2)[:, None] * _alternating(bench)
    found = _first_step(bench, initial_joint_offset=offset)[2]
    return equals(found, offset, 1e-3, "joints are where the table says, those that move freely in flight [rad]")


def initial_joint_vel(bench: Bench) -> Outcome:
    """Begin with moving joints that nothing drives."""
    velocity = bench.ramp(-1.0, 1.0)[:, None] * _alternating(bench)
    found = _first_step(bench, initial_joint_vel=velocity)[2]
    return equals(found, velocity * bench.step_dt, 2e-3, "joints move by velocity times time [rad]")


def _alternating(bench: Bench) -> np.ndarray:
    """Return 1 and -1 in turn for each joint, which leaves the base nearly at rest."""
    return (-1.0) ** np.arange(bench.spec.num_joints)


def _first_step(bench: Bench, **values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Begin an episode in the air with limp joints, and let a control step pass.

    Returns:
        How far the base is from its origin, its fall taken off [m], (num_envs, 3); direction of gravity in its frame,
        and sine and cosine of its heading, (num_envs, 5); joint positions from the default ones [rad].
    """
    origins = bench.env.scene.env_origins.clone()
    default_height = bench.env.robot.data.default_root_pose.torch[0, 2].item()
    origins[:, 2] += FLIGHT_HEIGHT_M - default_height
    bench.put(**limp(bench), **values)
    bench.fly()
    bench.randomization.initial_state.write(bench.everyone, origins)
    bench.env.locomotion.reset(slice(None))
    bench.step()
    pose = bench.env.robot.data.root_link_pose_w.torch.cpu().numpy()
    moved = pose[:, :3] - origins.cpu().numpy()
    moved[:, 2] += 0.5 * GRAVITY_M_S2 * bench.step_dt**2 - default_height
    gravity = bench.env.locomotion.projected_gravity_b.cpu().numpy()
    yaw = heading(np.roll(pose[:, 3:], 1, axis=1))  # Isaac Lab's order is (x, y, z, w)
    turned = np.concatenate([gravity, np.stack([np.sin(yaw), np.cos(yaw)], axis=1)], axis=1)
    return moved, turned, bench.joint_pos() - bench.default_pose


def _gravity_direction_and_heading(angles: np.ndarray) -> np.ndarray:
    """Return what `_first_step` finds of a base turned by angles [rad] about x, then y, then z, (num_envs, 5)."""
    roll, pitch, yaw = angles.T
    gravity = [np.sin(pitch), -np.sin(roll) * np.cos(pitch), -np.cos(roll) * np.cos(pitch)]
    return np.stack([*gravity, np.sin(yaw), np.cos(yaw)], axis=1)
