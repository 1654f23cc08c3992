"""Small figures as inline SVG: axes with round ticks, lines and marks. Colours of text and grid come from the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup, escape

MOST_POINTS = 200
"""Of a line: two for each of 100 columns, which a panel of 340 units does not show much more of."""

_LETTER = 5.8
"""Width of a letter in a figure, about."""


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return at most so many round numbers from ``low`` to ``high``: multiples of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [index * step for index in range(first, last + 1)]


def span(*values: np.ndarray, least: float, room: float = 0.06) -> tuple[float, float]:
    """Return a range that holds all finite values, with some room, and is at least so wide."""
    whole = np.concatenate([np.ravel(item) for item in values])
    whole = whole[np.isfinite(whole)]
    low, high = (float(whole.min()), float(whole.max())) if whole.size else (0.0, 0.0)
    short = max(0.0, least - (high - low)) / 2
    low, high = low - short, high + short
    return low - room * (high - low), high + room * (high - low)


def thinned(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return fewer points that look the same: of each stretch its lowest and its highest, so that peaks stay."""
    if len(x) <= MOST_POINTS:
        return x, y
    starts = np.linspace(0, len(x), MOST_POINTS // 2, endpoint=False).astype(int)
    stops = np.append(starts[1:], len(x))
    kept = []
    for start, stop in zip(starts, stops, strict=True):
        part = y[start:stop]
        kept += sorted({start + int(np.argmin(part)), start + int(np.argmax(part))})
    return x[kept], y[kept]


def steps(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of a line that changes at once: a value holds until the next one."""
    changed = np.flatnonzero(np.diff(y) != 0.0) + 1
    at = np.concatenate([[0], np.repeat(changed, 2), [len(x) - 1]])
    value = np.concatenate([[y[0]], np.stack([y[changed - 1], y[changed]], axis=-1).ravel(), [y[-1]]])
    return x[at], value


@dataclass(frozen=True, kw_only=True)
class Axes:
    """A panel with a horizontal and a vertical axis.

    Attributes:
        x: Range of the horizontal axis.
        y: Range of the vertical axis.
        width: Width of the whole panel, in units of the picture.
        height: Its height.
        left: Room for the labels of the vertical axis.
        bottom: Room for the labels of the horizontal axis.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    width: float = 340.0
    height: float = 132.0
    left: float = 34.0
    bottom: float = 18.0
    right: float = 6.0
    top: float = 6.0

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point is in the picture."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return (
            self.left + across * (self.width - self.left - self.right),
            self.height - self.bottom - up * (self.height - self.bottom - self.top),
        )

    def grid(self, *, x_unit: str, y_ticks: bool = True, most_x: int = 6, most_y: int = 4) -> str:
        """Draw the grid with its numbers; the last one of the horizontal axis has the unit."""
        left, right, floor = self.left, self.width - self.right, self.height - self.bottom
        parts = []
        if y_ticks:
            for value in ticks(*self.y, most_y):
                y = self.at(self.x[0], value)[1]
                zero = ' class="z"' if value == 0 else ""
                parts.append(f'<path{zero} d="M{_n(left)} {_n(y)}H{_n(right)}"/>')
                parts.append(text(left - 5, y + 3.5, _plain(value), anchor="end"))
        along = ticks(*self.x, most_x)
        for index, value in enumerate(along):
            x = self.at(value, self.y[0])[0]
            shown = _plain(value) + (f" {x_unit}" if index == len(along) - 1 else "")
            parts.append(f'<path d="M{_n(x)} {_n(floor)}v3"/>')
            spills = x + _LETTER * len(shown) / 2 > self.width
            parts.append(
                text(self.width if spills else x, self.height - 4, shown, anchor="end" if spills else "middle")
            )
        return f'<g class="g">{"".join(parts)}<path d="M{_n(left)} {_n(floor)}H{_n(right)}"/></g>'

    def line(self, x: np.ndarray, y: np.ndarray, *, colour: str, width: float = 1.3, dashes: str = "") -> str:
        """Draw a line; it has gaps where a value is not finite."""
        style = f'fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linejoin="round"'
        if dashes:
            style += f' stroke-dasharray="{dashes}"'
        return f'<path d="{self.path(x, y)}" {style}/>'

    def path(self, x: np.ndarray, y: np.ndarray) -> str:
        """Return the path of a line."""
        parts: list[str] = []
        pen: tuple[int, int] | None = None  # in tenths, rounded: steps from rounded places add up to no error
        for one_x, one_y in zip(x.tolist(), y.tolist(), strict=True):
            if not (math.isfinite(one_x) and math.isfinite(one_y)):
                pen = None
                continue
            px, py = (round(10 * value) for value in self.at(one_x, one_y))
            if pen is None:
                parts.append(f"M{_n(px / 10)} {_n(py / 10)}l0 0")
            else:
                across, down = _n((px - pen[0]) / 10), _n((py - pen[1]) / 10)
                parts.append(
                    f"{'' if across.startswith('-') else ' '}{across}{'' if down.startswith('-') else ' '}{down}"
                )
            pen = px, py
        return "".join(parts)

    def band(self, start: float, stop: float, *, kind: str) -> str:
        """Shade a stretch of the horizontal axis over the whole height."""
        left, right = self.at(max(start, self.x[0]), 0.0)[0], self.at(min(stop, self.x[1]), 0.0)[0]
        high = self.height - self.bottom - self.top
        size = f'width="{_n(max(right - left, 1.0))}" height="{_n(high)}"'
        return f'<rect class="{kind}" x="{_n(left)}" y="{_n(self.top)}" {size}/>'

    def cross(self, x: float, y: float, *, colour: str, size: float = 3.2) -> str:
        """Draw a cross: where something ended."""
        px, py = self.at(x, y)
        across = _n(2 * size)
        path = f"M{_n(px - size)} {_n(py - size)}l{across} {across}m0-{across}l-{across} {across}"
        return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>'

    def figure(self, parts: Sequence[str], *, label: str) -> Markup:
        """Return the picture of its parts; ``label`` is what it is called for those who do not see it."""
        return picture(self.width, self.height, parts, label=label)


def picture(width: float, height: float, parts: Sequence[str], *, label: str) -> Markup:
    """Return an inline picture."""
    return Markup(
        f'<svg viewBox="0 0 {_n(width)} {_n(height)}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def text(x: float, y: float, content: str, *, anchor: str = "start") -> str:
    """Return a text at a place."""
    return f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{escape(content)}</text>'


def _n(value: float) -> str:
    """Return a coordinate to a tenth of a unit, as short as it can be written."""
    return f"{value:.1f}".removesuffix(".0")


def _plain(value: float) -> str:
    return f"{value:.6g}".replace("-", "\u2212") if abs(value) > 1e-12 else "0"
