"""The commands of the documentation: where they stand, and what the real parsers make of them."""

import argparse
import importlib
import re
import runpy
import shlex
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OF_ONES_OWN = [ROOT / "docs/add-a-robot.md", ROOT / "docs/add-a-task.md"]
"""Pages whose commands are for packages that they begin; a test in tests/sim follows them word for word."""

PAGES = [
    ROOT / "README.md",
    ROOT / "extensions/surefoot-bridge/README.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if "reports" not in path.parts and path not in OF_ONES_OWN),
]
ENTRY_POINTS = {
    name: place
    for project in (ROOT / "pyproject.toml", ROOT / "extensions/surefoot-bridge/pyproject.toml")
    for name, place in tomllib.loads(project.read_text(encoding="utf-8"))["project"]["scripts"].items()
}
"""Our programs, each with the place of its main function, as ``surefoot.cli:main``."""

NEEDS_HARDWARE = "# needs hardware"

STANDS_FOR = {"KEY": "A" * 43 + "="}
"""What a parser gets for a word that a reader fills in, where any word would be refused: 32 bytes in base64."""

_COMMAND = re.compile(r"(?:\.venv/bin/)?(surefoot|surefoot-bridge|make|python scripts/\w+\.py|pytest)(?= |$)(.*)")
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")


@dataclass(frozen=True)
class DocsCommand:
    """A command of a page: where it stands, its words, and whether it is whole or a mention in a sentence."""

    where: str
    program: str
    words: tuple[str, ...]
    in_sentence: bool
    needs_hardware: bool

    def __str__(self) -> str:
        return f"{self.where}: {self.program} {shlex.join(self.words)}"

    @property
    def subcommand(self) -> str:
        """What is run, as ``surefoot train``, ``make docs`` or ``python scripts/benchmark.py``."""
        return f"{self.program} {self.words[0]}" if self.words and " " not in self.program else self.program


class Parsed(BaseException):
    """What a parser made of its arguments; raised so that nothing runs, and out of reach of an `except Exception`."""

    def __init__(self, values: argparse.Namespace) -> None:
        super().__init__()
        self.values = values


def commands() -> list[DocsCommand]:
    """Return the commands of all pages, those in blocks and those in sentences."""
    return [found for page in PAGES for found in commands_of(page.read_text(encoding="utf-8"), page)]


def commands_of(text: str, page: Path) -> list[DocsCommand]:
    """Return the commands of one page."""
    found, sentences, in_fence = [], [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_fence = not in_fence
        elif in_fence or line.startswith("    "):
            found += _command(line.strip(), f"{page.name}:{number}", in_sentence=False)
        else:
            sentences.append(line)
    for span in _SPAN.findall("\n".join(sentences)):
        found += _command(" ".join(span.split()), page.name, in_sentence=True)
    return found


def _command(line: str, where: str, *, in_sentence: bool) -> list[DocsCommand]:
    match = _COMMAND.match(line)
    if not match:
        return []
    words = shlex.split(match[2], comments=True)
    words = words[: words.index("|")] if "|" in words else words
    return [DocsCommand(where, match[1], tuple(words), in_sentence, NEEDS_HARDWARE in line)]


def parse(command: DocsCommand) -> argparse.Namespace | None:
    """Hand a command to the real parser.

    Returns:
        What it made of it; None for a mention that leaves out what a command needs.

    Raises:
        AssertionError: If it is refused.
    """
    words = [STANDS_FOR.get(word, word) for word in command.words if word != "..."]
    status, values = _run_parser(command.program, words)
    if values or not words or words == ["--version"]:
        return values
    assert command.in_sentence, f"{command} is refused with {status}"
    status, _ = _run_parser(command.program, [words[0], "--help"])
    assert not status, f"{command}: there is no {command.subcommand}"
    return None


def _run_parser(program: str, words: list[str]) -> tuple[object, argparse.Namespace | None]:
    """Return how a program ended, and what its parser made of the words where it came so far."""
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(argparse.ArgumentParser, "parse_args", _stop_after_parsing)
            if program in ENTRY_POINTS:
                module, _, function = ENTRY_POINTS[program].partition(":")
                return getattr(importlib.import_module(module), function)(words), None
            script = ROOT / program.removeprefix("python ")
            patch.setattr(sys, "argv", [str(script), *words])
            return runpy.run_path(str(script), run_name="__main__"), None
    except Parsed as parsed:
        return 0, parsed.values
    except SystemExit as end:
        return end.code, None


def _stop_after_parsing(parser: argparse.ArgumentParser, args: object = None, namespace: object = None) -> None:
    values, unknown = parser.parse_known_args(args, namespace)
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    raise Parsed(values)
