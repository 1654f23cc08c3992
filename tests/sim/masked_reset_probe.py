"""Resets environments of the Go2's task in Newton by a mask and by indices; prints where what follows differs."""

import torch
from tests.sim.children import answer

NUM_ENVS = 12


def differences(ours, theirs, path="") -> list[str]:
    """Return the paths at which two nested states are not the same, bit for bit."""
    if isinstance(ours, dict):
        keys = sorted(set(ours) | set(theirs))
        return [found for key in keys for found in differences(ours.get(key), theirs.get(key), f"{path}.{key}")]
    if isinstance(ours, list | tuple):
        return [
            found
            for i, (a, b) in enumerate(zip(ours, theirs, strict=True))
            for found in differences(a, b, f"{path}[{i}]")
        ]
    if isinstance(ours, torch.Tensor):
        same = ours.shape == theirs.shape and torch.equal(ours.nan_to_num(7.0), theirs.nan_to_num(7.0))
    else:
        same = ours == theirs
    return [] if same else [path]


_OF_INDICES = ("_reset_term_last_triggered_step_id", "_reset_term_last_triggered_once")
"""What Isaac Lab notes of event terms that want some steps between two calls; such a term is told indices."""


_SCRATCH = ("_reset_mask", "_reset_mask_torch")
"""Where Isaac Lab's contact sensor makes a mask of indices."""


def main() -> dict:
    """Leave from one state by each way, for no environment, one and all, and for two steps more."""
    from surefoot.learning.env_state import capture_env_state, restore_env_state
    from surefoot_devtools.benchmarking.counting import count_launches
    from surefoot_devtools.benchmarking.environment import opened

    def adapt(cfg):
        cfg.randomization.adaptive.scheme = "bounds"

    common = {"physics": "newton_mjwarp", "device": "cpu", "num_envs": NUM_ENVS, "seed": 1, "preset": "standard"}
    with opened("ours", **common, change=adapt) as (env, _), torch.inference_mode():
        base = env.unwrapped
        actions = 0.3 * torch.randn(8, NUM_ENVS, base.action_manager.total_action_dim)
        for action in actions[:5]:
            base.step(action)
        start = capture_env_state(base)
        by_mask = base._reset_by_mask

        def follow(chosen: list[int], way) -> tuple[dict, dict]:
            restore_env_state(base, start)
            vars(base)["_reset_by_mask"] = way
            base.episode_length_buf[chosen] = base.max_episode_length
            base.step(actions[5])
            reset = base.reset_buf.nonzero().flatten().tolist()
            log = {name: float(value) for name, value in base.extras["log"].items()}
            for action in actions[6:]:
                base.step(action)
            state = capture_env_state(base)
            for name in _OF_INDICES:
                state["fields"]["event_manager"].pop(name)
            for name in _SCRATCH:
                state["fields"]["sensors.contacts"].pop(name)
            return {"reset": reset, "log": log}, state

        seen = {}
        for chosen in ([], [5], list(range(NUM_ENVS))):
            ours, ours_state = follow(chosen, by_mask)
            _, again_state = follow(chosen, by_mask)
            theirs, theirs_state = follow(chosen, None)
            seen[len(chosen)] = {
                "reset": ours["reset"],
                "reset_by_index": theirs["reset"],
                "repeats": differences(ours_state, again_state),
                "differs": differences(ours_state, theirs_state),
                "log": ours["log"],
                "log_by_index": theirs["log"],
            }
        vars(base)["_reset_by_mask"] = by_mask
        step = count_launches(lambda: base._reset_marked())
        return {
            "seen": seen,
            "waits": dict(step.waits),
            "allocations": dict(step.allocations),
            "launches": step.total,
        }


if __name__ == "__main__":
    answer(main)
