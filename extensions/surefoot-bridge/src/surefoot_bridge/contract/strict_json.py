"""Frozen dataclasses to JSON and back, where whatever is missing, unknown or of another type is an error.

Field types may be ``bool``, ``int``, ``float``, ``str``, ``Literal`` of strings, ``Optional``, ``Tuple[X, ...]``,
``Dict[str, X]`` and dataclasses of these. No field is ever filled in: defaults of a dataclass are not used.
"""

import dataclasses
import difflib
import functools
import json
import re
from collections import Counter
from typing import Any, Dict, List, Tuple, Type, TypeVar, Union, get_args, get_origin, get_type_hints

from surefoot_bridge.errors import MOST_NAMED, SurefootError, first_few, refusal

T = TypeVar("T")

LARGEST_WHOLE = 2**53
"""Largest whole number that is read, as far as a JSON reader of any kind holds each exactly (RFC 8259, section 6)."""

LARGEST_NUMBER = 1e15
"""Largest number that is read; nothing of a robot has more in SI units, and no rule on it can overflow."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_DEEPEST = 32  # objects and lists in each other; a contract has 5
_LONGEST_SHOWN = 60  # characters of what came from outside, in a message


def to_json(value: Any) -> str:
    """Write a dataclass as JSON, fields in their order of declaration, numbers with every digit that they have.

    Raises:
        SurefootError: If a number is not finite.
    """
    try:
        return json.dumps(dataclasses.asdict(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    except ValueError as error:
        raise SurefootError(
            f"A {type(value).__name__} holds a number that is not finite, which JSON has no word for: {error}"
        ) from error


def parse_json(text: str, *, what: str) -> Any:
    """Return what ``json.loads`` does, but only what can be worked with.

    Refused are keys that stand twice, numbers that are not finite or larger than :data:`LARGEST_WHOLE` and
    :data:`LARGEST_NUMBER`, halves of characters (lone surrogates), which nothing can write down, and objects and lists
    that lie deeper in each other than any of ours.

    Args:
        text: The JSON.
        what: What is being read, for messages ("The contract /path").

    Raises:
        SurefootError: If it cannot be read.
    """
    try:
        data = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant)
        _refuse_unsound(data, "", 0)
    except (ValueError, RecursionError) as error:
        at = (
            f"line {error.lineno}, column {error.colno}"
            if isinstance(error, json.JSONDecodeError)
            else str(error)[:1000]
        )
        raise SurefootError(f"{what} is no JSON that can be read: {at}.") from error
    return data


def from_data(kind: Type[T], data: Any, *, what: str) -> T:
    """Read a dataclass from what :func:`parse_json` returns.

    Args:
        kind: The dataclass.
        data: Its data.
        what: What is being read, for messages.

    Raises:
        SurefootError: If a field is missing, unknown or mistyped; all mistakes are named at once, each with what is
            right.
    """
    mistakes: List[str] = []
    value = _read(kind, data, "", mistakes)
    if mistakes:
        raise refusal(f"{what} is refused:", mistakes)
    return value


def _without_repeats(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        repeated = sorted(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        shown = ", ".join(first_few([ascii(key[:_LONGEST_SHOWN]) for key in repeated]))
        raise ValueError(f"the key {shown} stands more than once in one object")
    return data


def _refuse_unsound(data: Any, path: str, depth: int) -> None:
    """Raise a ValueError for what is read as JSON and is nothing that can be worked with."""
    where = path or "it"
    if depth > _DEEPEST:
        raise ValueError(f"objects and lists lie more than {_DEEPEST} deep in each other")
    if isinstance(data, dict):
        for key, item in data.items():
            _refuse_unsound(key, f"a key of {where}", depth)
            _refuse_unsound(item, _under(path, key), depth + 1)
    elif isinstance(data, list):
        for i, item in enumerate(data):
            _refuse_unsound(item, f"{path}[{i}]", depth + 1)
    elif isinstance(data, str):
        if _SURROGATE.search(data):
            raise ValueError(f"{where} is {data[:_LONGEST_SHOWN]!a}, with half a character (a lone surrogate)")
    elif isinstance(data, int) and abs(data) > LARGEST_WHOLE:
        raise ValueError(f"{where} is a whole number of {data.bit_length()} bits; the largest is 2^53")
    elif isinstance(data, float) and not abs(data) <= LARGEST_NUMBER:
        raise ValueError(f"{where} is {data!r}; the largest is {LARGEST_NUMBER:g}")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


_SCALARS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def _read(kind: Any, data: Any, path: str, mistakes: List[str]) -> Any:
    """Return ``data`` as ``kind``; adds to ``mistakes`` what does not fit, and returns anything then."""
    origin = get_origin(kind)
    if dataclasses.is_dataclass(kind):
        return _read_dataclass(kind, data, path, mistakes)
    if origin is Union:  # Optional is the only one
        (inner,) = (item for item in get_args(kind) if item is not type(None))
        return None if data is None else _read(inner, data, path, mistakes)
    if origin is tuple:
        if not isinstance(data, (list, tuple)):
            return _mistyped("a list", data, path, mistakes)
        return tuple(_read(get_args(kind)[0], item, f"{path}[{i}]", mistakes) for i, item in enumerate(data))
    if origin is dict:
        if not isinstance(data, dict):
            return _mistyped("an object", data, path, mistakes)
        return {key: _read(get_args(kind)[1], item, _under(path, key), mistakes) for key, item in data.items()}
    if kind in _SCALARS:
        return _read_scalar(kind, data, path, mistakes)
    valid = get_args(kind)  # Literal
    if data not in valid:
        mistakes.append(f"{path} is {_shown(data)}; valid: {', '.join(valid)}.")
    return data


@functools.lru_cache(maxsize=None)
def _hints(kind: type) -> Dict[str, Any]:
    """Return the types of a dataclass's fields; looking them up takes longer than reading the rest of a contract."""
    return get_type_hints(kind)


def _read_dataclass(kind: Any, data: Any, path: str, mistakes: List[str]) -> Any:
    if not isinstance(data, dict):
        return _mistyped("an object", data, path, mistakes)
    hints = _hints(kind)
    names = [item.name for item in dataclasses.fields(kind)]
    unknown = [key[:_LONGEST_SHOWN] for key in data if key not in names]
    for key in unknown[:MOST_NAMED]:
        near = difflib.get_close_matches(key, names, n=1)
        meant = f" (did you mean {near[0]}?)" if near else ""
        mistakes.append(f"{_under(path, key)} is unknown{meant}; valid: {', '.join(names)}.")
    if len(unknown) > MOST_NAMED:
        mistakes.append(f"{path or 'it'} has {len(unknown) - MOST_NAMED} more unknown fields.")
    before = len(mistakes)
    values = {}
    for name in names:
        if name in data:
            values[name] = _read(hints[name], data[name], _under(path, name), mistakes)
        else:
            mistakes.append(f"{_under(path, name)} is missing; it has no default.")
    if len(mistakes) > before:
        return None
    try:
        return kind(**values)
    except SurefootError as error:  # a rule between fields
        mistakes.append(f"{path}: {error}" if path else str(error))
        return None


def _read_scalar(kind: type, data: Any, path: str, mistakes: List[str]) -> Any:
    if kind is float and isinstance(data, (int, float)) and not isinstance(data, bool):
        return float(data)
    if type(data) is not kind:
        return _mistyped(_SCALARS[kind], data, path, mistakes)
    return data


def _mistyped(expected: str, data: Any, path: str, mistakes: List[str]) -> None:
    mistakes.append(f"{path or 'it'} is {_shown(data)}; it must be {expected}.")


def _shown(data: Any) -> str:
    shown = repr(data)
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}..."


def _under(path: str, name: str) -> str:
    return f"{path}.{name[:_LONGEST_SHOWN]}" if path else name[:_LONGEST_SHOWN]
