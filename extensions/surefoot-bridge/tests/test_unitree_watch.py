"""Who else commands a robot, how its clock goes, and what its motors and battery say: watched while it walks."""

import ctypes
import math
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from unitree_peer import DOMAIN, Peer, await_true, needs_dds, opened

from surefoot_bridge.clock import MonotonicClock, boot_time_s
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import ALARMS
from surefoot_bridge.state import JointCommand
from surefoot_bridge.unitree import robots

pytestmark = needs_dds
quick = pytest.mark.usefixtures("quick_opening")

GO2, G1 = "unitree_go2", "unitree_g1"

FOREIGN = """
import sys, time
sys.path[:] = {path!r}
import numpy as np
from surefoot_bridge.state import JointCommand
from surefoot_bridge.unitree.commands import LowCommand
from surefoot_bridge.unitree.kinds import KINDS
from surefoot_bridge.unitree.dds.participant import Participant
participant = Participant("lo", {domain})
sender = LowCommand(participant, KINDS["unitree_go2"], np.arange(12))
while sender.num_subscribers < 2:
    time.sleep(0.01)
time.sleep(0.3)  # the receivers discover it as well
for _ in range({number}):
    sender.send(JointCommand(*np.outer([1, 0, 1, 1, 0], np.full(12, 0.25))))
    time.sleep(0.002)
participant.close()
"""


def command(n=12):
    return JointCommand(*np.outer([1, 0, 1, 1, 0], np.full(n, 0.5)))


def foreign_program(number):
    code = FOREIGN.format(path=sys.path, domain=DOMAIN, number=number)
    return subprocess.Popen([sys.executable, "-c", code])


def until(robot, what, timeout_s=10.0):
    """Read and command as a loop does until something holds; return the alarms then."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        alarms = robot.read().alarms
        robot.write(command(len(robot.joint_names)))
        if what(alarms):
            return alarms
        time.sleep(0.002)
    raise AssertionError(robot.read().alarms)


@quick
def test_another_program_that_commands_is_named_and_given_way_to_while_it_goes_on():
    with Peer(GO2) as peer, opened() as robot:
        robot.take_control()
        until(robot, lambda alarms: not alarms)
        other = foreign_program(400)
        try:
            told = until(robot, lambda alarms: "other_commander" in alarms)["other_commander"]
            assert f"(process {other.pid} on {os.uname().nodename})" in told
            time.sleep(0.05)
            begin = len(peer.commands)
            silent_s = time.monotonic() + 0.3
            until(robot, lambda alarms: time.monotonic() > silent_s)
            foreign = [c for _, c in peer.commands[begin:]]
            assert len(foreign) > 20
            assert all(c.stiffness_nm_per_rad[0] == 0.25 for c in foreign)  # not one of ours among them
        finally:
            assert other.wait(20) == 0
        until(robot, lambda alarms: "other_commander" not in alarms)
        assert await_true(lambda: peer.commands[-1][1].stiffness_nm_per_rad[0] == 0.5)  # and ours again


@quick
def test_a_single_command_of_another_program_is_nobody_who_commands():
    with Peer(GO2) as peer, opened() as robot:
        robot.take_control()
        begin = len(peer.commands)
        other = foreign_program(1)
        assert other.wait(20) == 0
        until(robot, lambda alarms: any(c.stiffness_nm_per_rad[0] == 0.25 for _, c in peer.commands[begin:]))
        assert robot.read().alarms == {}


@quick
def test_a_robot_whose_own_controller_wakes_up_is_sent_nothing_more():
    with Peer(GO2, own_controller="normal") as peer, opened() as robot:
        robot.take_control()
        until(robot, lambda alarms: not alarms)
        peer.firmware.own_controller = "normal"  # it was started anew
        told = until(robot, lambda alarms: "own_controller" in alarms)["own_controller"]
        assert "its own controller 'normal' is active again (was it started anew?)" in told
        time.sleep(0.3)
        sent = len(peer.commands)
        silent_s = time.monotonic() + 0.2
        until(robot, lambda alarms: time.monotonic() > silent_s)
        robot.stop()
        time.sleep(0.05)
        assert len(peer.commands) == sent
        peer.firmware.own_controller = ""
        until(robot, lambda alarms: not alarms)
        assert await_true(lambda: len(peer.commands) > sent)


@quick
def test_looking_for_other_commanders_costs_little():
    with Peer(GO2), opened() as robot:
        looks = 2000
        begin_s = time.thread_time()
        for _ in range(looks):
            robot._others.look(0.0)
        assert (time.thread_time() - begin_s) / looks < 50e-6


def other_rate(peer, monkeypatch, rate, begin_s=0.0):
    """Let the robot's clock run faster by a share, from a time of its own on."""
    report = peer.firmware.report

    def faster(state):
        state.time_s[...] += rate * max(float(state.time_s) - begin_s, 0.0)
        report(state)

    monkeypatch.setattr(peer.firmware, "report", faster)


@pytest.mark.parametrize(("rate", "words"), [(0.02, "2.0% fast"), (-0.02, "2.0% slow")])
def test_a_robot_whose_clock_runs_2_percent_off_is_noted_and_its_reports_are_not_old(rate, words, monkeypatch):
    clock = MonotonicClock()
    with Peer(GO2) as peer:
        other_rate(peer, monkeypatch, rate)
        with opened() as robot:
            (note,) = robot.notes
            percent = float(note.split("runs ")[1].split("%")[0])
            assert note.startswith("The robot's clock runs ")
            assert note.endswith(f"% {words.split()[1]} against this computer's.")
            assert percent == pytest.approx(2.0, abs=0.5)
            ages = []
            for _ in range(1000):
                ages.append(clock.now() - robot.read().received_s)
                time.sleep(0.003)
            assert np.median(ages) < 0.02  # of 3 s in which a clock taken for right would have made 60 ms
            assert robot.read().alarms == {}


def test_a_robot_whose_clock_begins_to_run_slow_raises_an_alarm(monkeypatch):
    with Peer(GO2) as peer, opened() as robot:
        assert robot.notes == ()
        robot.take_control()
        state = robot.read().state
        other_rate(peer, monkeypatch, -0.02, float(state.time_s))
        told = until(robot, lambda alarms: "robot_clock_rate" in alarms)["robot_clock_rate"]
        assert "slow against this computer's, which it did not when it was opened" in told


def test_a_robot_whose_clock_runs_a_tenth_slow_is_refused(monkeypatch):
    with Peer(GO2) as peer:
        other_rate(peer, monkeypatch, -0.1)
        with pytest.raises(SurefootError, match=r"The robot's clock runs \d+\.\d% slow .*at most 5% is accepted"):
            opened().close()


@quick
def test_a_robot_whose_clock_was_set_by_a_minute_says_so_and_its_reports_are_not_old_for_ever_after(monkeypatch):
    clock = MonotonicClock()
    with Peer(GO2) as peer, opened() as robot:
        report, step_s = peer.firmware.report, [0.0]

        def stepped(state):
            state.time_s[...] += 100.0 + step_s[0]
            report(state)

        monkeypatch.setattr(peer.firmware, "report", stepped)
        for step in (60.0, -60.0):
            time.sleep(0.1)
            before = robot.read().state
            step_s[0] += step
            seen = []
            assert await_true(lambda: seen.append(robot.read()) or abs(seen[-1].state.time_s - before.time_s) > 50.0)  # noqa: B023
            assert float(seen[-1].state.time_s - before.time_s) == pytest.approx(step, abs=0.5)
            assert (seen[-1].state.sequence > before.sequence) == (step > 0.0)  # a clock set back is no newer report
            time.sleep(0.05)
            assert clock.now() - robot.read().received_s < 0.04


def test_a_delay_of_the_network_that_grows_by_9_ms_a_second_makes_reports_old_within_6_seconds(monkeypatch):
    """The stamp of a report is that of its sending, as on a network whose queue fills."""
    with Peer(GO2) as peer:
        publisher, waiting, begin_s = peer.firmware._reports, [], [math.inf]
        write = publisher._participant.library.dds_write_ts
        write.argtypes = [ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64]

        def publish():
            now_s = time.monotonic()
            due_s = now_s + 0.009 * max(now_s - begin_s[0], 0.0)
            waiting.append((due_s, publisher.message.copy(), time.time_ns()))
            while waiting and waiting[0][0] <= now_s:
                _, message, stamp = waiting.pop(0)
                write(publisher._writer, message.ctypes.data, stamp)

        monkeypatch.setattr(publisher, "publish", publish)
        with opened() as robot:
            begin_s[0] = time.monotonic()
            ages, alarms = [], {}
            while time.monotonic() < begin_s[0] + 6.5:
                reading = robot.read()
                ages.append((time.monotonic() - begin_s[0], MonotonicClock().now() - reading.received_s))
                alarms.update(reading.alarms)
                time.sleep(0.002)
    early = [age for time_s, age in ages if time_s < 2.0]
    late = [age for time_s, age in ages if time_s > 6.0]
    assert np.median(early) < 0.03
    assert np.median(late) > 0.04  # from which safety takes a report for old; the delay is 54 ms
    assert alarms == {}  # and it is not the clock's fault


def test_a_suspend_counts_on_the_loops_clock():
    assert MonotonicClock().now() == pytest.approx(time.clock_gettime(time.CLOCK_BOOTTIME), abs=0.1)
    assert boot_time_s() == pytest.approx(time.clock_gettime(time.CLOCK_BOOTTIME), abs=0.1)


@pytest.mark.parametrize(
    ("machine", "variant"),
    [(4, "23 joints (g1_23dof_rev_1_0)"), (6, "29 joints with a locked waist (g1_29dof_lock_waist_rev_1_0)")],
)
def test_a_g1_of_another_variant_is_refused_by_its_name(machine, variant):
    with Peer(G1, mode_machine=machine), pytest.raises(SurefootError) as error:
        opened(G1).close()
    assert f"is another variant: its mode_machine is {machine}: {variant}. The contract is for 5: 29 joints" in str(
        error.value
    )


@quick
def test_a_g1_that_says_that_it_is_another_variant_raises_an_alarm_and_still_obeys_the_damping():
    with Peer(G1, mode_machine=5) as peer, opened(G1) as robot:
        robot.take_control()
        until(robot, lambda alarms: not alarms)
        peer.firmware._mode_machine = 4
        peer.firmware._begin_report()
        told = until(robot, lambda alarms: "other_variant" in alarms)["other_variant"]
        assert told.startswith(f"{robot.address} changed its mode_machine from 5 to 4: its joints are others.")
        assert robot.mode_machine == 4  # what its commands must repeat


@quick
def test_a_g1_whose_battery_is_silent_raises_an_alarm_and_keeps_its_charge(monkeypatch):
    monkeypatch.setattr(robots, "_BATTERY_SILENT_S", 1.5)
    with Peer(G1) as peer, opened(G1) as robot:
        robot.take_control()
        until(robot, lambda alarms: not alarms)
        monkeypatch.setattr(peer.firmware, "_report_battery", lambda share: None)
        told = until(robot, lambda alarms: "battery_silent" in alarms)["battery_silent"]
        assert told.endswith("its charge was 87%.")
        assert float(robot.read().state.battery_share) == 0.87


@quick
def test_a_motor_of_a_g1_that_reports_a_fault_is_named():
    with Peer(G1) as peer, opened(G1) as robot:
        peer.firmware._reports.message[0]["motor_state"]["motorstate"][3] = 0x40
        alarms = {}
        assert await_true(lambda: alarms.update(robot.read().alarms) or "motor_fault" in alarms)
        assert alarms["motor_fault"] == "Motors report a fault (motorstate): left_knee_joint 0x40."
        peer.firmware._reports.message[0]["motor_state"]["motorstate"][3] = 0
        assert await_true(lambda: not robot.read().alarms)


@quick
def test_a_motor_of_a_go2_that_loses_messages_is_named_and_old_losses_do_not_count():
    with Peer(GO2) as peer:
        lost = peer.firmware._reports.message[0]["motor_state"]["lost"]
        lost[:] = 10**6
        with opened() as robot:
            assert robot.read().alarms == {}
            lost[2] += 26  # of some 500 in a second; 25 are a twentieth
            alarms = {}
            assert await_true(lambda: alarms.update(robot.read().alarms) or "motor_link" in alarms)
            assert alarms["motor_link"].startswith("FR_calf_joint: 26 messages between computer and motor were lost")
            assert await_true(lambda: not robot.read().alarms)


def test_every_alarm_of_a_robot_is_one_that_safety_knows():
    assert len(set(ALARMS)) == len(ALARMS) == 7
