"""One run of the bridge, from the checklist to the last line of the log."""

import time
from contextlib import ExitStack
from typing import Callable, List, Optional, Sequence, Tuple

from surefoot_bridge.bundle import Bundle
from surefoot_bridge.clock import Clock, MonotonicClock, SimulatedClock
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError, refusal
from surefoot_bridge.live.status import LiveStatus
from surefoot_bridge.log import LogWriter, open_log
from surefoot_bridge.log.seal import key_id
from surefoot_bridge.log.seal_key import seal_key
from surefoot_bridge.operators import Operator
from surefoot_bridge.operators.choice import check_operator, open_operator
from surefoot_bridge.operators.stop_file import StopFile
from surefoot_bridge.robots import NetworkRobot, Reading, Robot
from surefoot_bridge.robots.choice import RobotPlace
from surefoot_bridge.run import Run
from surefoot_bridge.safety import StageLimits
from surefoot_bridge.stages.progress import require_open

from .checklist import acknowledge, checklist, misplaced_joints
from .end_signals import EndingOperator, ending_signals
from .loop import PHASES, Loop
from .outcome import Outcome
from .robot_control import let_go, plan_of, take_control

REPORT_TIMEOUT_S = 5.0
"""How long to wait for the first report of a robot [s]."""


class FaultHooks:
    """Hooks by which a test puts faults between the control loop and its parts; these put none."""

    def parts(self, robot: Robot, operator: Operator, clock: Clock) -> Tuple[Robot, Operator, Clock]:
        """Return what the loop is given in place of these parts."""
        return robot, operator, clock

    def begins(self, loop: Loop) -> None:
        """Receive the loop, directly before it runs."""


def run_bridge(bundle: Bundle, run: Run, *, hooks: Optional[FaultHooks] = None) -> Outcome:
    """Run a bundle on a robot, from the checklist to the end of its log.

    Args:
        bundle: The bundle.
        run: What is to be run, and how.
        hooks: What puts faults into the run; nothing by default.

    Raises:
        SurefootError: If the stage is not open, the robot is not there or not as it should be, or the checklist was not
            acknowledged. Nothing was moved then.
    """
    run.check()
    hooks = hooks or FaultHooks()
    contract, place, stage = bundle.contract, run.place, run.stage
    check_operator(run.operator, contract, stage)
    opened_by, key = None, None
    if place.on_hardware and run.logs is not None:
        if stage.previous is not None:
            print(f"Reading the logs in {run.logs} for one that opens the stage {stage.name} ...", flush=True)
        key = seal_key(run.seal_key)
        opened_by = require_open(stage, run.logs, bundle.identity, key).log
    stops: List[Callable[[float], bool]] = [] if run.stop_file is None else [StopFile(run.stop_file)]
    clock: Clock = SimulatedClock() if run.simulated_clock else MonotonicClock()
    limits = stage.limits(contract)
    with ExitStack() as stack:
        robot = stack.enter_context(place.open(contract, clock, timeout_s=REPORT_TIMEOUT_S))
        _require_caps(robot, place)
        reading = _first_report(robot, clock)
        if place.on_hardware and not robot.is_real:
            print(f"The robot at {place.address} says that it is emulated: its log opens no stage.", flush=True)
        _require_joints_in_place(contract, reading, limits)
        remote_checks = _remote_checks(robot, run, stops)
        plan, opened = plan_of(robot, place, hand_back=run.hand_back), robot
        acknowledge(
            checklist(
                bundle,
                stage,
                robot=place.describe(contract.robot.name),
                on_hardware=place.on_hardware,
                opened_by=opened_by,
                reading=reading,
                log=_log_fact(run, key if robot.is_real else None),
                guardian=place.address is not None,
                more=(*plan.confirmations, *remote_checks),
                notes=(*robot.notes, *plan.notes),
            ),
            word=run.word,
        )
        log = None if run.logs is None else stack.enter_context(_open_log(bundle, run, robot, key))
        if log is not None and isinstance(clock, SimulatedClock):
            clock.on_advance(_Patience(log))
        guardian = take_control(robot, place, without_switcher=run.without_switcher)
        if guardian is not None:
            stack.callback(guardian.release)
        command = open_operator(
            run.operator,
            contract,
            stage,
            time_s=clock.now(),
            watched=place.on_hardware,
            stops=stops,
            robot=robot,
        )
        stack.callback(command.operator.close)
        robot, commander, loop_clock = hooks.parts(robot, command.operator, clock)
        operator = EndingOperator(commander, command.duration_s, lambda: loop.request_end())
        loop = Loop(
            bundle,
            robot,
            operator,
            limits=limits,
            clock=loop_clock,
            log=log,
            heartbeat=guardian,
            ask_realtime=place.address is not None,
        )
        if run.operator.help(opened):
            print(run.operator.help(opened), flush=True)
        if run.live:
            name = stage.log_name(rehearsal=not _is_real(run, robot))
            rules, simulated = loop.controller.safety.rules, run.simulated_clock
            loop.live = stack.enter_context(
                LiveStatus(contract, rules, stage=name, duration_s=command.duration_s, simulated=simulated)
            )
        hooks.begins(loop)
        with ending_signals(operator.end) as signals:
            report = loop.run()
            if loop.live is not None:
                loop.live.close()
            rest = let_go(opened, guardian, in_order=report.in_order, hand_back=run.hand_back)
            robot.close()
            status = None if log is None else log.close()
    return Outcome(report, operator.reason, None if log is None else log.folder, status, tuple(signals), rest)


def _require_caps(robot: Robot, place: RobotPlace) -> None:
    if place.on_hardware and robot.caps is None:
        raise SurefootError(
            f"{robot.name}: its transport does not say what its hardware bears (joints, their order, torques, speeds, "
            "ranges), so nothing keeps a bundle within it. Give the transport's robot its `caps`. Nothing was moved."
        )


def _first_report(robot: Robot, clock: Clock) -> Reading:
    """Wait for a robot's first report, as long as a low-level period takes for one in this process."""
    until_s = clock.now() + REPORT_TIMEOUT_S
    while clock.now() < until_s:
        reading = robot.read()
        if reading is not None:
            return reading
        clock.sleep_until(clock.now() + 0.002)
    raise SurefootError(f"{robot.name} has not reported anything in {REPORT_TIMEOUT_S:g} s. Is it switched on?")


def _require_joints_in_place(contract: Contract, reading: Reading, limits: StageLimits) -> None:
    wrong = misplaced_joints(contract, reading, limits.position_margin_rad)
    if wrong:
        raise refusal(
            "Joints are where they cannot be:",
            wrong,
            "Their order, their zero or the robot is another one than the contract's. Nothing was moved.",
        )


def _remote_checks(robot: Robot, run: Run, stops: List[Callable[[float], bool]]) -> Sequence[str]:
    """Add the stop of a robot's remote to the stops; return what is confirmed of it, where it was tried.

    Raises:
        SurefootError: If it is to command a real robot, and its stop was not tried.
    """
    if not isinstance(robot, NetworkRobot) or (robot.remote_control is None and run.operator.kind != "remote"):
        return ()
    from surefoot_bridge.operators.remote import RemoteStop, remote_of_robot, try_remote_stop

    control, source = remote_of_robot(robot)
    stops.append(RemoteStop(control, source))
    if not run.place.on_hardware:
        return ()
    if try_remote_stop(robot):
        return (f"The robot's remote is in somebody's hand. Its stop ({control.stop}) was tried just now, and came.",)
    if run.operator.kind == "remote":
        raise SurefootError("--operator remote: its stop was not tried, so it does not command a real robot.")
    return ()


def _is_real(run: Run, robot: Robot) -> bool:
    return run.place.on_hardware and robot.is_real


def _log_fact(run: Run, key: Optional[bytes]) -> Optional[str]:
    if run.logs is None:
        return None
    return str(run.logs) if key is None else f"{run.logs}, sealed with key {key_id(key)}"


def _open_log(bundle: Bundle, run: Run, robot: Robot, key: Optional[bytes]) -> LogWriter:
    assert run.logs is not None
    real = _is_real(run, robot)
    return open_log(
        run.logs,
        bundle.contract,
        bundle=bundle.identity,
        stage=run.stage.log_name(rehearsal=not real),
        phases=PHASES,
        num_foot_sensors=robot.num_foot_sensors,
        seal_key=key if real else None,
    )


class _Patience:
    """Lets simulated time wait for the disk, so that no tick is missing in the log however fast it is computed."""

    _EVERY = 100  # ticks: a small part of the queue, which holds seconds of them

    def __init__(self, log: LogWriter) -> None:
        self._log, self._ticks = log, 0

    def __call__(self, time_s: float) -> None:  # noqa: ARG002  (what a listener is given)
        self._ticks += 1
        if self._ticks % self._EVERY == 0:
            while self._log.status().state == "writing" and self._log.status().queued > self._EVERY:
                time.sleep(0.001)
