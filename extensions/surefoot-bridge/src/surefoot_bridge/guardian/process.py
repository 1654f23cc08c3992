"""The guardian's process: looks for the loop's beats and damps the robot when they stop, and after every run.

Whatever ends a run, the guardian has the last word: it damps until the robot's own reports show that it is damped.
After a run that ended in order it then ends by itself; where the loop was killed or hung it goes on until somebody has
seen to the robot and ends it.
"""

import contextlib
import json
import os
import signal
import sys
import time
from typing import Optional

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.realtime import be_urgent
from surefoot_bridge.robots import Damper, RobotAddress
from surefoot_bridge.robots.lock import write_note
from surefoot_bridge.robots.transports import load_transport

from .guardian import GUARDIAN_NOTE
from .page import DAMPING, ENDED, FAILED, WATCHING, Order, Page
from .registry import Announcement

_LOOK_S = 0.002
_LISTEN_S = 0.02
_SAY_S = 0.25


class _EndedError(BaseException):
    """Somebody has ended the guardian. No transport that is being asked meanwhile catches this."""


def main() -> None:
    """Guard one loop, as the order on standard input says, until its robot is damped, or somebody ends the guardian."""
    order = Order(**json.load(sys.stdin))
    page = Page(order.descriptor)
    os.close(order.descriptor)  # the memory stays mapped
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):  # for the loop to act on, while there is one
        signal.signal(number, signal.SIG_IGN)
    be_urgent()
    try:
        guard = _Guard(order, page)
    except SurefootError as error:
        page.set_state(FAILED, str(error))
        return
    _let_go()
    page.set_state(WATCHING)
    with contextlib.suppress(_EndedError):
        guard.run()
    page.set_state(ENDED, page.reason)


class _Guard:
    """A guardian's work.

    Raises:
        SurefootError: If it cannot reach the robot, or another guardian has it.
    """

    def __init__(self, order: Order, page: Page) -> None:
        self._order, self._page, self._ended = order, page, False
        address = RobotAddress(order.robot, order.interface, order.domain)
        self._announcement = Announcement(address, order.parent)
        self._damper = load_transport(order.transport).damper(address, order.command)
        self._damper.await_robot()

    def run(self) -> None:
        """Watch, and damp if something was commanded."""
        self._announcement.say(self._page)
        reason = self._watch()
        if reason is None:
            return
        orderly = self._page.ending or self._page.released
        self._page.set_state(DAMPING, reason)  # first of all: a loop that wakes up must not send any more
        self._damp(until_shown=orderly)

    def _watch(self) -> Optional[str]:
        """Look until the loop ends; return why the robot is damped then, None if the loop has commanded nothing."""
        order, page = self._order, self._page
        beats, begun = page.beats, False
        changed_s = listen_s = time.monotonic()
        while True:
            gone = os.getppid() != order.parent  # asked before the page is read: what was written before is there
            page.look()
            now_s = time.monotonic()
            if page.beats != beats:
                beats, changed_s, begun = page.beats, now_s, True
            silent = begun and now_s - changed_s >= order.timeout_s
            if page.released or (page.ending and (gone or silent)):
                return "the run has ended" if begun else None
            if gone:
                return f"the control loop (process {order.parent}) is gone" if begun else None
            if silent:
                return f"the control loop (process {order.parent}) gave no sign of life for {order.timeout_s} s"
            if now_s >= listen_s:  # so that it is known how young reports are here
                listen_s = now_s + _LISTEN_S
                self._damper.look()
            time.sleep(_LOOK_S)

    def _damp(self, *, until_shown: bool) -> None:
        """Damp the robot until its reports show it, or until somebody ends this process."""
        damper, page = self._damper, self._page
        damper.begin()
        say_s, noted = time.monotonic(), False
        while not (self._ended or (until_shown and damper.shown)):
            _step(damper)
            if not noted:  # after the first command, which is what matters
                signal.signal(signal.SIGTERM, self._end)
                _note(self._order)
                noted = True
            if time.monotonic() >= say_s:
                say_s = time.monotonic() + _SAY_S
                page.set_finding(damper.shown, damper.finding)
                self._announcement.say(page)
        page.set_finding(damper.shown, damper.finding)

    def _end(self, *_unused: object) -> None:
        self._ended = True  # kept too: an error of the transport's while it cleans up takes the place of this one
        raise _EndedError


def _note(order: Order) -> None:
    if order.lock_descriptor >= 0:
        write_note(order.lock_descriptor, GUARDIAN_NOTE.format(pid=os.getpid(), parent=order.parent))


def _step(damper: Damper) -> None:
    """Damp once; whatever fails may work again, and nothing may end a guardian that damps."""
    try:
        damper.step()
    except SurefootError:  # after the time of a step
        return
    except Exception:
        time.sleep(_LOOK_S)


def _let_go() -> None:
    """Let go of what is the caller's: its error output, for whose end a reader waits, and the folder that it is in."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    os.close(nothing)
    os.chdir("/")
