"""What one engine did with one robot, on its way from the engine's process to the judge's."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from surefoot.files import atomic_write
from surefoot.robot_checks.engine import ModelReadback, RobotState


@dataclass(frozen=True)
class EngineRecord:
    """The robot as an engine holds it, and a trajectory for each scenario."""

    model: ModelReadback
    trajectories: Mapping[str, RobotState]

    def save(self, path: Path) -> None:
        """Write to an .npz file."""
        parts = {"model": self.model, **self.trajectories}
        arrays = {f"{part}/{f.name}": getattr(value, f.name) for part, value in parts.items() for f in fields(value)}
        with atomic_write(path) as file:
            np.savez(file, **arrays)

    @classmethod
    def load(cls, path: Path) -> "EngineRecord":
        """Read what `save` wrote."""
        parts: dict[str, dict] = {}
        with np.load(path) as arrays:
            for key in arrays:
                part, name = key.split("/")
                parts.setdefault(part, {})[name] = arrays[key]
        model = parts.pop("model")
        for name in ("joint_names", "body_names"):
            model[name] = tuple(model[name].tolist())
        return cls(ModelReadback(**model), {part: RobotState(**values) for part, values in parts.items()})
