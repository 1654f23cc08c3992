"""One measurement of randomization in a process of its own.

Ours are measured twice in the same environment: with the whole standard preset, and with the parameters alone that
stock event terms can randomize too (``matched``). Stock terms are called as Isaac Lab calls them at a reset.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from surefoot_devtools.benchmarking.environment import ROBOT, Side, opened
from surefoot_devtools.benchmarking.worker import serve
from surefoot_robots import get_robot

if TYPE_CHECKING:
    import torch

    from surefoot_devtools.benchmarking.resets import Resets

MODULE = "surefoot_devtools.benchmarking.randomization_worker"


@dataclass(frozen=True)
class RandomizationRequest:
    """What to measure."""

    task: Side
    physics: str
    device: str
    num_envs: int
    counts: list[int]
    """How many environments are reset together."""
    rollouts: list[int] = field(default_factory=list)
    """How many environments are reset in each control step of a rollout."""
    repeats: int = 20
    """Samples of each median."""
    kernels: bool = False
    """Whether the actuator and sensor kernels are measured too."""
    seed: int = 1


@dataclass(frozen=True)
class RandomizationMeasurement:
    """What was measured: times in microseconds and numbers by name.

    Names are ``<what>_<set>_<count>``; sets of parameters are ``matched`` and ``standard``. ``draw_us`` is sampling
    alone, ``reset_us`` sampling and writing with what the solver derives, ``setters_us`` the part of it that PhysX's
    setters take and ``other_us`` the rest, ``rollout_us`` all resets of a rollout.
    """

    figures: dict[str, float] = field(default_factory=dict)
    launches: dict[str, dict[str, int]] = field(default_factory=dict)
    """Launches of a reset of the first count, by kernel or operation."""
    allocations: dict[str, dict[str, int]] = field(default_factory=dict)
    """Allocations of a reset of the first count, by who asked for them."""


def measure(request: RandomizationRequest) -> RandomizationMeasurement:
    """Build the environment, measure, and report."""
    result = RandomizationMeasurement()
    preset = "standard" if request.task == "ours" else None
    with opened(
        request.task,
        physics=request.physics,
        device=request.device,
        num_envs=request.num_envs,
        seed=request.seed,
        preset=preset,
    ) as (env, agent):
        from surefoot_devtools.benchmarking.resets import matched_randomization, our_resets, stock_resets

        base: Any = env.unwrapped
        result.figures["steps_per_rollout"] = agent.num_steps_per_env
        if request.task == "stock":
            _measure_set(result, request, "matched", stock_resets(base, get_robot(ROBOT)))
        else:
            _measure_set(result, request, "standard", our_resets(base.randomization))
            if request.kernels:
                from surefoot_devtools.benchmarking.kernel_speed import kernel_figures

                result.figures.update(kernel_figures(base, request.device, repeats=request.repeats))
            _measure_set(result, request, "matched", our_resets(matched_randomization(base, seed=request.seed)))
    return result


def _measure_set(result: RandomizationMeasurement, request: RandomizationRequest, name: str, resets: Resets) -> None:
    from surefoot_devtools.benchmarking.timing import median_us, random_environments

    figures, device = result.figures, request.device

    def environments(count: int) -> Iterator[torch.Tensor]:
        return random_environments(request.num_envs, count, device, seed=request.seed)

    def median_of(call: Callable[[torch.Tensor], object], count: int) -> float:
        sets = environments(count)
        return median_us(lambda: call(next(sets)), device, repeats=request.repeats)

    for count in request.counts:
        with resets.sampling_alone():
            figures[f"draw_us_{name}_{count}"] = median_of(resets.draw, count)
        figures[f"reset_us_{name}_{count}"] = median_of(resets.reset, count)
        if request.physics == "ovphysx":
            setters_us, rest_us = _setters_us(resets, environments(count), request.repeats)
            figures[f"setters_us_{name}_{count}"], figures[f"other_us_{name}_{count}"] = setters_us, rest_us
    for count in request.rollouts:
        sets = environments(count)

        def rollout(sets: Iterator[torch.Tensor] = sets) -> None:
            for _ in range(int(figures["steps_per_rollout"])):
                resets.reset(next(sets))

        figures[f"rollout_us_{name}_{count}"] = median_us(rollout, device, repeats=request.repeats)
    ids = next(environments(request.counts[0]))
    with resets.sampling_alone():
        _count(result, f"draw_{name}", lambda: resets.draw(ids))
    _count(result, f"reset_{name}", lambda: resets.reset(ids))


def _count(result: RandomizationMeasurement, name: str, call: Callable[[], object]) -> None:
    from surefoot_devtools.benchmarking.counting import count_allocations, count_launches

    launches = count_launches(call)
    by_name: Counter[str] = launches.kernels + launches.torch_operations
    allocations = count_allocations(call)
    result.figures[f"launches_{name}"] = by_name.total()
    result.figures[f"allocations_{name}"] = allocations.total()
    result.launches[name] = dict(by_name.most_common())
    result.allocations[name] = dict(allocations.most_common())


def _setters_us(resets: Resets, sets: Iterator[torch.Tensor], repeats: int) -> tuple[float, float]:
    """Return the median times of a reset in PhysX's setters, with the buffers copied for them, and outside of them."""
    from isaaclab_ov.assets import Articulation
    from isaaclab_ov.sim.views import OvPhysxView

    from surefoot_devtools.benchmarking.timing import Stopwatch

    joint_setters = (
        "write_joint_armature_to_sim_mask",
        "write_joint_armature_to_sim_index",
        "write_joint_friction_coefficient_to_sim_index",
    )
    setters = [(OvPhysxView, "set_attribute"), *((Articulation, name) for name in joint_setters)]
    inside, outside = [], []
    for _ in range(repeats):
        with Stopwatch().timing(*setters) as setting:
            start = time.perf_counter()
            resets.reset(next(sets))
            outside.append(time.perf_counter() - start - setting.total_s)
        inside.append(setting.total_s)
    return 1e6 * median(inside), 1e6 * median(outside)


if __name__ == "__main__":
    serve(RandomizationRequest, measure)
