"""How long a call takes on a device, free of its first calls' set-up and of what else the machine does."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import torch

from surefoot.replaced import replaced

WARM_UP_CALLS = 3
"""Calls before the first that counts: they compile kernels, fill caches and allocate what is kept."""

WARM_UP_S = 1.0
"""Time after which no further such call is begun."""

SAMPLE_S = 0.01
"""Least length of a sample; shorter calls are made several times in it, so that the clock does not matter."""

FEWEST_SAMPLES = 3
"""Samples that are taken even when they are longer than the time allows."""

SETS_OF_ENVIRONMENTS = 16
"""Different sets of environments that resets take turns in."""


def synchronize(device: str) -> None:
    """Wait until a device has done all its work."""
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)


def median_us(call: Callable[[], object], device: str, *, repeats: int, at_most_s: float = 30.0) -> float:
    """Return the median time of a call, with the device's work, in microseconds.

    Args:
        call: What is measured.
        device: Where it works.
        repeats: Samples to take the median of.
        at_most_s: Time after which no further sample is begun.
    """
    warm_up: list[float] = []
    while len(warm_up) < WARM_UP_CALLS and sum(warm_up) < WARM_UP_S:
        warm_up.append(_sample_s(call, 1, device))
    calls = max(1, math.ceil(SAMPLE_S / warm_up[-1]))
    began = time.perf_counter()
    samples: list[float] = []
    while len(samples) < repeats:
        if len(samples) >= FEWEST_SAMPLES and time.perf_counter() - began > at_most_s:
            break
        samples.append(_sample_s(call, calls, device) / calls)
    return 1e6 * median(samples)


def _sample_s(call: Callable[[], object], calls: int, device: str) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        call()
    synchronize(device)
    return time.perf_counter() - start


def random_environments(num_envs: int, count: int, device: str, *, seed: int) -> Iterator[torch.Tensor]:
    """Return endless sets of ``count`` different environments, each int32, (count,), in rising order as in training."""
    generator = torch.Generator().manual_seed(seed)
    sets = [
        torch.randperm(num_envs, generator=generator)[:count].sort().values.to(device, torch.int32)
        for _ in range(SETS_OF_ENVIRONMENTS)
    ]
    return itertools.cycle(sets)


class Stopwatch:
    """Accumulates the wall time spent in methods; a timed method that calls another one is counted once."""

    def __init__(self) -> None:
        self.total_s = 0.0
        self._running = False

    def time(self, owner: Any, name: str) -> None:
        """Time a method of an object or of a class from now on."""
        setattr(owner, name, self._timed(getattr(owner, name)))

    @contextmanager
    def timing(self, *methods: tuple[Any, str]) -> Iterator[Stopwatch]:
        """Time methods, each given by its owner and name, for the length of a block."""
        with replaced(*((owner, name, self._timed(getattr(owner, name))) for owner, name in methods)):
            yield self

    def _timed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            if self._running:
                return method(*args, **kwargs)
            self._running = True
            start = time.perf_counter()
            try:
                return method(*args, **kwargs)
            finally:
                self.total_s += time.perf_counter() - start
                self._running = False

        return timed
