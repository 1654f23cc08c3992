"""Steps an environment without a velocity command, joint targets or sensors; prints what it saw as one line of JSON."""

import torch
from tests.sim.children import answer, open_task


def main() -> dict:
    """Take the Go2's scene, and of its terms only those that read nothing of a command or an action."""
    from isaaclab.envs.mdp import JointEffortActionCfg
    from isaaclab.managers import ObservationGroupCfg, ObservationTermCfg, RewardTermCfg
    from isaaclab.utils import configclass

    from surefoot import mdp

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

    def make_bare(cfg):
        cfg.scene.num_envs = 4
        cfg.actions, cfg.observations, cfg.rewards, cfg.proprioception = Actions(), Observations(), Rewards(), ()
        cfg.commands.base_velocity = cfg.curriculum.command_range = None

    with open_task("ovphysx", make_bare) as env:
        for _ in range(5):
            observations, reward, *_ = env.step(torch.zeros(4, 12))
        return {
            "observed": list(observations["policy"].shape),
            "is_finite": bool(torch.isfinite(reward).all() and torch.isfinite(observations["policy"]).all()),
            "moving": env.moving.tolist(),
            "has_sensors": "proprioception" in vars(env),
        }


if __name__ == "__main__":
    answer(main)
