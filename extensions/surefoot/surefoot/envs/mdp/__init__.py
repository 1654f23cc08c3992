"""Terms that tasks are made of: commands, observations, rewards, terminations and events of legged robots.

A reward is a function of :mod:`surefoot_rewards` or of the environment, and a line of configuration; see
:mod:`surefoot.envs.mdp.rewards`. What belongs to one task alone, its weights and ranges, stays with the task.
"""

from surefoot.envs.mdp import commands, curricula, events, observations, rewards, terminations

__all__ = ["commands", "curricula", "events", "observations", "rewards", "terminations"]
