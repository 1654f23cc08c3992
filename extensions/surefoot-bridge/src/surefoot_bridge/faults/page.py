"""The result of a campaign as a page for people."""

from typing import Any, Dict, List


def fault_page(result: Dict[str, Any], origin: str) -> str:
    """Return a page of Markdown with a row for each kind of fault.

    Args:
        result: What :func:`~surefoot_bridge.faults.campaign.run_campaign` returned.
        origin: Where it comes from: commit, machine and date, in one sentence.
    """
    lines = [
        f"# Faults put into the control loop of {result['bundle']}",
        "",
        f"{result['trials']} trials of {result['kinds']} kinds on a simulated clock, each at a random time of a run in "
        "which the robot has stood up and walks at a random velocity (one in four stands, where the fault does not "
        f"need a walking robot), with the limits of the stage `{result['stage']}`. The robot was in its safe state in "
        f"time in {result['safe']} of them; {result['commands_outside_limits']} of "
        f"{result['commands']} commands that reached it were outside the limits; {result['logs_readable']} of "
        f"{result['logs']} logs could be read. {origin}",
        "",
        "`clamp`: commands are brought within their limits; `hold`: targets stay; `damp`: damping only, until the "
        "operator releases the robot; `none`: the robot may go on, as long as it is damped should it fall.",
        "",
        "| fault | what happens | safe state | within [s] | slowest [s] | safe | fell |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [_row(row) for row in result["by_kind"]]
    return "\n".join(lines) + "\n"


def _row(row: Dict[str, Any]) -> str:
    slowest = "-" if row["slowest_s"] is None else f"{row['slowest_s']:.3f}"
    cells: List[str] = [
        f"`{row['name']}`",
        row["what"],
        f"`{row['safe_state']}`",
        f"{row['within_s']:.3f}",
        slowest,
        f"{row['safe']} of {row['trials']}",
        str(row["fell"]),
    ]
    return f"| {' | '.join(cells)} |"
