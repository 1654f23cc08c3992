"""Counts launches, waits and allocations of one task, in a process of its own.

The branches are those of a GPU, whatever the device: what looks at the host first on a CPU does not, and what Newton
captures in a graph counts as one launch. One environment at least resets in every control step, as in training.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from surefoot.replaced import replaced
from surefoot_devtools.benchmarking.counting import Launches, Tally
from surefoot_devtools.benchmarking.environment import OUR_TASK, Side, opened
from surefoot_devtools.benchmarking.worker import ACTION_STD, serve

MODULE = "surefoot_devtools.benchmarking.launches_worker"

STEP, CAPTURED, TRAINING, ITERATION = "step", "captured", "training", "iteration"
"""Phases: a control step launched kernel by kernel, one launched as a graph, what training adds to each, and what it
does once per iteration."""

UNPROVEN = "region"
"""Begins the name of a scope whose launches are one on a GPU, which records them as a graph; here they are counted as
they are, for nothing here proves that it does."""

_STEPS_TO_A_GRAPH = 5
"""Control steps after which there is a graph, if there will be one."""


@dataclass(frozen=True)
class LaunchesRequest:
    """What to count."""

    task: Side
    physics: str
    device: str
    num_envs: int
    steps: int
    """Control steps to count, beside one iteration of training."""
    our_task: str = OUR_TASK
    seed: int = 1


@dataclass(frozen=True)
class LaunchesCount:
    """What was counted: one row for each scope, and the most frequent operations in all of a phase.

    A row has ``phase``, ``manager``, ``term`` (empty for what a manager does itself), and the means over control steps
    (over iterations in the last phase) ``launches``, ``waits``, ``allocations`` and ``runs`` of the scope.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    operations: dict[str, dict[str, float]] = field(default_factory=dict)
    waits: dict[str, dict[str, float]] = field(default_factory=dict)


def measure(request: LaunchesRequest) -> LaunchesCount:
    """Build the environment, step and train it, and report."""
    with opened(
        request.task,
        physics=request.physics,
        device=request.device,
        num_envs=request.num_envs,
        seed=request.seed,
        preset="standard" if request.task == "ours" else None,
        our_task=request.our_task,
        change=adapt if request.task == "ours" else None,
    ) as (env, agent):
        return count_task(env, agent, ours=request.task == "ours", steps=request.steps)


def adapt(cfg: Any) -> None:
    """Let the ranges of a task's randomization adapt."""
    cfg.randomization.adaptive.scheme = "bounds"


def count_task(env: Any, agent: Any, *, ours: bool, steps: int) -> LaunchesCount:
    """Count control steps of an environment, and an iteration of training it.

    Args:
        env: The environment, reset.
        agent: The agent's configuration.
        ours: Whether it is trained by our runner; by rsl_rl's own otherwise.
        steps: Control steps to count.
    """
    result = LaunchesCount()
    base = env.unwrapped
    _take_branches_of_a_gpu(base)
    tally = Tally()
    if ours:
        vars(base)["_captured_step"] = None
    _step(env, tally, steps=2)  # compiles kernels and allocates what is kept
    with _watched(tally, base), tally.opened():
        _step(env, tally, steps=steps)
    _report(result, tally, {STEP: steps})
    if ours:
        del vars(base)["_captured_step"]
        _step(env, tally, steps=_STEPS_TO_A_GRAPH)
        tally = Tally()
        with tally.opened():
            _step(env, tally, steps=steps, phase=CAPTURED)
        _report(result, tally, {CAPTURED: steps})
    tally = _train(env, agent, ours=ours)
    _report(result, tally, {TRAINING: agent.num_steps_per_env, ITERATION: 1})
    return result


def _step(env: Any, tally: Tally, *, steps: int, phase: str = STEP) -> None:
    import torch

    base = env.unwrapped
    shape = (base.num_envs, base.action_manager.total_action_dim)
    for step in range(steps):
        action = ACTION_STD * torch.randn(shape, device=base.device)
        base.episode_length_buf[step % base.num_envs] = base.max_episode_length
        with tally.scope(phase):
            env.step(action)


def _train(env: Any, agent: Any, *, ours: bool) -> Tally:
    """Train for two iterations and count the second; returns the counts."""
    import importlib.metadata

    from isaaclab_rl.rsl_rl import RslRlVecEnvWrapper, handle_deprecated_rsl_rl_cfg
    from rsl_rl.runners import OnPolicyRunner

    from surefoot.learning.runner import SurefootRunner

    agent = handle_deprecated_rsl_rl_cfg(agent, importlib.metadata.version("rsl-rl-lib"))
    wrapped = RslRlVecEnvWrapper(env)
    if ours:
        runner: Any = SurefootRunner(wrapped, agent.to_dict(), device=agent.device)
    else:
        runner = OnPolicyRunner(wrapped, agent.to_dict(), log_dir=None, device=agent.device)
    runner.learn(1, init_at_random_ep_len=True)
    tally = Tally()
    with ExitStack() as stack:
        for phase, owner, method, name in _parts_of_training(runner, ours=ours):
            stack.enter_context(_inside(tally, owner, method, phase, name))
        for region in getattr(runner.alg, "regions", ()):
            if not region.is_recorded:
                stack.enter_context(_inside(tally, region, "run", f"{UNPROVEN} {region.name}"))
        stack.enter_context(tally.opened())
        runner.learn(1)
    return tally


def _parts_of_training(runner: Any, *, ours: bool) -> Iterator[tuple[str, Any, str, str]]:
    """Yield (phase, owner, method, name) of what training does beside control steps."""
    yield TRAINING, runner.alg, "act", "act"
    yield TRAINING, runner.alg, "process_env_step", "storage"
    yield ITERATION, runner.alg, "compute_returns", "returns"
    yield ITERATION, runner.alg, "update", "update"
    if ours:
        yield TRAINING, runner.fault_guard, "check_actions", "fault_guard"
        yield TRAINING, runner.fault_guard, "check_step", "fault_guard"
        yield TRAINING, runner.episodes, "add_step", "statistics"
        yield ITERATION, runner.episodes, "close_iteration", "statistics"
        yield ITERATION, runner.fault_guard, "close_iteration", "fault_guard"
    else:
        yield TRAINING, runner.logger, "process_env_step", "statistics"
        yield ITERATION, runner.logger, "log", "statistics"


def _take_branches_of_a_gpu(base: Any) -> None:
    """Let nothing look at the host first because that is free on a CPU."""
    randomization = getattr(base, "randomization", None)
    if randomization is not None:
        randomization.pushes.looks_first = False


@contextmanager
def _watched(tally: Tally, base: Any) -> Iterator[None]:
    """Give what an environment's managers and their terms do scopes of their own for the length of a block."""
    with ExitStack() as stack:

        def watch(owner: Any, method: str, *names: str) -> None:
            if hasattr(owner, method):
                stack.enter_context(_inside(tally, owner, method, *names))

        for manager, owner, method in (
            ("action", base.action_manager, "process_action"),
            ("action", base.action_manager, "apply_action"),
            ("physics", base.sim, "step"),
            ("scene", base.scene, "write_data_to_sim"),
            ("scene", base.scene, "update"),
            ("terminations", base.termination_manager, "compute"),
            ("rewards", base.reward_manager, "compute"),
            ("commands", base.command_manager, "compute"),
            ("events", base.event_manager, "apply"),
            ("observations", base.observation_manager, "compute"),
            ("resets", base, "_reset_marked" if hasattr(base, "_reset_marked") else "_reset_idx"),
        ):
            watch(owner, method, manager)
        for name in ("randomization", "locomotion", "actuator"):  # of ours alone
            for method in ("advance", "update", "before_substep"):
                watch(getattr(base, name, None), method, name)
        watch(base, "_advance_sensors", "sensors")
        watch(getattr(base, "_drive", None), "apply", "action")
        for name, cfg in _configured_terms(base):
            watch(cfg, "func", name)
        for manager in (base.command_manager, base.action_manager):
            for name, term in manager._terms.items():
                for method in ("compute", "process_actions", "apply_actions"):
                    watch(term, method, name)
        for owner in _captured_by_newton(base):
            stack.enter_context(_as_graph(tally, *owner))
        yield


def _configured_terms(base: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, configuration) of terms that their manager calls as ``func`` of their configuration."""
    for manager in (base.termination_manager, base.reward_manager, base.curriculum_manager):
        yield from zip(manager._term_names, manager._term_cfgs, strict=True)
    events = base.event_manager
    for mode, names in events._mode_term_names.items():
        yield from zip(names, events._mode_term_cfgs[mode], strict=True)
    observations = base.observation_manager
    for group, names in observations._group_obs_term_names.items():
        named = (f"{group}.{name}" for name in names)
        yield from zip(named, observations._group_obs_term_cfgs[group], strict=True)


def _captured_by_newton(base: Any) -> list[tuple[Any, str]]:
    manager = base.sim.physics_manager  # a string that stands for the class, and cannot be changed in its place
    names = ("_simulate_full", "_simulate_physics_only")
    return [(getattr(manager, name).__self__, name) for name in names if hasattr(manager, name)]


class _Counted:
    """A function, or a term that is called like one, with what it does counted in scopes of the names."""

    def __init__(self, original: Any, tally: Tally, names: tuple[str, ...]) -> None:
        self._original, self._tally, self._names = original, tally, names

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with ExitStack() as stack:
            for name in self._names:
                stack.enter_context(self._tally.scope(name))
            return self._original(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


def _inside(tally: Tally, owner: Any, method: str, *names: str) -> Any:
    """Replace a method by one that counts what it does in a scope."""
    return replaced((owner, method, _Counted(getattr(owner, method), tally, names)))


def _as_graph(tally: Tally, owner: Any, method: str) -> Any:
    original = getattr(owner, method)

    def run(*args: Any, **kwargs: Any) -> Any:
        with tally.captured("captured graph"):
            return original(*args, **kwargs)

    return replaced((owner, method, staticmethod(run)))


def _report(result: LaunchesCount, tally: Tally, times: dict[str, int]) -> None:
    """Add to a result what was counted in phases, divided by how often each took place."""
    rows: dict[tuple[str, str, str], Launches] = {}
    for path, counted in tally.of.items():
        phase, manager, term = (*path, "", "")[:3]
        total = rows.setdefault((phase, manager or "environment", term), Launches())
        for kind in vars(total):
            getattr(total, kind).update(getattr(counted, kind))
    for (phase, manager, term), counted in rows.items():
        if phase not in times:
            continue
        counts = {
            "launches": counted.total / times[phase],
            "waits": counted.waits.total() / times[phase],
            "allocations": counted.allocations.total() / times[phase],
            "runs": counted.runs.total() / times[phase],
        }
        result.rows.append({"phase": phase, "manager": manager, "term": term, **counts})
        for into, names in (
            (result.operations, counted.kernels + counted.torch_operations + counted.transfers),
            (result.waits, counted.waits),
        ):
            of_phase = into.setdefault(phase, {})
            for name, count in names.items():
                of_phase[name] = of_phase.get(name, 0.0) + count / times[phase]


if __name__ == "__main__":
    serve(LaunchesRequest, measure)
