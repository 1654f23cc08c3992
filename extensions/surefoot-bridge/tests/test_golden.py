"""A golden trace comes back as it was written, replays on what recorded it, and names what deviates."""

import io
from dataclasses import replace

import numpy as np
import pytest
from bundles import NUM_STEPS, RESET_AT, random_network, record, recording
from contracts import small_contract

from surefoot_bridge.bundle import read_golden, save_golden
from surefoot_bridge.bundle.golden import contract_digest
from surefoot_bridge.bundle.golden_replay import replay
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import Memory, NumpyPolicy, Observations, Targets
from surefoot_bridge.state import JointCommand, each

CELLS = (None, "gru", "lstm")


CONTRACT, POLICY, GOLDEN = recording()


def run(golden, contract=CONTRACT, policy=POLICY, observed_by=None):
    return replay(golden, contract, policy, Observations(observed_by or contract), Targets(contract))


def refused(golden, message, **kwargs):
    with pytest.raises(SurefootError, match=message):
        run(golden, **kwargs)


def with_change(array, index, change):
    """A copy of an array with one number changed."""
    changed = array.copy()
    changed[index] += change
    return changed


def with_report(golden, **changes):
    return replace(golden, report=replace(golden.report, **changes))


def with_joints(golden, name, index, change):
    array = with_change(getattr(golden.joint_command, name), index, change)
    return replace(golden, joint_command=replace(golden.joint_command, **{name: array}))


def arrays_of(golden):
    """The arrays of the file by name."""
    with np.load(io.BytesIO(save_golden(golden))) as archive:
        return {name: archive[name] for name in archive.files}


def test_a_trace_comes_back_as_it_was_written():
    data = save_golden(GOLDEN)
    assert save_golden(GOLDEN) == data
    again = read_golden(data, "golden.npz")
    assert again.contract_sha256 == GOLDEN.contract_sha256
    assert again.columns == GOLDEN.columns
    assert again.num_steps == NUM_STEPS
    assert save_golden(again) == data


def test_single_precision_is_written_without_loss_and_double_precision_is_not_cut():
    shorter = with_report(GOLDEN, joint_pos_rad=GOLDEN.report.joint_pos_rad.astype(np.float32))
    again = read_golden(save_golden(shorter), "golden.npz")
    assert again.report.joint_pos_rad.dtype == np.float64
    np.testing.assert_array_equal(again.report.joint_pos_rad, shorter.report.joint_pos_rad)
    with pytest.raises(SurefootError, match="action of a golden trace is float64; valid: float32"):
        save_golden(replace(GOLDEN, action=GOLDEN.action.astype(np.float64)))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("begins", None, "begins is missing"),
        ("report.sequence", None, "report.sequence is missing"),
        ("joints.torque_nm", None, "joints.torque_nm is missing"),
        ("extra", lambda _: np.zeros(3), "extra is unknown"),
        ("observation", lambda array: array.astype(np.float64), "observation is float64; it must be float32"),
        ("report.sequence", lambda array: array.astype(np.int32), "report.sequence is int32; it must be int64"),
        ("begins", lambda array: array.astype(np.uint8), "begins is uint8; it must be bool"),
        ("command", lambda array: array[:-1], r"command has shape \(519, 3\); it must be \(520, commands\)"),
        (
            "action",
            lambda array: array[:, :2],
            r"action has shape \(520, 2\); it must be \(520, 3\), as report.joint_pos",
        ),
        (
            "report.imu_quat_wxyz",
            lambda array: array[:, :3],
            r"imu_quat_wxyz has shape \(520, 3\); it must be \(520, 4\)",
        ),
        ("report.time_s", lambda array: array[:, None], r"report.time_s has shape \(520, 1\); it must be \(520,\)"),
        ("action", lambda array: with_change(array, (7, 1), np.nan), "action is not finite at step 7"),
        ("begins", lambda array: np.zeros_like(array), "begins is false at step 0"),
        ("contract_sha256", lambda array: array[:63], r"contract_sha256 is uint8 \(63,\); it must be 64 hexadecimal"),
        ("contract_sha256", lambda array: array * 0 + ord("g"), "must be 64 hexadecimal digits"),
        (
            "columns.joints",
            lambda array: array[:2],
            r"columns.joints is <U1 \(2,\); it must name the columns of joints",
        ),
        ("columns.commands", lambda array: np.zeros(3), "columns.commands is float64"),
        ("columns.feet", None, "columns.feet is missing"),
    ],
)
def test_an_array_that_does_not_fit_is_refused_by_name(name, change, message):
    arrays = arrays_of(GOLDEN)
    arrays[name] = arrays.get(name) if change is None else change(arrays.get(name))
    if change is None:
        del arrays[name]
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    with pytest.raises(SurefootError, match=message) as error:
        read_golden(buffer.getvalue(), "here/golden.npz")
    assert "here/golden.npz" in str(error.value)


def test_fewer_than_500_steps_are_refused():
    short = record(CONTRACT, POLICY, num_steps=499)
    with pytest.raises(SurefootError, match="it has 499 steps; at least 500 are needed"):
        save_golden(short)
    assert record(CONTRACT, POLICY, num_steps=500).num_steps == 500
    save_golden(record(CONTRACT, POLICY, num_steps=500))


def test_the_contract_s_digest_is_that_of_its_text():
    assert contract_digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2


@pytest.mark.parametrize("cell", CELLS)
def test_what_recorded_a_trace_replays_it_exactly(cell):
    contract, policy, golden = recording(cell)
    deviations = run(golden, contract, policy)
    assert (deviations.observation, deviations.action, deviations.joint_command) == (0.0, 0.0, 0.0)


def test_a_filter_of_the_targets_begins_again_with_the_second_episode():
    action = replace(small_contract().action, low_pass_hz=2.0)
    contract, policy, golden = recording(contract=small_contract(action=action))
    assert run(golden, contract, policy).joint_command == 0.0
    one_episode = replace(golden, begins=np.arange(NUM_STEPS) == 0)
    refused(one_episode, f"step {RESET_AT}, observation term", contract=contract, policy=policy)

    class Forgetful(Targets):
        def reset(self, state, mask):
            return state

    message = f"step {RESET_AT}, joint_pos_rad that joint c is told"
    with pytest.raises(SurefootError, match=message):
        replay(golden, contract, policy, Observations(contract), Forgetful(contract))


def test_the_first_step_that_deviates_is_named_with_term_values_and_distance():
    # joint_pos is the third term, after gyro and gravity of 3 x 2 each: 12 to 17, two steps of a, b, c.
    changed = replace(GOLDEN, observation=with_change(GOLDEN.observation, (300, 13), 0.25))
    changed = replace(changed, action=with_change(changed.action, (301, 0), 1.0))
    with pytest.raises(SurefootError) as error:
        run(changed)
    expected, found = changed.observation[300, 13], GOLDEN.observation[300, 13]
    assert str(error.value).startswith(
        f"golden.npz, step 300, observation term joint_pos (b, 1 step ago): expected {expected:.8g}, "
        f"found {found:.8g}, which is 0.25 off (tolerance 1e-05, relative above 1)."
    )


@pytest.mark.parametrize(
    ("index", "term"),
    [
        (0, r"base_ang_vel \(x, 1 step ago\)"),
        (11, r"projected_gravity \(z\)"),
        (15, r"joint_pos \(a\)"),
        (23, r"joint_vel \(c\)"),
        (24, r"last_action \(a, 1 step ago\)"),
        (33, r"foot_contact \(right\)"),
        (36, r"velocity_command \(ang_vel_z_rad_s\)"),
    ],
)
def test_every_component_of_the_observation_has_a_name(index, term):
    changed = replace(GOLDEN, observation=with_change(GOLDEN.observation, (0, index), 0.01))
    refused(changed, f"step 0, observation term {term}: expected")


def test_deviations_within_the_tolerance_are_accepted_and_reported():
    small = replace(GOLDEN, observation=with_change(GOLDEN.observation, (300, 12), 0.8e-5))
    assert run(small).observation == pytest.approx(0.8e-5, rel=0.02)
    refused(replace(GOLDEN, observation=with_change(GOLDEN.observation, (300, 12), 1.2e-5)), "step 300")


def test_an_action_that_deviates_is_named_by_joint_and_runtime():
    refused(replace(GOLDEN, action=with_change(GOLDEN.action, (5, 1), 2e-5)), "step 5, action of joint b by numpy: exp")
    contract, policy, golden = recording("gru")
    run(replace(golden, action=with_change(golden.action, (5, 1), 0.5e-5)), contract, policy)
    off = with_change(golden.action, (NUM_STEPS - 1, 2), 2e-4)
    refused(replace(golden, action=off), "step 519, action of joint c by numpy", contract=contract, policy=policy)


@pytest.mark.parametrize("name", ["joint_pos_rad", "joint_vel_rad_s", "stiffness_nm_per_rad", "damping_nms_per_rad"])
def test_what_the_joints_are_told_is_named_by_the_robot_s_own_order(name):
    # The interface has c, a, b.
    refused(with_joints(GOLDEN, name, (9, 0), 0.01), f"step 9, {name} that joint c is told: expected")


def test_a_policy_that_returns_nan_is_refused():
    class Broken(NumpyPolicy):
        def __call__(self, observation, memory):
            action, memory = super().__call__(observation, memory)
            return np.full_like(action, np.nan), memory

    refused(GOLDEN, "step 0, action of joint a by numpy: .* found nan", policy=Broken(random_network(37, 3)))


def test_a_memory_that_is_not_reset_is_found_at_the_second_episode():
    contract, _, golden = recording("lstm")

    class Forgetful(NumpyPolicy):
        def reset(self, memory, mask):
            return Memory(memory.arrays)

    forgetful = Forgetful(random_network(37, 3, cell="lstm"))
    refused(golden, f"step {RESET_AT}, action of joint", contract=contract, policy=forgetful)


def test_a_recurrent_policy_needs_a_trace_with_a_reset():
    contract, policy, golden = recording("gru")
    one_episode = replace(golden, begins=np.arange(NUM_STEPS) == 0)
    refused(one_episode, "has one episode only", contract=contract, policy=policy)


def test_time_stamps_agree_with_the_control_period_within_an_episode_and_go_on_between_two():
    time_s = GOLDEN.report.time_s
    refused(
        with_report(GOLDEN, time_s=with_change(time_s, 7, 0.001)), "step 7: time_s is 7.641, 0.021 s after the step"
    )
    refused(with_report(GOLDEN, time_s=1.01 * time_s), "the contract's control period is 0.02 s")
    later = np.arange(NUM_STEPS) >= RESET_AT
    run(with_report(GOLDEN, time_s=time_s + 3.0 * later))
    refused(with_report(GOLDEN, time_s=time_s - 3.0 * later), f"step {RESET_AT}: time_s is")


def test_sequence_numbers_count_up():
    repeated = with_change(GOLDEN.report.sequence, 7, -4)
    refused(with_report(GOLDEN, sequence=repeated), "step 7: sequence is 1024 after 1024; it must count up")


def test_a_trace_of_another_robot_is_refused():
    fewer = each(GOLDEN.joint_command, lambda array: array[:, :2])
    assert isinstance(fewer, JointCommand)
    other = with_report(GOLDEN, joint_pos_rad=GOLDEN.report.joint_pos_rad[:, :2])
    refused(replace(other, joint_command=fewer), "has 2 joints; the contract has 3")
    refused(with_report(GOLDEN, foot_force_n=np.zeros((NUM_STEPS, 4))), "has 4 feet; the contract has 2")
    refused(replace(GOLDEN, command=GOLDEN.command[:, :1]), "has 1 components of the command; the contract has 3")
