"""What people type by mistake, as a table; and whether each line of it is answered as it must be.

An answer is one line with the value, the valid ones and the remedy, exit status 2, within a second, and nothing on the
disk has changed.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from stat import S_ISDIR
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[3]
TABLES = ROOT / "scripts/bad_inputs"

LONGEST_S = 1.0
"""Processor time of a refusal [s], where no engine is needed: the wall time of a computer with nothing else to do."""


@dataclass(frozen=True)
class BadInput:
    """A line of the table.

    Attributes:
        program: The program.
        words: What is typed behind it.
        says: What the answer must hold.
        engine: Whether an engine or a task's configuration is needed to find the mistake.
        lines: ``one``, or ``any`` where a file is refused that has several mistakes, one a line.
    """

    program: str
    words: tuple[str, ...]
    says: tuple[str, ...]
    engine: bool = False
    lines: str = "one"

    def __str__(self) -> str:
        return shlex.join((self.program, *self.words))

    def mistakes(self, status: int, output: str, seconds: float = 0.0) -> Iterator[str]:
        """Yield what is wrong with an answer, in words.

        Args:
            status: Exit status.
            output: All that was printed.
            seconds: Processor time [s].
        """
        if status != 2:
            yield f"exit status {status}"
        if (output.count("\n") != 1 and self.lines == "one") or not output.startswith(f"{self.program}: "):
            yield f"{output.count(chr(10))} lines: {output[-400:]!r}"
        yield from (f"does not say {said!r}: {output!r}" for said in self.says if said not in output)
        if seconds > LONGEST_S and not self.engine:
            yield f"{seconds:.1f} s"


@dataclass(frozen=True)
class Table:
    """All bad inputs of a program.

    Attributes:
        module: Module that is the program.
        inputs: The inputs.
        copies: Name in the working folder to what is copied there, from the root of the checkout.
        files: Name in the working folder to text.
    """

    module: str
    inputs: tuple[BadInput, ...]
    copies: dict[str, str]
    files: dict[str, str]

    @classmethod
    def read(cls, path: Path) -> Table:
        """Read a table."""
        content: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
        inputs = []
        for typed, *says in content["inputs"]:
            options = says.pop() if isinstance(says[-1], dict) else {}
            inputs.append(BadInput(content["program"], tuple(shlex.split(typed)), tuple(map(str, says)), **options))
        return cls(content["module"], tuple(inputs), content.get("copies", {}), content.get("files", {}))

    def reads(self, item: BadInput) -> bool:
        """Whether an input names a file or folder that is there: what it holds is then a part of what is refused."""
        there = {place.split("/")[0] for place in (*self.copies, *self.files)}
        return any(part.split("/")[0] in there for word in item.words for part in re.split("[:=]", word))

    def only(self, text: str) -> Table:
        """Return the table of those inputs that hold a text."""
        return replace(self, inputs=tuple(item for item in self.inputs if text in str(item)))

    @contextlib.contextmanager
    def folder(self) -> Iterator[Path]:
        """Make a working folder for as long as the block lasts."""
        with tempfile.TemporaryDirectory(prefix="surefoot-inputs-") as name:
            folder = Path(name).resolve()
            for place, source in self.copies.items():
                shutil.copytree(ROOT / source, folder / place)
            for place, text in self.files.items():
                (folder / place).parent.mkdir(parents=True, exist_ok=True)
                (folder / place).write_text(text, encoding="utf-8")
            yield folder


def tables() -> list[Table]:
    """Return the tables of all programs."""
    return [Table.read(path) for path in sorted(TABLES.glob("*.yaml"))]


def state_of(folder: Path) -> dict[str, tuple[int, int]]:
    """Return what is in a folder: every path below it, with the size of a file and when it was last changed."""
    found = {str(path.relative_to(folder)): path.stat() for path in sorted(folder.rglob("*"))}
    # That of a folder changes when a place in it is tried.
    return {name: (0, 0) if S_ISDIR(of.st_mode) else (of.st_size, of.st_mtime_ns) for name, of in found.items()}


def try_inputs(table: Table, progress: Callable[[str], None] = lambda _: None) -> Iterator[dict[str, Any]]:
    """Type each input in a process of its own, and yield what came of it.

    Yields:
        `input`, `answer`, `seconds` (processor time), `engine`, `reads` (whether it names a file that is there),
        `clear` (whether all is as it must be) and `mistakes`.
    """
    with table.folder() as folder:
        before = state_of(folder)
        for item in table.inputs:
            status, output, seconds = _run([sys.executable, "-P", "-m", table.module, *item.words], folder)
            mistakes = list(item.mistakes(status, output, seconds))
            if (after := state_of(folder)) != before:
                changed = sorted(after.items() ^ before.items())
                mistakes.append(f"changed on the disk: {changed[0][0]}")
                before = after
            progress(f"{'ok  ' if not mistakes else 'FAIL'} {seconds:5.2f} s  {item}  {'; '.join(mistakes)}")
            yield {
                "input": str(item),
                "answer": output.strip(),
                "seconds": round(seconds, 3),
                "engine": item.engine,
                "reads": table.reads(item),
                "clear": not mistakes,
                "mistakes": mistakes,
            }


def _run(command: list[str], folder: Path) -> tuple[int, str, float]:
    with tempfile.TemporaryFile("w+") as printed:
        process = subprocess.Popen(command, cwd=folder, stdout=printed, stderr=printed, stdin=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        return process.returncode, printed.read(), used.ru_utime + used.ru_stime


def bare_seconds() -> float:
    """Return the processor time of a Python that does nothing [s]."""
    return min(processor_seconds([sys.executable, "-c", "pass"], ROOT) for _ in range(3))


def processor_seconds(command: list[str], folder: Path) -> float:
    """Return the processor time of a command that is run in a folder [s]."""
    return _run(command, folder)[2]
