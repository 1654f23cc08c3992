"""The command line's dispatch: names, exit statuses, and a start that waits for nothing heavy."""

import subprocess
import sys
import types

import pytest

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


def test_an_unknown_subcommand_is_refused_with_the_nearest_name_first(capsys):
    assert cli.main(["trian"]) == 2
    assert "Unknown subcommand 'trian'; valid: train," in capsys.readouterr().err


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


def test_a_defect_keeps_its_traceback(command):
    def fail(args):
        raise RuntimeError("a defect")

    command.run = fail
    with pytest.raises(RuntimeError, match="a defect"):
        cli.main(["probe"])


def test_no_subcommand_is_bad_input_and_shows_the_usage(capsys):
    assert cli.main([]) == 2
    assert "usage: surefoot" in capsys.readouterr().err


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
def test_every_subcommands_options_can_be_shown_without_torch(name):
    code = (
        f"import sys; from surefoot.cli import main\ntry: main(['{name}', '--help'])\nexcept SystemExit: pass\n"
        "print([name for name in ('torch', 'warp', 'isaaclab') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert f"usage: surefoot {name}" in result.stdout, result.stderr
    assert result.stdout.splitlines()[-1] == "[]", result.stderr
