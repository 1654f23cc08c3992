"""What a call asks of a device: kernels and operations that it launches, waits for its answers, and memory.

Counted on whatever device the call runs, a CPU too: an operation there is a launch on a GPU.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
import warp as wp
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from surefoot.replaced import replaced


@dataclass
class Launches:
    """How often each kernel of Warp's, and each operation of torch's that is no view, was launched."""

    kernels: Counter[str] = field(default_factory=Counter)
    torch_operations: Counter[str] = field(default_factory=Counter)
    transfers: Counter[str] = field(default_factory=Counter)
    """What copies and fills memory of Warp's."""
    waits: Counter[str] = field(default_factory=Counter)
    """What makes the host wait for the device: reads, uploads, and shapes that depend on values."""
    allocations: Counter[str] = field(default_factory=Counter)
    """What asks for memory of the device, from a cache or not."""
    runs: Counter[str] = field(default_factory=Counter)
    """How often the scope was entered, under its name."""

    @property
    def total(self) -> int:
        """Launches in all; an operation of torch's is at least one."""
        return self.kernels.total() + self.torch_operations.total() + self.transfers.total()


class Tally:
    """Counts what is asked of a device while it is open, by scopes that lie within each other.

    A scope is a path of names; what happens in none is not counted.
    """

    def __init__(self) -> None:
        self.of: defaultdict[tuple[str, ...], Launches] = defaultdict(Launches)
        """What was counted in each scope, without the scopes within it."""
        self._path: tuple[str, ...] = ()
        self._captured = 0

    @contextmanager
    def scope(self, name: str) -> Iterator[None]:
        """Count what happens in a block under a name, within the scope of now."""
        before, self._path = self._path, (*self._path, name)
        self.of[self._path].runs[name] += 1
        try:
            yield
        finally:
            self._path = before

    @contextmanager
    def captured(self, name: str) -> Iterator[None]:
        """Count a block as one launch, as of a graph that is captured on a GPU."""
        if self._here is not None:
            self._here.kernels[name] += 1
        self._captured += 1
        try:
            yield
        finally:
            self._captured -= 1

    @contextmanager
    def opened(self) -> Iterator[Tally]:
        """Count for the length of a block."""
        with ExitStack() as stack:
            stack.enter_context(replaced(*_warp_hooks(self)))
            stack.enter_context(_TorchFunctions(self))
            stack.enter_context(_TorchOperations(self))
            yield self

    @property
    def _here(self) -> Launches | None:
        """Counts of the scope of now; None where nothing is counted."""
        return self.of[self._path] if self._path and not self._captured else None

    def add(self, kind: str, name: str) -> None:
        """Count one of a kind, a field of :class:`Launches`."""
        if (here := self._here) is not None:
            getattr(here, kind)[name] += 1


def count_launches(call: Callable[[], object]) -> Launches:
    """Count what a call launches, recorded launches included."""
    tally = Tally()
    with tally.opened(), tally.scope("call"):
        call()
    return tally.of["call",]


def _warp_hooks(tally: Tally) -> list[tuple[Any, str, Any]]:
    """Return replacements for what of Warp's works on a device."""

    def launching(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(kernel: Any, *args: Any, **kwargs: Any) -> Any:
            if not kwargs.get("record_cmd", False):
                tally.add("kernels", kernel.key)
            return original(kernel, *args, **kwargs)

        return run

    launch_recorded = wp.Launch.launch
    make_array: Callable[..., None] = wp.array.__init__

    def counted_recorded(self: wp.Launch, *args: Any, **kwargs: Any) -> None:
        tally.add("kernels", self.kernel.key)
        launch_recorded(self, *args, **kwargs)

    def counted_array(self: Any, data: Any = None, *args: Any, **kwargs: Any) -> None:
        is_annotation = data is None and len(args) < 2 and kwargs.get("shape") is None  # a type, without memory
        if kwargs.get("ptr") is None and not isinstance(data, wp.array) and not is_annotation:
            tally.add("allocations", "warp array")
            if data is not None:
                tally.add("waits", "warp upload")
        make_array(self, data, *args, **kwargs)

    def counting(kind: str, owner: Any, name: str) -> tuple[Any, str, Any]:
        original = getattr(owner, name)

        def run(*args: Any, **kwargs: Any) -> Any:
            tally.add(kind, f"warp {name}")
            return original(*args, **kwargs)

        return owner, name, run

    return [
        (wp, "launch", launching(wp.launch)),
        (wp, "launch_tiled", launching(wp.launch_tiled)),
        (wp.Launch, "launch", counted_recorded),
        (wp.array, "__init__", counted_array),
        counting("kernels", wp, "capture_launch"),
        counting("transfers", wp, "copy"),
        counting("transfers", wp.array, "fill_"),
        counting("transfers", wp.array, "zero_"),
        counting("waits", wp.array, "numpy"),
        counting("waits", wp, "synchronize"),
        counting("waits", wp, "synchronize_device"),
        counting("waits", wp, "synchronize_stream"),
    ]


_ALLOCATING_ALONE = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")
"""Operations that launch nothing."""

_WAITING = ("nonzero", "masked_select", "unique_dim", "unique_consecutive", "_unique2", "equal", "bincount")
"""Operations whose result's shape, or whose result, the host needs to go on."""


class _TorchOperations(TorchDispatchMode):
    def __init__(self, tally: Tally) -> None:
        super().__init__()
        self._tally = tally

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        del types
        result = func(*args, **(kwargs or {}))
        if func.is_view:
            return result
        operation, tally = str(func.overloadpacket), self._tally
        name = operation.removeprefix("aten.")
        if name == "_local_scalar_dense":
            tally.add("waits", operation)
            return result
        if name not in _ALLOCATING_ALONE:
            tally.add("torch_operations", operation)
        if name in _WAITING or (name in ("index", "index_put", "index_put_") and _has_mask(args[1])):
            tally.add("waits", operation)
        held = {_storage(leaf) for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)}
        for leaf in tree_leaves(result):
            if isinstance(leaf, torch.Tensor) and _storage(leaf) not in held:
                tally.add("allocations", operation)
        return result


def _has_mask(indices: Any) -> bool:
    return any(index is not None and index.dtype in (torch.bool, torch.uint8) for index in indices)


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


_READS = (torch.Tensor.cpu, torch.Tensor.numpy, torch.Tensor.tolist, torch.Tensor.__array__)
_UPLOADS = (torch.tensor, torch.as_tensor)


class _TorchFunctions(TorchFunctionMode):
    """Sees what a CPU does without an operation: reads of whole tensors, and tensors that are made of Python's numbers.

    An upload names its device; what does not is the host's own.
    """

    def __init__(self, tally: Tally) -> None:
        super().__init__()
        self._tally = tally

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        del types
        kwargs = kwargs or {}
        if func in _READS and not (func is torch.Tensor.tolist and args[0].ndim == 0):  # a number is read by `item`
            self._tally.add("waits", f"torch {func.__name__}")
        elif func in _UPLOADS and kwargs.get("device") is not None and not isinstance(args[0], torch.Tensor):
            self._tally.add("waits", "torch upload")
        return func(*args, **kwargs)


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
