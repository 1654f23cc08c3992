"""An operator at the robot's own remote, which comes with the robot's reports; and its stop, whoever else commands.

What is made of silence stands in :mod:`surefoot_bridge.operator_presence`: what a robot reports of a remote that is out
of reach is not documented, and may be the last that it heard.
"""

import select
import sys
import time
from typing import Callable, List, Optional, Sequence, TextIO

from .errors import SurefootError
from .machine_modes import Request
from .robot import Robot
from .stick_operator import MOTION_S, PRESENCE_S, StickOperator
from .unitree.remote import STOP, Remote, remote_of

HELP = f"""Remote of the robot: {STOP}  STOP: damp at once, until start
          L1 hold it to move; with it A stand, X walk; without it Y sit, down passive
          left stick walk, right stick turn
Without L1 the velocity is zero. Without any change for {MOTION_S:g} s too; for {PRESENCE_S:g} s: it stops and stands.
Ctrl-C in the terminal: end in order, as the checklist says; again: damp at once."""

DEAD_MAN = "L1"
"""Key that must be held for the robot to move, and to stand up or walk."""

_REQUESTS = {
    "A": Request.STAND,
    "X": Request.WALK,
    "Y": Request.SIT,
    "down": Request.PASSIVE,
    "start": Request.RELEASE,
}
_AXES = {"lin_vel_x_m_s": ("ly", 1.0), "lin_vel_y_m_s": ("lx", -1.0), "ang_vel_z_rad_s": ("rx", -1.0)}
_MOVED = 0.02  # of a stick that counts as a person's doing: ten times what a stick at rest trembles. Assumption.


def remote_source(robot: Robot) -> Callable[[], bytes]:
    """Return what gives the 40 bytes of a robot's remote.

    Raises:
        SurefootError: If its reports carry none.
    """
    if not hasattr(robot, "remote"):
        raise SurefootError(
            f"{robot.name} here has no remote. --operator remote is for robots on the network: go2, g1."
        )
    return lambda: robot.remote  # type: ignore[attr-defined]  # looked for above


class RemoteStop:
    """Stops a robot for as long as the stop of its remote is pressed.

    Args:
        source: Gives what the remote says, 40 bytes.
    """

    def __init__(self, source: Callable[[], bytes]) -> None:
        self._source = source

    def __call__(self, time_s: float) -> bool:  # noqa: ARG002  (what each source of stops is given)
        """Return whether it is pressed."""
        return remote_of(self._source()).stops


class RemoteOperator(StickOperator):
    """Reads the robot's remote.

    What is held down when it is opened was not meant for the bridge, but for the stop and the dead-man's key.

    Args:
        source: Gives what the remote says, 40 bytes.
        command_names: Components of the velocity command, in the contract's order.
        largest_command: What a stick at its end asks for, that of the stage.
        time_s: The control loop's clock now [s].

    Raises:
        SurefootError: If the remote has no stick for a component.
    """

    def __init__(
        self,
        source: Callable[[], bytes],
        command_names: Sequence[str],
        largest_command: Sequence[float],
        *,
        time_s: float,
    ) -> None:
        missing = [name for name in command_names if name not in _AXES]
        if missing:
            raise SurefootError(f"The remote has no stick for {', '.join(missing)}; it has: {', '.join(_AXES)}.")
        super().__init__(largest_command, time_s=time_s)
        self._source, self._axes = source, [_AXES[name] for name in command_names]
        self._data = source()
        self._remote = self._at_sign = remote_of(self._data)

    def _look(self, time_s: float, *, resumed: bool) -> None:  # noqa: ARG002  (a remote is looked at as it is)
        data = self._source()
        if data != self._data:
            self._data = data
            self._take(remote_of(data), time_s)
        self._stop = self._stop or self._remote.stops

    def _take(self, remote: Remote, time_s: float) -> None:
        before, self._remote = self._remote, remote
        if remote.keys != before.keys or _furthest(remote, self._at_sign) > _MOVED:
            self._presence.seen(time_s)
            self._at_sign = remote
        if remote.stops:
            self._requests.clear()
            return
        for name, request in _REQUESTS.items():
            if remote.holds(name) and not before.holds(name):
                self._ask(request)

    def _holds_dead_man(self) -> bool:
        return self._remote.holds(DEAD_MAN)

    def _shares(self) -> List[float]:
        return [sign * getattr(self._remote, axis) for axis, sign in self._axes]


def _furthest(one: Remote, other: Remote) -> float:
    """Return how far the stick that moved most has moved between two looks."""
    return max(abs(a - b) for a, b in zip(one[1:], other[1:]))


def try_remote_stop(robot: Robot, *, source: Optional[TextIO] = None, output: Optional[TextIO] = None) -> bool:
    """Have a person press the stop of the robot's remote once; return whether it came. Nothing is sent to the robot.

    Args:
        robot: The robot, open.
        source: Where Enter is typed to go on without; the standard input by default.
        output: Where the person is asked; the standard output by default.
    """
    source, output = source or sys.stdin, output or sys.stdout
    stops = RemoteStop(remote_source(robot))
    if source is None or not source.isatty():
        return False
    print(
        "Press select on the robot's remote now, to try its stop (not L2+B: its own controller, where that is still "
        "on, obeys it and lets the robot drop), or Enter to go on without relying on the remote: ",
        end="",
        file=output,
        flush=True,
    )
    while True:
        robot.read()
        if stops(0.0):
            break
        if select.select([source], [], [], 0.005)[0]:
            source.readline()
            print("The remote is not relied on.", file=output, flush=True)
            return False
    print("it came. Let go of it.", file=output, flush=True)
    while stops(0.0):
        robot.read()
        time.sleep(0.005)
    return True
