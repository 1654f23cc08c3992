"""State is copied whole and written back into the storage that it came from; whatever does not fit is refused."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
import warp as wp

from surefoot.learning.env_state import _holders
from surefoot.learning.generators import capture_generators, restore_generators
from surefoot.snapshot import (
    StateMismatchError,
    capture,
    capture_fields,
    numeric_fields,
    restore,
    restore_fields,
)


def test_a_restored_tensor_keeps_its_storage_and_its_views():
    matrix = torch.arange(6.0).reshape(3, 2)
    column = matrix[:, 1]
    saved = capture(matrix)
    matrix.zero_()

    assert restore(matrix, saved, "matrix") is matrix
    assert column.tolist() == [1.0, 3.0, 5.0]


def test_a_capture_does_not_follow_later_changes():
    live = torch.ones(2)
    saved = capture({"a": [live, 3, None], "b": np.ones(2)})
    live += 1.0
    assert saved["a"][0].tolist() == [1.0, 1.0]
    assert saved["a"][1:] == [3, None]
    assert saved["b"].tolist() == [1.0, 1.0]


def test_a_warp_array_of_vectors_comes_back_bit_by_bit():
    array = wp.array([[0.1, 0.2, 0.3], [np.nan, np.inf, -0.0]], dtype=wp.vec3f, device="cpu")
    before = array.numpy().tobytes()
    saved = capture(array)
    array.zero_()
    restore(array, saved, "array")
    assert array.numpy().tobytes() == before


def test_an_expanded_view_that_did_not_change_is_left_alone():
    row = torch.ones(1, 3).expand(4, 3)  # writing through it would be an error of torch
    assert restore(row, capture(row), "row") is row


@pytest.mark.parametrize(
    ("live", "saved", "complaint"),
    [
        (torch.zeros(2), torch.zeros(3), r"x: expected torch.float32 \(2,\), the saved state has torch.float32 \(3,\)"),
        (torch.zeros(2), torch.zeros(2).long(), r"x: expected torch.float32 \(2,\), the saved state has torch.int64"),
        (1, torch.zeros(2), "x: expected a number, the saved state has a Tensor"),
        ({"a": 1}, {"b": 1}, r"x: the saved state lacks \['a'\] and has unknown \['b'\]"),
        ([1, 2], [1], "x: expected a list of 2 items"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(live, saved, complaint):
    with pytest.raises(StateMismatchError, match=complaint):
        restore(live, saved, "x")


def test_fields_are_the_arrays_and_numbers_of_an_object_and_nothing_else():
    owner = SimpleNamespace(count=2, buffer=torch.zeros(1), name="feet", env=object(), later=None, sums={"a": 1.0})
    assert numeric_fields(owner) == ["buffer", "count", "sums"]

    saved = capture_fields(owner, numeric_fields(owner))
    owner.count, owner.sums["a"] = 5, 9.0
    restore_fields(owner, saved, "owner")
    assert (owner.count, owner.sums["a"]) == (2, 1.0)


def test_a_field_that_the_object_lacks_is_refused():
    with pytest.raises(StateMismatchError, match="owner: the saved state has 'lost'"):
        restore_fields(SimpleNamespace(kept=1), {"lost": 1}, "owner")


def test_a_history_that_was_not_allocated_yet_is_allocated():
    from isaaclab.utils.buffers import CircularBuffer

    old = CircularBuffer(2, 3, "cpu")
    for value in (1.0, 2.0, 3.0):
        old.append(torch.full((3, 1), value))
    new = CircularBuffer(2, 3, "cpu")
    restore(new, capture(old), "history")
    assert new.buffer[0].flatten().tolist() == [2.0, 3.0]
    old.append(torch.full((3, 1), 4.0))
    new.append(torch.full((3, 1), 4.0))
    assert torch.equal(new.buffer, old.buffer)


def test_restored_generators_draw_the_same_numbers_again():
    import random

    saved = capture_generators()

    def draw():
        return random.random(), np.random.rand(), np.random.randn(), torch.rand(1).item()  # noqa: NPY002

    first = draw()
    assert draw() != first
    restore_generators(saved)
    assert draw() == first


def test_a_term_without_state_may_come_and_go_between_versions_and_no_other():
    live = {"rewards.trot": (None, ["_mirror_foot"]), "rewards.foot_slip": (None, [])}  # the latter was a function once
    assert _holders(live, {"rewards.trot": {"_mirror_foot": 1}, "rewards.sensors": {}}) == ["rewards.trot"]
    for saved in ({}, {"rewards.trot": {"_mirror_foot": 1}, "rewards.gone": {"_offsets": 1}}):
        with pytest.raises(StateMismatchError, match="was saved by another version of the task"):
            _holders(live, saved)
