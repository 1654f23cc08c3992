"""The whole state of a run between two iterations: what a checkpoint holds, and how a run goes on from it."""

from __future__ import annotations

from typing import Any, Protocol

import torch

from surefoot.learning.distributed import gather
from surefoot.learning.env_state import capture_env_state, restore_env_state
from surefoot.learning.generators import capture_generators, restore_generators
from surefoot.ranks import Ranks
from surefoot.snapshot import capture

_COUNTERS = ("completed", "env_steps", "elapsed_s", "best_reward")


class Run(Protocol):
    """What of a runner (:class:`~surefoot.learning.runner.SurefootRunner`) is saved, besides its counters."""

    alg: Any
    completed: int
    device: Any
    episodes: Any
    ranks: Ranks
    simulation: Any


def capture_run(runner: Run) -> dict[str, Any]:
    """Copy the state of a run; in a run of several processes all of them must call it.

    Returns:
        Networks, normalisers, optimiser and signature; counters; how far randomized ranges have grown, and which phases
        are open; what each process has of its own: the simulation, episode means, generators. In the first process
        those of the others are under ``other_processes``, by rank.
    """
    own = _capture_own(runner)
    randomization = getattr(runner.simulation, "randomization", None)
    levels = getattr(runner.simulation, "terrain_levels", None)
    return {
        **runner.alg.save(),
        "iter": runner.completed - 1,  # rsl_rl's count of iterations begins at 0
        "infos": None,
        "completed_iterations": runner.completed,
        "counters": {name: getattr(runner, name) for name in _COUNTERS},
        "randomized_shares": None if randomization is None else capture(randomization.share_state()),
        "open_phases": None if levels is None else levels.open_state(),
        **own,
        "other_processes": gather(own, runner.ranks)[1:],
    }


def without_simulation(content: dict[str, Any]) -> dict[str, Any]:
    """Return a checkpoint's content without the simulation; a run that goes on from it begins new episodes."""
    return {**content, "simulation": None, "other_processes": []}


def of_process(content: dict[str, Any], ranks: Ranks) -> dict[str, Any]:
    """Return a checkpoint's content with what a process has of its own in its place.

    With another number of processes than it was saved by, the run goes on with new episodes.
    """
    others = content.get("other_processes", [])
    if len(others) + 1 != ranks.world_size:
        return without_simulation(content)
    return content if ranks.is_first else {**content, **others[ranks.rank - 1]}


def _capture_own(runner: Run) -> dict[str, Any]:
    """Copy what each process of a run has of its own."""
    has_engine = hasattr(runner.simulation, "scene")
    with torch.inference_mode():
        simulation = capture_env_state(runner.simulation) if has_engine else None
    return {
        "hidden_states": [capture(network.get_hidden_state()) for network in (runner.alg.actor, runner.alg.critic)],
        "episodes": runner.episodes.state_dict(),
        "simulation": simulation,
        "generators": capture_generators(),
    }


def restore_run(runner: Run, content: dict[str, Any]) -> None:
    """Put everything but the learning algorithm into the state of a checkpoint.

    Raises:
        SurefootError: If the simulation is of another task or number of environments.
    """
    for name, value in content["counters"].items():
        setattr(runner, name, value)
    if content["simulation"] is None:
        if hasattr(runner.simulation, "randomization"):
            runner.simulation.randomization.load_shares(content.get("randomized_shares"))
        if getattr(runner.simulation, "terrain_levels", None) is not None:
            runner.simulation.terrain_levels.load_open(content.get("open_phases"))
        return
    with torch.inference_mode():
        restore_env_state(runner.simulation, content["simulation"])
        for network, saved in zip((runner.alg.actor, runner.alg.critic), content["hidden_states"], strict=True):
            if saved is not None:  # a GRU has one tensor, an LSTM a pair
                parts = [part.to(runner.device) for part in (saved if isinstance(saved, list) else [saved])]
                network.reset(hidden_state=tuple(parts) if len(parts) > 1 else parts[0])
    runner.episodes.load_state_dict(content["episodes"], runner.simulation.extras)
    restore_generators(content["generators"])
