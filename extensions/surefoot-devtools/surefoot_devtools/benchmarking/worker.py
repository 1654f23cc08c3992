"""One measurement in a process of its own, which takes its request on standard input.

Processes that share the environments, as ``surefoot train`` has them on a CPU, wait for each other after every rollout,
as those of a training run do before they update the policy; the first one reports for all.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from surefoot_devtools.benchmarking.environment import OUR_TASK, Side, opened

_IMPORTED_AT = time.perf_counter()

ACTION_STD = 0.5
"""Standard deviation of the random actions: robots stagger, fall and reset, as in early training."""


@dataclass(frozen=True)
class Request:
    """What to measure."""

    kind: Literal["step", "train"]
    task: Side
    physics: str
    device: str
    num_envs: int
    """Environments in all."""
    seconds: float
    processes: int = 1
    """Processes that share the environments."""
    seed: int = 1
    profile: bool = False
    preset: str | None = None
    """Preset of our randomization; None for what the stock task has of it."""
    our_task: str = OUR_TASK
    """Which of our tasks; the stock one is that on the same ground."""


@dataclass(frozen=True)
class Measurement:
    """What was measured."""

    env_steps_per_s: float
    physics_share: float
    """Share of the time of a control step spent inside the engine's step call."""
    scan_share: float
    """The same inside the height scan, on the host; 0 of a task without one."""
    peak_memory_mb: float
    """Of the first process, times their number."""
    startup_s: float
    """From the start of the process to the end of the first reset."""
    profile: str = ""


def measure(request: Request) -> Measurement:
    """Build the environment, step or train it for the requested time, and report."""
    import torch

    from surefoot.learning.distributed import share_cores, start_process_group
    from surefoot.ranks import Ranks

    ranks = Ranks.from_environment()
    seed = request.seed + ranks.rank
    with opened(
        request.task,
        physics=request.physics,
        device=request.device,
        num_envs=request.num_envs // request.processes,
        seed=seed,
        preset=request.preset,
        our_task=request.our_task,
    ) as (env, agent):
        startup_s = time.perf_counter() - _IMPORTED_AT
        torch.manual_seed(seed)
        share_cores(request.processes)
        start_process_group(ranks, request.device)
        run = _run_stepping if request.kind == "step" else _run_training
        rate, physics_share, scan_share, profile = run(env, agent, request)
    peak_mb = request.processes * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    return Measurement(rate, physics_share, scan_share, peak_mb, startup_s, profile)


def _run_stepping(env: Any, agent: Any, request: Request) -> tuple[float, float, float, str]:
    import torch

    from surefoot.learning.distributed import agree
    from surefoot.ranks import Ranks
    from surefoot_devtools.benchmarking.timing import synchronize

    ranks = Ranks.from_environment()
    base = env.unwrapped
    actions = torch.zeros(base.num_envs, base.action_manager.total_action_dim, device=request.device)
    # As in training, some episode ends in nearly every step; all at once they would end in none that is measured.
    base.episode_length_buf = torch.randint_like(base.episode_length_buf, high=int(base.max_episode_length))
    for _ in range(30):
        env.step(actions.normal_(0.0, ACTION_STD))
    physics, scan = _physics_stopwatch(base), _scan_stopwatch(base)
    profiler = None
    if request.profile:
        import cProfile

        profiler = cProfile.Profile()
        profiler.enable()
    steps = 0
    synchronize(request.device)
    start = time.perf_counter()
    while not agree(time.perf_counter() - start >= request.seconds, ranks, request.device):
        for _ in range(agent.num_steps_per_env):
            env.step(actions.normal_(0.0, ACTION_STD))
        steps += agent.num_steps_per_env
    synchronize(request.device)
    elapsed = time.perf_counter() - start
    rate = steps * request.num_envs / elapsed
    return rate, physics.total_s / elapsed, scan.total_s / elapsed, _profile_table(profiler)


def _run_training(env: Any, agent: Any, request: Request) -> tuple[float, float, float, str]:
    import importlib.metadata

    from isaaclab_rl.rsl_rl import RslRlVecEnvWrapper, handle_deprecated_rsl_rl_cfg

    agent = handle_deprecated_rsl_rl_cfg(agent, importlib.metadata.version("rsl-rl-lib"))
    train = _train_ours if request.task == "ours" else _train_stock
    return *train(RslRlVecEnvWrapper(env), agent, request), ""


def _train_ours(env: Any, agent: Any, request: Request) -> tuple[float, float, float]:
    from surefoot.learning.runner import SurefootRunner

    runner = SurefootRunner(env, agent.to_dict(), device=request.device)
    runner.learn(2, init_at_random_ep_len=True)
    physics, scan = _physics_stopwatch(env.unwrapped), _scan_stopwatch(env.unwrapped)
    steps, elapsed_s = runner.env_steps, runner.elapsed_s
    runner.learn(1_000_000, deadline=time.monotonic() + request.seconds)
    elapsed_s = runner.elapsed_s - elapsed_s
    return (runner.env_steps - steps) / elapsed_s, physics.total_s / elapsed_s, scan.total_s / elapsed_s


def _train_stock(env: Any, agent: Any, request: Request) -> tuple[float, float, float]:
    from rsl_rl.runners import OnPolicyRunner

    runner = OnPolicyRunner(env, agent.to_dict(), log_dir=None, device=request.device)
    runner.learn(2, init_at_random_ep_len=True)
    physics, scan = _physics_stopwatch(env.unwrapped), _scan_stopwatch(env.unwrapped)
    iterations = 0
    start = time.perf_counter()
    while time.perf_counter() - start < request.seconds:
        runner.learn(1)
        iterations += 1
    elapsed_s = time.perf_counter() - start
    rate = iterations * agent.num_steps_per_env * request.num_envs / elapsed_s
    return rate, physics.total_s / elapsed_s, scan.total_s / elapsed_s


def _physics_stopwatch(base: Any) -> Any:
    from surefoot_devtools.benchmarking.timing import Stopwatch

    stopwatch = Stopwatch()
    stopwatch.time(base.sim, "step")
    return stopwatch


def _scan_stopwatch(base: Any) -> Any:
    """Time our look-ups of heights, or the ray caster of the stock task, where the task has one."""
    from surefoot.envs.env import SurefootEnv
    from surefoot_devtools.benchmarking.timing import Stopwatch

    stopwatch = Stopwatch()
    if "height_scanner" in base.scene.sensors:
        stopwatch.time(base.scene.sensors["height_scanner"], "_update_buffers_impl")
    elif isinstance(base, SurefootEnv) and base.field is not None:
        stopwatch.time(base.height_scan, "read")
    return stopwatch


def _profile_table(profiler: Any) -> str:
    if profiler is None:
        return ""
    import io
    import pstats

    profiler.disable()
    stream = io.StringIO()
    pstats.Stats(profiler, stream=stream).sort_stats("cumulative").print_stats(60)
    return stream.getvalue()


def serve(request_class: type, measure: Callable[[Any], Any]) -> None:
    """Answer the request on standard input with one line of JSON on the original standard output.

    Args:
        request_class: Dataclass of the request.
        measure: Takes a request and returns a dataclass.
    """
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # engines and libraries print there
    measurement = measure(request_class(**json.load(sys.stdin)))
    answer.write(json.dumps(asdict(measurement)) + "\n")
    answer.flush()


if __name__ == "__main__":
    serve(Request, measure)
