import numpy as np
import pytest
from log_rig import needs_mcap
from loop_rig import WALKING, Rig
from safety_cases import LIMITS

from surefoot_bridge.clock import SimulatedClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log import LogOptions, open_log, read_log
from surefoot_bridge.robots.replay_robot import ReplayRobot
from surefoot_bridge.runtime import Loop
from surefoot_bridge.runtime.loop import PHASES

pytestmark = needs_mcap


def logged(tmp_path, duration_s, *wishes):
    """A run of the robot of three joints, and its log."""
    rig = Rig(tmp_path / "b", *wishes)
    options = LogOptions(min_free_bytes=0, queue_s=60.0)
    log = open_log(tmp_path / "logs", rig.bundle.contract, bundle="b", stage="tethered", phases=PHASES, options=options)
    rig.loop._log = rig.loop._record._log = log
    report = rig.run(duration_s)
    log.close()
    return rig, report, read_log(log.folder)


def test_a_run_is_logged_with_every_tick_phase_mode_and_policy_step(tmp_path):
    rig, report, log = logged(tmp_path, 2.5, *WALKING)
    assert log.finished
    assert log.phases == PHASES
    assert len(log["/joint_command"]) == len(log["/timing"]) == report.ticks
    np.testing.assert_array_equal(log.joint_commands().joint_pos_rad, [told[:3] for _, told in rig.robot.writes])
    assert len(log["/action"]) == len(log["/observation"]) == len(rig.asked_s)
    np.testing.assert_allclose(log["/action"].time_s, rig.asked_s, atol=1e-9)
    assert log["/mode"]["mode"].tolist() == [change.mode.name.lower() for change in report.modes]
    assert log["/mode"]["previous"].tolist()[:3] == ["", "passive", "stand"]
    assert (log["/timing"]["phase_s"][:, [0, 3, 4]] > 0.0).all()


def test_a_log_gives_the_same_reports_at_the_same_times_and_so_the_same_commands(tmp_path):
    rig, report, log = logged(tmp_path, 2.5, *WALKING)
    clock = SimulatedClock()
    clock.sleep_until(rig.robot.writes[0][0])
    robot = ReplayRobot(log, clock=clock)
    told = []
    robot.write = lambda command: told.append(command.joint_pos_rad)
    wishes = Rig(tmp_path / "c", *WALKING).operator
    loop = Loop(rig.bundle, robot, wishes, limits=LIMITS, clock=clock)
    loop.run(2.5 - clock.now())
    again = np.array(told)[: np.searchsorted(log["/joint_command"].time_s, 1.4)]
    np.testing.assert_allclose(again, log.joint_commands().joint_pos_rad[: len(again)], atol=1e-9)
    clock.sleep_until(rig.robot.writes[0][0] + robot.duration_s)
    robot.read()
    assert robot.done
    assert robot.duration_s == pytest.approx(report.duration_s)


def test_a_log_without_reports_is_refused(tmp_path):
    rig, _, log = logged(tmp_path, 0.5)
    log["/robot_state"].fields.update({})
    empty = read_log(log.paths[0].parent, topics=("/mode",))
    with pytest.raises(SurefootError, match="holds no report of made_up; nothing to replay"):
        ReplayRobot(empty, clock=rig.clock)
