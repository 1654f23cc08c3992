"""What names environments, as a mask."""

import numpy as np
import pytest
import torch
import warp as wp

from surefoot.env_mask import EnvMask
from surefoot_devtools.benchmarking.counting import count_launches


@pytest.mark.parametrize(
    ("envs", "expected"),
    [
        (None, [True] * 4),
        (slice(1, 3), [False, True, True, False]),
        ([3, 0], [True, False, False, True]),
        (torch.tensor([2]), [False, False, True, False]),
        (torch.tensor([2, 2], dtype=torch.int32), [False, False, True, False]),
        (torch.tensor([], dtype=torch.int32), [False] * 4),
        (torch.tensor([True, False, True, False]), [True, False, True, False]),
        (wp.array([1, 2], dtype=wp.int32, device="cpu"), [False, True, True, False]),
        (wp.array([True, False, False, True], dtype=wp.bool, device="cpu"), [True, False, False, True]),
    ],
)
def test_environments_by_whatever_name_are_a_mask(envs, expected):
    masks = EnvMask(4, "cpu")
    masks.of([0, 1, 2, 3])  # what was marked before is not any more
    assert masks.of(envs).numpy().tolist() == expected


@pytest.mark.parametrize("dtype", [torch.bool, None])
def test_a_mask_is_taken_as_it_is_without_a_launch(dtype):
    given = torch.ones(4, dtype=torch.bool) if dtype else wp.ones(4, dtype=wp.bool, device="cpu")
    masks = EnvMask(4, "cpu")
    seen = count_launches(lambda: masks.of(given))
    assert (seen.total, seen.waits.total(), seen.allocations.total()) == (0, 0, 0)
    assert masks.of(given).ptr == (given.data_ptr() if dtype else given.ptr)


def test_indices_are_marked_without_waiting_or_allocating():
    masks, envs = EnvMask(4, "cpu"), torch.tensor([1, 3], dtype=torch.int32)
    seen = count_launches(lambda: masks.of(envs))
    assert (seen.total, seen.waits.total(), seen.allocations.total()) == (2, 0, 0)
    np.testing.assert_array_equal(masks.of(envs).numpy(), [False, True, False, True])
