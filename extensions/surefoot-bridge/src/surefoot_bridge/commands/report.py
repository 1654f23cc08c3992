"""What the commands write with ``--json``: one object with ``ok``, ``figures``, ``rows`` and ``provenance``."""

import json
import math
import platform
import shlex
import sys
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Sequence

import numpy as np

from surefoot_bridge.files import write_whole


def write_report(
    path: Path,
    *,
    ok: bool,
    figures: Mapping[str, Any],
    rows: Sequence[Any],
    of: Optional[Mapping[str, Any]] = None,
    more: Optional[Mapping[str, Any]] = None,
) -> None:
    """Write a command's result, whole or not at all.

    Args:
        path: The file.
        ok: Whether what was judged held.
        figures: Figures by name; what is not finite becomes null.
        rows: Records: dataclasses, or mappings.
        of: What belongs to the provenance besides: the bundle, for example.
        more: What is written besides.

    Raises:
        SurefootError: If it cannot be written.
    """
    provenance: Dict[str, Any] = {
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "machine": f"{platform.system()} {platform.machine()}",
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        **(of or {}),
    }
    content = {
        "ok": ok,
        "figures": dict(figures),
        "rows": [dict(row) if isinstance(row, Mapping) else asdict(row) for row in rows],
        "provenance": provenance,
        **(more or {}),
    }
    write_whole(path, (json.dumps(_finite(content), indent=2, allow_nan=False) + "\n").encode())


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows of text with aligned columns; the last column is not padded."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head) - 1)] + [0]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
