"""Resets by a mask, in Newton, against those by indices."""

import pytest
from tests.sim.children import ask

pytestmark = pytest.mark.sim


@pytest.fixture(scope="module")
def seen() -> dict:
    """What follows either way."""
    return ask("masked_reset_probe")


@pytest.mark.parametrize("count", [0, 1, 12])
def test_environments_that_reset_by_a_mask_go_on_as_by_indices_bit_for_bit(seen: dict, count: int) -> None:
    of_count = seen["seen"][str(count)]
    assert len(of_count["reset"]) == count
    assert of_count["reset"] == of_count["reset_by_index"]
    assert of_count["repeats"] == []
    assert of_count["differs"] == []


@pytest.mark.parametrize("count", [1, 12])
def test_what_is_logged_of_the_episodes_that_ended_is_the_same_to_rounding(seen: dict, count: int) -> None:
    of_count = seen["seen"][str(count)]
    assert of_count["log"] == pytest.approx(of_count["log_by_index"], rel=1e-5, abs=1e-7)


def test_a_reset_by_a_mask_waits_for_nothing_and_allocates_what_it_hands_out(seen: dict) -> None:
    assert seen["waits"] == {}
    assert set(seen["allocations"]) <= {"aten.clone"}
    assert seen["launches"] <= 34
