"""The shipped Go2 policy in the emulated robot, on a simulated clock."""

from pathlib import Path

import numpy as np
import pytest

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.clock import SimulatedClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.operators.script import ScriptOperator, parse_script
from surefoot_bridge.robots.model import robot_model
from surefoot_bridge.robots.mujoco_robot import MujocoRobot
from surefoot_bridge.runtime import Loop
from surefoot_bridge.safety import StageLimits
from surefoot_bridge.state import flat

BUNDLE = Path(__file__).parents[3] / "tasks/surefoot_tasks/velocity/bundles/Surefoot-Velocity-Flat-Go2"
LIMITS = StageLimits(largest_command=(1.0, 0.5, 1.0))


def model_of(name):
    """The model of a robot; skips the test where MuJoCo or the robot's package is missing."""
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    try:
        return robot_model(name)
    except SurefootError as error:
        pytest.skip(str(error))


class WatchedGo2(MujocoRobot):
    """Notes what it is told and where its base is then."""

    def __init__(self, model, *, clock, seed=0):
        super().__init__(model, clock=clock, seed=seed)
        self.times, self.told, self.base = [], [], []
        self.reports = []

    def write(self, command):
        super().write(command)
        self.times.append(self._clock.now())
        self.told.append(flat(command))
        self.base.append(self.data.qpos[:7].copy())


class Go2Run:
    """A run of a script."""

    def __init__(self, script, duration_s, *, seed=0, **parts):
        model = model_of("unitree_go2")
        self.bundle = load_bundle(BUNDLE, runtime="numpy")
        self.clock = SimulatedClock()
        self.robot = WatchedGo2(model, clock=self.clock, seed=seed)
        names = self.bundle.contract.command.names
        operator = ScriptOperator(parse_script(script, names, where="test"), len(names))
        self.loop = Loop(self.bundle, self.robot, operator, limits=LIMITS, clock=self.clock, **parts)
        self.report = self.loop.run(duration_s)
        self.time_s, self.told, self.base = (
            np.array(items) for items in (self.robot.times, self.robot.told, self.robot.base)
        )

    def between(self, start_s, stop_s):
        return slice(*np.searchsorted(self.time_s, (start_s, stop_s)))
