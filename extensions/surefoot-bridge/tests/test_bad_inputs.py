"""What people type by mistake: each is answered at once, by one line that says what is valid."""

import os
import resource
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from emulation import needs_emulator
from log_rig import needs_mcap
from run_rig import needs_robot
from unitree_peer import needs_dds

from surefoot_bridge import words
from surefoot_bridge.command_line import COMMANDS, main
from surefoot_bridge.policy import RUNTIMES
from surefoot_bridge.robots.lock import lock_folder
from surefoot_bridge.stages import STAGES

ROOT = Path(__file__).parents[3]
TABLE = ROOT / "scripts/bad_inputs/bridge.yaml"


def table():
    """The table of bad inputs; empty where this package is tested without what reads it."""
    try:
        import yaml
    except ImportError:
        return {"inputs": [], "copies": {}, "files": {}}
    return yaml.safe_load(TABLE.read_text(encoding="utf-8")) if TABLE.is_file() else {"inputs": []}


CONTENT = table()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The working folder in which they are typed."""
    folder = tmp_path_factory.mktemp("typed")
    for name, source in CONTENT["copies"].items():
        shutil.copytree(ROOT / source, folder / name)
    for name, text in CONTENT["files"].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def state_of(folder):
    return {path: path.stat().st_mtime_ns for path in sorted(folder.rglob("*")) if not path.is_dir()}


@needs_dds
@needs_emulator
@needs_mcap
@needs_robot
@pytest.mark.parametrize("typed", CONTENT["inputs"], ids=str)
def test_a_mistake_is_answered_by_one_line_and_changes_nothing(typed, place, capfd, monkeypatch):
    pytest.importorskip("cryptography", reason="cryptography is not installed")
    monkeypatch.chdir(place)
    before, locks = state_of(place), sorted(lock_folder().glob("surefoot-*"))
    with Path(os.devnull).open() as nobody:
        monkeypatch.setattr("sys.stdin", nobody)
        assert main(shlex.split(typed[0])) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.startswith("surefoot-bridge: ")
    assert said.err.count("\n") == 1
    for part in typed[1:]:
        assert part in said.err
    assert state_of(place) == before
    assert sorted(lock_folder().glob("surefoot-*none0*")) == [path for path in locks if "none0" in path.name]


def used_s(*arguments):
    """Return the processor time of a Python process [s], the least of three."""
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], capture_output=True, check=False, env={**os.environ, **PATHS})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


PATHS = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def test_refusals_and_help_take_at_most_three_tenths_of_a_second_more_than_python_itself():
    bare = used_s("-c", "pass")
    for typed in (
        "run --help",
        "run gone --robot mujoco --stage tethered",
        "stages gone --logs gone",
        "key new gone/k",
    ):
        assert used_s("-m", "surefoot_bridge.command_line", *typed.split()) - bare < 0.3, typed


LEAVES = ("guardian list", "guardian end", "guardian damp", "log info", "key new", "key seal", "emulate --robot go2")


@pytest.mark.parametrize("typed", [*COMMANDS, *LEAVES])
def test_help_shows_words_and_no_markup(typed, capsys):
    with suppress(SystemExit):  # that is how argparse ends behind --help
        assert main([*typed.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: surefoot-bridge {' '.join(typed.split()[:2]).partition(' --')[0]}")
    assert "`" not in shown
    assert "**" not in shown


def test_the_words_of_the_command_line_are_those_of_what_they_stand_for():
    assert tuple(STAGES) == words.STAGE_NAMES
    assert RUNTIMES is words.RUNTIMES
