"""What the policy sees, against numbers worked by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
from contracts import quadruped_contract, small_contract
from reports import ACTION, COMMAND, REPORT, random_report

from surefoot_bridge.contract import SOURCES, ObservationTerm
from surefoot_bridge.policy import Observations


def contract_of(*terms, **changes):
    """The small robot's contract with other terms, each (name, source, dim, scale, clip_at, history)."""
    made = tuple(
        ObservationTerm(name, source, SOURCES[source].frame, dim, scale, clip_at, history, {})
        for name, source, dim, scale, clip_at, history in terms
    )
    contract = small_contract()
    dim = sum(term.dim * term.history for term in made)
    return replace(
        contract,
        observation=replace(contract.observation, terms=made),
        network=replace(contract.network, observation_dim=dim),
        **changes,
    )


def first_observation(contract, report=REPORT, command=COMMAND, last_action=ACTION):
    observations = Observations(contract)
    return observations(observations.initial(()), report, command, last_action)[0]


def test_the_first_reading_of_an_episode_fills_the_history_and_the_last_action_is_zero() -> None:
    observation = first_observation(small_contract(history=2))
    assert observation.dtype == np.float32
    by_hand = [1, 2, 3, 1, 2, 3, 0, -1, 0, 0, -1, 0, 1, 2, 3, 1, 2, 3, 10, 20, 30, 10, 20, 30, *[0] * 6, 1, 0, 1, 0]
    np.testing.assert_allclose(observation, [*by_hand, 0.5, 0.0, -0.2], atol=1e-6)


def test_the_second_reading_stands_behind_the_first_in_every_term() -> None:
    observations = Observations(small_contract(history=2))
    _, state = observations(observations.initial(()), REPORT, COMMAND, ACTION)
    later = replace(
        REPORT,
        joint_pos_rad=np.array([3.8, 1.6, 2.7]),
        joint_vel_rad_s=np.array([-30.0, -10.0, -20.0]),
        imu_quat_wxyz=np.array([1.0, 0.0, 0.0, 0.0]),
        imu_ang_vel_rad_s=np.array([4.0, 5.0, 6.0]),
        foot_force_n=np.array([0.0, 50.0]),
    )
    observation, _ = observations(state, later, np.array([0.0, 0.1, 0.2]), ACTION)
    by_term = {name: observation[place].tolist() for name, place in observations.term_slices.items()}
    assert by_term == {
        "base_ang_vel": [1, 2, 3, 4, 5, 6],
        "projected_gravity": pytest.approx([0, -1, 0, 0, 0, -1], abs=1e-6),
        "joint_pos": pytest.approx([1, 2, 3, 1.5, 2.5, 3.5], abs=1e-6),
        "joint_vel": [10, 20, 30, -10, -20, -30],
        "last_action": [0, 0, 0, 7, -8, 9],
        "foot_contact": [1, 0, 0, 1],
        "velocity_command": pytest.approx([0.0, 0.1, 0.2]),
    }


def test_the_term_slices_follow_each_other_and_cover_the_observation() -> None:
    observations = Observations(small_contract(history=2))
    assert {name: (place.start, place.stop) for name, place in observations.term_slices.items()} == {
        "base_ang_vel": (0, 6),
        "projected_gravity": (6, 12),
        "joint_pos": (12, 18),
        "joint_vel": (18, 24),
        "last_action": (24, 30),
        "foot_contact": (30, 34),
        "velocity_command": (34, 37),
    }
    assert observations.dim == 37


def test_terms_of_one_source_may_differ_in_history_and_scale() -> None:
    observations = Observations(contract_of(("long", "gyro", 3, 1.0, None, 3), ("now", "gyro", 3, 10.0, None, 1)))
    state = observations.initial(())
    observation = np.zeros(0)
    for step in range(5):
        report = replace(REPORT, imu_ang_vel_rad_s=np.array([step, step + 0.1, step + 0.2]))
        observation, state = observations(state, report, COMMAND, ACTION)
    by_hand = [2, 2.1, 2.2, 3, 3.1, 3.2, 4, 4.1, 4.2, 40, 41, 42]
    np.testing.assert_allclose(observation, by_hand, rtol=1e-6)


@pytest.mark.parametrize("name", quadruped_contract().robot.joint_names)
def test_a_joint_stands_in_the_policys_place_wherever_the_interface_has_it(name: str) -> None:
    contract = quadruped_contract()
    robot, observations = contract.robot, Observations(contract)
    in_sdk, in_policy = robot.sdk_joint_names.index(name), robot.joint_names.index(name)
    report = random_report(np.random.default_rng(1), (), 12)
    report.joint_pos_rad[in_sdk], report.joint_vel_rad_s[in_sdk] = 100.0, 200.0
    observation = first_observation(contract, report, last_action=np.zeros(12))
    offset = observation[observations.term_slices["joint_pos"]][in_policy]
    assert offset == pytest.approx(100.0 - robot.default_joint_pos_rad[in_policy])
    assert observation[observations.term_slices["joint_vel"]][in_policy] == 200.0


def test_each_term_is_scaled_first_and_clipped_then() -> None:
    contract = contract_of(
        ("scaled", "gyro", 3, 2.0, None, 1),
        ("clipped", "gyro", 3, 1.0, 2.5, 1),
        ("both", "gyro", 3, 2.0, 2.5, 1),
        ("turned", "joint_vel", 3, -0.1, 1.5, 1),
        ("order", "command", 3, 4.0, 1.0, 1),
    )
    by_hand = [2, 4, 6, 1, 2, 2.5, 2, 2.5, 2.5, -1, -1.5, -1.5, 1, 0, -0.8]
    np.testing.assert_allclose(first_observation(contract), by_hand, rtol=1e-6)


def test_an_observed_position_is_relative_to_the_default_pose_before_it_is_scaled() -> None:
    observation = first_observation(contract_of(("pos", "joint_pos", 3, 2.0, 5.0, 1)))
    np.testing.assert_allclose(observation, [2.0, 4.0, 5.0], rtol=1e-6)  # 2 (1.1 - 0.1), 2 (2.2 - 0.2), 2 (3.3 - 0.3)


@pytest.mark.parametrize(
    ("scale", "clip_at", "by_hand"),
    [(1.0, None, [7, -8, 8]), (0.5, None, [3.5, -4, 4]), (-2.0, None, [-14, 16, -16]), (0.5, 3.75, [3.5, -3.75, 3.75])],
)
def test_the_last_action_is_clipped_as_an_action_and_then_as_a_term(scale, clip_at, by_hand) -> None:
    action = replace(small_contract().action, clip_at=8.0)
    observations = Observations(contract_of(("last", "last_action", 3, scale, clip_at, 1), action=action))
    _, state = observations(observations.initial(()), REPORT, COMMAND, np.zeros(3))
    observation, _ = observations(state, REPORT, COMMAND, np.array([7.0, -9.0, 1e9]))
    np.testing.assert_array_equal(observation, by_hand)


def test_a_foot_touches_where_its_force_is_above_the_contracts() -> None:
    contract = contract_of(("feet", "foot_contact", 2, 1.0, None, 1))
    for forces, touches in (((5.0, 5.001), [0, 1]), ((1e3, -1e3), [1, 0])):
        report = replace(REPORT, foot_force_n=np.array(forces))
        np.testing.assert_array_equal(first_observation(contract, report), touches)
    firmer = replace(contract, observation=replace(contract.observation, foot_contact_force_n=5.5))
    np.testing.assert_array_equal(first_observation(firmer), [0, 0])


def test_a_robot_without_foot_sensors_is_not_asked_for_them() -> None:
    report = replace(REPORT, foot_force_n=np.zeros(0))
    observation = first_observation(contract_of(("gyro", "gyro", 3, 1.0, None, 1)), report)
    np.testing.assert_array_equal(observation, [1, 2, 3])


def turned_about(axis, angle, quat_wxyz):
    """A quaternion to the world after the world was turned: the product with the rotation about the axis."""
    w, xyz = math.cos(angle / 2.0), math.sin(angle / 2.0) * np.array(axis)
    real = w * quat_wxyz[0] - xyz @ quat_wxyz[1:]
    return np.array([real, *(w * quat_wxyz[1:] + quat_wxyz[0] * xyz + np.cross(xyz, quat_wxyz[1:]))])


def test_an_observation_does_not_change_when_the_world_is_turned_about_the_vertical() -> None:
    contract, report = quadruped_contract(), random_report(np.random.default_rng(4), (), 12)
    observation = first_observation(contract, report, last_action=np.zeros(12))

    def change(axis, angle):
        turned = replace(report, imu_quat_wxyz=turned_about(axis, angle, report.imu_quat_wxyz))
        return abs(first_observation(contract, turned, last_action=np.zeros(12)) - observation).max()

    for angle in np.linspace(-2.0 * math.pi, 2.0 * math.pi, 41):
        assert change([0.0, 0.0, 1.0], angle) <= 1e-6
    assert change([1.0, 0.0, 0.0], 1.0) > 0.1


@pytest.mark.parametrize("history", [1, 2, 5])
def test_the_bridge_shows_what_the_sensors_of_training_show(history: int) -> None:
    needed = "needs the training side (pip install surefoot)"
    layout_of = pytest.importorskip("surefoot.sensors.layout", reason=needed)
    sensors = pytest.importorskip("tests.references.sensors", reason=needed)
    rng, num_envs, contract = np.random.default_rng(6), 6, small_contract(history=history)
    terms = [layout_of.ProprioceptionTerm(t.name, t.source, t.history) for t in contract.observation.terms]
    layout = layout_of.ObservationLayout(terms, num_joints=3, num_feet=2)
    observations = Observations(contract)
    assert {item.name: slice(item.start, item.stop) for item in layout.slices} == observations.term_slices
    memory = sensors.SensorMemory.empty(num_envs, 3, 2, depth=3, history=layout.depth)
    default = np.array(contract.robot.default_joint_pos_rad, np.float32)
    simulated = sensors.SensorReference(np.zeros((num_envs, 3), np.float32), lambda _: 0, default, 0.02, (1, 0), memory)
    state, action = observations.initial((num_envs,)), np.zeros((num_envs, 3), np.float32)
    for _ in range(12):
        mask = rng.random(num_envs) < 0.2
        simulated.reset(np.flatnonzero(mask))
        action[mask] = 0.0  # as the action term of the simulation does
        report = random_report(rng, (num_envs,), 3, "float32")
        command = rng.normal(size=(num_envs, 3)).astype(np.float32)
        w, x, y, z = report.imu_quat_wxyz.T
        gravity = [2 * (w * y - x * z), -2 * (w * x + y * z), -(w * w - x * x - y * y + z * z)]
        in_policy_order = list(contract.policy_order)
        simulated.advance(
            sensors.SensorInputs(
                base_ang_vel_b=report.imu_ang_vel_rad_s,
                projected_gravity_b=np.stack(gravity, axis=1),
                joint_pos=report.joint_pos_rad[:, in_policy_order],
                joint_vel=report.joint_vel_rad_s[:, in_policy_order],
                foot_contact=report.foot_force_n > contract.observation.foot_contact_force_n,
                last_action=action,
            )
        )
        expected = simulated.observe(layout.entry_column, layout.entry_age, command)
        seen, state = observations(observations.reset(state, mask), report, command, action)
        np.testing.assert_allclose(seen, expected, rtol=1e-6, atol=1e-6)
        action = np.clip(8.0 * rng.normal(size=(num_envs, 3)), -10.0, 10.0).astype(np.float32)
