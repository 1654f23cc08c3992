"""One fault in one run in real time: emulated robot, bridge and guardian, each a process, over DDS on the loopback."""

import os
import shutil
import signal
import tempfile
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from surefoot_bridge.clock import boot_time_s
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.guardian.registry import end_guardian
from surefoot_bridge.log import Log
from surefoot_bridge.robots import LOOPBACK, RobotAddress, RobotLock

from .catalogue import Fault
from .live_judgement import Measured, judge, most
from .live_process import LiveOrder, Member
from .live_robot import BEFORE_S
from .trial import AFTER_S, readable_log
from .wire import AT_THE_ROBOT

_BEGIN_TIMEOUT_S, _RUN_TIMEOUT_S = 60.0, 30.0
_LOG_ENDS_S = 1.0  # after its loop is gone; what was written by then counts
_SIGNALS = {"process_killed": signal.SIGKILL, "process_hung": signal.SIGSTOP}


@dataclass(frozen=True)
class LiveResult:
    """What came of a live trial.

    Attributes:
        fault: Name of the fault.
        seed: Seed of the trial.
        made_at: Where the fault was made: ``robot`` (in the emulated robot's process), ``bridge`` (in the bridge's,
            between the control loop and its parts) or ``process`` (a signal to the bridge's process).
        safe: Whether the robot was where it must be in time, with one of the expected rules.
        safe_after_s: After what time that was so at the robot [s]; None if never, or where it may go on.
        allowance_s: What is allowed for transport and scheduling besides the stated time, as measured here [s].
        idle_largest_s: Largest lateness of the idle loop around the fault [s].
        stalled: Whether the computer itself has stood still: that is more than the allowance, or the emulated robot
            could not keep up with real time then.
        worst: Most severe response.
        rules: Rules that acted after the fault began, and ``guardian`` where that damped the robot.
        fell: Whether the robot fell.
        commands: Commands that came to the robot.
        outside: How many of them were outside the limits.
        log_readable: Whether the log could be read back.
        notes: What was wrong, one sentence each.
        loop_late_s: Lateness of the control loop in the second before the fault, what 99.9 % are below [s]; None
            without a log.
        idle_late_s: The same of the idle loop, until the end [s].
        transit_s: Time between the sending of a command and its obedience of which 99.9 % are below [s].
    """

    fault: str
    seed: int
    made_at: str
    safe: bool
    safe_after_s: float | None
    allowance_s: float
    idle_largest_s: float
    stalled: bool
    worst: str
    rules: tuple[str, ...]
    fell: bool
    commands: int
    outside: int
    log_readable: bool
    notes: tuple[str, ...]
    loop_late_s: float | None
    idle_late_s: float
    transit_s: float

    @property
    def good(self) -> bool:
        """Whether nothing is wrong with it."""
        return self.safe and not self.outside and self.log_readable


def run_live_trial(bundle: Path, robot: str, stage: str, fault: Fault, seed: int, domain: int) -> LiveResult:
    """Put a fault into a run in real time, and see at the robot what becomes of it.

    The robot stands up and walks with a random velocity command from 2.2 s on, and has the fault at some time between
    2.9 and 4.3 s of the loop.

    Args:
        bundle: Folder of the bundle.
        robot: Name of its robot.
        stage: Stage whose limits hold.
        fault: The fault.
        seed: Draws all that is random.
        domain: DDS domain on the loopback, in which nobody else is.

    Raises:
        SurefootError: If a process of it fails.
    """
    folder = Path(tempfile.mkdtemp(prefix="surefoot-live-"))
    order = LiveOrder(str(bundle.resolve()), robot, domain, stage, fault.name, seed, str(folder))
    try:
        measured = _measured(order, fault)
        log = _log(folder / "logs", measured)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    found, of_robot = judge(fault, measured), measured.robot
    return LiveResult(
        fault=fault.name,
        seed=seed,
        made_at="robot" if fault.name in AT_THE_ROBOT else "process" if fault.where == "process" else "bridge",
        commands=of_robot["commands"],
        outside=of_robot["outside"],
        log_readable=log is not None,
        loop_late_s=None if log is None else _loop_late_s(log, measured.start_s),
        **asdict(found),
    )


def _measured(order: LiveOrder, fault: Fault) -> Measured:
    address = RobotAddress(order.robot, LOOPBACK, order.domain)
    with ExitStack() as stack:
        stack.callback(_end_guardian, address)  # last of all: a bridge that is killed leaves one
        idle, robot, bridge = (
            stack.enter_context(Member(name, order)) for name in ("live_idle", "live_robot", "live_bridge")
        )
        begins = bridge.await_said("begins", _BEGIN_TIMEOUT_S)
        robot.tell(begins)
        start_s: float = begins["start_s"]
        told: dict[str, Any] | None = None
        if fault.where == "process":
            time.sleep(max(start_s - boot_time_s(), 0.0))
            start_s = boot_time_s()
            os.kill(bridge.pid, _SIGNALS[fault.name])
            time.sleep(fault.within_s + AFTER_S)
        else:
            told = bridge.await_said("bridge", _RUN_TIMEOUT_S)
            bridge.await_end()
        robot.end_input()
        seen = robot.await_said("robot", _RUN_TIMEOUT_S)
        idle.end_input()
        return Measured(start_s, seen, told, idle.await_said("idle", _RUN_TIMEOUT_S))


def _log(logs: Path, measured: Measured) -> Log | None:
    if measured.bridge is None:  # nobody has closed it
        time.sleep(_LOG_ENDS_S)
        return readable_log(logs, until_s=measured.start_s)
    return readable_log(logs)


def _loop_late_s(log: Log, start_s: float) -> float:
    timing = log["/timing"]
    before = (timing.time_s >= start_s - BEFORE_S) & (timing.time_s < start_s)
    return most(timing["lateness_s"][before].tolist())


def _end_guardian(address: RobotAddress) -> None:
    """End the guardian that a bridge may have left, once its bridge is gone."""
    until_s = boot_time_s() + _RUN_TIMEOUT_S
    while True:
        end_guardian(address)
        try:
            RobotLock(address).release()
        except SurefootError:  # it has not begun to damp, or not noticed that there is nothing to damp
            if boot_time_s() > until_s:
                raise
            time.sleep(0.02)
        else:
            return
