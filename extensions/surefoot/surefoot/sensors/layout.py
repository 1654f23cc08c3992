"""Where each measured quantity stands in a policy's observation, from a declarative list of terms.

An observation is term-major: for each term its history, oldest first. So Isaac Lab lays out a concatenated group whose
terms have a flattened history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from surefoot_bridge.contract import SOURCES, Source
from surefoot_bridge.errors import SurefootError, unknown_name

AXES = 3
"""Components of a vector."""


@dataclass  # not frozen: Isaac Lab writes the fields of a configuration's parts back when it copies them
class ProprioceptionTerm:
    """One term of an observation.

    Attributes:
        name: Its name in the contract.
        source: What it shows; see :data:`surefoot_bridge.contract.Source`.
        history: Number of control steps that it spans; 1 shows the present only.
    """

    name: str
    source: Source
    history: int = 1


@dataclass(frozen=True)
class TermSlice:
    """Where a term stands: ``observation[:, start : start + dim * history]``, step by step, oldest first.

    Attributes:
        name: Name of the term.
        source: What it shows.
        start: Its first column.
        dim: Number of components of one step.
        history: Number of steps.
    """

    name: str
    source: Source
    start: int
    dim: int
    history: int

    @property
    def stop(self) -> int:
        """One past its last column."""
        return self.start + self.dim * self.history


def standard_terms(history: int) -> tuple[ProprioceptionTerm, ...]:
    """Return the terms of a robot with an IMU and joint encoders, in the order in which our policies know them."""
    return (
        ProprioceptionTerm("base_ang_vel", "gyro", history),
        ProprioceptionTerm("projected_gravity", "gravity", history),
        ProprioceptionTerm("joint_pos", "joint_pos", history),
        ProprioceptionTerm("joint_vel", "joint_vel", history),
        ProprioceptionTerm("last_action", "last_action", history),
        ProprioceptionTerm("velocity_command", "command"),
    )


class ObservationLayout:
    """The terms of an observation of one robot, as slices and as tables for the kernels.

    A *row* holds one control step of everything that is remembered: each of :data:`surefoot_bridge.contract.SOURCES`
    before the command, in that order. Entry ``i`` of the observation is column ``entry_column[i]`` of the row of
    ``entry_age[i]`` control steps ago; a column past the row is that of the command, less the row's length.

    Args:
        terms: The terms in order.
        num_joints: Number of actuated joints.
        num_feet: Number of foot sensors; 0 for a robot without any.
        command_dim: Number of components of the command.

    Raises:
        SurefootError: If there is no term, two have one name, or a term cannot be shown.
    """

    def __init__(
        self, terms: Sequence[ProprioceptionTerm], *, num_joints: int, num_feet: int = 0, command_dim: int = AXES
    ) -> None:
        if not terms:
            raise SurefootError("An observation without terms shows nothing; name at least one.")
        repeated = [name for name, count in Counter(term.name for term in terms).items() if count > 1]
        if repeated:
            raise SurefootError(f"Observation terms share the names {', '.join(repeated)}; give each its own.")
        sizes = {"axes": AXES, "joints": num_joints, "feet": num_feet, "command": command_dim}
        dims: dict[Source, int] = {source: sizes[kind.size] for source, kind in SOURCES.items() if kind.size in sizes}
        starts = dict(zip(dims, np.cumsum([0, *dims.values()]).tolist(), strict=False))
        slices: list[TermSlice] = []
        columns: list[int] = []
        ages: list[int] = []
        for term in terms:
            _check_term(term, dims)
            dim = dims[term.source]
            slices.append(TermSlice(term.name, term.source, len(columns), dim, term.history))
            for age in reversed(range(term.history)):
                columns += range(starts[term.source], starts[term.source] + dim)
                ages += [age] * dim
        self.slices = tuple(slices)
        """The terms with their places, in order."""
        self.source_dims = dims
        """Number of components of each source that can be shown, those of a row first."""
        self.num_joints = num_joints
        """Number of actuated joints."""
        self.num_feet = num_feet
        """Number of foot sensors."""
        self.command_dim = command_dim
        """Number of components of the command."""
        self.row_dim = starts["command"]
        """Number of quantities that are remembered of a control step."""
        self.delayed_dim = starts["last_action"]
        """Number of quantities at the start of a row that reach the controller with a latency."""
        self.depth = max(term.history for term in terms)
        """Longest history of a term, in control steps."""
        self.entry_column = np.array(columns, dtype=np.int32)
        """Column of the row that each entry shows, (dim,)."""
        self.entry_age = np.array(ages, dtype=np.int32)
        """Control steps by which each entry lies in the past, (dim,)."""
        self.entry_place = self._entry_place()
        """Where each entry stands in a ring of rows, by the slot of the newest row, (depth, dim); the command follows
        after the ring."""

    def _entry_place(self) -> np.ndarray:
        slot = (np.arange(self.depth)[:, None] - self.entry_age) % self.depth  # (depth, dim)
        is_command = self.entry_column >= self.row_dim
        behind_ring = self.entry_column + (self.depth - 1) * self.row_dim  # depth * row_dim for its first component
        return np.where(is_command, behind_ring, slot * self.row_dim + self.entry_column).astype(np.int32)

    @property
    def dim(self) -> int:
        """Length of the observation."""
        return len(self.entry_column)


def _check_term(term: ProprioceptionTerm, dims: dict[Source, int]) -> None:
    if term.source not in dims:
        raise unknown_name(f"source of observation term {term.name!r}:", term.source, dims)
    if term.history < 1:
        raise SurefootError(f"Observation term {term.name!r} has history {term.history}; a term has at least 1 step.")
    if term.source == "command" and term.history != 1:
        raise SurefootError(
            f"Observation term {term.name!r} shows the command with history {term.history}; a command has no history."
        )
    if not dims[term.source]:
        raise SurefootError(
            f"Observation term {term.name!r} shows {term.source!r}, which this robot has none of; leave the term out."
        )
