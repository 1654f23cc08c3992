"""Reads one file of a log into arrays."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Collection, Dict, List, Optional

import numpy as np

from surefoot_bridge.errors import SurefootError

from .encoding import columns, decode, parse
from .scan import Scan
from .topics import LOG_SCHEMA, TOPICS, schema_name

_BLOCK = 4096  # messages that stand as Python's objects before they become arrays
LOG_TIME = "log_time_ns"
"""Name of the column that holds the time of the message itself."""


@dataclass
class Part:
    """One file.

    Attributes:
        scan: How far it was whole.
        head: The message of ``/contract``; None where the file was cut off before it.
        columns: For each topic with messages its columns, ``log_time_ns`` among them.
        passed_over: Topics that are not this package's.
    """

    scan: Scan
    head: Optional[Dict[str, Any]] = None
    columns: Dict[str, Dict[str, np.ndarray]] = field(default_factory=dict)
    passed_over: List[str] = field(default_factory=list)


def read_part(path: Path, topics: Collection[str]) -> Part:
    """Read one file of a log.

    Args:
        path: The file.
        topics: Topics whose messages are wanted.

    Raises:
        SurefootError: If it cannot be read, is no MCAP file or of another version, or a message is not as it must be.
    """
    part = Part(Scan(path))
    collectors = {topic: _Collector(topic, str(path)) for topic in topics}
    schemas: Dict[int, str] = {}
    channels: Dict[int, str] = {}
    for record in part.scan.records():
        kind = type(record).__name__
        if kind == "Schema":
            schemas[record.id] = record.name
        elif kind == "Channel":
            channels[record.id] = record.topic
            _check_channel(record, schemas.get(record.schema_id, ""), part)
        elif kind == "Message":
            topic = channels.get(record.channel_id)
            if topic == "/contract":
                part.head = part.head or _head(record.data, str(path))
            elif topic in collectors:
                collectors[topic].add(record.log_time, record.data)
    part.columns = {topic: collector.stacked() for topic, collector in collectors.items() if collector.used}
    return part


def read_head(path: Path) -> Optional[Dict[str, Any]]:
    """Return the message of ``/contract`` with which a file begins, and read no further; None where it has none.

    Raises:
        SurefootError: As :func:`read_part`.
    """
    channels: Dict[int, str] = {}
    for record in Scan(path).records():
        kind = type(record).__name__
        if kind == "Channel":
            channels[record.id] = record.topic
        elif kind == "Message" and channels.get(record.channel_id) == "/contract":
            return _head(record.data, str(path))
    return None


class _Collector:
    """Gathers the messages of one topic, a block at a time."""

    def __init__(self, topic: str, where: str) -> None:
        self._topic = topic
        self._where = where
        self._messages: List[Dict[str, Any]] = []
        self._times: List[int] = []
        self._blocks: List[Dict[str, np.ndarray]] = []

    @property
    def used(self) -> bool:
        return bool(self._messages or self._blocks)

    def add(self, log_time_ns: int, data: bytes) -> None:
        self._messages.append(decode(data, self._topic, where=self._where))
        self._times.append(log_time_ns)
        if len(self._messages) >= _BLOCK:
            self._end_block()

    def stacked(self) -> Dict[str, np.ndarray]:
        if self._messages:
            self._end_block()
        return concatenated(self._topic, self._blocks, where=self._where)

    def _end_block(self) -> None:
        block = columns(self._topic, self._messages, where=self._where)
        block[LOG_TIME] = np.array(self._times, dtype=np.int64)
        self._blocks.append(block)
        self._messages, self._times = [], []


def concatenated(topic: str, blocks: List[Dict[str, np.ndarray]], *, where: str) -> Dict[str, np.ndarray]:
    """Join columns of a topic, at least one block of them.

    Raises:
        SurefootError: If lists of a field change their length.
    """
    try:
        return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    except ValueError as error:
        raise SurefootError(f"{where}: lists of {topic} change their length.") from error


def _check_channel(channel: Any, schema: str, part: Part) -> None:
    if channel.topic not in TOPICS:
        if channel.topic not in part.passed_over:
            part.passed_over.append(channel.topic)
    elif schema != schema_name(channel.topic) or channel.message_encoding != "json":
        raise SurefootError(
            f"{part.scan.path}: {channel.topic} is of schema {schema!r} as {channel.message_encoding!r}; this "
            f"surefoot-bridge reads {schema_name(channel.topic)!r} as 'json'. "
            "Read it with the version that wrote it, or a newer one."
        )


def _head(data: bytes, where: str) -> Dict[str, Any]:
    version = parse(data, "/contract", where=where).get("log_schema")
    if version != LOG_SCHEMA:
        raise SurefootError(
            f"The log {where} is of schema {version}; this surefoot-bridge reads {LOG_SCHEMA}. "
            "Read it with the version that wrote it, or a newer one."
        )
    return decode(data, "/contract", where=where)
