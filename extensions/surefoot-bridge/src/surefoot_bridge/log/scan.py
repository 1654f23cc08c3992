"""Reads an MCAP file from its start, record by record, as far as it is whole.

The index at its end is not used: a file whose writer was killed has none.
"""

import os
import struct
import zlib
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Iterator, Tuple

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.files import open_plain

from .mcap_file import require_mcap

_MAGIC = b"\x89MCAP0\r\n"
_RECORD = struct.Struct("<BQ")
_FOOTER, _SCHEMA, _CHANNEL, _MESSAGE, _CHUNK = 0x02, 0x03, 0x04, 0x05, 0x06
_SHORTEST_RECORD = 14  # of a schema without name and content; messages have 22, channels 16
_CHUNK_HEAD = struct.Struct("<QQQI")  # first and last time, size and CRC-32 of what is unpacked
_LENGTH, _RECORD_LENGTH = struct.Struct("<I"), struct.Struct("<Q")
_LAST_DEFINED = 0x0F
_PRIVATE = 0x80  # records of other programs, which readers pass over

LARGEST_CHUNK_BYTES = 16 << 20
"""What a chunk may unpack to [bytes]. Ours end at 4 MiB and one message; other tools that rewrite logs use as much."""

_LARGEST_RATIO = 100
"""What a file may unpack to, as a multiple of its size, beside one chunk. Measured: 3 for robots in MuJoCo, 2.3 for
noise on every number, 9.7 for a log whose numbers never change."""


@dataclass
class Scan:
    """What was found so far; complete when :meth:`records` has ended.

    Attributes:
        path: The file.
        num_bytes: Its size.
        finished: Whether its writer came to its end.
        lost_bytes: Bytes at its end that make up no whole record.
        damaged_bytes: Bytes of records whose content does not fit its checksum, or cannot be decompressed.
    """

    path: Path
    num_bytes: int = 0
    finished: bool = False
    lost_bytes: int = 0
    damaged_bytes: int = 0
    _unpacked_bytes: int = field(default=0, init=False, repr=False)

    def records(self) -> Iterator[Any]:
        """Yield the schemas, channels and messages in the order of the file, as records of the ``mcap`` package.

        Raises:
            SurefootError: If the file cannot be opened, is no plain file or no MCAP file, unpacks to more than a log
                does, or ``mcap`` is missing.
        """
        require_mcap()
        try:
            with open_plain(self.path, "log") as file:
                self.num_bytes = os.fstat(file.fileno()).st_size
                yield from self._records(file)
        except OSError as error:
            raise SurefootError(f"The log {self.path} cannot be read: {error.strerror or error}.") from error

    def _records(self, file: IO[bytes]) -> Iterator[Any]:
        start = file.read(len(_MAGIC))
        if start != _MAGIC:
            # What a loss of power leaves of a part that was just begun: nothing, a piece of its beginning, or zeros.
            if not start.rstrip(b"\0") or _MAGIC.startswith(start):
                self.lost_bytes = self.num_bytes
                return
            raise SurefootError(f"{self.path} is no MCAP file: it begins with {start!r}.")
        end = len(_MAGIC)  # of what is whole
        while True:
            head = file.read(_RECORD.size)
            if len(head) < _RECORD.size:
                break
            opcode, length = _RECORD.unpack(head)
            whole = _RECORD.size + length
            if not (0 < opcode <= _LAST_DEFINED or opcode >= _PRIVATE) or end + whole > self.num_bytes:
                break  # cut off, or zeros that the disk never replaced
            end += whole
            if opcode in (_SCHEMA, _CHANNEL, _CHUNK):
                if length > LARGEST_CHUNK_BYTES:
                    raise SurefootError(self._too_large(f"a record of {length} bytes", LARGEST_CHUNK_BYTES))
                record = file.read(length)
                yield from self._unpacked(head + record) if opcode != _CHUNK else self._chunk(record)
            else:
                file.seek(length, 1)
            if opcode == _FOOTER:
                self.finished = file.read(len(_MAGIC)) == _MAGIC
                end += len(_MAGIC) if self.finished else 0
                break
        self.lost_bytes = self.num_bytes - end

    def _chunk(self, record: bytes) -> Iterator[Any]:
        """Yield what is in a chunk, unpacked here: ``mcap`` believes any size that the packed bytes name."""
        try:
            head, packed, compression = _split(record)
            _, _, size, crc = head
            data = b"" if size > LARGEST_CHUNK_BYTES else _unpack(packed, compression, LARGEST_CHUNK_BYTES)
        except Exception:  # the decompressors raise a dozen kinds
            self.damaged_bytes += _RECORD.size + len(record)
            return
        if max(size, len(data)) > LARGEST_CHUNK_BYTES:
            raise SurefootError(self._too_large("a chunk", LARGEST_CHUNK_BYTES))
        self._unpacked_bytes += len(data)
        most = _LARGEST_RATIO * self.num_bytes + LARGEST_CHUNK_BYTES
        if self._unpacked_bytes > most:
            raise SurefootError(self._too_large(f"the {self.num_bytes} bytes", most))
        if len(data) != size or (crc and zlib.crc32(data) != crc) or not _is_of_records(data):
            self.damaged_bytes += _RECORD.size + len(record)
            return
        plain = _CHUNK_HEAD.pack(*head) + _LENGTH.pack(0) + _RECORD_LENGTH.pack(len(data)) + data
        yield from self._unpacked(_RECORD.pack(_CHUNK, len(plain)) + plain)

    def _too_large(self, what: str, most: int) -> str:
        return (
            f"{self.path}: {what} would unpack to more than {most} bytes, which is more than a log does: it is "
            "damaged, or was made to fill memory. Nothing of it was used."
        )

    def _unpacked(self, record: bytes) -> Iterator[Any]:
        from mcap.exceptions import EndOfFile
        from mcap.stream_reader import StreamReader

        found = []
        try:
            found.extend(StreamReader(BytesIO(record), skip_magic=True, validate_crcs=True).records)
        except EndOfFile:
            # The reader asks for the next record of the file, which is not in these bytes. Within a chunk nothing can
            # be cut off: its checksum was right.
            pass
        except Exception:  # mcap raises a dozen kinds
            self.damaged_bytes += len(record)
            return
        yield from found


def _split(record: bytes) -> Tuple[Tuple[int, int, int, int], bytes, str]:
    """Return the fixed head of a chunk, its packed bytes, and how they are packed.

    Raises:
        ValueError, struct.error: If it is none.
    """
    at = _CHUNK_HEAD.size
    (length,) = _LENGTH.unpack_from(record, at)
    name = record[at + _LENGTH.size : at + _LENGTH.size + length]
    at += _LENGTH.size + length
    (size,) = _RECORD_LENGTH.unpack_from(record, at)
    packed = record[at + _RECORD_LENGTH.size :]
    if len(packed) != size:
        raise ValueError(f"{len(packed)} bytes of {size}")
    return _CHUNK_HEAD.unpack_from(record), packed, name.decode()


def _is_of_records(data: bytes) -> bool:
    """Return whether bytes are records such as a chunk holds: a zero after the other would be a million of none."""
    at = 0
    while at + _RECORD.size <= len(data):
        opcode, length = _RECORD.unpack_from(data, at)
        if opcode not in (_SCHEMA, _CHANNEL, _MESSAGE) or length < _SHORTEST_RECORD:
            return False
        at += _RECORD.size + length
    return at == len(data)


def _unpack(packed: bytes, compression: str, most: int) -> bytes:
    """Unpack bytes, but no more than one beyond a bound, whatever size they name."""
    if not compression:
        return packed
    if compression == "zstd":
        import zstandard

        with zstandard.ZstdDecompressor().stream_reader(BytesIO(packed)) as reader:
            return reader.read(most + 1)
    if compression == "lz4":
        import lz4.frame

        return lz4.frame.LZ4FrameDecompressor().decompress(packed, max_length=most + 1)
    raise ValueError(f"compression {compression!r} is unknown")
