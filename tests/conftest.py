"""What every test shares: two threads for each numerics library, and a reason beside every skipped test."""

import os
import time

import pytest

# Numerics libraries read these when they load, so they are set before any test imports one.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "2")
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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how long `make test` took in all: installing, linters and kernels included."""
    if started := os.environ.get("SUREFOOT_TESTS_STARTED"):
        terminalreporter.write_line(f"make test took {time.time() - float(started):.0f} s")
