"""Takes control steps of a task in Newton by a graph and without; prints where what follows differs."""

import torch
from tests.sim.children import TASK, answer
from tests.sim.masked_reset_probe import differences

NUM_ENVS, STEPS = 12, 120
RESET_EVERY = 4
CALLS: list[int] = []


def reads_the_host(env):
    """A reward that a user might write: it waits for the device in every control step."""
    CALLS.append(1)
    height = env.locomotion.base_height_m
    return height * (height.mean().item() > 0.3)


def main(planted: str, task: str = TASK, device: str = "cpu") -> dict:
    """Leave from one state by each way, with resets, pushes, ranges that move, and what a user may change between."""
    from surefoot.learning.env_state import capture_env_state, restore_env_state
    from surefoot_devtools.benchmarking.environment import opened

    def change(cfg):
        from isaaclab.managers import RewardTermCfg

        from surefoot.randomization.parameter import absolute

        cfg.randomization.adaptive.scheme = "bounds"
        cfg.randomization.ranges["push_velocity_interval"] = absolute(0.1, 0.5)
        cfg.curriculum.command_range.params["interval_steps"] = 30
        if planted == "planted":
            cfg.rewards.planted = RewardTermCfg(func=reads_the_host, weight=1.0)

    common = {"physics": "newton_mjwarp", "device": device, "num_envs": NUM_ENVS, "seed": 1, "preset": "standard"}
    with opened("ours", **common, our_task=task, change=change) as (env, _), torch.inference_mode():
        base = env.unwrapped
        captured = base._captured_step
        weights = [cfg.weight for cfg in base.reward_manager._term_cfgs]
        generator = torch.Generator().manual_seed(0)
        steps = STEPS if planted == "as_it_is" else 30
        shape = (steps, NUM_ENVS, base.action_manager.total_action_dim)
        actions = 0.5 * torch.randn(shape, generator=generator).to(device)
        for action in actions[:8]:
            base.step(action)
        start = capture_env_state(base)

        def follow(way) -> tuple[list, dict, int]:
            restore_env_state(base, start)
            for cfg, weight in zip(base.reward_manager._term_cfgs, weights, strict=True):
                cfg.weight = weight
            vars(base)["_captured_step"] = way
            seen, resets = [], 0
            for step, action in enumerate(actions):
                if step % RESET_EVERY == 0:
                    base.episode_length_buf[step // RESET_EVERY % NUM_ENVS] = base.max_episode_length
                if step == 25:
                    for cfg in base.reward_manager._term_cfgs:  # those that were off are switched on
                        cfg.weight = 2.0 * cfg.weight or -0.1
                if step == 40:
                    base.episode_length_buf = base.episode_length_buf.clone()
                if step == 55:
                    restore_env_state(base, capture_env_state(base))
                if step == 75:
                    base.randomization.close_iteration(lambda counts: None)
                if step == 95:
                    base.reset(env_ids=torch.tensor([2, 5], device=device))
                observations, reward, *_, extras = base.step(action)
                resets += int(base.reset_buf.sum())
                log = {name: torch.as_tensor(value).clone() for name, value in extras["log"].items()}  # NaN is NaN
                seen.append([{**observations}, reward.clone(), base.reset_buf.clone(), log])
            return seen, capture_env_state(base), resets

        ours, ours_state, resets = follow(captured)
        theirs, theirs_state, _ = follow(None)
        differing = [step for step in range(steps) if differences(ours[step], theirs[step])]
        return {
            "by_graph": captured._graph is not None,
            "obstacles": captured.obstacles,
            "calls": len(CALLS),
            "resets": resets,
            "differing_steps": differing[:5],
            "differing_state": differences(ours_state, theirs_state)[:10],
            "share": float(base.command_manager.get_term("base_velocity").range_share),
        }


if __name__ == "__main__":
    answer(main)
