"""The whole state of a run between two iterations: what a checkpoint holds, and how a run goes on from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from surefoot.learning.env_state import capture_env_state, restore_env_state
from surefoot.learning.generators import capture_generators, restore_generators
from surefoot.learning.snapshot import capture

if TYPE_CHECKING:
    from surefoot.learning.runner import SurefootRunner

_COUNTERS = ("completed", "env_steps", "elapsed_s", "best_reward")


def capture_run(runner: SurefootRunner) -> dict[str, Any]:
    """Copy the state of a run.

    A distributed run saves no simulation, because each process has its own; it resumes with new episodes.

    Returns:
        Networks, normalisers, optimiser and contract; counters and episode means; the simulation and the generators.
    """
    has_engine = hasattr(runner.simulation, "scene")
    with torch.inference_mode():
        simulation = capture_env_state(runner.simulation) if has_engine and not runner.is_distributed else None
    return {
        **runner.alg.save(),
        "iter": runner.completed - 1,  # rsl_rl's count of iterations begins at 0
        "infos": None,
        "completed_iterations": runner.completed,
        "counters": {name: getattr(runner, name) for name in _COUNTERS},
        "hidden_states": [capture(network.get_hidden_state()) for network in (runner.alg.actor, runner.alg.critic)],
        "episodes": runner.episodes.state_dict(),
        "simulation": simulation,
        "generators": capture_generators(),
    }


def restore_run(runner: SurefootRunner, content: dict[str, Any]) -> None:
    """Put everything but the learning algorithm into the state of a checkpoint.

    Raises:
        SurefootError: If the simulation is of another task or number of environments.
    """
    for name, value in content["counters"].items():
        setattr(runner, name, value)
    if content["simulation"] is None or runner.is_distributed:
        return
    with torch.inference_mode():
        restore_env_state(runner.simulation, content["simulation"])
        for network, saved in zip((runner.alg.actor, runner.alg.critic), content["hidden_states"], strict=True):
            if saved is not None:  # a GRU has one tensor, an LSTM a pair
                parts = [part.to(runner.device) for part in (saved if isinstance(saved, list) else [saved])]
                network.reset(hidden_state=tuple(parts) if len(parts) > 1 else parts[0])
    runner.episodes.load_state_dict(content["episodes"], runner.simulation.extras)
    restore_generators(content["generators"])
