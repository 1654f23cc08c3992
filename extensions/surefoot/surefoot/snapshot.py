"""Copies of mutable numeric state, and their exact restoration in place.

Isaac Lab's managers have no ``state_dict``. What an exact resume needs of them are plain arrays, counters and ring
buffers, so one pair of functions copies such values (:func:`capture`) and writes them back into the very storage they
came from (:func:`restore`): aliases and views stay what they are. Objects that implement :class:`Stateful` speak for
themselves. A value that is missing, unexpected, or of another shape or type is an error; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
import warp as wp

from surefoot_bridge.errors import SurefootError


class StateMismatchError(SurefootError):
    """The saved state does not fit the object it is loaded into."""


@runtime_checkable
class Stateful(Protocol):
    """An object that knows what it needs to continue exactly where it stopped."""

    def state_dict(self) -> dict[str, Any]:
        """Return copies of the mutable state as tensors, numbers, strings and containers of them."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> Any:
        """Write a state returned by :meth:`state_dict` back."""
        ...


def is_numeric(value: Any) -> bool:
    """Tell whether :func:`capture` can copy ``value``."""
    if isinstance(value, bool | int | float | torch.Tensor | wp.array | np.ndarray):
        return True
    if _ring_buffer(value) or (isinstance(value, Stateful) and not isinstance(value, type)):
        return True
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and is_numeric(item) for key, item in value.items())
    return isinstance(value, list | tuple) and all(is_numeric(item) for item in value)


def numeric_fields(owner: Any) -> list[str]:
    """Return the names of the instance attributes of ``owner`` that :func:`capture` can copy, sorted."""
    return sorted(name for name, value in vars(owner).items() if is_numeric(value))


def capture(value: Any) -> Any:
    """Copy ``value`` to host memory.

    Args:
        value: A tensor, Warp or NumPy array, number, ``None``, Isaac Lab ring buffer, :class:`Stateful`, or a mapping
            or sequence of these.

    Returns:
        Tensors on the CPU, numbers and containers of them, safe for ``torch.load(weights_only=True)``.
    """
    if isinstance(value, torch.Tensor):
        return value.detach().to("cpu", copy=True).contiguous()
    if isinstance(value, wp.array):
        return torch.from_numpy(np.array(value.numpy()))
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy())
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if _ring_buffer(value):
        return capture_fields(value, numeric_fields(value))
    if isinstance(value, Stateful):
        return value.state_dict()
    if isinstance(value, Mapping):
        return {key: capture(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [capture(item) for item in value]
    raise TypeError(f"Cannot copy a {type(value).__name__}.")


def restore(current: Any, saved: Any, path: str) -> Any:
    """Write ``saved`` into ``current`` in place where it is an array, and return the value that holds now.

    Args:
        current: The live value, of the kinds :func:`capture` takes.
        saved: What :func:`capture` returned for it.
        path: Where the value stands, for messages, e.g. ``"reward_manager._episode_sum_buf"``.

    Raises:
        StateMismatchError: If the shapes, types or keys differ.
    """
    if isinstance(current, torch.Tensor):
        _require_same_array(current.shape, current.dtype, saved, path)
        if not torch.equal(current.detach().cpu(), saved):  # an expanded view cannot be written, and need not be
            current.copy_(saved)
        return current
    if isinstance(current, wp.array | np.ndarray):
        live = current.numpy() if isinstance(current, wp.array) else current
        _require_same_array(live.shape, torch.from_numpy(np.array(live)).dtype, saved, path)
        if isinstance(current, np.ndarray):
            current[...] = saved.numpy()
        elif not np.array_equal(live, saved.numpy(), equal_nan=True):
            current.assign(saved.numpy())
        return current
    if _ring_buffer(current):
        restore_fields(current, saved, path)
        return current
    if isinstance(current, Stateful):
        current.load_state_dict(saved)
        return current
    if isinstance(current, Mapping):
        require_same_keys(current, saved, path)
        for key in list(current):
            current[key] = restore(current[key], saved[key], f"{path}.{key}")  # type: ignore[index]
        return current
    if isinstance(current, list | tuple):
        if not isinstance(saved, list) or len(current) != len(saved):
            raise StateMismatchError(
                f"{path}: expected a list of {len(current)} items, the saved state has {saved!r:.80}."
            )
        return type(current)(restore(item, saved[i], f"{path}[{i}]") for i, item in enumerate(current))
    if isinstance(saved, torch.Tensor | dict | list):
        raise StateMismatchError(f"{path}: expected a number, the saved state has a {type(saved).__name__}.")
    return saved


def capture_fields(owner: Any, names: Iterable[str]) -> dict[str, Any]:
    """Copy the named attributes of ``owner``."""
    return {name: capture(getattr(owner, name)) for name in names}


def restore_fields(owner: Any, saved: Mapping[str, Any], path: str) -> None:
    """Write attributes copied by :func:`capture_fields` back.

    Args:
        owner: The object to write to.
        saved: Attribute names and values, exactly the fields that the owner has. An array that the owner has not
            allocated yet, because it does so on first use, is allocated.
        path: Where the owner stands, for messages.

    Raises:
        StateMismatchError: If a field is missing, unknown, or has another shape or type.
    """
    for name, value in saved.items():
        if not hasattr(owner, name):
            raise StateMismatchError(f"{path}: the saved state has {name!r}, which this {type(owner).__name__} lacks.")
        current = getattr(owner, name)
        if current is None and isinstance(value, torch.Tensor):
            setattr(owner, name, value.to(owner.device, copy=True))
            continue
        new = restore(current, value, f"{path}.{name}")
        if new is not current:
            setattr(owner, name, new)


def require_same_keys(current: Iterable[str], saved: Any, path: str) -> None:
    """Refuse a saved mapping whose keys are not exactly the live ones."""
    if not isinstance(saved, Mapping):
        raise StateMismatchError(f"{path}: expected a mapping, the saved state has a {type(saved).__name__}.")
    missing, extra = sorted(set(current) - set(saved)), sorted(set(saved) - set(current))
    if missing or extra:
        raise StateMismatchError(
            f"{path}: the saved state lacks {missing or 'nothing'} and has unknown {extra or 'nothing'}. "
            "It was saved by another version of the task: go back to that version, or begin a new run with --weights."
        )


def _require_same_array(shape: tuple[int, ...], dtype: torch.dtype, saved: Any, path: str) -> None:
    if not isinstance(saved, torch.Tensor) or tuple(saved.shape) != tuple(shape) or saved.dtype != dtype:
        found = f"{saved.dtype} {tuple(saved.shape)}" if isinstance(saved, torch.Tensor) else type(saved).__name__
        raise StateMismatchError(f"{path}: expected {dtype} {tuple(shape)}, the saved state has {found}.")


def _ring_buffer(value: Any) -> bool:
    """Tell whether ``value`` is one of Isaac Lab's ring buffers, without importing Isaac Lab."""
    return type(value).__module__.startswith("isaaclab.utils.buffers") and hasattr(value, "_num_pushes")
