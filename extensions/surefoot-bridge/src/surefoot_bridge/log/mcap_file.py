"""One MCAP file that is readable up to the last flush, however its writer ends.

Messages are gathered in chunks; a flush ends the chunk and waits for the disk. Chunks are compressed with Zstandard,
which the ``mcap`` package brings along, as it does LZ4. A log is text full of digits: that of a made-up quadruped with
noise on every number shrinks to a third (LZ4: to 63 %), at about a hundredth of a core for 500 ticks a second.
"""

import contextlib
import hashlib
import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, Mapping, cast

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.files import sync_folder

from .topics import json_schema, schema_name

PROFILE = "surefoot"
"""Profile in the header of the file."""

_CHUNK_BYTES = 4 << 20  # far more than comes between two flushes: the flushes end the chunks


def require_mcap() -> None:
    """Refuse to go on where the ``mcap`` package is missing.

    Raises:
        SurefootError: If it is.
    """
    if find_spec("mcap") is None:
        raise SurefootError("Logs need the package mcap. Install it: pip install 'surefoot-bridge[log]'.")


class McapFile:
    """A new file.

    Args:
        path: Where it goes. A file that is there already is left alone.
        channels: For each topic the metadata of its channel.

    Raises:
        FileExistsError: If there is a file already.
        OSError: If it cannot be written.
        SurefootError: If the version of ``mcap`` is too old.
    """

    def __init__(self, path: Path, channels: Mapping[str, Mapping[str, str]]) -> None:
        from mcap.writer import CompressionType, Writer

        if not hasattr(Writer, "flush"):  # its chunks would end when they are full, and a crash would lose them
            raise SurefootError(
                "This version of mcap cannot end a chunk. Install a newer one: pip install -U 'surefoot-bridge[log]'."
            )
        self.path = path
        self.num_messages = 0
        self.num_bytes = 0
        """Size of the file up to the last flush [bytes]."""
        self._stream = _Hashed(path.open("xb"))
        sync_folder(path.parent)
        self._writer = Writer(cast("BinaryIO", self._stream), chunk_size=_CHUNK_BYTES, compression=CompressionType.ZSTD)
        self._writer.start(profile=PROFILE, library="surefoot-bridge")
        self._channels = {}
        for topic, metadata in channels.items():
            schema = self._writer.register_schema(
                schema_name(topic), "jsonschema", json.dumps(json_schema(topic)).encode()
            )
            self._channels[topic] = self._writer.register_channel(topic, "json", schema, dict(metadata))
        self._sequence = dict.fromkeys(channels, 0)

    def add(self, topic: str, log_time_ns: int, data: bytes) -> None:
        """Add a message; it is on the disk after the next flush."""
        sequence = self._sequence[topic]
        self._sequence[topic] = sequence + 1
        self._writer.add_message(self._channels[topic], log_time_ns, data, log_time_ns, sequence & 0xFFFFFFFF)
        self.num_messages += 1

    def flush(self) -> None:
        """End the chunk and wait until the disk has it."""
        self._writer.flush()
        os.fsync(self._stream.fileno())
        self.num_bytes = self._stream.tell()

    def finish(self) -> None:
        """Write the index, wait until the disk has it, and close the file."""
        self._writer.finish()
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self.num_bytes = self._stream.tell()
        self._stream.close()

    @property
    def sha256(self) -> str:
        """SHA-256 of all that was written, as hexadecimal digits."""
        return self._stream.sha256.hexdigest()

    def abandon(self) -> None:
        """Close the file as it is; what was flushed is readable."""
        with contextlib.suppress(OSError):  # what is still in the buffer cannot be written either
            self._stream.close()


class _Hashed:
    """A stream that hashes what is written, on its way: what is sealed is what was meant, not what a disk says."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.sha256 = hashlib.sha256()
        self.tell, self.flush, self.close, self.fileno = stream.tell, stream.flush, stream.close, stream.fileno

    def write(self, data: bytes) -> int:
        self.sha256.update(data)
        return self._stream.write(data)
