"""Reads an MCAP file from its start, record by record, as far as it is whole.

The index at its end is not used: a file whose writer was killed has none.
"""

import struct
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Iterator

from surefoot_bridge.errors import SurefootError

from .mcap_file import require_mcap

_MAGIC = b"\x89MCAP0\r\n"
_RECORD = struct.Struct("<BQ")
_FOOTER, _SCHEMA, _CHANNEL, _CHUNK = 0x02, 0x03, 0x04, 0x06
_LAST_DEFINED = 0x0F
_PRIVATE = 0x80  # records of other programs, which readers pass over


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

    def records(self) -> Iterator[Any]:
        """Yield the schemas, channels and messages in the order of the file, as records of the ``mcap`` package.

        Raises:
            SurefootError: If the file cannot be opened, is no MCAP file, or ``mcap`` is missing.
        """
        require_mcap()
        try:
            self.num_bytes = self.path.stat().st_size
            with self.path.open("rb") as file:
                yield from self._records(file)
        except OSError as error:
            raise SurefootError(f"Cannot read the log {self.path}: {error.strerror or error}.") from error

    def _records(self, file: IO[bytes]) -> Iterator[Any]:
        start = file.read(len(_MAGIC))
        if start != _MAGIC:
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
                yield from self._unpacked(head + file.read(length))
            else:
                file.seek(length, 1)
            if opcode == _FOOTER:
                self.finished = file.read(len(_MAGIC)) == _MAGIC
                end += len(_MAGIC) if self.finished else 0
                break
        self.lost_bytes = self.num_bytes - end

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
        except Exception:  # mcap and its decompressors raise a dozen kinds
            self.damaged_bytes += len(record)
            return
        yield from found
