"""The controller as a pure function: a batch is as many single robots."""

from dataclasses import replace

import numpy as np
import pytest
from bundles import motion, write_bundle
from contracts import small_contract
from machine_cases import HANDLING
from safety_cases import LIMITS, POSE

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.contract import TimingPart
from surefoot_bridge.control import Controller, TickInputs
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import Mode, Request, each, flat, stack

TICK_S = 0.005
BETWEEN_RAD = (np.array(HANDLING.stand_rad)[[2, 0, 1]] + POSE) / 2.0
REQUESTS = {5: Request.STAND, 240: Request.WALK, 400: Request.STAND, 520: Request.WALK}


def controller_of(folder, **options):
    write_bundle(folder, **options)
    return Controller(load_bundle(folder, runtime="numpy"), LIMITS)


def inputs_of(tick, shape, *, request, velocity, stop=False):
    inputs = TickInputs.undisturbed(TICK_S * tick, velocity, np.full(shape, np.int8(request)))
    return inputs._replace(report_age_s=np.full(shape, 0.002), operator_stop=np.full(shape, stop))


def run(controller, reports, velocity, shape, num_ticks, *, offset=0, spoil=None):
    """Commands of all ticks, (ticks, ..., 15), and the state at the end."""
    state, told = controller.initial(shape), []
    for tick in range(1, num_ticks):
        report = each(reports, lambda array, tick=tick: array[tick])
        if spoil is not None:
            report = spoil(tick, report)
        request = REQUESTS.get(tick + offset, Request.KEEP)
        if tick % controller.ticks_per_step == 0:
            due = controller.due(state, np.full(shape, np.int8(request)))
            mask = due & controller.showable(report, np.zeros(shape, dtype=bool))
            if mask.any():
                state = controller.observe(state, report, velocity, np.full(shape, np.int8(request)), mask)
                state = controller.infer(state, mask)
        verdict, state = controller.command(state, report, inputs_of(tick, shape, request=request, velocity=velocity))
        told.append(flat(verdict.command))
    return np.array(told), state


def reports_of(contract, num_ticks):
    """Reports at the low-level rate, numbered by ones, of joints that sway between where they stand and walk."""
    slow = replace(contract, timing=TimingPart(TICK_S, 200.0))
    report, _ = motion(slow, num_ticks)
    q, dq = BETWEEN_RAD + (report.joint_pos_rad - 0.2) / 6.0, report.joint_vel_rad_s / 6.0
    return replace(report, sequence=np.arange(num_ticks), joint_pos_rad=q, joint_vel_rad_s=dq)


@pytest.mark.parametrize("cell", [None, "lstm"])
def test_a_batch_is_as_many_single_robots(tmp_path, cell):
    controller = controller_of(tmp_path / "b", cell=cell)
    one = reports_of(controller.contract, 700)
    other = replace(one, joint_pos_rad=one.joint_pos_rad + 0.05, imu_ang_vel_rad_s=one.imu_ang_vel_rad_s + 0.3)
    velocity = np.array([[0.2, 0.0, 0.1], [0.0, 0.1, -0.2]])
    singles = [run(controller, report, velocity[i], (), 700) for i, report in enumerate((one, other))]
    both = replace(one, **{name: np.stack([getattr(one, name), getattr(other, name)], axis=1) for name in vars(one)})
    told, state = run(controller, both, velocity, (2,), 700)
    assert int(state.machine.mode[0]) == Mode.WALK
    for i, (alone, last) in enumerate(singles):
        np.testing.assert_allclose(told[:, i], alone, rtol=0, atol=2e-6)  # a network sums in another order
        np.testing.assert_allclose(state.action[i], last.action, rtol=0, atol=1e-5)


def test_a_report_that_is_not_finite_never_reaches_the_policy(tmp_path):
    controller = controller_of(tmp_path / "b", cell="gru")
    reports = reports_of(controller.contract, 700)

    def spoil(tick, report):
        return replace(report, imu_ang_vel_rad_s=np.full(3, np.nan)) if 320 <= tick < 326 else report

    _, state = run(controller, reports, np.array([0.2, 0.0, 0.1]), (), 400, spoil=spoil)
    assert int(state.machine.mode) == Mode.WALK
    assert np.isfinite(state.shown).all()
    assert all(np.isfinite(array).all() for array in state.memory.arrays)


def test_a_stand_starts_from_the_targets_before_the_torque_was_too_much_and_others_walk_on(tmp_path):
    controller = controller_of(tmp_path / "b")
    told, state = run_with_one_pulled(controller, 325)
    assert state.machine.mode.tolist() == [Mode.WALK, Mode.CROUCH]
    before, clamped = told[318, 1, :3], told[319:322, 1, 0]  # ticks are counted from 1
    np.testing.assert_array_equal(state.machine.source[1, :3], before)
    assert (clamped > before[0] + 0.1).all()


def test_a_policy_is_not_asked_again_once_safety_has_taken_the_robot_from_it(tmp_path):
    controller = controller_of(tmp_path / "b")
    _, state = run_with_one_pulled(controller, 324)  # a tick before it crouches
    assert state.machine.mode.tolist() == [Mode.WALK, Mode.WALK]
    assert controller.due(state, np.full(2, np.int8(Request.KEEP))).tolist() == [True, False]


def run_with_one_pulled(controller, num_ticks):
    """Commands and state of two robots of which the second has a joint pulled away by more torque than is allowed."""
    one = reports_of(controller.contract, 400)
    reports = each(one, lambda array: np.stack([array, array], axis=1))

    def spoil(tick, report):  # 22 N m/rad times 1.2 rad are 26 N m, of which 19 are allowed
        off_rad = 1.2 * np.outer([False, tick >= 320], [1.0, 0.0, 0.0])
        return replace(report, joint_pos_rad=report.joint_pos_rad + off_rad)

    return run(controller, reports, np.array([[0.2, 0.0, 0.1]] * 2), (2,), num_ticks, spoil=spoil)


def test_an_action_moves_the_targets_at_once_as_in_training(tmp_path):
    controller = controller_of(tmp_path / "b")
    told, state = run(controller, reports_of(controller.contract, 391), np.array([0.2, 0.0, 0.1]), (), 391)
    walking = told[350:, :3]  # the hand-over is over
    np.testing.assert_array_equal(walking[-1], state.policy_command[:3])
    moves = np.abs(np.diff(walking, axis=0)).max(axis=1)
    assert np.flatnonzero(moves).tolist() == list(range(0, len(moves), controller.ticks_per_step))


def test_a_control_period_that_is_no_whole_number_of_low_level_periods_is_refused(tmp_path):
    with pytest.raises(SurefootError, match="it must be a whole number of them"):
        controller_of(tmp_path / "b", contract=small_contract(timing=TimingPart(0.02, 333.0)))


def test_single_reports_stack_to_a_batch():
    report = reports_of(small_contract(), 3)
    assert stack((each(report, lambda a: a[0]),) * 2).joint_pos_rad.shape == (2, 3)
