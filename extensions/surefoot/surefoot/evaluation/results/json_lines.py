"""JSON that people compare line by line."""

from __future__ import annotations

import json
import math
from typing import Any


def without_infinity(value: Any) -> Any:
    """Return data without bounds that bound nothing: JSON has no word for infinity, and open is what is left out."""
    if isinstance(value, dict):
        return {
            key: without_infinity(item)
            for key, item in value.items()
            if not (isinstance(item, float) and not math.isfinite(item))
        }
    return [without_infinity(item) for item in value] if isinstance(value, list) else value


def json_lines(value: Any, indent: str = "") -> str:
    """Return JSON in which a list of plain values is one line: a column of trials, which people compare by line."""
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        items = [
            f"{deeper}{json.dumps(key, ensure_ascii=False)}: {json_lines(item, deeper)}" for key, item in value.items()
        ]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return "[\n" + ",\n".join(f"{deeper}{json_lines(item, deeper)}" for item in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
