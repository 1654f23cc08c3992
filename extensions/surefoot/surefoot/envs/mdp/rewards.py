"""Reward terms: the functions of :mod:`surefoot_rewards` on the state of an environment, and what needs more than it.

Each function there is a term here under its own name, ``rewards.foot_slip``: an argument's name says what it is given,
by :data:`STATE` from the environment, by :data:`ROBOT` from its robot, and what neither knows is a parameter of the
term. So a new reward is a function and a line of a task's configuration. A term of one's own may also be any function
of the environment that returns (num_envs,).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import torch
from isaaclab.managers import ManagerTermBase

from surefoot_rewards import TERMS, effort, gait, posture
from surefoot_robots import RobotSpec
from surefoot_robots.gait_pairs import alternating_phases, diagonal_feet, mirror_feet

if TYPE_CHECKING:
    from isaaclab.managers import RewardTermCfg

    from surefoot.envs.env import SurefootEnv

STATE: dict[str, Callable[[SurefootEnv], torch.Tensor]] = {
    "lin_vel_b": lambda env: env.locomotion.base_lin_vel_b,
    "ang_vel_b": lambda env: env.locomotion.base_ang_vel_b,
    "projected_gravity_b": lambda env: env.locomotion.projected_gravity_b,
    "base_height_m": lambda env: env.locomotion.base_height_m,
    "joint_pos": lambda env: env.locomotion.joint_pos,
    "joint_vel": lambda env: env.locomotion.joint_vel,
    "joint_acc": lambda env: env.locomotion.joint_acc,
    "torque_nm": lambda env: env.locomotion.motor_torque_nm,
    "sole_height_m": lambda env: env.locomotion.sole_height_m,
    "swing_peak_m": lambda env: env.locomotion.swing_peak_m,
    "foot_vel_w": lambda env: env.locomotion.foot_vel_w,
    "foot_force_n": lambda env: env.locomotion.foot_force_n,
    "foot_contact": lambda env: env.locomotion.foot_contact,
    "touchdown": lambda env: env.locomotion.touchdown,
    "air_time_s": lambda env: env.locomotion.air_time_s,
    "contact_time_s": lambda env: env.locomotion.contact_time_s,
    "last_air_time_s": lambda env: env.locomotion.last_air_time_s,
    "last_contact_time_s": lambda env: env.locomotion.last_contact_time_s,
    "action": lambda env: env.joint_target.raw_actions,
    "prev_action": lambda env: env.joint_target.previous_actions,
    "prev_prev_action": lambda env: env.joint_target.second_previous_actions,
    "command": lambda env: env.command,
    "moving": lambda env: env.moving,
    "terminated": lambda env: env.termination_manager.terminated,
}
"""What an argument of a reward is given each control step, by its name; shapes are those of the functions."""

ROBOT: dict[str, Callable[[RobotSpec], tuple[float, ...] | tuple[int, ...]]] = {
    "default_joint_pos": lambda spec: spec.joint_values("default_joint_pos"),
    "lower_limit_rad": lambda spec: spec.joint_values("lower_limit_rad"),
    "upper_limit_rad": lambda spec: spec.joint_values("upper_limit_rad"),
    "velocity_limit_rad_s": lambda spec: spec.joint_values("velocity_limit_rad_s"),
    "effort_limit_nm": lambda spec: spec.joint_values("effort_limit_nm"),
    "mirror_foot": mirror_feet,
    "diagonal_foot": diagonal_feet,
    "foot_offset": alternating_phases,
}
"""What an argument of a reward is given once, by its name, of the robot: (num_joints,) or (num_feet,)."""


def __getattr__(name: str) -> type[ManagerTermBase]:
    """Return the term of a function of :mod:`surefoot_rewards`."""
    if name not in TERMS:
        raise AttributeError(f"module {__name__!r} has no term {name!r}; its functions are {', '.join(sorted(TERMS))}")
    return _term_of(name)


@cache
def _term_of(name: str) -> type[ManagerTermBase]:
    function = TERMS[name]
    arguments = inspect.signature(function).parameters
    state = {argument: STATE[argument] for argument in arguments if argument in STATE}
    constants = [argument for argument in arguments if argument in ROBOT]

    class Term(ManagerTermBase):
        def __init__(self, cfg: RewardTermCfg, env: SurefootEnv) -> None:
            super().__init__(cfg, env)
            for argument in constants:
                setattr(self, f"_{argument}", torch.tensor(ROBOT[argument](env.robot_spec), device=env.device))

        def __call__(self, env: SurefootEnv, **params: Any) -> torch.Tensor:
            read = {argument: of(env) for argument, of in state.items()}
            return function(**read, **{argument: getattr(self, f"_{argument}") for argument in constants}, **params)

    # The manager reads the names of a term's parameters from its signature, its record from the name.
    call: Any = Term.__call__
    own = list(inspect.signature(call).parameters.values())[:2]
    own += [item for item in arguments.values() if item.name not in state and item.name not in constants]
    call.__signature__ = inspect.Signature(own)
    Term.__name__ = Term.__qualname__ = name
    Term.__doc__ = function.__doc__
    return Term


class JointLimits(ManagerTermBase):
    """Penalise joints outside a share of their range, speeds near the no-load speed, and saturated motors.

    The three violations are in rad, rad/s and a share of the joints; ``soft_ratio`` is the share of each limit that is
    free of charge.
    """

    def __init__(self, cfg: RewardTermCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        spec = env.robot_spec
        ratio: float = cast("float", cfg.params["soft_ratio"])
        lower = torch.tensor(spec.joint_values("lower_limit_rad"), device=env.device)
        upper = torch.tensor(spec.joint_values("upper_limit_rad"), device=env.device)
        middle, half_range = 0.5 * (lower + upper), 0.5 * ratio * (upper - lower)
        self._lower, self._upper = middle - half_range, middle + half_range  # (num_joints,)
        self._velocity_limit = torch.tensor(spec.joint_values("velocity_limit_rad_s"), device=env.device)
        self._effort_limit = torch.tensor(spec.joint_values("effort_limit_nm"), device=env.device)

    def __call__(self, env: SurefootEnv, soft_ratio: float) -> torch.Tensor:
        """Sum of the three violations, (num_envs,)."""
        state = env.locomotion
        penalty = effort.joint_position_limit(state.joint_pos, self._lower, self._upper)
        penalty += effort.joint_velocity_limit(state.joint_vel, self._velocity_limit, soft_ratio=soft_ratio)
        penalty += effort.torque_limit(state.motor_torque_nm, self._effort_limit, soft_ratio=soft_ratio)
        return penalty


class PeriodicGait(ManagerTermBase):
    """Reward feet that follow a clock: diagonal pairs of a quadruped, alternate feet of a biped.

    Off by default: a clock that the policy cannot see contradicts the left-right augmentation, which shifts it by half
    a cycle. A task that weighs it adds the sine and cosine of the phase to its observations.
    """

    def __init__(self, cfg: RewardTermCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        self._offsets = torch.tensor(alternating_phases(env.robot_spec), device=env.device)  # (num_feet,)

    def __call__(self, env: SurefootEnv, frequency_hz: float, duty_factor: float, sharpness: float) -> torch.Tensor:
        """Reward in [0, 1], (num_envs,)."""
        phase = torch.frac(torch.mul(env.episode_length_buf, env.step_dt * frequency_hz))
        return gait.periodic_gait(
            env.locomotion.foot_contact,
            phase,
            env.moving,
            foot_offset=self._offsets,
            duty_factor=duty_factor,
            sharpness=sharpness,
        )


class PoseDeviation(ManagerTermBase):
    """Penalise joints away from the default pose, more where the command asks to stand still."""

    def __init__(self, cfg: RewardTermCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        self._default = torch.tensor(env.robot_spec.joint_values("default_joint_pos"), device=env.device)
        pattern, count = cast("str", cfg.params["joint_pattern"]), cast("int", cfg.params["num_joints"])
        names = env.robot_spec.resolve(pattern, count)
        self._joints = torch.tensor([env.robot_spec.joint_names.index(name) for name in names], device=env.device)

    def __call__(self, env: SurefootEnv, joint_pattern: str, num_joints: int) -> torch.Tensor:  # noqa: ARG002
        """Sum of absolute deviations of the chosen joints [rad], (num_envs,)."""
        return posture.joint_deviation_l1(env.locomotion.joint_pos[:, self._joints], self._default[self._joints])


class StandStill(ManagerTermBase):
    """Penalise, where the command asks to stand, whatever is not standing at ease.

    Joints that move, feet in the air, joints away from the default pose, and heat: a stance whose legs push against
    each other or reach far out costs torque for nothing.
    """

    def __init__(self, cfg: RewardTermCfg, env: SurefootEnv) -> None:
        super().__init__(cfg, env)
        spec = env.robot_spec
        self._default = torch.tensor(spec.joint_values("default_joint_pos"), device=env.device)
        self._effort_limit = torch.tensor(spec.joint_values("effort_limit_nm"), device=env.device)

    def __call__(self, env: SurefootEnv, motion_s2: float, deviation_per_rad: float, effort: float) -> torch.Tensor:
        """Feet in the air, plus the squared joint speeds, deviations and torques at these rates, (num_envs,).

        A rate of zero costs nothing to compute.
        """
        state, moving = env.locomotion, env.moving
        penalty = posture.stand_still_feet_in_air(state.foot_contact, moving)
        if motion_s2:
            penalty.add_(posture.stand_still_joint_motion(state.joint_vel, moving), alpha=motion_s2)
        if deviation_per_rad:
            deviation = posture.stand_still_joint_deviation(state.joint_pos, self._default, moving)
            penalty.add_(deviation, alpha=deviation_per_rad)
        if effort:
            load = posture.stand_still_effort(state.motor_torque_nm, self._effort_limit, moving)
            penalty.add_(load, alpha=effort)
        return penalty
