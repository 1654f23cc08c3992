"""What one task does on one card: rates of steps, by a graph and without, and what a step takes there.

In a process of its own, as every measurement; on a CPU it measures the same but for what only a card has.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from surefoot_devtools.benchmarking.environment import opened
from surefoot_devtools.benchmarking.timing import synchronize
from surefoot_devtools.benchmarking.worker import ACTION_STD, serve

MODULE = "surefoot_devtools.benchmarking.card_worker"
WARM_UP_STEPS = 20


@dataclass(frozen=True)
class CardRequest:
    """What to measure.

    Attributes:
        task: Name of the task.
        num_envs: Environments.
        device: Where.
        seconds: Length of each measurement [s].
        steps_without_wait: Control steps in which torch must not wait for a card.
        policy: File of a TorchScript policy to play.
    """

    task: str
    num_envs: int
    device: str
    seconds: float
    steps_without_wait: int
    policy: str


@dataclass(frozen=True)
class CardMeasurement:
    """What was measured.

    Attributes:
        env_steps_per_s: Environment steps a second under random actions: ``eager``, ``graph``, and with the shipped
            policy, ``playback``.
        obstacles: What kept a graph from being recorded.
        gpu_ms: Time of the card in a step by the graph [ms]; None on a CPU.
        peak_memory_gib: Most memory of the card in use by all [GiB]; None on a CPU.
    """

    env_steps_per_s: dict[str, float] = field(default_factory=dict)
    obstacles: list[str] = field(default_factory=list)
    gpu_ms: float | None = None
    peak_memory_gib: float | None = None


def measure(request: CardRequest) -> CardMeasurement:
    """Build the environment, step it in each way, and report."""
    import torch

    with (
        opened(
            "ours",
            physics="newton_mjwarp",
            device=request.device,
            num_envs=request.num_envs,
            seed=1,
            preset="standard",
            our_task=request.task,
        ) as (env, _),
        torch.inference_mode(),
    ):
        base, on_card = env.unwrapped, request.device.startswith("cuda")
        shape = (base.num_envs, base.action_manager.total_action_dim)
        actions = torch.zeros(shape, device=request.device)
        # As in training, some episode ends in nearly every step.
        base.episode_length_buf = torch.randint_like(base.episode_length_buf, high=int(base.max_episode_length))

        def act(_: Any) -> torch.Tensor:
            return actions.normal_(0.0, ACTION_STD)

        captured = base._captured_step
        rates = {}
        vars(base)["_captured_step"] = None
        rates["eager"] = _rate(env, act, request)
        vars(base)["_captured_step"] = captured
        rates["graph"] = _rate(env, act, request)
        policy = torch.jit.load(request.policy, map_location=request.device).eval()
        rates["playback"] = _rate(env, lambda observations: policy(observations["policy"]), request)
        gpu_ms = memory_gib = None
        if on_card:
            torch.cuda.set_sync_debug_mode("error")
            for _ in range(request.steps_without_wait):
                env.step(act(None))
            torch.cuda.set_sync_debug_mode("default")
            gpu_ms = _gpu_ms(env, act)
            free, total = torch.cuda.mem_get_info()
            memory_gib = (total - free) / 2**30
        return CardMeasurement(rates, [] if captured is None else captured.obstacles, gpu_ms, memory_gib)


def _rate(env: Any, act: Any, request: CardRequest) -> float:
    observations = env.unwrapped.obs_buf
    for _ in range(WARM_UP_STEPS):
        observations = env.step(act(observations))[0]
    synchronize(request.device)
    began, steps = time.perf_counter(), 0
    while time.perf_counter() - began < request.seconds:
        for _ in range(WARM_UP_STEPS):
            observations = env.step(act(observations))[0]
        steps += WARM_UP_STEPS
        synchronize(request.device)
    return steps * request.num_envs / (time.perf_counter() - began)


def _gpu_ms(env: Any, act: Any) -> float:
    import torch

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
        for _ in range(WARM_UP_STEPS):
            env.step(act(None))
        torch.cuda.synchronize()
    total_us = sum(event.self_device_time_total for event in profiler.key_averages())
    return total_us / 1e3 / WARM_UP_STEPS


if __name__ == "__main__":
    serve(CardRequest, measure)
