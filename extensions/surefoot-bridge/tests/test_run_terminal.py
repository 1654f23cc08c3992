"""`surefoot-bridge run` with a person at the keyboard of a real terminal."""

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
    terminal.type("1")  # stand
    time.sleep(1.0)
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
