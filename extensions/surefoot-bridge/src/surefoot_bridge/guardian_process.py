"""The guardian's process: looks for the loop's beats and damps the robot when they stop."""

import contextlib
import json
import os
import signal
import sys
import time

import numpy as np

from surefoot_bridge.errors import SurefootError

from .guardian import GUARDIAN_NOTE
from .guardian_page import DAMPING, ENDED, FAILED, WATCHING, Order, Page
from .realtime import lock_memory
from .unitree.commands import LowCommand
from .unitree.kinds import KINDS
from .unitree.participant import Participant

_LOOK_S = 0.002
_MATCH_TIMEOUT_S = 5.0
_LOOK_FOR_ROBOT_S = 1.0
_GONE_S = 60.0  # without a robot that listens; long enough to plug a cable in again
_BELOW_HIGHEST = 9  # its priority among real-time processes: above a loop's, below the kernel's own


class _EndedError(Exception):
    pass


def main() -> None:
    """Guard one loop, as the order on standard input says, until it ends in order, or somebody ends the guardian."""
    order = Order(**json.load(sys.stdin))
    page = Page(order.descriptor)
    for number in (signal.SIGINT, signal.SIGHUP):  # for the loop to act on
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    _be_urgent()
    try:
        participant = Participant(order.interface, order.domain)
        kind = KINDS[order.robot]
        command = LowCommand(participant, kind, np.arange(len(kind.joint_names)))
        command.mode_machine = order.mode_machine
        _await_robot(command)
    except SurefootError as error:
        page.set_state(FAILED, str(error))
        return
    page.set_state(WATCHING)
    with contextlib.suppress(_EndedError):
        reason = _watch(order, page)
        if reason:
            page.set_state(DAMPING, reason)  # first of all: a loop that wakes up must not send any more
            _damp(order, command, 1.0 / kind.low_level_hz)
    page.set_state(ENDED)


def _watch(order: Order, page: Page) -> str:
    """Look until the loop ends; return why the robot must be damped, nothing if the loop ended in order."""
    beats, begun = page.beats, False
    changed_s = time.monotonic()
    while True:
        gone = os.getppid() != order.parent  # asked before the page is read: what was written before it ended is there
        page.look()
        if page.released:
            return ""
        now_s = time.monotonic()
        if page.beats != beats:
            beats, changed_s, begun = page.beats, now_s, True
        if gone:
            return f"the control loop (process {order.parent}) is gone" if begun else ""
        if begun and now_s - changed_s >= order.timeout_s:
            return f"the control loop (process {order.parent}) gave no sign of life for {order.timeout_s} s"
        time.sleep(_LOOK_S)


def _damp(order: Order, command: LowCommand, period_s: float) -> None:
    """Damp the robot until somebody ends this process, or the robot has been gone for long: it was switched off."""
    zeros = np.zeros(len(KINDS[order.robot].joint_names))
    due_s = heard_s = look_s = time.monotonic()
    noted = False
    while heard_s > due_s - _GONE_S:
        with contextlib.suppress(SurefootError):  # the network may come back
            command.send_damped(zeros)
        if not noted:  # after the first command, which is what matters
            _note(order)
            noted = True
        now_s = time.monotonic()
        if now_s >= look_s:
            look_s = now_s + _LOOK_FOR_ROBOT_S
            heard_s = now_s if command.num_subscribers else heard_s
        due_s = max(due_s + period_s, now_s - period_s)
        time.sleep(max(due_s - time.monotonic(), 0.0))


def _note(order: Order) -> None:
    if order.lock_descriptor >= 0:
        os.ftruncate(order.lock_descriptor, 0)
        note = GUARDIAN_NOTE.format(pid=os.getpid(), parent=order.parent)
        os.pwrite(order.lock_descriptor, note.encode(), 0)


def _await_robot(command: LowCommand) -> None:
    until = time.monotonic() + _MATCH_TIMEOUT_S
    while command.num_subscribers == 0:
        if time.monotonic() > until:
            raise SurefootError(
                f"nobody receives rt/lowcmd within {_MATCH_TIMEOUT_S:.0f} s, so it could not damp the robot"
            )
        time.sleep(0.005)


def _end(*_unused: object) -> None:
    raise _EndedError


def _be_urgent() -> None:
    """Run before others and stay in memory, as far as the system allows."""
    with contextlib.suppress(AttributeError, OSError):
        priority = os.sched_get_priority_max(os.SCHED_FIFO) - _BELOW_HIGHEST
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    lock_memory()
