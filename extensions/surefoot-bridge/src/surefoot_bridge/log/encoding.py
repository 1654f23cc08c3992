"""Messages as JSON and back, every digit of every number kept."""

import json
import math
from typing import Any, Dict, List, Mapping

import numpy as np

from surefoot_bridge.errors import SurefootError

from .topics import TOPICS, Kind, Size

# Made once: json.dumps with options would build an encoder for each message.
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_PLAIN = {"int64": int, "text": str}
_DTYPES: Dict[Kind, Any] = {"float64": np.float64, "float32": np.float32, "int64": np.int64}


def encode(message: Mapping[str, Any]) -> bytes:
    """Write a message as JSON.

    Args:
        message: Its fields: numbers, texts and lists of them. A float gets the shortest digits that read back as the
            same 64 bits.
    """
    try:
        return _encode(message).encode()
    except ValueError:  # rare: a number is not finite
        return _encode({name: _spelled(value) for name, value in message.items()}).encode()


def decode(data: bytes, topic: str, *, where: str) -> Dict[str, Any]:
    """Read a message of a topic.

    Args:
        data: Its JSON.
        topic: Its topic, one of :data:`~surefoot_bridge.log.topics.TOPICS`.
        where: Where it came from, for messages.

    Raises:
        SurefootError: If it is no JSON, or its fields are not those of the topic.
    """
    message = parse(data, topic, where=where)
    expected = [item.name for item in TOPICS[topic]]
    if set(message) != set(expected):
        raise SurefootError(
            f"{where}: a message of {topic} has {', '.join(message)}; it must have {', '.join(expected)}."
        )
    return message


def parse(data: bytes, topic: str, *, where: str) -> Dict[str, Any]:
    """Read a message of a topic, whatever its fields are.

    Raises:
        SurefootError: If it is no JSON object.
    """
    try:
        message = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SurefootError(f"{where}: a message of {topic} is no JSON.") from error
    if not isinstance(message, dict):
        raise SurefootError(f"{where}: a message of {topic} is {repr(message)[:60]}; it must be an object.")
    return message


def columns(topic: str, messages: List[Dict[str, Any]], *, where: str) -> Dict[str, np.ndarray]:
    """Stack the messages of a topic: an array for each field whose first dimension counts the messages.

    Args:
        topic: Their topic.
        messages: What :func:`decode` returned.
        where: Where they came from, for messages.

    Returns:
        Numbers as float64, float32 or int64, (num_messages,) or (num_messages, size); texts as arrays of texts.

    Raises:
        SurefootError: If a field holds something else than its kind, or lists of different lengths.
    """
    stacked = {}
    for item in TOPICS[topic]:
        values = [message[item.name] for message in messages]
        plain = _PLAIN.get(item.kind)  # NumPy would round or spell out what is of another type
        try:
            if plain is not None and any(type(value) is not plain for value in values):
                raise TypeError(plain.__name__)
            # "NaN" and "Infinity" are numbers to NumPy too.
            stacked[item.name] = np.array(values, dtype=_DTYPES.get(item.kind, str))
        except (TypeError, ValueError, OverflowError) as error:
            raise SurefootError(
                f"{where}: {item.name} of {topic} cannot be stacked as {item.kind}: it holds something else, or lists "
                "of different lengths."
            ) from error
        if stacked[item.name].ndim != (1 if item.size is None else 2):
            raise SurefootError(f"{where}: {item.name} of {topic} has {stacked[item.name].ndim - 1} dimensions.")
    return stacked


def empty(topic: str, widths: Mapping[Size, int]) -> Dict[str, np.ndarray]:
    """Return what :func:`columns` does for no message at all.

    Args:
        topic: The topic.
        widths: How many entries each kind of list has.
    """
    return {
        item.name: np.empty((0,) if item.size is None else (0, widths[item.size]), _DTYPES.get(item.kind, str))
        for item in TOPICS[topic]
    }


def _spelled(value: Any) -> Any:
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
