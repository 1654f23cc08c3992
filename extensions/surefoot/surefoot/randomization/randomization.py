"""Randomization of a running environment: the table, and whoever acts on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from surefoot.engines import Physics, short_name
from surefoot.env_mask import EnvIds
from surefoot_bridge.errors import SurefootError

from .adaptive.bounds import AdaptiveCfg
from .adaptive.ranges import AdaptiveRanges
from .appliers import make_applier
from .catalogue import make_catalogue
from .initial_state import InitialState
from .layout import EVENTS, TableLayout
from .parameter import Parameter, Range
from .presets import preset_ranges
from .pushes import Pushes
from .support import DRAWN_ONCE, support_of
from .table import RandomizationTable

if TYPE_CHECKING:
    from isaaclab.assets import Articulation

    from surefoot_robots import RobotSpec

    from .randomization_cfg import RandomizationCfg


def make_layout(
    cfg: RandomizationCfg,
    spec: RobotSpec,
    physics: Physics,
    *,
    initial_state: Mapping[str, Range] = MappingProxyType({}),
) -> TableLayout:
    """Lay out the table of a robot in an engine.

    A preset is made for every engine: what the engine cannot do by environment keeps its nominal value. A range that
    was asked for by name is refused instead.

    Args:
        cfg: Preset and ranges.
        spec: The robot.
        physics: The engine.
        initial_state: Ranges of the state in which episodes begin, which belong to the task whatever the preset.

    Raises:
        SurefootError: If a name is unknown, a range cannot be meant, or the engine does not support the parameter.
    """
    once = DRAWN_ONCE[physics]
    catalogue = [replace(item, occasion="startup") if item.name in once else item for item in make_catalogue(spec)]
    preset = preset_ranges(cfg.preset, spec).items()
    ranges = {
        **initial_state,
        **{name: chosen for name, chosen in preset if support_of(name, physics).level == "supported"},
    }
    for name, asked in cfg.ranges.items():
        if asked is None:
            ranges.pop(name, None)
            continue
        support = support_of(name, physics)
        if support.level != "supported":
            raise SurefootError(
                f"Randomized parameter {name!r} is {support.level} in {short_name(physics)}: {support.reason}. "
                "Leave it out, or choose another engine with --engine."
            )
        ranges[name] = asked
    return TableLayout.build(catalogue, ranges)


class Randomization:
    """The table of an environment, with the writers that make its values act.

    Actuators and sensors read the table by themselves.
    """

    def __init__(
        self,
        layout: TableLayout,
        robot: Articulation,
        spec: RobotSpec,
        *,
        adaptive: AdaptiveCfg,
        step_dt: float,
        seed: int,
        rank: int,
    ) -> None:
        """Draw the first values and write them into a simulation that has started and not stepped yet.

        Args:
            layout: What is randomized.
            robot: The articulation.
            spec: Its specification.
            adaptive: How the ranges in use grow, if they do.
            step_dt: Control step [s].
            seed: Seed of the run.
            rank: Number of the process.
        """
        self.layout = layout
        self.table = RandomizationTable(layout, num_envs=robot.num_instances, device=robot.device, seed=seed, rank=rank)
        self.applier = make_applier(robot, spec, self.table)
        """Writes values into the engine."""
        self.pushes = Pushes(self.table, robot, self.applier, step_dt)
        """Pushes of the base."""
        self.initial_state = InitialState(self.table, robot)
        """Places robots at the start of an episode, when the environment's event term asks for it."""
        self.adaptive = None
        if adaptive.scheme != "none":
            self.adaptive = AdaptiveRanges(adaptive, self.table, seed=seed, rank=rank)
        """Moves the ranges in use, if anything does."""
        self.apply()

    @property
    def privileged(self) -> list[Parameter]:
        """Parameters that differ between environments for a whole episode, which a critic may see."""
        return [
            item
            for item in self.layout.parameters
            if item.occasion not in EVENTS and item.acts_on != "initial_state" and self.layout.varies(item.name)
        ]

    def apply(self) -> None:
        """Write the values in force of all environments."""
        self.applier.apply_startup()
        self.applier.apply(self.table.mask_of(None))

    def reset(self, envs: EnvIds) -> None:
        """Draw new values in some environments, and write them."""
        env_mask = self.table.mask_of(envs)
        self.table.draw(env_mask)
        self.applier.apply(env_mask)
        self.pushes.reset(env_mask)

    def record(self, envs: EnvIds, success: torch.Tensor) -> None:
        """Tell how the episodes went that have ended, before :meth:`reset`.

        Args:
            envs: Environments whose episode has ended.
            success: Whether it succeeded, by environment, (num_envs,).
        """
        if self.adaptive is not None:
            self.adaptive.record(envs, success)

    def close_iteration(self, add_up: Callable[[torch.Tensor], None]) -> dict[str, float]:
        """Move the ranges in use by the episodes of an iteration; returns where they are, for the log.

        Args:
            add_up: Sums a tensor over all processes, in place.
        """
        if self.adaptive is None:
            return {}
        add_up(self.adaptive.counts)
        self.adaptive.update()
        return self.adaptive.history_row()

    def histograms(self) -> dict[str, np.ndarray]:
        """Return the values in force of each parameter that is random, (num_envs, num_elements), by the log's name."""
        names = [item.name for item in self.layout.parameters if self.layout.varies(item.name)]
        return {f"Randomization/{name}": self.table.view(name).cpu().numpy() for name in names}

    def advance(self) -> bool:
        """Push where it is due after a control step; returns whether the velocity of a base may have changed."""
        return self.pushes.advance()

    def before_substep(self) -> None:
        """Apply what the engine forgets after each physics step."""
        self.pushes.before_substep()

    def share_state(self) -> dict[str, Any] | None:
        """How far the ranges have grown, for a run that goes on without its simulation; None when they do not adapt."""
        return None if self.adaptive is None else self.adaptive.share_state()

    def load_shares(self, state: dict[str, Any] | None) -> None:
        """Begin new episodes with the ranges of :meth:`share_state`, unless they are those in use.

        Raises:
            SurefootError: If other parameters adapt here.
        """
        if self.adaptive is None or state is None:
            return
        if not torch.equal(self.adaptive.share_state()["share"].cpu(), state["share"].cpu()):
            self.adaptive.load_shares(state)
            self.apply()

    def state_dict(self) -> dict[str, Any]:
        """Everything that the next step depends on."""
        return {
            "table": self.table.state_dict(),
            "pushes": self.pushes.state_dict(),
            "adaptive": {} if self.adaptive is None else self.adaptive.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state_dict` returned, and write it into the engine.

        Raises:
            SurefootError: If it is of a table with other parameters or another number of environments.
        """
        self.table.load_state_dict(state["table"])
        self.pushes.load_state_dict(state["pushes"])
        if self.adaptive is not None:
            self.adaptive.load_state_dict(state["adaptive"])
        self.apply()
