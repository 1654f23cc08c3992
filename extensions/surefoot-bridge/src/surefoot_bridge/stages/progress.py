"""Where a bundle stands: which stages its logs have opened.

The newest log decides. What a log of the stage before has opened is closed again by a newer log of that stage that does
not pass, and by a newer fall in the stage itself; a log in which the policy never walked says nothing.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log.files import SUFFIX, log_files
from surefoot_bridge.log.parts import read_head

from .stages import STAGES, Stage, stage_of
from .verdict import Verdict, judge


@dataclass(frozen=True)
class Standing:
    """Whether a stage is open to a bundle.

    Attributes:
        stage: The stage.
        is_open: Whether it is.
        reason: Why, or why not, in one sentence.
        log: Name of the log that decided; empty where none did.
    """

    stage: str
    is_open: bool
    reason: str
    log: str


def log_folders(folder: Union[str, Path]) -> List[Path]:
    """Return the logs in a folder of logs, newest first by what they say themselves; none where it is missing.

    Raises:
        SurefootError: If it is no folder.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise SurefootError(f"{folder} is no folder; give the folder in which the logs of all runs are.")
    return sorted({file.parent for file in folder.glob(f"*/*{SUFFIX}")}, key=_begun, reverse=True)


def verdicts(folder: Union[str, Path], bundle: str, seal_key: Optional[bytes]) -> Iterator[Verdict]:
    """Judge the logs in a folder one by one, newest first. A long log takes a while.

    Args:
        folder: Folder in which the logs of all runs are.
        bundle: Identity of the bundle.
        seal_key: The operator's key; None where there is none on this computer.

    Raises:
        SurefootError: If it is no folder.
    """
    for path in log_folders(folder):
        yield judge(path, bundle, seal_key)


def standings(found: Sequence[Verdict]) -> Tuple[Standing, ...]:
    """Return where a bundle stands, stage by stage, by what its logs are worth, newest first."""
    return tuple(_standing(stage, found) for stage in STAGES.values())


def require_open(
    stage: Union[str, Stage], folder: Union[str, Path], bundle: str, seal_key: Optional[bytes]
) -> Standing:
    """Refuse a stage that the logs in a folder have not opened to a bundle.

    It stops at the first log that decides, so the newest ones are all that is read in full.

    Returns:
        Why it is open.

    Raises:
        SurefootError: If it is not open, with what the logs of the stage before fell short of.
    """
    stage = stage_of(stage) if isinstance(stage, str) else stage
    standing = _standing(stage, verdicts(folder, bundle, seal_key))
    if not standing.is_open:
        raise SurefootError(
            f"The stage {stage.name} is not open to bundle {bundle}: {standing.reason} See: surefoot-bridge stages "
            f"BUNDLE --logs {folder}"
        )
    return standing


def _standing(stage: Stage, newest_first: Iterable[Verdict]) -> Standing:
    """Decide by the newest log that says anything: one of the stage before, or one of this stage with a fall."""
    if stage.previous is None:
        return Standing(stage.name, True, "The first stage is always open.", "")
    for verdict in newest_first:
        if not verdict.concerns:
            continue
        if verdict.stage == stage.name and verdict.fell:
            reason = f"In {verdict.log}, of this stage: {verdict.reason} Pass the stage {stage.previous} again."
            return Standing(stage.name, False, reason, verdict.log)
        if verdict.stage == stage.previous and verdict.passed:
            return Standing(stage.name, True, f"{verdict.log} passed the stage {stage.previous}.", verdict.log)
        if verdict.stage == stage.previous and verdict.walked:
            reason = f"The newest log of the stage {stage.previous}, {verdict.log}: {verdict.reason}"
            return Standing(stage.name, False, reason, verdict.log)
    reason = f"No log of the stage {stage.previous} with this bundle in which it walked is there."
    return Standing(stage.name, False, reason, "")


def _begun(folder: Path) -> str:
    """Return when a log says that it was begun; by its folder's name where it cannot be read."""
    try:
        head = read_head(log_files(folder)[0])
    except SurefootError:
        head = None
    return folder.name if head is None else head["started_utc"]
