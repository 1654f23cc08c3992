"""Edits of what the JSON of a contract holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def setter(part: str, name: str, value: Any) -> Callable[[Any], None]:
    """Return what sets a field of a part, in place."""
    return lambda data: data[part].__setitem__(name, value)


def swapped(one: int, other: int) -> Callable[[list[Any]], list[Any]]:
    """Return what gives a list with two items in each other's place."""

    def change(items: list[Any]) -> list[Any]:
        places = list(range(len(items)))
        places[one], places[other] = other, one
        return [items[place] for place in places]

    return change


def rotated(by: int) -> Callable[[list[Any]], list[Any]]:
    """Return what gives a list with its first items at its end."""
    return lambda items: items[by:] + items[:by]
