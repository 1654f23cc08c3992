"""A robot whose bridge is killed, or hangs, is damped by the guardian, which a bridge that wakes up does not fight."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import unitree_peer
from guarded_bridge import WALKING_GAIN
from unitree_peer import DOMAIN, Peer, address, await_true, needs_dds, opened

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.guardian import GuardianTookOverError, start_guardian
from surefoot_bridge.guardian.registry import end_guardian
from surefoot_bridge.guardian.registry import guardians as all_guardians
from surefoot_bridge.unitree import RobotAddress, RobotLock

pytestmark = needs_dds

GO2, G1 = "unitree_go2", "unitree_g1"
TIMEOUT_S = 0.2
BUSY_S = 0.25  # what a busy computer may add; a quiet one adds 10 ms


class Bridge:
    """The process of `guarded_bridge`."""

    def __init__(self, robot=GO2, *, timeout_s=TIMEOUT_S, duration_s=60.0, stall_s=0.0, domain=DOMAIN, output=None):
        script = Path(__file__).with_name("guarded_bridge.py")
        arguments = [robot, str(domain), str(timeout_s), str(duration_s), str(stall_s)]
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; sys.argv[1:] = {arguments!r}; "
            f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')"
        )
        self.process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=output, text=True)
        line = self.process.stdout.readline()
        self.guardian = json.loads(line)["guardian"] if line else None

    def signal(self, number):
        os.kill(self.process.pid, number)

    def report(self, timeout_s=20.0):
        out, _ = self.process.communicate(timeout=timeout_s)
        return json.loads(out.splitlines()[-1])

    def ended(self):
        return self.report()["ended"]

    def __enter__(self):
        assert self.guardian is not None
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.communicate()
        await_true(self._no_guardian)

    def _no_guardian(self):
        """End the guardian, once it has seen that its bridge is gone."""
        for each in guardians():
            end_guardian(each.address)
        return not guardians()


def guardians():
    """Those of these tests: there may be others on this computer."""
    return [each for each in all_guardians() if each.address.domain == unitree_peer.DOMAIN]


def walks(command):
    return bool((command.stiffness_nm_per_rad == WALKING_GAIN).all())


def damps(command):
    still = not (command.stiffness_nm_per_rad.any() or command.torque_nm.any() or command.joint_vel_rad_s.any())
    return still and bool((command.damping_nms_per_rad == 3.0).all())


def time_to_damping_s(peer):
    """From the bridge's last command, which goes out with its last beat, to the first damping one."""
    assert await_true(lambda: damps(peer.commands[-1][1]), timeout_s=10.0)
    last = max(i for i, (_, command) in enumerate(peer.commands) if walks(command))
    assert all(damps(command) for _, command in peer.commands[last + 1 :])
    return peer.commands[last + 1][0] - peer.commands[last][0]


def await_walking(peer):
    assert await_true(lambda: len(peer.commands) > 50, timeout_s=20.0)
    assert walks(peer.commands[-1][1])


@pytest.mark.parametrize("robot", [GO2, G1])
def test_a_robot_is_damped_as_soon_as_its_bridge_is_killed(robot, record_property):
    with Peer(robot) as peer, Bridge(robot, timeout_s=2.0) as bridge:
        await_walking(peer)
        bridge.signal(signal.SIGKILL)
        waited_s = time_to_damping_s(peer)
    record_property("last_beat_to_damping_s", waited_s)
    print(f"{robot}: killed, damped {waited_s * 1e3:.1f} ms after the last command")
    assert waited_s < BUSY_S  # its end is seen; the two seconds of silence are not waited for


def test_a_robot_is_damped_when_its_bridge_hangs_which_sends_no_more_when_it_wakes_up(record_property):
    with Peer(GO2) as peer, Bridge() as bridge:
        await_walking(peer)
        bridge.signal(signal.SIGSTOP)
        waited_s = time_to_damping_s(peer)
        woken = len(peer.commands)
        bridge.signal(signal.SIGCONT)
        told = bridge.ended()
        time.sleep(0.2)
        after = [command for _, command in peer.commands[woken:]]
        # Stopped between beat and write it has one command on its lips; the guardian's next follows within 2 ms.
        assert sum(not damps(command) for command in after) <= 1
        assert damps(after[-1])
        count = len(peer.commands)
        assert await_true(lambda: len(peer.commands) > count + 20)  # the guardian goes on
    record_property("last_beat_to_damping_s", waited_s)
    print(f"hung, damped {waited_s * 1e3:.1f} ms after the last command, time-out {TIMEOUT_S * 1e3:.0f} ms")
    assert 0.5 * TIMEOUT_S < waited_s < TIMEOUT_S + BUSY_S
    assert told.startswith("GuardianTookOverError: The guardian damps unitree_go2 on interface lo")
    assert f"gave no sign of life for {TIMEOUT_S} s" in told
    assert "`surefoot-bridge guardian end`" in told


def test_a_robot_that_the_guardian_damps_is_nobody_elses_until_the_guardian_is_ended():
    with Peer(GO2) as peer, Bridge() as bridge:
        await_walking(peer)
        bridge.signal(signal.SIGKILL)
        time_to_damping_s(peer)
        with pytest.raises(SurefootError, match=f"guardian {bridge.guardian} of the bridge {bridge.process.pid}, "):
            opened()
        assert end_guardian(address(GO2)) == bridge.guardian
        with opened() as robot:
            robot.take_control()
        assert end_guardian(address(GO2)) is None


def test_a_run_that_ends_in_order_knows_from_the_robots_reports_that_it_is_damped_and_its_guardian_ends():
    with Peer(GO2) as peer, Bridge(duration_s=0.5) as bridge:
        told = bridge.report()
        last = peer.commands[-1][1]
        count = len(peer.commands)
        time.sleep(3 * TIMEOUT_S)
        assert len(peer.commands) == count
        assert damps(last)  # the bridge's own stop
        RobotLock(address(GO2)).release()  # the guardian gave it back as well
        assert guardians() == []
    assert told["ended"] == "in order"
    assert told["doubt"] == ""
    assert re.match(r"The robot is damped: its reports have shown it for 0\.\d s", told["last_words"])


def test_a_robot_whose_torques_are_not_those_of_damping_is_not_said_to_be_damped_and_the_guardian_goes_on():
    with Peer(GO2) as peer, Bridge(duration_s=0.5) as bridge:
        peer.changes = {"joint_torque_nm": np.where(np.arange(12) == 2, 8.0, 0.0), "joint_vel_rad_s": np.zeros(12)}
        told = bridge.report()
        assert told["doubt"] == "FR_calf_joint gives 8.0 N m where damping gives -0.0"
        assert told["last_words"].startswith("IT IS NOT KNOWN WHETHER THE ROBOT IS DAMPED: FR_calf_joint gives 8.0 N m")
        assert f"(process {bridge.guardian}) damps it and ends by itself as soon as" in told["last_words"]
        count = len(peer.commands)
        assert await_true(lambda: len(peer.commands) > count + 100)
        assert damps(peer.commands[-1][1])
        peer.changes = {}
        assert await_true(lambda: not guardians())


@pytest.mark.parametrize(
    ("name", "changes", "doubt"),
    [
        ("silent", None, "no report of it has come for "),
        ("frozen", {"time_s": 0.1}, "its report repeats the one before"),
    ],
)
def test_a_robot_that_is_not_heard_is_not_known_to_be_damped(name, changes, doubt):
    with Peer(GO2) as peer, Bridge(duration_s=0.8) as bridge:
        await_walking(peer)
        peer.changes, peer.reporting = changes or {}, changes is not None
        told = bridge.report()
        assert told["doubt"].startswith(doubt)
        peer.changes, peer.reporting = {}, True
        assert await_true(lambda: not guardians())


@pytest.mark.parametrize("down_s", [3.0])
def test_the_guardian_damps_when_the_interface_that_went_down_before_the_run_ended_comes_up_again(down_s):
    if subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may not make a network of its own (unshare --net)")
    script = Path(__file__).with_name("cable_out.py")
    code = (
        f"import sys; sys.path[:] = {[str(script.parent), *sys.path]!r}; sys.argv[1:] = [{GO2!r}, {str(down_s)!r}]; "
        f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')"
    )
    run = subprocess.run(
        ["unshare", "--net", sys.executable, "-c", code], capture_output=True, text=True, timeout=90.0, check=False
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert found["kept_while_down"]  # it went on with all its gains: nothing reached it
    assert found["told"]["ended"] == "in order"
    assert found["told"]["last_words"].startswith(
        "IT IS NOT KNOWN WHETHER THE ROBOT IS DAMPED: no report of it has come"
    )
    assert f"guardian {found['guardian']} of bridge " in found["listed_while_down"][0]
    assert "DAMPS it since " in found["listed_while_down"][0]
    assert found["damped"]
    print(f"damped {found['damped_after_s'] * 1e3:.0f} ms after the interface came up")
    assert found["guardian_ended"]


def test_a_bridge_that_stalls_after_it_has_begun_to_end_leaves_no_guardian_behind():
    with Peer(GO2) as peer, Bridge(duration_s=0.5, stall_s=4 * TIMEOUT_S) as bridge:
        assert bridge.ended() == "in order"
        assert damps(peer.commands[-1][1])
        assert await_true(lambda: not guardians(), timeout_s=1.0)


def test_what_reads_the_output_of_a_bridge_that_was_killed_ends_although_its_guardian_goes_on():
    with Peer(GO2) as peer, Bridge(output=subprocess.PIPE) as bridge:
        await_walking(peer)
        bridge.signal(signal.SIGKILL)
        time_to_damping_s(peer)
        bridge.process.communicate(timeout=5.0)  # to the end of output and error output, as `| cat` does
        (guardian,) = guardians()
        assert (guardian.pid, guardian.parent, guardian.damping) == (bridge.guardian, bridge.process.pid, True)
        assert guardian.reason == f"the control loop (process {bridge.process.pid}) is gone"
        assert os.readlink(f"/proc/{bridge.guardian}/cwd") == "/"


def test_a_guardian_gives_way_while_the_robots_own_controller_has_it_and_damps_when_that_is_off_again():
    with Peer(GO2) as peer, Bridge() as bridge:
        await_walking(peer)
        bridge.signal(signal.SIGKILL)
        time_to_damping_s(peer)
        peer.firmware.own_controller = "mcf"  # somebody has switched it on
        assert await_true(lambda: "its own controller 'mcf' has it" in guardians()[0].finding, timeout_s=10.0)
        time.sleep(0.1)
        count = len(peer.commands)
        time.sleep(0.3)
        assert len(peer.commands) == count
        assert not guardians()[0].shown
        peer.firmware.own_controller = ""
        assert await_true(lambda: len(peer.commands) > count, timeout_s=10.0)


def test_a_bridge_that_is_slow_now_and_then_keeps_its_robot():
    with Peer(GO2) as peer, Bridge(timeout_s=1.5, duration_s=2.5) as bridge:
        await_walking(peer)
        bridge.signal(signal.SIGSTOP)
        time.sleep(0.3)
        bridge.signal(signal.SIGCONT)
        assert bridge.ended() == "in order"


def test_a_guardian_waits_for_the_first_beat():
    with Peer(GO2) as peer:
        guardian = start_guardian(address(GO2), timeout_s=0.05)
        time.sleep(0.3)
        assert not guardian.damping
        assert peer.commands == []
        guardian.beat(0.0)
        assert await_true(lambda: guardian.damping)
        with pytest.raises(GuardianTookOverError):
            guardian.beat(0.0)
        guardian.release()
        assert guardian.damping  # nothing but its end ends it
        guardian.end()


def test_a_loop_learns_that_its_guardian_is_gone():
    with Peer(GO2):
        guardian = start_guardian(address(GO2), timeout_s=5.0)
        guardian.beat(0.0)
        os.kill(guardian.pid, signal.SIGKILL)
        with pytest.raises(SurefootError, match=r"has ended with status -9; the robot must not go on"):
            for _ in range(2000):
                guardian.beat(0.0)
                time.sleep(0.001)


def test_a_guardian_that_reaches_no_robot_is_refused():
    with pytest.raises(SurefootError, match=r"There is no guardian for .*: nobody receives rt/lowcmd within 5 s"):
        start_guardian(address(GO2), timeout_s=0.1)


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan")])
def test_a_time_out_that_is_none_is_refused(bad):
    with pytest.raises(SurefootError, match=r"timeout_s is .*; it must be > 0"):
        start_guardian(RobotAddress(GO2, "lo", 0), timeout_s=bad)
