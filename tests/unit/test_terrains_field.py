"""The field of ground that robots train on."""

import math

import numpy as np
import pytest

from surefoot.terrains.field import TrainingField, make_field
from surefoot.terrains.field_cfg import COLUMNS, FieldCfg
from surefoot.terrains.isaac_ground import CLEAR_M, RAISE_M
from surefoot.terrains.kinds import Rough, Stairs
from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot

GO2 = get_robot("unitree_go2")
LEG_M = 0.3235


@pytest.fixture(scope="module")
def field() -> TrainingField:
    return make_field(FieldCfg(), GO2)


def small(**columns: int) -> TrainingField:
    return make_field(FieldCfg(levels=2, first_levels=1, columns=columns), GO2)


def test_the_field_is_ten_levels_of_twenty_columns_on_one_grid(field: TrainingField) -> None:
    assert field.origins_w.shape == (10, 20, 3)
    assert field.columns[:4] == ("flat", "rough", "rough", "slope_up")
    assert {name: field.columns.count(name) for name in COLUMNS} == COLUMNS
    # 10 and 20 tiles of 120 cells of 5 cm, a border of 20 cells and a skirt of one on each side.
    assert field.grid.heights_m.shape == (1200 + 1 + 40 + 2, 2400 + 1 + 40 + 2)
    assert field.bounds_w == pytest.approx((-30.0, 30.0, CLEAR_M + 1.0, CLEAR_M + 121.0), abs=1e-4)


def test_robots_start_on_a_level_square_at_the_height_of_their_origin(field: TrainingField) -> None:
    around = np.linspace(-0.99, 0.99, 9)
    x = field.origins_w[..., 0, None, None] + around[:, None]
    y = field.origins_w[..., 1, None, None] + around
    assert np.abs(field.grid.height(x, y) - field.origins_w[..., 2, None, None]).max() < 1e-5


def test_tiles_meet_at_one_height_and_the_lowest_ground_is_above_the_plane(field: TrainingField) -> None:
    half = 0.5 * field.tile_m
    border = np.linspace(-half, half, 25)
    for axis in (0, 1):
        x, y = (field.origins_w[..., number, None] + (border if number == axis else half) for number in (0, 1))
        met = field.grid.height(x, y)
        assert np.ptp(met) < 1e-5
    inside = field.grid.heights_m[1:-1, 1:-1]
    assert inside.min() == pytest.approx(RAISE_M, abs=1e-6)
    edge = field.grid.heights_m.copy()
    edge[1:-1, 1:-1] = 0.0
    assert not edge.any()


def test_a_tile_is_its_kind_at_the_difficulty_of_its_level() -> None:
    field = small(stairs_up=1)
    # One of one column: difficulty (level + 0.5) / 2. Level 1: 0.75, steps of 0.15 + 0.75 * 0.45 = 0.4875 of the leg,
    # 0.4 - 0.075 = 0.325 m deep, which is six or seven cells; 30 cells from platform to rim are five steps either way.
    step_m = 0.4875 * LEG_M
    origin = field.origins_w[1, 0].astype(float)
    first = field.grid.height(origin[0] + 1.1, origin[1])
    rim = field.grid.height(origin[0] + 2.9, origin[1])
    assert first - origin[2] == pytest.approx(step_m, abs=1e-5)
    assert rim - origin[2] == pytest.approx(5 * step_m, abs=1e-5)
    assert field.origins_w[0, 0, 2] > origin[2]  # the easier stairs climb out of a shallower pit


def test_columns_of_one_kind_differ_in_difficulty_and_draw_their_own() -> None:
    field = small(rough=2)
    tiles = []
    for level in range(2):
        for column in range(2):
            x, y = np.linspace(1.2, 2.4, 20), np.linspace(-2.4, 2.4, 40)
            origin = field.origins_w[level, column].astype(float)
            tiles.append(field.grid.height(origin[0] + x[:, None], origin[1] + y) - origin[2])
    for difficulty, tile in zip((0.125, 0.375, 0.625, 0.875), tiles, strict=True):
        roughness_m = Rough.of_difficulty(difficulty, LEG_M).roughness_m
        assert 0.7 * roughness_m < np.abs(tile).max() < roughness_m
    unit = [tile / np.abs(tile).max() for tile in tiles]
    assert min(np.abs(unit[a] - unit[b]).max() for a in range(4) for b in range(a)) > 0.5


def test_sizes_are_relative_to_the_robots_legs() -> None:
    g1 = get_robot("unitree_g1")
    cfg = FieldCfg(levels=1, first_levels=1, columns={"stairs_down": 1})
    for spec in (GO2, g1):
        field = make_field(cfg, spec)
        step_m = Stairs.of_difficulty(0.5, spec.base_height_m).step_height_m
        x, y, z = field.origins_w[0, 0].astype(float)
        assert z - field.grid.height(x + 1.1, y) == pytest.approx(step_m, abs=1e-5)


def test_a_field_is_the_same_again_and_tells_itself_from_others() -> None:
    records = [
        small(rough=1).record(),
        small(rough=1).record(),
        make_field(FieldCfg(levels=2, first_levels=1, columns={"rough": 1}, seed=1), GO2).record(),
        make_field(FieldCfg(levels=2, first_levels=1, columns={"rough": 1}), get_robot("unitree_g1")).record(),
    ]
    assert records[0] == records[1]
    assert records[0] | {"heights": ""} == {"levels": 2, "columns": {"rough": 1}, "tile_m": 6.0, "heights": ""}
    assert len({record["heights"] for record in records}) == 3


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"columns": {"grass": 1}}, "Unknown kind of ground of a field 'grass'; valid: .*stairs_up"),
        ({"columns": {"stairs": 1}}, "Unknown kind of ground of a field 'stairs'; valid: .*stairs_up"),
        ({"columns": {"rough": -1}}, "-1 columns of rough; valid: whole numbers from 0"),
        ({"columns": {"rough": 0}}, "A field with 0 columns; valid: 1 to 100"),
        ({"levels": 0}, "A field with 0 levels; valid: 1 to 100"),
        ({"levels": 2}, "A field with 3 levels to begin on; valid: 1 to 2"),
        ({"tile_m": 3.0}, "A field with 3 metres to the edge of a tile; valid: 4 to 20"),
        ({"tile_m": math.nan}, "A field with nan metres to the edge"),
        ({"tile_m": 20.0}, r"heights of shape \(4043, 8043\); valid: two axes of 2 to 4096 nodes"),
    ],
)
def test_a_field_that_cannot_be_is_refused(fields: dict, message: str) -> None:
    with pytest.raises(SurefootError, match=message):
        make_field(FieldCfg(**fields), GO2)


def test_ground_that_a_robots_legs_cannot_reach_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from surefoot.terrains.ground import Growth

    monkeypatch.setattr(Stairs, "growth", {"step_height_m": Growth(0.5, 1.4)})
    with pytest.raises(
        SurefootError, match=r"Level 1 of stairs_up, made for unitree_go2: step_height_m is 0.3\d+; uni"
    ):
        small(stairs_up=1)
