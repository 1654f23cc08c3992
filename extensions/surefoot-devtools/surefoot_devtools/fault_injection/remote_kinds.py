"""Faults of an operator at the robot's own remote: what its 40 bytes say, and what they say when it is out of reach.

The operator of a trial presses keys and moves sticks; a real :class:`~surefoot_bridge.operators.remote.RemoteOperator`
reads them. A kind is declared once: its :class:`~.fault.Fault` and what it makes of the bytes stand together.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from surefoot_bridge.clock import Clock
from surefoot_bridge.operators import Operator, OperatorInput
from surefoot_bridge.operators.remote import RemoteOperator
from surefoot_bridge.operators.stick import PRESENCE_S
from surefoot_bridge.safety import Response
from surefoot_bridge.state import Request
from surefoot_bridge.unitree.remote import REMOTE, REMOTE_BYTES, remote_bytes

from .fault import AT_ONCE_S, LONG_S, Fault, harmless

_COMMANDS = ("lin_vel_x_m_s", "lin_vel_y_m_s", "ang_vel_z_rad_s")
_KEYS = {Request.STAND: "A", Request.WALK: "X", Request.SIT: "Y", Request.PASSIVE: "down"}
_TREMBLE = 0.03  # of a thumb on a stick, from reading to reading
_OPERATOR_LOST_S = 0.5  # operator_age_s


class _Bytes(NamedTuple):
    """What a fault may look at.

    Attributes:
        data: What the remote says.
        first: What it said when the fault began.
        generator: Draws what is random.
    """

    data: bytes
    first: bytes
    generator: np.random.Generator


def _gone(_: _Bytes) -> bytes:
    raise OSError("an injected fault: the reports carry no remote any more")


_KINDS: tuple[tuple[Fault, Callable[[_Bytes], bytes]], ...] = (
    (
        Fault("remote_stops", "L2 and B of the robot's remote are pressed.", "operator", ("operator_stop",),
              Response.DAMP, AT_ONCE_S, LONG_S),
        lambda _: remote_bytes(("L2", "B")),
    ),
    (
        Fault("remote_taps_select", "Select of the robot's remote is seen in one reading only.", "operator",
              ("operator_stop",), Response.DAMP, AT_ONCE_S, 0.002),
        lambda _: remote_bytes((REMOTE.dead_man, "select")),
    ),
    (
        Fault("remote_out_of_reach", "The robot's remote says the same over and over.", "operator", ("operator_lost",),
              Response.STOP, PRESENCE_S + _OPERATOR_LOST_S + AT_ONCE_S, PRESENCE_S + 1.0),
        lambda b: b.first,
    ),
    (
        Fault("remote_gone", "The reports carry no remote any more.", "operator", ("operator_lost",), Response.STOP,
              _OPERATOR_LOST_S + AT_ONCE_S, LONG_S),
        _gone,
    ),
    (
        Fault("remote_babbles", "The robot's remote says random bytes.", "operator", ("operator_stop",), Response.DAMP,
              0.03 + AT_ONCE_S, LONG_S),  # every second reading has select; 15 without any come once in 30,000
        lambda b: b.generator.bytes(REMOTE_BYTES),
    ),
    (
        harmless("remote_let_go", "The dead-man's key of the remote is let go with the sticks at their ends.",
                 "operator"),
        lambda _: remote_bytes(lx=1.0, rx=1.0, ly=1.0),
    ),
    (
        harmless("remote_nan", "The sticks of the remote are not numbers.", "operator"),
        lambda _: remote_bytes((REMOTE.dead_man,), lx=np.nan, rx=np.nan, ly=np.nan),
    ),
)  # fmt: skip

REMOTE_KINDS: dict[str, Fault] = {fault.name: fault for fault, _ in _KINDS}
"""The kinds of this module."""

_SPOILS = {fault.name: spoil for fault, spoil in _KINDS}


class FaultyRemote(Operator):
    """An operator at a remote that fails while a fault is on.

    Args:
        operator: What the operator wants.
        name: Name of the fault.
        on: Tells whether it is on at a time [s].
        seed: Draws what is random.
        clock: The true clock.
    """

    def __init__(self, operator: Operator, name: str, on: Callable[[float], bool], *, seed: int, clock: Clock) -> None:
        self._operator, self._spoil, self._on, self._clock = operator, _SPOILS[name], on, clock
        self._generator = np.random.default_rng(seed)
        self._sign = 1.0
        self._pressed = self._first = remote_bytes()
        self._remote: RemoteOperator | None = None

    def read(self, time_s: float) -> OperatorInput:
        """Return what the bridge makes of the remote."""
        if self._remote is None:
            self._remote = RemoteOperator(
                REMOTE, self._says, _COMMANDS, np.ones(len(_COMMANDS)).tolist(), time_s=time_s
            )
        wish = self._operator.read(time_s)
        self._sign = -self._sign
        forward, left, turn = np.clip(wish.velocity_command, -1.0, 1.0)
        self._pressed = remote_bytes(
            (REMOTE.dead_man, *([_KEYS[wish.request]] if wish.request in _KEYS else [])),
            lx=-left,
            rx=-turn,
            ly=forward + self._sign * _TREMBLE,
        )
        return self._remote.read(time_s)

    def close(self) -> None:
        """Let go of the operator."""
        self._operator.close()

    def _says(self) -> bytes:
        if not self._on(self._clock.now()):
            self._first = self._pressed
            return self._pressed
        return self._spoil(_Bytes(self._pressed, self._first, self._generator))
