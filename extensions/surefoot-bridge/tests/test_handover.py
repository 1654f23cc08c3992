"""A robot passes from its own controller to a bridge and back by the services of Unitree's SDK; it is not let fall."""

import json
import time

import numpy as np
import pytest
from emulation import Emulator, needs_emulator, run_loop
from run_rig import BUNDLE, needs_bundle
from unitree_peer import Peer, address, needs_dds, opened

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.clock import MonotonicClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots.choice import RobotPlace
from surefoot_bridge.runtime import robot_control
from surefoot_bridge.runtime.robot_control import let_go, plan_of, take_control
from surefoot_bridge.unitree import handover, open_robot
from surefoot_bridge.unitree.handover import SET_FSM, STAND_DOWN

pytestmark = [needs_dds, pytest.mark.usefixtures("quick_opening")]

GO2, G1 = "unitree_go2", "unitree_g1"
FOLDED_RAD = [-2.65] * 4
STANDING_RAD = -1.6  # its own controller stands with calves at -1.3


def asked(peer, monkeypatch):
    """What the own controller is asked for, in its order, and when it is switched off and on."""
    seen, own = [], peer.firmware.own
    ask, release, select = own.ask, own.release, own.select
    monkeypatch.setattr(
        own, "ask", lambda api_id, parameter: (seen.append((api_id, parameter)), ask(api_id, parameter))[1]
    )
    monkeypatch.setattr(own, "release", lambda: (seen.append("off"), release()))
    monkeypatch.setattr(own, "select", lambda name: (seen.append(f"on {name}"), select(name)))
    return seen


def calves(robot):
    state = robot.read().state
    return [
        float(position)
        for name, position in zip(robot.joint_names, state.joint_pos_rad)
        if name.endswith("_calf_joint")
    ]


def test_a_standing_go2_lies_before_its_controller_is_switched_off_and_stands_up_when_it_is_given_back(monkeypatch):
    with Peer(GO2, own_controller="mcf") as peer, opened() as robot:
        seen = asked(peer, monkeypatch)
        release = peer.firmware.own.release
        lay = []
        monkeypatch.setattr(peer.firmware.own, "release", lambda: (lay.append(calves(robot)), release()))
        robot.take_control()
        assert seen[0] == (STAND_DOWN, "{}")
        assert seen[-1] == "off"
        assert lay[0] == pytest.approx(FOLDED_RAD)
        assert robot.taken_from == "mcf"
        assert robot.release() == ""
        assert seen[-1] == "on mcf"
        assert peer.firmware.own_controller == "mcf"
        with pytest.raises(SurefootError, match="was not taken control of"):  # nothing is sent any more
            robot.write(None)


def test_a_go2_that_lies_already_is_not_asked_to_lie_down(monkeypatch):
    with Peer(GO2, own_controller="mcf") as peer:
        peer.changes = {"joint_pos_rad": np.full(12, -2.65), "joint_vel_rad_s": np.zeros(12)}
        seen = asked(peer, monkeypatch)
        with opened() as robot:  # a robot that lies from its first report: take_control asks the newest that came
            robot.take_control()
        assert set(seen) == {"off"}


def test_a_go2_that_does_not_lie_down_is_not_let_fall(monkeypatch):
    monkeypatch.setattr(handover, "_LIE_DOWN_S", 1.0)
    with Peer(GO2, own_controller="mcf") as peer, opened() as robot:
        monkeypatch.setattr(peer.firmware.own, "ask", lambda api_id, parameter: 4201)
        with pytest.raises(
            SurefootError, match=r"does not lie down .* \(StandDown: .*refused with code 4201.*not let fall"
        ):
            robot.take_control()
        assert peer.firmware.own_controller == "mcf"
        assert peer.commands == []


def test_a_g1_on_its_gantry_is_damped_by_its_own_controller_before_it_is_let_go(monkeypatch):
    with Peer(G1, own_controller="ai", mode_machine=5) as peer, opened(G1) as robot:
        seen = asked(peer, monkeypatch)
        robot.take_control()
        assert seen[0] == (SET_FSM, json.dumps({"data": 1}))
        assert seen[-1] == "off"


def test_a_controller_that_the_robot_does_not_know_is_not_switched_on():
    with Peer(GO2, own_controller="mcf") as peer, opened() as robot:
        robot.take_control()
        robot.taken_from = "hexapod"
        assert "refused with code 7004" in robot.release()
        assert peer.firmware.own_controller == ""


@pytest.mark.parametrize("hand_back", [True, False])
def test_the_checklist_asks_for_the_hand_over_and_says_what_the_robot_will_do(hand_back):
    with Peer(GO2, own_controller="mcf"), opened() as robot:
        plan = plan_of(robot, RobotPlace("network", address(GO2)), hand_back=hand_back)
    assert "its own, 'mcf', brings it to rest (StandDown) and is switched off" in plan.notes[0]
    assert plan.confirmations[0].startswith("The Go2 stands or lies on flat ground")
    stands = (
        "Nobody is within reach: when the run has ended in order, 'mcf' is switched on again, and the robot stands up"
    )
    assert any(text.startswith(stands) for text in plan.confirmations) == hand_back


def wait_until_it_stands(robot):
    """Wait for a Go2's own controller to stand it up, which the emulator of a busy computer does late."""
    until = time.monotonic() + 60.0
    while min(calves(robot)) < STANDING_RAD or np.abs(robot.read().state.joint_vel_rad_s).max() > 0.3:
        assert time.monotonic() < until, "its own controller does not stand it up"
        time.sleep(0.05)


def run(bundle, script):
    """Run a bundle on the emulated robot and give it back to its own controller, as the bridge does."""
    clock, place = MonotonicClock(), RobotPlace("network", address(GO2))
    with open_robot(place.address, bundle.contract, clock=clock, timeout_s=20.0) as robot:
        wait_until_it_stands(robot)
        plan = plan_of(robot, place, hand_back=True)
        guardian = take_control(robot, place, without_switcher=False)
        report = run_loop(bundle, robot, guardian, script, 6.0, clock=clock, ask_realtime=True)
        assert report.in_order, report
        rest = let_go(robot, guardian, in_order=True, hand_back=True)
        wait_until_it_stands(robot)
        return plan, rest


@needs_emulator
@needs_bundle
def test_an_emulated_go2_lies_down_for_the_bridge_walks_and_stands_by_its_own_controller_again(tmp_path, monkeypatch):
    monkeypatch.setattr(robot_control, "GUARDIAN_TIMEOUT_S", 5.0)  # so that a busy computer keeps it
    script = "0.2 stand\n3 walk\n3.5 velocity 0.3 0 0\n5 velocity 0 0 0\n"
    with Emulator("go2", tmp_path, "--own-controller", "mcf", urgent=True) as emulator:
        plan, rest = run(load_bundle(BUNDLE, runtime="numpy"), script)
    assert "its own, 'mcf', brings it to rest (StandDown) and is switched off" in plan.notes[0]
    assert rest.known
    assert rest.words.startswith("The robot is damped: its reports have shown it for ")
    assert rest.words.endswith("Its own controller 'mcf' is on again.")
    heights = [row["z_m"] for row in emulator.rows]
    stood = next(i for i, height in enumerate(heights) if height > 0.25)  # by its own controller, before all
    lay = next(i for i, height in enumerate(heights) if i > stood and height < 0.15)
    walked = next(i for i, height in enumerate(heights) if i > lay and height > 0.25)
    print(f"lay at {min(heights[lay:walked]):.3f} m, walked, sat, and stands at {heights[-1]:.3f} m")
    assert min(heights[walked:]) < 0.15
    assert heights[-1] > 0.25
    assert max(row["tilt_rad"] for row in emulator.rows) < 0.5
