"""Results of campaigns and of live trials for people: lines for a terminal, and pages."""

from collections.abc import Mapping, Sequence
from typing import Any

_STATES = (
    "`clamp`: commands are brought within their limits; `stop`: the policy brings the robot to rest, then it stands; "
    "`hold`: targets stay, and if that lasts the robot stands without its policy; `damp`: damping only, until the "
    "operator releases the robot; `none`: the robot may go on, as long as it is damped should it fall."
)


def fault_page(result: Mapping[str, Any], provenance: Mapping[str, Any], live: Mapping[str, Any] | None = None) -> str:
    """Return a page of Markdown with a row for each kind of fault.

    Args:
        result: What :func:`~surefoot_devtools.fault_injection.campaign.run_campaign` returned.
        provenance: Where it comes from; it has ``commit``, ``machine`` and ``date``.
        live: The report of live trials, as the tool writes it with ``--live --json``; its table is added.
    """
    lines = [
        f"# Faults put into the control loop of {result['bundle']}",
        "",
        f"{result['trials']} trials of {result['kinds']} kinds on a simulated clock, each at a random time of a run in "
        "which the robot has stood up and walks at a random velocity (one in four stands, where the fault does not "
        f"need a walking robot), with the limits of the stage `{result['stage']}`. The robot was in its safe state in "
        f"time in {result['safe']} of them; {result['commands_outside_limits']} of "
        f"{result['commands']} commands that reached it were outside the limits; {result['logs_readable']} of "
        f"{result['logs']} logs could be read. {_origin(provenance)}",
        "",
        _STATES,
        "",
        "| fault | what happens | safe state | within [s] | slowest [s] | safe | fell |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [_row(row) for row in result["by_kind"]]
    if live is not None:
        lines += ["", "## In real time", "", *_live(live)]
    return "\n".join(lines) + "\n"


def live_page(report: Mapping[str, Any], bundle: str) -> str:
    """Return a page of Markdown on live trials alone.

    Args:
        report: Their report: ``figures``, ``rows`` and ``provenance``.
        bundle: Name of the bundle.
    """
    lines = [f"# Faults put into the control loop of {bundle} in real time", "", *_live(report)]
    return "\n".join([*lines, "", _STATES]) + "\n"


def table_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the rows of kinds as lines for a terminal: name, safe state, stated and slowest time [s], and how many."""
    return [
        f"{row['name']:24} {row['safe_state']:6} {row['within_s']:6.3f} {_time(row['slowest_s']):>6} "
        f"{row['safe']:>5}/{row['trials']}"
        for row in rows
    ]


def _live(report: Mapping[str, Any]) -> list[str]:
    figures: Mapping[str, Any] = report["figures"]
    kinds = [row for row in report["rows"] if "name" in row]  # the others are trials that were not good
    repeated = figures["repeated"]
    anew = (
        "Trials that do not count, for the computer stood still in them or a process of them did not begin, and that "
        f"were repeated: {repeated}. "
    )
    return [
        f"Each of {figures['kinds']} kinds once in real time: the bridge as `surefoot-bridge run` runs it, with its "
        "guardian and its log, and the emulated robot as processes that talk in the messages of Unitree's SDK over DDS "
        "on the loopback. The robot walks when the fault begins. `robot`: the fault is made at the robot's side of the "
        "network; `bridge`: in the bridge's process, between the control loop and its parts; `process`: by a signal to "
        "that process. Times are those at which commands came to the robot, which judged every one of them: "
        f"{figures['commands_outside_limits']} of {figures['commands']} were outside the limits. The robot was in its "
        f"safe state in time in {figures['safe']} of {figures['trials']} trials; {figures['logs_readable']} of "
        f"{figures['logs']} logs could be read. {anew if repeated else ''}{_origin(report['provenance'])}",
        "",
        "Besides the stated time there is an allowance for transport and scheduling, measured in each trial from a "
        "second before the fault on: the lateness of a loop that does nothing "
        f"(at most {_ms(figures['largest_idle_late_s'])} ms; the control loop's own before the fault: "
        f"{_ms(figures['largest_loop_late_s'])} ms), the time from the sending of a command to its obedience (at most "
        f"{_ms(figures['largest_transit_s'])} ms), and for faults made at the robot the age of reports when "
        "the bridge sees them; of each what 99.9 % are below.",
        "",
        "| fault | what happens | made at | safe state | within [s] | allowance [s] | took [s] | safe | fell |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_row(row) for row in kinds),
    ]


def _origin(provenance: Mapping[str, Any]) -> str:
    return f"Commit {provenance['commit']}, {provenance['machine']}, {provenance['date'][:10]}."


def _row(row: Mapping[str, Any]) -> str:
    cells: dict[str, str] = {
        "name": f"`{row['name']}`",
        "what": row["what"],
        "made_at": row.get("made_at", ""),
        "safe_state": f"`{row['safe_state']}`",
        "within_s": f"{row['within_s']:.3f}",
        "allowance_s": _time(row.get("allowance_s")),
        "slowest_s": _time(row["slowest_s"]),
        "safe": f"{row['safe']} of {row['trials']}",
        "fell": str(row["fell"]),
    }
    if "made_at" not in row:
        del cells["made_at"], cells["allowance_s"]
    return f"| {' | '.join(cells.values())} |"


def _time(time_s: float | None) -> str:
    return "-" if time_s is None else f"{time_s:.3f}"


def _ms(time_s: float | None) -> str:
    return "-" if time_s is None else f"{1e3 * time_s:.1f}"
