"""What a verification is asked for, and what of it can be refused before anything heavy is imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.evaluation.judging.gate_file import check_gate, load_gate
from surefoot.evaluation.scenarios.files import load_suite
from surefoot.evaluation.scenarios.scenario import Suite
from surefoot_bridge.errors import unknown_name

if TYPE_CHECKING:
    from surefoot_bridge.contract import Contract


@dataclass(frozen=True, kw_only=True)
class VerifyRequest:
    """What is asked.

    Attributes:
        bundle: Folder of the bundle.
        suite: Name of a suite, a file, or a folder of files.
        engines: Names of engines, with commas.
        gate: ``standard`` or a file; None where nothing is to be judged.
        folder: Where the report and what is finished are kept.
        device: Device of PhysX and Newton.
        trials: Trials of every scenario; None for as many as each asks for.
        scenarios: Names of the scenarios to run; all where empty.
        processes: Processes of each engine on a CPU; None for one a processor, or for as many as find memory.
        stop_early: Whether a scenario ends as soon as its verdict is certain.
        pages: Whether the report is written, with pictures.
    """

    bundle: Path
    suite: str
    engines: str
    gate: str | None
    folder: Path
    device: str = "cpu"
    trials: int | None = None
    scenarios: tuple[str, ...] = ()
    processes: int | None = None
    stop_early: bool = False
    pages: bool = True


def suite_asked(suite: str, gate: str | None, names: Sequence[str], contract: Contract | None) -> Suite:
    """Return the suite that is to run.

    Args:
        suite: Name of a suite, a file, or a folder of files.
        gate: The gate that is to judge it; None for none.
        names: Names of its scenarios that are to run; all where empty.
        contract: As of :func:`~surefoot.evaluation.scenarios.files.load_suite`.

    Raises:
        SurefootError: If suite or gate is refused, they do not fit each other, or a scenario is not in the suite.
    """
    loaded = load_suite(suite, contract)
    if gate is not None:
        check_gate(load_gate(gate), loaded)
    known = {scenario.name: scenario for scenario in loaded.scenarios}
    for name in names:
        if name not in known:
            raise unknown_name("scenario", name, known)
    return loaded.model_copy(update={"scenarios": tuple(known[name] for name in known if not names or name in names)})
