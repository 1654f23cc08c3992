"""The process that writes a log: takes ticks from the ring, turns them into messages, and waits for the disk.

It is a process of its own because a thread would hold Python's interpreter lock while it writes digits, and the control
loop could wait milliseconds for it. It also outlives a control loop that is killed: it brings what was queued to the
disk and finishes the file.
"""

import errno
import json
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict

from surefoot_bridge.errors import SurefootError

from .packing import TickPacking, is_text, unpack_text
from .ring import CLOSED, DISK_FULL, FAILED, WRITING, Ring
from .rotation import DiskNearlyFullError, RotatingLog

_POLL_S = 0.01
_MOST_AT_ONCE = 64  # slots between two looks at the clock
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True)
class Order:
    """What the control loop's side says to this process, as JSON.

    Attributes:
        descriptor: Of the ring's file.
        num_slots: Capacity of the ring.
        sizes: See :class:`~surefoot_bridge.log.packing.TickPacking`.
        parent: Process for which the log is written.
        folder: Folder of the log.
        head: See :class:`~surefoot_bridge.log.rotation.RotatingLog`.
        channels: As above.
        rotate_bytes: As above.
        rotate_s: As above [s].
        min_free_bytes: As above.
        flush_s: Longest time between two flushes [s].
        seal_key: The operator's key in hexadecimal digits; empty for a log that proves nothing.
    """

    descriptor: int
    num_slots: int
    sizes: Dict[Any, int]
    parent: int
    folder: str
    head: Dict[str, Any]
    channels: Dict[str, Dict[str, str]]
    rotate_bytes: int
    rotate_s: float
    min_free_bytes: int
    flush_s: float
    seal_key: str


def main() -> None:
    """Write one log, as the order on standard input says, until the control loop closes it or is gone."""
    order = Order(**json.load(sys.stdin))
    packing = TickPacking(order.sizes)
    ring = Ring(order.descriptor, order.num_slots, packing.num_words, begin=False)
    # It ends with the control loop; a Ctrl-C in the terminal or a stop of the service is for that one to act on.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _give_way()
    try:
        _Writer(order, ring, packing).run()
    except DiskNearlyFullError as error:
        ring.set_state(DISK_FULL, str(error))
    except OSError as error:
        state = DISK_FULL if error.errno in _FULL else FAILED
        ring.set_state(state, f"{error.strerror or error} ({error.filename or order.folder})")
    except SurefootError as error:
        ring.set_state(FAILED, str(error))
    except Exception as error:  # whatever it is, the control loop shall hear of it and not of silence
        ring.set_state(FAILED, f"{type(error).__name__}: {error}")
        raise


class _Writer:
    def __init__(self, order: Order, ring: Ring, packing: TickPacking) -> None:
        self._order = order
        self._ring = ring
        self._packing = packing
        self._told_dropped = 0
        self._last_time_s = float("nan")
        self._log = RotatingLog(
            Path(order.folder),
            head=order.head,
            channels=order.channels,
            rotate_bytes=order.rotate_bytes,
            rotate_s=order.rotate_s,
            min_free_bytes=order.min_free_bytes,
        )

    def run(self) -> None:
        self._ring.set_state(WRITING)
        try:
            self._write()
            self._tell_dropped()
            self._log.finish()
            if self._ring.closing:  # a loop that is gone without that may have left more to tell than is here
                self._log.seal(bytes.fromhex(self._order.seal_key) or None)
        except DiskNearlyFullError as error:
            self._event("log_stopped", f"Logging ends here: {error}.", float("nan"))
            self._log.finish()
            self._tell_written()
            raise
        except OSError:
            self._log.abandon()
            raise
        self._tell_written()
        self._ring.set_state(CLOSED)

    def _write(self) -> None:
        flush_at = time.monotonic() + self._order.flush_s
        while True:
            # Asked before the queue is emptied: what was put before the end is then in it.
            ending = self._ring.closing or os.getppid() != self._order.parent
            idle = self._take()
            now = time.monotonic()
            if now >= flush_at:
                self._tell_dropped()
                self._log.flush()
                self._tell_written()
                flush_at = now + self._order.flush_s
            if idle and ending:
                return
            if idle:
                time.sleep(min(_POLL_S, max(flush_at - now, 0.0)))

    def _take(self) -> bool:
        """Add what is queued to the log, a batch at most; say whether nothing is left."""
        for _ in range(_MOST_AT_ONCE):
            slot = self._ring.take()
            if slot is None:
                return True
            time_ns = max(int(slot.time_s * 1e9) + slot.utc_offset_ns, 0)
            self._last_time_s = slot.time_s
            if is_text(slot.kinds):
                messages = iter([unpack_text(slot.kinds, slot.content)])
            else:
                messages = self._packing.unpack(slot.kinds, slot.content)
            for topic, message in messages:
                self._log.add(topic, time_ns, {"time_s": slot.time_s, **message})
        return False

    def _tell_dropped(self) -> None:
        dropped = self._ring.dropped
        if dropped > self._told_dropped:
            lost = dropped - self._told_dropped
            self._told_dropped = dropped
            self._event("log_dropped", f"The queue of the log was full: {lost} entries are missing.", lost)

    def _event(self, name: str, message: str, value: float) -> None:
        time_ns = time.time_ns() if self._log.last_time_ns is None else self._log.last_time_ns
        event = {"name": name, "response": "none", "component": "", "value": float(value), "limit": float("nan")}
        self._log.add("/safety", time_ns, {"time_s": self._last_time_s, **event, "message": message})

    def _tell_written(self) -> None:
        self._ring.set_written(self._log.num_bytes, self._log.num_messages)


def _give_way() -> None:
    # Real-time scheduling and a raised priority are the control loop's; its children inherit them unless told not to.
    try:
        if os.sched_getscheduler(0) != os.SCHED_OTHER:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        if os.getpriority(os.PRIO_PROCESS, 0) < 0:
            os.setpriority(os.PRIO_PROCESS, 0, 0)
    except (AttributeError, OSError):  # systems other than Linux have no such call
        pass
