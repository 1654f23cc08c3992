"""The control loop: reads, decides, checks and commands at a fixed rate, and always ends with a damped robot."""

import contextlib
import time
from typing import Optional, Tuple

import numpy as np

from surefoot_bridge.bundle import Bundle
from surefoot_bridge.clock import Clock, MonotonicClock
from surefoot_bridge.control import Controller, ControllerState, TickInputs
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.guardian import GuardianTookOverError, Heartbeat
from surefoot_bridge.live.status import LiveStatus
from surefoot_bridge.log import LogWriter
from surefoot_bridge.operators import Operator
from surefoot_bridge.realtime import realtime
from surefoot_bridge.robots import Robot
from surefoot_bridge.safety import StageLimits
from surefoot_bridge.state import Mode

from .inputs import LoopInputs
from .jitter import JitterCounter
from .report import LoopReport, Record
from .shutdown import OrderlyEnd
from .tick_notes import TickNotes

PHASES = ("read", "observe", "infer", "check", "write", "log")
"""Phases of a tick; in logs the last is that of the tick before, for a tick is logged before that is over."""

FIRST_REPORT_S = 5.0
"""How long the loop waits for the first report [s]."""

_STOPS = 25  # times that a robot is told to be damped at the end, since a message may get lost
_LOG_LOOK_S = 1.0


class Loop:
    """The control loop.

    It keeps to the contract's low-level rate on a monotonic clock: ticks that it is too late for are left out, none is
    made up for, and the policy is asked in the first tick of each control period, late or not. Until the first report
    nothing is sent. Whatever ends it, an exception too, the robot is damped last; only where the guardian has taken the
    robot, nothing more is sent.

    An exception of the policy is a failed step, one of the operator the silence of the operator, one of
    :meth:`~surefoot_bridge.robots.Robot.read` the absence of a report: safety acts on them. One of ``write`` ends it.

    Args:
        bundle: Policy and contract.
        robot: The robot.
        operator: Who commands it.
        limits: Limits of the stage.
        clock: The clock.
        log: Where every tick is logged, opened with :data:`PHASES`; it is not closed here.
        heartbeat: Who must know that the loop is alive.
        ask_realtime: Whether to ask the system for real-time scheduling and locked memory while it runs.

    Raises:
        SurefootError: If robot, bundle and limits do not fit each other.

    Attributes:
        controller: What decides.
        state: Its state after the last tick.
        live: Where a person sees how it goes; None for nowhere.
    """

    def __init__(
        self,
        bundle: Bundle,
        robot: Robot,
        operator: Operator,
        *,
        limits: StageLimits,
        clock: Clock,
        log: Optional[LogWriter] = None,
        heartbeat: Optional[Heartbeat] = None,
        ask_realtime: bool = False,
    ) -> None:
        contract = bundle.contract
        if robot.name != contract.robot.name:
            raise SurefootError(
                f"The robot is {robot.name}; the bundle {bundle.identity} is for {contract.robot.name}."
            )
        if robot.num_foot_sensors not in (0, len(contract.robot.foot_names)):
            raise SurefootError(
                f"{robot.name} has {robot.num_foot_sensors} foot sensors; the contract has "
                f"{len(contract.robot.foot_names)} feet. It must have one for each foot, or none."
            )
        self.controller = Controller(bundle, limits)
        self.state: ControllerState = self.controller.initial(())
        self._robot, self._clock = robot, clock
        self.live: Optional[LiveStatus] = None
        self._log, self._heartbeat, self._ask_realtime = log, heartbeat, ask_realtime
        self._period_s = 1.0 / contract.timing.low_level_hz
        self._end = OrderlyEnd(contract)
        self._end_requests, self._ended_by, self._in_order = 0, "", False
        self._record = Record(log)
        self._deadline_s = limits.late_control_periods * contract.timing.control_period_s
        self._jitter = JitterCounter(PHASES, self._deadline_s)
        self._inputs = LoopInputs(robot, operator, self._record, self._end, len(contract.command.names))
        self._notes = TickNotes(self._record, self.controller.safety)
        self._step = -1  # number of the last control period in which the policy could be asked
        self._policy_failed = False
        self._all = np.ones((), dtype=bool)
        self._phases = np.zeros(len(PHASES))
        self._ticks, self._first_s, self._last_s = 0, 0.0, 0.0

    def request_end(self) -> None:
        """End the run: in order at the first call, by damping the robot at once at the second. For signal handlers."""
        self._end_requests += 1

    def run(self, duration_s: Optional[float] = None) -> LoopReport:
        """Run until it is ended.

        Args:
            duration_s: When to end in order by itself, from now on [s]; None for never.

        Returns:
            What came of it. An exception of the robot's ``write`` or of the loop itself is told there.
        """
        notes: Tuple[str, ...] = ()
        with contextlib.ExitStack() as stack:
            if self._ask_realtime and isinstance(self._clock, MonotonicClock):
                notes = stack.enter_context(realtime()).notes
            may_send = True
            try:
                self._run(duration_s)
            except GuardianTookOverError as error:
                may_send, self._ended_by = False, str(error)
            except Exception as error:  # whatever it is, the robot must be damped and somebody must know
                self._ended_by = f"{type(error).__name__}: {error}"
            finally:
                if may_send:
                    self._damp()
        if not self._in_order:
            self._record.incident(self._clock.now(), "ended", self._ended_by)
        if may_send and self._heartbeat is not None:
            doubt = self._heartbeat.release()
            if doubt:
                self._record.incident(self._clock.now(), "not_known_damped", doubt)
        return self._report(notes)

    def _report(self, notes: Tuple[str, ...]) -> LoopReport:
        record = self._record
        return LoopReport(
            ended_by=self._ended_by,
            in_order=self._in_order,
            ticks=self._ticks,
            duration_s=self._last_s - self._first_s,
            mode=self._notes.mode or Mode.PASSIVE,
            modes=tuple(record.modes),
            events=tuple(record.events),
            num_events=record.num_events,
            incidents=tuple(record.incidents),
            jitter=self._jitter.result(),
            notes=notes,
        )

    def _run(self, duration_s: Optional[float]) -> None:
        clock, period_s = self._clock, self._period_s
        begun_s = clock.now()
        tick, left_out = 0, 0
        next_look_s = begun_s
        while not self._over():
            due_s = begun_s + tick * period_s
            ahead_s = due_s - clock.now()
            if ahead_s > 2.0 * period_s:  # the clock went back: safety must hear of it now, not when it has caught up
                begun_s -= ahead_s - period_s
                due_s -= ahead_s - period_s
            clock.sleep_until(due_s)
            now = clock.now()
            lateness_s = max(now - due_s, 0.0) + left_out * period_s  # counts from the first that was left out
            self._tick(now, lateness_s, tick // self.controller.ticks_per_step)
            if self._log is not None and now >= next_look_s:
                next_look_s = now + _LOG_LOOK_S
                reason = self._log.take_stop()
                if reason is not None:
                    self._record.incident(now, "log_stopped", reason)
            if duration_s is not None and now - begun_s >= duration_s and not self._end_requests:
                self._end_requests = 1
            if self._ticks == 0 and now - begun_s > FIRST_REPORT_S:
                raise SurefootError(
                    f"{self._robot.name} sent no report within {FIRST_REPORT_S:g} s: is it on, and its network up?"
                )
            due = int((clock.now() - due_s) / period_s + 1e-6)  # ticks that have become due meanwhile; the last is made
            left_out = max(due - 1, 0)
            self._jitter.missed += left_out
            tick += left_out + 1

    def _over(self) -> bool:
        if self._end_requests == 0:
            return False
        mode = self._notes.mode or Mode.PASSIVE
        if self._end_requests > 1:
            self._ended_by = "It was told to end at once."
        elif self._end.done(mode):
            self._in_order = mode == Mode.PASSIVE
            self._ended_by = "It was told to end, and the robot rests." if self._in_order else "The robot is damped."
        elif self._end.too_long(mode, self._clock.now()):
            waits = "nobody hung it up" if self._end.balances(mode) else "the robot does not come to rest"
            self._ended_by = f"It was told to end, but {waits}: its mode is {mode.name.lower()}."
        else:
            return False
        return True

    def _tick(self, now: float, lateness_s: float, step: int) -> None:
        controller, phases = self.controller, self._phases
        started = time.perf_counter()
        reading = self._inputs.read(now)
        if reading is None:  # nobody is asked what to do with a robot that is not there yet
            return
        ending = self._end_requests > 0
        # Read when it is read, not when the tick began: what was typed while the process was stopped does not count.
        wish = self._inputs.wish(self._clock.now(), self._notes.mode, ending=ending)
        due = step != self._step and lateness_s < self._deadline_s  # a late robot is held, whatever the policy says
        showable = due and bool(controller.showable(reading.state, reading.wrong_crc))
        request = self._inputs.request(wish.request, due=showable)
        code = np.int8(request)
        at = time.perf_counter()
        phases[0] = at - started
        report, state = reading.state, self.state
        phases[1] = phases[2] = 0.0
        if due:
            self._step = step
        asked = showable and bool(controller.due(state, code))
        velocity = wish.velocity_command
        if asked:
            velocity = controller.slowed(state, velocity)
            state = controller.observe(state, report, wish.velocity_command, code, self._all)
            before, at = at, time.perf_counter()
            phases[1] = at - before
            state = self._infer(state, now)
            before, at = at, time.perf_counter()
            phases[2] = at - before
        checked_s = self._clock.now()  # what was computed until here has taken its time
        verdict, state = controller.command(
            state,
            report,
            TickInputs(
                time_s=checked_s,
                report_age_s=checked_s - reading.received_s,
                wrong_crc=reading.wrong_crc,
                lateness_s=lateness_s,
                velocity_command=wish.velocity_command,
                request=code,
                policy_failed=self._policy_failed,
                operator_stop=wish.stop,
                operator_release=wish.release,
                operator_age_s=checked_s - wish.heartbeat_s,
                alarms=reading.raised,
            ),
        )
        asked_in, self.state = self.state.machine, state
        before, at = at, time.perf_counter()
        phases[3] = at - before
        if self._heartbeat is not None:
            self._heartbeat.beat(now)
        command = verdict.command
        self._robot.write(command)
        before, at = at, time.perf_counter()
        phases[4] = at - before
        if self._ticks == 0:
            self._first_s = now
        self._ticks, self._last_s = self._ticks + 1, now
        self._notes.take(now, verdict, state, asked_in, request, reading.alarms, ending=ending)
        if self.live is not None:
            self.live.show(now, int(self.state.machine.mode), verdict, reading, wish.velocity_command)
        if self._log is not None:
            self._log.write(
                now,
                state=report,
                command=velocity if asked else None,
                observation=state.shown if asked else None,
                action=state.action if asked else None,
                joint_command=command,
                lateness_s=lateness_s,
                phase_s=phases,
            )
        phases[5] = time.perf_counter() - at
        self._jitter.add(now, lateness_s, phases.tolist(), asked_policy=asked)

    def _infer(self, state: ControllerState, now: float) -> ControllerState:
        try:
            answered = self.controller.infer(state, self._all)
            self._policy_failed = False
            self._record.error_cleared("policy")
        except Exception as error:  # safety holds the robot; the policy is asked again in the next step
            self._policy_failed = True
            self._record.error_began(now, "policy", error)
            return state
        return answered

    def _damp(self) -> None:
        """Damp the robot for good."""
        if self._heartbeat is not None:
            self._heartbeat.ending()
        for _ in range(_STOPS):
            with contextlib.suppress(Exception):  # there is nothing better left to do than to try again
                self._robot.stop()
                if self._heartbeat is not None:
                    self._heartbeat.beat(self._clock.now())
            self._clock.sleep_until(self._clock.now() + self._period_s)
