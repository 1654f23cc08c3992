"""The service by which a robot's own walking controller is asked for and switched off.

While that controller runs it commands the motors too, and a policy would fight it. The calls are those of
``MotionSwitcherClient`` in unitree_sdk2: a request and a response with JSON, matched by a number.
"""

import ctypes
import json
import math
import time
from typing import Any, Dict, Optional

from surefoot_bridge.errors import SurefootError

from .messages import REQUEST, RESPONSE
from .participant import Participant, Publisher, Subscriber

REQUEST_TOPIC, RESPONSE_TOPIC = "rt/api/motion_switcher/request", "rt/api/motion_switcher/response"
CHECK_MODE, RELEASE_MODE = 1001, 1003

_POLL_S = 0.005
_ASK_AGAIN_S = 0.3  # an answer is lost when the robot has not yet discovered who asks; both questions may be repeated


class MotionSwitcher:
    """Asks a robot for its own controller and switches that off.

    Args:
        participant: Who asks.
    """

    def __init__(self, participant: Participant) -> None:
        self._requests = Publisher(participant, REQUEST_TOPIC, REQUEST)
        self._responses = Subscriber(participant, RESPONSE_TOPIC, RESPONSE, depth=8, reliable=True)

    def active(self, timeout_s: float) -> Optional[str]:
        """Return the name of the robot's controller that is active, empty for none; None if the robot does not answer.

        Args:
            timeout_s: How long to wait for an answer [s].

        Raises:
            SurefootError: If the answer is none that the SDK knows.
        """
        answer = self._call(CHECK_MODE, timeout_s)
        if answer is None:
            return None
        name = answer.get("name")
        if not isinstance(name, str):
            raise SurefootError(f"The robot's motion switcher answered {answer}; a name was expected.")
        return name

    def release(self, timeout_s: float) -> bool:
        """Switch the robot's controller off; say whether the robot answered."""
        return self._call(RELEASE_MODE, timeout_s) is not None

    def _call(self, api_id: int, timeout_s: float) -> Optional[Dict[str, Any]]:
        until = time.monotonic() + timeout_s
        while not self._requests.num_subscribers or not self._responses.num_publishers:
            if time.monotonic() > until:
                return None
            time.sleep(_POLL_S)
        number = time.monotonic_ns()
        parameter = ctypes.create_string_buffer(b"{}")
        message = self._requests.message[0]
        message["id"], message["api_id"] = number, api_id
        message["parameter"]["pointer"] = ctypes.addressof(parameter)
        asked_s = -math.inf
        while time.monotonic() < until:
            if time.monotonic() - asked_s > _ASK_AGAIN_S:
                self._requests.publish()
                asked_s = time.monotonic()
            answer = self._answer(number)
            if answer is not None:
                return answer
            time.sleep(_POLL_S)
        return None

    def _answer(self, number: int) -> Optional[Dict[str, Any]]:
        samples = self._responses.take()
        if not len(samples):
            return None
        try:
            for sample in samples:
                if sample["id"] == number:
                    return _decoded(int(sample["code"]), text_at(int(sample["data"]["pointer"])))
        finally:
            self._responses.free_contents()
        return None


def text_at(pointer: int) -> str:
    """Return a C string."""
    return ctypes.string_at(pointer).decode("utf-8", "replace") if pointer else ""


def _decoded(code: int, text: str) -> Dict[str, Any]:
    if code != 0:
        raise SurefootError(f"The robot's motion switcher refused with code {code}: {text or 'no reason given'}.")
    try:
        answer = json.loads(text) if text.strip() else {}
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise SurefootError(f"The robot's motion switcher answered {text!r}; a JSON object was expected.")
    return answer
