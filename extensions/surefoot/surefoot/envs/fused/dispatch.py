"""Warp functions that call one of many terms, written as source, so that one kernel computes all of them."""

from __future__ import annotations

import linecache
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import warp as wp

from .inputs import (
    ELEMENT,
    ENVIRONMENT,
    NUMBERS,
    ROBOT,
    SELECTED_JOINTS,
    STATE,
    RobotInputs,
    arguments_of,
    parameters_of,
)


@wp.struct
class TermTable:
    """What is known of the terms of a task, a row for each.

    ``kind`` is the place of the term's function among those of the kernel, -1 for a term of torch.
    """

    kind: wp.array(dtype=int)  # pyright: ignore[reportInvalidTypeForm] - types of Warp's
    weight: wp.array(dtype=float)  # pyright: ignore[reportInvalidTypeForm]
    parameters: wp.array2d(dtype=float)  # pyright: ignore[reportInvalidTypeForm]
    selected_joints: wp.array2d(dtype=bool)  # pyright: ignore[reportInvalidTypeForm]


def call_of(function: wp.Function) -> str:
    """Return the call of a term for the robot ``env`` with the parameters of the row ``term``, as source."""
    places = {name: f"table.parameters[term, {place}]" for place, name in enumerate(parameters_of(function))}
    places |= {name: f"inputs.{name}[env]" for name in STATE}
    places |= {name: f"inputs.{name}" for name in (*ROBOT, *ENVIRONMENT, *NUMBERS)}
    places |= {SELECTED_JOINTS: "table.selected_joints[term]", ELEMENT: ELEMENT}
    return f"{function.key}({', '.join(places[name] for name in arguments_of(function))})"


def make_dispatch(
    name: str,
    functions: Sequence[wp.Function],
    *,
    returns: str | None,
    write: Callable[[str], Sequence[str]],
    arguments: Mapping[str, Any] | None = None,
) -> wp.Function:
    """Make a Warp function that calls the term of a kind.

    Its arguments are ``kind``, ``inputs``, ``table``, ``env`` and ``term``, and ``arguments``.

    Args:
        name: The function's name.
        functions: Terms in the order of their kinds.
        returns: What it returns of an unknown kind, as source; None if it returns nothing.
        write: Returns the lines of a branch, given the call of its term.
        arguments: Further arguments by name, with their types.
    """
    extra = dict(arguments or {})
    listed = "".join(f", {argument}: {argument}_type" for argument in extra)
    lines = [f"def {name}(kind: int, inputs: RobotInputs, table: TermTable, env: int, term: int{listed}):"]
    for kind, function in enumerate(functions):
        lines += [f"    if kind == {kind}:", *(f"        {line}" for line in write(call_of(function)))]
    if returns is not None:
        lines.append(f"    return {returns}")
    namespace = {function.key: function for function in functions}
    types = {f"{argument}_type": kind for argument, kind in extra.items()}
    return compile_function(name, "\n".join(lines) + "\n", {**namespace, **types})


def compile_function(name: str, source: str, namespace: Mapping[str, Any]) -> wp.Function:
    """Make a Warp function of source that it finds again: Warp reads the source of what it compiles."""
    file = f"<surefoot {name} {zlib.crc32(source.encode()):08x}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    known = {"wp": wp, "RobotInputs": RobotInputs, "TermTable": TermTable, "__name__": __name__, **namespace}
    exec(compile(source, file, "exec"), known)
    compiled: Any = wp.func(known[name])
    return compiled
