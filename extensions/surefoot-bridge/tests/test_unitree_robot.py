"""Reports and commands of Unitree's robots over DDS on the loopback, joints and feet by name."""

import threading
import time

import numpy as np
import pytest
from unitree_peer import DOMAIN, Peer, await_true, needs_dds, opened

from surefoot_bridge.clock import MonotonicClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import JointCommand
from surefoot_bridge.unitree import UnitreeG1
from surefoot_bridge.unitree.commands import LowCommand
from surefoot_bridge.unitree.dds.participant import Participant
from surefoot_bridge.unitree.kinds import KINDS

pytestmark = [needs_dds, pytest.mark.usefixtures("quick_opening")]

GO2, G1 = "unitree_go2", "unitree_g1"


def command(n, first=0.0):
    rows = first + np.arange(5 * n, dtype=float).reshape(5, n) / 8.0
    rows[[1, 4]] = 0.0  # a velocity or a torque is refused
    return JointCommand(*rows)


def test_a_report_has_joints_in_the_robots_order_and_feet_in_the_contracts():
    with Peer(GO2), opened() as robot:
        state = robot.read().state
        assert robot.joint_names == KINDS[GO2].joint_names
        assert robot.num_foot_sensors == 4
    place = np.arange(12)
    assert state.joint_pos_rad.tolist() == (0.125 * place).tolist()
    assert state.joint_vel_rad_s.tolist() == (1.0 + 0.125 * place).tolist()
    assert state.joint_torque_nm.tolist() == (2.0 + 0.125 * place).tolist()
    assert state.motor_temperature_c.tolist() == (30.0 + place).tolist()
    assert state.foot_force_n.tolist() == [20.0, 10.0, 40.0, 30.0]  # the robot's own order is FR, FL, RR, RL
    assert state.imu_quat_wxyz.tolist() == [0.5, -0.5, 0.5, 0.5]
    assert state.imu_ang_vel_rad_s.tolist() == [0.25, 0.5, 0.75]
    assert state.imu_lin_acc_m_s2.tolist() == [1.0, 2.0, 9.5]
    assert float(state.battery_share) == 0.87


def test_a_command_reaches_the_motor_of_its_name():
    with Peer(GO2) as peer, opened() as robot:
        robot.take_control()
        robot.write(command(12))
        told = peer.await_commands()[0]
    for name in ("joint_pos_rad", "joint_vel_rad_s", "stiffness_nm_per_rad", "damping_nms_per_rad", "torque_nm"):
        assert getattr(told, name).tolist() == getattr(command(12), name).tolist()


def test_every_field_of_a_command_reaches_the_motor_of_its_name():
    rows = np.arange(60, dtype=float).reshape(5, 12) / 8.0
    with Peer(GO2) as peer, opened() as robot:
        robot._command.send(JointCommand(*rows))
        told = peer.await_commands()[0]
    for i, name in enumerate(
        ("joint_pos_rad", "joint_vel_rad_s", "stiffness_nm_per_rad", "damping_nms_per_rad", "torque_nm")
    ):
        assert getattr(told, name).tolist() == rows[i].tolist()


@pytest.mark.parametrize("row", [1, 4])
def test_a_command_that_would_drive_a_joint_for_as_long_as_it_is_the_last_is_not_sent(row):
    rows = np.zeros((5, 12))
    rows[row, 7] = 0.1
    with Peer(GO2) as peer, opened() as robot:
        robot.take_control()
        with pytest.raises(SurefootError, match="has a velocity or a torque of its own, which the robot would keep"):
            robot.write(JointCommand(*rows))
        time.sleep(0.05)
        assert peer.commands == []


def test_a_g1_reports_and_obeys_all_its_joints():
    with Peer(G1) as peer, opened(G1) as robot:
        state = robot.read().state
        robot.take_control()
        robot.write(command(29))
        told = peer.await_commands()[0]
        assert peer.firmware.counts.wrong_header == 0  # it obeys commands that repeat its mode_machine only
        assert robot.mode_machine == 5
    assert state.joint_pos_rad.tolist() == (0.125 * np.arange(29)).tolist()
    assert state.motor_temperature_c.tolist() == (30.0 + np.arange(29)).tolist()
    assert state.foot_force_n.shape == (0,)
    assert float(state.battery_share) == 0.87
    assert told.torque_nm.tolist() == command(29).torque_nm.tolist()


def test_time_is_the_robots_and_reports_are_counted():
    with Peer(GO2), opened() as robot:
        first = robot.read()
        assert await_true(lambda: robot.read().state.time_s - first.state.time_s > 0.05)
        second = robot.read()
        assert robot.read().received_s >= second.received_s
    passed_s = second.state.time_s - first.state.time_s
    assert second.received_s - first.received_s == pytest.approx(passed_s, abs=0.02)
    assert second.state.sequence > first.state.sequence
    assert second.state.sequence.dtype == np.int64


def test_a_report_that_waited_to_be_read_is_as_old_as_it_is():
    with Peer(GO2) as peer, opened() as robot:
        time.sleep(0.1)  # reports come while nobody reads
        peer.reporting = False
        time.sleep(0.4)
        reading = robot.read()
        assert 0.3 < MonotonicClock().now() - reading.received_s < 2.0


def test_without_a_new_report_the_last_one_is_returned():
    with Peer(GO2) as peer, opened() as robot:
        peer.reporting = False
        time.sleep(0.1)
        assert robot.read() is robot.read()


def test_a_repeated_tick_is_no_new_report_and_one_that_goes_back_an_older_one():
    with Peer(GO2) as peer, opened() as robot:
        peer.changes = {"time_s": 7.0}
        assert await_true(lambda: robot.read().state.time_s == robot.read().state.time_s)
        time.sleep(0.1)
        frozen = robot.read().state
        time.sleep(0.05)
        assert robot.read().state.sequence == frozen.sequence
        peer.changes = {"time_s": 6.5}
        assert await_true(lambda: robot.read().state.sequence == frozen.sequence - 1)
        assert robot.read().state.time_s == pytest.approx(float(frozen.time_s) - 0.5)


def test_the_tick_may_overflow():
    with Peer(GO2) as peer, opened() as robot:
        peer.changes = {"time_s": (2**32 - 2) / 1000.0}
        time.sleep(0.1)
        before = robot.read().state
        peer.changes = {"time_s": (2**32 + 2) / 1000.0}
        assert await_true(lambda: robot.read().state.time_s > before.time_s)
        assert robot.read().state.time_s == pytest.approx(float(before.time_s) + 0.004)


def test_a_report_with_a_wrong_checksum_is_handed_on_as_such():
    with Peer(GO2) as peer, opened() as robot:
        assert not robot.read().wrong_crc
        peer.firmware.corrupt_reports = 50
        assert await_true(lambda: robot.read().wrong_crc)
        assert await_true(lambda: not robot.read().wrong_crc)


def test_nothing_is_sent_before_control_was_taken():
    with Peer(GO2) as peer, opened() as robot:
        with pytest.raises(SurefootError, match="was not taken control of: once the operator"):
            robot.write(command(12))
        robot.stop()
        robot.close()
        time.sleep(0.05)
        assert peer.commands == []


def test_taking_control_switches_the_robots_own_controller_off():
    with Peer(GO2, own_controller="normal") as peer, opened() as robot:
        assert robot.own_controller == "normal"
        robot.take_control()
        assert peer.firmware.own_controller == ""
        robot.write(command(12))
        peer.await_commands()


def test_control_is_not_taken_while_the_robots_controller_stays_on(monkeypatch):
    with Peer(GO2, own_controller="normal") as peer, opened() as robot:
        monkeypatch.setattr(peer.firmware.own, "release", lambda: None)
        with pytest.raises(SurefootError, match="its own controller 'normal' stays on after 0 s"):
            robot.take_control(timeout_s=0.3)
        with pytest.raises(SurefootError, match="was not taken control of"):
            robot.write(command(12))


def test_a_robot_that_does_not_say_what_controls_it_is_left_alone_unless_the_operator_knows(monkeypatch):
    with Peer(GO2) as peer, opened() as robot:
        monkeypatch.setattr(peer.firmware, "answer", lambda: None)
        with pytest.raises(SurefootError, match="does not say which controller of its own is active"):
            robot.take_control()
        robot.take_control(without_switcher=True)
        robot.write(command(12))
        peer.await_commands()


def test_control_is_not_taken_of_a_robot_that_somebody_else_commands():
    with Peer(GO2), opened() as robot:
        other = Participant("lo", DOMAIN)
        try:
            foreign = LowCommand(other, KINDS[GO2], np.arange(12))
            # There may be more: one that was killed is not forgotten at once.
            assert await_true(lambda: foreign.num_subscribers >= 2)
            robot.take_control()  # one that is silent may be there: a guardian is
            ended = threading.Event()

            def command_on():
                while not ended.wait(0.01):
                    foreign.send(command(12))

            thread = threading.Thread(target=command_on)
            thread.start()
            try:
                with pytest.raises(
                    SurefootError, match=r"Somebody else commands unitree_go2 on .*: rt/lowcmd has \d+ other"
                ):
                    robot.take_control()
            finally:
                ended.set()
                thread.join()
        finally:
            other.close()


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_a_command_that_is_not_finite_is_not_sent(bad):
    with Peer(GO2) as peer, opened() as robot:
        robot.take_control()
        wrong = command(12)
        wrong.joint_pos_rad[3] = bad
        with pytest.raises(SurefootError, match="is not finite; nothing was sent"):
            robot.write(wrong)
        time.sleep(0.05)
        assert peer.commands == []


def test_a_stopped_robot_is_damped_and_asked_for_no_position():
    with Peer(GO2) as peer, opened() as robot:
        robot.take_control()
        robot.write(command(12, first=1.0))
        robot.close()
        told = peer.await_commands(2)[-1]
        robot.close()
        time.sleep(0.05)
        assert len(peer.commands) == 2
    assert not told.stiffness_nm_per_rad.any()
    assert not told.torque_nm.any()
    assert not told.joint_vel_rad_s.any()
    assert told.damping_nms_per_rad.tolist() == [3.0] * 12


def test_a_firmware_ignores_commands_with_a_wrong_checksum_or_header():
    with Peer(GO2) as peer, opened() as robot:
        robot.take_control()
        message = robot._command._message
        robot.write(command(12))
        peer.await_commands()
        publisher = robot._command._publisher
        message["crc"] ^= 1
        publisher.publish()
        message[0]["level_flag"] = 0
        robot.write(command(12))
        assert await_true(lambda: peer.firmware.counts.wrong_header == 1)
        assert (peer.firmware.counts.wrong_checksum, peer.firmware.counts.obeyed) == (1, 1)


def test_of_the_two_temperatures_of_a_g1s_motor_the_higher_counts():
    measured = np.array([[30, 45], [50, 20], [-5, -7]], dtype=np.int16)
    assert UnitreeG1._temperatures(None, measured).tolist() == [45.0, 50.0, -5.0]
