"""The refusals of our packages, collected from their source: what errors say, with `…` for what is filled in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

_SHORTEST = 12
"""Fewest characters of a message that says something by itself; shorter ones are put together elsewhere."""


def refusals(path: Path) -> Iterator[str]:
    """Yield the messages of the errors of ours that a module makes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "unknown_name":
            remedy = _text(node.args[3]) if len(node.args) > 3 else ""
            yield f"Unknown {_text(node.args[0])} …; valid: … {remedy}".rstrip()
        elif name == "refusal":
            yield " ".join(filter(None, [_text(node.args[0]), "…", *map(_text, node.args[2:])]))
        elif name.endswith("Error") and name[0].isupper():
            message = " ".join(_text(node.args[0]).split())
            if len(message.replace("…", "")) >= _SHORTEST:
                yield message


def _text(node: ast.expr) -> str:
    """Return a text of the source, with `…` for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_text, node.values))
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join":
        items = node.args[0].elts if isinstance(node.args[0], ast.List) else []
        return " ".join(map(_text, items)) or "…"
    return "…"
