"""Short logs of the made-up robots for tests."""

import importlib.util
import time
from dataclasses import fields

import numpy as np
import pytest
from contracts import small_contract
from reports import random_report

from surefoot_bridge.log import LogOptions, open_log
from surefoot_bridge.state import JointCommand

needs_mcap = pytest.mark.skipif(importlib.util.find_spec("mcap") is None, reason="mcap is not installed")
needs_matplotlib = pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None, reason="matplotlib is not installed"
)

PHASES = ("read", "observe", "send")
BUNDLE = "b" * 64


def begin_log(folder, contract=None, **options):
    """Open a log that leaves nothing to others, so that a full disk of the tests' machine is no matter."""
    foot_sensors = options.pop("num_foot_sensors", None)
    options.setdefault("min_free_bytes", 0)
    return open_log(
        folder,
        contract or small_contract(),
        bundle=BUNDLE,
        stage="tethered",
        phases=PHASES,
        num_foot_sensors=foot_sensors,
        options=LogOptions(**options),
    )


def random_tick(rng, contract):
    """One tick's arrays, as `LogWriter.write` takes them."""
    n = len(contract.robot.joint_names)
    return {
        "state": random_report(rng, (), n),
        "command": rng.normal(size=len(contract.command.names)),
        "observation": rng.normal(size=contract.network.observation_dim).astype(np.float32),
        "action": rng.normal(size=n).astype(np.float32),
        "joint_command": JointCommand(*(rng.normal(size=n) for _ in fields(JointCommand))),
        "lateness_s": float(abs(rng.normal())) * 1e-5,
        "phase_s": abs(rng.normal(size=len(PHASES))) * 1e-5,
    }


def write_ticks(log, num_ticks, *, start_s=100.0, period_s=0.002, contract=None):
    """Write random ticks; all of them are taken, however slow the machine."""
    rng = np.random.default_rng(0)
    ticks = []
    for i in range(num_ticks):
        tick = random_tick(rng, contract or small_contract())
        while not log.write(start_s + i * period_s, **tick):
            assert log.take_stop() is None
            time.sleep(0.001)
        ticks.append(tick)
    return ticks


def small_log(folder, num_ticks=50, **options):
    """Write a finished log; returns its folder."""
    with begin_log(folder, **options) as log:
        log.mode(100.0, "walk", previous="stand", reason="asked")
        write_ticks(log, num_ticks)
    assert log.status().state == "closed"
    return log.folder


def await_that(condition, what, timeout_s=20.0):
    """Wait until a condition holds."""
    until = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < until, f"{what} did not happen within {timeout_s} s"
        time.sleep(0.01)
