"""Duration of the ticks of the control loop on one thread, without transport.

``python -m surefoot_devtools.benchmarking.bridge_ticks`` measures one bundle with one runtime. The loop, with safety,
state machine and log, runs in real time at the rate of the robot, since a loop that sleeps between its ticks finds its
memory in slower caches than one that does not. What it reads are the reports of a robot that walked in MuJoCo, recorded
before (a humanoid hangs on its gantry); it writes into nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from surefoot_bridge.bundle import Bundle, load_bundle
from surefoot_bridge.clock import Clock, MonotonicClock, SimulatedClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log import open_log
from surefoot_bridge.operators import Operator
from surefoot_bridge.operators.script import ScriptOperator, parse_script
from surefoot_bridge.robots import Reading, Robot
from surefoot_bridge.robots.model import robot_model
from surefoot_bridge.robots.mujoco_robot import MujocoRobot
from surefoot_bridge.runtime import Loop, LoopReport
from surefoot_bridge.runtime.jitter import Jitter
from surefoot_bridge.runtime.loop import PHASES
from surefoot_bridge.safety import StageLimits
from surefoot_bridge.stages import largest_of
from surefoot_bridge.state import JointCommand, RobotState
from surefoot_devtools.benchmarking.worker import serve
from surefoot_robots import get_robot

MODULE = "surefoot_devtools.benchmarking.bridge_ticks"

STAND_S, WALK_S = 0.2, 4.0
"""When the robot is told to stand and to walk [s]; what is before the latter counts too, but asks no policy."""


@dataclass(frozen=True)
class TickRequest:
    """What to measure."""

    bundle: str
    runtime: str
    seconds: float
    """Length of the run [s]."""


@dataclass(frozen=True)
class TickMeasurement:
    """What was measured: durations in microseconds by name, ``<what>_<median|p99>``."""

    robot: str
    figures: dict[str, float] = field(default_factory=dict)


class RecordedRobot(Robot):
    """A robot that gives one recorded report after the other, the last one again at the end, and obeys nothing."""

    def __init__(self, name: str, num_foot_sensors: int, reports: list[RobotState], clock: Clock) -> None:
        self.name, self.num_foot_sensors = name, num_foot_sensors
        self._reports, self._clock, self._next = reports, clock, 0

    def read(self) -> Reading:
        """Return the next report."""
        state = self._reports[min(self._next, len(self._reports) - 1)]
        self._next += 1
        return Reading(state, self._clock.now(), wrong_crc=False)

    def write(self, command: JointCommand) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class _Recorder(RecordedRobot):
    """Keeps the reports of another robot."""

    def __init__(self, robot: MujocoRobot, clock: Clock) -> None:
        super().__init__(robot.name, robot.num_foot_sensors, [], clock)
        self._robot = robot
        self.reports: list[RobotState] = []

    def read(self) -> Reading:
        """Return the robot's report."""
        reading = self._robot.read()
        assert reading is not None  # a simulated robot always has one
        self.reports.append(reading.state)
        return reading

    def write(self, command: JointCommand) -> None:
        """Command the robot."""
        self._robot.write(command)


def measure(request: TickRequest) -> TickMeasurement:
    """Let a robot walk in MuJoCo, run the loop in real time on its reports, and return how long ticks took."""
    if request.runtime == "torchscript":
        import torch

        torch.set_num_threads(1)
    bundle = load_bundle(Path(request.bundle), runtime=request.runtime)
    simulated = SimulatedClock()
    name = bundle.contract.robot.name
    hangs = get_robot(name).kind == "humanoid"
    recorder = _Recorder(MujocoRobot(robot_model(name), clock=simulated, gantry=hangs), simulated)
    _run(bundle, recorder, simulated, request.seconds)
    clock = MonotonicClock()
    robot = RecordedRobot(recorder.name, recorder.num_foot_sensors, recorder.reports, clock)
    with TemporaryDirectory(prefix="surefoot_") as folder:
        report = _run(bundle, robot, clock, request.seconds, log=folder)
    if report.jitter.control_tick.count == 0:
        raise SurefootError(f"{bundle.contract.robot.name} never walked in {request.seconds} s: {report.ended_by}")
    return TickMeasurement(bundle.contract.robot.name, tick_figures(report.jitter))


def _run(bundle: Bundle, robot: Robot, clock: Clock, seconds: float, log: str | None = None) -> LoopReport:
    contract = bundle.contract
    feet = robot.num_foot_sensors
    writer = log and open_log(
        log, contract, bundle=bundle.identity, stage="benchmark", phases=PHASES, num_foot_sensors=feet
    )
    loop = Loop(
        bundle,
        robot,
        walking_operator(bundle),
        limits=StageLimits(largest_of(contract.command.trained)),
        clock=clock,
        log=writer or None,
    )
    try:
        return loop.run(seconds)
    finally:
        if writer:
            writer.close()


def walking_operator(bundle: Bundle, *, seconds: float = math.inf) -> Operator:
    """Return an operator who lets a robot stand, walk at 0.5 m/s forward, and stand again at the end.

    Args:
        bundle: Whose robot.
        seconds: When it has to stand again [s].
    """
    names = bundle.contract.command.names
    forward = " ".join("0.5" if name == "lin_vel_x_m_s" else "0" for name in names)
    script = f"{STAND_S} stand\n{WALK_S} walk\n{WALK_S + 0.5} velocity {forward}\n"
    if math.isfinite(seconds):
        script += f"{seconds} stand\n"
    return ScriptOperator(parse_script(script, names, where="the benchmark"), len(names))


def tick_figures(jitter: Jitter) -> dict[str, float]:
    """Return durations in microseconds by name."""
    spreads = {"tick": jitter.tick, "control_tick": jitter.control_tick, **jitter.phases}
    return {
        f"{name}_us_{what}": 1e6 * getattr(spread, f"{what}_s")
        for name, spread in spreads.items()
        for what in ("median", "p99")
        if spread.count
    }


if __name__ == "__main__":
    serve(TickRequest, measure)
