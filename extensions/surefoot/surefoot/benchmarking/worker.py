"""One measurement in a process of its own: ``python -m surefoot.benchmarking.worker``, a request on standard input.

Processes that share the environments, as ``surefoot train`` has them on a CPU, wait for each other after every rollout,
as those of a training run do before they update the policy; the first one reports for all.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

_IMPORTED_AT = time.perf_counter()

OUR_TASK = "Surefoot-Velocity-Flat-Go2"
ACTION_STD = 0.5
"""Standard deviation of the random actions: robots stagger, fall and reset, as in early training."""


@dataclass(frozen=True)
class Request:
    """What to measure."""

    kind: Literal["step", "train"]
    task: Literal["ours", "stock"]
    physics: str
    device: str
    num_envs: int
    """Environments in all."""
    seconds: float
    processes: int = 1
    """Processes that share the environments."""
    seed: int = 1
    profile: bool = False


@dataclass(frozen=True)
class Measurement:
    """What was measured."""

    env_steps_per_s: float
    physics_share: float
    """Share of the time of a control step spent inside the engine's step call."""
    peak_memory_mb: float
    """Of the first process, times their number."""
    startup_s: float
    """From the start of the process to the end of the first reset."""
    profile: str = ""


class _Stopwatch:
    """Accumulates the wall time spent in one method of an object."""

    def __init__(self, owner: Any, name: str) -> None:
        self.total_s = 0.0
        method = getattr(owner, name)

        def timed(*args: Any, **kwargs: Any) -> Any:
            start = time.perf_counter()
            try:
                return method(*args, **kwargs)
            finally:
                self.total_s += time.perf_counter() - start

        setattr(owner, name, timed)


def measure(request: Request) -> Measurement:
    """Build the environment, step or train it for the requested time, and report."""
    from surefoot.engines import install_shims

    install_shims()
    import gymnasium
    import torch
    from isaaclab.app import launch_simulation
    from isaaclab_tasks.utils import resolve_task_config

    import surefoot.task_registry
    from surefoot.benchmarking.stock_task import STOCK_TASK, stock_env_cfg, stock_randomization
    from surefoot.learning.distributed import Ranks, share_cores, start_process_group

    surefoot.task_registry.task_ids()
    cfg, agent = cast(
        "tuple[Any, Any]",
        resolve_task_config(OUR_TASK, "rsl_rl_cfg_entry_point", overrides=[f"physics={request.physics}"]),
    )
    task = OUR_TASK
    if request.task == "stock":
        cfg, agent = stock_env_cfg(cfg, physics=request.physics)
        task = STOCK_TASK
    else:
        cfg.randomization = stock_randomization()
    cfg.sim.device = agent.device = request.device
    ranks = Ranks.from_environment()
    cfg.scene.num_envs = request.num_envs // request.processes
    cfg.seed = request.seed + ranks.rank
    with launch_simulation(cfg, {"device": request.device, "headless": True}):
        env = gymnasium.make(task, cfg=cfg)
        env.reset()
        startup_s = time.perf_counter() - _IMPORTED_AT
        torch.manual_seed(cfg.seed)
        share_cores(request.processes)
        start_process_group(ranks, request.device)
        run = _run_stepping if request.kind == "step" else _run_training
        rate, share, profile = run(env, agent, request)
        env.close()
    peak_mb = request.processes * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    return Measurement(rate, share, peak_mb, startup_s, profile)


def _run_stepping(env: Any, agent: Any, request: Request) -> tuple[float, float, str]:
    import torch

    from surefoot.learning.distributed import Ranks, agree

    ranks = Ranks.from_environment()
    base = env.unwrapped
    actions = torch.zeros(base.num_envs, base.action_manager.total_action_dim, device=request.device)
    for _ in range(30):
        env.step(actions.normal_(0.0, ACTION_STD))
    physics = _Stopwatch(base.sim, "step")
    profiler = None
    if request.profile:
        import cProfile

        profiler = cProfile.Profile()
        profiler.enable()
    steps = 0
    _synchronize(request.device)
    start = time.perf_counter()
    while not agree(time.perf_counter() - start >= request.seconds, ranks, request.device):
        for _ in range(agent.num_steps_per_env):
            env.step(actions.normal_(0.0, ACTION_STD))
        steps += agent.num_steps_per_env
    _synchronize(request.device)
    elapsed = time.perf_counter() - start
    return steps * request.num_envs / elapsed, physics.total_s / elapsed, _profile_table(profiler)


def _run_training(env: Any, agent: Any, request: Request) -> tuple[float, float, str]:
    import importlib.metadata

    from isaaclab_rl.rsl_rl import RslRlVecEnvWrapper, handle_deprecated_rsl_rl_cfg

    agent = handle_deprecated_rsl_rl_cfg(agent, importlib.metadata.version("rsl-rl-lib"))
    train = _train_ours if request.task == "ours" else _train_stock
    return *train(RslRlVecEnvWrapper(env), agent, request), ""


def _train_ours(env: Any, agent: Any, request: Request) -> tuple[float, float]:
    from surefoot.learning.runner import SurefootRunner

    runner = SurefootRunner(env, agent.to_dict(), device=request.device)
    runner.learn(2, init_at_random_ep_len=True)
    physics = _Stopwatch(env.unwrapped.sim, "step")
    steps, elapsed_s = runner.env_steps, runner.elapsed_s
    runner.learn(1_000_000, deadline=time.monotonic() + request.seconds)
    elapsed_s = runner.elapsed_s - elapsed_s
    return (runner.env_steps - steps) / elapsed_s, physics.total_s / elapsed_s


def _train_stock(env: Any, agent: Any, request: Request) -> tuple[float, float]:
    from rsl_rl.runners import OnPolicyRunner

    runner = OnPolicyRunner(env, agent.to_dict(), log_dir=None, device=request.device)
    runner.learn(2, init_at_random_ep_len=True)
    physics = _Stopwatch(env.unwrapped.sim, "step")
    iterations = 0
    start = time.perf_counter()
    while time.perf_counter() - start < request.seconds:
        runner.learn(1)
        iterations += 1
    elapsed_s = time.perf_counter() - start
    return iterations * agent.num_steps_per_env * request.num_envs / elapsed_s, physics.total_s / elapsed_s


def _synchronize(device: str) -> None:
    if device.startswith("cuda"):
        import torch

        torch.cuda.synchronize()


def _profile_table(profiler: Any) -> str:
    if profiler is None:
        return ""
    import io
    import pstats

    profiler.disable()
    stream = io.StringIO()
    pstats.Stats(profiler, stream=stream).sort_stats("cumulative").print_stats(60)
    return stream.getvalue()


def main() -> None:
    """Answer the request on standard input with one line of JSON on the original standard output."""
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # engines and libraries print there
    request = Request(**json.load(sys.stdin))
    measurement = measure(request)
    answer.write(json.dumps(asdict(measurement)) + "\n")
    answer.flush()


if __name__ == "__main__":
    main()
