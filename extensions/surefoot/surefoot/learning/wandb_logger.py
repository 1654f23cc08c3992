"""Weights & Biases, online where it answers and offline where not; it never holds training up.

Facts about wandb 0.31 that shape this module: online without a key fails at once, online without a network blocks for
about 100 s unless told otherwise, and ``init`` may be called again in offline mode after it failed; artifact bytes are
staged in the user's data directory unless ``WANDB_DATA_DIR`` says where; without a short flush interval a kill loses up
to 15 s of metrics.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from surefoot_bridge.errors import SurefootError

_INIT_TIMEOUT_S = 10
_FINISH_TIMEOUT_S = 30
_FLUSH_INTERVAL_S = "1"


class WandbLogger:
    """A run of Weights & Biases beside the run directory.

    ``message`` says where the metrics go, and how to send them later when that is only the disk. Surefoot keeps the
    step of each metric, so a resumed run goes on where it stopped, offline too.

    Args:
        folder: The run directory; W&B's files go to ``wandb/`` in it.
        run_name: Name shown in W&B.
        project: Project.
        configuration: Settings, versions, commit, and both resolved configurations.
        mode: ``"online"``, ``"offline"`` or ``"disabled"``; None to follow ``WANDB_MODE`` and fall back to offline.

    Raises:
        SurefootError: If the package is not installed.
    """

    def __init__(
        self, folder: Path, *, run_name: str, project: str, configuration: Mapping[str, Any], mode: str | None = None
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
        options = {
            "project": project,
            "name": run_name,
            "id": _run_id(data),
            "resume": "allow",
            "dir": str(folder),
            "config": dict(configuration),
        }
        self._run = self._start(mode or os.environ.get("WANDB_MODE"), options)
        self._run.define_metric("iteration")
        self._run.define_metric("*", step_metric="iteration")
        self.message = self._describe()

    @property
    def run(self) -> Any:
        """The run, as ``wandb.init`` returned it."""
        return self._run

    def write(self, metrics: Mapping[str, float], iterations: int) -> None:
        """Log the metrics of an iteration."""
        self._run.log({"iteration": iterations, **metrics})

    def write_values(self, values: Mapping[str, np.ndarray], iterations: int) -> None:
        """Log one histogram for each name."""
        histograms = {name: self._wandb.Histogram(array.ravel().tolist()) for name, array in values.items()}
        self._run.log({"iteration": iterations, **histograms})

    def add_video(self, path: Path, iterations: int) -> None:
        """Log an mp4 file."""
        self._run.log({"iteration": iterations, "video": self._wandb.Video(str(path), format="mp4")})

    def add_checkpoint(self, path: Path, iterations: int) -> None:  # noqa: ARG002 - see `close`
        """Remember the checkpoint: the last one becomes an artifact when the run ends.

        One artifact each minute would fill the disk with copies of files that the run directory prunes.
        """
        self._checkpoint = path

    def close(self) -> None:
        """Store the last checkpoint as an artifact, then finish within a time limit."""
        if self._checkpoint is not None and self._checkpoint.is_file():
            artifact = self._wandb.Artifact(f"{self._run.id}-policy", type="model")
            artifact.add_file(str(self._checkpoint))
            self._run.log_artifact(artifact)
        self._run.finish()

    _checkpoint: Path | None = None

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
                raise SurefootError(f"Weights & Biases could not start in mode {mode!r}: {error}") from error
            return self._wandb.init(mode="offline", settings=self._wandb.Settings(**settings), **options)

    def _describe(self) -> str:
        if self._run.disabled:
            return "Weights & Biases is disabled."
        if self._run.offline:
            folder = Path(self._run.dir).parent
            return f"Weights & Biases records offline. Send it later with: wandb sync {folder}"
        return f"Weights & Biases: {self._run.url}"


def _run_id(data: Path) -> str:
    """Return the id of this run directory's W&B run, made once, so that a resumed run continues it."""
    import secrets

    file = data / "run-id"
    if not file.is_file():
        file.write_text(secrets.token_hex(4))
    return file.read_text().strip()
