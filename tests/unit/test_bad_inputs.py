"""Each mistake of the table is answered by one line, with exit status 2, and nothing on the disk has changed."""

import importlib

import pytest

from surefoot_devtools.bad_inputs import state_of, tables

CASES = [
    pytest.param(table, item, id=str(item), marks=[pytest.mark.sim] if item.engine else [])
    for table in tables()
    for item in table.inputs
]


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
    assert not list(item.mistakes(status, printed.out + printed.err))
    assert state_of(folders[table.module]) == before
