"""Batches of robots: questions to boolean arrays, and shapes that arrays must have."""

from operator import attrgetter
from typing import Tuple

import numpy as np

from surefoot_bridge.errors import SurefootError

_shape = attrgetter("shape")


def some(mask: np.ndarray) -> bool:
    """Return whether any is true, of any shape."""
    # A bool is a byte that is 0 or 1, and Python looks through bytes in a third of the time that a reduction takes; a
    # tick asks a dozen of these.
    return b"\x01" in mask.tobytes() if mask.ndim else bool(mask)


def every(mask: np.ndarray) -> bool:
    """Return whether all are true, of any shape."""
    return b"\x00" not in mask.tobytes() if mask.ndim else bool(mask)


def shapes(*arrays: np.ndarray) -> Tuple[Tuple[int, ...], ...]:
    """Return the shapes of arrays."""
    return tuple(map(_shape, arrays))


def require_shape(name: str, array: np.ndarray, batch_shape: Tuple[int, ...], width: int) -> None:
    """Refuse an array that is not of a state's batch shape and a contract's width.

    Args:
        name: Name of the array, for the message.
        array: The array.
        batch_shape: Batch shape of the state.
        width: Last dimension that the contract demands.

    Raises:
        SurefootError: If it has another shape.
    """
    if array.shape != (*batch_shape, width):
        raise SurefootError(
            f"{name} has shape {array.shape}; the contract and a state of batch shape {batch_shape} demand "
            f"{(*batch_shape, width)}. Give what the contract describes, and begin with `initial` of its batch shape."
        )


def begun(fresh: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return where an episode begins after some are begun, (...,), bool.

    Args:
        fresh: Where one begins already, (...,), bool.
        mask: Where one is begun, of the same shape, bool.

    Raises:
        SurefootError: If the mask is not of this shape or not boolean.
    """
    chosen = np.asarray(mask)
    if chosen.dtype != np.bool_ or chosen.shape != fresh.shape:
        raise SurefootError(
            f"mask is {chosen.dtype} of shape {chosen.shape}; it must be bool of shape {fresh.shape}, the batch shape "
            "of the state: True where an episode begins."
        )
    return np.array(fresh | chosen)
