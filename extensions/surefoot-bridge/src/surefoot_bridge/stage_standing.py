"""Where a bundle stands: which stages its logs have opened."""

from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, List, Optional, Sequence, Tuple, Union

from .errors import SurefootError
from .log.rotation import SUFFIX
from .stage_verdict import Verdict, judge
from .stages import STAGES, Stage, stage_of


@dataclass(frozen=True)
class Standing:
    """Whether a stage is open to a bundle.

    Attributes:
        stage: The stage.
        is_open: Whether it is.
        reason: Why, or why not, in one sentence.
    """

    stage: str
    is_open: bool
    reason: str


def log_folders(folder: Union[str, Path]) -> List[Path]:
    """Return the logs in a folder of logs, newest first; none where the folder is missing.

    Raises:
        SurefootError: If it is no folder.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise SurefootError(f"{folder} is no folder; give the folder in which the logs of all runs are.")
    return sorted({file.parent for file in folder.glob(f"*/*{SUFFIX}")}, key=lambda path: path.name, reverse=True)


def verdicts(folder: Union[str, Path], bundle: str) -> Iterator[Verdict]:
    """Judge the logs in a folder one by one, newest first. A long log takes a while.

    Args:
        folder: Folder in which the logs of all runs are.
        bundle: Identity of the bundle.

    Raises:
        SurefootError: If it is no folder.
    """
    for path in log_folders(folder):
        yield judge(path, bundle)


def standings(found: Sequence[Verdict]) -> Tuple[Standing, ...]:
    """Return where a bundle stands, stage by stage, by what its logs are worth."""
    return tuple(_standing(stage, found) for stage in STAGES.values())


def require_open(stage: Union[str, Stage], folder: Union[str, Path], bundle: str) -> Optional[Verdict]:
    """Refuse a stage that the logs in a folder have not opened to a bundle.

    It stops at the first log that does, so the newest good one is all that is read in full.

    Returns:
        The log that has opened it; None for the first stage, which is always open.

    Raises:
        SurefootError: If it is not open, with what the logs of the stage before fell short of.
    """
    stage = stage_of(stage) if isinstance(stage, str) else stage
    if stage.previous is None:
        return None
    seen = []
    for verdict in verdicts(folder, bundle):
        if verdict.passed and verdict.stage == stage.previous:
            return verdict
        seen.append(verdict)
    raise SurefootError(
        f"The stage {stage.name} is not open to bundle {bundle}: {_standing(stage, seen).reason} See: surefoot-bridge "
        f"stages BUNDLE --logs {folder}"
    )


def _standing(stage: Stage, found: Sequence[Verdict]) -> Standing:
    if stage.previous is None:
        return Standing(stage.name, True, "The first stage is always open.")
    before = [verdict for verdict in found if verdict.counts and verdict.stage == stage.previous]
    for verdict in before:
        if verdict.passed:
            return Standing(stage.name, True, f"{verdict.log} passed the stage {stage.previous}.")
    if not before:
        return Standing(stage.name, False, f"No log of the stage {stage.previous} with this bundle counts.")
    newest = before[0]
    return Standing(stage.name, False, f"The newest log of the stage {stage.previous}, {newest.log}: {newest.reason}")
