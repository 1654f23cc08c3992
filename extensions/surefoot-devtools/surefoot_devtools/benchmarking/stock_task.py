"""Isaac Lab's stock Go2 velocity task on the same robot model, engine and reset events as ours, and on flat ground.

On rough ground its own 10 x 20 tiles of 8 m stand beside ours of 6 m: each trains on what it ships.

What differs is left as Isaac Lab ships it: observation, reward, command and termination terms, contact sensor of every
body, actuators on the native path, action term. What is replaced are files that live on a server (robot, ground, sky).
"""

# Isaac Lab's term configurations take classes too, which their types do not say.
# pyright: reportArgumentType=false

from __future__ import annotations

from typing import Any

from surefoot.task_config import resolve_task
from surefoot_robots import get_robot

STOCK_TASK = "Isaac-Velocity-Flat-UnitreeGo2"
STOCK_ROUGH_TASK = "Isaac-Velocity-Rough-UnitreeGo2"

STOCK_FIRST_LEVELS = 6
"""Levels on which robots of the stock rough task begin (its ``max_init_terrain_level`` is 5, the last of them)."""

PUSH_INTERVAL_S = (5.0, 10.0)
PUSH_SPEED_M_S = 0.5
"""Pushes of both: along each horizontal axis up to this speed."""


def stock_randomization() -> Any:
    """Return the configuration that makes ours random in what the stock task is: noise of the sensors, and pushes."""
    from surefoot.randomization.parameter import absolute
    from surefoot.randomization.presets import sensor_noise
    from surefoot.randomization.randomization_cfg import RandomizationCfg

    speed = (PUSH_SPEED_M_S, PUSH_SPEED_M_S, 0.0)
    pushes = {
        "push_velocity": absolute(tuple(-component for component in speed), speed),
        "push_velocity_interval": absolute(*PUSH_INTERVAL_S),
    }
    return RandomizationCfg(preset="none", ranges={**sensor_noise(), **pushes})


def stock_task(our_cfg: Any) -> str:
    """Return the id of the stock task beside one of ours, on rough ground where ours has a field."""
    return STOCK_TASK if our_cfg.field is None else STOCK_ROUGH_TASK


def open_ground(our_cfg: Any) -> None:
    """Put our robots on all ground of a field, and on as many levels as the stock task's begin on."""
    if our_cfg.field is not None:
        our_cfg.field.first_phase = list(our_cfg.field.phases)[-1]
        our_cfg.field.first_levels = STOCK_FIRST_LEVELS


def _axes(our_cfg: Any, linear: str, angular: str) -> dict[str, tuple[float, float]]:
    """Return the ranges of two of our vectors as Isaac Lab's terms name them."""
    ends = {}
    for name, axes in ((linear, ("x", "y", "z")), (angular, ("roll", "pitch", "yaw"))):
        drawn = our_cfg.initial_state[name]
        low, high = (end if isinstance(end, tuple) else (end,) * 3 for end in (drawn.low, drawn.high))
        ends |= dict(zip(axes, zip(low, high, strict=True), strict=True))
    return ends


def stock_env_cfg(our_cfg: Any, *, physics: str) -> tuple[Any, Any]:
    """Build the stock environment and agent configuration beside one of our Go2 environment.

    Args:
        our_cfg: Resolved configuration of ``Surefoot-Velocity-Flat-Go2``, or of ``-RoughScan-``.
        physics: Name of the engine's preset.

    Returns:
        Environment and agent configuration, resolved.
    """
    from isaaclab.envs import mdp
    from isaaclab.managers import EventTermCfg

    cfg, agent = resolve_task(stock_task(our_cfg), physics)
    cfg.sim.physics = our_cfg.sim.physics
    cfg.sim.dt = our_cfg.sim.dt
    cfg.decimation = our_cfg.decimation
    cfg.scene.sky_light = None
    if our_cfg.field is None:
        cfg.scene.terrain = None
        cfg.scene.ground = our_cfg.scene.ground
    else:
        cfg.scene.terrain.visual_material = None
        base = get_robot(our_cfg.robot_name).base_body
        cfg.scene.height_scanner.prim_path = f"{{ENV_REGEX_NS}}/Robot/Geometry/{base}"
    cfg.scene.robot.spawn = our_cfg.scene.robot.spawn
    cfg.scene.robot.init_state = our_cfg.scene.robot.init_state
    cfg.scene.contact_forces.prim_path = "{ENV_REGEX_NS}/Robot/Geometry/.*"
    cfg.commands.base_velocity.debug_vis = False
    cfg.rewards.base_height_l2.params["target_height"] = our_cfg.rewards.base_height.params["target_m"]
    # Start-up randomization costs nothing per step; resets and pushes are as in ours.
    cfg.events.physics_material = None
    cfg.events.add_base_mass = None
    cfg.events.base_com = None
    cfg.events.base_external_force_torque = None
    cfg.events.reset_base = EventTermCfg(
        func=mdp.reset_root_state_uniform,
        mode="reset",
        params={
            "pose_range": _axes(our_cfg, "initial_position", "initial_orientation"),
            "velocity_range": _axes(our_cfg, "initial_lin_vel", "initial_ang_vel"),
        },
    )
    offset = our_cfg.initial_state["initial_joint_offset"]
    cfg.events.reset_robot_joints = EventTermCfg(
        func=mdp.reset_joints_by_offset,
        mode="reset",
        params={"position_range": (offset.low, offset.high), "velocity_range": (0.0, 0.0)},
    )
    cfg.events.push_robot = EventTermCfg(
        func=mdp.push_by_setting_velocity,
        mode="interval",
        interval_range_s=PUSH_INTERVAL_S,
        params={"velocity_range": dict.fromkeys(("x", "y"), (-PUSH_SPEED_M_S, PUSH_SPEED_M_S))},
    )
    return cfg, agent
