"""Builds a velocity environment in one engine, exercises it and prints what it saw as one line of JSON.

A process holds one simulator at most, so the tests of test_velocity_env.py run this in a child process per engine.
"""

import os
from pathlib import Path

import torch
from tests.sim.children import answer, open_task

from surefoot.engines import polling_threads

NUM_ENVS = 8

TASKS = Path("/proc/self/task")


def main(task: str, physics: str) -> dict:
    """Run every probe; the keys of the result are what the tests ask for."""
    with open_task(physics, lambda cfg: setattr(cfg.scene, "num_envs", NUM_ENVS), task) as env:
        return {
            "joint_names": list(env.robot.joint_names),
            "spec_joint_names": list(env.robot_spec.joint_names),
            "handles_decimation": env._substeps_per_call > 1,
            "num_idle_threads": sum(policy_of(task.name) == os.SCHED_IDLE for task in TASKS.iterdir()),
            "num_busy_polling_threads": sum(policy_of(task) != os.SCHED_IDLE for task in polling_threads()),
            **standing(env),
            **random_actions(env),
            **push_in_flight(env),
            **mirrored_motion(env),
            **drives_in_flight(env),
            **contact_reports(env),
            **first_observations(env),
        }


def policy_of(task: int | str) -> int:
    return os.sched_getscheduler(int(task))


def place(env, height_m: float, joint_pos: torch.Tensor | None = None, root_vel: torch.Tensor | None = None) -> None:
    """Put every robot level at a height, at rest unless told otherwise."""
    robot = env.robot
    pose = robot.data.default_root_pose.torch.clone()
    pose[:, :3] += env.scene.env_origins
    pose[:, 2] = height_m
    robot.write_root_pose_to_sim_index(root_pose=pose)
    robot.write_root_velocity_to_sim_index(root_velocity=torch.zeros(NUM_ENVS, 6) if root_vel is None else root_vel)
    joint_pos = robot.data.default_joint_pos.torch.clone() if joint_pos is None else joint_pos
    robot.write_joint_position_to_sim_index(position=joint_pos)
    robot.write_joint_velocity_to_sim_index(velocity=torch.zeros_like(joint_pos))
    env.locomotion.reset(slice(None))


def standing(env) -> dict:
    """Stand on the default pose for a second and weigh the robot with its feet."""
    zero = torch.zeros(NUM_ENVS, env.robot_spec.num_joints)
    place(env, env.robot_spec.base_height_m)
    for _ in range(50):
        env.step(zero)
    weight_n = env.robot.data.body_mass.torch[0].sum().item() * 9.81
    state = env.locomotion
    return {
        "weight_ratio": (state.foot_force_n.sum(dim=1) / weight_n).tolist(),
        "standing_sole_height_m": state.sole_height_m.abs().max().item(),
        "standing_fall_force_n": state.fall_force_n.max().item(),
    }


def random_actions(env) -> dict:
    """Ten steps of random actions: how far each environment's joints went, and whether all numbers stayed finite."""
    place(env, env.robot_spec.base_height_m)
    before = env.robot.data.joint_pos.torch.clone()
    sensor, finite, force_error_n, heaviest_n, pos_error_m = env.scene["contacts"], True, 0.0, 0.0, 0.0
    foot_bodies = [env.robot.body_names.index(name) for name in env.robot_spec.foot_bodies]
    feet = [sensor.body_names.index(name) for name in env.robot_spec.foot_bodies]
    for _ in range(10):
        observations, reward, *_ = env.step(torch.randn(NUM_ENVS, env.robot_spec.num_joints))
        finite &= all(bool(torch.isfinite(group).all()) for group in observations.values())
        finite &= bool(torch.isfinite(reward).all())
        sensed_n = sensor.data.net_normal_forces_w.torch[:, feet].norm(dim=-1)
        kept = ~env.reset_buf  # a reset clears the sensor
        force_error_n = max(force_error_n, (env.locomotion.foot_force_n - sensed_n)[kept].abs().max().item())
        heaviest_n = max(heaviest_n, sensed_n.max().item())
        foot_pos_w = env.robot.data.body_link_pos_w.torch[:, foot_bodies]
        pos_error_m = max(pos_error_m, (env.locomotion.foot_pos_w - foot_pos_w)[kept].abs().max().item())
    moved = (env.robot.data.joint_pos.torch - before).abs().amax(dim=1)
    return {
        "smallest_motion_rad": moved.min().item(),
        "finite": finite,
        "foot_force_error_n": force_error_n,
        "heaviest_foot_force_n": heaviest_n,
        "foot_position_error_m": pos_error_m,
    }


def push_in_flight(env) -> dict:
    """Push robots in flight sideways and see them travel at that speed."""
    import isaaclab.envs.mdp as mdp

    place(env, 2.0)
    env.locomotion.update()
    start = env.robot.data.root_link_pos_w.torch[:, 1].clone()
    mdp.push_by_setting_velocity(env, torch.arange(NUM_ENVS), velocity_range={"y": (0.5, 0.5)})
    env.step(torch.zeros(NUM_ENVS, env.robot_spec.num_joints))
    return {
        "pushed_m": (env.robot.data.root_link_pos_w.torch[:, 1] - start).tolist(),
        "foot_force_after_take_off_n": env.locomotion.foot_force_n.max().item(),
    }


def mirrored_motion(env) -> dict:
    """Move odd environments as mirror images of even ones, on the ground, and compare what the critic sees."""
    action_map, critic_map = env.mirror_maps["action"], env.mirror_maps["critic"]
    env.command.zero_()
    generator = torch.Generator().manual_seed(5)

    def pair(values: torch.Tensor) -> torch.Tensor:
        return torch.stack((values, action_map.mirror(values)), dim=1).reshape(NUM_ENVS, -1)

    half = NUM_ENVS // 2
    offset = 0.1 * torch.randn(half, env.robot_spec.num_joints, generator=generator)
    place(env, env.robot_spec.base_height_m + 0.02, joint_pos=env.robot.data.default_joint_pos.torch + pair(offset))
    for _ in range(4):
        observations, *_ = env.step(pair(0.5 * torch.randn(half, env.robot_spec.num_joints, generator=generator)))
    critic = observations["critic"]
    difference = (critic_map.mirror(critic[0::2]) - critic[1::2]).abs()
    names, sizes = env.observation_manager.active_terms["critic"], env.observation_manager.group_obs_term_dim["critic"]
    errors = difference.split([size[0] for size in sizes], dim=1)
    worst = {name: error.max().item() for name, error in zip(names, errors, strict=True) if error.numel()}
    return {"mirror_error": worst}


def drives_in_flight(env) -> dict:
    """Fall freely for a step with the engine's short drive and with Isaac Lab's own, from one state."""
    if env._substeps_per_call > 1:
        return {}
    from surefoot.actuators.drive import LabDrive

    actions = torch.randn(NUM_ENVS, env.robot_spec.num_joints, generator=torch.Generator().manual_seed(7))
    ends = []
    for drive in (env._drive, LabDrive(env.robot)):
        env._drive = drive
        place(env, 2.0)
        env.step(actions)
        ends.append(env.robot.data.joint_pos.torch.clone())
    return {"drive_difference_rad": (ends[0] - ends[1]).abs().max().item()}


def contact_reports(env) -> dict:
    """Stagger from one state with contact reports of the last substep only, and of every substep."""
    scene_update, physx = env._scene_update, env._scene_update._physx
    if physx is None:
        return {}
    forces = []
    for lean in (physx, None):
        scene_update._physx = lean
        generator = torch.Generator().manual_seed(9)
        place(env, env.robot_spec.base_height_m + 0.05)
        for _ in range(20):
            env.step(torch.randn(NUM_ENVS, env.robot_spec.num_joints, generator=generator))
            forces.append(env.locomotion.foot_force_n.clone())
    lean, full = torch.stack(forces).chunk(2)  # (steps, num_envs, num_feet)
    lost = (full[:-1] > 0.0) & (full[1:] == 0.0)
    return {"lean_force_error_n": (lean - full).abs().max().item(), "contacts_lost": int(lost.sum())}


def first_observations(env) -> dict:
    """Stagger, break the state of one environment, let another's time run out, and see what their critics see first."""
    place(env, env.robot_spec.base_height_m)
    for _ in range(10):
        env.step(torch.randn(NUM_ENVS, env.robot_spec.num_joints))
    broken, out_of_time = 2, 5
    joint_pos = env.robot.data.joint_pos.torch[[broken]].clone()
    joint_pos[0, 0] = torch.nan
    env.robot.write_joint_position_to_sim_index(position=joint_pos, env_ids=torch.tensor([broken], dtype=torch.int32))
    env.episode_length_buf[:] = 0
    env.episode_length_buf[out_of_time] = env.max_episode_length
    observations, *_ = env.step(torch.randn(NUM_ENVS, env.robot_spec.num_joints))
    begun = env.reset_buf.nonzero().flatten().tolist()

    state, data = env.locomotion, env.robot.data
    names, sizes = env.observation_manager.active_terms["critic"], env.observation_manager.group_obs_term_dim["critic"]
    critic = dict(zip(names, observations["critic"].split([size[0] for size in sizes], dim=1), strict=True))
    feet = [env.robot.body_names.index(name) for name in env.robot_spec.foot_bodies]
    poses = data.body_link_pose_w.torch[:, feet]
    soles = torch.tensor(env.robot_spec.sole_offsets_m)  # (num_feet, points, 3)
    x, y, z, w = poses[..., 3:].unbind(-1)
    up_b = torch.stack((2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)), dim=-1)
    lowest = (soles * up_b[:, :, None]).sum(-1).amin(-1)  # (num_envs, num_feet)
    height = poses[..., 2] + lowest - env.robot_spec.sole_radius_m
    seen = {
        "begun_in": begun,
        "first_is_finite": all(bool(torch.isfinite(group).all()) for group in observations.values()),
        "first_sole_error_m": (critic["sole_height"] - height)[begun].abs().max().item(),
        "first_foot_error_m": (state.foot_pos_w - poses[..., :3])[begun].abs().max().item(),
        "first_joint_vel_error_rad_s": (state.joint_vel - data.joint_vel.torch)[begun].abs().max().item(),
    }
    unknown = {name: critic[name] for name in ("foot_contact", "foot_air_time", "motor_torque")}
    unknown |= {name: getattr(state, name) for name in ("foot_force_n", "foot_vel_w", "fall_force_n", "joint_acc")}
    seen["first_unknown"] = {name: value[begun].abs().max().item() for name, value in unknown.items()}
    others = [env_id for env_id in range(NUM_ENVS) if env_id not in begun]
    seen["others_motor_torque_nm"] = critic["motor_torque"][others].abs().max().item()
    return seen


if __name__ == "__main__":
    answer(main)
