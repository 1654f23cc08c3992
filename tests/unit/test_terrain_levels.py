"""Promotion and demotion on a field, by cases worked by hand; populations; what a resumed run is given."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import warp as wp

from surefoot.envs.mdp.curricula import terrain_levels
from surefoot.envs.terrain_levels import TerrainLevels
from surefoot.snapshot import StateMismatchError
from surefoot.terrains.field import TrainingField
from surefoot.terrains.field_cfg import FieldCfg
from surefoot.terrains.height_grid import HeightGrid
from surefoot.terrains.phases import plan_phases
from surefoot_bridge.errors import SurefootError

LEVELS, COLUMNS, TILE_M = 4, 3, 6.0
STEP_DT, EPISODE_STEPS = 0.02, 1000
"""A whole episode is 20 s."""


def make_field(*, height_m: float = 0.0) -> TrainingField:
    x, y = TILE_M * np.arange(LEVELS), 100.0 + TILE_M * np.arange(COLUMNS)
    origins = np.zeros((LEVELS, COLUMNS, 3), dtype=np.float32)
    origins[..., 0], origins[..., 1] = x[:, None], y
    origins[..., 2] = 0.1 * np.arange(LEVELS)[:, None]
    grid = HeightGrid(heights_m=np.full((2, 2), height_m), spacing_m=0.05, origin_xy_m=(0.0, 0.0))
    return TrainingField(grid=grid, origins_w=origins, columns=("flat", "rough", "rough"), tile_m=TILE_M)


def make_levels(num_envs: int, *, field: TrainingField | None = None, first: int = 1, seed: int = 0) -> TerrainLevels:
    wp.init()
    field = field or make_field()
    return TerrainLevels(
        field,
        plan_phases(FieldCfg(), field.columns, num_envs),
        first_levels=first,
        step_dt=STEP_DT,
        episode_steps=EPISODE_STEPS,
        seed=seed,
        rank=0,
        device="cpu",
    )


def poses(levels: TerrainLevels, way_m: list[tuple[float, float]], yaw: float = 0.0) -> wp.array:
    """Bases at some way from where their episodes began, facing ``yaw``."""
    pose = np.zeros((len(way_m), 7), dtype=np.float32)
    pose[:, :3] = levels.origins_w.numpy()
    pose[:, :2] += np.array(way_m, dtype=np.float32)
    pose[:, 5], pose[:, 6] = math.sin(yaw / 2), math.cos(yaw / 2)
    return wp.array(pose, dtype=wp.transformf, device="cpu")


def episode(
    levels: TerrainLevels,
    walked_m: list[float],
    *,
    speed: float = 0.5,
    steps: int = EPISODE_STEPS,
    fell: list[bool] | None = None,
    only: list[int] | None = None,
) -> list[int]:
    """Let an episode pass in which a velocity ahead is asked and some distance to the side is walked; the levels."""
    num_envs = len(levels.levels)
    command = torch.tensor([[speed, 0.0, 0.3]]).repeat(num_envs, 1)
    there = poses(levels, [(0.0, distance) for distance in walked_m])
    for _ in range(steps):
        levels.add_asked_way(command, there)
    ends = torch.tensor([only is None or env in only for env in range(num_envs)])
    levels.end_episodes(ends, there, torch.tensor(fell or [False] * num_envs))
    return levels.levels.tolist()


def at(levels: TerrainLevels, level: int) -> TerrainLevels:
    levels.load_state_dict({**levels.state_dict(), "levels": torch.full_like(levels.levels, level)})
    return levels


def test_environments_are_spread_over_columns_and_first_levels() -> None:
    levels = make_levels(6, first=2)
    assert levels.columns.tolist() == [0, 0, 1, 1, 2, 2]
    assert levels.levels.tolist() == [0, 1] * 3
    assert levels.origins_w[3].tolist() == pytest.approx([6.0, 106.0, 0.1])


def test_half_a_tile_is_far_enough_and_half_of_what_was_asked_too_little() -> None:
    # Half a tile is 3 m. At 0.5 m/s for 20 s 10 m are asked, of which 5 are half; at 0.25 m/s 5 m, half 2.5.
    assert episode(at(make_levels(3), 1), [3.1, 2.9, 0.0]) == [2, 0, 0]
    assert episode(at(make_levels(4), 1), [3.1, 2.6, 2.4, 0.0], speed=0.25) == [2, 1, 0, 0]
    assert episode(at(make_levels(2), 1), [3.1, 0.0], speed=0.0) == [2, 1]  # asked to stand


def test_a_robot_that_fell_is_held_against_the_whole_episode_and_one_whose_time_was_over_is_not() -> None:
    # 2 s at 0.5 m/s ask for 1 m; a whole episode would have asked for 10.
    levels = at(make_levels(2), 2)
    assert episode(levels, [0.8, 0.8], steps=100, fell=[True, False]) == [1, 2]


def test_the_way_that_was_asked_is_summed_as_the_robot_faces() -> None:
    # 5 m ahead while it faces x, then 5 m ahead while it faces y: 7.07 m in all, of which 2.9 m are less than half
    # and 3.6 m would be more; 3 m is half a tile, so that the longer way is promoted anyhow.
    levels = at(make_levels(1), 1)
    command = torch.tensor([[0.5, 0.0, 0.0]])
    for yaw in (0.0, math.pi / 2):
        for _ in range(500):
            levels.add_asked_way(command, poses(levels, [(0.0, 0.0)], yaw))
    assert levels.state_dict()["_asked_w"][0].tolist() == pytest.approx([5.0, 5.0], abs=1e-3)
    # There and back asks for nothing in all: who is where it began has done as it was told.
    for yaw in (math.pi, -math.pi / 2):
        for _ in range(500):
            levels.add_asked_way(command, poses(levels, [(0.0, 0.0)], yaw))
    levels.end_episodes(torch.tensor([True]), poses(levels, [(0.1, 0.0)]), torch.tensor([False]))
    assert levels.levels.tolist() == [1]
    assert levels.state_dict()["_asked_w"].tolist() == [[0.0, 0.0]]


def test_sideways_commands_count_to_the_side() -> None:
    levels = make_levels(1)
    levels.add_asked_way(torch.tensor([[0.3, 0.4, 1.0]]), poses(levels, [(0.0, 0.0)], math.pi / 2))
    assert levels.state_dict()["_asked_w"][0].tolist() == pytest.approx([-0.4 * STEP_DT, 0.3 * STEP_DT], abs=1e-7)


def test_nobody_goes_below_the_easiest_level_and_who_passes_the_hardest_goes_anywhere() -> None:
    assert episode(make_levels(2), [0.0, 0.0]) == [0, 0]
    passed = episode(at(make_levels(300), LEVELS - 1), [4.0] * 300)
    assert set(passed) == set(range(LEVELS))
    assert max(abs(passed.count(level) - 75) for level in range(LEVELS)) < 30  # four standard deviations of 7.5


def test_the_level_that_is_drawn_depends_on_the_seed_and_on_how_often_it_was() -> None:
    def twice(seed: int) -> list[list[int]]:
        levels = at(make_levels(50, seed=seed), LEVELS - 1)
        first = episode(levels, [4.0] * 50, steps=1)
        return [first, episode(at(levels, LEVELS - 1), [4.0] * 50, steps=1)]

    assert twice(0) == twice(0)
    assert twice(0)[0] != twice(1)[0]
    assert twice(0)[0] != twice(0)[1]


def test_only_environments_that_reset_move_and_the_next_episode_starts_on_their_new_tile() -> None:
    levels = at(make_levels(3), 1)
    assert episode(levels, [4.0, 4.0, 4.0], only=[2]) == [1, 1, 2]
    assert levels.origins_w[:, 0].tolist() == pytest.approx([6.0, 6.0, 12.0])
    assert levels.origins_w[:, 2].tolist() == pytest.approx([0.1, 0.1, 0.2])
    assert levels.state_dict()["_steps"].tolist() == [EPISODE_STEPS, EPISODE_STEPS, 0]


def test_an_episode_that_has_not_begun_changes_no_level() -> None:
    # Before the first reset robots stand anywhere.
    assert episode(at(make_levels(2), 1), [50.0, 0.0], steps=0) == [1, 1]


def test_a_place_that_is_no_number_changes_no_level() -> None:
    assert episode(at(make_levels(2), 1), [math.nan, 4.0]) == [1, 2]


def test_populations_conserve() -> None:
    levels, draw = make_levels(60, first=3), np.random.default_rng(3)
    columns = levels.columns.tolist()
    for _ in range(20):
        found = episode(levels, draw.uniform(0.0, 6.0, 60).tolist(), steps=20, fell=(draw.random(60) < 0.3).tolist())
        figures = levels.figures()
        shares = [figures[f"share_on_{level}"].item() for level in range(LEVELS)]
        assert sum(shares) == pytest.approx(1.0)
        assert shares == pytest.approx([found.count(level) / 60 for level in range(LEVELS)])
        assert figures["mean"].item() == pytest.approx(np.mean(found))
        assert figures["of_flat"].item() == pytest.approx(np.mean(found[:20]))
        assert figures["of_rough"].item() == pytest.approx(np.mean(found[20:]))
        assert levels.columns.tolist() == columns


def test_a_kind_of_which_no_environment_has_a_tile_has_no_level() -> None:
    assert make_levels(1).figures()["of_rough"].item() == 0.0


def test_a_restored_state_goes_on_as_the_one_that_was_saved() -> None:
    walked = np.random.default_rng(4).uniform(0.0, 6.0, (2, 40))
    levels, other = at(make_levels(40), 3), make_levels(40)
    episode(levels, walked[0].tolist(), steps=30)
    levels.add_asked_way(torch.ones(40, 3), poses(levels, [(0.0, 0.0)] * 40))
    other.load_state_dict(levels.state_dict())
    assert torch.equal(other.origins_w, levels.origins_w)
    first, again = (episode(one, walked[1].tolist(), steps=30) for one in (levels, other))
    assert first == again
    assert torch.equal(levels.state_dict()["_passed"], other.state_dict()["_passed"])


def test_a_checkpoint_has_no_more_than_it_needs() -> None:
    state = make_levels(8).state_dict()
    of_envs = {"levels", "_phases", "_asked_w", "_steps", "_passed"}
    assert set(state) == of_envs | {"_num_open", "_episodes", "_measured", "field", "phases"}
    assert sum(state[name].numel() for name in of_envs) == 8 * 6


def test_a_checkpoint_of_another_field_or_number_is_refused() -> None:
    state = make_levels(8).state_dict()
    message = r"trained on another field of ground: heights \w+, here \w+\. Resume it with the field.*--weights"
    with pytest.raises(StateMismatchError, match=message):
        make_levels(8, field=make_field(height_m=0.1)).load_state_dict(state)
    with pytest.raises(StateMismatchError, match="has 8 environments on the field, here are 9"):
        make_levels(9).load_state_dict(state)
    state["field"] = {**state["field"], "levels": 5}
    with pytest.raises(StateMismatchError, match=r"ground: levels 5, here 4\. Resume"):
        make_levels(8).load_state_dict(state)


def test_the_curriculum_moves_the_environments_that_reset_and_needs_a_field() -> None:
    levels = at(make_levels(3), 1)
    there = SimpleNamespace(warp=poses(levels, [(4.0, 0.0)] * 3))
    env = SimpleNamespace(
        terrain_levels=levels,
        termination_manager=SimpleNamespace(terminated=torch.zeros(3, dtype=torch.bool)),
        robot=SimpleNamespace(data=SimpleNamespace(root_link_pose_w=there)),
        num_envs=3,
        device="cpu",
    )
    levels.add_asked_way(torch.ones(3, 3), there.warp)
    assert terrain_levels(env, torch.tensor([0, 2]))["mean"].item() == pytest.approx(5 / 3)
    assert levels.levels.tolist() == [2, 1, 2]
    terrain_levels(env, slice(None))  # the one that has not reset yet
    assert levels.levels.tolist() == [2, 2, 2]
    env.terrain_levels = None
    with pytest.raises(SurefootError, match="needs a field of ground"):
        terrain_levels(env, slice(None))
