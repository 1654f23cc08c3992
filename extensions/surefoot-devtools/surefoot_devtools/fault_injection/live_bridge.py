"""The bridge of a live trial: what ``surefoot-bridge run`` runs, in a process of its own, with a faulty part."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.clock import Clock, MonotonicClock, boot_time_s
from surefoot_bridge.contract import Contract
from surefoot_bridge.operators import Operator
from surefoot_bridge.operators.choice import OperatorChoice
from surefoot_bridge.robots import LOOPBACK, Reading, Robot, RobotAddress
from surefoot_bridge.robots.choice import RobotPlace
from surefoot_bridge.runtime import Loop, Run, run_bridge
from surefoot_bridge.runtime.bridge_run import FaultHooks
from surefoot_bridge.stages import stage_of
from surefoot_bridge.state import JointCommand
from surefoot_bridge.words import READY

from .catalogue import LIVE_FAULTS, Fault
from .faulty_parts import FaultyClock, FaultyOperator, FaultyPolicy, SpendingClock
from .faulty_robot import FaultyRobot
from .live_process import read_order, say
from .timeline import Injection
from .trial import AFTER_S, EARLIEST_S, LATEST_S, STAND_S, WALK_S
from .wire import AT_THE_ROBOT

_ABANDONED_S = 60.0  # after which the script ends, should nothing else


class _Recorder(Robot):
    """Stands between loop and robot, and notes what safety did about each command; ends the run when it is time.

    It notes too how old reports are when they are seen, until the fault begins.
    """

    def __init__(self, robot: Robot, start_s: float, until_s: float) -> None:
        self.name, self.num_foot_sensors = robot.name, robot.num_foot_sensors
        self._robot, self._start_s, self._until_s = robot, start_s, until_s
        self._last: Reading | None = None
        self.loop: Loop | None = None
        self.responses: list[tuple[float, int]] = []
        self.ages: list[tuple[float, float]] = []

    def read(self) -> Reading | None:
        reading, now_s = self._robot.read(), boot_time_s()
        if reading is not None and reading is not self._last and now_s < self._start_s:
            self._last = reading
            self.ages.append((now_s, now_s - reading.received_s))
        return reading

    def write(self, command: JointCommand) -> None:
        assert self.loop is not None
        now_s, code = boot_time_s(), int(self.loop.state.safety.response)
        if not self.responses or self.responses[-1][1] != code:
            self.responses.append((now_s, code))
        if now_s >= self._until_s:
            self.loop.request_end()
            self.loop.request_end()  # at once
        self._robot.write(command)

    def stop(self) -> None:
        self._robot.stop()

    def close(self) -> None:
        self._robot.close()


class _FaultyRealClock(FaultyClock, MonotonicClock):
    """A faulty clock that the loop takes for the computer's, so that it asks for real-time scheduling as ever."""


class LiveFaultHooks(FaultHooks):
    """Puts a fault among the parts of a loop, and says when it begins.

    Args:
        contract: The contract.
        fault: The fault.
        seed: Draws what it leaves open, and when it begins.
    """

    def __init__(self, contract: Contract, fault: Fault, seed: int) -> None:
        self._contract, self._fault, self._clock = contract, fault, SpendingClock()
        generator = np.random.default_rng(seed)
        self._after_s, self._seed = float(generator.uniform(EARLIEST_S, LATEST_S)), int(generator.integers(1 << 30))
        self._injection: Injection | None = None
        self.recorder: _Recorder | None = None

    def parts(self, robot: Robot, operator: Operator, clock: Clock) -> tuple[Robot, Operator, Clock]:
        """Return the parts, the faulty one wrapped."""
        # What lasts for one tick of a simulated clock may fall between two of a real one.
        fault = replace(self._fault, duration_s=self._fault.duration_s + 1.0 / self._contract.timing.low_level_hz)
        injection = self._injection = Injection(fault, self._clock.now() + self._after_s, self._seed)
        if fault.where == "robot" and fault.name not in AT_THE_ROBOT:
            robot = FaultyRobot(robot, self._contract, [injection], clock=self._clock)
        if fault.where == "operator":
            operator = FaultyOperator(operator, injection, clock=self._clock)
        if fault.where == "clock":
            clock = _FaultyRealClock(self._clock, injection)
        until_s = injection.start_s + max(fault.within_s, min(fault.duration_s, 1.0)) + AFTER_S
        self.recorder = _Recorder(robot, injection.start_s, until_s)
        return self.recorder, operator, clock

    def begins(self, loop: Loop) -> None:
        """Make the policy faulty, and say when the fault begins."""
        injection = self._injection
        assert self.recorder is not None
        assert injection is not None
        self.recorder.loop = loop
        if self._fault.where == "policy":
            loop.controller.policy = FaultyPolicy(loop.controller.policy, injection, clock=self._clock)
        say("begins", fault=self._fault.name, start_s=injection.start_s, seed=injection.seed)


def main() -> None:
    """Run one trial, as the order on standard input says; then say what came of it."""
    order = read_order()
    bundle = load_bundle(Path(order.bundle), runtime="numpy")
    contract, stage, folder = bundle.contract, stage_of(order.stage), Path(order.folder)
    high = np.array(stage.limits(contract).largest_command)
    velocity = " ".join(f"{number:.3f}" for number in np.random.default_rng(order.seed).uniform(-high, high))
    script = folder / "script"
    script.write_text(f"{STAND_S} stand\n{WALK_S} velocity {velocity}\n{WALK_S} walk\n{_ABANDONED_S} end\n")
    run = Run(
        place=RobotPlace("network", RobotAddress(order.robot, LOOPBACK, order.domain)),
        stage=stage,
        operator=OperatorChoice("script", script),
        logs=folder / "logs",
        word=READY,
    )
    hooks = LiveFaultHooks(contract, LIVE_FAULTS[order.fault], order.seed)
    outcome = run_bridge(bundle, run, hooks=hooks)
    report = outcome.report
    assert hooks.recorder is not None
    say(
        "bridge",
        responses=hooks.recorder.responses,
        ages=hooks.recorder.ages,
        rules=[(event.time_s, event.rule) for event in report.events],
        modes=[(change.time_s, change.mode.name.lower(), change.reason) for change in report.modes],
        ended_by=report.ended_by,
        ticks=report.ticks,
        denied=list(report.notes),
    )
