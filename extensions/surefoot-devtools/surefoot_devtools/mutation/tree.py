"""A throw-away copy of a checkout, and an environment in which Python imports from it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from surefoot_bridge.errors import SurefootError


@contextmanager
def throw_away_copy(checkout: Path) -> Iterator[Path]:
    """Copy what git tracks or would track, as it lies in the checkout, and remove the copy in the end.

    Args:
        checkout: Top of a git checkout; changes that are not committed are copied too.

    Raises:
        SurefootError: If git does not know the folder.
    """
    with TemporaryDirectory(prefix="surefoot_mutation_") as folder:
        copy = Path(folder).resolve() / "checkout"
        for name in _files(checkout):
            source, target = checkout / name, copy / name
            if not source.is_file():  # deleted, and the deletion not committed
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        yield copy


def environment_of(copy: Path) -> dict[str, str]:
    """Return the environment of a process that imports the copy's packages instead of the installed ones.

    No byte code is written: a file that changes twice within a second can have byte code that looks up to date.
    Plug-ins of pytest that other packages bring along are left out: loading them takes seconds, and no test uses one.
    """
    roots = os.pathsep.join(str(root) for root in _source_roots(copy))
    inherited = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    settings = {"PYTHONPATH": roots, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return {**inherited, **settings}


def check_imports(copy: Path) -> dict[str, str]:
    """Import every package of the copy in a process of its own; returns the files by the packages' names.

    Raises:
        SurefootError: If a package is imported from elsewhere, or cannot be imported.
    """
    names = sorted(file.parent.name for root in _source_roots(copy) for file in root.glob("*/__init__.py"))
    program = (
        "import importlib, json, sys; print(json.dumps([importlib.import_module(n).__file__ for n in sys.argv[1:]]))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, *names],
        cwd=copy,
        env=environment_of(copy),
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise SurefootError(f"Cannot import {', '.join(names)} from the copy {copy}:\n{result.stderr.strip()[-2000:]}")
    files = dict(zip(names, json.loads(result.stdout.splitlines()[-1]), strict=True))
    for name, file in files.items():
        if not Path(file).resolve().is_relative_to(copy):
            raise SurefootError(f"Package {name} is imported from {file} and not from the copy {copy}; no fault acts.")
    return files


def _files(checkout: Path) -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    result = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SurefootError(f"git lists no files of {checkout}: {result.stderr.strip()}. Give the top of a checkout.")
    return sorted(filter(None, set(result.stdout.split("\0"))))


def _source_roots(copy: Path) -> list[Path]:
    """Return the folders that packages are imported from, as pyright is told them."""
    with (copy / "pyproject.toml").open("rb") as file:
        return [copy / root for root in tomllib.load(file)["tool"]["pyright"]["extraPaths"]]
