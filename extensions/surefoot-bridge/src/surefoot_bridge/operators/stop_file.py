"""A stop by a file: whoever can create it can stop the robot, from a shell, a script or another computer."""

import os
from pathlib import Path
from typing import Union

from surefoot_bridge.errors import SurefootError

_EVERY_S = 0.02  # a look costs a microsecond or two of system time; a robot at 1 m/s gets 2 cm far between two


class StopFile:
    """Says whether a file is there. What cannot be looked at counts as a stop.

    The file should be on a local disk: a look at a network's disk may take longer than the control loop has time.

    Args:
        path: The file; its content does not matter.

    Raises:
        SurefootError: If it is there already, or its folder is not.
    """

    def __init__(self, path: Union[str, Path]) -> None:
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise SurefootError(
                f"{self.path.parent} is no folder: nobody could create the stop file {self.path.name}. Make the folder."
            )
        if self._there():
            raise SurefootError(f"The stop file {self.path} is there: somebody stopped the robot. Remove it to go on.")
        self._looked_s = -float("inf")
        self._stops = False

    def __call__(self, time_s: float) -> bool:
        """Return whether the robot must be damped, looking every 0.02 s.

        Args:
            time_s: The control loop's clock [s].
        """
        if time_s - self._looked_s >= _EVERY_S:
            self._looked_s, self._stops = time_s, self._there()
        return self._stops

    def _there(self) -> bool:
        try:
            os.lstat(str(self.path))
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return True
