"""How a bundle's policy gets up in MuJoCo, the engine that it was not trained in, by the bridge's own functions.

No state machine and no safety stand between: the bridge takes a robot that lies for fallen and would damp it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch

from surefoot.evaluation.engines.mujoco_engine import MujocoTrialEngine
from surefoot.evaluation.scenarios.ground import scenario_grid
from surefoot.evaluation.scenarios.scenario import CommandAt, Scenario, Suite
from surefoot.evaluation.trials.engine import Truth
from surefoot.evaluation.trials.rotations import from_angles, into_base
from surefoot.evaluation.trials.sampling import draw_batch
from surefoot.playing.recovery import RecoveryMetrics, stands
from surefoot_bridge.bundle import Bundle
from surefoot_bridge.contract import Contract
from surefoot_bridge.state import JointCommand
from surefoot_bridge.state.rotations import gravity_in_frame
from surefoot_robots import get_robot, mjcf

SETTLE_S = 3.0
"""Time in which a dropped robot comes to rest, damped as its handling says [s]."""

EPISODE_S = 20.0
"""Length of a trial [s], as long as one of ``surefoot play``."""


def judge_recovery(
    bundle: Bundle,
    *,
    num_trials: int,
    seed: int,
    threads: int = 1,
    episode_s: float = EPISODE_S,
    on_start: Callable[[Truth], None] = lambda _: None,
) -> RecoveryMetrics:
    """Drop nominal robots in random poses, let them come to rest, and let the policy act.

    Args:
        bundle: The policy.
        num_trials: Number of robots.
        seed: Seed of their poses.
        threads: Threads that step the physics.
        episode_s: Length of a trial [s].
        on_start: Is given the state in which the policy takes over.
    """
    contract = bundle.contract
    scenario = Scenario(
        name="falls",
        description="Robots that were dropped.",
        commands=(CommandAt(at_s=0.0, velocity=(0.0, 0.0, 0.0)),),
        length_s=episode_s,
    )
    suite = Suite(version=1, name="recovery", description=scenario.description, seed=seed, scenarios=(scenario,))
    engine = MujocoTrialEngine(contract, num_trials=num_trials, grid=scenario_grid(scenario), threads=threads)
    try:
        engine.begin(draw_batch(suite, scenario, np.arange(num_trials), contract))
        _drop(engine, contract, num_trials, seed)
        on_start(engine.truth())
        return _let_act(engine, bundle, num_trials, episode_s)
    finally:
        engine.close()


def _drop(engine: MujocoTrialEngine, contract: Contract, n: int, seed: int) -> None:
    """Drop robots as training does: any orientation and joint angles, from where none touches the ground."""
    generator, order = np.random.default_rng(seed), list(contract.sdk_order)
    ends = np.array([[limit.low, limit.high] for limit in contract.safety.joint_pos_limit_rad])[order]
    turns = np.array([math.pi, math.pi / 2, math.pi])
    position = np.zeros((n, 3))
    position[:, 2] = mjcf.reach(get_robot(contract.robot.name).mjcf_path)
    pose = generator.uniform(ends[:, 0], ends[:, 1], (n, len(order)))
    engine.place(position, from_angles(*generator.uniform(-turns, turns, (n, 3)).T), pose)
    damped = np.zeros((5, n, len(order)))
    damped[3] = np.array(contract.handling.damped_nms_per_rad)[order]
    for _ in range(round(SETTLE_S / engine.tick_s)):
        engine.step(JointCommand(*damped), None)


def _let_act(engine: MujocoTrialEngine, bundle: Bundle, n: int, episode_s: float) -> RecoveryMetrics:
    contract, observations, policy, targets = bundle.contract, bundle.observations, bundle.policy, bundle.targets
    seen, memory, told = observations.initial((n,)), policy.initial((n,)), targets.initial((n,))
    command = np.zeros((n, len(contract.command.names)))
    action = np.zeros((n, len(contract.robot.joint_names)), dtype=np.float32)
    height_m, period_s = get_robot(contract.robot.name).base_height_m, contract.timing.control_period_s
    ticks = round(period_s / engine.tick_s)
    metrics = RecoveryMetrics(n, step_dt=period_s, device="cpu")
    for _ in range(round(episode_s / period_s)):
        observation, seen = observations(seen, engine.report(), command, action)
        action, memory = policy(observation, memory)
        joint_command, told = targets(told, action)
        for _ in range(ticks):
            engine.step(joint_command, None)
        metrics.add(_stands(engine.truth(), height_m, contract.observation.foot_contact_force_n))
    return metrics


def _stands(truth: Truth, height_m: float, contact_force_n: float) -> torch.Tensor:
    quat = truth.base_quat_wxyz
    return stands(
        projected_gravity_b=torch.from_numpy(gravity_in_frame(quat)),
        base_height_m=torch.from_numpy(truth.base_pos_w[:, 2]),
        base_lin_vel_b=torch.from_numpy(into_base(quat, truth.base_lin_vel_w)),
        base_ang_vel_b=torch.from_numpy(truth.base_ang_vel_b),
        foot_contact=torch.from_numpy(truth.foot_force_n > contact_force_n),
        lies=torch.from_numpy(truth.body_force_n > contact_force_n),
        standing_height_m=height_m,
    )
