"""A fault as a piece of code in place of another, and the tests that must fail of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from surefoot_bridge.errors import SurefootError

FAULTS = {
    1: "values drift over resets",
    2: "what is derived from mass stays stale",
    3: "a push has no effect",
    4: "a factor of one turns gains to zero",
    5: "a factor of zero is accepted",
    6: "values of the start-up are not drawn or not written",
    7: "the seed is not the run's",
    8: "environments share their values",
    9: "limits accumulate over resets",
    10: "only position commands are delayed",
    11: "only one environment moves",
    12: "processes draw the same, or train different networks",
}
"""What goes wrong, by the number that it has in the list of faults which this field is known for."""


@dataclass(frozen=True)
class Mutant:
    """A fault that can be planted: a piece of code and what stands in its place.

    Attributes:
        fault: Number of the fault, a key of :data:`FAULTS`.
        title: What the code does with the fault.
        file: The file that has it, relative to the checkout.
        old: The piece of code, which occurs once in the file.
        new: What stands in its place.
        tests: Node ids of the tests that are to catch it.
    """

    fault: int
    title: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def check_fits(self, root: Path) -> str:
        """Return the text of the file under a folder, after seeing that the fault fits it.

        Raises:
            SurefootError: If the piece of code does not occur exactly once.
        """
        path = root / self.file
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        count = text.count(self.old)
        if count != 1:
            raise SurefootError(
                f"Fault {self.fault}, {self.title!r}, no longer fits: its piece of code occurs {count} times in "
                f"{self.file} and must occur once. Write it anew in "
                f"surefoot_devtools.mutation.mutants. The piece:\n{self.old}"
            )
        return text

    @contextmanager
    def planted(self, root: Path) -> Iterator[None]:
        """Plant the fault under a folder, and take it out again."""
        text, path = self.check_fits(root), root / self.file
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(text, encoding="utf-8")
