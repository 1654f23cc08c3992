"""Text and tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    lines = [[plain(cell) for cell in head], ["---"] * len(head), *([plain(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def plain(text: str) -> str:
    """Return text that Markdown shows as it is: no cell ends early, no name of a measure turns italic."""
    for mark in ("\\", "|", "_", "*", "<", "`"):
        text = text.replace(mark, f"\\{mark}")
    return text.replace("\n", " ")
