"""A control step as one graph, in Newton: recorded once, and launched as a whole from then on.

The host does in each step what is no work of the device: it advances the clocks that it keeps itself, and uploads
weights and ranges that a curriculum has changed. A step that is to do something else than the others is taken as any
step without a graph. Nothing that the graph reads or writes moves, whatever else happens between steps: resets by the
user, a checkpoint that is restored, ranges that adapt.

Only what Warp launches is recorded. What a step does by torch, and what it reads of the device, is looked for in one
step before: a task with such a term takes all its steps without a graph, and is told which line it is.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import warp as wp
from isaaclab.physics import PhysicsManager
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from surefoot.replaced import replaced

_LOG = logging.getLogger(__name__)

EAGER_STEPS = 2
"""Steps that are taken first: they compile kernels, and make what is kept."""

_MANAGERS = Path(__file__).parent / "fused"

_NOT_RECORDED = (NotImplementedError, RuntimeError, AttributeError)
"""What Warp raises of a launch that it cannot record."""

_READS = (torch.Tensor.cpu, torch.Tensor.numpy, torch.Tensor.tolist, torch.Tensor.__array__)


class CapturedStep:
    """Takes control steps of an environment, by a graph as soon as there is one.

    Args:
        env: A :class:`~surefoot.envs.env.SurefootEnv` in Newton that resets by a mask.
    """

    def __init__(self, env: Any) -> None:
        self._env = env
        self._physics: Any = env.sim.physics_manager.step.__self__  # the class, which Isaac Lab names by a string
        self._taken, self._has_looked = 0, False
        self._graph: wp.Graph | None = None
        self._recorded_for: tuple[Any, ...] = ()
        self.obstacles: list[str] = []
        """What a graph cannot hold, each with its line; where there is any, no step is taken by one."""
        self.wrote_in_place = False
        """Whether the last step wrote its observations where the graph writes them."""
        env.randomization.pushes.looks_first = False

    def run(self) -> None:
        """Take a step with the actions that the action manager holds."""
        env = self._env
        self._taken += 1
        self.wrote_in_place = False
        if self.obstacles or self._taken <= EAGER_STEPS or self._host_has_work():
            env.advance()
            return
        self.wrote_in_place = True
        if not self._has_looked:
            self._look()
            return
        layout = self._layout()
        if self._graph is not None and layout == self._recorded_for:
            self._count()
        else:
            self._graph, self._recorded_for = self._record(), layout
        if self._graph is None:
            self.wrote_in_place = False
            env.advance()
        else:
            wp.capture_launch(self._graph)

    def _host_has_work(self) -> bool:
        """Upload what has changed; returns whether anything has, or whether a curriculum has its turn."""
        env = self._env
        managers = (env.termination_manager, env.reward_manager, env.observation_manager)
        changed = [manager.upload() for manager in managers]
        if any(changed):
            self._graph = None  # a term that is switched on may read what none did before
        changed += [term.upload() for term in env.command_manager._terms.values() if hasattr(term, "upload")]
        with_turns = [cfg for cfg in env.curriculum_manager._term_cfgs if hasattr(cfg.func, "is_due")]
        return any(changed) or any(cfg.func.is_due(env, **cfg.params) for cfg in with_turns)

    def _layout(self) -> tuple[Any, ...]:
        """Return what a graph is recorded for: whoever changes it gets another one."""
        env, backend = self._env, self._physics.backend
        return (
            env.episode_length_buf.data_ptr(),
            env.max_episode_length,
            self._physics._decimation,
            backend.state_0.joint_q.ptr,
        )

    def _look(self) -> None:
        """Take a step, and note what of it no graph can hold."""
        self._has_looked = True
        with _looked_at(self.obstacles), self._env.observation_manager.in_place():
            self._env.advance()
        if self.obstacles:
            self._give_up()

    def _give_up(self) -> None:
        """Take steps without a graph from now on, and say why."""
        self.obstacles = list(dict.fromkeys(self.obstacles))
        self._env.randomization.pushes.looks_first = str(self._env.device) == "cpu"
        _LOG.warning(
            "Control steps are launched kernel by kernel, which costs most of the speed of a GPU: a graph cannot hold "
            "what the host or torch does in them: %s. Write it as a Warp function (docs/add-a-task.md), or set the "
            "task's capture_step to False.",
            "; ".join(self.obstacles),
        )

    def _record(self) -> wp.Graph | None:
        """Return the graph of a step, which counts itself, and runs when the graph is launched; None without one."""
        env, physics = self._env, self._physics
        # The engine's own graph, which none can be launched into, is left out for what it consists of.
        without_graph = replaced((physics, "_graph", None), (physics, "_graph_capture_pending", False))
        try:
            with (
                without_graph,
                env.observation_manager.in_place(),
                wp.ScopedCapture(device=str(env.device)) as capture,
            ):
                env.advance()
        except _NOT_RECORDED as error:
            self.obstacles.append(str(error))
            self._give_up()
            return None
        return capture.graph

    def _count(self) -> None:
        """Do what the host does of a step whose graph is launched again."""
        env, physics = self._env, self._physics
        env.count_physics()
        env.sim._physics_step_count += 1
        PhysicsManager._sim_time += physics._solver_dt * physics._num_substeps * physics._decimation


@contextmanager
def _looked_at(obstacles: list[str]) -> Iterator[None]:
    """Note operations of torch and reads of the device, with the line that asked for them.

    What a manager does with what a term of torch gave is noted only where the term's own lines did nothing.
    """
    of_managers: list[str] = []

    def note(what: str) -> None:
        frames = [frame for frame in traceback.extract_stack() if not _is_library(frame.filename)]
        line = frames[-1]
        noted = of_managers if Path(line.filename).parent == _MANAGERS else obstacles
        noted.append(f"{line.name} ({Path(line.filename).name}:{line.lineno}) by {what}")

    class Operations(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            del types
            if not func.is_view:
                note(str(func.overloadpacket))
            return func(*args, **(kwargs or {}))

    class Reads(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            del types
            if func in _READS:
                note(f"Tensor.{func.__name__}")
            return func(*args, **(kwargs or {}))

    read = wp.array.numpy

    def noted_read(array: Any) -> Any:
        note("wp.array.numpy")
        return read(array)

    with replaced((wp.array, "numpy", noted_read)), Reads(), Operations():
        yield
    if not obstacles:
        obstacles += of_managers


def _is_library(file: str) -> bool:
    return file == __file__ or "/torch/" in file or "/warp/" in file
