"""Drives a play session in an engine and prints what it saw as one line of JSON.

Usage: python play_probe.py RUN PHYSICS LOG
"""

import torch
from tests.sim.children import answer

from surefoot.engines import check_physics
from surefoot.playing import schedule as schedule_module
from surefoot.playing.rollout import Recorder, run_episodes
from surefoot.playing.run_files import find_policy
from surefoot.playing.schedule import PUSH_SPEED, draw_schedule
from surefoot.playing.session import PlaySession, open_session

NUM_ENVS = 8


def main(run: str, physics: str, log: str) -> dict:
    """Probe."""
    with open_session(
        find_policy(run),
        physics=check_physics(physics, "cpu"),
        device="cpu",
        num_envs=NUM_ENVS,
        seed=1,
        noise=False,
        randomization="none",
        log=log,
    ) as session:
        return _commands(session) | _push_in_flight(session) | _fall(session) | _episode(session)


def _commands(session: PlaySession) -> dict:
    """Walk for longer than the environment itself keeps a command."""
    first, second = torch.full((NUM_ENVS, 3), 0.3), torch.full((NUM_ENVS, 3), -0.2)
    session.reset(first)
    shown_first = session.env.obs_buf["policy"][:, -3:].clone()
    changed = 0
    for _ in range(260):
        session.step(second)
        changed += int(not torch.equal(session.env.command, second))
    return {
        "first_command_shown": torch.allclose(shown_first, first),
        "second_command_shown": torch.allclose(session.env.obs_buf["policy"][:, -3:], second),
        "commands_redrawn": changed,
        "standing_falls": int(session.fell().sum()),
    }


def _push_in_flight(session: PlaySession) -> dict:
    """Push along x in mid-air, where no joint's motion can move the centre of mass, and see how far that carries it."""
    command = torch.zeros(NUM_ENVS, 3)
    session.reset(command)
    robot = session.env.robot
    pose = robot.data.default_root_pose.torch.clone()
    pose[:, :3] += session.env.scene.env_origins + torch.tensor([0.0, 0.0, 2.0])
    robot.write_root_link_pose_to_sim_index(root_pose=pose)
    robot.write_root_com_velocity_to_sim_index(root_velocity=torch.zeros(NUM_ENVS, 6))
    session.step(command)
    before = _centre_of_mass_x(session)
    session.push(torch.tensor([PUSH_SPEED, 0.0]).expand(NUM_ENVS, 2))
    session.step(command)
    return {"pushed_m": (_centre_of_mass_x(session) - before).tolist()}


def _centre_of_mass_x(session: PlaySession) -> torch.Tensor:
    """Return where the whole robots' centres of mass are along world x [m], (num_envs,)."""
    data = session.env.robot.data
    mass = data.body_mass.torch  # (num_envs, num_bodies)
    return (data.body_com_pos_w.torch[..., 0] * mass).sum(1) / mass.sum(1)


def _fall(session: PlaySession) -> dict:
    """Lay every second robot on its back and see that the episode goes on."""
    command = torch.zeros(NUM_ENVS, 3)
    session.reset(command)
    robot = session.env.robot
    pose = robot.data.root_link_pose_w.torch.clone()
    pose[::2, 3:] = torch.tensor([1.0, 0.0, 0.0, 0.0])  # half a turn about x
    robot.write_root_link_pose_to_sim_index(root_pose=pose)
    for _ in range(25):
        session.step(command)
    return {"fell": session.fell().tolist(), "episode_steps": session.env.episode_length_buf.tolist()}


def _episode(session: PlaySession) -> dict:
    """Play episodes of two seconds."""
    schedule_module.EPISODE_S = 2.0
    schedule = draw_schedule(NUM_ENVS, seed=1, step_dt=session.env.step_dt, command=(0.0, 0.0, 0.0))
    recorder = Recorder(0)
    metrics = run_episodes(session, schedule, recorder=recorder)
    recording = recorder.recording(robot=session.robot.name, task="task", step_dt=schedule.step_dt)
    return {
        "figures": metrics.figures(),
        "recorded_steps": recording.num_steps,
        "recorded_height_m": float(recording.base_pos[-1, 2]),
        "recorded_upright": float(abs(recording.base_quat_wxyz[-1, [1, 2]]).max()),
    }


if __name__ == "__main__":
    answer(main)
