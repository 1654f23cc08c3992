"""Where an iteration's metrics go: a line of JSON always, and TensorBoard or Weights & Biases."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np

from surefoot_bridge.errors import SurefootError


class MetricsSink(Protocol):
    """A place that takes metrics, checkpoints and videos of a run."""

    def write(self, metrics: Mapping[str, float], iterations: int) -> None:
        """Take the metrics of the iteration that completed ``iterations``."""
        ...

    def write_values(self, values: Mapping[str, np.ndarray], iterations: int) -> None:
        """Take what many environments hold, by name, to be shown as histograms."""
        ...

    def add_video(self, path: Path, iterations: int) -> None:
        """Take an mp4 file."""
        ...

    def add_checkpoint(self, path: Path, iterations: int) -> None:
        """Take a checkpoint."""
        ...

    def close(self) -> None:
        """Write out everything."""
        ...


class JsonLines:
    """``metrics.jsonl``: one object a line for each iteration, appended at once; NaN and infinity become null."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, metrics: Mapping[str, float], iterations: int) -> None:
        """Append a line.

        Raises:
            SurefootError: If the disk is full or the file cannot be written.
        """
        finite = {name: value if math.isfinite(value) else None for name, value in metrics.items()}
        line = json.dumps({"iteration": iterations, **finite}, allow_nan=False)
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            raise SurefootError(
                f"Cannot write {self._path}: {error.strerror}. Free space on that disk; earlier checkpoints are intact."
            ) from error

    def write_values(self, values: Mapping[str, np.ndarray], iterations: int) -> None:
        """Nothing: checkpoints hold the values."""

    def add_video(self, path: Path, iterations: int) -> None:
        """Nothing: the video is in the run directory."""

    def add_checkpoint(self, path: Path, iterations: int) -> None:
        """Nothing: the checkpoint is in the run directory."""

    def close(self) -> None:
        """Nothing: each line was written at once."""


class TensorBoard:
    """TensorBoard events in the run directory, with rsl_rl's names of metrics.

    Args:
        folder: Where the event files go.
        first_iteration: Number of iterations before the next one; events after it, of a run that was cut short, are
            hidden.
    """

    def __init__(self, folder: Path, first_iteration: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(str(folder), flush_secs=10, purge_step=first_iteration + 1)

    def write(self, metrics: Mapping[str, float], iterations: int) -> None:
        """Add one scalar for each metric."""
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, iterations)

    def write_values(self, values: Mapping[str, np.ndarray], iterations: int) -> None:
        """Add one histogram for each name."""
        for name, array in values.items():
            self._writer.add_histogram(name, array, iterations)

    def add_video(self, path: Path, iterations: int) -> None:
        """Nothing: the video is in the run directory."""

    def add_checkpoint(self, path: Path, iterations: int) -> None:
        """Nothing: the checkpoint is in the run directory."""

    def close(self) -> None:
        """Write out the events."""
        self._writer.close()
