"""Configuration of velocity environments, built from a robot's specification by pure functions."""

# Isaac Lab's term configurations take classes too, which their types do not say.
# pyright: reportArgumentType=false

from __future__ import annotations

import math

import isaaclab.sim as sim_utils
from isaaclab.assets import ArticulationCfg, AssetBaseCfg
from isaaclab.managers import CurriculumTermCfg, EventTermCfg, ObservationTermCfg, TerminationTermCfg
from isaaclab.managers import ObservationGroupCfg as GroupCfg
from isaaclab.scene import InteractiveSceneCfg
from isaaclab.sensors import ContactSensorCfg
from isaaclab.sim import SimulationCfg
from isaaclab.utils import configclass
from isaaclab_tasks.utils import PresetCfg

from surefoot.actuators.action_cfg import JointTargetActionCfg
from surefoot.actuators.actuator_cfg import make_actuator_cfg
from surefoot.engines import make_physics_cfg
from surefoot.envs.env_cfg import SurefootEnvCfg
from surefoot.envs.mdp import commands, events, observations, terminations
from surefoot.envs.mdp.commands_cfg import VelocityCommandCfg
from surefoot.envs.robot_cfg import make_robot_cfg
from surefoot.randomization.parameter import Range, absolute
from surefoot.randomization.presets import sensor_noise
from surefoot.randomization.randomization_cfg import RandomizationCfg
from surefoot.sensors.layout import standard_terms
from surefoot.sensors.observation import FusedProprioception
from surefoot.terrains import FLAT_GROUND_USD
from surefoot.terrains.terrain import FLAT, Terrain
from surefoot_bridge.errors import SurefootError
from surefoot_robots import RobotSpec

from .rewards_cfg import RewardsCfg, make_rewards_cfg

PHYSICS_DT_S = 0.005
"""Physics step [s]: 200 Hz, the rate of a quadruped's low-level loop."""

DECIMATION = 4
"""Physics steps per control step: policies run at 50 Hz."""

EPISODE_LENGTH_S = 20.0
"""Episode length [s], long enough for several commands and pushes."""

HISTORY = 3
"""Control steps in the actor's observation: 0.06 s, from which base velocity can be told without measuring it."""

FALL_TILT_RAD = math.radians(60.0)
"""Tilt that counts as a fall; no walking robot comes back from it with its legs alone."""


@configclass
class PhysicsPresets(PresetCfg):
    """Engines of a task, chosen with ``physics=NAME``."""

    ovphysx = make_physics_cfg("ovphysx")
    newton_mjwarp = make_physics_cfg("newton_mjwarp")
    isaacsim_physx = make_physics_cfg("isaacsim_physx")
    default = newton_mjwarp


@configclass
class SceneCfg(InteractiveSceneCfg):
    """Ground, light, robot and the contact sensor of its feet and of the bodies that must not touch the ground."""

    ground: AssetBaseCfg | None = None
    light: AssetBaseCfg | None = None
    robot: ArticulationCfg | None = None
    contacts: ContactSensorCfg | None = None


@configclass
class ActionsCfg:
    """Joint position targets."""

    joint_target: JointTargetActionCfg | None = None


@configclass
class CommandsCfg:
    """Base velocity."""

    base_velocity: VelocityCommandCfg | None = None


@configclass
class PolicyObservationsCfg(GroupCfg):
    """What the robot's sensors give over the last control steps: the terms of the environment's ``proprioception``."""

    proprioception = ObservationTermCfg(func=FusedProprioception)
    height_scan: ObservationTermCfg | None = None

    def __post_init__(self) -> None:
        """Noise is the sensors' own."""
        self.enable_corruption = False
        self.concatenate_terms = True


@configclass
class CriticObservationsCfg(GroupCfg):
    """The present state without noise, and what only a simulation knows of it."""

    base_ang_vel = ObservationTermCfg(func=observations.base_ang_vel)
    projected_gravity = ObservationTermCfg(func=observations.projected_gravity)
    joint_pos = ObservationTermCfg(func=observations.joint_position)
    joint_vel = ObservationTermCfg(func=observations.joint_velocity)
    last_action = ObservationTermCfg(func=observations.last_action)
    velocity_command: ObservationTermCfg | None = ObservationTermCfg(func=observations.velocity_command)
    base_lin_vel = ObservationTermCfg(func=observations.base_lin_vel)
    base_height = ObservationTermCfg(func=observations.base_height)
    foot_contact = ObservationTermCfg(func=observations.foot_contact)
    foot_air_time = ObservationTermCfg(func=observations.foot_air_time)
    sole_height = ObservationTermCfg(func=observations.sole_height)
    motor_torque = ObservationTermCfg(func=observations.motor_torque)
    randomized = ObservationTermCfg(func=observations.randomized)
    height_scan: ObservationTermCfg | None = None

    def __post_init__(self) -> None:
        """Concatenate the group and leave it uncorrupted."""
        self.enable_corruption = False
        self.concatenate_terms = True


@configclass
class ObservationsCfg:
    """Groups of the actor and of the critic."""

    policy: PolicyObservationsCfg = PolicyObservationsCfg()
    critic: CriticObservationsCfg = CriticObservationsCfg()


@configclass
class EventsCfg:
    """Placing the robot at the start of each episode; pushes are the randomization's."""

    initial_state = EventTermCfg(func=events.reset_to_initial_state, mode="reset")


@configclass
class TerminationsCfg:
    """Falls and the end of time."""

    time_out = TerminationTermCfg(func=terminations.time_out, time_out=True)
    fall_contact = TerminationTermCfg(func=terminations.fall_contact)
    tilt = TerminationTermCfg(func=terminations.tilt, params={"limit_rad": FALL_TILT_RAD})
    not_finite = TerminationTermCfg(func=terminations.not_finite)
    left_field: TerminationTermCfg | None = None


@configclass
class CurriculumCfg:
    """From standing to the full command range, and from easy to hard ground where there is a field."""

    command_range: CurriculumTermCfg | None = CurriculumTermCfg(
        func=commands.CommandRange,
        params={"std": 0.5, "threshold": 0.7, "increment": 0.1, "interval_steps": 120},
    )
    terrain_levels: CurriculumTermCfg | None = None


@configclass
class VelocityEnvCfg(SurefootEnvCfg):
    """Environment in which a legged robot follows a commanded velocity."""

    scene: SceneCfg | None = None
    sim: SimulationCfg | None = None
    actions: ActionsCfg | None = None
    commands: CommandsCfg | None = None
    observations: ObservationsCfg = ObservationsCfg()
    rewards: RewardsCfg | None = None
    events: EventsCfg = EventsCfg()
    terminations: TerminationsCfg = TerminationsCfg()
    curriculum: CurriculumCfg = CurriculumCfg()
    decimation: int = DECIMATION
    episode_length_s: float = EPISODE_LENGTH_S

    def play_mode(self) -> None:
        """Full command range from the start, no curriculum, and the nominal robot with the noise of its sensors.

        On a field, robots are then spread over all levels.
        """
        assert self.commands is not None
        assert self.commands.base_velocity is not None
        self.commands.base_velocity.initial_range_share = 1.0
        self.curriculum.command_range = self.curriculum.terrain_levels = None
        self.randomization = RandomizationCfg(preset="none", ranges=dict(sensor_noise()))


def make_velocity_env_cfg(spec: RobotSpec, *, terrain: Terrain = FLAT) -> VelocityEnvCfg:
    """Build the velocity environment of a robot.

    Args:
        spec: The robot.
        terrain: Ground to walk on.

    Returns:
        The configuration; presets for the physics engine are not resolved yet.

    Raises:
        SurefootError: If the ground is not flat.
    """
    if terrain.kind != "flat":
        raise SurefootError(
            f"The velocity task cannot be trained on ground that is {terrain.words()}: its rewards and terminations "
            "measure heights above the plane z = 0. Valid: flat. Train on all kinds of ground with the task "
            "Surefoot-Velocity-Rough; a policy is judged on one kind by surefoot verify."
        )
    return VelocityEnvCfg(
        robot_name=spec.name,
        mirror_kinds=dict(observations.MIRROR_KINDS),
        randomization=RandomizationCfg(preset="mild"),
        proprioception=standard_terms(HISTORY),
        scene=SceneCfg(
            num_envs=4096,
            env_spacing=2.5,
            ground=AssetBaseCfg(
                prim_path="/World/ground", spawn=sim_utils.UsdFileCfg(usd_path=str(FLAT_GROUND_USD)), collision_group=-1
            ),
            light=AssetBaseCfg(prim_path="/World/light", spawn=sim_utils.DomeLightCfg(intensity=750.0)),
            robot=make_robot_cfg(spec, make_actuator_cfg(spec)),
            contacts=make_contact_cfg(spec),
        ),
        sim=SimulationCfg(
            dt=PHYSICS_DT_S, render_interval=DECIMATION, physics=PhysicsPresets(), use_newton_actuators=False
        ),
        actions=ActionsCfg(
            joint_target=JointTargetActionCfg(
                asset_name="robot", scale={name: spec.action_scale_rad[name] for name in spec.joint_names}
            )
        ),
        commands=CommandsCfg(base_velocity=make_command_cfg(spec)),
        rewards=make_rewards_cfg(spec),
        initial_state=make_initial_state(spec),
    )


def make_initial_state(spec: RobotSpec) -> dict[str, Range]:
    """Ranges of initial states from which a robot can learn to stay up."""
    speed, joint_offset = spec.tuning.initial_speed, spec.tuning.initial_joint_offset_rad
    return {
        "initial_position": absolute((-0.5, -0.5, 0.0), (0.5, 0.5, 0.0)),
        "initial_orientation": absolute((0.0, 0.0, -math.pi), (0.0, 0.0, math.pi)),
        "initial_lin_vel": absolute(-speed, speed),
        "initial_ang_vel": absolute(-speed, speed),
        "initial_joint_offset": absolute(-joint_offset, joint_offset),
    }


def make_contact_cfg(spec: RobotSpec) -> ContactSensorCfg:
    """Contact sensor of the feet and of the bodies whose contact is a fall."""
    bodies = "|".join((*spec.foot_bodies, *spec.fall_bodies))
    return ContactSensorCfg(prim_path=f"{{ENV_REGEX_NS}}/Robot/Geometry/.*({bodies})", update_period=0.0)


def make_command_cfg(spec: RobotSpec) -> VelocityCommandCfg:
    """Velocity commands that a robot can follow on flat ground."""
    forward, lateral, yaw = spec.tuning.lin_vel_x_m_s, spec.tuning.lin_vel_y_m_s, spec.tuning.ang_vel_z_rad_s
    return VelocityCommandCfg(
        asset_name="robot",
        resampling_time_range=(5.0, 5.0),
        rel_standing_envs=0.1,
        heading_command=False,
        rel_heading_envs=0.0,
        debug_vis=False,
        ranges=VelocityCommandCfg.Ranges(
            lin_vel_x=(-forward, forward), lin_vel_y=(-lateral, lateral), ang_vel_z=(-yaw, yaw)
        ),
        initial_range_share=0.3,
    )
