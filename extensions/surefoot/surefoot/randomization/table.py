"""The table of randomized parameters: the value in force of each parameter in each environment."""

# A Warp struct is a class at run time, which its type does not say.
# pyright: reportGeneralTypeIssues=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
import warp as wp

from surefoot.env_mask import EnvIds, EnvMask
from surefoot_bridge.errors import SurefootError

from . import kernels
from .layout import EVENTS, Block, TableLayout

WARP_WORD = 2**32


class RandomizationTable:
    """Draws and holds the values of all parameters, on the simulation's device.

    Values are pure functions of (seed, rank, environment, episode, parameter): the same on CPU and GPU, for any number
    of environments, and whichever environments are reset together. Only logarithms and powers, of log-uniform and
    normal ranges, may differ in the last digit between devices.

    What to draw lies in device memory, so that changing it (:attr:`share`, :attr:`boundary`) compiles nothing and works
    in a captured CUDA graph.
    """

    def __init__(self, layout: TableLayout, *, num_envs: int, device: str, seed: int, rank: int = 0) -> None:
        """Allocate and draw all values of the first episode.

        Args:
            layout: The parameters and their ranges.
            num_envs: Number of environments.
            device: Warp's or torch's name of the simulation's device.
            seed: Seed of the run, below 2^32.
            rank: Number of the process, when several train together.
        """
        if not (0 <= seed < WARP_WORD and 0 <= rank < WARP_WORD):
            raise SurefootError(f"Seed {seed} and rank {rank} must be in [0, {WARP_WORD - 1}].")
        self.layout = layout
        self.num_envs = num_envs
        self.device = device
        self.seed = seed
        self.rank = rank
        shape = (num_envs, layout.num_columns)
        nominal = torch.tensor(layout.per_column()["nominal"], device=device)
        self.values = nominal.repeat(num_envs, 1)
        """Values in force in SI units, (num_envs, num_columns); read it, do not write it."""
        self.normalised = torch.zeros(shape, device=device)
        """Draws with the declared range mapped to [-1, 1], 0 for what is not random, (num_envs, num_columns)."""
        self.share = torch.ones(len(layout.parameters), 2, device=device)
        """How much of the way from nominal to the declared low and high ends is in use, (num_parameters, 2)."""
        self.boundary = torch.full((num_envs,), -1, dtype=torch.int32, device=device)
        """Parameter whose end each environment is drawn at: 2 * parameter for the low end in use, one more for the
        high end, -1 for none, (num_envs,)."""
        self.episode = torch.zeros(num_envs, dtype=torch.int32, device=device)
        """Episodes that were begun in each environment, (num_envs,)."""
        self.event_due = torch.zeros(num_envs, len(EVENTS), dtype=torch.bool, device=device)
        """Whether each of :data:`~surefoot.randomization.layout.EVENTS` is due in this control step, (num_envs, 2)."""
        self._time_left_s = torch.full((num_envs, len(EVENTS)), torch.inf, device=device)
        self._event_number = torch.zeros(num_envs, len(EVENTS), dtype=torch.int32, device=device)
        self._masks = EnvMask(num_envs, device)
        self._bind()
        everyone = self.mask_of(None)
        self._draw(everyone, self._every_block)
        self._begin_episode(everyone)

    @property
    def warp_values(self) -> wp.array:
        """:attr:`values` as a Warp array, without a copy."""
        return self._values.table

    def view(self, name: str) -> torch.Tensor:
        """Return the values of a parameter without a copy, (num_envs, num_elements), in its unit."""
        return self.values[:, self.layout.column_slice(name)]

    def mask_of(self, envs: EnvIds) -> wp.array:
        """Return environments as a mask, (num_envs,), which the next call may overwrite."""
        return self._masks.of(envs)

    def draw(self, envs: EnvIds) -> None:
        """Draw what is drawn at a reset and begin a new episode, in some environments.

        One launch draws; of a mask the host waits for nothing.
        """
        env_mask = self.mask_of(envs)
        self._draw(env_mask, self._reset_blocks)
        self._begin_episode(env_mask)

    def advance(self, step_dt: float) -> None:
        """Let the time of a control step pass [s] and draw the pushes that are due."""
        wp.launch(
            kernels.advance_events,
            dim=self.event_due.shape,
            inputs=[step_dt, self._interval_columns, *self._event_blocks, self._ranges, *self._words],
            outputs=[self._values, *self._clocks, self._due],
            device=self.device,
        )

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Everything that later draws and readers depend on."""
        return {name: getattr(self, name).clone() for name in self._STATE}

    def load_state_dict(self, state: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state_dict` returned.

        Raises:
            SurefootError: If it is of a table with other parameters or another number of environments.
        """
        current = {name: getattr(self, name) for name in self._STATE}
        shapes = {name: tuple(value.shape) for name, value in state.items()}
        expected = {name: tuple(value.shape) for name, value in current.items()}
        if shapes != expected:
            raise SurefootError(f"The saved randomization has shapes {shapes}, this one has {expected}.")
        for name, value in state.items():
            current[name].copy_(value)

    _STATE = (
        "values",
        "normalised",
        "share",
        "boundary",
        "episode",
        "event_due",
        "_time_left_s",
        "_event_number",
    )

    def _bind(self) -> None:
        """Make the kernels' arrays and Warp's views of the tensors."""
        layout, device = self.layout, self.device

        def array(values: np.ndarray | Sequence[int], dtype: type) -> wp.array:
            return wp.array(np.asarray(values), dtype=dtype, device=device)

        def records(struct: Any, fields: Mapping[str, Any], count: int) -> wp.array:
            rows = np.zeros(count, dtype=struct.numpy_dtype())
            for name in struct.vars:
                rows[name] = fields[name]
            return wp.array(rows, dtype=struct, device=device)

        self._words = [wp.uint32(word) for word in (self.seed, self.rank)]
        ranges = kernels.Ranges()
        for name, values in layout.per_parameter().items():
            setattr(ranges, name, array(values, wp.int32))
        ranges.columns = records(kernels.Column, layout.per_column(), layout.num_columns)
        choices = layout.choices()
        ranges.choices = array(choices if len(choices) else np.zeros(1), wp.float32)
        ranges.share = wp.from_torch(self.share)
        self._ranges = ranges

        self._values = kernels.Values()
        self._values.table = wp.from_torch(self.values)
        self._values.normalised = wp.from_torch(self.normalised)
        self._values.episode = wp.from_torch(self.episode)
        self._values.boundary = wp.from_torch(self.boundary)
        self._clocks = [wp.from_torch(self._time_left_s), wp.from_torch(self._event_number)]
        self._due = wp.from_torch(self.event_due)

        def blocks(chosen: Sequence[Block]) -> tuple[wp.array, int]:
            fields = {name: [getattr(block, name) for block in chosen] for name in kernels.Block.vars}
            return records(kernels.Block, fields, len(chosen)), len(chosen)

        random = [block for block in layout.blocks if layout.is_random(layout.parameters[block.parameter].name)]
        self._every_block = blocks(random)
        self._reset_blocks = blocks([block for block in random if block.occasion != "startup"])
        by_event = [[block for block in random if block.occasion == event] for event in EVENTS]
        counts = np.array([len(chosen) for chosen in by_event])
        self._interval_columns = array([layout.first_column(f"{event}_interval") for event in EVENTS], wp.int32)
        self._event_blocks = [
            array(np.cumsum(counts) - counts, wp.int32),
            array(counts, wp.int32),
            blocks([block for chosen in by_event for block in chosen])[0],
        ]

    def _draw(self, env_mask: wp.array, blocks: tuple[wp.array, int]) -> None:
        packed, count = blocks
        # A GPU draws all at once; a CPU runs threads one after another, most of which find nothing to do.
        lanes = count if wp.get_device(self.device).is_cuda else min(count, 1)
        wp.launch(
            kernels.draw_environments,
            dim=(self.num_envs, lanes),
            inputs=[env_mask, packed, self._ranges, *self._words, lanes],
            outputs=[self._values],
            device=self.device,
        )

    def _begin_episode(self, env_mask: wp.array) -> None:
        wp.launch(
            kernels.begin_episode,
            dim=self.num_envs,
            inputs=[env_mask, self._interval_columns],
            outputs=[self._values, *self._clocks],
            device=self.device,
        )
