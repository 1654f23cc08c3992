from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from go2_rig import BUNDLE, LIMITS, model_of
from log_rig import needs_mcap
from loop_rig import JointRobot
from safety_cases import CONTRACT, STIFFNESS, command
from safety_cases import LIMITS as SMALL_LIMITS

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.clock import SimulatedClock
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.safety import Response, Safety
from surefoot_devtools.fault_injection import FAULTS, fault_of, trial
from surefoot_devtools.fault_injection.campaign import Plan, run_campaign, summary
from surefoot_devtools.fault_injection.faulty_parts import FaultyClock
from surefoot_devtools.fault_injection.faulty_robot import FaultyRobot
from surefoot_devtools.fault_injection.timeline import Injection
from surefoot_devtools.fault_injection.trial import run_trial
from surefoot_devtools.fault_injection.witness import Witness

ROBOT_FAULTS = [fault for fault in FAULTS.values() if fault.where == "robot"]
COMMAND_FAULTS = (
    *("commands_lost", "commands_lost_long", "commands_thin"),
    *("write_raises", "write_raises_once", "tipped_over", "tossed"),
)


def test_there_are_at_least_eighty_faults_of_every_part_and_their_rules_exist():
    assert len(FAULTS) >= 80
    assert Counter(fault.where for fault in FAULTS.values()).keys() == {"robot", "policy", "operator", "clock"}
    rules = {rule.name for rule in Safety(CONTRACT, SMALL_LIMITS).rules}
    for fault in FAULTS.values():
        assert set(fault.rules) <= rules, fault.name
        assert fault.within_s > 0.0


def test_every_rule_but_those_that_only_a_wrong_machine_could_trip_is_provoked_by_a_fault():
    rules = {rule.name for rule in Safety(CONTRACT, SMALL_LIMITS).rules}
    provoked = {name for fault in FAULTS.values() for name in fault.rules}
    # A command that is not finite cannot leave the machine; a fallen robot is damped long before.
    assert rules - provoked == {"command_not_finite", "fallen"}


@pytest.mark.parametrize("fault", [f for f in ROBOT_FAULTS if f.name not in COMMAND_FAULTS], ids=lambda f: f.name)
def test_a_fault_of_the_robot_spoils_reports_while_it_is_on_and_not_before(fault):
    clock = SimulatedClock()
    robot = FaultyRobot(JointRobot(clock), CONTRACT, [Injection(fault, 1.0, 5)], clock=clock)
    spoilt = []
    for tick in range(1, 300):
        clock.sleep_until(tick * 0.005)
        try:
            robot.read()
        except OSError:
            robot.spoilt = True
        spoilt.append((clock.now(), robot.spoilt))
    assert not any(on for now, on in spoilt if now < 1.0)
    if fault.name not in ("reports_pause", "encoder_frozen", "imu_frozen") or fault.duration_s > 0.1:
        assert any(on for now, on in spoilt if now >= 1.0)


def spoilt_by(name, seed=5, at_s=1.5):
    """What a robot of three joints is said to measure with a fault that began at 1 s, and what it measures."""
    clock = SimulatedClock()
    true = JointRobot(clock)
    robot = FaultyRobot(true, CONTRACT, [Injection(fault_of(name), 1.0, seed)], clock=clock)
    for tick in range(1, round(at_s / 0.002) + 1):
        clock.sleep_until(tick * 0.002)
        spoilt = robot.read()
    return spoilt, true.read()


def test_an_encoder_that_drifts_is_off_by_a_tenth_of_a_radian_after_half_a_second():
    spoilt, true = spoilt_by("encoder_drifts")
    off = spoilt.state.joint_pos_rad - true.state.joint_pos_rad
    np.testing.assert_allclose(off, [0.0, 0.0, 0.1], atol=1e-9)  # seed 5 of three joints is the last


def test_an_imu_turned_to_the_left_by_a_quarter_feels_forward_as_its_right():
    clock = SimulatedClock()
    robot = JointRobot(clock)
    robot.read = lambda read=robot.read: (
        lambda reading: replace(
            reading,
            state=replace(
                reading.state,
                imu_quat_wxyz=np.array([1.0, 0.0, 0.0, 0.0]),
                imu_ang_vel_rad_s=np.array([1.0, 0.0, 0.0]),
                imu_lin_acc_m_s2=np.array([0.0, 2.0, 9.81]),
            ),
        )
    )(read())
    clock.sleep_until(1.0)
    state = FaultyRobot(robot, CONTRACT, [Injection(fault_of("imu_turned"), 0.5, 0)], clock=clock).read().state
    half = np.sqrt(0.5)
    np.testing.assert_allclose(state.imu_quat_wxyz, [half, 0.0, 0.0, half])
    np.testing.assert_allclose(state.imu_ang_vel_rad_s, [0.0, -1.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(state.imu_lin_acc_m_s2, [2.0, 0.0, 9.81], atol=1e-12)


def test_a_delay_that_grows_by_a_tenth_is_40_ms_after_400_ms():
    spoilt, true = spoilt_by("delay_grows", at_s=1.4)
    assert true.received_s - spoilt.received_s == pytest.approx(0.04, abs=0.002)


def test_a_clock_that_creeps_has_lost_nine_milliseconds_after_three_tenths_and_one_that_stutters_is_held_up_thrice():
    for name, expected_s in (("loop_clock_creeps", 1.0 + 0.35 - 0.009), ("loop_stutters", 1.0 + 0.3 + 3 * 0.015)):
        true = SimulatedClock()
        clock = FaultyClock(true, Injection(fault_of(name), 1.0, 0))
        if name == "loop_clock_creeps":
            true.sleep_until(1.35)
        else:
            true.sleep_until(1.0)
            for _ in range(3):
                clock.sleep_until(true.now() + 0.1)
        assert clock.now() == pytest.approx(expected_s, abs=1e-9)


def test_a_fault_of_another_part_is_refused_and_an_unknown_one_named():
    clock = SimulatedClock()
    with pytest.raises(SurefootError, match="policy_nan is a fault of the policy, not of the robot"):
        FaultyRobot(JointRobot(clock), CONTRACT, [Injection(fault_of("policy_nan"), 0.0, 0)], clock=clock)
    with pytest.raises(SurefootError, match="Unknown fault 'policy_nam'; valid: policy_nan"):
        fault_of("policy_nam")


class TestWitness:
    def witness(self):
        clock = SimulatedClock()
        robot = JointRobot(clock)
        clock.sleep_until(0.005)
        return Witness(robot, CONTRACT, SMALL_LIMITS, clock=clock, knows_state=lambda: True), robot, clock

    def told(self, robot, **changes):
        return command(**{"target": robot.q, **changes})

    def test_a_command_within_all_limits_is_not_counted(self):
        witness, robot, clock = self.witness()
        witness.write(self.told(robot))
        clock.sleep_until(0.01)
        witness.write(self.told(robot, target=robot.q + 0.14))  # 30 rad/s allow 0.6 at once
        assert (witness.commands, witness.outside) == (2, 0)

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"target": [2.1, 0.0, 0.0]}, "target of c is 2.1, limit 2"),
            ({"velocity": -20.5}, "velocity of"),
            ({"stiffness": -1.0}, "minus stiffness of"),
            ({"stiffness": 300.0}, "stiffness of c is 300, limit 237.2"),
            ({"damping": 48.0}, "damping of c is 48, limit 47.44"),
            ({"torque": 19.0}, "feed-forward torque of"),
            ({"velocity": np.nan}, "a number is not finite"),
            ({"stiffness": STIFFNESS * 10, "target": [1.0, -0.4, 0.5]}, "torque of c is 22, limit 18.976"),
        ],
    )
    def test_a_command_outside_a_limit_is_counted_and_named(self, changes, words):
        witness, robot, _ = self.witness()
        witness.write(self.told(robot, **changes))
        assert witness.outside == 1
        assert words in witness.notes[0]

    def test_a_target_that_moves_too_fast_is_counted(self):
        witness, robot, clock = self.witness()
        lying, begun_s = robot.q.copy(), clock.now()
        witness.write(self.told(robot))
        for tick in range(1, 15):  # 0.1 each 2 ms, of which 30 rad/s allow 0.06: 0.1 + 13 * 0.04 is more than 0.6
            clock.sleep_until(begun_s + 0.002 * tick)
            witness.write(self.told(robot, target=lying + (0.1 if tick % 2 else 0.0), stiffness=0.0))
            assert witness.outside == (tick > 13)
        assert "move of the target of" in witness.notes[0]

    @pytest.mark.parametrize(("move_rad", "outside"), [(1.9, 0), (2.1, 1)])
    def test_after_commands_that_never_came_a_target_may_have_moved_by_what_its_rate_allows_in_their_time(
        self, move_rad, outside
    ):
        witness, robot, clock = self.witness()
        period_s = 1.0 / CONTRACT.timing.low_level_hz
        witness.write(self.told(robot, target=-0.5 * move_rad, stiffness=0.0))
        gap_s = (2.0 / 30.0) - CONTRACT.timing.control_period_s + period_s  # 30 rad/s allow 2 rad in all
        clock.sleep_until(clock.now() + gap_s)
        witness.write(self.told(robot, target=0.5 * move_rad, stiffness=0.0))
        assert witness.outside == outside, witness.notes


@needs_mcap
@pytest.mark.parametrize(
    "name",
    [
        *("reports_stop", "nan_imu_quat_wxyz", "imu_upside_down", "policy_raises_once", "operator_stops"),
        *("remote_taps_select", "loop_stalls", "tipped_over"),
    ],
)
def test_the_go2_is_safe_in_time_after_a_fault_and_never_told_too_much(name):
    model, bundle = model_of("unitree_go2"), load_bundle(BUNDLE, runtime="numpy")
    result = run_trial(bundle, model, LIMITS, fault_of(name), seed=1, with_log=name == "reports_stop")
    assert result.notes == ()
    assert result.safe
    assert result.outside == 0
    assert result.log_readable is (True if name == "reports_stop" else None)
    assert result.safe_after_s <= fault_of(name).within_s
    if fault_of(name).safe == Response.DAMP:
        assert result.worst == "damp"


@needs_mcap
def test_a_walking_go2_that_is_to_stand_and_at_once_to_be_passive_is_not_dropped_and_a_drop_would_be_seen(monkeypatch):
    model, bundle = model_of("unitree_go2"), load_bundle(BUNDLE, runtime="numpy")
    fault = fault_of("operator_stand_passive")
    assert run_trial(bundle, model, LIMITS, fault, seed=1, with_log=False).notes == ()
    monkeypatch.setattr(trial, "DROP_M_S", 0.1)  # it sits down at more than that
    result = run_trial(bundle, model, LIMITS, fault, seed=1, with_log=False)
    assert not result.safe
    assert result.notes[0].startswith("The robot was dropped at 0.")


def test_a_loop_that_gives_up_where_nothing_is_to_happen_is_not_safe(monkeypatch):
    def breaks(*_):
        raise ArithmeticError("no way from here")

    monkeypatch.setattr("surefoot_bridge.control.transitions.Transitions.step", breaks)
    model, bundle = model_of("unitree_go2"), load_bundle(BUNDLE, runtime="numpy")
    result = run_trial(bundle, model, LIMITS, fault_of("operator_stand_passive"), seed=1, with_log=False)
    assert not result.safe
    assert result.notes == ("The loop gave up: ArithmeticError: no way from here",)


@pytest.mark.parametrize("name", ["operator_babbles", "reports_swapped", "battery_empty"])
def test_a_go2_neither_falls_nor_is_dropped_nor_walks_without_charge(name):
    """Whose operator asks for a random mode at every reading; whose reports are exchanged; whose battery is empty."""
    model, bundle = model_of("unitree_go2"), load_bundle(BUNDLE, runtime="numpy")
    result = run_trial(bundle, model, LIMITS, fault_of(name), seed=0, with_log=False)
    assert result.notes == ()
    assert (result.safe, result.outside, result.fell) == (True, 0, False)


def test_a_campaign_that_was_cut_short_says_so_and_counts_what_there_was():
    plan = Plan(BUNDLE, 3, ("reports_stop", "policy_nan"))
    found = summary(plan, [])
    assert (found["complete"], found["kinds"], found["trials"], found["safe"]) == (False, 0, 0, 0)
    assert [row["name"] for row in found["by_kind"]] == ["reports_stop", "policy_nan"]
    assert isinstance(CONTRACT, Contract)


def test_a_campaign_that_was_interrupted_goes_on_with_the_trials_that_are_done(tmp_path):
    kept, plan = tmp_path / "rows", Plan(BUNDLE, 2, ("reports_stop",), with_log=False)
    counts = []

    def stop(done, planned):
        counts.append(done)
        if done == 1:
            raise KeyError("as if it was killed")

    with pytest.raises(KeyError):
        run_campaign(plan, kept=kept, processes=1, progress=stop)
    with pytest.raises(SurefootError, match="holds no rows of a campaign"):
        broken = tmp_path / "broken"
        broken.write_text("[]")
        run_campaign(plan, kept=broken)
    found = run_campaign(plan, kept=kept, processes=1, progress=stop)
    assert counts == [1, 2]
    assert (found["complete"], found["trials"], kept.exists()) == (True, 2, False)
