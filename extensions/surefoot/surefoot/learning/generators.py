"""The random number generators of the process: Python's, NumPy's and torch's on each device.

Warp kernels draw from seeds that their owners pass in, so Warp has no generator of its own to save.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch


def capture_generators() -> dict[str, Any]:
    """Copy the state of every generator, as tensors and numbers."""
    version, internal, gauss = random.getstate()
    kind, keys, position, has_gauss, cached = np.random.get_state(legacy=True)  # noqa: NPY002 - Isaac Lab draws from it
    return {
        "python": {"version": version, "state": list(internal), "gauss": gauss},
        "numpy": {
            "kind": kind,
            "keys": torch.from_numpy(keys.astype(np.int64)),
            "position": position,
            "has_gauss": has_gauss,
            "cached": cached,
        },
        "torch": torch.get_rng_state(),
        "cuda": list(torch.cuda.get_rng_state_all()) if torch.cuda.is_available() else [],
    }


def restore_generators(state: dict[str, Any]) -> None:
    """Put every generator into a captured state; generators of GPUs that are not here are left alone."""
    python, numpy = state["python"], state["numpy"]
    random.setstate((python["version"], tuple(python["state"]), python["gauss"]))
    np.random.set_state(  # noqa: NPY002
        (numpy["kind"], numpy["keys"].numpy().astype(np.uint32), numpy["position"], numpy["has_gauss"], numpy["cached"])
    )
    torch.set_rng_state(state["torch"])
    if state["cuda"] and torch.cuda.is_available():
        for index, generator in enumerate(state["cuda"][: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(generator, index)
