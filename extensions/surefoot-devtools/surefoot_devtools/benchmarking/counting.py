"""What a call asks of a device: kernels and operations that it launches, and memory that it allocates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
import warp as wp
from torch.utils._python_dispatch import TorchDispatchMode

from .timing import replaced


@dataclass
class Launches:
    """How often each kernel of Warp's, and each operation of torch's that is no view, was launched."""

    kernels: Counter[str] = field(default_factory=Counter)
    torch_operations: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """Launches in all; an operation of torch's is at least one."""
        return self.kernels.total() + self.torch_operations.total()


def count_launches(call: Callable[[], object]) -> Launches:
    """Count what a call launches, recorded launches included."""
    counts = Launches()
    launch, launch_tiled, launch_recorded = wp.launch, wp.launch_tiled, wp.Launch.launch

    def counted(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(kernel: Any, *args: Any, **kwargs: Any) -> Any:
            if not kwargs.get("record_cmd", False):
                counts.kernels[kernel.key] += 1
            return original(kernel, *args, **kwargs)

        return run

    def counted_recorded(self: wp.Launch, *args: Any, **kwargs: Any) -> None:
        counts.kernels[self.kernel.key] += 1
        launch_recorded(self, *args, **kwargs)

    with (
        replaced(
            (wp, "launch", counted(launch)),
            (wp, "launch_tiled", counted(launch_tiled)),
            (wp.Launch, "launch", counted_recorded),
        ),
        _TorchOperations(counts.torch_operations),
    ):
        call()
    return counts


class _TorchOperations(TorchDispatchMode):
    def __init__(self, counts: Counter[str]) -> None:
        super().__init__()
        self._counts = counts

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        del types
        if not func.is_view:
            self._counts[str(func.overloadpacket)] += 1
        return func(*args, **(kwargs or {}))


def count_allocations(call: Callable[[], object]) -> Counter[str]:
    """Count allocations of memory on the host and on devices, by who asked for them.

    Torch's are those that its profiler sees, one for each operation that allocates, from a cache or not; those of a
    single number, which an operation with a Python number makes on the host, are left out. Warp's are all that its
    tracker sees, by device. Memory of Python's own is not counted.
    """
    counts: Counter[str] = Counter()
    reports: list[str] = []
    activities = [torch.profiler.ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    with (
        torch.profiler.profile(activities=activities, profile_memory=True, acc_events=True) as profiler,
        wp.ScopedMemoryTracker("call", report_func=reports.append) as tracker,
    ):
        tracker.clear()
        call()
    for event in profiler.events() or []:
        if max(event.self_cpu_memory_usage, event.self_device_memory_usage) > _ONE_NUMBER_BYTES:
            counts[f"torch {event.name}"] += 1
    counts.update(read_tracker_report(reports[0]))
    return counts


_ONE_NUMBER_BYTES = 8


def read_tracker_report(report: str) -> Counter[str]:
    """Read how many allocations Warp's tracker saw on each device out of the report that it prints."""
    total = report.partition("Total allocations:")[2].partition("Peak usage:")[0]
    return Counter({f"warp {device}": int(count) for device, count in re.findall(r"(\S+)\s+(\d+) \(", total)})
