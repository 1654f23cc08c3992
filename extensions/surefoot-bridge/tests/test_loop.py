from dataclasses import replace

import numpy as np
import pytest
from loop_rig import WALKING, Rig
from safety_cases import FALLS, LIMITS, TICK_S

from surefoot_bridge.control.transitions import STOP_S
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.guardian import GuardianTookOverError, Heartbeat
from surefoot_bridge.runtime import Loop
from surefoot_bridge.runtime import shutdown as orderly_end
from surefoot_bridge.runtime.loop import FIRST_REPORT_S
from surefoot_bridge.state import Mode, Request


class Beats(Heartbeat):
    """A heartbeat that takes the robot away at a time."""

    def __init__(self, taken_s=np.inf):
        self.taken_s, self.times, self.released = taken_s, [], 0

    def beat(self, time_s):
        if time_s >= self.taken_s:
            raise GuardianTookOverError("The guardian damps the robot.")
        self.times.append(time_s)

    def release(self):
        self.released += 1


def test_a_run_goes_from_passive_over_stand_and_walk_to_rest_and_damps_the_robot_last(tmp_path):
    rig = Rig(tmp_path / "b", *WALKING)
    report = rig.run(3.0)
    assert rig.modes() == ["passive", "stand", "walk", "stop", "stand", "sit", "passive"]
    assert report.in_order
    assert report.mode == Mode.PASSIVE
    assert rig.robot.num_stops > 1
    assert rig.robot.told[6:9].tolist() == [0.0, 0.0, 0.0]
    assert "the run ends" in report.modes[-1].reason


def test_every_tick_is_a_command_at_the_rate_of_the_contract(tmp_path):
    rig = Rig(tmp_path / "b", *WALKING)
    report = rig.run(2.0)
    times = np.array([when for when, _ in rig.robot.writes])
    np.testing.assert_allclose(np.diff(times), TICK_S, atol=1e-9)
    assert report.ticks == len(times)
    assert report.jitter.missed == 0


def test_the_policy_is_asked_once_each_control_period_and_only_while_the_robot_walks(tmp_path):
    rig = Rig(tmp_path / "b", (0.1, Request.STAND), (1.507, Request.WALK))
    rig.run(2.5)
    asked = np.array(rig.asked_s)
    assert asked[0] == pytest.approx(1.52)  # the first control period after it was asked for
    while_walking = asked[: np.searchsorted(asked, 2.5)]
    np.testing.assert_allclose(np.diff(while_walking), 0.02, atol=1e-9)
    assert [change.time_s for change in rig.loop._record.modes if change.mode == Mode.WALK] == pytest.approx([1.52])


def test_what_is_asked_for_before_the_first_report_is_done_after_it(tmp_path):
    rig = Rig(tmp_path / "b", (0.0, Request.STAND), silent_s=0.5)
    rig.run(1.0)
    assert [change.time_s for change in rig.loop._record.modes if change.mode == Mode.STAND] == pytest.approx([0.5])


def test_walking_waits_for_a_report_that_the_policy_can_be_shown(tmp_path):
    rig = Rig(tmp_path / "b", (0.1, Request.STAND), (1.507, Request.WALK))
    rig.robot.spoilt_s = (1.518, 1.522)
    rig.run(2.5)
    assert rig.asked_s[0] == pytest.approx(1.54)  # the control period after the one whose report was spoilt
    assert [change.time_s for change in rig.loop._record.modes if change.mode == Mode.WALK] == pytest.approx([1.54])


def test_targets_and_gains_pass_from_mode_to_mode_without_a_jump(tmp_path):
    rig = Rig(tmp_path / "b", *WALKING)
    rig.run(3.0)
    told = np.array([told for when, told in rig.robot.writes])
    change = np.abs(np.diff(told, axis=0))
    # From no gains to 52 N m/rad along 3 x^2 - 2 x^3 over 0.5 s: at most 1.5 * 52 * 0.005 / 0.5 in a tick.
    last = np.flatnonzero(told[:, 6] > 0)[-1]  # passive comes at once, from rest
    assert change[:last, 6:9].max() <= 1.5 * 52.0 * TICK_S / 0.5 + 1e-9
    assert change[:last, 9:12].max() <= 1.5 * 4.2 * TICK_S / 0.5 + 1e-9


def test_nothing_is_sent_before_the_first_report_and_a_robot_that_sends_none_is_named(tmp_path):
    rig = Rig(tmp_path / "b", *WALKING, silent_s=1.0)
    rig.run(2.0)
    assert rig.robot.writes[0][0] == pytest.approx(1.0)
    rig = Rig(tmp_path / "c", *WALKING, silent_s=np.inf)
    report = rig.run(20.0)
    assert rig.robot.writes == []
    assert not report.in_order
    assert "made_up sent no report within 5 s" in report.ended_by
    assert rig.clock.now() == pytest.approx(FIRST_REPORT_S, abs=0.2)


def test_a_short_exception_of_the_policy_holds_the_robot_is_told_once_and_ends_with_its_cause(tmp_path):
    rig = Rig(tmp_path / "b", *WALKING)
    rig.fail_between_s = (2.2, 2.22)
    report = rig.run(3.0)
    assert [incident.name for incident in report.incidents] == ["policy_failed"]
    assert "RuntimeError: out of memory" in report.incidents[0].message
    assert [event.rule for event in report.events if event.rule == "policy_failed"] == ["policy_failed"]
    np.testing.assert_array_equal(rig.at(2.205)[:3], rig.at(2.215)[:3])
    assert np.abs(rig.at(2.9)[:3] - rig.at(2.215)[:3]).max() > 1e-4  # it walks again
    assert report.in_order


def test_the_operator_is_asked_what_he_wants_now_where_the_loop_was_stopped_while_it_read_the_robot(tmp_path):
    rig = Rig(tmp_path, *WALKING)
    robot_read, operator_read, late_s = rig.robot.read, rig.operator.read, []

    def stalls():
        if rig.clock.now() == pytest.approx(1.0):
            rig.clock.spend(1.0)
        return robot_read()

    def looks(time_s):
        late_s.append(rig.clock.now() - time_s)
        return operator_read(time_s)

    rig.robot.read, rig.operator.read = stalls, looks
    rig.run(2.5)
    assert rig.clock.now() > 2.0
    assert max(late_s) == 0.0  # or a pause would not be seen, and what was typed in it be obeyed


def test_an_operator_that_raises_is_one_that_is_lost(tmp_path):
    rig = Rig(tmp_path / "b", *WALKING, silent_from_s=2.0)
    report = rig.run(3.0)
    assert [incident.name for incident in report.incidents] == ["operator_read_failed"]
    lost = [event.time_s for event in report.events if event.rule == "operator_lost"]
    assert lost == pytest.approx([2.0 + 0.5], abs=2 * TICK_S)


def test_a_command_that_cannot_be_sent_ends_the_run_and_the_robot_is_damped(tmp_path):
    rig = Rig(tmp_path / "b", *WALKING)
    rig.robot.fail_write_at = 2.0
    report = rig.run(3.0)
    assert report.ended_by == "OSError: the network is down"
    assert not report.in_order
    assert report.duration_s < 2.0
    assert rig.robot.num_stops > 1
    assert report.incidents[-1].name == "ended"


def test_once_the_guardian_has_the_robot_nothing_more_is_sent(tmp_path):
    beats = Beats(taken_s=2.0)
    rig = Rig(tmp_path / "b", *WALKING, heartbeat=beats)
    report = rig.run(3.0)
    assert rig.robot.writes[-1][0] < 2.0
    assert rig.robot.num_stops == 0
    assert report.ended_by == "The guardian damps the robot."
    assert beats.released == 0


def test_every_command_is_preceded_by_a_beat_and_an_orderly_end_releases_the_guardian(tmp_path):
    beats = Beats()
    rig = Rig(tmp_path / "b", *WALKING, heartbeat=beats)
    rig.run(2.0)
    times = [when for when, _ in rig.robot.writes]
    assert beats.times[: len(times)] == times
    assert beats.released == 1


def test_a_second_request_to_end_damps_at_once(tmp_path):
    rig = Rig(tmp_path / "b", *WALKING)
    read = rig.operator.read

    def twice(time_s):
        if time_s >= 2.0:
            rig.loop.request_end()
        return read(time_s)

    rig.operator.read = twice
    report = rig.run(10.0)
    assert report.ended_by == "It was told to end at once."
    assert not report.in_order
    assert rig.clock.now() < 2.3
    assert rig.robot.told[9:12].tolist() == [3.0, 3.0, 3.0]


def test_a_stopped_robot_is_damped_until_it_is_released_and_may_stand_again(tmp_path):
    rig = Rig(tmp_path / "b", *WALKING, (2.0, "stop"), (3.1, Request.RELEASE), (3.2, Request.STAND))
    rig.run(5.0)
    assert rig.modes()[:6] == ["passive", "stand", "walk", "damped", "passive", "stand"]
    assert rig.at(2.5)[6:9].tolist() == [0.0] * 3
    assert rig.at(2.5)[9:12].tolist() == [3.0] * 3


def test_a_loop_that_was_held_up_leaves_ticks_out_and_asks_the_policy_in_the_first_that_is_not_late(tmp_path):
    rig = Rig(tmp_path / "b", *WALKING)
    read, spent = rig.robot.read, []

    def slow():
        if rig.clock.now() >= 2.0 and not spent:
            spent.append(rig.clock.now())
            rig.clock.spend(0.0525)
        return read()

    rig.robot.read = slow
    report = rig.run(3.0)
    times = np.array([when for when, _ in rig.robot.writes])
    gap = np.diff(times).max()
    # The tick of 2.0 s sends at 2.0525; of those due until then the last one, of 2.05, is done at once, nine are not.
    assert gap == pytest.approx(0.0575)
    assert report.jitter.missed == 9
    # Its first tick that was left out was due at 2.005.
    assert [(event.time_s, event.value) for event in report.events if event.rule == "deadline"] == [
        (pytest.approx(2.0525), pytest.approx(0.0475))
    ]
    # The step of 2.0 s; that of 2.04 is not taken in a late tick, which is held anyway, but in the one after.
    assert [when for when in rig.asked_s if 1.99 < when < 2.07] == pytest.approx([2.0525, 2.055, 2.06])
    assert report.in_order


def test_a_loop_of_another_robot_is_refused(tmp_path):
    rig = Rig(tmp_path / "b")
    rig.robot.name = "unitree_go2"
    with pytest.raises(SurefootError, match=r"The robot is unitree_go2; the bundle .* is for made_up"):
        Loop(
            rig.bundle,
            rig.robot,
            rig.operator,
            limits=None,
            clock=rig.clock,
        )


def incidents(rig, name):
    return [incident.message for incident in rig.loop._record.incidents if incident.name == name]


def test_a_robot_whose_policy_fails_for_long_stands_without_it_until_it_is_asked_to_walk(tmp_path):
    rig = Rig(tmp_path / "b", *WALKING, (4.5, Request.WALK))
    rig.fail_between_s = (2.2, 2.8)
    rig.run(5.0)
    assert rig.modes()[:6] == ["passive", "stand", "walk", "crouch", "stand", "walk"]
    stood = rig.loop._record.modes[3]
    assert stood.time_s == pytest.approx(2.2 + LIMITS.longest_hold_s, abs=4 * TICK_S)
    assert stood.reason == "safety: policy_failed"


def test_an_operator_who_is_lost_stops_the_robot_which_then_stands_and_walks_only_when_asked(tmp_path):
    rig = Rig(tmp_path / "b", *WALKING, (5.5, Request.WALK))
    read = rig.operator.read

    def silent(time_s):
        wish = read(time_s)
        return replace(wish, heartbeat_s=2.0) if 2.0 <= time_s < 4.5 else wish

    rig.operator.read = silent
    rig.run(6.0)
    assert rig.modes()[:6] == ["passive", "stand", "walk", "stop", "stand", "walk"]
    stop, stand, walk = tuple(rig.loop._record.modes)[3:6]
    assert stop.time_s == pytest.approx(2.5, abs=2 * TICK_S)
    assert 0.4 < stand.time_s - stop.time_s <= STOP_S + 2 * TICK_S
    assert walk.time_s == pytest.approx(5.5, abs=0.02)
    assert (stop.reason, stand.reason) == ("safety: operator_lost", "on the way to stand")


def test_to_sit_is_obeyed_by_a_walking_robot_after_it_has_stopped_and_the_log_says_so(tmp_path):
    rig = Rig(tmp_path / "b", *WALKING, (2.0, Request.SIT))
    rig.run(7.0)
    assert rig.modes()[:6] == ["passive", "stand", "walk", "stop", "stand", "sit"]
    assert incidents(rig, "request_waits") == ["sit waits: the robot walks; it comes to rest step by step first."]


def test_a_request_that_is_not_obeyed_is_refused_in_one_line_each_time(tmp_path):
    rig = Rig(tmp_path / "b", (0.1, Request.WALK), (0.2, Request.STAND), (0.5, Request.WALK), (1.5, "stop"))
    rig.operator.wishes += [(2.0, Request.STAND), (2.5, Request.WALK)]
    rig.run(3.0)
    assert incidents(rig, "request_refused") == [
        "walk is refused: the robot is passive. Ask it to stand first.",
        "walk is refused: the robot is still standing up. Ask again when it stands.",
        "stand is refused: operator_stop.",
        "walk is refused: operator_stop.",
    ]


def test_a_robot_that_is_asked_to_be_passive_while_it_sits_down_is_limp_only_when_it_sits(tmp_path):
    rig = Rig(tmp_path / "b", (0.1, Request.STAND), (1.5, Request.SIT), (2.0, Request.PASSIVE))
    rig.run(4.5)
    sit, passive = tuple(rig.loop._record.modes)[2:4]
    assert (sit.mode, passive.mode) == (Mode.SIT, Mode.PASSIVE)
    assert passive.time_s - sit.time_s == pytest.approx(2.0, abs=4 * TICK_S)  # its motion takes 2 s
    assert rig.at(passive.time_s - TICK_S)[6] > 0.0


class TestHumanoid:
    """The robot of three joints whose contract says that it falls unless something carries it."""

    @pytest.fixture
    def rig(self, tmp_path, monkeypatch):
        monkeypatch.setattr(orderly_end, "HANG_UP_S", 5.0)
        return lambda *wishes: Rig(tmp_path / "b", *WALKING, *wishes, contract=FALLS)

    def test_an_orderly_end_balances_by_the_policy_until_it_has_been_hung_up(self, rig):
        rig = rig((4.0, Request.PASSIVE))
        report = rig.run(2.5)
        assert rig.modes() == ["passive", "stand", "walk", "stop", "stand", "sit", "passive"]
        assert rig.loop._record.modes[3].time_s == pytest.approx(4.0, abs=2 * TICK_S)  # not when the run ended
        assert max(rig.asked_s) > 4.0
        assert report.in_order

    def test_nobody_who_hangs_it_up_is_said_and_not_in_order(self, rig):
        rig = rig()
        report = rig.run(2.5)
        assert rig.modes() == ["passive", "stand", "walk"]
        assert rig.clock.now() == pytest.approx(7.5, abs=0.3)
        assert report.ended_by == "It was told to end, but nobody hung it up: its mode is walk."
        assert not report.in_order
