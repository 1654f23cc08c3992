"""``surefoot-bridge stages BUNDLE --logs DIR``: shows which stages its logs have opened to a bundle."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Dict, List, Sequence

from surefoot_bridge.arguments import BUNDLE, FILE, FOLDER, OUTPUT, Parser, one_of
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.words import STAGE_NAMES

if TYPE_CHECKING:
    from surefoot_bridge.contract import Contract
    from surefoot_bridge.stages.progress import Standing
    from surefoot_bridge.stages.verdict import Verdict


def main(argv: Sequence[str]) -> int:
    """Run ``stages``: 0 if the stage that was asked for is open, or none was asked for; 1 if it is not."""
    parser = Parser("surefoot-bridge stages", "Show which stages its logs have opened to a bundle.")
    parser.add_argument("bundle", type=BUNDLE, metavar="BUNDLE", help="folder that surefoot export has written")
    parser.add_argument(
        "--logs", type=FOLDER, required=True, metavar="DIR", help="folder in which the logs of all runs are"
    )
    stages = ", ".join(STAGE_NAMES)
    parser.add_argument(
        "--stage", type=one_of("stage", STAGE_NAMES), metavar="STAGE", help=f"ask whether it is open: {stages}"
    )
    parser.add_argument(
        "--seal-key", type=FILE, metavar="FILE", help="key with which the logs were sealed; your own one by default"
    )
    parser.add_argument("--json", type=OUTPUT, metavar="FILE", help="also write the result")
    arguments = parser.values(argv)
    from surefoot_bridge.bundle import identity, read_files

    manifest, files = read_files(arguments.bundle)
    contract, bundle = _contract(files, arguments.bundle), identity(manifest)
    from surefoot_bridge.log.seal_key import known_seal_key
    from surefoot_bridge.stages.progress import log_folders, standings
    from surefoot_bridge.stages.verdict import judge

    from .report import table, write_report

    key = known_seal_key(arguments.seal_key)

    folders = log_folders(arguments.logs)
    judged: List[Verdict] = []
    for i, folder in enumerate(folders, start=1):
        print(f"Reading log {i} of {len(folders)}: {folder}", file=sys.stderr, flush=True)
        judged.append(judge(folder, bundle, key))
    standing = standings(judged)

    print(f"Bundle {bundle}, {contract.robot.name}\n")
    print(table(("stage", "open", "largest command", "torque", "run", "why"), _stage_rows(contract, standing)))
    if judged:
        print()
        print(table(("log", "stage", "counts", "passed", "why not"), [_log_row(verdict) for verdict in judged]))
    else:
        print(f"\nThere is no log in {arguments.logs}.")
    ok = arguments.stage is None or any(item.is_open for item in standing if item.stage == arguments.stage)
    if arguments.json is not None:
        figures = {f"{item.stage}_open": float(item.is_open) for item in standing}
        figures.update(logs=len(judged), logs_passed=sum(verdict.passed for verdict in judged))
        rows = [{"kind": "stage", **asdict(item)} for item in standing]
        rows += [{"kind": "log", **asdict(verdict)} for verdict in judged]
        write_report(arguments.json, ok=ok, figures=figures, rows=rows, of={"bundle": bundle})
    return 0 if ok else 1


def _contract(files: Dict[str, bytes], folder: Path) -> "Contract":
    from surefoot_bridge.bundle import CONTRACT_FILE
    from surefoot_bridge.contract import read_contract

    if CONTRACT_FILE not in files:
        raise SurefootError(f"{folder} has no {CONTRACT_FILE}. Export the policy again.")
    return read_contract(files[CONTRACT_FILE].decode(errors="replace"), where=str(folder / CONTRACT_FILE))


def _stage_rows(contract: "Contract", standing: Sequence["Standing"]) -> List[Sequence[str]]:
    from surefoot_bridge.stages import STAGES, largest_of

    rows: List[Sequence[str]] = []
    for item in standing:
        stage = STAGES[item.stage]
        command = " ".join(f"{most:g}" for most in largest_of(stage.command_ranges(contract)))
        run = f"{stage.duration_s:g} s"
        rows.append(
            (stage.name, "yes" if item.is_open else "no", command, f"{stage.torque_share:.0%}", run, item.reason)
        )
    return rows


def _log_row(verdict: "Verdict") -> Sequence[str]:
    def word(holds: bool) -> str:
        return "yes" if holds else "no"

    return verdict.log, verdict.stage or "-", word(verdict.counts), word(verdict.passed), verdict.reason
