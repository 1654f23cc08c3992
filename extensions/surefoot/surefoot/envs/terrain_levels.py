"""On which tile of a field each environment trains: its phase, its column, and its level.

The rule of levels is Isaac Lab's (``terrain_levels_vel`` of its velocity task, after Rudin et al., CoRL 2021): at the
end of an episode a robot that got farther than half a tile from where it began goes up a level; one that got less than
half as far as it was asked goes down one; one that passed the last level goes to a random one, so that no level is
forgotten. Here the way that was asked is summed over the episode, since commands change within it: with one command it
is the same. A robot that fell is held against the whole episode, one whose time was over against what it had.

A phase (:mod:`surefoot.terrains.phases`) is a set of columns, within which that rule holds. The next one opens when all
open ones are passed by the success of their last episodes and the level of their robots; it takes environments of the
newest phase as their episodes end. Earlier phases keep theirs and go on being measured, so that what was forgotten
keeps the next phase shut.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
import warp as wp

from surefoot.env_mask import EnvIds, EnvMask
from surefoot.snapshot import StateMismatchError
from surefoot.terrains.field import TrainingField
from surefoot.terrains.phases import PhasePlan

from . import terrain_level_kernels as kernels


class TerrainLevels:
    """The tile of each environment, which changes at the ends of episodes alone.

    Args:
        field: The field.
        plan: Phases, and the columns of each environment in them.
        first_levels: Levels that environments begin a phase on, evenly from the easiest on, unless it has all levels.
        step_dt: Control period [s].
        episode_steps: Control steps of a whole episode.
        seed: Seed of the draws of levels.
        rank: Which process of the run this is.
        device: Device of the simulation.
    """

    def __init__(
        self,
        field: TrainingField,
        plan: PhasePlan,
        *,
        first_levels: int,
        step_dt: float,
        episode_steps: int,
        seed: int,
        rank: int,
        device: str,
    ) -> None:
        self._field_record, self._plan_record = field.record(), plan.record()
        self._step_dt, self._device = step_dt, device
        self._names = list(plan.phases)
        self._kinds = list(dict.fromkeys(field.columns))
        num_phases, num_envs = plan.columns.shape
        self._masks = EnvMask(num_envs, device)

        def on_device(values: np.ndarray) -> torch.Tensor:
            return torch.as_tensor(values, device=device)

        def zeros(*shape: int) -> torch.Tensor:
            return torch.zeros(shape, dtype=torch.int32, device=device)

        self._tile_origins = on_device(field.origins_w)  # (levels, columns, 3)
        self._kind = on_device(np.array([self._kinds.index(name) for name in field.columns], dtype=np.int32))
        self._home, self._columns_of = on_device(plan.home), on_device(plan.columns)
        of_phase = np.where(plan.per_phase("all_levels", 0.0) > 0.0, field.num_levels, first_levels)
        self._first_level = on_device((np.arange(num_envs) % of_phase[:, None]).astype(np.int32))  # (phases, num_envs)
        self._commands = on_device(plan.per_phase("commands", 1.0))
        self._num_open = zeros(1) + plan.first_open
        self._phases = torch.minimum(self._home, self._num_open - 1)
        self.columns = zeros(num_envs)
        """Column of each environment's tile, (num_envs,)."""
        self.levels = self._first_level[self._phases.long(), torch.arange(num_envs, device=device)]
        """Level of each environment's tile, (num_envs,)."""
        self.origins_w = torch.zeros(num_envs, 3, device=device)
        """Where each environment's robot starts [m], (num_envs, 3)."""
        self.command_share = torch.ones(num_envs, device=device)
        """Share of the commands' range that each environment's phase asks for, (num_envs,)."""
        self._asked_w = torch.zeros(num_envs, 2, device=device)
        self._steps, self._passed = zeros(num_envs), zeros(num_envs)
        self._population = zeros(num_phases, field.num_levels)
        self._of_kind = zeros(len(self._kinds), field.num_levels)
        self._episodes, self._measured = (zeros(num_phases, field.num_levels, 2) for _ in range(2))
        groups = {
            "mean": [""],
            "of_{}": self._kinds,
            "share_on_{}": range(field.num_levels),
            "open_phases": [""] if self._names else [],
            "success_on_{}": range(field.num_levels) if self._names else [],
            "share_of_phase_{}": self._names,
            "success_of_phase_{}": self._names,
            "level_of_phase_{}": self._names,
        }
        names = [pattern.format(name) for pattern, group in groups.items() for name in group]
        figures = torch.zeros(len(names), device=device)
        self._figures = dict(zip(names, figures.unbind(), strict=True))
        self._figure_arrays = [wp.from_torch(part) for part in figures.split([len(group) for group in groups.values()])]
        self._derive()
        self._rule = _struct(
            kernels.Rule,
            half_tile_m=0.5 * field.tile_m,
            episode_steps=episode_steps,
            key_0=wp.uint32(seed & 0xFFFFFFFF),
            key_1=wp.uint32(rank),
        )
        self._bind(plan)

    def add_asked_way(self, command: torch.Tensor, root_pose_w: wp.array) -> None:
        """Take down what a control step asked for.

        Args:
            command: vx, vy [m/s] and yaw rate [rad/s] in the base frame, (num_envs, 3).
            root_pose_w: Poses of the bases in the world, (num_envs,), transformf.
        """
        wp.launch(
            kernels.add_asked_way,
            dim=len(command),
            inputs=[wp.from_torch(command, dtype=wp.vec3f), root_pose_w, self._step_dt],
            outputs=[self._envs],
            device=self._device,
        )

    def end_episodes(self, envs: EnvIds, root_pose_w: wp.array, fell: torch.Tensor) -> None:
        """Choose the tiles of the next episodes, then open a phase if it is time; two launches, for any number.

        An episode that has not begun yet counts for nothing and changes no level.

        Args:
            envs: Environments whose episodes end.
            root_pose_w: Poses of all bases where the episodes end, (num_envs,), transformf.
            fell: Whether each episode ends before its time, (num_envs,), bool.
        """
        wp.launch(
            kernels.end_episodes,
            dim=len(self.levels),
            inputs=[self._masks.of(envs), root_pose_w, wp.from_torch(fell), self._places, self._rule],
            outputs=[self._envs, self._counts],
            device=self._device,
        )
        if self._names:
            wp.launch(kernels.open_phases, dim=1, inputs=self._opening, outputs=[self._counts], device=self._device)

    def figures(self) -> dict[str, torch.Tensor]:
        """Return the mean level, that of each kind of ground and phase, and population and success of each: one launch.

        They are tensors that the next call writes again.
        A success rate is NaN until enough episodes have ended, and so is the level of a phase without robots.
        """
        wp.launch(
            kernels.write_figures,
            dim=max(len(self._kinds), *self._population.shape),
            inputs=[self._counts, len(self.levels), bool(self._names)],
            outputs=self._figure_arrays,
            device=self._device,
        )
        return dict(self._figures)

    def state_dict(self) -> dict[str, Any]:
        """What a resumed run needs, and what field and phases were made of."""
        tensors = {name: getattr(self, name).cpu().clone() for name in _SAVED}
        return {**tensors, "field": self._field_record, "phases": self._plan_record}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state_dict` returned.

        Raises:
            StateMismatchError: If it is of another field, of other phases, or of another number of environments.
        """
        _require_same("another field of ground", state["field"], self._field_record)
        _require_same("other phases", state.get("phases", {}), self._plan_record)
        for name in _SAVED:
            live = getattr(self, name)
            if live.shape != state[name].shape:
                raise StateMismatchError(
                    f"The checkpoint has {len(state[name])} environments on the field, here are {len(live)}. Resume "
                    "with the number of environments of the saved run."
                )
            live.copy_(state[name])
        self._derive()

    def open_state(self) -> dict[str, Any]:
        """Which phases are open, for a run that goes on with other environments."""
        return {"phases": self._plan_record, "open": int(self._num_open)}

    def load_open(self, state: Mapping[str, Any] | None) -> None:
        """Open the phases of :meth:`open_state`; environments come to them as their episodes end.

        Raises:
            StateMismatchError: If there are other phases here.
        """
        if state is not None:
            _require_same("other phases", state["phases"], self._plan_record)
            self._num_open.fill_(state["open"])

    def _derive(self) -> None:
        """Set what follows from phases and levels."""
        environments = torch.arange(len(self.levels), device=self._device)
        self.columns.copy_(self._columns_of[self._phases.long(), environments])
        self.origins_w.copy_(self._tile_origins[self.levels.long(), self.columns.long()])
        self.command_share.copy_(self._commands[self._phases.long()])
        for counts, of_env in ((self._population, self._phases), (self._of_kind, self._kind[self.columns.long()])):
            place = of_env * counts.shape[1] + self.levels
            counts.copy_(torch.bincount(place, minlength=counts.numel()).view_as(counts))

    def _bind(self, plan: PhasePlan) -> None:
        """Make the kernels' arguments, which stay where they are."""
        self._places = _struct(
            kernels.Places,
            tile_origins_w=wp.from_torch(self._tile_origins, dtype=wp.vec3f),
            kind=self._kind,
            home=self._home,
            columns=self._columns_of,
            first_level=self._first_level,
            commands=self._commands,
        )
        self._envs = _struct(
            kernels.Environments,
            phases=self._phases,
            columns=self.columns,
            levels=self.levels,
            origins_w=wp.from_torch(self.origins_w, dtype=wp.vec3f),
            command_share=self.command_share,
            asked_w=wp.from_torch(self._asked_w, dtype=wp.vec2f),
            steps=self._steps,
            passed=self._passed,
        )
        self._counts = _struct(
            kernels.Counts,
            population=self._population,
            of_kind=self._of_kind,
            episodes=self._episodes,
            measured=self._measured,
            num_open=self._num_open,
        )
        self._opening = [
            wp.array(values, device=self._device)
            for values in (plan.per_phase("success", 1.0), plan.per_phase("level", 0.0), plan.episodes)
        ]


_SAVED = ("levels", "_phases", "_asked_w", "_steps", "_passed", "_num_open", "_episodes", "_measured")


def _struct(struct_type: Any, /, **fields: Any) -> Any:
    """Return a Warp struct with its fields set, tensors as arrays of the same memory."""
    struct = struct_type()
    for name, value in fields.items():
        setattr(struct, name, wp.from_torch(value) if isinstance(value, torch.Tensor) else value)
    return struct


def _require_same(what: str, saved: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """Refuse a state of another field or of other phases, which ``what`` names after "another" or "other"."""
    differing = [name for name in dict.fromkeys((*here, *saved)) if saved.get(name) != here.get(name)]
    if differing or list(saved) != list(here):
        told = "; ".join(f"{name} {saved.get(name, 'none')}, here {here.get(name, 'none')}" for name in differing)
        raise StateMismatchError(
            f"The checkpoint was trained on {what}: {told or f'in the order {", ".join(saved)}'}. Resume it with the "
            f"{what.split()[1]} that it was trained on, or begin a new run with --weights."
        )
