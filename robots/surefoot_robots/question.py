"""Questions in a specification that nobody has answered yet."""

import re
import sys
from pathlib import Path
from typing import Any

from surefoot_bridge.errors import SurefootError

MARK = "QUESTION:"
"""What stands in a comment before something that was assumed and should be looked at."""

_CALL = re.compile(r"\bquestion\(\"")


def question(text: str) -> Any:
    """Stand for a number that must be known before the robot can be used.

    `surefoot new robot` writes it where the robot's file did not say. Put the number in its place.

    Args:
        text: What is asked, with its unit.

    Raises:
        SurefootError: Always, with the place of the question and the number of questions in its file.
    """
    asked_in = sys._getframe(1)
    path = Path(asked_in.f_code.co_filename)
    others = sum(bool(_CALL.search(line)) for line in path.read_text(encoding="utf-8").splitlines()) - 1
    raise SurefootError(
        f"{path}:{asked_in.f_lineno} asks: {text}. Put the answer in the place of question(...)"
        + (f"; {others} more questions like it must be answered" if others > 0 else "")
    )


def open_questions(path: Path) -> list[str]:
    """Return a line for each open question of a specification: line number, and what is asked or was assumed."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        code, _, comment = line.partition("#")
        if MARK in comment:
            found.append(f"{path}:{number}: {comment.partition(MARK)[2].strip()}")
        elif _CALL.search(line):
            found.append(f"{path}:{number}: to be answered: {code.strip().rstrip(',')}")
    return found
