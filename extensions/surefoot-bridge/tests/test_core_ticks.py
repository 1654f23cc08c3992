"""The compiled core and NumPy take the same ticks, to the bit, on random states and inputs.

NumPy takes them all at once, as a batch; the core takes one robot after the other.
"""

from dataclasses import replace

import numpy as np
import pytest
from batches import arrays, robot
from bundles import write_bundle
from contracts import quadruped_contract
from safety_cases import LIMITS
from test_safety_fast_check import DAMPING, STIFFNESS, N, at_a_limit, well

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.control import Controller, TickInputs
from surefoot_bridge.core import Core, load_core
from surefoot_bridge.policy import ObservationState
from surefoot_bridge.robots import ALARMS
from surefoot_bridge.safety.frozen_sensors import FrozenState
from surefoot_bridge.safety.measures import Seen
from surefoot_bridge.state import Mode, Request, each, stack

if load_core().functions is None:
    pytest.skip(f"The core is {load_core().note}", allow_module_level=True)

NUMPY = Core(None, "NumPy")
CASES = pytest.mark.parametrize("cases", [2000, pytest.param(100_000, marks=pytest.mark.slow)])
ODD = np.array([np.nan, np.inf, -np.inf, 1e30, -0.0, 0.0])
TICK_S = 0.005
YES = np.ones((), dtype=bool)


@pytest.fixture(scope="module")
def controllers(tmp_path_factory):
    """The same controller by the core and by NumPy."""
    folder = tmp_path_factory.mktemp("core") / "bundle"
    write_bundle(folder, contract=quadruped_contract())
    bundle = load_bundle(folder, runtime="numpy")
    return Controller(bundle, LIMITS), Controller(bundle, LIMITS, core=NUMPY)


def assert_same(single, batch, case):
    """What one robot got is, in kind and bits, what it got in the batch, but for the sign of a zero.

    A batch is brought within its limits where one of its robots is beyond them, which takes the sign off a zero.
    """
    single, batch = arrays(single), arrays(batch)
    assert len(single) == len(batch)
    for one, other in zip(single, batch):
        other = other[case]
        assert one.dtype == other.dtype
        if one.dtype.kind == "f":
            one, other = one + one.dtype.type(0.0), other + one.dtype.type(0.0)
        assert one.tobytes() == other.tobytes()


def spoil(rng, array, share):
    """Put an odd number into some robots' rows."""
    rows = np.flatnonzero(rng.random(len(array)) < share)
    array[rows, rng.integers(array.shape[1], size=len(rows))] = rng.choice(ODD, len(rows))
    return array


def random_states(rng, controller, modes, cases):
    """Robots somewhere in a mode, whose joints are where their last commands had them, about."""
    first, mode, tick = (
        controller.initial((cases,)),
        rng.choice(modes, cases).astype(np.int8),
        np.arange(10, 10 + cases),
    )
    pose = controller.machine.goals.fixed[mode]
    unposed = ~np.isin(mode, (Mode.STAND, Mode.CROUCH, Mode.SIT))
    pose[unposed, :N] = 0.1 * np.arange(1, N + 1)
    pose[np.isin(mode, (Mode.WALK, Mode.STOP)), 2 * N : 4 * N] = np.concatenate([STIFFNESS, DAMPING])

    def near(width=5 * N):
        by = 0.01 * rng.integers(2, size=(cases, 1)) * rng.normal(size=(cases, width))
        return pose[:, :width] + by * (pose[:, :width] != 0.0)

    def some(share, there, elsewhere):
        return np.where((rng.random(cases) < share).reshape(-1, *[1] * (np.ndim(there) - 1)), there, elsewhere)

    sent = near()
    machine = first.machine._replace(
        mode=mode,
        wanted=some(0.02, np.int8(Mode.PASSIVE), mode),
        held=rng.random(cases) < 0.02,
        time_s=TICK_S * tick - rng.choice([0.005, 0.005, 0.02, 0.021, 0.0], cases),
        moved_s=some(0.3, 0.0, rng.uniform(0.0, 3.0, cases)),
        motion_s=rng.uniform(0.1, 3.0, cases),
        start_rad=near(N),
        blended_s=some(0.4, 10.0, rng.uniform(0.0, 1.0, cases)),
        handover_s=rng.choice([0.0, 0.5, 1.0], cases),
        source=some(0.5, near(), sent),
        sent=sent,
    )
    seen = Seen(
        time_s=np.stack([TICK_S * (tick - 1), 100.0 + TICK_S * (tick - 1)], axis=-1),
        sequence=tick - (rng.random(cases) < 0.98),
        joint_pos_rad=near(N),
        joint_vel_rad_s=rng.normal(size=(cases, N)),
        command=some(0.3, near(), sent),
        moved_rad=np.abs(0.05 * rng.normal(size=(cases, N))),
    )
    safety = first.safety._replace(
        seen=seen,
        held_s=rng.choice([0.0, 0.03], cases),
        response=some(0.02, rng.integers(3, size=cases).astype(np.int8), np.int8(0)),
    )
    shown = rng.normal(size=first.shown.shape).astype(np.float32)
    return first._replace(
        machine=machine,
        safety=safety,
        observation=ObservationState(shown, rng.random(cases) < 0.02),
        policy_command=spoil(rng, near(), 0.02),
        action=spoil(rng, rng.normal(size=(cases, N)).astype(np.float32), 0.02),
        last_action=rng.normal(size=(cases, N)).astype(np.float32),
        released=rng.random(cases) < 0.01,
    )


def random_inputs(rng, state, cases):
    """Reports and what else a tick is given, with something at a limit, odd or frozen now and then."""
    wells = [well(rng, tick)[0] for tick in range(10, 10 + cases)]
    report = stack(tuple(one.report for one in wells))
    report = replace(
        report,
        joint_pos_rad=state.machine.sent[:, :N] + 0.02 * rng.normal(size=(cases, N)),
        foot_force_n=rng.uniform(0.0, 10.0, (cases, 2)),
    )
    velocity, age_s = np.stack([one.velocity_command for one in wells]), np.full(cases, 0.002)
    for case in np.flatnonzero(rng.random(cases) < 0.25):
        one = wells[case]._replace(report=each(report, lambda array, case=case: array[case]))
        changed, _ = at_a_limit(rng, one._replace(frozen=state.frozen.frozen[case]), state.policy_command[case])
        velocity[case], age_s[case] = changed.velocity_command, changed.report_age_s
    for array in (report.joint_pos_rad, report.imu_ang_vel_rad_s, report.foot_force_n, velocity):
        spoil(rng, array, 0.01)
    inputs = TickInputs(
        time_s=TICK_S * np.arange(10, 10 + cases),
        report_age_s=age_s,
        wrong_crc=rng.random(cases) < 0.01,
        lateness_s=np.zeros(cases),
        velocity_command=velocity,
        request=np.where(rng.random(cases) < 0.02, rng.integers(len(Request), size=cases), 0).astype(np.int8),
        policy_failed=np.zeros(cases, dtype=bool),
        operator_stop=rng.random(cases) < 0.01,
        operator_release=rng.random(cases) < 0.01,
        operator_age_s=np.full(cases, 0.1),
        alarms=np.zeros((cases, len(ALARMS)), dtype=bool),
    )
    return report, inputs


def plain(inputs, case):
    """What one robot's tick is given, as the loop gives it."""
    one = robot(inputs, case)
    names = (name for name in one._fields if name not in ("velocity_command", "request", "alarms"))
    return one._replace(**{name: getattr(one, name).item() for name in names})


def watched(rng, state, report):
    """Sensors of which some measure what they measured before."""
    imu = (report.imu_quat_wxyz, report.imu_ang_vel_rad_s, report.imu_lin_acc_m_s2)
    measured = np.concatenate((*imu, report.joint_pos_rad, report.joint_vel_rad_s), axis=-1)
    cases = len(measured)
    moved = rng.random((cases, 10 + 2 * N)) < np.where(rng.random((cases, 1)) < 0.5, 0.7, 0.05)
    return FrozenState(
        measured=measured + moved * 1e-3,
        target_rad=state.machine.sent[:, :N] + rng.choice([0.0, 0.02], (cases, N)),
        same_s=rng.choice([0.0, 0.03, 0.04], (cases, 1 + N)),
        travel_rad=rng.choice([0.0, 0.09, 0.1], (cases, N)),
        frozen=np.zeros((cases, 1 + N), dtype=bool),
    )


@CASES
def test_commands_verdicts_and_states_are_the_same(controllers, cases):
    by_core, by_numpy = controllers
    rng, ordinary = np.random.default_rng(11), 0
    state = random_states(rng, by_numpy, list(Mode), cases)
    report, inputs = random_inputs(rng, state, cases)
    with np.errstate(all="ignore"):
        theirs = by_numpy.command(state, report, inputs)
    bare = theirs[0]._replace(look=0.0)
    for case in range(cases):
        one = robot(state, case), robot(report, case), plain(inputs, case)
        ours = by_core._ordinary_tick(*one)
        if ours is None:
            continue
        ordinary += 1
        all_values = ordinary % 20 == 0  # finding them takes long
        verdict = ours[0] if all_values else ours[0]._replace(look=np.zeros(0))
        assert_same(verdict, theirs[0] if all_values else bare._replace(look=np.zeros((cases, 0))), case)
        assert_same(ours[1], theirs[1], case)
    assert 0.3 < ordinary / cases < 0.9


@CASES
def test_what_is_shown_is_the_same_and_to_whom(controllers, cases):
    by_core, by_numpy = controllers
    rng, asked = np.random.default_rng(12), 0
    state = random_states(rng, by_numpy, [Mode.WALK, Mode.STOP], cases)
    report, inputs = random_inputs(rng, state, cases)
    state = state._replace(frozen=watched(rng, state, report))
    showable = by_numpy.showable(report, inputs.wrong_crc)
    given = (report, inputs.velocity_command, inputs.request)
    with np.errstate(all="ignore"):
        theirs = by_numpy.observe(state, *given, showable)
    for case in range(cases):
        one = robot(report, case)
        assert by_core.showable(one, bool(inputs.wrong_crc[case])) == showable[case]
        if showable[case]:
            request = inputs.request[case]
            with np.errstate(all="ignore"):
                ours = by_core.observe(robot(state, case), one, inputs.velocity_command[case], request, YES)
            assert_same(ours, theirs, case)
            asked += 1
    assert 0.7 < asked / cases < 1.0
    assert 0.01 < theirs.frozen.frozen.any(axis=-1).mean() < 0.9


@CASES
@pytest.mark.parametrize("low_pass_hz", [None, 8.0])
@pytest.mark.parametrize("clamped", [False, True])
def test_what_becomes_of_an_answer_is_the_same(tmp_path, cases, low_pass_hz, clamped):
    contract = quadruped_contract()
    action = replace(contract.action, low_pass_hz=low_pass_hz, clamped_to_limits=clamped)
    write_bundle(tmp_path / "b", contract=replace(contract, action=action))
    bundle = load_bundle(tmp_path / "b", runtime="numpy")
    by_core, by_numpy = Controller(bundle, LIMITS), Controller(bundle, LIMITS, core=NUMPY)
    rng = np.random.default_rng(13)
    state = random_states(rng, by_numpy, [Mode.WALK], cases)
    before = replace(state.target, joint_pos_rad=rng.normal(size=(cases, N)), fresh=rng.random(cases) < 0.1)
    state = state._replace(target=before)
    actions = (10.0 ** rng.uniform(-3.0, 2.0, (cases, 1)) * rng.normal(size=(cases, N))).astype(np.float32)
    actions = spoil(rng, actions, 0.05)
    by_numpy.policy = lambda observation, memory: (actions, memory)
    theirs = by_numpy.infer(state, np.ones(cases, dtype=bool))
    for case in range(cases):
        by_core.policy = lambda observation, memory, case=case: (actions[case], memory)
        assert_same(by_core.infer(robot(state, case), YES), theirs, case)
