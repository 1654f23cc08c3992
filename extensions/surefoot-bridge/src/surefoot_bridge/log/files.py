"""Finds the files of a log."""

from pathlib import Path
from typing import List, Sequence, Union

from surefoot_bridge.errors import SurefootError

SUFFIX = ".mcap"
"""Ends the name of each file of a log."""

_MOST_SHOWN = 10


def log_files(path: Union[str, Path, Sequence[Union[str, Path]]]) -> List[Path]:
    """Return the files that a path stands for.

    Args:
        path: A file, the folder of a log, or several files.

    Raises:
        SurefootError: If there is none, or the folder holds several logs.
    """
    if not isinstance(path, (str, Path)):
        files = [file for item in path for file in log_files(item)]
        if not files:
            raise SurefootError("No file of a log was given.")
        return files
    path = Path(path)
    if not path.exists():
        raise SurefootError(f"There is no log {path}.")
    if not path.is_dir():
        return [path]
    files = sorted(path.glob(f"*{SUFFIX}"))
    if files:
        return files
    folders = sorted({file.parent.name for file in path.glob(f"*/*{SUFFIX}")}, reverse=True)
    if not folders:
        raise SurefootError(f"{path} holds no log: no *{SUFFIX} is in it.")
    more = f" and {len(folders) - _MOST_SHOWN} older ones" if len(folders) > _MOST_SHOWN else ""
    raise SurefootError(
        f"{path} is a folder of {len(folders)} logs; give one of them: {', '.join(folders[:_MOST_SHOWN])}{more}."
    )
