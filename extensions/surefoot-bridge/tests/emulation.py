"""A bridge against the emulator: the emulator as a process of its own, the control loop in this one."""

import importlib.util
import json
import subprocess
import sys
from dataclasses import replace

import pytest
from unitree_peer import DOMAIN, address

from surefoot_bridge.clock import MonotonicClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.guardian import start_guardian
from surefoot_bridge.operators.script import ScriptOperator, parse_script
from surefoot_bridge.robots import Robot
from surefoot_bridge.robots.model import robot_model
from surefoot_bridge.runtime import Loop
from surefoot_bridge.safety import StageLimits
from surefoot_bridge.state import Mode
from surefoot_bridge.unitree import open_robot

MODES = [Mode.PASSIVE, Mode.STAND, Mode.WALK, Mode.STOP, Mode.STAND, Mode.SIT, Mode.PASSIVE]
"""What a script goes through that lets a robot walk and rest."""


def way_of(report):
    """Modes of a run but the crouch, which a policy that brings its robot to rest makes needless."""
    return [change.mode for change in report.modes if change.mode != Mode.CROUCH]


LIMITS = replace(  # a busy computer may stall loop and emulator; what is judged is what the robot does
    StageLimits((1.0, 0.5, 1.0)), late_control_periods=25.0, report_age_s=0.5, lost_report_grace_s=2.0
)


def _why_not():
    if importlib.util.find_spec("mujoco") is None:
        return "mujoco is not installed"
    try:
        robot_model("unitree_go2")
    except SurefootError as error:
        return str(error)
    return ""


needs_emulator = pytest.mark.skipif(bool(_why_not()), reason=_why_not())


class Emulator:
    """`surefoot-bridge emulate` as a process.

    Attributes:
        figures: How it went, once it has ended.
        rows: Where the robot really was, once it has ended.
    """

    def __init__(self, short_name, folder, *options, urgent=False):
        self._json = folder / "emulation.json"
        arguments = ["emulate", "--robot", short_name, "--domain", str(DOMAIN), "--json", str(self._json), *options]
        # Before other programs of a busy computer, where that is allowed: a robot has a computer of its own.
        first = "from surefoot_bridge.realtime import be_urgent; be_urgent(); " if urgent else ""
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; {first}from surefoot_bridge.command_line import main; "
            f"sys.exit(main({arguments!r}))"
        )
        self._process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        assert self._process.stdout.readline().startswith("Emulating ")
        return self

    def __exit__(self, *unused):
        self._process.terminate()
        try:
            self._process.communicate(timeout=20.0)
        finally:
            self._process.kill()
        told = json.loads(self._json.read_text())
        self.figures, self.rows = told["figures"], told["rows"]


class Listened(Robot):
    """A robot whose commands are kept, with their times."""

    def __init__(self, robot, clock):
        self._robot, self._clock = robot, clock
        self.name, self.num_foot_sensors = robot.name, robot.num_foot_sensors
        self.sent = []

    def read(self):
        return self._robot.read()

    def write(self, command):
        self.sent.append((self._clock.now(), command))
        self._robot.write(command)

    def stop(self):
        self._robot.stop()

    def close(self):
        self._robot.close()


def run_loop(bundle, robot, guardian, script, duration_s, *, clock, **options):
    """Run a bundle on a robot as the bridge does by a script, but for limits that a busy computer keeps."""
    names = bundle.contract.command.names
    operator = ScriptOperator(parse_script(script, names, where="the test"), len(names))
    parts = {"limits": LIMITS, "clock": clock, "heartbeat": guardian}
    return Loop(bundle, robot, operator, **parts, **options).run(duration_s)


def run_script(bundle, script, duration_s, **options):
    """Run a bundle on the emulated robot by a script; returns the loop's report, and what was sent."""
    contract, clock = bundle.contract, MonotonicClock()
    with open_robot(address(contract.robot.name), contract, clock=clock, timeout_s=20.0) as robot:
        robot.take_control()
        guardian = start_guardian(robot.address, timeout_s=5.0, lock=robot.lock, command=robot.guardian_command())
        listened = Listened(robot, clock)
        report = run_loop(bundle, listened, guardian, script, duration_s, clock=clock, **options)
    return report, listened.sent
