"""Every field of a contract dropped, mistyped and changed, every list permuted and of another length."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, Union, get_args, get_origin, get_type_hints

from surefoot_bridge.contract import Contract

from .contract_mutant import WITHOUT_NEW_TRACE, ContractMutant, Kind, contract_mutant

_ALL_ITEMS = "observation.terms"
"""The list of which every item is changed by itself; of the others the first stands for all."""


def field_mutants(data: Any) -> Iterator[ContractMutant]:
    """Yield mutants of a contract, field by field."""
    yield from _of_object(Contract, data, ())


def _of_object(kind: Any, value: dict[str, Any], keys: tuple[str | int, ...]) -> Iterator[ContractMutant]:
    """Yield mutants of an object with a dataclass's fields."""
    hints = get_type_hints(kind)
    yield _mutant("field added", keys, "has a field that nobody knows", lambda part: part.update(unknown_field=1.0))
    for item in dataclasses.fields(kind):
        name = item.name
        inside = (*keys, name)
        yield _mutant("field dropped", inside, "is left out", lambda part, name=name: part.pop(name), up=1)
        yield _mutant(
            "field dropped",
            inside,
            "is misspelt",
            lambda part, name=name: part.update({name + "s": part.pop(name)}),
            up=1,
        )
        wrong = _of_another_type(value[name])
        yield _set("field mistyped", inside, f"is {wrong!r}", wrong)
        yield from _of_value(hints[name], value[name], inside)


def _of_value(kind: Any, value: Any, keys: tuple[str | int, ...]) -> Iterator[ContractMutant]:
    """Yield mutants of a value of a type."""
    origin = get_origin(kind)
    if origin is Union:  # Optional is the only one
        (inner,) = (item for item in get_args(kind) if item is not type(None))
        if value is None:
            yield _set("field changed", keys, "is not null any more", _example(inner))
        else:
            yield _set("field changed", keys, "is null", None)
            yield from _of_value(inner, value, keys)
    elif dataclasses.is_dataclass(kind):
        yield from _of_object(kind, value, keys)
    elif origin is tuple:
        yield from _of_list(get_args(kind)[0], value, keys)
    elif origin is dict:
        yield from _of_mapping(get_args(kind)[1], value, keys)
    elif kind is not float:
        changed = not value if kind is bool else value + 1 if kind is int else f"{value}_"
        yield _set("field changed", keys, f"is {changed!r}", changed)
    else:
        yield _set("field changed", keys, "is a tenth more", 1.1 * value + 0.01)


def _of_list(kind: Any, value: list[Any], keys: tuple[str | int, ...]) -> Iterator[ContractMutant]:
    """Yield mutants of a list."""
    if not value:
        return
    yield _mutant("list of another length", keys, "lacks its last item", lambda part: part.pop())
    yield _mutant("list of another length", keys, "has its last item twice", lambda part: part.append(part[-1]))
    yield _mutant("list of another length", keys, "is empty", lambda part: part.clear())
    other = next((i for i, item in enumerate(value) if item != value[0]), None)
    if other is not None:

        def swap(part: list[Any]) -> None:
            part[0], part[other] = part[other], part[0]

        yield _mutant("list permuted", keys, f"has its items 0 and {other} in each other's place", swap)
        yield _mutant("list permuted", keys, "is turned round", lambda part: part.reverse())
    chosen = range(len(value)) if _path(keys) == _ALL_ITEMS else sorted({0, len(value) - 1})
    for i in chosen:
        if i == 0 or not dataclasses.is_dataclass(kind) or _path(keys) == _ALL_ITEMS:
            yield from _of_value(kind, value[i], (*keys, i))


def _of_mapping(kind: Any, value: dict[str, Any], keys: tuple[str | int, ...]) -> Iterator[ContractMutant]:
    """Yield mutants of an object with free names."""
    if not value:
        return
    first = next(iter(value))
    yield _mutant("field dropped", keys, f"lacks {first}", lambda part: part.pop(first))
    yield _mutant("field added", keys, "has one more", lambda part: part.update(one_more=part[first]))
    yield from _of_value(kind, value[first], (*keys, first))


def _example(kind: Any) -> Any:
    """Return a value of a type that the contract's rules between fields may or may not like."""
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        return {item.name: _example(hints[item.name]) for item in dataclasses.fields(kind)}
    if kind in (int, float):
        return kind(1)
    if get_origin(kind) is tuple:
        return [_example(get_args(kind)[0])]
    if get_origin(kind) is dict:
        return {"x": _example(get_args(kind)[1])}
    return get_args(kind)[0] if get_args(kind) else "x"


def _of_another_type(value: Any) -> Any:
    """Return a value of a type that the field cannot have: null may be one, so it is not taken."""
    if isinstance(value, str) or value is None:
        return [1]
    return {"a": 1} if isinstance(value, list) else "1"


def _set(kind: Kind, keys: tuple[str | int, ...], title: str, value: Any) -> ContractMutant:
    return _mutant(kind, keys, title, lambda part: part.__setitem__(keys[-1], value), up=1)


def _mutant(
    kind: Kind, keys: tuple[str | int, ...], title: str, edit: Callable[[Any], object], *, up: int = 0
) -> ContractMutant:
    """Return a mutant; ``edit`` gets what is at the keys, or ``up`` levels above it."""

    def whole(data: Any) -> None:
        for key in keys[: len(keys) - up]:
            data = data[key]
        edit(data)

    shown = ".".join(str(key) for key in keys) or "the contract"
    mutant = contract_mutant(kind, f"{shown} {title}", whole, path=_path(keys))
    return dataclasses.replace(mutant, tiers=WITHOUT_NEW_TRACE)


def _path(keys: tuple[str | int, ...]) -> str:
    """Return the path of a field without the numbers of items."""
    return ".".join(str(key) for key in keys if not isinstance(key, int))
