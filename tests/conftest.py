"""What every test shares: few threads for each numerics library, and a reason beside every skipped test."""

import os

import pytest

# Numerics libraries read these when they load, so they are set before any test imports one.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1" if "PYTEST_XDIST_WORKER" in os.environ else "2")
os.environ.setdefault("MPLBACKEND", "Agg")


def _cuda_missing() -> str | None:
    """Say why a test that needs CUDA cannot run here, or None where it can."""
    import torch

    return None if torch.cuda.is_available() else "torch sees no CUDA device"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests marked `gpu` with the reason where there is no CUDA device."""
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if marked and (reason := _cuda_missing()):
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=reason))
