"""The generator of :mod:`surefoot.random_numbers.philox` in NumPy."""

from __future__ import annotations

import numpy as np

_MULTIPLIERS = np.array([0xD2511F53, 0xCD9E8D57], dtype=np.uint64)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_WORD = 0xFFFFFFFF


def philox(counter: np.ndarray, key: tuple[int, int]) -> np.ndarray:
    """Four independent 32-bit words for each counter.

    Args:
        counter: Counters, uint32, shape [..., 4].
        key: Two 32-bit words.

    Returns:
        The words, uint32, shape [..., 4].
    """
    word_0, word_1, word_2, word_3 = np.moveaxis(np.asarray(counter, dtype=np.uint64), -1, 0)
    for number in range(_ROUNDS):
        product_0, product_1 = _MULTIPLIERS[0] * word_0, _MULTIPLIERS[1] * word_2
        round_key = [np.uint64((word + number * weyl) & _WORD) for word, weyl in zip(key, _WEYL, strict=True)]
        word_0, word_1, word_2, word_3 = (
            (product_1 >> np.uint64(32)) ^ word_1 ^ round_key[0],
            product_1 & np.uint64(_WORD),
            (product_0 >> np.uint64(32)) ^ word_3 ^ round_key[1],
            product_0 & np.uint64(_WORD),
        )
    return np.stack((word_0, word_1, word_2, word_3), axis=-1).astype(np.uint32)


def unit_interval(words: np.ndarray) -> np.ndarray:
    """Map words to the middles of 2^23 equal parts of (0, 1), float32; exact, as in the kernel."""
    return ((words >> np.uint32(9)).astype(np.float32) + np.float32(0.5)) * np.float32(2.0**-23)


def standard_normals(word_0: np.ndarray, word_1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays of independent standard normal numbers (Box and Muller, 1958)."""
    radius = np.sqrt(-2.0 * np.log(unit_interval(word_0)))
    angle = 2.0 * np.pi * unit_interval(word_1)
    return radius * np.cos(angle), radius * np.sin(angle)
