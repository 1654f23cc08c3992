"""The robot's own remote: its 40 bytes, its stop, its dead-man's key, and walking by it."""

import os
import pty
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from loop_rig import Rig
from unitree_peer import Peer, await_true, needs_dds, opened

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.operators import remote as remote_operator
from surefoot_bridge.operators.choice import OperatorChoice
from surefoot_bridge.operators.combined import CombinedOperator
from surefoot_bridge.operators.remote import RemoteOperator, RemoteStop, remote_of_robot, try_remote_stop
from surefoot_bridge.robots.choice import parse_place
from surefoot_bridge.runtime import Run
from surefoot_bridge.runtime.bridge_run import _remote_checks
from surefoot_bridge.stages import stage_of
from surefoot_bridge.state import Mode, Request
from surefoot_bridge.unitree.emulation.remote_script import PlayedRemote, read_remote_script
from surefoot_bridge.unitree.remote import KEYS, REMOTE, remote_bytes, remote_of

NAMES = ("lin_vel_x_m_s", "lin_vel_y_m_s", "ang_vel_z_rad_s")
LARGEST = (1.0, 0.5, 2.0)
GO2 = "unitree_go2"


class Held:
    """A remote in somebody's hand, and the operator that reads it."""

    def __init__(self, *keys, **sticks):
        self.data = remote_bytes(keys, **sticks)
        self.operator = RemoteOperator(REMOTE, lambda: self.data, NAMES, LARGEST, time_s=0.0)

    def at(self, time_s, *keys, **sticks):
        self.operator.read(time_s)  # the loop has looked until now
        self.data = remote_bytes(keys, **sticks)
        return self.operator.read(time_s)


def test_keys_and_sticks_stand_where_the_sdk_has_them():
    """Select, L2 and B are bits 3, 5 and 9; five float32 follow from byte 4 on: lx, rx, ry, L2, ly."""
    data = bytes([0x55, 0x51, 0b00101000, 0b00000010]) + np.array([0.25, -0.5, 0.75, 1.0, -1.0], "<f4").tobytes()
    remote = remote_of(data + bytes(16))
    assert [name for name in KEYS if remote.holds(name)] == ["select", "L2", "B"]
    assert (remote.lx, remote.rx, remote.ry, remote.l2, remote.ly) == (0.25, -0.5, 0.75, 1.0, -1.0)
    assert remote_of(remote_bytes(["up"], ly=0.5)).ly == 0.5
    assert remote_of(remote_bytes([], lx=np.nan, rx=9.0))[1:3] == (0.0, 1.0)


@pytest.mark.parametrize(
    ("keys", "stops"), [(["L2", "B"], True), (["select"], True), (["B"], False), (["L2"], False), (["L2", "A"], False)]
)
def test_l2_with_b_and_select_stop_whoever_else_commands(keys, stops):
    data = [remote_bytes()]
    watcher = Held().operator
    combined = CombinedOperator(watcher, stops=[RemoteStop(REMOTE, lambda: data[0])])
    assert not combined.read(0.0).stop
    data[0] = remote_bytes(keys)
    assert combined.read(0.1).stop == stops


def test_a_stop_lasts_until_start_and_takes_what_was_asked_before():
    held = Held()
    held.at(1.0, "L1", "A")
    assert held.at(1.1, "L2", "B").stop
    assert held.at(1.2).stop
    wish = held.at(1.3, "start")
    assert (wish.stop, wish.release, wish.request) == (False, True, Request.RELEASE)
    assert held.at(1.4, "select").stop


def test_sticks_move_the_robot_while_the_dead_mans_key_is_held():
    held = Held()
    np.testing.assert_allclose(held.at(1.0, "L1", ly=1.0, lx=1.0, rx=-1.0).velocity_command, [1.0, -0.5, 2.0])
    np.testing.assert_array_equal(held.at(1.1, ly=1.0).velocity_command, 0.0)
    # Half a stick is (0.5 - 0.05) / 0.95 of the largest beyond its dead zone.
    assert held.at(1.2, "L1", ly=0.5).velocity_command[0] == pytest.approx(0.45 / 0.95)
    np.testing.assert_array_equal(held.at(1.3, "L1", ly=0.04).velocity_command, 0.0)


def test_a_remote_that_says_the_same_for_3_s_moves_nothing_and_for_15_s_is_nobodys():
    """What is reported of a remote out of reach may be the last that was heard."""
    held = Held()
    held.at(1.0, "L1", ly=1.0)
    assert held.at(3.9, "L1", ly=1.0).velocity_command[0] == 1.0
    assert held.at(4.1, "L1", ly=1.0).velocity_command[0] == 0.0
    assert held.at(15.9, "L1", ly=1.0).heartbeat_s == 15.9
    assert held.at(17.0, "L1", ly=1.0).heartbeat_s == 16.0
    assert held.at(17.5, "L1", ly=0.995).heartbeat_s == 16.0  # a stick that trembles is no person
    assert held.at(18.0, "L1", ly=0.9).velocity_command[0] == pytest.approx(0.85 / 0.95)


def test_standing_up_and_walking_need_the_dead_mans_key_and_resting_does_not():
    held = Held()
    assert held.at(1.0, "A").request is Request.KEEP
    held.at(1.1)
    assert held.at(1.2, "L1", "A").request is Request.STAND
    assert held.at(1.3, "L1", "A").request is Request.KEEP  # once
    assert held.at(1.4, "L1", "X").request is Request.WALK
    assert held.at(1.5, "Y").request is Request.SIT
    assert held.at(1.6, "down").request is Request.PASSIVE


def test_what_is_held_when_it_is_opened_was_not_meant_for_the_bridge():
    held = Held("L1", "A")
    assert held.operator.read(0.1).request is Request.KEEP
    assert Held("select").operator.read(0.1).stop  # but a stop is one


def test_a_robot_stands_walks_and_is_damped_by_its_remote_alone(tmp_path):
    rig = Rig(tmp_path)
    held = {0.1: ["L1", "A"], 0.2: ["L1"], 1.5: ["L1", "X"], 1.6: ["L1"], 2.5: ["L2", "B"], 2.6: []}

    def remote():
        keys = [keys for begin_s, keys in held.items() if rig.clock.now() >= begin_s - 1e-9]
        return remote_bytes(keys[-1] if keys else [], ly=0.9)

    rig.operator.read = RemoteOperator(REMOTE, remote, NAMES, LARGEST, time_s=0.0).read
    report = rig.run(3.0)
    modes = [(change.mode, round(change.time_s, 1)) for change in report.modes]
    assert modes == [(Mode.PASSIVE, 0.0), (Mode.STAND, 0.1), (Mode.WALK, 1.5), (Mode.DAMPED, 2.5)]


@needs_dds
@pytest.mark.usefixtures("quick_opening")
def test_the_remote_comes_with_the_robots_reports_and_its_stop_is_tried_before_it_is_relied_on(tmp_path):
    with Peer(GO2) as peer, opened() as robot:
        _, source = remote_of_robot(robot)
        peer.firmware.remote = remote_bytes(["L1"], ly=0.5)
        assert await_true(lambda: robot.read() and source() == peer.firmware.remote)
        master, terminal = pty.openpty()
        with os.fdopen(terminal) as keys, (tmp_path / "shown").open("w+") as shown:
            os.write(master, b"\n")
            assert not try_remote_stop(robot, source=keys, output=shown)

            def press():
                peer.firmware.remote = remote_bytes(["select"])
                time.sleep(0.2)
                peer.firmware.remote = remote_bytes()

            person = threading.Timer(0.2, press)
            person.start()
            assert try_remote_stop(robot, source=keys, output=shown)
            person.join()
            shown.seek(0)
            text = shown.read()
        os.close(master)
    assert text.count("Press select on the robot's remote now, to try its stop (not L2+B: its own controller") == 2
    assert "The remote is not relied on." in text
    assert text.endswith("it came. Let go of it.\n")


@needs_dds
@pytest.mark.usefixtures("quick_opening")
def test_the_checklist_names_the_remote_where_its_stop_came_and_it_drives_a_real_robot_only_then(monkeypatch):
    def run(kind):
        return Run(parse_place("go2", interface="eth0", domain=None), stage_of("tethered"), OperatorChoice(kind))

    stops = []
    with Peer(GO2), opened() as robot:
        monkeypatch.setattr(remote_operator, "try_remote_stop", lambda robot: False)
        assert _remote_checks(robot, run("keyboard"), stops) == ()
        with pytest.raises(SurefootError, match="its stop was not tried, so it does not command a real robot"):
            _remote_checks(robot, run("remote"), stops)
        monkeypatch.setattr(remote_operator, "try_remote_stop", lambda robot: True)
        (named,) = _remote_checks(robot, run("remote"), stops)
    assert named == "The robot's remote is in somebody's hand. Its stop (L2+B or select) was tried just now, and came."
    assert len(stops) == 3  # it stops the robot even where it was not tried


@needs_dds
@pytest.mark.usefixtures("quick_opening")
def test_an_emulated_remote_is_played_from_a_script(tmp_path):
    path = tmp_path / "script"
    path.write_text("0.5 L1 A  # stand\n\n1.0\n2 L1 ly=0.5 rx=-1\n")
    with Peer(GO2) as peer:
        play = PlayedRemote(peer.firmware, read_remote_script(path))
        said = []
        for time_s in (100.0, 100.5, 101.0, 102.0, 103.0):
            play(time_s)
            said.append(peer.firmware.remote)
    walks = remote_bytes(["L1"], ly=0.5, rx=-1.0)
    assert said == [remote_bytes(), remote_bytes(["L1", "A"]), remote_bytes(), walks, walks]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 L3", "line 1: 'L3' is neither a key (R1, L1, start"),
        ("1 ly=2", "line 1: '2' must be a number from -1 to 1"),
        ("x L1", "line 1: 'x' must be a number from 0 to 1e+06"),
        ("2 L1\n1 L1", "line 2: the time 1 s is before that of the line above"),
    ],
)
def test_a_script_of_a_remote_that_is_none_is_refused_with_the_line(tmp_path, text, words):
    (tmp_path / "script").write_text(text)
    with pytest.raises(SurefootError) as error:
        read_remote_script(tmp_path / "script")
    assert words in str(error.value)


def test_a_script_that_is_not_there_is_refused():
    with pytest.raises(SurefootError, match="The remote's script /nowhere cannot be read"):
        read_remote_script(Path("/nowhere"))


def test_keys_of_the_remote_pressed_before_the_loop_began_or_in_a_pause_are_not_obeyed_but_a_stop_is():
    held = Held()
    for now in (1.0, 100.0):
        held.data = remote_bytes(["L1", "A"])
        assert held.operator.read(now).request is Request.KEEP
        assert held.operator.read(now + 0.1).request is Request.KEEP
        held.data = remote_bytes()
        held.operator.read(now + 0.2)
    held.data = remote_bytes(["select"])
    assert held.operator.read(200.0).stop
