"""A loop that does nothing, beside a live trial: as late as it is, the computer alone makes a loop."""

import sys
import threading
import time

from surefoot_bridge.clock import boot_time_s
from surefoot_bridge.realtime import realtime

from .live_process import say

PERIOD_S = 0.002
_MOST_TICKS = 60_000


def main() -> None:
    """Sleep from tick to tick as the control loop does, as privileged as it is, until the standard input ends."""
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    ticks: list[tuple[float, float]] = []
    with realtime():
        due_s = boot_time_s() + PERIOD_S
        while not ended.is_set() and len(ticks) < _MOST_TICKS:
            time.sleep(max(due_s - boot_time_s(), 0.0))
            now_s = boot_time_s()
            ticks.append((now_s, now_s - due_s))
            due_s = max(due_s + PERIOD_S, now_s)
    say("idle", ticks=ticks)
