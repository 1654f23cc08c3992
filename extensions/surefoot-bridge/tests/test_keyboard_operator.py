"""Keys from a real terminal, made by the system for the tests."""

import os
import pty
import termios

import numpy as np
import pytest

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.operators.keyboard import MOTION_S, PRESENCE_S, KeyboardOperator
from surefoot_bridge.operators.presence import PAUSE_S
from surefoot_bridge.state import Request

NAMES = ("lin_vel_x_m_s", "lin_vel_y_m_s", "ang_vel_z_rad_s")
LARGEST = (0.3, 0.2, 0.5)


class Terminal:
    """A terminal with somebody at its keys; the operator was opened at time 0."""

    def __init__(self):
        self.keys, self.screen = pty.openpty()
        self.before = termios.tcgetattr(self.screen)
        self.operator = KeyboardOperator(NAMES, LARGEST, time_s=0.0, descriptor=self.screen)

    def type(self, keys, time_s):
        self.operator.read(time_s)  # the loop has looked until now
        os.write(self.keys, keys.encode("latin-1"))
        return self.operator.read(time_s)

    def hang_up(self):
        if self.keys >= 0:
            os.close(self.keys)
            self.keys = -1


@pytest.fixture
def terminal():
    terminal = Terminal()
    yield terminal
    terminal.operator.close()
    terminal.hang_up()
    os.close(terminal.screen)


def requests(terminal, time_s=1.0):
    found = []
    while True:
        request = terminal.operator.read(time_s).request
        if request is Request.KEEP:
            return found
        found.append(request)


def test_keys_change_the_velocity_by_a_tenth_of_the_largest(terminal):
    np.testing.assert_allclose(terminal.type("wwwaq", 1.0).velocity_command, [0.09, 0.02, 0.05])
    np.testing.assert_allclose(terminal.type("ssssee", 1.1).velocity_command, [-0.03, 0.02, -0.05])
    np.testing.assert_array_equal(terminal.type("x", 1.2).velocity_command, np.zeros(3))


def test_the_velocity_stays_within_what_the_stage_allows_and_comes_back_to_zero(terminal):
    np.testing.assert_allclose(terminal.type("w" * 20, 1.0).velocity_command, [0.3, 0.0, 0.0])
    np.testing.assert_array_equal(terminal.type("s" * 10, 1.1).velocity_command, np.zeros(3))


def test_requests_come_once_each_and_one_after_the_other(terminal):
    first = terminal.type("1230r", 1.0)
    assert [first.request, *requests(terminal)] == [
        Request.STAND, Request.WALK, Request.SIT, Request.PASSIVE, Request.RELEASE,
    ]  # fmt: skip


def test_without_keys_the_velocity_becomes_zero_and_does_not_come_back(terminal):
    terminal.type("wwww", 1.0)
    for i in range(1, 4):
        terminal.operator.read(1.0 + 0.2 * i)
    np.testing.assert_allclose(terminal.operator.read(1.0 + MOTION_S - 0.01).velocity_command, [0.12, 0.0, 0.0])
    np.testing.assert_array_equal(terminal.operator.read(1.0 + MOTION_S).velocity_command, np.zeros(3))
    np.testing.assert_array_equal(terminal.type("\r", 2.0).velocity_command, np.zeros(3))


def test_any_key_that_repeats_keeps_the_robot_going(terminal):
    terminal.type("wwww", 1.0)
    for i in range(100):
        np.testing.assert_allclose(terminal.type("\r", 1.0 + 0.2 * i).velocity_command, [0.12, 0.0, 0.0])


def test_a_key_counts_as_presence_for_a_while(terminal):
    terminal.type("1", 2.0)
    assert terminal.operator.read(2.0 + PRESENCE_S).heartbeat_s == 2.0 + PRESENCE_S
    assert terminal.operator.read(100.0).heartbeat_s == 2.0 + PRESENCE_S
    assert terminal.type("\r", 101.0).heartbeat_s == 101.0


def test_who_never_pressed_a_key_was_there_when_it_was_opened(terminal):
    assert terminal.operator.read(5.0).heartbeat_s == 5.0
    assert terminal.operator.read(60.0).heartbeat_s == PRESENCE_S


def test_the_space_key_stops_until_the_release(terminal):
    wanted = terminal.type("ww1 ", 1.0)
    assert (wanted.stop, wanted.request) == (True, Request.KEEP)
    np.testing.assert_array_equal(wanted.velocity_command, np.zeros(3))
    assert terminal.type("1", 2.0).stop
    released = terminal.type("r", 3.0)
    assert (released.stop, released.release, released.request) == (False, True, Request.RELEASE)
    assert not terminal.operator.read(3.1).release


@pytest.mark.parametrize("keys", ["\x1b[15~", "\x1b[1;5C", "\x1bOP", "2" * 33])
def test_function_keys_and_pasted_text_are_no_requests(terminal, keys):
    wanted = terminal.type(keys, 20.0)
    assert wanted.request is Request.KEEP
    assert wanted.heartbeat_s == 20.0
    assert requests(terminal) == []


def test_a_space_in_what_counts_for_nothing_else_stops(terminal):
    assert terminal.type("\x1b[15~ ", 1.0).stop


@pytest.mark.parametrize("key", ["\x1a", "\x1c", "\x13", "\x04"])
def test_keys_that_would_suspend_or_end_the_loop_are_ordinary_ones(terminal, key):
    wanted = terminal.type(key, 30.0)
    assert (wanted.heartbeat_s, wanted.stop) == (30.0, False)
    assert terminal.type("1", 31.0).request is Request.STAND


def test_a_terminal_that_is_gone_ends_the_heartbeat_at_once(terminal):
    terminal.type("ww", 5.0)
    terminal.hang_up()
    wanted = terminal.operator.read(5.1)
    assert wanted.heartbeat_s == 5.0
    np.testing.assert_array_equal(wanted.velocity_command, np.zeros(3))
    assert terminal.operator.read(50.0).heartbeat_s == 5.0


def test_the_terminal_is_given_back_as_it_was(terminal):
    assert termios.tcgetattr(terminal.screen) != terminal.before
    terminal.operator.close()
    assert termios.tcgetattr(terminal.screen) == terminal.before
    terminal.operator.close()
    assert terminal.type("1", 1.0).request is Request.KEEP


def test_a_reading_without_keys_does_not_wait(terminal):
    start = os.times().elapsed
    for _ in range(1000):
        terminal.operator.read(1.0)
    assert os.times().elapsed - start < 1.0


def test_what_is_no_terminal_is_refused_with_the_alternatives():
    read, write = os.pipe()
    try:
        with pytest.raises(
            SurefootError, match=r"no terminal, .* \(ssh -t\), or take --operator joystick or script:FILE"
        ):
            KeyboardOperator(NAMES, LARGEST, time_s=0.0, descriptor=read)
    finally:
        os.close(read)
        os.close(write)


@pytest.mark.parametrize("begun", [False, True])
def test_keys_typed_before_the_loop_began_or_in_a_pause_are_not_obeyed(terminal, begun):
    if begun:
        terminal.operator.read(1.0)
    os.write(terminal.keys, b"12www" + b"w" * 2000)  # one read of the terminal does not find them all
    now = 1.0 + PAUSE_S + 0.01
    for i in range(20):
        wanted = terminal.operator.read(now + 0.002 * i)
        assert (wanted.request, wanted.stop, wanted.velocity_command.tolist()) == (Request.KEEP, False, [0.0] * 3)
    assert terminal.type("1", now + 0.1).request is Request.STAND


def test_a_pause_takes_the_velocity_away_and_what_was_still_to_be_asked(terminal):
    assert terminal.type("12w", 1.0).request is Request.STAND
    wanted = terminal.operator.read(1.0 + PAUSE_S + 0.01)
    assert (wanted.request, wanted.velocity_command.tolist()) == (Request.KEEP, [0.0] * 3)


def test_keys_in_a_pause_are_no_sign_of_presence(terminal):
    terminal.operator.read(1.0)
    os.write(terminal.keys, b"\r")
    assert terminal.operator.read(100.0).heartbeat_s == PRESENCE_S


def test_a_stop_is_obeyed_whenever_it_was_typed(terminal):
    os.write(terminal.keys, b"1 r2")
    wanted = terminal.operator.read(1.0)
    assert (wanted.stop, wanted.request) == (True, Request.KEEP)
    terminal.type("r", 2.0)
    os.write(terminal.keys, b" ")
    assert terminal.operator.read(100.0).stop


def test_after_a_pause_the_terminal_is_taken_again(terminal):
    terminal.operator.read(1.0)
    termios.tcsetattr(terminal.screen, termios.TCSANOW, terminal.before)  # what a shell does with a stopped program's
    terminal.operator.read(1.1)
    assert terminal.type("1", 5.0).request is Request.STAND  # without a line's end
    assert not termios.tcgetattr(terminal.screen)[3] & termios.ECHO


def test_a_terminal_that_shows_nothing_any_more_does_not_hold_up_its_opening():
    keys, screen = pty.openpty()
    try:
        os.set_blocking(screen, False)
        with pytest.raises(BlockingIOError):
            while True:
                os.write(screen, b"what is to be shown, and nobody reads")
        KeyboardOperator(NAMES, LARGEST, time_s=0.0, descriptor=screen).close()
    finally:
        os.close(keys)
        os.close(screen)
