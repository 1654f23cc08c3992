"""Changes to other people's packages that a run here cannot do without, each with its reason."""

import functools
from collections.abc import Callable
from typing import Any


def install_shims() -> None:
    """Install every shim that this machine needs; calling it again changes nothing.

    Call it before the first import of an Isaac Lab asset or sensor module.
    """
    _ignore_pinned_memory_without_cuda()


def _ignore_pinned_memory_without_cuda() -> None:
    """Make Warp's allocators ignore ``pinned=True`` on a machine that has no CUDA driver.

    Isaac Lab 3.0.0's OvPhysX assets stage CPU-only parameters in page-locked memory, which only a CUDA driver can
    give. Without one, Warp 1.17 fails with "Failed to allocate ... on device 'cpu'". Page-locking only speeds up
    copies to a GPU, so nothing is lost without it.
    """
    import warp as wp

    if wp.is_cuda_available():
        return
    for name in ("zeros", "empty", "ones", "full"):
        allocate = getattr(wp, name)
        if not hasattr(allocate, "__wrapped__"):
            setattr(wp, name, _without_pinned(allocate))


def _without_pinned(allocate: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(allocate)
    def allocate_pageable(*args: Any, **kwargs: Any) -> Any:
        kwargs.pop("pinned", None)
        return allocate(*args, **kwargs)

    return allocate_pageable
