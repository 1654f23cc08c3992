"""Steps an environment without a velocity command, joint targets or sensors; prints what it saw as one line of JSON."""

import json
import os

import torch

from surefoot.engines import install_shims


def main() -> dict:
    """Take the Go2's scene, and of its terms only those that read nothing of a command or an action."""
    install_shims()
    import gymnasium
    from isaaclab.app import launch_simulation
    from isaaclab.envs.mdp import JointEffortActionCfg
    from isaaclab.managers import ObservationGroupCfg, ObservationTermCfg, RewardTermCfg
    from isaaclab.utils import configclass
    from isaaclab_tasks.utils import resolve_task_config

    from surefoot import mdp
    from surefoot.task_registry import check_task

    @configclass
    class Actions:
        effort = JointEffortActionCfg(asset_name="robot", joint_names=[".*"])

    @configclass
    class Group(ObservationGroupCfg):
        base_height = ObservationTermCfg(func=mdp.observations.base_height)
        joint_vel = ObservationTermCfg(func=mdp.observations.joint_velocity)

    @configclass
    class Observations:
        policy: Group = Group()

    @configclass
    class Rewards:
        alive = RewardTermCfg(func=mdp.rewards.alive, weight=1.0)
        feet_air_time = RewardTermCfg(
            func=mdp.rewards.feet_air_time, weight=1.0, params={"threshold_s": 0.1, "max_s": 0.3}
        )

    task = check_task("Surefoot-Velocity-Flat-Go2")
    cfg, _ = resolve_task_config(task, "rsl_rl_cfg_entry_point", overrides=["physics=ovphysx"])
    cfg.sim.device, cfg.scene.num_envs, cfg.seed = "cpu", 4, 3
    cfg.actions, cfg.observations, cfg.rewards, cfg.proprioception = Actions(), Observations(), Rewards(), ()
    cfg.commands.base_velocity = cfg.curriculum.command_range = None
    with launch_simulation(cfg, {"device": "cpu", "headless": True}):
        env = gymnasium.make(task, cfg=cfg).unwrapped
        env.reset()
        for _ in range(5):
            observations, reward, *_ = env.step(torch.zeros(4, 12))
        seen = {
            "observed": list(observations["policy"].shape),
            "is_finite": bool(torch.isfinite(reward).all() and torch.isfinite(observations["policy"]).all()),
            "moving": env.moving.tolist(),
            "has_sensors": "proprioception" in vars(env),
        }
        env.close()
    return seen


if __name__ == "__main__":
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    answer.write(json.dumps(main()) + "\n")
