"""An operator at the robot's own remote, which comes with the robot's reports; and its stop, whoever else commands.

What is made of silence stands in :mod:`surefoot_bridge.operators.presence`: what a robot reports of a remote that is
out of reach is not documented, and may be the last that it heard.
"""

import select
import sys
import time
from typing import Callable, List, Optional, Sequence, TextIO, Tuple

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import NetworkRobot, Robot
from surefoot_bridge.robots.remote_control import RemoteControl, RemoteState
from surefoot_bridge.robots.transports import names
from surefoot_bridge.state import Request

from .stick import MOTION_S, PRESENCE_S, StickOperator

_MOVED = 0.02  # of a stick that counts as a person's doing: ten times what a stick at rest trembles. Assumption.


def help_of(control: RemoteControl) -> str:
    """Return what a person must know to command a robot by its remote."""
    key, dead_man = control.key_of, control.dead_man
    return (
        f"Remote of the robot: {control.stop}  STOP: damp at once, until {key(Request.RELEASE)}\n"
        f"          {dead_man} hold it to move; with it {key(Request.STAND)} stand, {key(Request.WALK)} walk; "
        f"without it {key(Request.SIT)} sit, {key(Request.PASSIVE)} passive\n"
        f"          {control.sticks}\n"
        f"Without {dead_man} the velocity is zero. Without any change for {MOTION_S:g} s too; for {PRESENCE_S:g} s: it "
        "stops and stands.\n"
        "Ctrl-C in the terminal: end in order, as the checklist says; again: damp at once."
    )


def remote_of_robot(robot: Optional[Robot]) -> Tuple[RemoteControl, Callable[[], bytes]]:
    """Return the remote of a robot, and what gives the bytes that its reports carry of it.

    Raises:
        SurefootError: If they carry none.
    """
    control = robot.remote_control if isinstance(robot, NetworkRobot) else None
    if control is None:
        here = "This robot" if robot is None else robot.name
        raise SurefootError(
            f"{here} here has no remote. --operator remote is for robots on the network: {', '.join(names())}."
        )
    return control, lambda: robot.remote  # type: ignore[union-attr]  # looked at above


class RemoteStop:
    """Stops a robot for as long as the stop of its remote is pressed."""

    def __init__(self, control: RemoteControl, source: Callable[[], bytes]) -> None:
        self._control, self._source = control, source

    def __call__(self, time_s: float) -> bool:  # noqa: ARG002  (what each source of stops is given)
        """Return whether it is pressed."""
        return self._control.read(self._source()).stops


class RemoteOperator(StickOperator):
    """Reads the robot's remote.

    What is held down when it is opened was not meant for the bridge, but for the stop and the dead-man's key.

    Args:
        control: The remote.
        source: Gives what it says.
        command_names: Components of the velocity command, in the contract's order.
        largest_command: What a stick at its end asks for, that of the stage.
        time_s: The control loop's clock now [s].

    Raises:
        SurefootError: If the remote has no stick for a component.
    """

    def __init__(
        self,
        control: RemoteControl,
        source: Callable[[], bytes],
        command_names: Sequence[str],
        largest_command: Sequence[float],
        *,
        time_s: float,
    ) -> None:
        missing = [name for name in command_names if name not in control.axes]
        if missing:
            raise SurefootError(f"The remote has no stick for {', '.join(missing)}; it has: {', '.join(control.axes)}.")
        super().__init__(largest_command, time_s=time_s)
        self._control, self._source = control, source
        self._axes = [control.axes[name] for name in command_names]
        self._data = source()
        self._remote = self._at_sign = control.read(self._data)

    def _look(self, time_s: float, *, resumed: bool) -> None:  # noqa: ARG002  (a remote is looked at as it is)
        data = self._source()
        if data != self._data:
            self._data = data
            self._take(self._control.read(data), time_s)
        self._stop = self._stop or self._remote.stops

    def _take(self, remote: RemoteState, time_s: float) -> None:
        before, self._remote = self._remote, remote
        if remote.keys != before.keys or _furthest(remote, self._at_sign) > _MOVED:
            self._presence.seen(time_s)
            self._at_sign = remote
        if remote.stops:
            self._requests.clear()
            return
        for name, request in self._control.requests.items():
            if remote.holds(name) and not before.holds(name):
                self._ask(request)

    def _holds_dead_man(self) -> bool:
        return self._remote.holds(self._control.dead_man)

    def _shares(self) -> List[float]:
        return [sign * self._remote.sticks[place] for place, sign in self._axes]


def _furthest(one: RemoteState, other: RemoteState) -> float:
    """Return how far the stick that moved most has moved between two looks."""
    return max(abs(a - b) for a, b in zip(one.sticks, other.sticks))


def try_remote_stop(robot: Robot, *, source: Optional[TextIO] = None, output: Optional[TextIO] = None) -> bool:
    """Have a person press the stop of the robot's remote once; return whether it came. Nothing is sent to the robot.

    Args:
        robot: The robot, open.
        source: Where Enter is typed to go on without; the standard input by default.
        output: Where the person is asked; the standard output by default.
    """
    source, output = source or sys.stdin, output or sys.stdout
    control, bytes_of_remote = remote_of_robot(robot)
    stops = RemoteStop(control, bytes_of_remote)
    if source is None or not source.isatty():
        return False
    print(
        f"Press {control.try_stop}, or Enter to go on without relying on the remote: ",
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
