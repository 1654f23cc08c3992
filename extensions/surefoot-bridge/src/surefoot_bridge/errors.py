"""The one exception family that every Surefoot package raises for mistakes a person can put right."""

import difflib
from typing import Iterable, List, Sequence

MOST_NAMED = 10
"""How many mistakes of one kind are told one by one; the rest is counted."""

MOST_CHARACTERS = 8000
"""Length of a message, after which it is cut: what is in it came from outside and may be as long as a file."""


class SurefootError(Exception):
    """A refusal with a message for a person: the offending value, the valid ones and the remedy."""

    def __init__(self, message: str = "") -> None:
        more = len(message) - MOST_CHARACTERS
        super().__init__(message if more <= 0 else f"{message[:MOST_CHARACTERS]}... and {more} characters more")


def first_few(lines: Sequence[str]) -> List[str]:
    """Return the first :data:`MOST_NAMED` lines, and one that counts the others where there are any."""
    more = len(lines) - MOST_NAMED
    return [*lines[:MOST_NAMED], *([f"... and {more} more."] if more > 0 else [])]


def reason(error: Exception) -> str:
    """Return what the system or a library has found, as part of one of our sentences: a line, without its numbers."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, UnicodeDecodeError):
        return "it is no text"
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def refusal(head: str, mistakes: Sequence[str], remedy: str = "") -> SurefootError:
    """Build the error for one mistake or several: one line for one, else a line for each of the first few.

    Args:
        head: What is refused; left out when empty.
        mistakes: What is wrong with it, a sentence each.
        remedy: One sentence that says what to do; left out when empty.
    """
    lines = [line for line in (head, *first_few(mistakes), remedy) if line]
    return SurefootError((" " if len(mistakes) == 1 else "\n  ").join(lines))


NAMES_AT_MOST = 12
"""Valid names that an error lists where a command lists all of them."""


def unknown_name(
    kind: str, value: str, valid: Iterable[str], remedy: str = "", *, listed_by: str = ""
) -> SurefootError:
    """Build the error for a name that is not among the valid ones, nearest names first.

    Args:
        kind: What the name stands for, singular ("robot", "joint of unitree_go2").
        value: The name that was given.
        valid: All valid names, in their natural order.
        remedy: One sentence that says what to do; left out when empty.
        listed_by: Command that lists the valid names. With it only the first of many are said.

    Returns:
        The error, to be raised by the caller.
    """
    names = list(valid)
    if not names:
        message = f"Unknown {kind} {value!r}; there is none to choose from."
    else:
        nearest = difflib.get_close_matches(value, names, n=len(names), cutoff=0.6)
        ordered = nearest + [name for name in names if name not in nearest]
        said = ordered[:NAMES_AT_MOST] if listed_by else ordered
        more = f" and {len(ordered) - len(said)} more" if len(ordered) > len(said) else ""
        message = f"Unknown {kind} {value!r}; valid: {', '.join(said)}{more}."
    if listed_by:
        message = f"{message} See: {listed_by}."
    return SurefootError(f"{message} {remedy}".rstrip())
