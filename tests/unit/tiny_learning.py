"""A vector environment of a few lines and the configuration to train in it, without an engine."""

from types import SimpleNamespace

import torch
from rsl_rl.env import VecEnv
from tensordict import TensorDict

NUM_ENVS, NUM_OBS, NUM_ACTIONS = 8, 3, 2


class TinyEnv(VecEnv):
    """Observations are noise; the reward is the first action; episodes last four steps.

    ``corrupt`` may change what a step returns: it is called with (step, observations, rewards).
    """

    def __init__(self, num_envs=NUM_ENVS, corrupt=None, device="cpu"):
        self.num_envs, self.num_actions, self.max_episode_length = num_envs, NUM_ACTIONS, 4
        self.device, self.cfg, self.extras = device, SimpleNamespace(robot_name="tiny"), {}
        self.episode_length_buf = torch.zeros(num_envs, dtype=torch.long, device=device)
        self.corrupt = corrupt
        self.steps = 0
        self.actions = []

    @property
    def unwrapped(self):
        return self

    def get_observations(self):
        return TensorDict(
            {"policy": torch.randn(self.num_envs, NUM_OBS, device=self.device)}, batch_size=[self.num_envs]
        )

    def step(self, actions):
        self.actions.append(actions.clone())
        self.episode_length_buf += 1
        dones = (self.episode_length_buf >= self.max_episode_length).long()
        self.episode_length_buf[dones.bool()] = 0
        obs, rewards = self.get_observations(), actions[:, 0].clone()
        if self.corrupt is not None:
            self.corrupt(self.steps, obs, rewards)
        self.steps += 1
        return obs, rewards, dones, {"time_outs": dones.bool()}


def tiny_config(**algorithm):
    network = {"class_name": "MLPModel", "hidden_dims": [8], "activation": "elu"}
    gaussian = {"class_name": "GaussianDistribution", "init_std": 1.0}
    return {
        "num_steps_per_env": 4,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": {**network, "distribution_cfg": gaussian},
        "critic": network,
        "algorithm": {
            "class_name": "surefoot.learning.ppo:SurefootPPO",
            "num_learning_epochs": 2,
            "num_mini_batches": 2,
            **algorithm,
        },
    }
