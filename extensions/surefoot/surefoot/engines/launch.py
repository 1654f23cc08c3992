"""Start and stop the simulator's runtime around a piece of work."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from surefoot.engines.shims import install_shims
from surefoot_bridge.errors import SurefootError


@contextmanager
def launched(env_cfg: Any, *, device: str) -> Iterator[None]:
    """Start what a resolved environment configuration needs; only Isaac Sim's engine has a runtime to start.

    Args:
        env_cfg: The environment's configuration, its presets resolved; its device is set.
        device: ``"cpu"`` or ``"cuda:<index>"``.

    Raises:
        SurefootError: Raised in the block, it leaves without the traceback that Isaac Lab prints for any exception.
    """
    install_shims()
    from isaaclab.app import add_launcher_args, launch_simulation

    parser = argparse.ArgumentParser()
    add_launcher_args(parser)
    arguments = parser.parse_args(["--device", device])
    env_cfg.sim.device = device
    refusal: SurefootError | None = None
    with launch_simulation(env_cfg, arguments):
        try:
            yield
        except SurefootError as error:
            refusal = error
    if refusal is not None:
        raise refusal
