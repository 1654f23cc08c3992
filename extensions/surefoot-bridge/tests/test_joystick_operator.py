"""Events as a joystick's device gives them, through a pipe with a name in the file system."""

import os
import struct

import numpy as np
import pytest

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.operators import joystick as joystick_operator
from surefoot_bridge.operators.joystick import MOTION_S, PRESENCE_S, JoystickOperator, joysticks
from surefoot_bridge.state import Request

NAMES = ("lin_vel_x_m_s", "lin_vel_y_m_s", "ang_vel_z_rad_s")
LARGEST = (0.3, 0.2, 0.5)
A, B, X, Y, LB, BACK, START = 0, 1, 2, 3, 4, 6, 7
LEFT_X, LEFT_Y, RIGHT_X = 0, 1, 3
FULL = 32767


def button(number, is_down, *, initial=False):
    return struct.pack("<IhBB", 1234, int(is_down), 0x01 | (0x80 if initial else 0), number)


def axis(number, value, *, initial=False):
    return struct.pack("<IhBB", 1234, value, 0x02 | (0x80 if initial else 0), number)


class Joystick:
    """A joystick in somebody's hands; the operator was opened at time 0."""

    def __init__(self, path):
        os.mkfifo(str(path))
        self.hands = os.open(str(path), os.O_RDWR)
        self.operator = JoystickOperator(NAMES, LARGEST, time_s=0.0, device=path)

    def at(self, time_s, *events):
        self.operator.read(time_s)  # the loop has looked until now
        os.write(self.hands, b"".join(events))
        return self.operator.read(time_s)

    def unplug(self):
        if self.hands >= 0:
            os.close(self.hands)
            self.hands = -1


@pytest.fixture
def joystick(tmp_path):
    joystick = Joystick(tmp_path / "js7")
    yield joystick
    joystick.operator.close()
    joystick.unplug()


def test_sticks_command_only_while_the_dead_mans_button_is_held(joystick):
    np.testing.assert_array_equal(joystick.at(1.0, axis(LEFT_Y, -FULL)).velocity_command, np.zeros(3))
    np.testing.assert_allclose(joystick.at(1.1, button(LB, True)).velocity_command, [0.3, 0.0, 0.0])
    np.testing.assert_array_equal(joystick.at(1.2, button(LB, False)).velocity_command, np.zeros(3))


def test_forward_and_left_are_positive(joystick):
    wanted = joystick.at(1.0, button(LB, True), axis(LEFT_Y, FULL), axis(LEFT_X, -FULL), axis(RIGHT_X, FULL))
    np.testing.assert_allclose(wanted.velocity_command, [-0.3, 0.2, -0.5])


def test_the_middle_of_a_stick_is_wide_and_its_way_is_linear_from_there(joystick):
    np.testing.assert_array_equal(
        joystick.at(1.0, button(LB, True), axis(LEFT_Y, round(-0.05 * FULL))).velocity_command, np.zeros(3)
    )
    wanted = joystick.at(1.1, axis(LEFT_Y, round(-0.525 * FULL))).velocity_command  # halfway from 0.05 to 1
    np.testing.assert_allclose(wanted, [0.15, 0.0, 0.0], atol=1e-5)
    np.testing.assert_allclose(joystick.at(1.2, axis(LEFT_Y, -32768)).velocity_command, [0.3, 0.0, 0.0])


def test_standing_up_and_walking_need_the_dead_mans_button(joystick):
    for number in (A, X):
        assert joystick.at(1.0, button(number, True), button(number, False)).request is Request.KEEP
    joystick.at(1.0, button(LB, True))
    assert joystick.at(1.1, button(A, True)).request is Request.STAND
    assert joystick.at(1.2, button(X, True)).request is Request.WALK
    joystick.at(1.3, button(LB, False))
    assert joystick.at(1.4, button(Y, True)).request is Request.SIT
    assert joystick.at(1.5, button(BACK, True)).request is Request.PASSIVE
    assert joystick.operator.read(1.6).request is Request.KEEP


def test_the_stop_button_stops_until_the_release(joystick):
    assert joystick.at(1.0, button(B, True), button(B, False)).stop
    assert joystick.operator.read(2.0).stop
    wanted = joystick.at(3.0, button(START, True))
    assert (wanted.stop, wanted.release, wanted.request) == (False, True, Request.RELEASE)


def test_what_is_held_when_it_is_opened_was_not_meant(joystick):
    wanted = joystick.at(1.0, button(START, True, initial=True), button(B, True, initial=True))
    assert (wanted.request, wanted.stop) == (Request.KEEP, False)
    assert joystick.operator.read(100.0).heartbeat_s == PRESENCE_S  # the first state is no sign of anybody


def test_without_events_the_velocity_becomes_zero_and_then_the_heartbeat_ends(joystick):
    joystick.at(1.0, button(LB, True), axis(LEFT_Y, -FULL))
    np.testing.assert_allclose(joystick.operator.read(1.0 + MOTION_S - 0.1).velocity_command, [0.3, 0.0, 0.0])
    np.testing.assert_array_equal(joystick.operator.read(1.0 + MOTION_S).velocity_command, np.zeros(3))
    assert joystick.operator.read(1.0 + PRESENCE_S).heartbeat_s == 1.0 + PRESENCE_S
    assert joystick.operator.read(100.0).heartbeat_s == 1.0 + PRESENCE_S
    np.testing.assert_allclose(joystick.at(101.0, axis(RIGHT_X, 0)).velocity_command, [0.3, 0.0, 0.0])


def test_an_unplugged_joystick_ends_the_heartbeat_at_once(joystick):
    joystick.at(5.0, button(LB, True), axis(LEFT_Y, -FULL))
    joystick.unplug()
    wanted = joystick.operator.read(5.1)
    assert wanted.heartbeat_s == 5.0
    np.testing.assert_array_equal(wanted.velocity_command, np.zeros(3))
    assert joystick.operator.read(50.0).heartbeat_s == 5.0


def test_an_event_that_comes_in_two_parts_is_put_together(joystick):
    event = button(B, True)
    assert not joystick.at(1.0, event[:3]).stop
    assert joystick.at(1.1, event[3:]).stop


def test_a_device_that_is_not_there_is_refused_with_those_that_are(monkeypatch, tmp_path):
    monkeypatch.setattr(joystick_operator, "_FOLDER", tmp_path)
    with pytest.raises(SurefootError, match=r"There is no joystick: no .*/js\*\. Plug one in .*--operator keyboard"):
        JoystickOperator(NAMES, LARGEST, time_s=0.0)
    os.mkfifo(str(tmp_path / "js0"))
    assert joysticks() == [tmp_path / "js0"]
    with pytest.raises(SurefootError, match=r"js9 cannot be opened: No such file .* There are: .*js0 \(unnamed\)\."):
        JoystickOperator(NAMES, LARGEST, time_s=0.0, device=tmp_path / "js9")
    operator = JoystickOperator(NAMES, LARGEST, time_s=0.0)  # the first one
    assert operator.name == "unnamed"
    operator.close()


def test_a_command_for_which_it_has_no_stick_is_refused(tmp_path):
    with pytest.raises(SurefootError, match="no axis for height_m; it has: lin_vel_x_m_s, "):
        JoystickOperator(("height_m",), (0.1,), time_s=0.0, device=tmp_path / "js0")


def test_buttons_pressed_before_the_loop_began_or_in_a_pause_are_not_obeyed_but_a_stop_is(joystick):
    for now in (1.0, 100.0):
        os.write(joystick.hands, button(LB, True) + button(A, True) + button(A, False))
        assert joystick.operator.read(now).request is Request.KEEP
        assert joystick.operator.read(now + 0.1).request is Request.KEEP
    os.write(joystick.hands, button(B, True))
    assert joystick.operator.read(200.0).stop


def test_a_file_or_a_folder_is_no_joystick(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file"):
        with pytest.raises(SurefootError, match=r"is no device\. There are: "):
            JoystickOperator(NAMES, LARGEST, time_s=0.0, device=path)
