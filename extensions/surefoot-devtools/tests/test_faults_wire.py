"""The receiving side of live trials: how commands are judged there, and which reports it sends."""

from dataclasses import replace

import numpy as np
import pytest
from loop_rig import JointRobot
from safety_cases import CONTRACT, command, good_report
from safety_cases import LIMITS as SMALL_LIMITS

from surefoot_bridge.clock import SimulatedClock
from surefoot_devtools.fault_injection import fault_of
from surefoot_devtools.fault_injection.live_robot import LiveWitness, is_damped
from surefoot_devtools.fault_injection.timeline import Injection
from surefoot_devtools.fault_injection.wire import WireFaults


class TestLiveWitness:
    def witness(self):
        clock = SimulatedClock()
        robot = JointRobot(clock)
        return LiveWitness(robot, CONTRACT, SMALL_LIMITS), good_report().joint_pos_rad

    def report(self, witness, time_s, q):
        witness.reported(time_s, good_report(joint_pos_rad=q))

    def test_a_torque_is_judged_by_any_report_that_the_bridge_may_have_trusted(self):
        witness, pose = self.witness()
        far = pose + 1.0  # at 20 N m/rad and more beyond 18.96 N m
        self.report(witness, 1.0, pose)
        for tick in range(1, 30):
            self.report(witness, 1.0 + 0.002 * tick, far)
        witness.receive(1.039, command(target=pose))
        assert witness.outside == 0, witness.notes
        witness.receive(1.041, command(target=pose))  # the first report is older than 40 ms by now
        assert witness.outside == 1
        assert "torque of" in witness.notes[0]

    def test_a_torque_is_not_judged_while_nobody_knows_what_the_bridge_was_given(self):
        witness, pose = self.witness()
        witness.spoilt_from_s, witness.spoilt_until_s = 1.0, 1.2
        for time_s, outside in ((0.99, 1), (1.01, 1), (1.23, 1), (1.25, 2)):
            self.report(witness, time_s, pose + 1.0)
            witness.receive(time_s, command(target=pose))
            assert witness.outside == outside, time_s

    @pytest.mark.parametrize(("move_rad", "further_rad", "outside"), [(0.0, 0.5, 0), (0.4, 0.5, 1), (5.0, 0.5, 0)])
    def test_a_target_without_stiffness_counts_where_it_could_be_one_and_no_more(self, move_rad, further_rad, outside):
        witness, pose = self.witness()
        nothing = {"stiffness": 0.0, "torque": 0.0, "velocity": 0.0}
        witness.receive(1.0, command(target=pose))
        witness.receive(1.002, command(target=pose + move_rad, damping=3.0, **nothing))
        assert witness.outside == 0, witness.notes
        begun = pose if move_rad > 1.0 else pose + move_rad  # 30 rad/s allow 0.6 rad in 20 ms
        witness.receive(1.004, command(target=begun + further_rad, stiffness=0.1))
        assert witness.outside == outside, witness.notes

    def test_the_gains_of_a_command_that_only_damps_are_judged(self):
        witness, pose = self.witness()
        damping = command(target=pose, damping=60.0, stiffness=0.0, torque=0.0, velocity=0.0)
        witness.receive(1.0, command(target=pose))
        witness.receive(1.002, damping)
        assert witness.outside == 1
        assert "damping of" in witness.notes[0]

    def test_what_only_damps_is_told_from_all_else(self):
        pose = good_report().joint_pos_rad
        damping = command(target=pose, stiffness=0.0, velocity=0.0, torque=0.0)
        assert is_damped(damping)
        assert not is_damped(command(target=pose))
        assert not is_damped(replace(damping, damping_nms_per_rad=np.zeros(3)))
        assert not is_damped(replace(damping, torque_nm=np.array([0.0, 1.0, 0.0])))


class Sender:
    """Counts what is sent, as the emulated firmware does."""

    def __init__(self):
        self.sent, self.corrupt_reports = [], 0

    def report(self, state):
        self.sent.append((float(state.time_s), self.corrupt_reports))
        self.corrupt_reports = 0

    def repeat_report(self):
        self.sent.append(self.sent[-1])


class TestWireFaults:
    def sent(self, name, ticks=100):
        """What is sent of reports each 2 ms, of which the 50th is the first with the fault; and what of it is whole."""
        sender, whole = Sender(), []
        wire = WireFaults(Injection(fault_of(name), 0.1, 0), None)
        for tick in range(ticks):
            now_s = 0.002 * tick + 1e-6
            whole += wire.reports(sender, good_report(time_s=0.002 * tick), now_s)
        return sender.sent, [float(state.time_s) for state in whole]

    @pytest.mark.parametrize(
        ("name", "sent", "whole"),
        [
            ("reports_stop", 50, 50),
            ("reports_thin", 75, 75),
            ("reports_sparse", 55, 55),
            ("reports_bit_late", 95, 95),
            ("reports_late", 50, 50),
            ("report_duplicated", 100, 50),
            ("reports_twice", 150, 100),
            ("reports_corrupt", 100, 50),
            ("commands_lost", 100, 100),
        ],
    )
    def test_of_a_hundred_reports_as_many_are_sent_as_the_fault_lets_through(self, name, sent, whole):
        found, intact = self.sent(name)
        assert (len(found), len(intact)) == (sent, whole)
        assert found[:50] == [(pytest.approx(0.002 * tick), 0) for tick in range(50)]
        assert sum(corrupt for _, corrupt in found) == (sent - whole if "corrupt" in name else 0)

    def test_a_report_that_is_late_says_when_it_was_measured(self):
        _, intact = self.sent("reports_bit_late")
        assert intact[50] == pytest.approx(0.1)
        assert intact[-1] == pytest.approx(0.198 - 0.01)

    def test_commands_are_lost_while_the_fault_is_on(self):
        wire = WireFaults(Injection(fault_of("commands_lost"), 1.0, 0), None)
        assert [wire.loses_command(at) for at in (0.99, 1.01, 1.06)] == [False, True, False]
