"""How each engine looks in every figure of a report: its name, its colour and its dashes."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class EngineStyle:
    """How an engine is shown.

    Attributes:
        label: Its name for people.
        colour: Its colour; of Okabe and Ito's palette, whose colours differ for the colour-blind, too.
        dashes: ``stroke-dasharray`` of its lines, so that they differ without colour; empty for a whole line.
    """

    label: str
    colour: str
    dashes: str


_STYLES = {
    "mujoco": EngineStyle("MuJoCo", "#0072b2", ""),
    "ovphysx": EngineStyle("PhysX", "#d55e00", "5 2"),
    "newton_mjwarp": EngineStyle("Newton", "#009e73", "1.5 1.5"),
}

_NAME = re.compile(rf"\b({'|'.join(_STYLES)})\b")


def style_of(engine: str) -> EngineStyle:
    """Return how an engine is shown; one that is not known is grey, with its own name."""
    return _STYLES.get(engine, EngineStyle(engine, "#555555", "3 3"))


def with_labels(text: str) -> str:
    """Return a text in which engines have their names for people."""
    return _NAME.sub(lambda found: style_of(found[0]).label, text)
