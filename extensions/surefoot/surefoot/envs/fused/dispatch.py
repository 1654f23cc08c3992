"""Warp functions that call one of many terms, written as source, so that one kernel computes all of them."""

from __future__ import annotations

import linecache
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import warp as wp

from .inputs import NUMBERS, ROBOT, SELECTED_JOINTS, STATE, RobotInputs, arguments_of, parameters_of


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
    places |= {name: f"inputs.{name}" for name in (*ROBOT, *NUMBERS)}
    places[SELECTED_JOINTS] = "table.selected_joints[term]"
    return f"{function.key}({', '.join(places[name] for name in arguments_of(function))})"


def make_dispatch(name: str, functions: Sequence[wp.Function], *, otherwise: str) -> wp.Function:
    """Make a Warp function of ``(kind, inputs, table, env, term)`` that returns what the term of a kind returns.

    Args:
        name: The function's name.
        functions: Terms in the order of their kinds.
        otherwise: What it returns of an unknown kind, as source.
    """
    lines = [f"def {name}(kind: int, inputs: RobotInputs, table: TermTable, env: int, term: int):"]
    for kind, function in enumerate(functions):
        lines += [f"    if kind == {kind}:", f"        return {call_of(function)}"]
    lines.append(f"    return {otherwise}")
    return compile_function(name, "\n".join(lines) + "\n", {function.key: function for function in functions})


def compile_function(name: str, source: str, namespace: Mapping[str, Any]) -> wp.Function:
    """Make a Warp function of source that it finds again: Warp reads the source of what it compiles."""
    file = f"<surefoot {name} {zlib.crc32(source.encode()):08x}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    known = {"wp": wp, "RobotInputs": RobotInputs, "TermTable": TermTable, "__name__": __name__, **namespace}
    exec(compile(source, file, "exec"), known)
    compiled: Any = wp.func(known[name])
    return compiled
