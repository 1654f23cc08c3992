"""Terrains in each engine that runs on a CPU: heights are the grid's, and robots stand and fall on them."""

import pytest
from tests.sim.children import ask

pytestmark = pytest.mark.sim


@pytest.fixture(scope="module", params=["ovphysx", "newton_mjwarp"])
def seen(request: pytest.FixtureRequest) -> dict:
    """What the probe saw in one engine."""
    return ask("terrains_probe", request.param)


def by_terrain(seen: dict, values: list) -> dict:
    return dict(zip(seen["terrains"], values, strict=True))


def test_rays_meet_the_ground_where_the_grid_says(seen: dict) -> None:
    assert max(seen["ray_error_m"]) < 1e-3, by_terrain(seen, seen["ray_error_m"])


def test_robots_in_the_same_place_do_not_touch_each_other(seen: dict) -> None:
    for terrain, heights in by_terrain(seen, seen["standing"]["base_height_m"]).items():
        assert heights[0] == pytest.approx(heights[1], abs=1e-4), terrain


def test_robots_stand_at_the_origin_of_every_terrain_as_on_flat_ground(seen: dict) -> None:
    standing = seen["standing"]
    flat_height_m = standing["base_height_m"][0][0]
    for terrain, height_m in by_terrain(seen, standing["base_height_m"]).items():
        assert height_m[0] == pytest.approx(flat_height_m, abs=1e-3), terrain
    for terrain, ratio in by_terrain(seen, standing["weight_ratio"]).items():
        assert ratio[:2] == pytest.approx([1.0, 1.0], abs=0.05), terrain
    for terrain, force_n in by_terrain(seen, standing["fall_force_n"]).items():
        assert force_n[:2] == [0.0, 0.0], terrain


def test_standing_soles_are_on_the_ground(seen: dict) -> None:
    for terrain, gap_m in by_terrain(seen, seen["standing"]["gap_m"]).items():
        assert max(gap_m[:2]) < 0.003, terrain  # soft contacts sink by about a millimetre
    assert max(by_terrain(seen, seen["standing"]["gap_m"])["rough up"]) < 0.003


def test_no_sole_goes_deeper_than_into_a_plane(seen: dict) -> None:
    for phase, slack_m in (("standing", 0.005), ("stumbling", 0.008)):  # landing on an edge or on two triangles
        deepest_m = by_terrain(seen, seen[phase]["deepest_m"])
        on_a_plane_m = max(deepest_m["flat up"])
        for terrain, depth_m in deepest_m.items():
            if seen["physics"] == "newton_mjwarp" and terrain.startswith(("gaps", "stones")) and phase == "stumbling":
                continue  # feet that fall into a trench get into its walls
            assert max(depth_m) < on_a_plane_m + slack_m, (phase, terrain)


def test_robots_that_thrash_about_stay_finite_and_above_the_ground(seen: dict) -> None:
    assert seen["stumbling"]["finite"]
    assert min(seen["stumbling"]["base_above_ground_m"]) > 0.0


def test_no_contact_or_constraint_is_dropped_for_lack_of_room(seen: dict) -> None:
    assert not {"contacts", "constraints"} & set(seen["stumbling"]["dropped"])
