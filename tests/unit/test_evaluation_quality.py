"""Quality and figures by RoboGauge's formula, by cases worked by hand."""

import numpy as np
import pytest
from tests.unit.motion_rig import CONTRACT, SPEC, truth

from surefoot.evaluation.measures.quality import QualityMeasures, figure, worst_half

FULL_SPEED = (2.0, 1.0, 2.0)
STILL = np.zeros((1, 3))
POSE = {"joint_pos_rad": [0.0, 1.2, -1.5] * 4}
"""Within the middle 40 % of all joints but the knees; front thighs have it from -0.1 to 2.0 rad, rear ones from 1.0."""


def sampled(*changes, command=STILL, running=(True,)) -> np.ndarray:
    """Quality of the samples that some states give, each of which lasts for 0.1 s: five control steps."""
    quality = QualityMeasures(CONTRACT, SPEC, FULL_SPEED)
    for change in changes:
        for _ in range(5):
            quality.step(
                truth(len(running), **(POSE | change)), np.broadcast_to(command, (len(running), 3)), np.array(running)
            )
    return quality.samples


def test_a_robot_that_stands_still_when_told_to_has_a_quality_of_1():
    np.testing.assert_allclose(sampled({}, {}), [[1.0], [1.0]])


def test_errors_of_velocity_count_twice_and_as_shares_of_full_speed():
    # 1 m/s of sqrt(2^2 + 1^2), to the power of 2 in 8; then 1 rad/s of 2.
    ahead = sampled({}, command=np.array([[1.0, 0.0, 0.0]]))
    assert ahead[0, 0] == pytest.approx((1.0 - 1.0 / np.sqrt(5.0)) ** 0.25)
    assert sampled({}, command=np.array([[0.0, 0.0, 1.0]]))[0, 0] == pytest.approx(0.5**0.25)
    # The vertical speed, and rolling, are errors, too.
    assert sampled({"base_lin_vel_w": [0.0, 0.0, 1.0]})[0, 0] == pytest.approx(ahead[0, 0])
    assert sampled({"base_ang_vel_b": [1.0, 0.0, 0.0]})[0, 0] == pytest.approx(0.5**0.25)


def test_power_roll_and_joints_near_their_limits_count_once():
    motion = {"motor_torque_nm": np.full(12, 10.0), "joint_vel_rad_s": np.full(12, 5.0)}  # 50 W in each
    assert sampled(motion)[0, 0] == pytest.approx(0.5**0.125)
    rolled = {"base_quat_wxyz": [np.cos(np.pi / 12), np.sin(np.pi / 12), 0.0, 0.0]}  # 30 degrees
    assert sampled(rolled)[0, 0] == pytest.approx(0.5**0.125)
    # All hips at their limits are 30 % of their range beyond the free middle of 40 %; they are half of the joints.
    low, high = SPEC.joint_limits_rad["FL_hip_joint"]
    at_limit = {"joint_pos_rad": [high, 1.2, -1.5] * 4}
    assert low == -high
    assert sampled(at_limit)[0, 0] == pytest.approx((1.0 - 0.3 * np.sqrt(0.5)) ** 0.125)


def test_the_change_of_torque_is_from_one_sample_to_the_next_and_none_in_the_first():
    found = sampled({"motor_torque_nm": np.full(12, 15.0)}, {}, {})
    np.testing.assert_allclose(found[:, 0], [1.0, 0.5**0.125, 1.0])


def test_a_robot_that_has_ended_has_no_quality_from_then_on():
    np.testing.assert_array_equal(sampled({}, running=(True, False)), [[1.0, 0.0]])


def test_the_worse_half_of_the_samples_counts():
    assert worst_half(np.array([[0.9, 0.2], [0.4, 1.0]])) == pytest.approx(0.3)
    assert worst_half(np.array([0.9, 0.1, 0.5])) == pytest.approx(0.1)  # one of three


def test_a_figure_is_9_hundredths_a_level_and_19_of_the_quality():
    assert figure(4, 10, 0.6) == pytest.approx(0.09 * 3 + 0.19 * 0.6)
    assert figure(10, 10, 1.0) == pytest.approx(1.0)
    assert figure(0, 10, 0.0) == 0.0
    assert figure(None, 0, 0.643) == 0.643  # flat ground


def test_the_shares_that_robogauge_had_of_the_shipped_policy_give_its_mean():
    """It measured 0.643 on flat ground, levels 2, 4 and 2 on slopes and wave, none elsewhere, and 0.198 in the mean."""
    low = np.mean([0.643, *(figure(level, 10, 0.5) for level in (2, 4, 2)), 0.0, 0.0, 0.0])
    assert low == pytest.approx(0.198, abs=0.005)
