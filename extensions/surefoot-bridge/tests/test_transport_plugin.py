"""A made-up robot over UDP, brought by a package outside the tree: opened, commanded, and damped by its guardian."""

import os
import re
import signal
import subprocess
import sys

import pytest
from bundles import write_bundle
from transport_packages import install_dingo
from udp_robot import Server
from unitree_peer import await_true

from surefoot_bridge.guardian.registry import end_guardian, guardians
from surefoot_bridge.robots import RobotAddress


class Bridge:
    """`surefoot-bridge run --robot dingo` as a process."""

    def __init__(self, folder, port, script, *, more=""):
        write_bundle(folder / "bundle")
        (folder / "script").write_text(script)
        path = [str(install_dingo(folder / "packages", more)), *sys.path]
        where = ("--robot", "dingo", "--interface", "lo", "--domain", str(port), "--stage", "tethered")
        how = ("--runtime", "numpy", "--acknowledge", "ready", "--operator", f"script:{folder / 'script'}")
        code = f"import sys; sys.path[:] = {path!r}; from surefoot_bridge.command_line import main; sys.exit(main())"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, "run", str(folder / "bundle"), *where, *how],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )

    def end(self, timeout_s=60.0):
        try:
            return self.process.communicate(timeout=timeout_s)[0]
        finally:
            self.process.kill()


@pytest.fixture
def robot():
    with Server() as server:
        yield server
        address = RobotAddress("made_up", "lo", server.port)
        assert await_true(lambda: not end_guardian(address) and not guardian_of(server))


def guardian_of(server):
    return next((each for each in guardians() if each.address == RobotAddress("made_up", "lo", server.port)), None)


def stiff(command):
    return any(command["kp"])


def test_a_made_up_robot_stands_and_is_left_damped_after_a_run(robot, tmp_path):
    bridge = Bridge(tmp_path, robot.port, "0 stand\n3 end\n")
    shown = bridge.end()  # with status 1 where a busy computer lets reports be late
    assert f"emulated made_up on interface lo, domain {robot.port}" in shown
    assert re.search("guardian +watches the bridge", shown)
    assert re.search(r"The robot is damped: its reports show no stiffness for 0\.\d s", shown)
    assert any(stiff(command) for _, command in robot.commands)
    assert robot.commands[-1][1]["kd"] == [3.0, 3.0, 3.0]


FAILS_AT_FIRST = """

def fails_at_first(self, step=UdpDamper.step, fails=iter(range(5))):
    if next(fails, None) is not None:
        raise ZeroDivisionError("a mistake of the transport's")
    step(self)

UdpDamper.step = fails_at_first
"""


def killed(robot, folder, more):
    """A bridge that was killed while its robot stood, and that its guardian damps by now."""
    bridge = Bridge(folder, robot.port, "0 stand\n60 end\n", more=more)
    assert await_true(lambda: robot.commands and stiff(robot.commands[-1][1]), timeout_s=30.0)
    os.kill(bridge.process.pid, signal.SIGKILL)
    assert await_true(lambda: not stiff(robot.commands[-1][1]))
    return bridge


@pytest.mark.parametrize("more", ["", FAILS_AT_FIRST], ids=["works", "fails at first"])
def test_a_made_up_robot_is_damped_by_its_guardian_when_its_bridge_is_killed(robot, tmp_path, more):
    bridge = killed(robot, tmp_path, more)
    last = max(i for i, (_, command) in enumerate(robot.commands) if stiff(command))
    assert robot.commands[last + 1][0] - robot.commands[last][0] < 0.35  # its end is seen at once; a busy computer adds
    assert await_true(lambda: guardian_of(robot).shown)
    guardian = guardian_of(robot)
    assert guardian.parent == bridge.process.pid
    assert robot.commands[-1][1]["pid"] == guardian.pid
    assert robot.commands[-1][1]["kd"] == [3.0, 3.0, 3.0]
    bridge.end()


FAILS_WHILE_IT_CLEANS_UP = """

def fails_while_it_cleans_up(self, step=UdpDamper.step):
    try:
        step(self)
        time.sleep(0.3)
    finally:
        raise SurefootError("its reports cannot be read")

UdpDamper.step = fails_while_it_cleans_up
"""


def test_one_signal_ends_a_guardian_whose_transport_fails_while_it_is_interrupted(robot, tmp_path):
    bridge = killed(robot, tmp_path, FAILS_WHILE_IT_CLEANS_UP)
    assert await_true(lambda: not stiff(robot.commands[-2][1]))  # from its first command on it hears the signal
    guardian = guardian_of(robot)
    assert end_guardian(guardian.address) == guardian.pid
    bridge.end()
