"""Planting faults: each fits the code that it is for, and only a failing test counts as having caught one."""

import os
import subprocess
from pathlib import Path

import pytest

from surefoot_bridge.errors import SurefootError
from surefoot_devtools.mutation.campaign import figures, judge, run_campaign, table
from surefoot_devtools.mutation.mutant import FAULTS, Mutant
from surefoot_devtools.mutation.mutants import MUTANTS, select_mutants
from surefoot_devtools.mutation.pytest_run import PytestRun, run_tests

CHECKOUT = Path(__file__).parents[2]


def titles(mutants):
    return [mutant.title for mutant in mutants]


@pytest.mark.parametrize("mutant", MUTANTS, ids=titles(MUTANTS))
def test_every_fault_fits_its_file_and_names_tests_that_exist(mutant):
    mutant.check_fits(CHECKOUT)
    assert mutant.old != mutant.new
    for test in mutant.tests:
        file, name = test.split("::")
        assert f"def {name.split('[')[0]}(" in (CHECKOUT / file).read_text(encoding="utf-8")


def test_each_of_the_twelve_faults_is_planted_and_none_twice():
    assert {mutant.fault for mutant in MUTANTS} == set(FAULTS) == set(range(1, 13))
    assert (
        len({(mutant.file, mutant.old, mutant.new) for mutant in MUTANTS}) == len(set(titles(MUTANTS))) == len(MUTANTS)
    )


def test_faults_are_chosen_by_number_and_another_number_is_refused():
    assert select_mutants(None) == MUTANTS
    assert {mutant.fault for mutant in select_mutants([3, 5])} == {3, 5}
    with pytest.raises(SurefootError, match="Unknown fault '13'; valid: "):
        select_mutants([13])


@pytest.mark.parametrize(("text", "count"), [("a = 1\n", 0), ("b = 1\nb = 1\n", 2)])
def test_a_fault_that_no_longer_fits_is_refused_by_name_and_nothing_is_written(tmp_path, text, count):
    (tmp_path / "code.py").write_text(text)
    mutant = Mutant(1, "b is two", "code.py", "b = 1", "b = 2", ())
    message = f"Fault 1, 'b is two', no longer fits: its piece of code occurs {count} times in code.py"
    with pytest.raises(SurefootError, match=message), mutant.planted(tmp_path):
        pass
    assert (tmp_path / "code.py").read_text() == text


def test_a_planted_fault_is_taken_out_again_whatever_happens(tmp_path):
    (tmp_path / "code.py").write_text("b = 1\n")
    with pytest.raises(KeyboardInterrupt), Mutant(1, "b is two", "code.py", "b = 1", "b = 2", ()).planted(tmp_path):
        assert (tmp_path / "code.py").read_text() == "b = 2\n"
        raise KeyboardInterrupt
    assert (tmp_path / "code.py").read_text() == "b = 1\n"


TINY = {
    "pyproject.toml": '[tool.pyright]\nextraPaths = ["source"]\n',
    ".gitignore": "*.log\n",
    "big.log": "not to be copied\n",
    "source/tiny/__init__.py": "import math\n\ndef area(side):\n    return math.pow(side, 2)\n",
    "test_tiny.py": (
        "import pathlib, pytest\n"
        "from tiny import area\n\n"
        "def test_area():\n    assert area(3.0) == 9.0\n\n"
        "@pytest.fixture\ndef folder():\n    assert area(1.0) == 1.0\n    return pathlib.Path(__file__).parent\n\n"
        "def test_copy(folder):\n    assert not (folder / 'big.log').exists()\n\n"
        "def test_wrong():\n    assert area(3.0) == 10.0\n\n"
        "@pytest.mark.skip\ndef test_skipped():\n    pass\n"
    ),
}


def tiny_mutant(new, title, test="test_area", old="math.pow(side, 2)"):
    return Mutant(1, title, "source/tiny/__init__.py", old, new, (f"test_tiny.py::{test}",))


@pytest.fixture
def tiny(tmp_path):
    """A checkout of one package and its tests, and a folder for what a campaign writes."""
    checkout = tmp_path / "tiny"
    for name, text in TINY.items():
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text(text)
    subprocess.run(["git", "init", "--quiet", str(checkout)], check=True)
    return checkout


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder in which a campaign makes its copy."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_a_failing_test_catches_a_fault_a_passing_one_lets_it_live_and_what_cannot_run_proves_nothing(tiny, temporary):
    mutants = [
        tiny_mutant("math.pow(side, 3)", "the cube"),
        tiny_mutant("side * side", "the same"),
        tiny_mutant("import no_such_module", "no import", old="import math"),
        tiny_mutant("math.pow(side, 2) + 1.0", "a fixture fails", test="test_copy"),
    ]
    said = []
    outcomes = run_campaign(tiny, mutants, say=said.append)

    assert [outcome.verdict for outcome in outcomes] == ["caught", "survived", "error", "error"]
    assert outcomes[0].first_line == "assert 27.0 == 9.0"
    assert outcomes[2].first_line == "ModuleNotFoundError: No module named 'no_such_module'"
    assert figures(outcomes) == {"planted": 4, "caught": 1, "faults": 1}
    assert [outcome.row()["caught"] for outcome in outcomes] == [True, False, False, False]
    assert "No module named 'no_such_module'" in table(outcomes)
    assert said[-1].startswith("4/4  fault  1  error")
    assert said[-1].endswith("about 0 s left")
    assert (tiny / "source/tiny/__init__.py").read_text() == TINY["source/tiny/__init__.py"]
    assert not list(temporary.iterdir())


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ("test_wrong", "do not all pass on the unmodified copy"),
        ("test_skipped", "Named tests are skipped here: test_tiny.py::test_skipped"),
    ],
)
def test_tests_that_do_not_pass_without_a_fault_are_refused(tiny, temporary, test, message):
    with pytest.raises(SurefootError, match=message):
        run_campaign(tiny, [tiny_mutant("side", "the side", test=test)], say=lambda _: None)
    assert not list(temporary.iterdir())


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("F\n>   assert a\nE   assert 1 == 2\nE    + where\n", "assert 1 == 2"),
        (
            "E   AssertionError: \nE   \nE   Not equal to tolerance\nE   more\n",
            "AssertionError: Not equal to tolerance",
        ),
        ("no tests ran\n\n", "no tests ran"),
        ("", "nothing was printed"),
    ],
)
def test_the_first_line_that_says_what_failed_is_kept(output, line):
    assert PytestRun(1, 0.0, {}, (), (), output).first_line == line


def test_tests_that_take_too_long_are_stopped_with_all_that_they_have_started(tmp_path):
    folder, note = tmp_path / "slow", tmp_path / "pid"
    folder.mkdir()
    (folder / "test_slow.py").write_text(
        "import pathlib, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(note)!r}).write_text(str(child.pid))\n"
        "child.wait()\n"
    )
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    run = run_tests(folder, ["test_slow.py"], environment, timeout_s=2.0)
    while not note.exists() and run.seconds < 60.0:  # stopped before it came so far, on a busy machine
        run = run_tests(folder, ["test_slow.py"], environment, timeout_s=2.0 * run.seconds)

    assert run.status is None
    assert judge(run) == "error"
    state = Path(f"/proc/{note.read_text()}/stat")
    assert not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z"


def test_an_interruption_leaves_no_copy(tiny, temporary):
    def interrupt(line):
        assert list(temporary.iterdir())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_campaign(tiny, [tiny_mutant("side", "the side")], say=interrupt)
    assert not list(temporary.iterdir())


def test_a_folder_that_is_no_checkout_is_refused(tmp_path, temporary):
    with pytest.raises(SurefootError, match="git lists no files of "):
        run_campaign(tmp_path, [], say=lambda _: None)
