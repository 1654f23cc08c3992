"""The motion of one robot over an episode, kept so that it can be drawn after the rollout and without the simulator."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from surefoot.files import atomic_write
from surefoot_bridge.errors import SurefootError


@dataclass(frozen=True, kw_only=True)
class Recording:
    """States after each control step, all arrays with the steps first.

    Attributes:
        robot: Name of the robot in `surefoot_robots`.
        task: Id of the task that the policy plays.
        step_dt: Control period [s].
        base_pos: Position of the base relative to the environment's origin [m], shape (num_steps, 3).
        base_quat_wxyz: Orientation of the base in the world, shape (num_steps, 4).
        joint_pos: Joint positions in policy order [rad], shape (num_steps, num_joints).
        command: vx, vy [m/s] and yaw rate [rad/s] in the base frame, shape (num_steps, 3).
        velocity: The same quantities as measured, shape (num_steps, 3).
        push: Change of the base's world velocity along x and y right before the step [m/s], shape (num_steps, 2).
        foot_contact: Whether each foot touches the ground, shape (num_steps, num_feet), bool.
        fell: Whether the robot is down, shape (num_steps,), bool.
    """

    robot: str
    task: str
    step_dt: float
    base_pos: np.ndarray
    base_quat_wxyz: np.ndarray
    joint_pos: np.ndarray
    command: np.ndarray
    velocity: np.ndarray
    push: np.ndarray
    foot_contact: np.ndarray
    fell: np.ndarray

    def __post_init__(self) -> None:
        """Refuse arrays that do not belong together."""
        lengths = {field.name: len(value) for field, value in self._arrays()}
        if len(set(lengths.values())) != 1 or self.num_steps == 0:
            raise SurefootError(f"A recording needs arrays of one length, at least 1; it has {lengths}.")

    @property
    def num_steps(self) -> int:
        """Number of control steps."""
        return len(self.base_pos)

    def save(self, path: Path | str) -> None:
        """Write the recording as a NumPy archive, whole or not at all."""
        with atomic_write(path) as file:
            np.savez_compressed(file, **dataclasses.asdict(self))

    @classmethod
    def load(cls, path: Path | str) -> Recording:
        """Read a recording.

        Raises:
            SurefootError: If the file is missing or is no recording.
        """
        try:
            with np.load(path, allow_pickle=False) as archive:
                values = {name: archive[name] for name in archive.files}
            return cls(**{name: value.item() if value.ndim == 0 else value for name, value in values.items()})
        except (OSError, ValueError, TypeError) as error:
            raise SurefootError(f"{str(path)!r} is not a recording made by surefoot play: {error}.") from error

    def _arrays(self) -> list[tuple[dataclasses.Field, np.ndarray]]:
        values = ((field, getattr(self, field.name)) for field in dataclasses.fields(self))
        return [(field, value) for field, value in values if isinstance(value, np.ndarray)]
