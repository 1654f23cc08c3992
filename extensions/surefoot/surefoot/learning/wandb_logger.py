"""Weights & Biases, online where it answers and offline where not; it never holds training up.

Facts about wandb 0.31 that shape this module: online without a key fails at once, online without a network blocks for
about 100 s unless told otherwise, and ``init`` may be called again in offline mode after it failed; artifact bytes are
staged in the user's data directory unless ``WANDB_DATA_DIR`` says where; without a short flush interval a kill loses up
to 15 s of metrics; a row that was logged is never taken back; offline, each start counts steps from 0 unless it is told
the step; rows of one step are one row, which is written when the next step comes or the run ends.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.files import atomic_write
from surefoot.learning.run_directory import RunDirectory
from surefoot.learning.wandb_records import last_step, unsent_folders
from surefoot_bridge.errors import SurefootError, reason

_INIT_TIMEOUT_S = 10
_FINISH_TIMEOUT_S = 30
_FLUSH_INTERVAL_S = "1"


class WandbLogger:
    """A run of Weights & Biases beside the run directory.

    ``message`` says where the metrics go, and how to send them later when that is only the disk.

    W&B's step is the iteration. An iteration is logged once a checkpoint holds it, since a run that is killed goes on
    from its last checkpoint and makes the later iterations again. The run directory's ``metrics.jsonl`` has them at
    once; what W&B lacks of the iterations up to ``completed`` is taken from there. W&B takes no row back, so a run that
    goes back to before the last row that was logged becomes another run there.

    Args:
        folder: The run directory; W&B's files go to ``wandb/`` in it.
        run_name: Name shown in W&B.
        project: Project.
        configuration: Settings, versions, commit, and both resolved configurations.
        mode: ``"online"``, ``"offline"`` or ``"disabled"``; None to follow ``WANDB_MODE`` and fall back to offline.
        completed: Iterations that the run has completed, and goes on from.

    Raises:
        SurefootError: If the package is not installed.
    """

    def __init__(
        self,
        folder: Path,
        *,
        run_name: str,
        project: str,
        configuration: Mapping[str, Any],
        mode: str | None = None,
        completed: int = 0,
    ) -> None:
        try:
            import wandb
        except ImportError:
            raise SurefootError(
                "--logger wandb needs the package wandb: pip install 'surefoot[wandb]', or use --logger tensorboard."
            ) from None
        self._wandb = wandb
        data = (folder / "wandb").absolute()
        data.mkdir(parents=True, exist_ok=True)
        os.environ["WANDB_DATA_DIR"] = str(data)
        os.environ.setdefault("WANDB_X_TRANSACTION_LOG_FLUSH_INTERVAL", _FLUSH_INTERVAL_S)
        self._data = data
        run_id, recorded, moved = _run_to_continue(data, completed)
        options = {
            "project": project,
            "name": run_name,
            "id": run_id,
            "resume": "allow",
            "dir": str(folder),
            "config": dict(configuration),
        }
        self._run = self._start(mode or os.environ.get("WANDB_MODE"), options)
        self._run.define_metric("iteration")
        self._run.define_metric("*", step_metric="iteration")
        if not self._run.offline and not self._run.disabled:
            recorded = max(0, self._run.starting_step - 1)  # of what was recorded here, this was received
        self._pending = _rows_between(RunDirectory(folder).metrics, recorded, completed)
        self._log_until(completed)
        self.message = f"{moved}{self._describe()}"

    @property
    def run(self) -> Any:
        """The run, as ``wandb.init`` returned it."""
        return self._run

    def write(self, metrics: Mapping[str, float], iterations: int) -> None:
        """Take the metrics of an iteration, to be logged with the next checkpoint."""
        self._pending.append((iterations, dict(metrics)))

    def write_values(self, values: Mapping[str, np.ndarray], iterations: int) -> None:
        """Take one histogram for each name, to be logged with the next checkpoint."""
        histograms = {name: self._wandb.Histogram(array.ravel().tolist()) for name, array in values.items()}
        self._pending.append((iterations, histograms))

    def add_video(self, path: Path, iterations: int) -> None:
        """Log an mp4 file."""
        self._log({"video": self._wandb.Video(str(path), format="mp4")}, iterations)

    def add_checkpoint(self, path: Path, iterations: int) -> None:
        """Log the iterations that the checkpoint holds; the last checkpoint becomes an artifact when the run ends.

        One artifact each minute would fill the disk with copies of files that the run directory prunes.
        """
        self._checkpoint = path
        self._log_until(iterations)

    def close(self) -> None:
        """Store the last checkpoint as an artifact, then finish within a time limit.

        Iterations after that checkpoint, of a run that a fault or an abort ended, are not logged.
        """
        if self._checkpoint is not None and self._checkpoint.is_file():
            artifact = self._wandb.Artifact(f"{self._run.id}-policy", type="model")
            artifact.add_file(str(self._checkpoint))
            self._run.log_artifact(artifact)
        self._run.finish()

    _checkpoint: Path | None = None

    def _log_until(self, iterations: int) -> None:
        """Log what is pending up to an iteration."""
        for iteration, values in self._pending:
            if iteration <= iterations:
                self._log(values, iteration)
        self._pending = [row for row in self._pending if row[0] > iterations]

    def _log(self, values: Mapping[str, Any], iterations: int) -> None:
        self._run.log({"iteration": iterations, **values}, step=iterations)

    def _start(self, mode: Any, options: dict[str, Any]) -> Any:
        settings = {
            "init_timeout": _INIT_TIMEOUT_S,
            "finish_timeout": _FINISH_TIMEOUT_S,
            "silent": True,
            "console": "off",
        }
        try:
            return self._wandb.init(mode=mode, settings=self._wandb.Settings(**settings), **options)
        except Exception as error:  # wandb raises its own kinds and those of its transport
            if mode in ("offline", "disabled"):
                raise SurefootError(f"Weights & Biases could not start in mode {mode!r}: {reason(error)}.") from error
            return self._wandb.init(mode="offline", settings=self._wandb.Settings(**settings), **options)

    def _describe(self) -> str:
        if self._run.disabled:
            return "Weights & Biases is disabled."
        if self._run.offline:
            folders = " ".join(map(str, unsent_folders(self._data)))
            return f"Weights & Biases records offline. Send it later with: wandb sync {folders}"
        return f"Weights & Biases: {self._run.url}"


def _run_to_continue(data: Path, completed: int) -> tuple[str, int, str]:
    """Choose the W&B run of a run directory that goes on from an iteration.

    Returns:
        Its id, the last step that is recorded of it on this disk, and what to tell when it is another than before.
    """
    file = data / "run-id"
    before = file.read_text().strip() if file.is_file() else ""
    recorded = last_step(data, before) if before else 0
    if before and recorded <= completed:
        return before, recorded, ""
    run_id = secrets.token_hex(4)
    with atomic_write(file, "w") as opened:
        opened.write(run_id)
    if not before:
        return run_id, 0, ""
    return (
        run_id,
        0,
        f"Weights & Biases has run {before} until step {recorded}; this goes on from {completed} as run {run_id}.\n",
    )


def _rows_between(metrics: Path, after: int, until: int) -> list[tuple[int, dict[str, Any]]]:
    """Return the iterations in ``(after, until]`` of a ``metrics.jsonl``; none if there is no such file."""
    if after >= until or not metrics.is_file():
        return []
    lines = map(json.loads, metrics.read_text(encoding="utf-8").splitlines())
    rows = [(line.pop("iteration"), line) for line in lines]
    return [
        (iteration, {name: value for name, value in row.items() if value is not None})
        for iteration, row in rows
        if after < iteration <= until
    ]
