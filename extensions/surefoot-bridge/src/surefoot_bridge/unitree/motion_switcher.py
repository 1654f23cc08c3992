"""The service by which a robot's own walking controller is asked for, switched off and switched on again.

While that controller runs it commands the motors too, and a policy would fight it. The calls are those of
``MotionSwitcherClient`` in unitree_sdk2. Names of controllers: a Go2 has ``mcf`` from firmware 1.1.6 on, and
``normal``, ``ai`` or ``advanced`` before; a G1 has ``ai``. The robot itself is asked, so that none is assumed.
"""

from typing import Optional

from surefoot_bridge.errors import SurefootError

from .dds.participant import Participant
from .service import Service

MOTION_SWITCHER = "motion_switcher"
CHECK_MODE, SELECT_MODE, RELEASE_MODE = 1001, 1002, 1003


class MotionSwitcher:
    """Asks a robot for its own controller and switches that off and on."""

    def __init__(self, participant: Participant) -> None:
        self._service = Service(participant, MOTION_SWITCHER)

    def active(self, timeout_s: float) -> Optional[str]:
        """Return the name of the robot's controller that is active, empty for none; None if the robot does not answer.

        Args:
            timeout_s: How long to wait for an answer [s].

        Raises:
            SurefootError: If the answer is none that the SDK knows.
        """
        answer = self._service.call(CHECK_MODE, timeout_s=timeout_s)
        if answer is None:
            return None
        name = answer.get("name")
        if not isinstance(name, str):
            raise SurefootError(f"The robot's motion switcher answered {answer}; a name was expected.")
        return name

    def select(self, name: str, timeout_s: float) -> bool:
        """Switch a controller of the robot on; say whether the robot answered.

        Raises:
            ServiceError: If it refuses.
        """
        return self._service.call(SELECT_MODE, {"name": name}, timeout_s=timeout_s) is not None

    def release(self, timeout_s: float) -> bool:
        """Switch the robot's controller off; say whether the robot answered."""
        return self._service.call(RELEASE_MODE, timeout_s=timeout_s) is not None
