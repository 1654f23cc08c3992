"""Begins a log: its folder, the shared memory, and the process that writes it."""

import contextlib
import hashlib
import math
import os
import subprocess
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence, Union

from surefoot_bridge.contract import Contract, write_contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.side_process import start_side_process

from .mcap_file import require_mcap
from .packing import TickPacking
from .process import Order
from .ring import STARTING, WRITING, Ring, shared_file
from .rotation import first_free, stamp
from .topics import LOG_SCHEMA, TOPICS, channel_metadata, sizes
from .writer import FOR_EVENTS, LogWriter

_START_TIMEOUT_S = 60.0  # a robot's computer may take long to import NumPy


@dataclass(frozen=True)
class LogOptions:
    """How a log is written.

    Attributes:
        flush_s: Longest time between two flushes to the disk [s]: what a loss of power takes away.
        queue_s: How long the disk may stall before ticks are dropped [s].
        rotate_bytes: Size from which a new file is begun.
        rotate_s: Time after which a new file is begun [s].
        min_free_bytes: Space on the disk that is left to others; logging stops there.
    """

    flush_s: float = 0.25
    queue_s: float = 5.0
    rotate_bytes: int = 256 << 20
    rotate_s: float = 600.0
    min_free_bytes: int = 256 << 20

    def __post_init__(self) -> None:
        """Refuse what cannot be kept."""
        if not 0 < self.flush_s <= 0.5:
            raise SurefootError(f"flush_s is {self.flush_s}; it must be in (0, 0.5] for the log to survive a crash.")
        for name in ("queue_s", "rotate_bytes", "rotate_s"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise SurefootError(f"{name} is {getattr(self, name)}; it must be > 0.")
        if self.min_free_bytes < 0:
            raise SurefootError(f"min_free_bytes is {self.min_free_bytes}; it must be >= 0.")


def open_log(
    folder: Union[str, Path],
    contract: Contract,
    *,
    bundle: str,
    stage: str,
    phases: Sequence[str],
    num_foot_sensors: Optional[int] = None,
    seal_key: Optional[bytes] = None,
    options: Optional[LogOptions] = None,
) -> LogWriter:
    """Begin a log: a new folder in ``folder``, and the process that writes it.

    Args:
        folder: Where the logs of all runs are; made where it is missing.
        contract: The contract of the policy.
        bundle: Identity of the bundle.
        stage: How far the robot is trusted.
        phases: Names of the phases of a tick.
        num_foot_sensors: Width of the reports' ``foot_force_n``; that of the contract's feet by default.
        seal_key: The operator's key, with which the log of a real robot is sealed; None for a log that proves nothing.
        options: How it is written.

    Raises:
        SurefootError: If ``mcap`` is missing, or the log cannot be begun.
    """
    require_mcap()
    options = options or LogOptions()
    feet = len(contract.robot.foot_names) if num_foot_sensors is None else num_foot_sensors
    widths = sizes(contract, phases, feet)
    packing = TickPacking(widths)
    own = _own_folder(Path(folder), contract.robot.name)
    descriptor = shared_file()
    try:
        num_slots = math.ceil(options.queue_s * contract.timing.low_level_hz) + FOR_EVENTS
        ring = Ring(descriptor, num_slots, packing.num_words, begin=True)
        text = write_contract(contract)
        order = Order(
            descriptor=descriptor,
            num_slots=num_slots,
            sizes=dict(widths),
            parent=os.getpid(),
            folder=str(own),
            head={
                "log_schema": LOG_SCHEMA,
                "session": uuid.uuid4().hex,
                "robot": contract.robot.name,
                "stage": stage,
                "bundle": bundle,
                "contract_sha256": hashlib.sha256(text.encode()).hexdigest(),
                "phases": list(phases),
                "contract": text,
            },
            channels={topic: dict(channel_metadata(topic, contract, phases)) for topic in TOPICS},
            rotate_bytes=options.rotate_bytes,
            rotate_s=options.rotate_s,
            min_free_bytes=options.min_free_bytes,
            flush_s=options.flush_s,
            seal_key="" if seal_key is None else seal_key.hex(),
        )
        process = start_side_process("log.process", order, descriptors=[descriptor])
    finally:
        os.close(descriptor)  # the memory stays mapped
    _await_start(ring, process, own)
    return LogWriter(own, ring, packing, process)


def _own_folder(parent: Path, robot: str) -> Path:
    def make(name: str) -> Path:
        (parent / name).mkdir()
        return parent / name

    try:
        parent.mkdir(parents=True, exist_ok=True)
        return first_free(make, f"{stamp()}_{robot}")
    except OSError as error:
        raise SurefootError(
            f"No log can be begun in {parent}: {error.strerror or error}. Choose a folder that you may write."
        ) from error


def _await_start(ring: Ring, process: "subprocess.Popen[bytes]", own: Path) -> None:
    until = time.monotonic() + _START_TIMEOUT_S
    while ring.state == STARTING and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    if ring.state == WRITING:
        return
    reason = ring.reason or "its process ended before it began; what it said is above"
    if process.poll() is None and ring.state == STARTING:
        process.kill()
        reason = f"its process did not begin within {_START_TIMEOUT_S:.0f} s"
    process.wait()
    with contextlib.suppress(OSError):  # where something was written, it stays
        own.rmdir()
    raise SurefootError(f"No log can be begun in {own.parent}: {reason.rstrip('.')}.")
