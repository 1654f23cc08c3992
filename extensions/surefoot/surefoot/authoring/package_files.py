"""A folder of files that is written whole or not at all."""

import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from surefoot_bridge.errors import SurefootError

_TEMPLATES = Path(__file__).with_name("templates")


def check_name(name: str) -> str:
    """Return a name unchanged.

    Raises:
        SurefootError: If it cannot name a module and an entry point.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise SurefootError(f"{name!r} cannot be a name; it begins with a letter, and has a-z, 0-9 and _ only.")
    return name


def camel_case(name: str) -> str:
    """Return "MyWalk" of "my_walk"."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def render(template: str, context: Mapping[str, Any]) -> str:
    """Return a template's text.

    Args:
        template: Path below the folder of templates.
        context: What it asks for; a name that is missing is an error.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.policies["json.dumps_function"] = _plain_json
    return environment.get_template(template).render(context)


def _plain_json(value: Any, **_: Any) -> str:
    import json

    return json.dumps(value)


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Write a folder that is not there yet: all of its files, or nothing.

    Args:
        folder: The folder.
        files: Path below it -> text.

    Raises:
        SurefootError: If it exists, or cannot be written.
    """
    folder = folder.absolute()
    if folder.exists():
        raise SurefootError(f"{folder} exists; take another name or --output, or remove it first.")
    partial = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".partial", dir=folder.parent))
        for name, text in files.items():
            path = partial / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        partial.chmod(0o755)
        partial.rename(folder)
    except OSError as error:
        raise SurefootError(
            f"Cannot write {folder}: {error.strerror or error}. Choose another place with --output."
        ) from error
    finally:
        if partial is not None:
            shutil.rmtree(partial, ignore_errors=True)
