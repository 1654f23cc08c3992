"""What stands behind the name of a suite or a gate; known before anything heavy is imported."""

from __future__ import annotations

from pathlib import Path

from surefoot.task_registry import package_folders
from surefoot_bridge.errors import unknown_name

SUITES = ("quick", "standard", "harsh", "graded")
"""Suites that come with the package, by name."""

NO_GATE_FILE = "standard"
"""Gate that is no file: every scenario in every engine, with the suite's thresholds."""

_SUITES = Path(__file__).with_name("scenarios") / "suites"


def suite_path(name_or_path: str | Path) -> Path:
    """Return the file or the folder of a suite.

    Args:
        name_or_path: One of :data:`SUITES`, a YAML file, or a folder.

    Raises:
        SurefootError: If there is none.
    """
    if str(name_or_path) in SUITES:
        return _SUITES / f"{name_or_path}.yaml"
    path = Path(name_or_path)
    if not path.exists():
        raise unknown_name("suite", str(name_or_path), SUITES, "Or name a YAML file, or a folder of scenarios.")
    return path


def gate_path(name_or_path: str | Path) -> Path | None:
    """Return the file of a gate; None for :data:`NO_GATE_FILE`.

    Args:
        name_or_path: :data:`NO_GATE_FILE`, the name of one that came with the tasks, in a folder ``gates`` of theirs,
            or a YAML file.

    Raises:
        SurefootError: If there is none.
    """
    if str(name_or_path) == NO_GATE_FILE:
        return None
    shipped = {path.stem: path for folder in package_folders() for path in folder.glob("*/gates/*.yaml")}
    path = shipped.get(str(name_or_path), Path(name_or_path))
    if not path.is_file():
        raise unknown_name("gate", str(name_or_path), [NO_GATE_FILE, *shipped], "Or name a YAML file.")
    return path
