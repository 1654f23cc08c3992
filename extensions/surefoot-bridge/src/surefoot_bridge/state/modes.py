"""Modes of the robot, and what may be asked in each."""

from enum import IntEnum
from typing import Any, Dict, Tuple, Type

import numpy as np

from surefoot_bridge.errors import SurefootError

from .batch import some


class Mode(IntEnum):
    """What drives the robot; arrays hold the codes as int8."""

    PASSIVE = 0
    """Nothing: no gains."""
    STAND = 1
    """A motion to the standing pose, which is held then."""
    WALK = 2
    """The policy."""
    SIT = 3
    """A motion to the sitting pose, which is held then."""
    DAMPED = 4
    """Damping only; nothing but the operator's release leaves it."""
    STOP = 5
    """The policy, which is asked for less and less velocity until the robot has come to rest."""
    CROUCH = 6
    """A motion to a pose between standing and sitting: low and wide, it catches a robot that still moves."""


class Request(IntEnum):
    """What the operator asks for; arrays hold the codes as int8."""

    KEEP = 0
    """Nothing new."""
    PASSIVE = 1
    STAND = 2
    WALK = 3
    SIT = 4
    DAMPED = 5
    RELEASE = 6
    """Leave the damped mode for the passive one, once the damping has lowered the robot."""


_OBEYED: Dict[Mode, Dict[Request, Mode]] = {
    Mode.PASSIVE: {Request.STAND: Mode.STAND, Request.SIT: Mode.SIT, Request.RELEASE: Mode.PASSIVE},
    Mode.STAND: {Request.WALK: Mode.WALK},
    Mode.STOP: {Request.WALK: Mode.WALK},
    Mode.SIT: {Request.STAND: Mode.STAND},
}
"""Besides: a mode may be asked for while it is on, damped from everywhere, and every mode further down."""

_DOWN = (Mode.WALK, Mode.STOP, Mode.CROUCH, Mode.STAND, Mode.SIT, Mode.PASSIVE)
"""The way from walking to rest. Each mode waits for the motion of the one before it."""

REFUSED = -1
"""Stands where a mode would in :func:`obeyed` for a request that is not obeyed."""

_BY_POLICY = np.array([mode in (Mode.WALK, Mode.STOP) for mode in Mode])


def by_policy(mode: np.ndarray) -> np.ndarray:
    """Return where the policy drives the robot, (...,), bool."""
    return _BY_POLICY.take(mode)


def obeyed() -> Tuple[np.ndarray, np.ndarray]:
    """Return where each request leads from each mode: at once, and in the end, (num_modes, num_requests), int8 each.

    Both are -1 for a request that is not obeyed. They differ where there is a motion to wait for.
    """
    first = np.full((len(Mode), len(Request)), REFUSED, dtype=np.int8)
    last = first.copy()
    for mode in Mode:
        leads = {Request.KEEP: mode, Request.DAMPED: Mode.DAMPED, **_OBEYED.get(mode, {})}
        if mode.name in Request.__members__:
            leads[Request[mode.name]] = mode
        for request, to in leads.items():
            first[mode, request] = last[mode, request] = to
        if mode is Mode.DAMPED:  # waits until the damping has lowered the robot: limp, it would be dropped
            first[mode, Request.RELEASE], last[mode, Request.RELEASE] = mode, Mode.PASSIVE
        for to in _DOWN[_DOWN.index(mode) + 1 :] if mode in _DOWN else ():
            if to.name in Request.__members__:
                first[mode, Request[to.name]] = Mode.STOP if mode is Mode.WALK else mode
                last[mode, Request[to.name]] = to
    return first, last


def descents() -> np.ndarray:
    """Return the mode that follows each one on the way to rest, (num_modes,), int8; itself for those not on it."""
    table = np.arange(len(Mode), dtype=np.int8)
    table[list(_DOWN[:-1])] = _DOWN[1:]
    table[Mode.DAMPED] = Mode.PASSIVE
    return table


def codes(name: str, value: Any, kind: Type[IntEnum], batch_shape: Tuple[int, ...]) -> np.ndarray:
    """Return codes as an array.

    Args:
        name: What they are, for the message.
        value: The codes, of the batch shape.
        kind: What they are codes of.
        batch_shape: Batch shape of the state.

    Raises:
        SurefootError: If they are of another shape, or one is unknown.
    """
    array = np.asarray(value)[()]  # a scalar for a single robot is compared ten times as fast as an array
    if array.shape != batch_shape or array.dtype.kind not in "iu":
        raise SurefootError(
            f"{name} is {array.dtype} of shape {array.shape}; it must be whole numbers of {batch_shape}."
        )
    if some(array != 0) and some((array < 0) | (array >= len(kind))):  # most are 0, which is valid
        valid = ", ".join(f"{item.value} ({item.name.lower()})" for item in kind)
        raise SurefootError(f"{name} holds {array.tolist()}; valid: {valid}.")
    return array
