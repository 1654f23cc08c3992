"""Simulators that leave out parts of a robot's messages are walked in, and it is said what they lack."""

import time

import pytest
from unitree_peer import Peer, await_true, needs_dds, opened

from surefoot_bridge.clock import MonotonicClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.unitree import unitree_robot

pytestmark = [needs_dds, pytest.mark.usefixtures("quick_opening")]

GO2, G1 = "unitree_go2", "unitree_g1"
NO_SUM = "Its reports have no checksum (0: the sender computes none), so none is checked."
NO_TICK = "Its reports have no tick (always 0), so their time is when they were sent."
NO_BATTERY = "Its battery is reported at 0 %: it has none, so it counts as full."


def lacking(peer, *parts):
    peer.firmware.lacks = frozenset(parts)
    time.sleep(0.01)  # what was sent before has gone


def test_a_simulator_without_checksum_tick_and_battery_is_read_and_said_so_once():
    with Peer(GO2) as peer:
        lacking(peer, "checksum", "tick", "battery")
        with opened() as robot:
            assert sorted(robot.notes) == sorted((NO_SUM, NO_TICK, NO_BATTERY))
            first = robot.read()
            time.sleep(0.2)
            last = robot.read()
            assert (last.wrong_crc, last.alarms) == (False, {})
            assert float(last.state.time_s - first.state.time_s) == pytest.approx(0.2, abs=0.1)
            assert last.state.sequence > first.state.sequence
            assert float(last.state.battery_share) == 1.0
            assert len(robot.notes) == 3


def test_its_reports_grow_old_as_those_with_a_tick_do():
    with Peer(GO2) as peer:
        lacking(peer, "tick")
        with opened() as robot:
            assert robot.notes == (NO_TICK,)
            peer.reporting = False
            time.sleep(0.4)
            assert 0.3 < MonotonicClock().now() - robot.read().received_s < 2.0


def test_a_sender_that_computes_checksums_may_not_leave_one_out():
    with Peer(GO2) as peer, opened() as robot:
        assert robot.notes == ()
        peer.firmware.lacks = frozenset(["checksum"])
        assert await_true(lambda: robot.read().wrong_crc)


def test_a_wrong_checksum_is_wrong_where_none_is_computed_otherwise():
    with Peer(GO2) as peer:
        lacking(peer, "checksum")
        with opened() as robot:
            peer.firmware.corrupt_reports = 50  # 1 in place of 0
            assert await_true(lambda: robot.read().wrong_crc)


def test_a_real_robot_must_have_checksum_and_tick(monkeypatch):
    monkeypatch.setattr(unitree_robot, "LOOPBACK", "none")
    with Peer(GO2) as peer:
        lacking(peer, "checksum")
        with pytest.raises(SurefootError, match="checksum is 0: the sender computes none, as simulators do"):
            opened(timeout_s=1.0).close()
        lacking(peer, "tick")
        with pytest.raises(SurefootError, match=r"its clock ticked 0 times .* expected 1000 per second"):
            opened().close()


def test_a_simulator_without_a_motion_switcher_is_told_the_option_that_does_without(monkeypatch):
    with Peer(GO2) as peer, opened() as robot:
        monkeypatch.setattr(peer.firmware, "answer", lambda: None)
        with pytest.raises(
            SurefootError, match="then start with --without-switcher; a simulator has none: give it too"
        ):
            robot.take_control()


def test_a_simulated_g1_without_battery_messages_and_variant_is_read_and_said_so(monkeypatch):
    with Peer(G1, mode_machine=0) as peer:
        monkeypatch.setattr(peer.firmware, "_report_battery", lambda share: None)
        with opened(G1, timeout_s=1.0) as robot:
            assert robot.notes == (
                "Nothing is reported of its battery: it has none, so it counts as full.",
                "Its reports do not say its variant (mode_machine 0).",
            )
            assert float(robot.read().state.battery_share) == 1.0
            assert robot.read().alarms == {}
