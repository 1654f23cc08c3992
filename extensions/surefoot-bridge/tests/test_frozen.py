from dataclasses import replace

import numpy as np
import pytest
from loop_rig import WALKING, Rig
from safety_cases import CONTRACT, good_report

from surefoot_bridge.safety.frozen_sensors import FrozenSensors, sensors_of
from surefoot_bridge.state import Mode, each, stack


def report(step, **changes):
    """A report in which everything is new."""
    rng = np.random.default_rng(step)
    fresh = {
        "imu_ang_vel_rad_s": rng.normal(size=3),
        "joint_pos_rad": rng.normal(size=3),
        "joint_vel_rad_s": rng.normal(size=3),
    }
    return good_report(step, **{**fresh, **changes})


def frozen_after(reports, *, target_step_rad=0.02, walking=True):
    sensors = FrozenSensors(CONTRACT)
    state, steps = sensors.initial(()), []
    for step, one in enumerate(reports):
        state = sensors.step(state, one, np.full(3, target_step_rad * step), np.array(walking))
        steps.append([name for name, frozen in zip(sensors_of(CONTRACT), state.frozen) if frozen])
    return steps


def test_an_imu_that_measures_the_same_for_three_control_periods_is_frozen_and_no_sooner():
    still = {"imu_ang_vel_rad_s": np.array([0.1, 0.2, 0.3])}
    steps = frozen_after([report(step, **still) for step in range(5)])
    assert steps == [[], [], [], ["IMU"], ["IMU"]]  # 0.05 s are three periods of 0.02 s after the first


def test_a_joint_that_stays_while_its_target_moves_is_frozen_and_one_at_rest_is_not():
    def stuck(step):
        one = report(step)
        q, dq = one.joint_pos_rad.copy(), one.joint_vel_rad_s.copy()
        q[1], dq[1] = 0.3, 0.0
        return replace(one, joint_pos_rad=q, joint_vel_rad_s=dq)

    reports = [stuck(step) for step in range(8)]
    # 0.1 rad are reached with the fifth move of 0.02 rad after the first report.
    assert [step for step, names in enumerate(frozen_after(reports)) if names == ["a"]] == [5, 6, 7]
    assert frozen_after(reports, target_step_rad=0.0)[-1] == []
    assert frozen_after(reports, walking=False)[-1] == []


def test_one_new_number_ends_it():
    still = {"imu_ang_vel_rad_s": np.array([0.1, 0.2, 0.3])}
    reports = [report(step, **still) for step in range(5)] + [report(5)]
    assert frozen_after(reports)[4:] == [["IMU"], []]


def test_robots_of_a_batch_are_judged_each_by_itself():
    sensors = FrozenSensors(CONTRACT)
    state = sensors.initial((2,))
    still = {"imu_ang_vel_rad_s": np.array([0.1, 0.2, 0.3])}
    for step in range(5):
        both = stack((report(step, **still), report(step)))
        state = sensors.step(state, both, np.zeros((2, 3)), np.array([True, True]))
    assert state.frozen[:, 0].tolist() == [True, False]
    assert each(both, lambda array: array[0]).joint_pos_rad.shape == (3,)
    assert pytest.approx(0.08) == state.same_s[0, 0]


def test_a_walking_robot_whose_imu_freezes_is_held_and_then_stands_without_its_policy(tmp_path):
    rig = Rig(tmp_path / "b", *WALKING)
    read = rig.robot.read

    def stuck():
        reading = read()
        if reading is None or rig.clock.now() < 2.0:
            return reading
        return replace(reading, state=replace(reading.state, imu_ang_vel_rad_s=np.zeros(3)))

    rig.robot.read = stuck
    report = rig.run(3.0)
    acted_s = {(event.rule, event.component): event.time_s for event in report.events}
    held_s = acted_s["sensor_frozen", "IMU"]
    assert held_s == pytest.approx(2.0 + 3 * 0.02, abs=0.021)  # the fourth control period that measures the same
    crouched, stood = report.modes[3:5]
    assert (crouched.mode, crouched.reason) == (Mode.CROUCH, "safety: sensor_frozen")
    assert crouched.time_s == pytest.approx(held_s + 0.04, abs=0.001)  # longest_hold_s
    assert stood.mode == Mode.STAND
    assert ("report_repeated", "") not in acted_s
    assert not [incident for incident in report.incidents if incident.name == "sensor_frozen"]
