"""What is to be run, and how; it is refused where it does not go together, before anything heavy is imported."""

from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from .arguments import FILE, FILE_OR_FOLDER
from .errors import SurefootError
from .operators.choice import OperatorChoice
from .operators.stop_file import StopFile
from .robots.choice import RobotPlace
from .robots.transports import names
from .stages import Stage


@dataclass(frozen=True)
class Run:
    """What is to be run, and how.

    Attributes:
        place: Where the robot is.
        stage: How far it is trusted.
        operator: Who commands it.
        logs: Folder of all logs; None for no log.
        stop_file: File whose appearance damps the robot; None for none.
        word: The acknowledgement of the checklist, where it was given beforehand.
        simulated_clock: Whether time passes as fast as it is computed.
        without_switcher: Whether to go on where the robot does not say which controller of its own is active.
        hand_back: Whether a controller of its own that was on is switched on again after a run that ended in order.
        seal_key: File of the key that seals the logs of a real robot; None for the user's own one.
        live: Whether to show on the standard output how it goes while it runs.
    """

    place: RobotPlace
    stage: Stage
    operator: OperatorChoice
    logs: Optional[Path] = None
    stop_file: Optional[Path] = None
    word: Optional[str] = None
    simulated_clock: bool = False
    without_switcher: bool = False
    hand_back: bool = True
    seal_key: Optional[Path] = None
    live: bool = False

    def check(self) -> None:
        """Refuse what cannot be run, before anything is loaded.

        Raises:
            SurefootError: If it cannot.
        """
        if self.place.on_hardware and self.logs is None:
            raise SurefootError(
                "A real robot is not moved without a log: it is what opens the next stage, and what tells why a robot "
                "fell. Give --log DIR, the folder of all logs."
            )
        if self.simulated_clock and (self.place.address is not None or self.operator.kind != "script"):
            raise SurefootError(
                "--simulated-clock is for --robot mujoco or replay:LOG with --operator script:FILE: a person and a "
                "robot on the network live in real time."
            )
        if self.operator.kind == "remote" and self.place.address is None:
            raise SurefootError(f"--operator remote is for robots on the network: {', '.join(names())}.")
        if self.without_switcher and self.place.address is None:
            raise SurefootError(f"--without-switcher is for robots on the network: {', '.join(names())}.")
        if self.stop_file is not None:
            StopFile(self.stop_file)
        if self.place.log is not None:
            FILE_OR_FOLDER.check("--robot replay:", self.place.log)
        if self.operator.kind == "script" and self.operator.path is not None:
            FILE.check("--operator script:", self.operator.path)
