"""Velocity tasks on a field of many kinds of ground: the task on flat ground, and what the field adds to it."""

# Isaac Lab's term configurations take classes too, which their types do not say.
# pyright: reportArgumentType=false

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

from isaaclab.managers import CurriculumTermCfg, ObservationTermCfg, TerminationTermCfg
from isaaclab.utils.noise import UniformNoiseCfg

from surefoot.envs.mdp import curricula, observations, terminations
from surefoot.randomization.adaptive.bounds import AdaptiveCfg
from surefoot.terrains.field_cfg import COLUMNS, FieldCfg, PhaseCfg
from surefoot_robots import RobotSpec

from .env_cfg import VelocityEnvCfg, make_velocity_env_cfg

ENV_SPACING_M = 0.5
"""Between environments before their robots are put onto tiles; they stand beside the field so."""

COMMAND_S = 10.0
"""How long a command holds [s], as in Isaac Lab's rough velocity task: long enough to get off a tile."""

INITIAL_RANGE_SHARE = 0.5
"""Share of the commands' range that training begins with. At less no robot leaves its tile within an episode, and
levels, which rise with the way that is walked, would wait for the range."""

PHASES = {
    "stand": PhaseCfg(ground=tuple(COLUMNS), weight=1.0, commands=0.0, success=0.9),
    "flat": PhaseCfg(ground=("flat",), weight=2.0, success=0.8, all_levels=True),
    "rough": PhaseCfg(ground=("rough", "waves"), weight=3.0, success=0.6, level=2.0),
    "slopes": PhaseCfg(ground=("slope_up", "slope_down"), weight=4.0, success=0.6, level=2.0),
    "stairs": PhaseCfg(ground=("stairs_up", "stairs_down"), weight=6.0, success=0.5, level=2.0),
    "mixed": PhaseCfg(ground=("obstacles", "gaps", "stones", "mixed"), weight=4.0, success=0.5, level=2.0),
}
"""From the easiest on. Robots stand on the level platforms of all tiles, so as not to crowd on few. Where there are
levels, robots that succeed go on to harder ones until they fail as often: of their success less is asked there, and
something of their level. They begin on the first three, on level 1 in the mean. Weights add up to 20: a twentieth of
the environments stands for good."""

ADAPTIVE = AdaptiveCfg(scheme="bounds", initial_share=0.5, widen_above=0.8, narrow_below=0.5)
"""Ranges of the randomization, pushes among them, grow with success. They begin half way, and move at lower rates of
success than elsewhere: levels rise until robots fall now and then, however little they are disturbed."""

SCAN_NOISE_M = 0.1
"""Largest error of a height that an actor sees [m], as in Isaac Lab's rough velocity task."""


def make_rough_env_cfg(spec: RobotSpec, *, actor_scans: bool) -> VelocityEnvCfg:
    """Build the velocity environment of a robot on a field of ground of all kinds, which gets harder with success.

    What rises with success: open phases, levels within them, the commands' range, and randomization with its pushes.

    The critic sees a height scan.

    Args:
        spec: The robot.
        actor_scans: Whether the actor sees one as well; without it, it sees what it sees on flat ground, so that
            training may begin with a policy from there.

    Returns:
        The configuration; presets for the physics engine are not resolved yet.
    """
    cfg = make_velocity_env_cfg(spec)
    cfg.field = FieldCfg(phases=deepcopy(PHASES))
    cfg.randomization.adaptive = replace(ADAPTIVE)
    assert cfg.scene is not None
    cfg.scene.env_spacing = ENV_SPACING_M
    assert cfg.commands is not None
    command = cfg.commands.base_velocity
    assert command is not None
    command.resampling_time_range = (COMMAND_S, COMMAND_S)
    command.initial_range_share = INITIAL_RANGE_SHARE
    cfg.observations.critic.height_scan = ObservationTermCfg(func=observations.height_scan)
    if actor_scans:
        noise = UniformNoiseCfg(n_min=-SCAN_NOISE_M, n_max=SCAN_NOISE_M)
        cfg.observations.policy.height_scan = ObservationTermCfg(func=observations.height_scan, noise=noise)
        cfg.observations.policy.enable_corruption = True
    cfg.terminations.left_field = TerminationTermCfg(func=terminations.left_field, time_out=True)
    cfg.curriculum.terrain_levels = CurriculumTermCfg(func=curricula.terrain_levels)
    return cfg
