"""The counter-based generator gives the published numbers, in Warp and in NumPy."""

import numpy as np
import pytest
import warp as wp

from surefoot.random_numbers.philox import Words, philox, standard_normals, unit_interval
from surefoot.random_numbers.philox_numpy import philox as philox_reference
from surefoot.random_numbers.philox_numpy import standard_normals as standard_normals_reference
from surefoot.random_numbers.philox_numpy import unit_interval as unit_interval_reference

# Random123 1.14, tests/kat_vectors, philox4x32 with 10 rounds: counter, key, words.
KNOWN_ANSWERS = (
    ([0] * 4, (0, 0), [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, (0xFFFFFFFF, 0xFFFFFFFF), [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        (0xA4093822, 0x299F31D0),
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
)


@wp.kernel
def philox_probe(
    counters: wp.array2d(dtype=wp.uint32),
    key_0: wp.uint32,
    key_1: wp.uint32,
    words: wp.array2d(dtype=wp.uint32),
    units: wp.array2d(dtype=float),
    normals: wp.array(dtype=wp.vec2f),
):
    row = wp.tid()
    drawn = philox(
        Words(counters[row, 0], counters[row, 1], counters[row, 2], counters[row, 3]),
        key_0,
        key_1,
    )
    for index in range(4):
        words[row, index] = drawn[index]
        units[row, index] = unit_interval(drawn[index])
    normals[row] = standard_normals(drawn[0], drawn[1])


def run_probe(counters, key):
    rows = len(counters)
    outputs = (
        wp.zeros((rows, 4), dtype=wp.uint32, device="cpu"),
        wp.zeros((rows, 4), dtype=float, device="cpu"),
        wp.zeros(rows, dtype=wp.vec2f, device="cpu"),
    )
    inputs = [wp.array(counters, dtype=wp.uint32, device="cpu"), wp.uint32(key[0]), wp.uint32(key[1])]
    wp.launch(philox_probe, dim=rows, inputs=inputs, outputs=list(outputs), device="cpu")
    return [output.numpy() for output in outputs]


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN_ANSWERS)
def test_philox_gives_the_published_answers(counter, key, words):
    counters = np.array([counter], dtype=np.uint32)

    assert philox_reference(counters, key)[0].tolist() == words
    assert run_probe(counters, key)[0][0].tolist() == words


def test_warp_and_numpy_give_the_same_numbers():
    counters = np.random.default_rng(0).integers(0, 2**32, size=(1000, 4), dtype=np.uint32)
    words, units, normals = run_probe(counters, (7, 3))

    np.testing.assert_array_equal(words, philox_reference(counters, (7, 3)))
    np.testing.assert_array_equal(units, unit_interval_reference(words))
    expected = np.stack(standard_normals_reference(words[:, 0], words[:, 1]), axis=-1)
    np.testing.assert_allclose(normals, expected, atol=2e-6)


def test_the_ends_of_the_unit_interval_are_never_reached():
    ends = unit_interval_reference(np.array([0, 2**32 - 1], dtype=np.uint32))

    assert ends.tolist() == [2.0**-24, 1.0 - 2.0**-24]


def test_normal_numbers_have_mean_zero_and_variance_one():
    counters = np.zeros((100_000, 4), dtype=np.uint32)
    counters[:, 0] = np.arange(len(counters))
    normals = run_probe(counters, (1, 0))[2]

    # Standard errors of mean and variance: 1/sqrt(n) = 0.0032 and sqrt(2/n) = 0.0045.
    assert np.abs(normals.mean(axis=0)).max() < 0.01
    assert np.abs(normals.var(axis=0) - 1.0).max() < 0.015
