"""A service of a robot's own computer: requests and responses with JSON, matched by a number, as in the SDK."""

import ctypes
import json
import math
import time
from typing import Any, Dict, Mapping, Optional

from surefoot_bridge.errors import SurefootError

from .dds.messages import REQUEST, RESPONSE
from .dds.participant import Participant, Publisher, Subscriber

_POLL_S = 0.005
_ASK_AGAIN_S = 0.3  # an answer is lost when the robot has not yet discovered who asks; every request may be repeated


class ServiceError(SurefootError):
    """A robot's service has refused a request."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def request_topic(service: str) -> str:
    """Return the topic of a service's requests."""
    return f"rt/api/{service}/request"


def response_topic(service: str) -> str:
    """Return the topic of a service's responses."""
    return f"rt/api/{service}/response"


class Service:
    """A service that answers requests."""

    def __init__(self, participant: Participant, name: str) -> None:
        self._name = name
        self._requests = Publisher(participant, request_topic(name), REQUEST)
        self._responses = Subscriber(participant, response_topic(name), RESPONSE, depth=8, reliable=True)

    def call(
        self, api_id: int, parameter: Optional[Mapping[str, Any]] = None, *, timeout_s: float
    ) -> Optional[Dict[str, Any]]:
        """Ask for something and return the answer; None if none came in time.

        Args:
            api_id: What is asked for, as the SDK numbers it.
            parameter: With what; nothing by default.
            timeout_s: How long to wait for an answer [s].

        Raises:
            ServiceError: If the service refuses.
            SurefootError: If the answer is none that can be read.
        """
        until = time.monotonic() + timeout_s
        while not self._requests.num_subscribers or not self._responses.num_publishers:
            if time.monotonic() > until:
                return None
            time.sleep(_POLL_S)
        number = time.monotonic_ns()
        text = ctypes.create_string_buffer(json.dumps(dict(parameter or {})).encode())
        message = self._requests.message[0]
        message["id"], message["api_id"] = number, api_id
        message["parameter"]["pointer"] = ctypes.addressof(text)
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
                    return self._decoded(int(sample["code"]), text_at(int(sample["data"]["pointer"])))
        finally:
            self._responses.free_contents()
        return None

    def _decoded(self, code: int, text: str) -> Dict[str, Any]:
        if code != 0:
            reason = text or "no reason given"
            raise ServiceError(f"The robot's service {self._name} refused with code {code}: {reason}.", code)
        try:
            answer = json.loads(text) if text.strip() else {}
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise SurefootError(f"The robot's service {self._name} answered {text!r}; a JSON object was expected.")
        return answer


def text_at(pointer: int) -> str:
    """Return a C string."""
    return ctypes.string_at(pointer).decode("utf-8", "replace") if pointer else ""
