"""One fault in one run: the real loop around the emulated robot, on a simulated clock."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from surefoot_bridge.bundle import Bundle
from surefoot_bridge.clock import SimulatedClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log import Log, LogOptions, open_log, read_log
from surefoot_bridge.operators import Operator, OperatorInput
from surefoot_bridge.operators.script import Entry, ScriptOperator
from surefoot_bridge.policy import Policy
from surefoot_bridge.robots.model import RobotModel
from surefoot_bridge.robots.mujoco_robot import MujocoRobot
from surefoot_bridge.runtime import Loop
from surefoot_bridge.runtime.loop import PHASES
from surefoot_bridge.safety import Response, StageLimits
from surefoot_bridge.state import by_policy

from .catalogue import Fault
from .faulty_parts import FaultyClock, FaultyOperator, FaultyPolicy
from .faulty_robot import FaultyRobot
from .timeline import Injection
from .witness import Witness

STAND_S, WALK_S = 0.1, 2.2
"""When a robot is told to stand and to walk [s]; the motion to stand takes 2 s."""

EARLIEST_S, LATEST_S = 2.9, 4.3
"""When a fault begins [s]."""

AFTER_S = 0.3
"""For how long a trial goes on after the robot must be safe [s]."""

FALL_DAMPED_S = 0.2
"""From a tilt beyond the limit until the robot is damped [s]: the rule's grace, and noticing it."""

DROP_M_S = 1.0
"""Speed downwards from which an operator's request has dropped the robot [m/s]: that of a fall from 5 cm. A robot that
sits down does it at 0.5 m/s at most, one whose motors go limp while it stands reaches 1.3 m/s."""


@dataclass(frozen=True)
class TrialResult:
    """What came of a trial.

    Attributes:
        fault: Name of the fault.
        seed: Seed of the trial.
        start_s: When the fault began [s].
        safe: Whether the robot was where it must be in time, with one of the expected rules.
        safe_after_s: After what time it was [s]; None if never, or where it may go on.
        worst: Most severe response.
        rules: Rules that acted after the fault began.
        fell: Whether the robot fell.
        commands: Commands that reached the robot.
        outside: How many of them were outside the limits.
        log_readable: Whether the log could be read back; None without one.
        notes: What was wrong, one sentence each.
    """

    fault: str
    seed: int
    start_s: float
    safe: bool
    safe_after_s: float | None
    worst: str
    rules: tuple[str, ...]
    fell: bool
    commands: int
    outside: int
    log_readable: bool | None
    notes: tuple[str, ...]


class _Observer(Operator):
    """Looks at the loop at every tick, from where the operator is read; judges nothing."""

    def __init__(
        self, operator: Operator, clock: SimulatedClock, robot: MujocoRobot, tilt_limit_rad: float, start_s: float
    ) -> None:
        self._operator, self._clock, self._robot = operator, clock, robot
        self._cos_limit, self._start_s = np.cos(tilt_limit_rad), start_s
        self.loop: Loop | None = None
        self.responses: list[tuple[float, int]] = []
        self.tilted_s: float | None = None
        self.walked = False
        self.drop_m_s = 0.0  # largest speed downwards since the fault began, while no rule damped

    def read(self, time_s: float) -> OperatorInput:
        """Look, and return what the operator wants."""
        now = self._clock.now()
        if self.loop is not None:
            response = int(self.loop.state.safety.response)
            self.responses.append((now, response))
            self.walked = self.walked or bool(by_policy(self.loop.state.machine.mode))
            if now >= self._start_s and response < Response.DAMP:
                self.drop_m_s = max(self.drop_m_s, -float(self._robot.data.qvel[2]))
        x, y = self._robot.data.qpos[4:6]
        if self.tilted_s is None and 1.0 - 2.0 * (x * x + y * y) < self._cos_limit:
            self.tilted_s = now
        return self._operator.read(time_s)


def run_trial(
    bundle: Bundle, model: RobotModel, limits: StageLimits, fault: Fault, seed: int, *, with_log: bool
) -> TrialResult:
    """Put a fault into a run at a random time, and see what becomes of it.

    The robot stands up, walks with a random velocity command from 2.2 s on, and has the fault at some time between 2.9
    and 4.3 s, or from the start if it must keep it from walking; one in four stands instead where the fault does not
    need a walking robot.

    Args:
        bundle: The bundle.
        model: Its robot.
        limits: Limits of the stage.
        fault: The fault.
        seed: Draws all that is random.
        with_log: Whether to log the run, and read the log back.
    """
    contract, generator = bundle.contract, np.random.default_rng(seed)
    start_s = float(generator.uniform(EARLIEST_S, LATEST_S))
    injection = Injection(fault, 0.0 if fault.before_walking else start_s, int(generator.integers(1 << 30)))
    high = np.array(limits.largest_command)
    velocity = tuple(generator.uniform(-high, high))
    walks = fault.walking_only or generator.uniform() < 0.75
    entries = [Entry(STAND_S, "stand", ()), Entry(WALK_S, "velocity", velocity)]
    entries += [Entry(WALK_S, "walk", ())] if walks else []
    clock = SimulatedClock()
    robot = MujocoRobot(model, clock=clock, seed=seed)
    spoils = fault.where == "robot"
    witness = Witness(robot, contract, limits, clock=clock, knows_state=lambda: not (spoils and faulty.spoilt))
    faulty = FaultyRobot(witness, contract, [injection] if spoils else [], clock=clock)
    operator: Operator = ScriptOperator(entries, len(contract.command.names))
    if fault.where == "operator":
        operator = FaultyOperator(operator, injection, clock=clock)
    observer = _Observer(operator, clock, robot, contract.safety.tilt_limit_rad, injection.start_s)
    folder = Path(tempfile.mkdtemp(prefix="surefoot-fault-")) if with_log else None
    try:
        log = None
        if folder is not None:
            options = LogOptions(min_free_bytes=0, queue_s=20.0)
            log = open_log(
                folder, contract, bundle=bundle.identity, stage="fault", phases=PHASES, options=options,
                num_foot_sensors=robot.num_foot_sensors,
            )  # fmt: skip
        loop = observer.loop = Loop(
            bundle,
            faulty,
            observer,
            limits=limits,
            clock=FaultyClock(clock, injection if fault.where == "clock" else None),
            log=log,
        )
        if fault.where == "policy":
            policy: Policy = FaultyPolicy(bundle.policy, injection, clock=clock)
            loop.controller.policy = policy
        until_s = injection.start_s + max(fault.within_s, min(fault.duration_s, 1.0)) + AFTER_S
        clock.on_advance(lambda now_s: _end(loop) if now_s >= until_s else None)
        report = loop.run()
        readable = None
        if log is not None and folder is not None:
            log.close()
            readable = readable_log(folder) is not None
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
    after = [(time_s, code) for time_s, code in observer.responses if time_s >= injection.start_s]
    rules = tuple(dict.fromkeys(e.rule for e in report.events if e.time_s >= injection.start_s - 1.5))
    ended = not report.ended_by.startswith("It was told")
    worst = max([code for _, code in after], default=0)
    if ended:  # the loop gave up, and damped the robot
        worst = max(worst, int(Response.DAMP))
        after.append((clock.now() if not after else after[-1][0] + 0.002, int(Response.DAMP)))
    reached = [time_s - injection.start_s for time_s, code in after if code >= fault.safe]
    safe_after_s = reached[0] if reached and fault.safe > Response.NONE else None
    notes = list(witness.notes)
    if fault.safe > Response.NONE and (safe_after_s is None or safe_after_s > fault.within_s + 1e-6):
        notes.append(f"{fault.safe.name.lower()} was due within {fault.within_s:.3f} s; it came {safe_after_s}.")
    if fault.rules and not set(fault.rules) & set(rules):
        notes.append(f"None of the rules {', '.join(fault.rules)} acted; these did: {', '.join(rules) or 'none'}.")
    damped_s = next((time_s for time_s, code in observer.responses if code >= Response.DAMP), np.inf)
    if ended:
        damped_s = min(damped_s, clock.now())
    tilted_s = observer.tilted_s
    if tilted_s is not None and min(damped_s, until_s) > tilted_s + FALL_DAMPED_S:
        notes.append(f"The robot was tilted beyond the limit at {tilted_s:.3f} s and damped at {damped_s:.3f} s.")
    if fault.before_walking and observer.walked:
        notes.append("The robot began to walk.")
    if ended and fault.safe < Response.DAMP:
        notes.append(f"The loop gave up: {report.ended_by}")
    if fault.where == "operator" and observer.drop_m_s >= DROP_M_S:
        notes.append(f"The robot was dropped at {observer.drop_m_s:.2f} m/s.")
    return TrialResult(
        fault=fault.name,
        seed=seed,
        start_s=injection.start_s,
        safe=len(notes) == len(witness.notes),
        safe_after_s=safe_after_s,
        worst=Response(worst).name.lower(),
        rules=rules,
        fell=tilted_s is not None,
        commands=witness.commands,
        outside=witness.outside,
        log_readable=readable,
        notes=tuple(notes),
    )


def _end(loop: Loop) -> None:
    loop.request_end()
    loop.request_end()  # at once


def readable_log(folder: Path, *, until_s: float | None = None) -> Log | None:
    """Return the log of a run: events, modes and timing; None if it cannot be read.

    Args:
        folder: Folder of all logs; it holds one.
        until_s: Time of the loop to within a second of which the log must reach, finished or not [s]; None for a log
            that must be finished.
    """
    try:
        log = read_log(next(folder.iterdir()), topics=("/safety", "/mode", "/timing"))
    except (OSError, SurefootError, StopIteration):
        return None
    if not len(log["/timing"]) or not len(log["/mode"]):
        return None
    whole = log.finished if until_s is None else log["/timing"].time_s[-1] >= until_s - 1.0
    return log if whole else None
