"""The form of an ``evaluation.json``, as far as it is known without the models of what it holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from surefoot_bridge.contract.strict_json import parse_json
from surefoot_bridge.errors import SurefootError, reason

FILE_NAME = "evaluation.json"
SCHEMA = 1
"""Version of the file that is written and read here."""


def evaluation_data(path: Path) -> tuple[Path, Any]:
    """Read the file of an evaluation.

    Args:
        path: An ``evaluation.json``, or a folder that holds one: a bundle or a report.

    Returns:
        The file, and what it holds.

    Raises:
        SurefootError: If there is none, it is no JSON, or of a schema to come.
    """
    file = path / FILE_NAME if path.is_dir() else path
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SurefootError(
            f"{path} has no evaluation that can be read: {reason(error)}. Name an {FILE_NAME}, or a bundle or the "
            "folder of a report that holds one; surefoot verify writes it."
        ) from error
    data = parse_json(text, what=str(file))
    version = data.get("schema") if isinstance(data, dict) else None
    if isinstance(version, int) and version > SCHEMA:
        raise SurefootError(f"{file} is of schema {version}; this surefoot reads {SCHEMA}. Install a newer surefoot.")
    return file, data
