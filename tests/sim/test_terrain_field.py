"""A whole training field in each engine: its heights, where robots start on it, and what a critic sees of it."""

import pytest
from tests.sim.children import ask

pytestmark = pytest.mark.sim


@pytest.fixture(scope="module", params=["ovphysx", "newton_mjwarp"])
def seen(request: pytest.FixtureRequest) -> dict:
    """What the probe saw in one engine."""
    return ask("terrain_field_probe", request.param)


def test_rays_meet_the_whole_field_where_the_grid_says(seen: dict) -> None:
    assert seen["ray_error_m"] < 1e-3


def test_robots_start_on_the_platforms_of_all_columns(seen: dict) -> None:
    assert seen["starting"]["columns"] == 20
    assert seen["starting"]["from_origin_m"] < 1e-3
    assert seen["starting"]["height_error_m"] < 1e-3


def test_heights_of_soles_and_bases_are_above_the_ground_of_their_tile(seen: dict) -> None:
    standing = seen["standing"]
    assert standing["on_all_feet"]
    assert standing["sole_height_m"] < 0.003  # soft contacts sink by about a millimetre
    lowest, highest = standing["base_height_m"]
    assert highest - lowest < 0.002  # whichever tile
    assert 0.25 < lowest < 0.3235  # they sag a little: nothing but their gains holds the default pose


def test_the_critic_sees_the_heights_of_the_grid(seen: dict) -> None:
    assert seen["scan_error_m"] < 1e-3


def test_robots_that_thrash_about_on_the_hardest_tiles_stay_finite_and_above_the_ground(seen: dict) -> None:
    assert seen["stumbling"]["finite"]
    assert seen["stumbling"]["base_above_ground_m"] > 0.0


def test_no_contact_or_constraint_is_dropped_for_lack_of_room_on_the_hardest_tiles(seen: dict) -> None:
    assert not {"contacts", "constraints"} & set(seen["stumbling"]["dropped"])
