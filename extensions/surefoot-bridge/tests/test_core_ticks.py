"""The compiled core and NumPy take the same ticks, to the bit, on random states and inputs."""

from dataclasses import replace

import numpy as np
import pytest
from batches import arrays
from bundles import write_bundle
from contracts import quadruped_contract
from safety_cases import LIMITS
from test_safety_fast_check import DAMPING, STIFFNESS, N, at_a_limit, well

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.control import Controller, TickInputs
from surefoot_bridge.core import Core, load_core
from surefoot_bridge.safety.frozen_sensors import FrozenState
from surefoot_bridge.safety.measures import Seen
from surefoot_bridge.state import Mode, Request

if load_core().functions is None:
    pytest.skip(f"The core is {load_core().note}", allow_module_level=True)

NUMPY = Core(None, "NumPy")
CASES = pytest.mark.parametrize("cases", [2000, pytest.param(100_000, marks=pytest.mark.slow)])
ODD = np.array([np.nan, np.inf, -np.inf, 1e300, -0.0, 0.0])


@pytest.fixture(scope="module")
def controllers(tmp_path_factory):
    """The same controller by the core and by NumPy."""
    folder = tmp_path_factory.mktemp("core") / "bundle"
    write_bundle(folder, contract=quadruped_contract())
    bundle = load_bundle(folder, runtime="numpy")
    return Controller(bundle, LIMITS), Controller(bundle, LIMITS, core=NUMPY)


def assert_same(ours, theirs):
    """Two nests of arrays are of the same kinds, shapes and bits."""
    ours, theirs = arrays(ours), arrays(theirs)
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.tobytes() == other.tobytes()


def spoilt(rng, array, share=0.02):
    """Now and then one number of an array is odd."""
    array = np.array(array)
    if rng.random() < share:
        with np.errstate(over="ignore"):  # of what is too large for float32
            array.flat[rng.integers(array.size)] = rng.choice(ODD)
    return array


def random_state(rng, controller, mode, tick):
    """A robot somewhere in a mode, whose joints are where its last commands had them, about."""
    first, pose = controller.initial(()), controller.machine.goals.fixed[mode].copy()
    if mode in (Mode.WALK, Mode.STOP):
        pose[:N] = 0.1 * np.arange(1, N + 1)
        pose[2 * N : 4 * N] = np.concatenate([STIFFNESS, DAMPING])
    elif mode in (Mode.PASSIVE, Mode.DAMPED):
        pose[:N] = 0.1 * np.arange(1, N + 1)

    def near(width=5 * N):
        return pose[:width] + rng.choice([0.0, 0.01]) * rng.normal(size=width) * (pose[:width] != 0.0)

    sent = near()
    machine = first.machine._replace(
        mode=np.int8(mode),
        wanted=np.array(mode if rng.random() < 0.95 else Mode.PASSIVE, np.int8),
        held=np.array(rng.random() < 0.03),
        time_s=np.float64(0.005 * tick - rng.choice([0.005, 0.02, 0.021, 0.0])),
        moved_s=np.float64(rng.choice([0.0, rng.uniform(0.0, 3.0)])),
        motion_s=np.float64(rng.uniform(0.1, 3.0)),
        start_rad=near(N),
        blended_s=np.array(rng.choice([0.0, rng.uniform(0.0, 1.0), 10.0])),
        handover_s=np.array(rng.choice([0.0, 0.5, 1.0])),
        source=near() if rng.random() < 0.5 else sent.copy(),
        sent=sent,
    )
    seen = Seen(
        time_s=np.array([0.005 * (tick - 1), 100.0 + 0.005 * (tick - 1)]),
        sequence=np.array(tick - (rng.random() < 0.97)),
        joint_pos_rad=near(N),
        joint_vel_rad_s=rng.normal(size=N),
        command=near() if rng.random() < 0.3 else sent.copy(),
        moved_rad=np.abs(0.05 * rng.normal(size=N)),
    )
    safety = first.safety._replace(seen=seen, held_s=np.array(rng.choice([0.0, 0.1])))
    if rng.random() < 0.02:
        safety = safety._replace(response=np.array(rng.integers(3), np.int8))
    return first._replace(
        machine=machine,
        safety=safety,
        observation=replace(
            first.observation,
            shown=rng.normal(size=first.shown.shape).astype(np.float32),
            fresh=np.array(rng.random() < 0.02),
        ),
        policy_command=spoilt(rng, near()),
        action=spoilt(rng, rng.normal(size=N).astype(np.float32)),
        last_action=rng.normal(size=N).astype(np.float32),
        released=np.array(rng.random() < 0.01),
    )


def random_inputs(rng, tick, state):
    """What a tick is given, something of it at a limit now and then."""
    inputs, command = well(rng, tick)
    q = state.machine.sent[:N] + 0.02 * rng.normal(size=N)
    inputs = inputs._replace(report=replace(inputs.report, joint_pos_rad=q))
    if rng.random() < 0.3:
        inputs, _ = at_a_limit(rng, inputs, command)
    report = replace(
        inputs.report,
        joint_pos_rad=spoilt(rng, inputs.report.joint_pos_rad),
        imu_ang_vel_rad_s=spoilt(rng, inputs.report.imu_ang_vel_rad_s),
        foot_force_n=spoilt(rng, rng.uniform(0.0, 10.0, 2)),
    )
    if rng.random() < 0.3:  # a few sensors measure what they measured before
        at = rng.integers(N)
        measured = np.concatenate(
            (report.imu_quat_wxyz, report.imu_ang_vel_rad_s, report.imu_lin_acc_m_s2, report.joint_pos_rad)
        )
        measured = np.concatenate((measured, report.joint_vel_rad_s)) + 0.0
        measured[10 + at + N * rng.integers(2)] += rng.choice([0.0, 1e-3])
        measured[rng.integers(10)] += rng.choice([0.0, 1e-9])
        frozen = FrozenState(
            measured=measured,
            target_rad=state.machine.sent[:N] + rng.choice([0.0, 0.02], N),
            same_s=rng.choice([0.0, 0.03, 0.04], 1 + N),
            travel_rad=rng.choice([0.0, 0.09, 0.1], N),
            frozen=np.array(rng.random(1 + N) < 0.001),
        )
        state = state._replace(frozen=frozen)
    ticks = TickInputs(
        time_s=float(inputs.time_s),
        report_age_s=inputs.report_age_s,
        wrong_crc=bool(rng.random() < 0.01),
        lateness_s=inputs.lateness_s,
        velocity_command=spoilt(rng, inputs.velocity_command),
        request=np.int8(rng.choice(Request) if rng.random() < 0.02 else Request.KEEP),
        policy_failed=inputs.policy_failed,
        operator_stop=bool(rng.random() < 0.01),
        operator_release=bool(rng.random() < 0.01),
        operator_age_s=inputs.operator_age_s,
    )
    return report, ticks, state


@CASES
def test_commands_verdicts_and_states_are_the_same(controllers, cases):
    by_core, by_numpy = controllers
    rng, ordinary = np.random.default_rng(11), 0
    for case in range(cases):
        tick = 10 + case
        state = random_state(rng, by_numpy, rng.choice(Mode), tick)
        report, inputs, state = random_inputs(rng, tick, state)
        ours, theirs = (controller.command(state, report, inputs) for controller in controllers)
        ordinary += by_core._ordinary_tick(state, report, inputs) is not None
        assert_same(ours, theirs)
    assert 0.3 < ordinary / cases < 0.9


@CASES
def test_what_is_shown_is_the_same_and_to_whom(controllers, cases):
    _, by_numpy = controllers
    rng, asked, frozen, yes = np.random.default_rng(12), 0, 0, np.ones((), dtype=bool)
    for case in range(cases):
        tick = 10 + case
        state = random_state(rng, by_numpy, rng.choice([Mode.WALK, Mode.STOP]), tick)
        report, inputs, state = random_inputs(rng, tick, state)
        showable = [bool(controller.showable(report, inputs.wrong_crc)) for controller in controllers]
        assert showable[0] == showable[1]
        if showable[0]:
            given = (state, report, inputs.velocity_command, np.int8(Request.KEEP), yes)
            with np.errstate(over="ignore"):  # NumPy's warning of what is too large for float32
                ours, theirs = (controller.observe(*given) for controller in controllers)
            assert_same(ours, theirs)
            asked, frozen = asked + 1, frozen + bool(ours.frozen.frozen.any())
    assert 0.7 < asked / cases < 1.0
    assert frozen > 0.01 * cases


class Answers:
    """A policy that answers what it is told to."""

    def __call__(self, observation, memory):
        return self.action, memory


@CASES
@pytest.mark.parametrize("low_pass_hz", [None, 8.0])
@pytest.mark.parametrize("clamped", [False, True])
def test_what_becomes_of_an_answer_is_the_same(tmp_path, cases, low_pass_hz, clamped):
    contract = quadruped_contract()
    action = replace(contract.action, low_pass_hz=low_pass_hz, clamped_to_limits=clamped)
    write_bundle(tmp_path / "b", contract=replace(contract, action=action))
    bundle = load_bundle(tmp_path / "b", runtime="numpy")
    controllers = Controller(bundle, LIMITS), Controller(bundle, LIMITS, core=NUMPY)
    policy, rng, yes = Answers(), np.random.default_rng(13), np.ones((), dtype=bool)
    state = controllers[1].initial(())
    for controller in controllers:
        controller.policy = policy
    for _ in range(cases):
        if rng.random() < 0.05:
            state = state._replace(target=controllers[1].targets.initial(()))
        policy.action = (10.0 ** rng.uniform(-3.0, 2.0) * rng.normal(size=N)).astype(np.float32)
        if rng.random() < 0.05:
            policy.action[rng.integers(N)] = rng.choice([np.nan, np.inf, -np.inf, -0.0])
        ours, theirs = (controller.infer(state, yes) for controller in controllers)
        assert_same(ours, theirs)
        state = theirs
