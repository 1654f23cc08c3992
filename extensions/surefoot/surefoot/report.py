"""The JSON report that every command which measures or judges can write: verdict, figures, rows, provenance."""

import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from surefoot.files import write_json

# The distributions whose version can change a number in a report.
_DISTRIBUTIONS = (
    "surefoot",
    "surefoot-bridge",
    "isaaclab",
    "rsl-rl-lib",
    "torch",
    "warp-lang",
    "newton",
    "mujoco",
    "mujoco-warp",
    "ovphysx",
    "isaacsim",
    "numpy",
)


def provenance(*, seed: int | None = None, engine: str | None = None, device: str | None = None) -> dict[str, Any]:
    """Say where a measurement comes from, so that a reader can repeat it.

    Args:
        seed: The seed of the run, if it drew random numbers.
        engine: The physics engine, if one ran.
        device: The device it ran on ("cpu", "cuda:0").

    Returns:
        `command`, `versions` (distribution to version; absent ones left out), `commit` (see
        there), `seed`, `engine`, `device`, `machine`, `date` (UTC, ISO 8601).
    """
    return {
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "versions": versions(),
        "commit": commit(),
        "seed": seed,
        "engine": engine,
        "device": device,
        "machine": machine(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def write_report(
    path: str | Path,
    *,
    ok: bool,
    figures: Mapping[str, float | int | None],
    rows: Sequence[Mapping[str, Any]] | None = None,
    provenance: Mapping[str, Any],
) -> None:
    """Write one report.

    Args:
        path: The JSON file, written whole or not at all.
        ok: Whether what was measured held.
        figures: Flat mapping from name (with its unit) to number.
        rows: Records behind the figures, if any.
        provenance: What `provenance` returned for the run.

    Raises:
        SurefootError: A figure is NaN or infinite, or the file cannot be written.
    """
    report: dict[str, Any] = {"ok": bool(ok), "figures": dict(figures)}
    if rows is not None:
        report["rows"] = [dict(row) for row in rows]
    write_json(path, {**report, "provenance": dict(provenance)})


def versions() -> dict[str, str]:
    """Versions of Python and of the installed distributions that a figure depends on."""
    from importlib import metadata  # loads a mail reader

    found = {"python": platform.python_version()}
    for name in _DISTRIBUTIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def commit() -> str | None:
    """Commit of the checkout this package runs from.

    Returns:
        Forty hexadecimal digits, with "-dirty" when tracked files differ outside proofs/ and docs/reports/; what
        `SUREFOOT_COMMIT` says in an image, which has no checkout; None for another installed copy or where there is no
        git.
    """
    if recorded := os.environ.get("SUREFOOT_COMMIT"):
        return recorded
    try:
        head = _git("rev-parse", "HEAD")
        # The reports of earlier proofs say nothing about the code.
        others = (f":(exclude,top){folder}" for folder in ("proofs", "docs/reports"))
        differs = _git("status", "--porcelain", "--untracked-files=no", "--", ":/", *others)
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{head}-dirty" if differs else head


def _git(*arguments: str) -> str:
    """Run git in this package's folder and return what it prints."""
    result = subprocess.run(
        ["git", *arguments], cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10, check=True
    )
    return result.stdout.strip()


def machine() -> str:
    """One line on the computer: system, processor, usable cores, memory, and the GPU's name if torch sees one."""
    cores = len(os.sched_getaffinity(0))
    parts = [f"{platform.system()} {platform.machine()}", _processor(), f"{cores} cores", f"{memory_gib():.0f} GiB"]
    torch = sys.modules.get("torch")  # never imported for a line of text
    if torch is not None and torch.cuda.is_available():
        parts.append(torch.cuda.get_device_name())
    return ", ".join(parts)


def _processor() -> str:
    for line in _lines("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown processor"


def memory_gib() -> float:
    """Return the memory of this machine, or of the container [GiB]; not a number where it is not known."""
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemTotal:"):
            return min([int(line.split()[1]) / 2**20, *(limit / 2**30 for limit, _ in control_groups())])
    return float("nan")


def control_groups(own: str = "/proc/self/cgroup", root: str = "/sys/fs/cgroup") -> list[tuple[int, int]]:
    """Return limit and use of memory [bytes] of each control group that this process is in, up to the root.

    Pages of files that nobody has touched for a while are not counted: they are given up when memory is needed.

    A group has the limits of all that it is in; those of version 1 and of version 2 lie in other places.

    Args:
        own: File that names the groups of the process.
        root: Folder in which they are.
    """
    found = []
    for line in _lines(own):
        _, controllers, path = line.split(":", 2)
        version_1 = "memory" in controllers.split(",")
        if controllers and not version_1:
            continue
        base = Path(root, "memory") if version_1 else Path(root)
        names = ("limit_in_bytes", "usage_in_bytes") if version_1 else ("max", "current")
        given_up = "total_inactive_file " if version_1 else "inactive_file "
        group = base / path.lstrip("/")
        for folder in (group, *group.parents[: len(group.relative_to(base).parts)]):
            numbers = [_lines(str(folder / f"memory.{name}")) for name in names]
            if all(numbers) and numbers[0] != ["max"]:
                cached = [line for line in _lines(str(folder / "memory.stat")) if line.startswith(given_up)]
                found.append((int(numbers[0][0]), int(numbers[1][0]) - sum(int(line.split()[1]) for line in cached)))
    return found


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
