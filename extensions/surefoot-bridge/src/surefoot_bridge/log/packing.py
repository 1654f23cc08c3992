"""One tick of the control loop as one row of 64-bit words, and the row as messages.

The loop's side copies and no more; names, digits and JSON are the writer's work. A row begins with the single values of
all topics at fixed places; the arrays of those topics that are there follow, one after the other.
"""

import json
from operator import attrgetter
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

import numpy as np

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import JointCommand, RobotState

from .topics import TOPICS, Size

ROBOT_STATE, OBSERVATION, ACTION, JOINT_COMMAND, TIMING, SAFETY, MODE = (1 << bit for bit in range(7))
"""Kinds of content; the first five may be together in one slot."""

_TICK_TOPICS = {
    ROBOT_STATE: "/robot_state",
    OBSERVATION: "/observation",
    ACTION: "/action",
    JOINT_COMMAND: "/joint_command",
    TIMING: "/timing",
}
_TEXT_TOPICS = {SAFETY: "/safety", MODE: "/mode"}
_SINGLE = {"robot_time_s": 0, "sequence": 1, "battery_share": 2, "lateness_s": 3}
_NUM_SINGLE = len(_SINGLE)
_TEXT_WORDS = 512
_LONGEST = 64  # characters of a name
_LONGEST_SENTENCE = 400
_STATE_ARRAYS = attrgetter(*(item.name for item in TOPICS["/robot_state"] if item.size is not None))
_COMMAND_ARRAYS = attrgetter(*(item.name for item in TOPICS["/joint_command"] if item.size is not None))


class TickPacking:
    """Rows for one robot.

    Args:
        sizes: How many entries each kind of list has.
    """

    def __init__(self, sizes: Mapping[Size, int]) -> None:
        self._widths = {
            kind: [sizes[item.size] for item in TOPICS[topic] if item.size is not None]
            for kind, topic in _TICK_TOPICS.items()
        }
        self._layouts: Dict[int, Tuple[List[int], int]] = {}
        arrays = sum(width for widths in self._widths.values() for width in widths)
        self.num_words = max(_NUM_SINGLE + arrays, _TEXT_WORDS)
        """Largest content of a row."""

    def pack(
        self,
        row: np.ndarray,
        *,
        state: Optional[RobotState],
        command: Optional[np.ndarray],
        observation: Optional[np.ndarray],
        action: Optional[np.ndarray],
        joint_command: Optional[JointCommand],
        lateness_s: Optional[float],
        phase_s: Optional[np.ndarray],
    ) -> Tuple[int, int]:
        """Copy one tick into a row.

        Returns:
            The kinds that it holds, and its length [words].

        Raises:
            SurefootError: If an array is not of the shape that the contract says.
        """
        kinds = 0
        arrays: List[np.ndarray] = []
        if state is not None:
            kinds |= ROBOT_STATE
            arrays += _STATE_ARRAYS(state)
        if observation is not None or command is not None:
            if observation is None or command is None:
                raise SurefootError("observation and command go together: give both or none.")
            kinds |= OBSERVATION
            arrays += (command, observation)
        if action is not None:
            kinds |= ACTION
            arrays.append(action)
        if joint_command is not None:
            kinds |= JOINT_COMMAND
            arrays += _COMMAND_ARRAYS(joint_command)
        if lateness_s is not None or phase_s is not None:
            if lateness_s is None or phase_s is None:
                raise SurefootError("lateness_s and phase_s go together: give both or none.")
            kinds |= TIMING
            arrays.append(phase_s)
        widths, length = self._layouts.get(kinds) or self._layout(kinds)
        try:
            if list(map(len, arrays)) == widths:
                if state is not None:
                    row[0] = state.time_s
                    row[1] = state.sequence
                    row[2] = state.battery_share
                if lateness_s is not None:
                    row[3] = lateness_s
                if arrays:
                    np.concatenate(arrays, out=row[_NUM_SINGLE:length])
                return kinds, length
        except (TypeError, ValueError):  # no dimension, or more than one
            pass
        raise SurefootError(self._misfit(kinds, arrays))

    def unpack(self, kinds: int, content: np.ndarray) -> Iterator[Tuple[str, Dict[str, Any]]]:
        """Yield the topics of a row and the fields of each, but for ``time_s``."""
        at = _NUM_SINGLE
        for kind, topic in _TICK_TOPICS.items():
            if not kinds & kind:
                continue
            message: Dict[str, Any] = {}
            widths = iter(self._widths[kind])
            for item in TOPICS[topic][1:]:
                if item.size is None:
                    value = float(content[_SINGLE[item.name]])
                    message[item.name] = int(value) if item.kind == "int64" else value
                    continue
                size = next(widths)
                values = content[at : at + size]
                at += size
                message[item.name] = (values.astype(np.float32) if item.kind == "float32" else values).tolist()
            yield topic, message

    def _layout(self, kinds: int) -> Tuple[List[int], int]:
        widths = [width for kind in _TICK_TOPICS if kinds & kind for width in self._widths[kind]]
        self._layouts[kinds] = (widths, _NUM_SINGLE + sum(widths))
        return self._layouts[kinds]

    def _misfit(self, kinds: int, arrays: List[np.ndarray]) -> str:
        topics = [topic for kind, topic in _TICK_TOPICS.items() if kinds & kind]
        names = [f"{item.name} of {topic}" for topic in topics for item in TOPICS[topic] if item.size is not None]
        misfits = [
            f"{name} has shape {np.shape(array)}, it must be ({width},)"
            for name, array, width in zip(names, arrays, self._layout(kinds)[0])
            if np.shape(array) != (width,)
        ]
        return f"This robot's log was opened for other arrays: {'; '.join(misfits) or 'a single value is no number'}."


def pack_text(row: np.ndarray, **message: Any) -> int:
    """Put an event into a row, its texts cut to what fits; returns the length [words]."""
    for name, value in message.items():
        if isinstance(value, str):
            longest = _LONGEST_SENTENCE if name in ("message", "reason") else _LONGEST
            if len(value) > longest:
                message[name] = value[: longest - 3] + "..."
    # Python reads back the NaN that it writes. Characters that UTF-8 has no bytes for stand as JSON's escapes.
    data = json.dumps(message, ensure_ascii=False).encode("utf-8", "backslashreplace")
    row[0] = len(data)
    length = 1 + -(-len(data) // 8)
    row[1:length].view(np.uint8)[: len(data)] = np.frombuffer(data, np.uint8)
    return length


def unpack_text(kinds: int, content: np.ndarray) -> Tuple[str, Dict[str, Any]]:
    """Return the topic of an event and its fields, but for ``time_s``."""
    return _TEXT_TOPICS[kinds], json.loads(content[1:].tobytes()[: int(content[0])])


def is_text(kinds: int) -> bool:
    """Say whether a slot holds an event and not a tick."""
    return kinds in _TEXT_TOPICS
