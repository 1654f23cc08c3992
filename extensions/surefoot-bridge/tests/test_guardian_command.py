"""`surefoot-bridge guardian`: what a person sees of guardians and does about them, and two processes killed at once."""

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from test_guardian import Bridge, await_walking, damps, guardians, time_to_damping_s, walks
from unitree_peer import DOMAIN, Peer, address, await_true, needs_dds

from surefoot_bridge.command_line import main
from surefoot_bridge.guardian.registry import end_guardian
from surefoot_bridge.unitree import RobotLock

pytestmark = needs_dds

GO2 = "unitree_go2"
WHERE = ("--robot", "go2", "--interface", "lo", "--domain", str(DOMAIN))


def test_a_guardian_is_listed_while_it_watches_and_while_it_damps_and_ended_by_the_operators_word(capsys, tmp_path):
    with Peer(GO2) as peer, Bridge() as bridge:
        await_walking(peer)
        assert main(["guardian", "list", "--json", str(tmp_path / "g.json")]) == 0
        told = capsys.readouterr().out
        assert f"{address(GO2)}: guardian {bridge.guardian} watches bridge {bridge.process.pid} since 20" in told
        assert main(["guardian", "end", *WHERE]) == 1  # it watches: it ends with its run
        assert "one that watches ends with its run" in capsys.readouterr().out
        bridge.signal(signal.SIGKILL)
        time_to_damping_s(peer)
        assert await_true(lambda: guardians()[0].shown)
        assert main(["guardian", "list"]) == 0
        told = capsys.readouterr().out
        assert f"guardian {bridge.guardian} of bridge {bridge.process.pid} DAMPS it since 20" in told
        assert "Its damping is shown: its reports have shown it for " in told
        assert main(["guardian", "end", *WHERE]) == 0
        assert f"Ended guardian {bridge.guardian}. Nobody commands {address(GO2)} now." in capsys.readouterr().out
        assert guardians() == []


def test_a_guardian_of_a_robot_that_is_not_known_to_be_damped_ends_only_by_a_typed_word(capsys):
    with Peer(GO2) as peer, Bridge() as bridge:
        await_walking(peer)
        peer.changes = {"joint_torque_nm": np.full(12, 8.0)}
        bridge.signal(signal.SIGKILL)
        time_to_damping_s(peer)
        assert await_true(lambda: "where damping gives" in guardians()[0].finding)
        assert main(["guardian", "end", *WHERE]) == 2
        assert f"The reports of {address(GO2)} do not show that it is damped." in capsys.readouterr().err
        assert main(["guardian", "end", *WHERE, "--acknowledge", "yes"]) == 2
        assert "'yes' is not 'seen'. The guardian goes on." in capsys.readouterr().err
        assert guardians()[0].pid == bridge.guardian
        assert main(["guardian", "end", *WHERE, "--acknowledge", "seen"]) == 0


def test_no_guardian_can_be_ended_where_there_is_none(capsys):
    assert main(["guardian", "end", *WHERE]) == 1
    assert "There is no guardian to end." in capsys.readouterr().out


def test_a_signal_to_end_does_not_end_a_guardian_whose_bridge_still_commands():
    with Peer(GO2) as peer, Bridge(duration_s=1.5) as bridge:
        await_walking(peer)
        os.kill(bridge.guardian, signal.SIGTERM)
        assert bridge.ended() == "in order"


def test_a_robot_whose_bridge_and_guardian_are_killed_at_once_keeps_a_command_that_drives_no_joint(capsys):
    with Peer(GO2) as peer, Bridge() as bridge:
        await_walking(peer)
        for pid in (bridge.guardian, bridge.process.pid):
            os.kill(pid, signal.SIGKILL)
        bridge.process.wait()
        time.sleep(0.5)
        kept = peer.commands[-1][1]
        assert time.monotonic() - peer.commands[-1][0] > 0.3  # nobody commands any more
        assert walks(kept)  # nothing in the messages tells a robot to let go when commands stay away
        assert not kept.joint_vel_rad_s.any()
        assert not kept.torque_nm.any()
        assert end_guardian(address(GO2)) is None
        assert main(["guardian", "damp", *WHERE, "--duration", "20"]) == 0
        assert damps(peer.commands[-1][1])
        assert re.search(r"Damped: its reports have shown it for 0\.\d s\.", capsys.readouterr().out)
        RobotLock(address(GO2)).release()


def test_damping_by_hand_says_when_it_is_not_known_and_is_refused_while_a_bridge_has_the_robot(capsys):
    with Peer(GO2, reporting=False):
        assert main(["guardian", "damp", *WHERE, "--duration", "0.5"]) == 1
        assert "IT IS NOT KNOWN WHETHER IT IS DAMPED: no report of it has come" in capsys.readouterr().out
        lock = RobotLock(address(GO2))
        assert main(["guardian", "damp", *WHERE]) == 2
        assert f"Another bridge has {address(GO2)}: process {os.getpid()}" in capsys.readouterr().err
        lock.release()


@pytest.mark.parametrize("options", [("end", "--robot", "go2"), ("damp", "--robot", "go2")])
def test_a_robot_is_named_with_its_interface(options, capsys):
    assert main(["guardian", *options]) == 2
    assert "--robot go2 needs --interface" in capsys.readouterr().err


def test_guardians_are_listed_without_the_dds_library():
    code = f"import sys; sys.path[:] = {sys.path!r}; from surefoot_bridge.command_line import main; "
    code += "main(['guardian', 'list']); "
    code += "print([name for name in ('unitree_interface', 'cyclonedds') if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
