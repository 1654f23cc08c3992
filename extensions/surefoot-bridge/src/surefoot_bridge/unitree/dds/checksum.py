"""The checksum of Unitree's low-level messages: CRC-32 with polynomial 0x04C11DB7, from all ones, over 32-bit words.

It is that of ``Crc32Core`` in Unitree's SDK: the message as it lies in memory, its own last word left out, each word
from its highest bit to its lowest. That is the CRC of zlib with all bits mirrored, which is why this one is fast.
"""

import zlib

import numpy as np

from surefoot_bridge.core import load_core

_MIRRORED = np.array([int(f"{byte:08b}"[::-1], 2) for byte in range(256)], dtype=np.uint8)


def checksum(message: np.ndarray) -> int:
    """Return the checksum of a message.

    Args:
        message: One message, (1,), of a structured type whose last word is the checksum.
    """
    functions = load_core().functions
    if functions is None:
        return checksum_by_numpy(message)
    return functions.checksum(message.ctypes.data, message.nbytes // 4 - 1)


def checksum_by_numpy(message: np.ndarray) -> int:
    """Return the same without the compiled core."""
    words = message.view(np.uint32)[:-1].byteswap()
    mirrored = zlib.crc32(_MIRRORED[words.view(np.uint8)].tobytes()) ^ 0xFFFFFFFF
    return int(f"{mirrored:032b}"[::-1], 2)
