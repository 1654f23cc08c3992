"""A bounded queue in memory that two processes share: the control loop puts, the log's writer takes, neither waits.

There is one process on each side, so no lock is needed: ``taken`` is written by the writer alone, the slots by the loop
alone. A processor may show the stores of one core to another in another order than they were made (ARM does), so each
slot carries a CRC-32 over its number and its content, and the writer takes a slot only when it fits. The way back needs
none: the loop stores into a slot only after it has seen that it was taken, and a processor never stores ahead of the
branch that it depends on.
"""

import mmap
import os
import struct
import tempfile
import zlib
from typing import List, NamedTuple, Optional

import numpy as np

STARTING, WRITING, CLOSED, DISK_FULL, FAILED = range(5)
"""What the writer is doing, or why it stopped."""

_CONTROL_WORDS = 16
_TAKEN, _DROPPED, _CLOSING, _STATE, _BYTES, _MESSAGES = range(6)
_REASON_BYTES = 896
_PREFIX_BYTES = _CONTROL_WORDS * 8 + _REASON_BYTES  # a multiple of 8, so that words stay aligned

# A slot: its number + 1, its CRC-32, and what that covers: kinds, length [words], UTC offset [ns], time [s], content.
_HEAD = struct.Struct("@qqqd")
_COVERED = 16
_HEAD_WORDS = 6


class Slot(NamedTuple):
    """What one slot held.

    Attributes:
        kinds: What the content is; the ring does not care.
        utc_offset_ns: What to add to the time to get nanoseconds of UTC.
        time_s: Clock of the control loop [s].
        content: Words, (length,), float64; a copy.
    """

    kinds: int
    utc_offset_ns: int
    time_s: float
    content: np.ndarray


class Ring:
    """The queue.

    Args:
        descriptor: Of the shared file, which :func:`shared_file` made.
        num_slots: Capacity.
        content_words: Largest content of a slot [8 bytes].
        begin: Whether to fill the memory with zeros, so that no page is missing when the loop runs.
    """

    def __init__(self, descriptor: int, num_slots: int, content_words: int, *, begin: bool) -> None:
        size = ring_bytes(num_slots, content_words)
        if begin:
            os.ftruncate(descriptor, size)
        self._memory = mmap.mmap(descriptor, size)
        if begin:
            self._memory.write(bytes(size))
        view = memoryview(self._memory)
        self._view = view
        self._control = view[: _CONTROL_WORDS * 8].cast("q")
        self._slot_words = _HEAD_WORDS + content_words
        slots = np.frombuffer(self._memory, np.float64, num_slots * self._slot_words, _PREFIX_BYTES)
        self._content: List[np.ndarray] = list(slots.reshape(num_slots, -1)[:, _HEAD_WORDS:])
        self._words = view[_PREFIX_BYTES:].cast("q")
        self._num_slots = num_slots
        self._next = 0

    def begin(self, *, keep_free: int = 0) -> Optional[np.ndarray]:
        """Return the content of the next free slot, (content_words,), to be filled; None where there is none.

        Args:
            keep_free: Slots that are left for others.
        """
        if self._next - self._control[_TAKEN] >= self._num_slots - keep_free:
            self._control[_DROPPED] += 1
            return None
        return self._content[self._next % self._num_slots]

    def commit(self, kinds: int, length: int, utc_offset_ns: int, time_s: float) -> None:
        """Hand the slot of the last :meth:`begin` over, with ``length`` words of content."""
        word = (self._next % self._num_slots) * self._slot_words
        start = _PREFIX_BYTES + word * 8
        _HEAD.pack_into(self._memory, start + _COVERED, kinds, length, utc_offset_ns, time_s)
        end = start + (_HEAD_WORDS + length) * 8
        self._words[word + 1] = zlib.crc32(self._view[start + _COVERED : end], self._next & 0xFFFFFFFF)
        self._next += 1
        self._words[word] = self._next

    def take(self) -> Optional[Slot]:
        """Return the oldest slot that was handed over and free it; None where there is none yet."""
        word = (self._next % self._num_slots) * self._slot_words
        if self._words[word] != self._next + 1:
            return None
        start = _PREFIX_BYTES + word * 8
        kinds, length, utc_offset_ns, time_s = _HEAD.unpack_from(self._memory, start + _COVERED)
        if not 0 <= length <= self._slot_words - _HEAD_WORDS:
            return None  # not all of it is visible yet
        covered = bytes(self._view[start + _COVERED : start + (_HEAD_WORDS + length) * 8])
        if zlib.crc32(covered, self._next & 0xFFFFFFFF) != self._words[word + 1]:
            return None  # as above
        kinds, length, utc_offset_ns, time_s = _HEAD.unpack_from(covered)
        self._next += 1
        self._control[_TAKEN] = self._next
        return Slot(kinds, utc_offset_ns, time_s, np.frombuffer(covered, np.float64, length, _HEAD.size))

    @property
    def queued(self) -> int:
        """Slots that the loop handed over and the writer has not taken; right on the loop's side only."""
        return self._next - self._control[_TAKEN]

    @property
    def dropped(self) -> int:
        """How often there was no free slot."""
        return self._control[_DROPPED]

    @property
    def accepting(self) -> bool:
        """Whether the writer is there and nobody has said that nothing more will come."""
        return self._control[_STATE] == WRITING and not self._control[_CLOSING]

    @property
    def closing(self) -> bool:
        """Whether the loop has said that nothing more will come."""
        return bool(self._control[_CLOSING])

    def close(self) -> None:
        """Say that nothing more will come."""
        self._control[_CLOSING] = 1

    @property
    def state(self) -> int:
        """What the writer is doing: :data:`STARTING`, :data:`WRITING`, or why it stopped."""
        return self._control[_STATE]

    @property
    def reason(self) -> str:
        """Why the writer stopped, for a person."""
        text = bytes(self._view[_CONTROL_WORDS * 8 : _PREFIX_BYTES])
        return text.rstrip(b"\0").decode("utf-8", "replace")

    def set_state(self, state: int, reason: str = "") -> None:
        """Say what the writer is doing, and why."""
        text = reason.encode()[:_REASON_BYTES].ljust(_REASON_BYTES, b"\0")
        self._view[_CONTROL_WORDS * 8 : _PREFIX_BYTES] = text
        self._control[_STATE] = state

    @property
    def written_bytes(self) -> int:
        """Bytes that are safe on the disk."""
        return self._control[_BYTES]

    @property
    def written_messages(self) -> int:
        """Messages that are safe on the disk."""
        return self._control[_MESSAGES]

    def set_written(self, size: int, messages: int) -> None:
        """Say how much is safe on the disk."""
        self._control[_BYTES] = size
        self._control[_MESSAGES] = messages


def shared_file() -> int:
    """Open a file without a name for a ring and return its descriptor; it is gone when no process has it open."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("surefoot-log")
    with tempfile.TemporaryFile() as file:  # systems other than Linux
        return os.dup(file.fileno())


def ring_bytes(num_slots: int, content_words: int) -> int:
    """Return the size of a ring [bytes]."""
    return _PREFIX_BYTES + num_slots * (_HEAD_WORDS + content_words) * 8
