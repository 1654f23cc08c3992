"""Scripts: what they say, when it is done, and what is refused."""

import os

import numpy as np
import pytest

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.operators.script import Entry, ScriptOperator, parse_script, read_script
from surefoot_bridge.state import Request

NAMES = ("lin_vel_x_m_s", "lin_vel_y_m_s", "ang_vel_z_rad_s")
SCRIPT = """
# The way to walk.
0.0  stand
3.0  walk
4.0  velocity 0.5 0 -0.2   # ahead, and to the right
24   stand
27   sit
30   end
"""


def refusal(text):
    with pytest.raises(SurefootError) as error:
        parse_script(text, NAMES, where="s.txt")
    return str(error.value)


def test_a_script_is_read_line_by_line():
    assert parse_script(SCRIPT, NAMES, where="s.txt") == (
        Entry(0.0, "stand", ()),
        Entry(3.0, "walk", ()),
        Entry(4.0, "velocity", (0.5, 0.0, -0.2)),
        Entry(24.0, "stand", ()),
        Entry(27.0, "sit", ()),
        Entry(30.0, "end", ()),
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 wlak", "line 2: Unknown word 'wlak'; valid: walk, "),
        ("1 velocity 0.5 0", "velocity takes 3 numbers: lin_vel_x_m_s, lin_vel_y_m_s, ang_vel_z_rad_s; 2 came."),
        ("1 velocity 0.5 0 0 0", "4 came."),
        ("1 velocity 0.5 0 nan", "'nan' is not a number."),
        ("1 velocity inf 0 0", "'inf' is not a number."),
        ("1 stand 3", "stand takes nothing behind it; 1 came."),
        ("soon stand", "line 2: 'soon' is not a time in seconds."),
        ("inf stand", "'inf' is not a time in seconds."),
        ("-1 stand", "time -1 is before the start; it must be >= 0."),
        ("0.4 stand", "line 2: time 0.4 comes after 0.5; sort the lines by time."),
        ("1", "nothing is said for time 1; valid: passive, stand, walk, sit, damped, release, velocity, stop, end."),
    ],
)
def test_a_line_that_says_nothing_is_refused_with_its_number(line, message):
    text = refusal(f"0.5 sit\n{line}\n")
    assert text.startswith("The script s.txt is refused: line 2: ")
    assert message in text


def test_all_wrong_lines_are_named_at_once():
    text = refusal("x stand\n1 stand\n1 fly\n2 end\n3 sit\n")
    assert [line.split(":")[0].strip() for line in text.splitlines()[1:]] == ["line 1", "line 3", "line 5"]
    assert "line 5: there is something behind end." in text


def test_an_empty_script_is_refused():
    assert "there is no line that says anything." in refusal("# nothing\n\n")


def test_a_file_that_is_no_script_is_refused(tmp_path):
    with pytest.raises(SurefootError, match=r"The script .*none cannot be read: No such file"):
        read_script(tmp_path / "none", NAMES)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe0 stand")
    with pytest.raises(SurefootError, match="no text in UTF-8"):
        read_script(tmp_path / "bytes", NAMES)
    (tmp_path / "long").write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(SurefootError, match="larger than 1 MiB"):
        read_script(tmp_path / "long", NAMES)


def test_each_line_is_done_once_and_at_its_time_from_the_first_reading(tmp_path):
    (tmp_path / "s.txt").write_text(SCRIPT)
    operator = ScriptOperator(read_script(tmp_path / "s.txt", NAMES), 3)
    done = []
    for i in range(32 * 50 + 1):
        wanted = operator.read(500.0 + i * 0.02)
        assert wanted.heartbeat_s == 500.0 + i * 0.02
        if wanted.request is not Request.KEEP:
            done.append((round(i * 0.02, 6), wanted.request))
        np.testing.assert_array_equal(wanted.velocity_command, [0.5, 0.0, -0.2] if i >= 200 else np.zeros(3))
    assert done == [(0.0, Request.STAND), (3.0, Request.WALK), (24.0, Request.STAND), (27.0, Request.SIT)]
    assert operator.done
    assert (operator.end_s, operator.last_s) == (30.0, 30.0)


def test_requests_at_the_same_time_come_one_after_the_other():
    operator = ScriptOperator(parse_script("0 sit\n0 stand\n0 velocity 1 0 0\n", NAMES, where="s"), 3)
    wanted = [operator.read(time_s) for time_s in (0.0, 0.002, 0.004)]
    assert [item.request for item in wanted] == [Request.SIT, Request.STAND, Request.KEEP]
    np.testing.assert_array_equal(wanted[2].velocity_command, [1.0, 0.0, 0.0])
    assert operator.end_s is None


def test_a_stop_lasts_until_the_release():
    operator = ScriptOperator(parse_script("1 stop\n2 release\n", NAMES, where="s"), 3)
    assert [operator.read(time_s).stop for time_s in (0.0, 1.0, 1.5)] == [False, True, True]
    released = operator.read(2.0)
    assert (released.stop, released.release, released.request) == (False, True, Request.RELEASE)
    assert not operator.read(2.1).release


def test_what_is_handed_out_does_not_change_the_script():
    operator = ScriptOperator(parse_script("0 velocity 1 0 0\n", NAMES, where="s"), 3)
    operator.read(0.0).velocity_command[:] = 9.0
    np.testing.assert_array_equal(operator.read(1.0).velocity_command, [1.0, 0.0, 0.0])


@pytest.mark.parametrize(("make", "kind"), [(os.mkfifo, "a pipe"), (os.mkdir, "a folder")])
def test_a_script_that_is_no_plain_file_is_refused_and_not_waited_for(tmp_path, make, kind):
    make(tmp_path / "script")
    with pytest.raises(SurefootError, match=f"The script .*/script is {kind}; give a plain file"):
        read_script(tmp_path / "script", NAMES)


def test_a_device_is_no_script():
    with pytest.raises(SurefootError, match="/dev/zero is a device; give a plain file"):
        read_script("/dev/zero", NAMES)
