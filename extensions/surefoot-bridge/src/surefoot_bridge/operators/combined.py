"""One operator made of several: one leads, anyone stops, and all must be there."""

from typing import Callable, Sequence

from surefoot_bridge.state import Request

from .operator import Operator, OperatorInput


class CombinedOperator(Operator):
    """Takes velocity and requests from a leader; every other one watches.

    Any stop wins: that of the leader, of a watcher, or of a further source. A watcher's requests come before the
    leader's, but for walking, which is the leader's alone, as are velocity commands. Each may release the robot, but
    nobody while any stop goes on. The heartbeat is the oldest of all.

    Args:
        leader: Who commands.
        watchers: Persons who must be there as well, for a script that leads.
        stops: Further reasons to stop, each of which says at a time [s] whether the robot must be damped.
    """

    def __init__(
        self,
        leader: Operator,
        *,
        watchers: Sequence[Operator] = (),
        stops: Sequence[Callable[[float], bool]] = (),
    ) -> None:
        self._leader, self._watchers, self._stops = leader, tuple(watchers), tuple(stops)

    def read(self, time_s: float) -> OperatorInput:
        """Return what all want together at a time."""
        lead = self._leader.read(time_s)
        watch = [watcher.read(time_s) for watcher in self._watchers]
        stop = lead.stop or any(item.stop for item in watch)
        stop = stop or any(source(time_s) for source in self._stops)
        release = not stop and (lead.release or any(item.release for item in watch))
        request = next((item.request for item in watch if item.request in _OF_WATCHERS), lead.request)
        if request is Request.RELEASE and not release:
            request = Request.KEEP
        return OperatorInput(
            velocity_command=lead.velocity_command,
            request=request,
            stop=stop,
            release=release,
            heartbeat_s=min([lead.heartbeat_s, *(item.heartbeat_s for item in watch)]),
        )

    def close(self) -> None:
        """Let go of all."""
        for operator in (self._leader, *self._watchers):
            operator.close()


_OF_WATCHERS = (Request.DAMPED, Request.SIT, Request.STAND, Request.PASSIVE, Request.RELEASE)
