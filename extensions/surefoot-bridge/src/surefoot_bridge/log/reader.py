"""Reads a log, whole or cut off, as arrays."""

import hashlib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Dict, Iterable, Iterator, Optional, Sequence, Tuple, Union

import numpy as np

from surefoot_bridge.contract import Contract, read_contract
from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_bridge.state import JointCommand, RobotState

from .encoding import empty
from .files import log_files
from .parts import LOG_TIME, Part, concatenated, read_part
from .seal import read_seal
from .topics import TOPICS, sizes


@dataclass(frozen=True)
class Topic:
    """The messages of one topic, in the order in which they were written.

    Attributes:
        time_s: Clock of the control loop [s], (num_messages,).
        log_time_ns: The same as UTC, nanoseconds since 1970, (num_messages,), int64.
        fields: Every other field, (num_messages,) or (num_messages, size).
    """

    time_s: np.ndarray
    log_time_ns: np.ndarray
    fields: Dict[str, np.ndarray]

    def __len__(self) -> int:
        """Return the number of messages."""
        return len(self.time_s)

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a field."""
        if name not in self.fields:
            raise unknown_name("field", name, self.fields)
        return self.fields[name]


@dataclass(frozen=True)
class Log:
    """A log as arrays.

    Attributes:
        paths: Its files, in their order.
        session: What all files of the log share.
        started_utc: When the first of the files was begun.
        robot: Name of the robot.
        stage: How far it was trusted.
        bundle: Identity of the bundle.
        contract: The contract.
        contract_sha256: SHA-256 of its text.
        phases: Names of the phases of a tick.
        topics: Every topic but ``/contract``; those without messages have length 0.
        finished: Whether the last file was finished by its writer.
        lost_bytes: Bytes at the ends of files that make up no whole record.
        damaged_bytes: Bytes of records whose content does not fit its checksum.
        notes: What a reader should know, one sentence each.
    """

    paths: Tuple[Path, ...]
    session: str
    started_utc: str
    robot: str
    stage: str
    bundle: str
    contract: Contract
    contract_sha256: str
    phases: Tuple[str, ...]
    topics: Dict[str, Topic]
    finished: bool
    lost_bytes: int
    damaged_bytes: int
    notes: Tuple[str, ...]

    def __getitem__(self, name: str) -> Topic:
        """Return a topic."""
        if name not in self.topics:
            raise unknown_name("topic", name, self.topics)
        return self.topics[name]

    def robot_states(self) -> RobotState:
        """Return the robot's reports, batch shape (num_messages,)."""
        topic = self["/robot_state"]
        return RobotState(topic["robot_time_s"], *(topic[item.name] for item in fields(RobotState)[1:]))

    def joint_commands(self) -> JointCommand:
        """Return what the joints were told, batch shape (num_messages,)."""
        topic = self["/joint_command"]
        return JointCommand(*(topic[item.name] for item in fields(JointCommand)))


def read_log(path: Union[str, Path, Sequence[Union[str, Path]]], *, topics: Optional[Iterable[str]] = None) -> Log:
    """Read a log.

    Args:
        path: Its folder, for all of it; or one or several of its files.
        topics: Topics to read, the others stay empty; all by default.

    Raises:
        SurefootError: If there is no log, it is of another version, its contract is not the one of its hash, the files
            are of different logs, or a message is not as it must be. That a file is cut off or damaged is no reason:
            the log says so.
    """
    wanted = _wanted(topics)
    read = [read_part(file, wanted) for file in log_files(path)]
    headed = [(part.head, part) for part in read if part.head is not None]
    if not headed:
        raise SurefootError(
            f"{path} holds no log of surefoot-bridge: it has no whole message of /contract, with which each begins. "
            f"{sum(part.scan.lost_bytes for part in read)} bytes at the end are cut off."
        )
    headed.sort(key=lambda item: item[0]["part"])
    heads, parts = [head for head, _ in headed], [part for _, part in headed]
    head, where = heads[0], str(parts[0].scan.path)
    others = {other["session"] for other in heads} - {head["session"]}
    if others:
        raise SurefootError(f"{path} has files of {1 + len(others)} logs; give those of one, or the folder of one.")
    if hashlib.sha256(head["contract"].encode()).hexdigest() != head["contract_sha256"]:
        raise SurefootError(f"The contract in {where} is not the one of its SHA-256: the log was altered.")
    contract = read_contract(head["contract"], where=f"in {where}")
    phases = tuple(head["phases"])
    joined = {topic: _joined(topic, parts, contract, phases) for topic in TOPICS if topic != "/contract"}
    return Log(
        paths=tuple(part.scan.path for part in parts),
        session=head["session"],
        started_utc=head["started_utc"],
        robot=head["robot"],
        stage=head["stage"],
        bundle=head["bundle"],
        contract=contract,
        contract_sha256=head["contract_sha256"],
        phases=phases,
        topics=joined,
        finished=all(part.scan.finished for part in read),
        lost_bytes=sum(part.scan.lost_bytes for part in read),
        damaged_bytes=sum(part.scan.damaged_bytes for part in read),
        notes=tuple(_notes(read, [other["part"] for other in heads], session=head["session"])),
    )


def _wanted(topics: Optional[Iterable[str]]) -> Tuple[str, ...]:
    valid = [topic for topic in TOPICS if topic != "/contract"]
    wanted = tuple(valid if topics is None else topics)
    for topic in wanted:
        if topic not in valid:
            raise unknown_name("topic", topic, valid)
    return wanted


def _joined(topic: str, parts: Sequence[Part], contract: Contract, phases: Sequence[str]) -> Topic:
    blocks = [part.columns[topic] for part in parts if topic in part.columns]
    where = str(parts[0].scan.path)
    widths = sizes(contract, phases, len(contract.robot.foot_names))
    if not blocks:
        blocks = [{LOG_TIME: np.empty(0, np.int64), **empty(topic, widths)}]
    if topic == "/mode":  # each file begins with the mode in force: said before
        blocks = [*blocks[:1], *(_without_first_of(block, before) for before, block in zip(blocks, blocks[1:]))]
    found = concatenated(topic, blocks, where=where)
    for item in TOPICS[topic]:
        # A robot may have fewer foot sensors than feet.
        if item.size is not None and item.size != "foot_sensors" and found[item.name].shape[1] != widths[item.size]:
            raise SurefootError(
                f"{where}: {item.name} of {topic} has {found[item.name].shape[1]} entries; "
                f"by the contract it must have {widths[item.size]}."
            )
    return Topic(found.pop("time_s"), found.pop(LOG_TIME), found)


def _without_first_of(block: Dict[str, np.ndarray], before: Dict[str, np.ndarray]) -> Dict[str, np.ndarray]:
    same = block["time_s"][0] == before["time_s"][-1] and block["mode"][0] == before["mode"][-1]
    return {name: column[1:] for name, column in block.items()} if same else block


def _notes(read: Sequence[Part], numbers: Sequence[int], *, session: str) -> Iterator[str]:
    for part in read:
        scan = part.scan
        if not scan.finished:
            yield f"{scan.path.name} was not finished by its writer."
        if scan.lost_bytes:
            yield f"{scan.path.name}: the last {scan.lost_bytes} of {scan.num_bytes} bytes are cut off or damaged."
        if scan.damaged_bytes:
            yield f"{scan.path.name}: {scan.damaged_bytes} bytes do not fit their checksum and are left out."
        if part.head is None:
            yield f"{scan.path.name} holds no whole message."
        if part.passed_over:
            yield f"{scan.path.name}: topics of other programs were passed over: {', '.join(part.passed_over)}."
    if len(set(numbers)) != len(numbers):
        yield "A file was given twice."
    seal = read_seal(read[0].scan.path.parent)
    sealed = len(seal.parts) if seal is not None and seal.session == session else 0
    missing = sorted(set(range(max(sealed, numbers[-1]))) - set(numbers))
    if missing:
        of = f" of {sealed}" if sealed else ""
        yield f"Parts {', '.join(map(str, missing))}{of} of the log (the first is 0) are not among the files."
