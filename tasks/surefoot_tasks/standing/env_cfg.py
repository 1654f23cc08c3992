"""Configuration of getting up and of standing still, built from a robot's specification by pure functions.

Both are the velocity task's scene, engines, sensors and actions on flat ground, without a command: the actor sees what
the robot measures, and its own last actions.
"""

# Isaac Lab's term configurations take classes too, which their types do not say.
# pyright: reportArgumentType=false

from __future__ import annotations

import math

from isaaclab.managers import EventTermCfg, TerminationTermCfg
from isaaclab.sim import SimulationCfg
from isaaclab.utils import configclass

from surefoot.envs.env_cfg import SurefootEnvCfg
from surefoot.envs.fall_cfg import FallCfg
from surefoot.envs.mdp import events, terminations
from surefoot.randomization.layout import EVENTS
from surefoot.randomization.parameter import Range, absolute
from surefoot.randomization.presets import sensor_noise
from surefoot.randomization.randomization_cfg import RandomizationCfg
from surefoot_robots import RobotSpec, mjcf
from surefoot_tasks.velocity.env_cfg import (
    ActionsCfg,
    EventsCfg,
    ObservationsCfg,
    SceneCfg,
    TerminationsCfg,
    make_velocity_env_cfg,
)

from .rewards_cfg import RecoveryRewardsCfg, StandRewardsCfg, make_recovery_rewards_cfg, make_stand_rewards_cfg

RECOVERY_S = 6.0
"""Episode length of getting up [s]: the 4 s that it may take, and time to stand."""

RECOVERY_ACTION_SCALE = 3.0
"""Action scale of getting up over that of walking. Legs must swing through most of their range to turn a robot over,
and an untrained policy must happen on it: what it tries is about one unit wide."""


@configclass
class NothingCfg:
    """Neither commands nor curricula."""


@configclass
class RecoveryTerminationsCfg:
    """The end of time alone: a robot that lies is what the task begins with."""

    time_out = TerminationTermCfg(func=terminations.time_out, time_out=True)
    not_finite = TerminationTermCfg(func=terminations.not_finite)


@configclass
class StandingEnvCfg(SurefootEnvCfg):
    """Environment in which a legged robot stands, or gets up to stand."""

    scene: SceneCfg | None = None
    sim: SimulationCfg | None = None
    actions: ActionsCfg | None = None
    commands: NothingCfg = NothingCfg()
    observations: ObservationsCfg | None = None
    rewards: RecoveryRewardsCfg | StandRewardsCfg | None = None
    events: EventsCfg = EventsCfg()
    terminations: RecoveryTerminationsCfg | TerminationsCfg | None = None
    curriculum: NothingCfg = NothingCfg()
    asks_for_motion: bool = False

    def play_mode(self) -> None:
        """The nominal robot with the noise of its sensors, one fall for each."""
        self.randomization = RandomizationCfg(preset="none", ranges=dict(sensor_noise()))
        if self.fall is not None:
            self.fall.drops = 1


def make_stand_env_cfg(spec: RobotSpec) -> StandingEnvCfg:
    """Build the environment in which a robot stands still where it is put, and is pushed."""
    walk = make_velocity_env_cfg(spec)
    walk.observations.critic.velocity_command = None
    return StandingEnvCfg(
        robot_name=spec.name,
        mirror_kinds=walk.mirror_kinds,
        randomization=walk.randomization,
        proprioception=tuple(term for term in walk.proprioception if term.source != "command"),
        scene=walk.scene,
        sim=walk.sim,
        decimation=walk.decimation,
        episode_length_s=walk.episode_length_s,
        actions=walk.actions,
        observations=walk.observations,
        rewards=make_stand_rewards_cfg(spec),
        terminations=walk.terminations,
        initial_state=walk.initial_state,
    )


def make_recovery_env_cfg(spec: RobotSpec) -> StandingEnvCfg:
    """Build the environment in which a robot stands up from any fall.

    It is not pushed: what is randomized is so as in the preset of the other tasks, without pushes.
    """
    cfg = make_stand_env_cfg(spec)
    cfg.episode_length_s = RECOVERY_S
    cfg.rewards = make_recovery_rewards_cfg(spec)
    cfg.terminations = RecoveryTerminationsCfg()
    cfg.events.initial_state = EventTermCfg(func=events.reset_to_fallen_pose, mode="reset")
    cfg.fall = FallCfg()
    cfg.initial_state = make_drop_state(spec)
    cfg.randomization.ranges = dict.fromkeys((*EVENTS, *(f"{event}_interval" for event in EVENTS)))
    assert cfg.actions is not None
    assert cfg.actions.joint_target is not None
    scale = cfg.actions.joint_target.scale
    cfg.actions.joint_target.scale = {name: RECOVERY_ACTION_SCALE * step for name, step in scale.items()}
    return cfg


def make_drop_state(spec: RobotSpec) -> dict[str, Range]:
    """Ranges of states from which robots are dropped: any orientation and joint angles, above the ground in all."""
    lower, default, upper = (
        spec.joint_values(name) for name in ("lower_limit_rad", "default_joint_pos", "upper_limit_rad")
    )
    height = mjcf.reach(spec.mjcf_path) - spec.base_height_m
    return {
        "initial_position": absolute((0.0, 0.0, height), (0.0, 0.0, height)),
        "initial_orientation": absolute((-math.pi, -math.pi / 2, -math.pi), (math.pi, math.pi / 2, math.pi)),
        "initial_joint_offset": absolute(
            tuple(low - middle for low, middle in zip(lower, default, strict=True)),
            tuple(high - middle for high, middle in zip(upper, default, strict=True)),
        ),
    }
