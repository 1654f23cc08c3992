"""Each mistake of the table is answered by one line, with exit status 2, and nothing on the disk has changed."""

import contextlib
import re

import pytest

from surefoot.cli import main
from surefoot_devtools.bad_inputs import state_of, tables

(TABLE,) = [table for table in tables() if table.module == "surefoot.cli"]  # the bridge tests its own

HINTS: set[str] = set()
"""What answers told to look at."""


@pytest.fixture(scope="module")
def folder():
    """The working folder."""
    with TABLE.folder() as path:
        yield path


@pytest.mark.parametrize(
    "item", [pytest.param(item, id=str(item), marks=[pytest.mark.sim] if item.engine else []) for item in TABLE.inputs]
)
def test_a_mistake_is_answered_by_one_line_with_the_remedy(item, folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    before = state_of(folder)
    status = main(list(item.words))
    printed = capfd.readouterr()
    HINTS.update(re.findall(r"[Ss]ee: \S*surefoot((?: [a-z]+)* (?:--help|list))", printed.err))
    assert not list(item.mistakes(status, printed.out + printed.err))
    assert state_of(folder) == before


def test_what_answers_say_to_look_at_is_there():
    """Runs after all others; each hint once."""
    for hint in sorted(HINTS):
        with contextlib.suppress(SystemExit):  # of --help
            assert main(hint.split()) == 0, hint
