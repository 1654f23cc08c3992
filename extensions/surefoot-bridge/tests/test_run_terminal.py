"""`surefoot-bridge run` with a person at the keyboard of a real terminal."""

import os
import signal
import termios
import time

import pytest
from run_rig import LONGEST_S, Terminal, needs_robot

pytestmark = needs_robot


@pytest.fixture
def terminal():
    made = Terminal("--robot", "mujoco", "--stage", "tethered", "--runtime", "numpy")
    yield made
    made.close()


def test_a_person_acknowledges_commands_and_ends_with_ctrl_c_and_the_terminal_comes_back(terminal):
    terminal.await_text("if all of this holds: ")
    terminal.type("ready\n")
    terminal.await_text("Ctrl-C: end in order")
    until = time.monotonic() + LONGEST_S
    while termios.tcgetattr(terminal.screen) == terminal.before:  # keys come at once from here on
        assert time.monotonic() < until
        time.sleep(0.01)
    terminal.await_text("PASSIVE")
    while "STAND" not in terminal.shown:  # a computer that is busy for long takes it for a pause
        assert time.monotonic() < until
        terminal.type("1")
        terminal.look(0.5)
    terminal.type("\x03")
    terminal.await_text("Lateness: ")
    assert "Ended because SIGINT came. It was told to end" in terminal.shown
    assert terminal.process.wait(LONGEST_S) in (130, 1)  # in order, unless this computer is too slow for real time
    (shown,) = [line for line in terminal.shown.splitlines() if line.startswith("Modes: ")]
    assert "stand" in shown
    assert termios.tcgetattr(terminal.screen) == terminal.before


def test_who_does_not_acknowledge_moves_nothing(terminal):
    terminal.await_text("if all of this holds: ")
    terminal.type("no\n")
    terminal.await_text("The checklist was not acknowledged: 'no' is not 'ready'. Nothing was moved.")
    assert terminal.process.wait(LONGEST_S) == 2


def modes_of(terminal):
    terminal.await_text("Lateness: ")
    (line,) = [line for line in terminal.shown.splitlines() if line.startswith("Modes: ")]
    return line


def test_keys_typed_before_the_loop_began_and_while_it_was_stopped_are_not_obeyed(terminal):
    terminal.await_text("if all of this holds: ")
    terminal.type("ready\n1")
    terminal.await_text("PASSIVE")
    os.kill(terminal.process.pid, signal.SIGSTOP)
    terminal.type("1")
    time.sleep(1.0)
    os.kill(terminal.process.pid, signal.SIGCONT)
    time.sleep(1.0)
    terminal.type("\x03")
    assert "stand" not in modes_of(terminal)


def test_a_terminal_that_nobody_reads_does_not_hold_up_a_run(tmp_path, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    (tmp_path / "script").write_text("0 stand\n7 end\n")
    options = ("--acknowledge", "ready", "--operator", f"script:{tmp_path / 'script'}", "--log", str(tmp_path / "logs"))
    terminal = Terminal("--robot", "mujoco", "--stage", "tethered", "--runtime", "numpy", *options)
    try:
        terminal.await_text("tethered (rehearsal), ")
        until = time.monotonic() + LONGEST_S
        while not list((tmp_path / "logs").glob("*/seal.json")):  # the loop has ended and its log is complete
            assert time.monotonic() < until
            assert terminal.process.poll() is None
            time.sleep(0.1)
        terminal.await_text("Ended because its 7 s are over.")
        terminal.await_text("Log: ")
    finally:
        terminal.close()
