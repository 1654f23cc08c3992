"""What a person sees while a run lasts, in a real terminal, and that the loop waits for nobody who looks."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import numpy as np
import pytest
from contracts import small_contract
from safety_cases import LIMITS, good_report

from surefoot_bridge.live.panel import Words
from surefoot_bridge.live.snapshot import Snapshot
from surefoot_bridge.live.status import LiveStatus
from surefoot_bridge.robots import Reading
from surefoot_bridge.safety import Response, SafetyVerdict
from surefoot_bridge.safety.rules import safety_rules
from surefoot_bridge.state import Mode

CONTRACT = small_contract()
RULES = safety_rules(CONTRACT, LIMITS, ("",))
COMMAND = np.array([0.3, 0.0, -0.1])
LONGEST_S = 60.0


def verdict(rule=None):
    """What safety says while one rule acts, or none."""
    active = np.array([item.name == rule for item in RULES])
    response = max((item.response for item, acts in zip(RULES, active) if acts), default=Response.NONE)
    unused = np.zeros(0)
    return SafetyVerdict(np.int8(response), active, active, unused, unused, None, lambda: unused)


def reading(i, now):
    return Reading(good_report(i, motor_temperature_c=np.array([30.0, 61.0, 40.0])), now - 0.004, wrong_crc=False)


class Screen:
    """A terminal that is read when somebody asks."""

    def __init__(self, columns=100):
        self.keys, self.screen = pty.openpty()
        fcntl.ioctl(self.screen, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
        self.shown = ""

    def await_text(self, text):
        until = time.monotonic() + LONGEST_S
        while text not in self.shown:
            assert time.monotonic() < until, self.shown
            if select.select([self.keys], [], [], 0.1)[0]:
                self.shown += os.read(self.keys, 65536).decode()

    def close(self):
        os.close(self.keys)
        os.close(self.screen)


@pytest.fixture
def screen(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    made = Screen()
    yield made
    made.close()


def live(output, *, simulated=False):
    return LiveStatus(CONTRACT, RULES, stage="tethered", duration_s=180.0, simulated=simulated, output=output)


def show(status, i, *, mode=Mode.WALK, rule=None, period_s=0.1):
    now = 100.0 + period_s * i
    status.show(now, int(mode), verdict(rule), reading(i, now), COMMAND)


def test_a_panel_shows_mode_rule_command_reports_motor_battery_and_the_time_that_is_left(screen):
    with live(screen.screen) as status:
        for i in range(4):
            show(status, i, rule="operator_lost")
            time.sleep(0.1)
        screen.await_text("operator_lost for 0.3 s")
    text = re.sub("\x1b\\[[0-9;]*[A-Za-z]", "", screen.shown)
    name = CONTRACT.robot.sdk_joint_names[1].replace("_joint", "")
    assert "WALK             0.3 s | tethered, 2:59 min left | battery" in text
    assert "asked  forward +0.30  left +0.00  turn -0.10 | turns " in text
    assert (
        f"reports   4 ms old, 0.0% lost | {name} 61 of {CONTRACT.safety.motor_temperature_limit_c:.0f} C | stop: "
        in text
    )
    assert "\a" not in screen.shown
    assert not re.search("[^\r]\n", screen.shown)  # the keyboard's operator may have made a line's end mean no more


def test_no_line_of_the_panel_is_longer_than_the_terminal(screen):
    fcntl.ioctl(screen.screen, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 40, 0, 0))
    with live(screen.screen) as status:
        show(status, 0)
        screen.await_text("reports")
        screen.await_text("\r")
    text = re.sub("\x1b\\[[0-9;]*[A-Za-z]", "", screen.shown)
    assert max(map(len, re.split("[\r\n]+", text))) == 39


def test_a_damped_robot_is_said_at_once_with_a_bell_in_white_on_red(screen):
    with live(screen.screen) as status:
        show(status, 0)
        screen.await_text("no rule acts")
        begun_s = time.monotonic()
        show(status, 0, mode=Mode.DAMPED, rule="tilt")  # in the same tenth of a second
        screen.await_text("THE ROBOT IS DAMPED. tilt: ")
        assert time.monotonic() - begun_s < 2.0
        screen.await_text("*** DAMPED ***")
    assert "\a\x1b[1;37;41m *** THE ROBOT IS DAMPED. tilt: " in screen.shown
    assert screen.shown.count("THE ROBOT IS DAMPED") == 1


def test_what_is_said_last_is_shown_even_if_the_loop_ends_at_once(screen):
    with live(screen.screen) as status:
        show(status, 0, mode=Mode.DAMPED, rule="tilt")
    screen.await_text("THE ROBOT IS DAMPED. tilt: ")


def test_a_loop_that_stands_still_is_said(screen):
    with live(screen.screen) as status:
        show(status, 0)
        screen.await_text("*** THE CONTROL LOOP STANDS STILL for 1.")


def test_a_simulation_that_is_slower_than_real_time_is_no_loop_that_stands_still(screen):
    with live(screen.screen, simulated=True) as status:
        for i in range(30):  # at a hundredth of real time
            show(status, i, period_s=5e-4)
            time.sleep(0.05)
        number, _ = status._shared.take()
        assert number >= 10  # of 1.5 s
        screen.await_text("The simulation is slower than real time: its clock has stood for 1.")
    assert "STANDS STILL" not in screen.shown
    assert "\a" not in screen.shown


def test_without_a_terminal_plain_lines_tell_the_same():
    source, sink = os.pipe()
    with live(sink) as status, os.fdopen(source) as lines:
        os.close(sink)
        show(status, 0, mode=Mode.STAND)
        assert lines.readline().startswith("STAND 0.0 s | tethered, 3:00 min left | battery ")
        show(status, 1)
        assert lines.readline().startswith("WALK 0.0 s | tethered, 2:59 min left | battery ")
        show(status, 2, mode=Mode.DAMPED, rule="tilt")
        loud = lines.readline()
        assert loud.startswith("*** THE ROBOT IS DAMPED. tilt: ")
        assert "\x1b" not in loud
        assert lines.readline().startswith("*** DAMPED *** 0.0 s | ")
        status.close()
        assert lines.read() == ""  # nobody has it open any more


@pytest.mark.parametrize("kind", ["terminal", "pipe"])
def test_who_does_not_read_holds_up_neither_the_loop_nor_its_end(screen, kind):
    source, sink = os.pipe() if kind == "pipe" else (os.dup(screen.keys), os.dup(screen.screen))
    os.set_blocking(sink, False)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(sink, b"x" * 100)
    os.set_blocking(sink, True)
    status = live(sink)
    longest_s = 0.0
    for i in range(200):
        begun_s = time.thread_time()  # a busy computer's time is not the loop's
        show(status, i, mode=Mode.WALK if i % 2 else Mode.STAND)
        longest_s = max(longest_s, time.thread_time() - begun_s)
        time.sleep(0.005)
    assert longest_s < 0.005
    begun_s = time.monotonic()
    status.close()
    assert time.monotonic() - begun_s < 3.0
    os.close(source)
    os.close(sink)


def test_a_tenth_of_a_second_passes_between_two_snapshots_while_nothing_changes(screen):
    with live(screen.screen) as status:
        for i in range(1000):
            show(status, i, period_s=0.002)
        number, seen = status._shared.take()
    assert number == 20  # in 2 s
    assert seen is not None
    assert seen.time_s == pytest.approx(101.9)


@pytest.fixture
def bridge(screen):
    code = (
        f"import sys, time; sys.path[:] = {sys.path!r}; from test_live_status import *\n"
        "status = live(None); show(status, 0); time.sleep(60.0)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=screen.screen)
    screen.await_text("no rule acts")
    yield process
    process.kill()
    process.wait()


def test_a_bridge_that_is_killed_is_said_to_be_gone(screen, bridge):
    bridge.send_signal(signal.SIGKILL)
    screen.await_text("*** THE BRIDGE IS GONE")


def test_nothing_is_drawn_while_a_person_has_suspended_the_bridge(screen, bridge):
    bridge.send_signal(signal.SIGSTOP)
    time.sleep(0.3)
    termios.tcflush(screen.keys, termios.TCIFLUSH)
    assert not select.select([screen.keys], [], [], 1.5)[0]
    bridge.send_signal(signal.SIGCONT)
    screen.await_text("STANDS STILL")


def words():
    return Words(
        stage="field",
        modes=["passive"],
        damped_mode=4,
        rules=[["tilt", "The base is tilted."]],
        responses=["none"],
        damp=3,
        motors=["a_joint"],
        temperature_limit_c=90.0,
        command_names=["height_m"],
        report_hz=500.0,
    )


def snapshot(robot_time_s, sequence, **changes):
    seen = Snapshot(1.0, 60.0, 0, 75.0, -1, 0.0, 0, 1.5, robot_time_s, sequence, float("nan"), 0, 41.4, 0.0, (0.5,))
    return seen._replace(**changes)


def test_the_share_of_lost_reports_is_what_the_robots_clock_says_was_sent_less_what_came():
    told = words()
    told.take(snapshot(10.0, 1000.0))
    told.take(snapshot(11.0, 1400.0))  # 500 were sent, 400 came
    assert "reports  1.5 s old, 20.0% lost | a 41 of 90 C | no rule acts" in told.lines(snapshot(11.0, 1400.0))[2]
    told.take(snapshot(13.5, 2650.0))  # the first is 3.5 s ago: 1250 in 2.5 s
    assert " 0.0% lost" in told.lines(snapshot(13.5, 2650.0))[2]
    told.take(snapshot(0.1, 5.0))  # the robot began anew
    assert " 0.0% lost" in told.lines(snapshot(0.1, 5.0))[2]


def test_what_is_unknown_is_called_so_and_a_robot_may_be_switched_off_in_any_mode():
    told, seen = words(), snapshot(10.0, 1.0)
    assert told.lines(seen)[0] == "PASSIVE       1:15 min | field, 1:00 min left | battery unknown"
    assert told.lines(seen)[1] == "asked  height_m +0.50 | turns +0.00 rad/s"
    assert told.lines(seen._replace(left_s=-1.0))[0].endswith("| field, its time is over | battery unknown")
    assert not told.damped(seen)
    off = seen._replace(response=4, rule=0)
    assert told.damped(off)
    assert told.why(off) == "tilt: The base is tilted."
    assert told.why(off._replace(rule=-1)) == "Somebody asked for it."
