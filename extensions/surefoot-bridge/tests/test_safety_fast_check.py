"""What tells cheaply that nothing is wrong agrees with the rules, up to the last bit and right at their limits."""

from collections import Counter

import numpy as np
from batches import arrays
from contracts import quadruped_contract
from safety_cases import LIMITS

from surefoot_bridge.safety import Response, Safety, SafetyInputs
from surefoot_bridge.safety.bounds import bounds_of
from surefoot_bridge.safety.fast_check import FastCheck
from surefoot_bridge.safety.measures import FactFinder
from surefoot_bridge.state import RobotState, stack

CONTRACT = quadruped_contract()
BOUNDS = bounds_of(CONTRACT, LIMITS)
N = BOUNDS.num_joints
POSE = np.array(CONTRACT.robot.default_joint_pos_rad)[BOUNDS.policy_place]
STIFFNESS = np.array(CONTRACT.gains.stiffness_nm_per_rad)[BOUNDS.policy_place]
DAMPING = np.array(CONTRACT.gains.damping_nms_per_rad)[BOUNDS.policy_place]


def near(rng, limit):
    """A number a few roundings from a limit, or at it."""
    return limit * (1.0 + rng.choice([0.0, 1.0, -1.0, 4.0, -4.0, 1e5, -1e5]) * np.finfo(np.float64).eps)


def well(rng, tick):
    """Inputs and flat command of a robot that moves a little and has nothing wrong."""
    quat = rng.normal(size=4) * [0.0, 0.05, 0.05, 0.3] + [1.0, 0.0, 0.0, 0.0]
    report = RobotState(
        time_s=np.array(100.0 + 0.005 * tick),
        sequence=np.array(tick),
        joint_pos_rad=POSE + 0.02 * rng.normal(size=N),
        joint_vel_rad_s=rng.normal(size=N),
        joint_torque_nm=rng.normal(size=N),
        motor_temperature_c=np.full(N, 40.0),
        imu_quat_wxyz=quat / np.linalg.norm(quat),
        imu_ang_vel_rad_s=rng.normal(size=3),
        imu_lin_acc_m_s2=np.array([0.0, 0.0, 9.81]) + rng.normal(size=3),
        foot_force_n=np.full(2, 30.0),
        battery_share=np.array(0.9),
    )
    inputs = SafetyInputs(
        time_s=0.005 * tick,
        report=report,
        report_age_s=0.002,
        wrong_crc=False,
        lateness_s=0.0,
        action=rng.normal(size=N).astype(np.float32),
        velocity_command=rng.uniform(-0.3, 0.3, 3),
        policy_failed=False,
        operator_stop=False,
        operator_release=False,
        operator_age_s=0.1,
        walking=True,
        frozen=np.zeros(1 + N, dtype=bool),
    )
    target = POSE + 0.02 * rng.normal(size=N)
    return inputs, np.concatenate([target, np.zeros(N), STIFFNESS, DAMPING, np.zeros(N)])


def at_a_limit(rng, inputs, command):
    """The same with one thing close to the limit of a rule, on one side of it or the other."""
    report, j = inputs.report, int(rng.integers(N))
    kind = int(rng.integers(12))
    if kind == 0:
        report.joint_vel_rad_s[j] = near(rng, CONTRACT.safety.joint_vel_limit_rad_s[BOUNDS.policy_place[j]])
    elif kind == 1:
        angle = near(rng, CONTRACT.safety.tilt_limit_rad) / 2.0
        report.imu_quat_wxyz[:] = near(rng, 1.0) * np.array([np.cos(angle), np.sin(angle), 0.0, 0.0])
    elif kind == 2:
        report.imu_quat_wxyz[:] *= near(rng, 1.0 + rng.choice([-1.0, 1.0]) * LIMITS.quaternion_tolerance)
    elif kind == 3:
        report.imu_lin_acc_m_s2[:] = [0.0, 0.0, near(rng, LIMITS.free_fall_m_s2)]
    elif kind == 4:
        command[j] = near(rng, BOUNDS.command_high[j])
    elif kind == 5:
        command[4 * N + j] = near(rng, BOUNDS.torque_nm[j])
    elif kind == 6:
        inputs = inputs._replace(report_age_s=near(rng, LIMITS.report_age_s))
    elif kind == 7:
        inputs = inputs._replace(velocity_command=np.array([near(rng, 0.3), 0.0, 0.0]))
    elif kind == 8:
        inputs.frozen[j] = True
    elif kind == 9:
        report.joint_pos_rad[j] = near(rng, BOUNDS.command_high[j] + rng.choice([0.0, LIMITS.position_margin_rad]))
    elif kind == 10:
        command[j] = inputs.report.joint_pos_rad[j] + near(rng, BOUNDS.rate_rad_s[j] * BOUNDS.control_period_s)
    elif kind == 11:
        report.motor_temperature_c[j] = np.nan
    return inputs, command


def beside_a_stopped_one(inputs):
    """A batch of this robot and one that its operator stops, so that the rules are asked."""
    both = {name: np.stack([np.asarray(value)] * 2) for name, value in inputs._asdict().items() if name != "report"}
    return SafetyInputs(report=stack((inputs.report,) * 2), **{**both, "operator_stop": np.array([False, True])})


def test_a_robot_is_judged_alike_whether_or_not_another_one_needs_the_rules():
    safety, rng = Safety(CONTRACT, LIMITS), np.random.default_rng(5)
    alone, pair, responses = safety.initial(()), safety.initial((2,)), Counter()
    for tick in range(2000):
        inputs, command = well(rng, tick)
        if rng.random() < 0.3:
            inputs, command = at_a_limit(rng, inputs, command)
        if rng.random() < 0.1:
            inputs = inputs._replace(operator_release=True)
        one = safety.check(alone, inputs, command)
        two = safety.check(pair, beside_a_stopped_one(inputs), np.stack([command] * 2))
        alone, pair = one.state, two.state
        responses[Response(int(one.response))] += 1
        for ours, theirs in zip(arrays(one), arrays(two)):
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs[0])
    assert responses[Response.NONE] > 900
    assert min(responses[Response.CLAMP], responses[Response.HOLD]) > 20


def test_it_says_yes_to_a_robot_that_is_well_and_no_to_each_that_is_not():
    finder, rng, safety = FactFinder(CONTRACT, BOUNDS), np.random.default_rng(6), Safety(CONTRACT, LIMITS)
    check = FastCheck(finder, BOUNDS, safety.rules)
    first = safety.initial(()).seen
    assert check.look(first, *finder.gather((), *well(rng, 0))) is None  # no time has passed from any yet
    seen = safety.check(safety.initial(()), *well(rng, 0)).state.seen
    for tick in range(1, 100):
        left = check.look(seen, *finder.gather((), *well(rng, tick)))
        assert left is not None
        seen = left
    for name in ("wrong_crc", "policy_failed", "operator_stop"):
        inputs, command = well(rng, 100)
        assert check.look(seen, *finder.gather((), inputs._replace(**{name: True}), command)) is None
    again, command = well(rng, 99)  # the number of the last report
    assert check.look(seen, *finder.gather((), again, command)) is None
