"""The command line's dispatch: names, exit statuses, and a start that waits for nothing heavy."""

import importlib
import subprocess
import sys
import types
from pathlib import Path

import pytest
from tests.fixtures.shipped import GO2_BUNDLE

from surefoot import cli
from surefoot_bridge.errors import SurefootError


@pytest.fixture
def command(monkeypatch):
    """A subcommand ``probe`` whose behaviour the test sets, with one option ``--number``."""
    module = types.ModuleType("surefoot_probe_command")
    module.add_arguments = lambda parser: parser.add_argument("--number", type=int, default=0)
    module.run = lambda args: args.number
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(cli.COMMANDS, "probe", cli.Command(module.__name__, "A probe."))
    return module


def test_the_subcommands_status_is_the_exit_status(command):
    assert cli.main(["probe"]) == 0
    assert cli.main(["probe", "--number", "1"]) == 1


def test_a_surefoot_error_is_one_message_without_a_traceback(command, capsys):
    def refuse(args):
        raise SurefootError("no such thing")

    command.run = refuse
    assert cli.main(["probe"]) == 2
    assert capsys.readouterr().err == "surefoot: no such thing\n"


def test_an_interrupt_is_status_130(command):
    def interrupt(args):
        raise KeyboardInterrupt

    command.run = interrupt
    assert cli.main(["probe"]) == 130


def test_a_defect_is_no_verdict_and_keeps_its_traceback(command, capsys):
    def fail(args):
        raise RuntimeError("a defect")

    command.run = fail
    assert cli.main(["probe"]) == 2
    assert "Traceback" in (said := capsys.readouterr().err)
    assert said.endswith("surefoot: RuntimeError: a defect. This is a fault of surefoot; what led to it is above.\n")


def test_what_a_library_said_is_told_to_those_who_ask(command, capsys):
    def refuse(args):
        try:
            int("seven")
        except ValueError as error:
            raise SurefootError("Seven is no number.") from error

    command.run = refuse
    assert cli.main(["probe"]) == 2
    assert capsys.readouterr().err == "surefoot: Seven is no number.\n"
    assert cli.main(["probe", "--verbose"]) == 2
    assert "invalid literal for int() with base 10: 'seven'" in capsys.readouterr().err


def test_a_disk_that_is_full_or_not_ours_is_no_defect(command, capsys):
    def fill(args):
        Path("/dev/full").write_text("a")

    command.run = fill
    assert cli.main(["probe"]) == 2
    assert "Traceback" not in (said := capsys.readouterr().err)
    assert "No space left on device" in said


def test_a_reader_that_goes_away_ends_it_quietly():
    program = f"import sys; sys.path[:] = {sys.path}; from surefoot.cli import main; sys.exit(main(sys.argv[1:]))"
    for arguments in (["--help"], ["train", "--help"], ["tasks", "list"]):
        command = [sys.executable, "-c", program, *arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.close()  # as of `| head -0`
            assert process.stderr.read() == b""
        assert process.returncode in (0, 130), arguments


def test_a_command_is_told_as_it_can_be_called_from_the_working_folder(tmp_path, monkeypatch):
    programs = tmp_path / ".venv/bin"
    programs.mkdir(parents=True)
    for name in ("python", "surefoot", "surefoot-bridge"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    monkeypatch.setenv("PATH", "/usr/bin")
    hint = "Next: surefoot play runs/a, not surefoot; surefoot-bridge check b"

    def told(folder):
        cli._program.cache_clear()
        monkeypatch.chdir(folder)
        return cli.as_called(hint)

    assert told(tmp_path) == "Next: .venv/bin/surefoot play runs/a, not surefoot; .venv/bin/surefoot-bridge check b"
    assert told("/") == f"Next: {programs}/surefoot play runs/a, not surefoot; {programs}/surefoot-bridge check b"
    monkeypatch.setenv("PATH", str(programs))
    assert told("/") == hint
    cli._program.cache_clear()


def test_the_help_names_every_subcommand(capsys):
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown and command.summary in shown for name, command in cli.COMMANDS.items())


def test_the_help_imports_nothing_heavy():
    code = (
        "import sys; from surefoot.cli import main; main(['--help']);"
        "print([name for name in ('torch', 'numpy', 'warp', 'isaaclab', 'mujoco') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stdout.splitlines()[-1] == "[]", result.stderr


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_subcommands_options_can_be_shown_without_anything_heavy(name):
    parts = getattr(importlib.import_module(cli.COMMANDS[name].module), "SUBCOMMANDS", {"": ""})
    for words in [[name, part] if part else [name] for part in parts]:
        code = (
            f"import sys; from surefoot.cli import main\ntry: main([*{words}, '--help'])\nexcept SystemExit: pass\n"
            "print([name for name in ('torch', 'warp', 'isaaclab', 'numpy', 'mujoco', 'rich') if name in sys.modules])"
        )
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert f"usage: surefoot {' '.join(words)}" in result.stdout, result.stderr
        assert result.stdout.splitlines()[-1] == "[]", result.stderr


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("train --task T --physics ovphysx", {"engine": "ovphysx"}),
        ("train --task T --engine physx", {"engine": "ovphysx"}),
        ("play RUN --physics newton_mjwarp", {"engine": "newton_mjwarp"}),
        ("export RUN -o B --physics newton", {"engine": "newton_mjwarp"}),
        (f"verify {GO2_BUNDLE} --engine physx,mujoco", {"engines": "physx,mujoco"}),
        (
            "randomization show T --preset mild --physics isaacsim",
            {"randomization": "mild", "engine": "isaacsim_physx"},
        ),
    ],
)
def test_what_options_and_engines_were_called_before_is_still_taken(monkeypatch, typed, said):
    found = {}
    module = importlib.import_module(cli.COMMANDS[typed.split()[0]].module)
    monkeypatch.setattr(module, "run", lambda args: found.update(vars(args)) or 0)
    assert cli.main(typed.split()) == 0
    assert {key: found[key] for key in said} == said
