"""Bytes that the actuator and sensor kernels move, and how fast memory moves them at best.

Counted is what a kernel must read and write at least once: whole arrays, of the table the columns that it reads, of
ring buffers the slots that it touches.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import warp as wp

from surefoot.actuators import kernels as actuator_kernels
from surefoot.sensors.proprioception import PARAMETERS
from surefoot_bridge.actuators.parameters import PER_JOINT

from .timing import median_us

if TYPE_CHECKING:
    from surefoot.randomization.layout import TableLayout
    from surefoot.sensors.proprioception import Proprioception

COPIED_BYTES = 256 * 2**20
"""Size of the array that is copied to measure the bandwidth: far more than any cache holds."""

_FLOAT_BYTES = 4


def memory_bytes_per_s(device: str, *, repeats: int) -> float:
    """Return the bandwidth of memory [B/s], reading and writing together, as a copy of a large array reaches it."""
    source = wp.zeros(COPIED_BYTES // _FLOAT_BYTES, dtype=wp.float32, device=device)
    target = wp.empty_like(source)
    return 2.0 * COPIED_BYTES / (1e-6 * median_us(lambda: wp.copy(target, source), device, repeats=repeats))


def bytes_moved(sizes: Mapping[str, float], passes: Mapping[str, float]) -> float:
    """Add up the sizes of arrays [B], each as often as it is read or written: once unless ``passes`` says otherwise."""
    return sum(size * passes.get(name, 1.0) for name, size in sizes.items())


def sizes_of_arguments(launch: Any) -> dict[str, float]:
    """Return the sizes [B] of the arrays that a recorded launch is given, by the kernel's name for them."""
    names = [argument.label for argument in launch.kernel.adj.args]
    return {
        name: value.size * wp.types.type_size_in_bytes(value.dtype)
        for name, value in zip(names, launch.fwd_args, strict=True)
        if isinstance(value, wp.array)
    }


def actuator_parameters() -> set[str]:
    """Return the columns of the table that the kernel of a substep reads, by its source."""
    return set(re.findall(r"\bcolumns\.(\w+)", inspect.getsource(actuator_kernels)))


def actuator_bytes(launch: Any, num_joints: int) -> float:
    """Return the bytes that a substep moves."""
    arguments = dict(zip((item.label for item in launch.kernel.adj.args), launch.fwd_args, strict=True))
    columns = sum(num_joints if name in PER_JOINT else 1 for name in actuator_parameters())
    num_slots = arguments["commands"].shape[1]
    passes = {
        "command_age": 2.0,  # read and written
        "commands": min(2, num_slots) / num_slots,  # a delayed substep lies between two
        "table": columns / arguments["table"].shape[1],
    }
    return bytes_moved(sizes_of_arguments(launch), passes)


def sensor_bytes(sensors: Proprioception, layout: TableLayout) -> tuple[float, float]:
    """Return the bytes that a reading of the sensors moves, and those that an observation made of it moves."""
    memory = sensors.state_dict()
    num_envs, depth, _ = memory["truth"].shape
    history = memory["rows"].shape[1]
    sizes = {name: float(tensor.nbytes) for name, tensor in memory.items()}
    passes = {
        **dict.fromkeys(sizes, 2.0),  # read and written
        "truth": min(3, depth) / depth,  # one sample is written and two are read, between which a latency lies
        "rows": 1.0 / history,  # the newest is written
    }
    seen = sensors.layout
    sizes["inputs"] = num_envs * (_FLOAT_BYTES * (6 + 3 * seen.num_joints) + seen.num_feet)
    sizes["table"] = num_envs * _FLOAT_BYTES * sum(len(layout.parameter(name).elements) for name in PARAMETERS)
    observation = 2.0 * num_envs * _FLOAT_BYTES * seen.dim  # each entry is read from memory and written
    return bytes_moved(sizes, passes), observation
