"""Runs trials in one of Isaac Lab's engines, and prints what it saw as one line of JSON.

A process holds one simulator at most, so the tests of test_evaluation_isaac.py run this in a child process per engine.
"""

import sys
import time
from dataclasses import replace

import numpy as np
from tests.fixtures.shipped import GO2_BUNDLE
from tests.sim.children import answer
from tests.sim.evaluation_isaac_effects import bodies, motors, pushes, refusals, slipping
from tests.sim.evaluation_isaac_trials import FLAT, FORWARD, NUM_TRIALS, SLOPE, WALK_S, batch

from surefoot.evaluation.engines.isaac_engine import IsaacTrialEngine
from surefoot.evaluation.running.trial_run import run_batch, stand_up
from surefoot.evaluation.scenarios.ground import lay_out
from surefoot.evaluation.scenarios.robot_fit import trial_limits
from surefoot.evaluation.trials.batch import TrialBatch
from surefoot_bridge.bundle import Bundle, load_bundle
from surefoot_bridge.control import Controller, TickInputs
from surefoot_bridge.state import Request

AGAIN_S = 1.0
SHORT_S = 0.5


def main(physics: str) -> dict:
    """Run every probe; the keys of the result are what the tests ask for."""
    bundle = load_bundle(GO2_BUNDLE, runtime="numpy")
    begun = time.perf_counter()
    ground = lay_out([FLAT, SLOPE])
    engine = IsaacTrialEngine(physics, bundle.contract, num_trials=NUM_TRIALS, ground=ground, device="cpu")
    seen = {"name": engine.name, "tick_s": engine.tick_s, "open_s": time.perf_counter() - begun}
    varied = batch(seed=1)
    first = walk(engine, bundle, varied, WALK_S)
    seen |= first.pop("seen")
    log("first walk")
    again = walk(engine, bundle, varied, AGAIN_S)["motion"]
    seen["again"] = largest_difference(first["motion"][: len(again)], again)
    log("second walk")
    shorter = replace(varied, scenario=FLAT.model_copy(update={"length_s": 2.0}))
    outcomes = run_batch(bundle, engine, shorter, limits=trial_limits(bundle.contract))
    seen["outcomes"] = [outcome.reason for outcome in outcomes]
    log("trials")
    fewer = walk(engine, bundle, batch(seed=1, num_trials=NUM_TRIALS - 2), SHORT_S)["motion"]
    seen["fewer"] = largest_difference(first["motion"][: len(fewer), : NUM_TRIALS - 2], fewer)
    seen |= bodies(engine)
    seen |= slipping(engine)
    log("bodies")
    after = walk(engine, bundle, varied, SHORT_S)["motion"]
    seen["after_payload"] = largest_difference(first["motion"][: len(after)], after)
    seen["after_payload_at_first"] = largest_difference(first["motion"][:2], after[:2])
    seen |= motors(engine)
    seen |= pushes(engine)
    seen |= refusals(engine)
    log("effects")
    seen |= climbing(engine, bundle)
    engine.close()
    return seen


def log(done: str) -> None:
    """Say what is done, for who waits."""
    print(f"{time.perf_counter():.1f} s: {done}", file=sys.stderr, flush=True)


def walk(engine: IsaacTrialEngine, bundle: Bundle, trials: TrialBatch, length_s: float) -> dict:
    """Let the policy walk forward through the bridge, with the environment's own observation made along with it."""
    contract = bundle.contract
    controller = Controller(bundle, trial_limits(contract))
    engine.begin(trials)
    n, env = trials.num_trials, engine.env
    state, nobody = stand_up(controller, engine.report(), engine.tick_s)[0], np.zeros(n, dtype=bool)
    asked = np.tile(FORWARD, (n, 1))
    env.command.copy_(env.command.new_tensor(FORWARD).expand_as(env.command))
    env.proprioception.reset(env.episode_length_buf.new_tensor(range(NUM_TRIALS)).int())
    parity, responses, motion, begun = 0.0, 0, [], time.perf_counter()
    begin_truth = engine.truth()
    first_foot_force_n = 0.0
    ticks_per_step = round(contract.timing.control_period_s / engine.tick_s)
    for tick in range(round(length_s / engine.tick_s)):
        report = engine.report()
        request = np.full(n, Request.WALK if tick == 0 else Request.KEEP, dtype=np.int8)
        if tick % ticks_per_step == 0:
            env.joint_target.raw_actions[:n].copy_(env.command.new_tensor(state.last_action))
            state = controller.observe(state, report, asked, request, ~nobody)
            env.proprioception.advance()
            own = env.observation_manager.compute(update_history=True)["policy"][:n].cpu().numpy()
            parity = max(parity, float(np.abs(own - state.shown).max()))
            state = controller.infer(state, ~nobody)
            motion.append(np.concatenate([report.joint_pos_rad, report.imu_quat_wxyz, engine.truth().base_pos_w], 1))
        verdict, state = controller.command(state, report, TickInputs.undisturbed(report.time_s, asked, request))
        responses = max(responses, int(verdict.state.response.max()))
        engine.step(verdict.command, None)
        first_foot_force_n = engine.truth().foot_force_n.max() if tick == 0 else first_foot_force_n
    truth = engine.truth()
    travelled = truth.base_pos_w - begin_truth.base_pos_w
    yaw = trials.variation.yaw_rad
    foot_speed = np.linalg.norm(truth.foot_vel_w, axis=-1)  # (n, num_feet)
    seen = {
        "tick_ms": 1e3 * (time.perf_counter() - begun) / (tick + 1),
        "observation_error": parity,
        "largest_response": responses,
        "forward_m": (travelled[:, 0] * np.cos(yaw) + travelled[:, 1] * np.sin(yaw)).tolist(),
        "height_m": truth.base_pos_w[:, 2].tolist(),
        "body_force_n": truth.body_force_n.max().item(),
        "start_sole_m": begin_truth.foot_pos_w[..., 2].min(axis=1).tolist(),
        "start_weight_n": begin_truth.foot_force_n.sum(axis=1).tolist(),
        "first_foot_force_n": float(first_foot_force_n),
        "start_xy_m": np.abs(begin_truth.base_pos_w[:, :2]).max().item(),
        "start_speed": np.abs(begin_truth.base_lin_vel_w).max().item()
        + np.abs(begin_truth.joint_vel_rad_s).max().item(),
        "sole_error_m": np.abs(truth.foot_pos_w[..., 2] - env.locomotion.sole_height_m.cpu().numpy()[:n]).max().item(),
        "contact_speed_m_s": foot_speed[truth.foot_force_n > 20.0].max(initial=0.0).item(),
        "swing_speed_m_s": foot_speed[truth.foot_force_n == 0.0].max(initial=0.0).item(),
        "heat": truth.motor_heat.max().item(),
    }
    return {"seen": seen, "motion": np.stack(motion)}  # (steps, n, num_joints + 7)


def climbing(engine: IsaacTrialEngine, bundle: Bundle) -> dict:
    """Walk up a slope, which begins after a level platform."""
    seen = walk(engine, bundle, replace(batch(), scenario=SLOPE), WALK_S)["seen"]
    return {f"slope_{name}": seen[name] for name in ("start_sole_m", "start_xy_m", "forward_m", "height_m")}


def largest_difference(one: np.ndarray, other: np.ndarray) -> float:
    """Return the largest difference between two motions; infinite where one is not finite."""
    difference = np.abs(one - other).max().item()
    return difference if np.isfinite(difference) else float("inf")


if __name__ == "__main__":
    answer(main)
