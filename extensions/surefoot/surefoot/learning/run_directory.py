"""The folder of one training run: what it holds, how it is made, opened and refused."""

from __future__ import annotations

import json
import re
from dataclasses import MISSING, asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from surefoot.files import atomic_write, write_json
from surefoot.learning.checkpoint import CheckpointFolder
from surefoot.report import provenance
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.files import read_plain


@dataclass(frozen=True)
class RunSettings:
    """What decides a run's results, beside the code.

    Attributes:
        task: Task id.
        robot: Name of the robot.
        physics: Physics engine.
        device: Device of simulation and learning.
        num_envs: Number of environments: of all processes that share them; under torchrun, of each process.
        seed: Seed of the run.
        iterations: Number of iterations that the run is meant to have in the end.
        overrides: Configuration overrides, ``env.path=value`` and ``agent.path=value``.
        processes: Number of processes on this machine that share the environments.
    """

    task: str
    robot: str | None
    physics: str
    device: str
    num_envs: int
    seed: int
    iterations: int
    overrides: tuple[str, ...] = ()
    processes: int = 1


def run_name(text: str) -> str:
    """Return a run's name unchanged; the type of an argument.

    Raises:
        SurefootError: If it cannot be part of a folder's name.
    """
    if not re.fullmatch(r"[\w.-]{0,100}", text):
        raise SurefootError(
            f"The run name {text!r} is not valid; it may hold letters, digits, '.', '_' and '-', 100 at most. "
            "Give another with --run-name."
        )
    return text


@dataclass(frozen=True)
class RunDirectory:
    """A run's folder and its files."""

    path: Path

    @property
    def record(self) -> Path:
        """Settings and provenance, ``run.json``."""
        return self.path / "run.json"

    @property
    def checkpoints(self) -> CheckpointFolder:
        """Checkpoints."""
        return CheckpointFolder(self.path / "checkpoints")

    @property
    def metrics(self) -> Path:
        """One JSON object a line for each iteration."""
        return self.path / "metrics.jsonl"

    @property
    def native_log(self) -> Path:
        """What engines and Isaac Lab print."""
        return self.path / "logs" / "native.log"

    def fault_dump(self, iteration: int) -> Path:
        """Values that were not finite in an iteration, of the environments where they were."""
        return self.path / "logs" / f"fault_{iteration:06d}.pt"

    @property
    def experience_dump(self) -> Path:
        """The first process's experience of the last iteration in which a gradient was not finite."""
        return self.path / "logs" / "faulty_experience.pt"

    @classmethod
    def create(cls, root: Path, settings: RunSettings, name: str = "") -> RunDirectory:
        """Make the folder ``root/TASK/DATE_NAME`` of a new run.

        Args:
            root: Folder of all runs.
            settings: Recorded in ``run.json``.
            name: Name of the run; may be empty.

        Raises:
            SurefootError: If the name has a path in it, or the folder cannot be written.
        """
        run_name(name)
        stem = datetime.now().strftime("%Y-%m-%d_%H-%M-%S") + (f"_{name}" if name else "")
        parent = root / settings.task
        for attempt in range(1, 100):
            path = parent / (stem if attempt == 1 else f"{stem}_{attempt}")
            try:
                path.mkdir(parents=True)
            except FileExistsError:
                continue  # another run began in the same second
            except OSError as error:
                raise SurefootError(
                    f"Cannot make the run directory {path}: {error.strerror}. Choose a writable folder with --output."
                ) from error
            run = cls(path)
            run.write_record(settings)
            return run
        raise SurefootError(f"Cannot find a free name beside {parent / stem}.")

    @classmethod
    def open(cls, path: Path) -> RunDirectory:
        """Open the folder of an earlier run.

        Args:
            path: The folder, or one of its checkpoints.

        Raises:
            SurefootError: If it is not a run's folder.
        """
        if not path.exists():
            raise SurefootError(
                f"The run {path} does not exist; name a folder runs/TASK/DATE_NAME, or a checkpoint in it."
            )
        run = cls(path.parent.parent if path.is_file() else path)
        if not run.record.is_file():
            raise SurefootError(
                f"{path} is not a run directory: it has no run.json. Name a folder runs/TASK/DATE_NAME."
            )
        return run

    def write_record(self, settings: RunSettings) -> None:
        """Write ``run.json``; a run that is resumed keeps the record of how it began under ``started``."""
        record: dict[str, Any] = {
            **asdict(settings),
            **provenance(seed=settings.seed, engine=settings.physics, device=settings.device),
        }
        if self.record.is_file():
            before = self.read_record()
            record["started"] = before.get("started", {key: before[key] for key in ("command", "commit", "date")})
        write_json(self.record, record)

    def read_record(self) -> dict[str, Any]:
        """Read ``run.json``.

        Raises:
            SurefootError: If it is damaged.
        """
        text = read_plain(self.record, "record of a run", largest_bytes=1 << 24)
        try:
            record = json.loads(text)
        except ValueError as error:
            raise SurefootError(
                f"{self.record} is not JSON; it was cut short or changed. Name a checkpoint of another run."
            ) from error
        required = [item.name for item in fields(RunSettings) if item.default is MISSING]
        missing = sorted(name for name in required if not isinstance(record, dict) or name not in record)
        if missing:
            raise SurefootError(f"{self.record} lacks {', '.join(missing)}; it is not the record of a training run.")
        return record

    def read_settings(self) -> RunSettings:
        """Read the settings from ``run.json``."""
        record = self.read_record()
        values = {item.name: record[item.name] for item in fields(RunSettings) if item.name in record}
        return RunSettings(**{**values, "overrides": tuple(values["overrides"])})

    def write_config(self, env_cfg: Any, agent_cfg: Any) -> None:
        """Write the resolved configurations, ``config/env.yaml`` and ``config/agent.yaml``."""
        from isaaclab.utils.io import dump_yaml

        for name, cfg in (("env", env_cfg), ("agent", agent_cfg)):
            dump_yaml(str(self.path / "config" / f"{name}.yaml"), cfg)

    def rewind(self, iterations: int) -> None:
        """Go back to a checkpoint: drop the metrics that a resumed run makes again, set later checkpoints aside."""
        self.checkpoints.set_aside_after(iterations)
        if not self.metrics.is_file():
            return
        lines = self.metrics.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if line.endswith("}") and json.loads(line)["iteration"] <= iterations]
        if len(kept) < len(lines):
            with atomic_write(self.metrics, "w") as file:
                file.writelines(f"{line}\n" for line in kept)
