"""Other values of attributes for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def replaced(*replacements: tuple[Any, str, Any]) -> Iterator[None]:
    """Replace attributes, each given by owner, name and new value, for the length of a block."""
    missing = object()
    before = [(owner, name, vars(owner).get(name, missing)) for owner, name, _ in replacements]
    for owner, name, value in replacements:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in before:
            if value is missing:  # it was inherited
                delattr(owner, name)
            else:
                setattr(owner, name, value)
