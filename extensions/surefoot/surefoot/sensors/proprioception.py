"""The sensors of all environments of a simulation, with their memory on its device."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
import warp as wp

from surefoot.env_mask import EnvIds, EnvMask
from surefoot.randomization.catalogue import DECLARED
from surefoot.snapshot import capture_fields, require_same_keys, restore_fields
from surefoot_bridge.contract import Source
from surefoot_bridge.errors import SurefootError

from .kernels import SensorInputs, advance_sensors, reset_sensors, write_observation
from .layout import ObservationLayout
from .memory import PARAMETERS, RING_MARGIN, SensorColumns, SensorMemory, SensorModel

LATENCIES = tuple(name for name in PARAMETERS if DECLARED[name].law == "age")
"""Those of them that say how old a reading is [s]."""

_WORD = 0xFFFFFFFF
_WARP_SIZE = 32


def _is_current() -> None:
    """Nothing to bring up to date."""


@dataclass(frozen=True, kw_only=True)
class TrueReadings:
    """Arrays that hold the true state after a control step, and stay where they are.

    Attributes:
        of: What each source would show without errors, as :class:`~surefoot.sensors.kernels.SensorInputs` has it, and
            ``command``, what the controller is asked to do, (num_envs, command_dim). A robot without foot sensors has
            no ``foot_contact``.
        refresh: Brings the arrays up to date; called before each reading.
    """

    of: Mapping[Source, wp.array]
    refresh: Callable[[], object] = _is_current


class Proprioception:
    """What each robot's controller sees of its own body.

    :meth:`advance` runs once per control step, after resets and events and before observations. :meth:`observe` returns
    what it made, as often as one likes: a new tensor or the one that is given, never one handed out before. All memory
    is allocated here and stays where it is. The equations are those of :mod:`surefoot.sensors.kernels`.

    Args:
        layout: Terms of the observation.
        readings: The true state.
        table: Value in force of each randomized parameter, in SI units, (num_envs, columns).
        first_column: First column of a parameter in the table; the parameters are :data:`PARAMETERS`.
        default_joint_pos: Positions of the default pose [rad] in the policy's order, (num_joints,).
        step_dt: Control step [s].
        largest_latency_s: Largest latency that the table may ever hold [s]; it sets the size of the memory.
        seed: Seed of the run.
        rank: Rank of the process among those of the run; each draws its own noise.

    Raises:
        SurefootError: If a latency in the table or a shape does not fit.
    """

    def __init__(
        self,
        layout: ObservationLayout,
        readings: TrueReadings,
        table: wp.array,
        first_column: Callable[[str], int],
        *,
        default_joint_pos: Sequence[float],
        step_dt: float,
        largest_latency_s: float,
        seed: int,
        rank: int = 0,
    ) -> None:
        self.layout = layout
        """Terms of the observation and their places."""
        self.table = table
        """The table that the kernels read."""
        self._readings = readings
        self._num_envs = num_envs = table.shape[0]
        self._device = device = str(table.device)
        _check_shapes(layout, readings, num_envs, len(default_joint_pos))
        columns = _columns(first_column, table.shape[1], layout.num_joints)
        _check_latencies(table, first_column, largest_latency_s)

        lanes = layout.num_joints + 1 + layout.num_feet
        depth = math.ceil(largest_latency_s / step_dt) + RING_MARGIN
        self._steps, self._age = (torch.zeros(num_envs, lanes, dtype=torch.int32, device=device) for _ in range(2))
        self._was_late = torch.zeros(num_envs, lanes, dtype=torch.bool, device=device)
        self._gyro_walk = torch.zeros(num_envs, 3, device=device)
        self._attitude_walk = torch.zeros(num_envs, 2, device=device)
        self._truth = torch.zeros(num_envs, depth, layout.delayed_dim, device=device)
        self._rows = torch.zeros(num_envs, layout.depth, layout.row_dim, device=device)
        self._masks = EnvMask(num_envs, device)

        self._inputs = SensorInputs()
        for source, array in readings.of.items():
            if source != "command":
                setattr(self._inputs, source, array)
        self._memory = SensorMemory()
        self._memory.gyro_walk = wp.from_torch(self._gyro_walk, dtype=wp.vec3f)
        self._memory.attitude_walk = wp.from_torch(self._attitude_walk, dtype=wp.vec2f)
        for name in ("steps", "age", "was_late", "truth", "rows"):
            setattr(self._memory, name, wp.from_torch(getattr(self, f"_{name}")))

        self._model = SensorModel()
        self._model.table, self._model.columns, self._model.step_dt = table, columns, step_dt
        self._model.default_joint_pos = wp.array(list(default_joint_pos), dtype=wp.float32, device=device)
        self._model.seed, self._model.rank = seed & _WORD, rank & _WORD
        self._advance = self._record(advance_sensors, lanes, [self._model, self._inputs], self._memory)
        rows = wp.from_torch(self._rows.view(num_envs, -1))
        place = wp.array(layout.entry_place, dtype=wp.int32, device=device)
        # A GPU coalesces what the threads of a warp write; a CPU runs them one after another.
        width = _WARP_SIZE if wp.get_device(device).is_cuda else 1
        arrays = [rows, self._memory.steps, readings.of["command"], place, width]
        self._out_index = len(arrays)
        unused = wp.from_torch(torch.zeros(num_envs, layout.dim, device=device))
        self._write = self._record(write_observation, width, arrays, unused)

    def advance(self) -> None:
        """Take a reading of every environment: one launch, without allocation."""
        self._readings.refresh()
        self._advance.launch()

    def reset(self, envs: EnvIds) -> None:
        """Begin a new episode in the given environments: their next reading fills the whole history.

        Until then they show the last one. One launch.
        """
        wp.launch(
            reset_sensors,
            dim=self._age.shape,
            inputs=[self._masks.of(envs)],
            outputs=[self._memory.age],
            device=self._device,
        )

    def observe(self, *, out: torch.Tensor | None = None) -> torch.Tensor:
        """Return what the controller sees, (num_envs, dim), laid out as :attr:`layout` says.

        Args:
            out: Where to write it, float32 and contiguous; a new tensor if None.
        """
        shape = (self._num_envs, self.layout.dim)
        if out is None:
            out = torch.empty(shape, device=self._device)
        elif tuple(out.shape) != shape or out.dtype != torch.float32 or not out.is_contiguous():
            raise ValueError(
                f"an observation is contiguous float32 of shape {shape}, not {out.dtype} {tuple(out.shape)}"
            )
        self._write.set_param_at_index(self._out_index, wp.from_torch(out))
        self._write.launch()
        return out

    def state_dict(self) -> dict[str, Any]:
        """Everything that later readings depend on, as copies on the CPU."""
        return {name.removeprefix("_"): value for name, value in capture_fields(self, self._STATE).items()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state_dict` returned.

        Raises:
            StateMismatchError: If the state is that of other sensors.
        """
        require_same_keys([name.removeprefix("_") for name in self._STATE], state, "proprioception")
        restore_fields(self, {f"_{name}": value for name, value in state.items()}, "proprioception")

    _STATE = ("_steps", "_age", "_was_late", "_gyro_walk", "_attitude_walk", "_truth", "_rows")

    def _record(self, kernel: Any, width: int, inputs: list, output: object) -> wp.Launch:
        launch = wp.launch(
            kernel,
            dim=(self._num_envs, width),
            inputs=inputs,
            outputs=[output],
            device=self._device,
            record_cmd=True,
        )
        return cast("wp.Launch", launch)  # what Warp returns when it records


def _columns(first_column: Callable[[str], int], num_columns: int, num_joints: int) -> Any:
    columns = SensorColumns()
    widths = {"xyz": 3, "joint": num_joints}
    for name in PARAMETERS:
        first, width = first_column(name), widths.get(DECLARED[name].over, 1)
        if not 0 <= first <= num_columns - width:
            raise SurefootError(
                f"Parameter {name!r} has {width} columns from {first} on, the table has {num_columns}; "
                "build it for the same robot."
            )
        setattr(columns, name, first)
    return columns


def _check_shapes(layout: ObservationLayout, readings: TrueReadings, num_envs: int, num_defaults: int) -> None:
    for source, dim in layout.source_dims.items():
        array = readings.of.get(source)
        shape = (num_envs,) if array is not None and array.dtype == wp.vec3f else (num_envs, dim)
        if dim and (array is None or tuple(array.shape) != shape):
            found = None if array is None else tuple(array.shape)
            raise SurefootError(f"Reading {source!r} has shape {found}; the observation's layout needs {shape}.")
    if num_defaults != layout.num_joints:
        raise SurefootError(f"The default pose has {num_defaults} joints, the observation {layout.num_joints}.")


def _check_latencies(table: wp.array, first_column: Callable[[str], int], largest_latency_s: float) -> None:
    if not 0.0 <= largest_latency_s < math.inf:
        raise SurefootError(f"The largest sensor latency is {largest_latency_s} s; it must be finite and at least 0.")
    values = table.numpy()
    for name in LATENCIES:
        column = values[:, first_column(name)]
        if not ((column >= 0.0) & (column <= largest_latency_s * (1.0 + 1e-6))).all():
            raise SurefootError(
                f"Parameter {name!r} holds {column.min()} to {column.max()} s; "
                f"the sensors remember readings of 0 to {largest_latency_s} s. Raise largest_latency_s."
            )
