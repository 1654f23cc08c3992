"""A simulated robot behind Unitree's messages: joints and feet by name, one robot at an address."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from unitree_peer import Peer, address, await_true, needs_dds, opened, robot_state

from surefoot_bridge.clock import MonotonicClock, SimulatedClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import Reading, Robot
from surefoot_bridge.state import JointCommand
from surefoot_bridge.unitree.emulation.emulated_robot import EmulatedRobot
from surefoot_bridge.unitree.emulation.paced_clock import PacedClock
from surefoot_bridge.unitree.kinds import KINDS

pytestmark = [needs_dds, pytest.mark.usefixtures("quick_opening")]

GO2 = "unitree_go2"
JOINTS = tuple(np.random.default_rng(3).permutation(KINDS[GO2].joint_names).tolist())
FEET = ("RL_foot", "FL_foot", "RR_foot", "FR_foot")


class ObedientRobot(Robot):
    """Its joints are where they were told to be last; its feet tell themselves apart."""

    name, num_foot_sensors = GO2, 4

    def __init__(self, clock):
        self._clock = clock
        self._told = None
        self.closed = False

    def read(self):
        now = self._clock.now()
        state = robot_state(GO2, now, foot_force_n=[1.0, 2.0, 3.0, 4.0])
        if self._told is not None:
            state.joint_pos_rad[:], state.joint_vel_rad_s[:] = self._told.joint_pos_rad, self._told.joint_vel_rad_s
            state.joint_torque_nm[:] = self._told.torque_nm
        return Reading(state, now, wrong_crc=False)

    def write(self, command):
        self._told = command

    def stop(self):
        self._told = None

    def close(self):
        self.closed = True


class Emulation:
    """An emulation in a thread."""

    def __init__(self, *, joints=JOINTS, feet=FEET, **options):
        clock = MonotonicClock()
        robot_clock = PacedClock(clock, 0.01)
        self.robot = ObedientRobot(robot_clock)
        self.emulated = EmulatedRobot(
            address(GO2),
            self.robot,
            joint_names=joints,
            foot_names=feet,
            clock=clock,
            robot_clock=robot_clock,
            **options,
        )
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.report = None

    def _run(self):
        self.report = self.emulated.run(self._ended.is_set)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *unused):
        self._ended.set()
        self._thread.join()
        self.emulated.close()


def test_what_a_joint_is_told_is_what_the_joint_of_its_name_reports():
    rows = np.arange(60, dtype=float).reshape(5, 12) / 8.0
    with Emulation() as emulation, opened() as robot:
        robot.take_control()
        robot._command.send(JointCommand(*rows))  # with velocities and torques, which a bridge does not send
        assert await_true(lambda: robot.read().state.joint_pos_rad[1] == rows[0, 1])
        state = robot.read().state
        told = emulation.robot._told
    assert state.joint_pos_rad.tolist() == rows[0].tolist()
    assert state.joint_vel_rad_s.tolist() == rows[1].tolist()
    assert state.joint_torque_nm.tolist() == rows[4].tolist()
    assert state.foot_force_n.tolist() == [2.0, 4.0, 1.0, 3.0]
    sdk = KINDS[GO2].joint_names
    assert told.stiffness_nm_per_rad.tolist() == [rows[2, sdk.index(name)] for name in JOINTS]
    assert told.damping_nms_per_rad.tolist() == [rows[3, sdk.index(name)] for name in JOINTS]
    assert emulation.robot.closed
    assert emulation.report.counts.obeyed >= 1
    assert emulation.report.reports > 50


def test_a_simulated_robot_with_other_joints_is_refused():
    with pytest.raises(SurefootError, match="The simulated joints of unitree_go2 are tail_joint, "):
        Emulation(joints=("tail_joint", *JOINTS[1:]))


def test_there_is_one_emulated_robot_at_an_address():
    with Emulation(), pytest.raises(SurefootError, match=f"Another emulator has {address(GO2)}"):
        Emulation()


def test_no_robot_is_emulated_where_there_is_one():
    with Peer(GO2), pytest.raises(SurefootError, match="There is a robot at unitree_go2 on interface lo"):
        Emulation()


def test_an_emulation_ends_after_its_time():
    emulation = Emulation()
    report = emulation.emulated.run(lambda: False, duration_s=0.2)
    emulation.emulated.close()
    assert 0.2 <= report.duration_s < 2.0


def test_a_robot_on_a_slow_computer_moves_slower_and_does_not_catch_up():
    clock = SimulatedClock(100.0)
    paced = PacedClock(clock, most_s=0.01)
    times = []
    for passed_s in (0.002, 0.3, 0.004):
        clock.spend(passed_s)
        paced.follow()
        times.append(paced.now())
    assert times == pytest.approx([100.002, 100.012, 100.016])
    assert paced.lost_s == pytest.approx(0.29)
    paced.sleep_until(100.02)
    assert (paced.now(), clock.now()) == pytest.approx((100.02, 100.31))


@pytest.mark.parametrize("name", [GO2, "unitree_g1"])
def test_an_emulated_robot_is_no_real_one_on_whatever_interface_it_is(name):
    with Peer(name) as peer, opened(name) as robot:
        assert not robot.is_real
        robot.address = replace(robot.address, interface="eth0")
        assert not robot.is_real  # it says so itself
        peer.firmware._reports.message["reserve"] = 0  # as a real robot's
        assert await_true(lambda: robot.read() is not None and robot.is_real)
        robot.address = replace(robot.address, interface="lo")
        assert not robot.is_real
