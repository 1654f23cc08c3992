"""Motion that is kept step by step in a file, so that it can be drawn later and without the simulator."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from surefoot.files import atomic_write
from surefoot_bridge.errors import SurefootError, reason
from surefoot_bridge.policy.npz import write_npz

FILM_SIZE = (1280, 720)
"""Width and height of every film [pixels]."""

GAIT_WINDOW_S = 2.0
"""Length of what a gait diagram shows at once [s]: some five strides of a trot."""


@dataclass(frozen=True, kw_only=True)
class MotionRecording:
    """Arrays with one row for each control step that was kept, and single values that say what they belong to."""

    MADE_BY: ClassVar[str]
    """What makes such files, for the refusal of another."""

    def __post_init__(self) -> None:
        """Refuse arrays that do not belong together."""
        lengths = {name: len(getattr(self, name)) for name in self.arrays()}
        if len(set(lengths.values())) != 1 or self.num_steps == 0:
            raise SurefootError(f"A recording needs arrays of one length, at least 1; it has {lengths}.")

    @classmethod
    def arrays(cls) -> tuple[str, ...]:
        """Return the names of the arrays."""
        return tuple(item.name for item in dataclasses.fields(cls) if item.type == "np.ndarray")

    @property
    def num_steps(self) -> int:
        """Number of rows."""
        return len(getattr(self, self.arrays()[0]))

    def save(self, path: Path | str) -> None:
        """Write it as an npz file, whole or not at all; the same bytes for the same motion."""
        content = {item.name: np.asarray(getattr(self, item.name)) for item in dataclasses.fields(self)}
        with atomic_write(path) as file:
            file.write(write_npz(content))

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read a recording.

        Raises:
            SurefootError: If the file is missing or is no recording of this kind.
        """
        try:
            with np.load(path, allow_pickle=False) as archive:
                values = {name: archive[name] for name in archive.files}
            return cls(**{name: value.item() if value.ndim == 0 else value for name, value in values.items()})
        except (OSError, ValueError, TypeError, KeyError, EOFError, AttributeError) as error:
            raise SurefootError(f"{str(path)!r} is no recording made by {cls.MADE_BY}: {reason(error)}.") from error


def stretches(flags: np.ndarray) -> list[tuple[int, int]]:
    """Return where flags (T,) are true, as the first index and the one after the last of each stretch."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
