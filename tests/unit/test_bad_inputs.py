"""Each mistake of the table is answered by one line, with exit status 2, and nothing on the disk has changed."""

import contextlib
import re

import pytest

from surefoot.cli import COMMANDS, main
from surefoot_bridge import command_line as bridge
from surefoot_devtools.bad_inputs import ROOT, state_of, tables

TABLES = tables()
(TABLE,) = [table for table in TABLES if table.module == "surefoot.cli"]  # the bridge tests its own

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


def test_every_command_of_both_programs_is_mistaken_for_at_least_150_times_and_the_page_has_each_answer():
    typed = [item for table in TABLES for item in table.inputs]
    assert len(set(typed)) == len(typed) > 150
    commands = {("surefoot", name) for name in COMMANDS} | {("surefoot-bridge", name) for name in bridge.COMMANDS}
    assert commands <= {(item.program, *item.words[:1]) for item in typed}
    page = (ROOT / "docs/reports/bad_inputs.md").read_text(encoding="utf-8")
    answered = re.findall(r"^\| `(.+)` \| surefoot", page, re.MULTILINE)
    assert answered == [str(item) for item in typed], "make it again: python scripts/proofs.py bad_inputs"
