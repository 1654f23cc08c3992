"""Numbers as a report says them: with unit and interval, and with as many digits as mean something."""

from __future__ import annotations

import math
import re

from markupsafe import Markup, escape

from surefoot.evaluation.measure_catalogue import MEASURES

THIN = "\u202f"
"""Narrow space that does not break, between a number and its unit."""

MINUS = "\u2212"
TIMES = "\u00d7"
DASH = "\u2013"

_UNITS = {"n": f"{THIN}N", "ms": f"{THIN}ms", "deg": "\u00b0", "kg": f"{THIN}kg", "cm": f"{THIN}cm", "m": f"{THIN}m"}
_BOUND = re.compile(r"(\w+) (above|below) (\S+)")
_QUANTITY = re.compile(rf"\b(\d+)({'|'.join(_UNITS)})\b")


def number(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits, without an exponent where it can be read without."""
    if value == 0.0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude >= 7 or magnitude < -4:
        text = f"{value:.{digits - 1}e}"
    else:
        text = f"{value:,.{max(0, digits - 1 - magnitude)}f}".replace(",", THIN)
    return text.replace("-", MINUS)


def given(value: float) -> str:
    """Return a number that somebody chose, as that person would write it."""
    return f"{value:g}".replace("-", MINUS)


def unit_in_brackets(unit: str) -> str:
    """Return a unit as it follows the name of a quantity: `` [m/s]``; nothing for ``-``."""
    return "" if unit == "-" else f" [{spelt(unit)}]"


def spelt(unit: str) -> str:
    """Return a unit with its powers raised: ``rad/s^2`` is rad/s²."""
    return unit.replace("^2", "\u00b2")


def interval(low: float, high: float, digits: int = 3) -> str:
    """Return an interval, with as many decimals at both ends."""
    largest = max(abs(low), abs(high))
    decimals = 0 if largest == 0.0 else max(0, digits - 1 - math.floor(math.log10(largest)))
    if decimals > 6:
        ends = [number(low, digits), number(high, digits)]
    else:
        ends = [f"{end:.{decimals}f}".replace("-", MINUS) for end in (low, high)]
    between = f" to{THIN}" if any(end.startswith(MINUS) for end in ends) else DASH
    return between.join(ends)


def percent(share: float) -> str:
    """Return a share in percent; never 0 or 100 for one that is neither."""
    value = 100.0 * share
    text = f"{value:.0f}"
    if (text == "100" and share < 1.0) or (text == "0" and share > 0.0):
        text = f"{value:.1f}" if 0.05 <= value < 99.95 else ("> 99.9" if value > 50.0 else "< 0.1")
    return f"{text}{THIN}%"


def percent_interval(low: float, high: float) -> str:
    """Return an interval of a share in whole percent."""
    return f"{100 * low:.0f}{DASH}{100 * high:.0f}{THIN}%"


def points(difference: float) -> str:
    """Return a difference of two shares in percentage points, with its sign."""
    value = round(100.0 * difference, 1)
    sign = "+" if value > 0 else MINUS if value < 0 else ""
    return f"{sign}{abs(value):g}"


def title(name: str) -> str:
    """Return the name of a scenario as a title: ``stairs_up`` is Stairs up, ``push_30n`` Push 30 N."""
    words = _QUANTITY.sub(lambda found: f"{found[1]}{_UNITS[found[2]]}", name.replace("_", " "))
    return words[:1].upper() + words[1:]


def with_code(text: str) -> Markup:
    """Return a text of ours as HTML, in which what stands between backticks is code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def why(reason: str) -> str:
    """Return why a trial failed as a person says it: ``distance_m above 0.5`` is distance above 0.5 m."""
    found = _BOUND.fullmatch(reason)
    if found is None or found[1] not in MEASURES:
        return reason
    measure = MEASURES[found[1]]
    unit = "" if measure.unit == "-" else f"{THIN}{spelt(measure.unit)}"
    label = measure.label if measure.label[:2].isupper() else measure.label[:1].lower() + measure.label[1:]
    return f"{label} {found[2]} {found[3].replace('-', MINUS)}{unit}"


def listed(names: list[str] | tuple[str, ...]) -> str:
    """Return names as a sentence has them: a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "none"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: 1 trial, 2 trials."""
    return f"{count:,}".replace(",", THIN) + f" {noun}{'' if count == 1 else 's'}"
