"""How a run of the bridge ended, for people, programs and the shell."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

from surefoot_bridge.log import LogStatus
from surefoot_bridge.safety import Response
from surefoot_bridge.state import Mode

from .jitter import Spread
from .report import LoopReport


@dataclass(frozen=True)
class Rest:
    """What is known of a robot on the network when its run has ended.

    Attributes:
        known: Whether its own reports have shown that it is damped, or nothing was ever commanded.
        words: What is known, and who damps it, for a person.
    """

    known: bool
    words: str


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes:
        report: What the control loop says.
        reason: Why it was ended; empty where it ended by itself.
        log: Folder of its log; None without one.
        log_status: How the log ended; None without one.
        signals: Signals that came, in their order.
        rest: What is known of a robot on the network; None for others.
    """

    report: LoopReport
    reason: str
    log: Optional[Path]
    log_status: Optional[LogStatus]
    signals: Tuple[str, ...]
    rest: Optional[Rest] = None

    @property
    def damped(self) -> bool:
        """Whether the robot was damped or switched off by anything but the end of the run."""
        return any(event.response >= Response.DAMP for event in self.report.events) or any(
            change.mode == Mode.DAMPED for change in self.report.modes
        )

    @property
    def status(self) -> int:
        """Exit status: 0 in order, 1 damped, switched off, in doubt or without its log, 130 in order after a signal."""
        logged = self.log_status is None or self.log_status.state == "closed"
        unknown = self.rest is not None and not self.rest.known
        if self.damped or unknown or not self.report.in_order or not logged:
            return 1
        return 130 if self.signals else 0

    @property
    def figures(self) -> Dict[str, float]:
        """Figures by name."""
        report, jitter = self.report, self.report.jitter
        spreads = {"lateness": jitter.lateness, "period": jitter.period, "tick": jitter.tick, **jitter.phases}
        figures: Dict[str, float] = {
            "ticks": report.ticks,
            "duration_s": report.duration_s,
            "events": report.num_events,
            "incidents": len(report.incidents),
            "in_order": float(report.in_order),
            "known_damped": float(self.rest is None or self.rest.known),
        }
        for response in Response:
            count = sum(event.response == response for event in report.events)
            figures[f"events_{response.name.lower()}"] = count
        for name, spread in spreads.items():
            figures.update(_spread_figures(name, spread))
        return figures

    @property
    def rows(self) -> List[Dict[str, Any]]:
        """Changes of mode, events and incidents as records, in the order of their times."""
        report = self.report
        rows: List[Dict[str, Any]] = [
            {"kind": "mode", "time_s": change.time_s, "name": change.mode.name.lower(), "message": change.reason}
            for change in report.modes
        ]
        rows += [
            {
                "kind": "event",
                "time_s": event.time_s,
                "name": event.rule,
                "response": event.response.name.lower(),
                "component": event.component,
                "value": event.value,
                "limit": event.limit,
                "message": event.message,
            }
            for event in report.events
        ]
        rows += [
            {"kind": "incident", "time_s": incident.time_s, "name": incident.name, "message": incident.message}
            for incident in report.incidents
        ]
        return sorted(rows, key=lambda row: row["time_s"])

    def describe(self) -> str:
        """Return what a person wants to know."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        report, late = self.report, self.report.jitter.lateness
        why = f"Ended because {self.reason}. " if self.reason else ""
        yield f"{why}{report.ended_by} {report.ticks} commands in {report.duration_s:.1f} s."
        yield "Modes: " + ", ".join(change.mode.name.lower() for change in report.modes)
        yield (
            f"Lateness: median {late.median_s * 1e3:.3f} ms, 99 % below {late.p99_s * 1e3:.3f} ms, largest "
            f"{late.largest_s * 1e3:.3f} ms; {report.jitter.missed} ticks left out."
        )
        yield from (f"Note: {note}" for note in report.notes)
        yield from self._events()
        if self.log is not None and self.log_status is not None:
            state, reason = self.log_status.state, self.log_status.reason
            yield f"Log: {self.log}, {state}{': ' + reason if reason else ''}"
        if self.rest is not None and self.rest.words:
            yield self.rest.words

    def _events(self) -> Iterator[str]:
        """Yield what happened, one line for each kind, with how often, when and what the first said."""
        start_s = self.report.modes[0].time_s if self.report.modes else 0.0
        kinds: Dict[Tuple[str, str], List[Dict[str, Any]]] = {}
        for row in self.rows:
            if row["kind"] != "mode":
                kinds.setdefault((row["name"], row.get("response", "")), []).append(row)
        for (name, response), rows in kinds.items():
            answer = f" ({response})" if response else ""
            times = "once" if len(rows) == 1 else f"{len(rows)} times"
            yield f"{name}{answer} {times}, first at {rows[0]['time_s'] - start_s:.2f} s: {rows[0]['message']}"


def _spread_figures(name: str, spread: Spread) -> Iterator[Tuple[str, float]]:
    yield f"{name}_median_s", spread.median_s
    yield f"{name}_p99_s", spread.p99_s
    yield f"{name}_largest_s", spread.largest_s
