"""Each mistake of the table is answered by one line, with exit status 2, and nothing on the disk has changed."""

import contextlib
import importlib
import re

import pytest

from surefoot_devtools.bad_inputs import state_of, tables

CASES = [
    pytest.param(table, item, id=str(item), marks=[pytest.mark.sim] if item.engine else [])
    for table in tables()
    for item in table.inputs
]


HINTS: set[str] = set()
"""What answers told to look at."""


@pytest.fixture(scope="module")
def folders():
    """The working folder of each program."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield {table.module: stack.enter_context(table.folder()) for table in tables()}


@pytest.mark.parametrize(("table", "item"), CASES)
def test_a_mistake_is_answered_by_one_line_with_the_remedy(table, item, folders, monkeypatch, capsys):
    monkeypatch.chdir(folders[table.module])
    before = state_of(folders[table.module])
    try:
        status = importlib.import_module(table.module).main(list(item.words))
    except SystemExit as end:
        status = end.code
    printed = capsys.readouterr()
    HINTS.update(re.findall(r"[Ss]ee: \S*(surefoot[\w-]*(?: [a-z]+)* (?:--help|list))", printed.err))
    assert not list(item.mistakes(status, printed.out + printed.err))
    assert state_of(folders[table.module]) == before


def test_what_answers_say_to_look_at_is_there():
    """Runs after all others; each hint once."""
    modules = {table.inputs[0].program: table.module for table in tables()}
    for hint in sorted(HINTS):
        program, *words = hint.split()
        with contextlib.suppress(SystemExit):  # of --help
            assert importlib.import_module(modules[program]).main(words) == 0, hint
