"""What is noted of the control loop's ticks: rules that began to act, requests not obeyed at once, changes of mode."""

from dataclasses import replace
from typing import Mapping, Optional

import numpy as np

from surefoot_bridge.control import ControllerState
from surefoot_bridge.control.machine_state import MachineState
from surefoot_bridge.safety import Response, Safety, SafetyVerdict
from surefoot_bridge.state import Mode, Request
from surefoot_bridge.state.batch import some

from .report import Record
from .request_answers import answer_to


class TickNotes:
    """Notes what happens from tick to tick, with the reason for each change of mode.

    Attributes:
        mode: Mode after the last tick; None before the first.
    """

    def __init__(self, record: Record, safety: Safety) -> None:
        self._record, self._safety = record, safety
        self.mode: Optional[Mode] = None
        self._active = np.zeros(len(safety.rules), dtype=bool)  # rules that acted at the last tick

    def take(
        self,
        now: float,
        verdict: SafetyVerdict,
        state: ControllerState,
        before: MachineState,
        request: Request,
        alarms: Mapping[str, str],
        *,
        ending: bool,
    ) -> None:
        """Take a tick.

        Args:
            now: When it began, on the loop's clock [s].
            verdict: What safety made of its command.
            state: The controller's state after it.
            before: The state machine's before it.
            request: What was asked for.
            alarms: What the robot says of its alarms, by the rules that act on them.
            ending: Whether the run ends.
        """
        machine = state.machine
        if some(verdict.tripped):
            for event in self._safety.events(verdict):
                self._record.event(replace(event, message=alarms.get(event.rule, event.message)))
        if request != Request.KEEP and not ending:
            self._answer(now, verdict, machine, before, request)
        mode = int(machine.mode)
        if mode != self.mode:
            self._record.mode(now, Mode(mode), self.mode, self._reason(verdict, state, before, request, ending=ending))
            self.mode = Mode(mode)
        self._active = verdict.active

    def _answer(
        self, now: float, verdict: SafetyVerdict, machine: MachineState, before: MachineState, request: Request
    ) -> None:
        refused = bool(machine.refused)
        said = answer_to(
            request,
            Mode(int(before.mode)),
            refused=refused,
            waits=bool(machine.wanted != machine.mode),
            stops=self._safety.against_walking(verdict.state) if refused else (),
            moves=bool(before.moved_s < before.motion_s),
        )
        if said is not None:
            self._record.incident(now, "request_refused" if refused else "request_waits", said)

    def _reason(
        self, verdict: SafetyVerdict, state: ControllerState, before: MachineState, request: Request, *, ending: bool
    ) -> str:
        """Return why the mode has changed."""
        machine, rules = state.machine, self._safety.rules
        acting = [rule.name for rule, acts in zip(rules, verdict.active | self._active) if acts]
        if machine.mode in (Mode.DAMPED, Mode.PASSIVE) and state.safety.latched >= Response.DAMP:
            return f"safety: {', '.join(acting) or 'until the operator releases it'}"
        ends = ", for the run ends" if ending else ""
        if request != Request.KEEP and not machine.refused:
            return request.name.lower() + ends
        if self.mode is None:
            return "start"
        if before.wanted != before.mode:
            return f"on the way to {Mode(int(before.wanted)).name.lower()}{ends}"
        stopped = [rule.name for rule, acts in zip(rules, self._active) if acts and rule.response >= Response.STOP]
        return f"safety: {', '.join(stopped)}" if stopped else "release"
