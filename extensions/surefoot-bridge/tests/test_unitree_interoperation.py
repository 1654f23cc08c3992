"""Unitree's own SDKs and this package understand each other: same messages, same checksums, same names of topics."""

import importlib.util
import json
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import unitree_peer
from sdk_peers import COMMANDED
from unitree_peer import DOMAIN, Peer, needs_dds

from surefoot_bridge.state import JointCommand
from surefoot_bridge.unitree import kinds
from surefoot_bridge.unitree.commands import LowCommand
from surefoot_bridge.unitree.dds.participant import Participant
from surefoot_bridge.unitree.motion_switcher import MotionSwitcher

needs_far = pytest.mark.skipif(
    importlib.util.find_spec("unitree_interface") is None, reason="far-unitree-sdk is not installed"
)
needs_python_sdk = pytest.mark.skipif(
    importlib.util.find_spec("unitree_sdk2py") is None or importlib.util.find_spec("cyclonedds") is None,
    reason="unitree_sdk2py and cyclonedds 0.10.2 are not installed (there is none for Python 3.11 and newer)",
)
KINDS = pytest.mark.parametrize(("robot", "joints"), [("unitree_go2", 12), ("unitree_g1", 29)])


def said_by(sdk, *arguments):
    script = Path(__file__).with_name("sdk_peers.py")
    run = subprocess.run(
        [sys.executable, str(script), sdk, *arguments], capture_output=True, text=True, timeout=60, check=True
    )
    lines = [line for line in run.stdout.splitlines() if line.startswith("SAID ")]
    assert lines, run.stderr
    return json.loads(lines[0][len("SAID ") :])


@needs_dds
@needs_far
@KINDS
def test_the_cpp_sdk_reads_our_reports_and_we_understand_its_commands(robot, joints, monkeypatch):
    monkeypatch.setattr(unitree_peer, "DOMAIN", 0)  # it knows no other
    with Peer(robot, mode_machine=5) as peer:
        said = said_by("far", robot)
        counts, commands = peer.firmware.counts, list(peer.commands)
    assert said["q"] == (0.125 * np.arange(joints)).tolist()  # it drops reports whose checksum is wrong
    assert said["quat"] == [0.5, -0.5, 0.5, 0.5]
    assert counts.wrong_checksum == 0
    if robot == "unitree_go2":  # it leaves the header of the SDK's examples out
        assert counts.obeyed == 0
        assert counts.wrong_header > 100
    else:
        assert said["mode_machine"] == 5
        assert counts.wrong_header == 0
        assert commands[-1][1].joint_pos_rad.tolist() == (COMMANDED["q"] * np.arange(joints)).tolist()
        assert commands[-1][1].stiffness_nm_per_rad.tolist() == (COMMANDED["kp"] * np.arange(joints)).tolist()


@needs_dds
@needs_python_sdk
@KINDS
def test_the_python_sdk_reads_our_reports_and_we_understand_its_commands(robot, joints):
    with Peer(robot, own_controller="normal") as peer:
        said = said_by("python", robot, str(DOMAIN))
        counts, commands = peer.firmware.counts, list(peer.commands)
    assert said["q"][:joints] == (0.125 * np.arange(joints)).tolist()
    assert said["checksums"] is True
    assert said["modes"] == ["normal", ""]
    assert (counts.obeyed, counts.wrong_checksum, counts.wrong_header) == (20, 0, 0)
    assert commands[-1][1].joint_pos_rad.tolist() == (COMMANDED["q"] * np.arange(joints)).tolist()
    assert commands[-1][1].stiffness_nm_per_rad.tolist() == (COMMANDED["kp"] * np.arange(joints)).tolist()


@needs_dds
@needs_far
def test_we_ask_the_motion_switcher_as_the_cpp_sdk_answers_it():
    script = Path(__file__).with_name("sdk_peers.py")
    process = subprocess.Popen(
        [sys.executable, str(script), "far_switcher", "unitree_go2"], stdout=subprocess.PIPE, text=True
    )
    participant = Participant("lo", 0)
    try:
        assert any(line == "READY\n" for line in process.stdout)
        switcher = MotionSwitcher(participant)
        assert isinstance(switcher.active(timeout_s=5.0), str)
        assert switcher.release(timeout_s=5.0)
        assert switcher.active(timeout_s=5.0) == ""
    finally:
        participant.close()
        process.kill()
        process.communicate()


@needs_dds
@needs_python_sdk
@KINDS
def test_the_python_sdk_understands_our_commands(robot, joints):
    participant = Participant("lo", DOMAIN)
    try:
        sender = LowCommand(participant, kinds.KINDS[robot], np.arange(joints))
        sender.mode_machine = 6
        rows = np.arange(5 * joints, dtype=float).reshape(5, joints) / 8.0
        ended = threading.Event()

        def command_on():
            while not ended.wait(0.01):
                sender.send(JointCommand(*rows))

        thread = threading.Thread(target=command_on)
        thread.start()
        try:
            said = said_by("python_robot", robot, str(DOMAIN))
        finally:
            ended.set()
            thread.join()
    finally:
        participant.close()
    assert said["checksums"] is True
    assert said["header"] == ([0xFE, 0xEF, 0xFF] if robot == "unitree_go2" else [0, 6])
    for name, row in zip(("q", "dq", "kp", "kd", "tau"), rows):
        assert said[name][:joints] == row.tolist()
    assert said["mode"][:joints] == [1] * joints
