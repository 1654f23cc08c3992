"""Counter-based random numbers in Warp: Philox-4x32 with ten rounds.

A number is a pure function of a key and a counter, so that it is the same on CPU and GPU, for any number of
environments and in any order of calls, and there is no state to save or to share out between threads.

Source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC11, section 3.3. The NumPy twin is
:mod:`surefoot.random_numbers.philox_numpy`; both are held to the known answers that the authors publish.
"""

# Warp's integer types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportOperatorIssue=false, reportCallIssue=false, reportIndexIssue=false

import warp as wp

Words = wp.types.vector(length=4, dtype=wp.uint32)
"""Four 32-bit words."""

_MULTIPLIER_0 = wp.constant(wp.uint64(0xD2511F53))
_MULTIPLIER_1 = wp.constant(wp.uint64(0xCD9E8D57))
_WEYL_0 = wp.constant(wp.uint32(0x9E3779B9))
_WEYL_1 = wp.constant(wp.uint32(0xBB67AE85))
_ROUNDS = wp.constant(10)
_HALF_WORD = wp.constant(wp.uint64(32))
_TO_23_BITS = wp.constant(wp.uint32(9))


@wp.func
def philox(counter: Words, key_0: wp.uint32, key_1: wp.uint32) -> Words:
    """Four independent 32-bit words for a counter of four words and a key of two."""
    word_0, word_1, word_2, word_3 = counter[0], counter[1], counter[2], counter[3]
    round_key_0, round_key_1 = key_0, key_1
    for _round in range(_ROUNDS):
        product_0 = _MULTIPLIER_0 * wp.uint64(word_0)
        product_1 = _MULTIPLIER_1 * wp.uint64(word_2)
        next_0 = wp.uint32(product_1 >> _HALF_WORD) ^ word_1 ^ round_key_0
        next_2 = wp.uint32(product_0 >> _HALF_WORD) ^ word_3 ^ round_key_1
        word_1 = wp.uint32(product_1)
        word_3 = wp.uint32(product_0)
        word_0 = next_0
        word_2 = next_2
        round_key_0 = round_key_0 + _WEYL_0
        round_key_1 = round_key_1 + _WEYL_1
    return Words(word_0, word_1, word_2, word_3)


@wp.func
def unit_interval(word: wp.uint32) -> float:
    """Map a word to the middle of one of 2^23 equal parts of (0, 1), exactly representable in single precision."""
    return (float(word >> _TO_23_BITS) + 0.5) * 1.1920928955078125e-07  # 2^-23


@wp.func
def standard_normals(word_0: wp.uint32, word_1: wp.uint32) -> wp.vec2f:
    """Two independent standard normal numbers (Box and Muller, 1958)."""
    radius = wp.sqrt(-2.0 * wp.log(unit_interval(word_0)))
    angle = 6.283185307179586 * unit_interval(word_1)
    return wp.vec2f(radius * wp.cos(angle), radius * wp.sin(angle))
