"""Phases of training on a field: who is in which, when the next opens, what is measured, by cases worked by hand."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import warp as wp
from tests.unit.tiny_learning import TinyEnv, tiny_config

from surefoot.envs.mdp.commands import CommandRange
from surefoot.envs.terrain_levels import TerrainLevels
from surefoot.learning.runner import SurefootRunner
from surefoot.snapshot import StateMismatchError
from surefoot.terrains.field import TrainingField
from surefoot.terrains.field_cfg import FieldCfg, PhaseCfg
from surefoot.terrains.height_grid import HeightGrid
from surefoot.terrains.phases import PhasePlan, plan_phases
from surefoot_bridge.errors import SurefootError

LEVELS, TILE_M, COLUMNS = 4, 6.0, ("flat", "slope_up", "slope_down")
EPISODE_STEPS, ASKED_M = 1000, 5.0
"""Of 5 m that are asked at least 2.5 are walked by who succeeds; who walks more than 3 goes up a level."""

NUM_ENVS = 83
"""Three phases have one environment each, and share the other 80 by weights 1, 1 and 2: 21, 21 and 41."""


def phases(**changes: dict) -> dict[str, PhaseCfg | None]:
    given = {
        "stand": {"ground": ("flat",), "weight": 1.0, "commands": 0.0, "success": 0.9},
        "walk": {"ground": ("flat", "rough"), "weight": 1.0, "commands": 0.5, "success": 0.5, "level": 1.0},
        "slopes": {"ground": ("slope_up", "slope_down"), "weight": 2.0, "success": 0.5},
    }
    return {name: PhaseCfg(**{**phase, **changes.get(name, {})}) for name, phase in given.items()}


def plan(num_envs: int = NUM_ENVS, **fields) -> PhasePlan:
    return plan_phases(FieldCfg(**{"levels": LEVELS, "phases": phases(), **fields}), COLUMNS, num_envs)


def make_levels(made: PhasePlan | None = None, *, first_levels: int = 1) -> TerrainLevels:
    wp.init()
    origins = np.zeros((LEVELS, len(COLUMNS), 3), dtype=np.float32)
    origins[..., 0], origins[..., 1] = TILE_M * np.arange(LEVELS)[:, None], TILE_M * np.arange(len(COLUMNS))
    grid = HeightGrid(heights_m=np.zeros((2, 2)), spacing_m=0.05, origin_xy_m=(0.0, 0.0))
    field = TrainingField(grid=grid, origins_w=origins, columns=COLUMNS, tile_m=TILE_M)
    rest = {"step_dt": 0.02, "episode_steps": EPISODE_STEPS, "seed": 0, "rank": 0, "device": "cpu"}
    return TerrainLevels(field, made or plan(), first_levels=first_levels, **rest)


def end(levels: TerrainLevels, walked_m, *, fell=(), only=None) -> None:
    """End episodes, in which robots were asked for 5 m times what their phase asks, and of which some fell."""
    num_envs = len(levels.levels)
    pose = np.zeros((num_envs, 7), dtype=np.float32)
    pose[:, :3], pose[:, 6] = levels.origins_w.numpy(), 1.0
    asked = torch.zeros(num_envs, 3)
    asked[:, 0] = ASKED_M / 0.02 * levels.command_share  # in one control step
    levels.add_asked_way(asked, wp.array(pose, dtype=wp.transformf, device="cpu"))
    pose[:, 1] += np.broadcast_to(walked_m, num_envs)
    ends = torch.tensor([only is None or env in only for env in range(num_envs)])
    fallen = torch.tensor([env in fell for env in range(num_envs)])
    levels.end_episodes(ends, wp.array(pose, dtype=wp.transformf, device="cpu"), fallen)


def number(levels: TerrainLevels, name: str) -> float:
    return levels.figures()[name].item()


def robots(levels: TerrainLevels) -> list[int]:
    """Environments of each phase."""
    return [round(number(levels, f"share_of_phase_{name}") * len(levels.levels)) for name in phases()]


def at_slopes() -> TerrainLevels:
    """With all phases open, and every environment in its own."""
    levels = make_levels(plan(first_phase="slopes"))
    assert robots(levels) == [21, 21, 41]
    return levels


def test_a_phase_keeps_its_part_and_the_newest_has_the_parts_of_those_that_are_shut() -> None:
    made = plan()
    assert np.bincount(made.home).tolist() == [21, 21, 41]
    assert (np.diff(made.home) >= 0).all()
    assert (made.columns[0] == 0).all()
    assert made.columns[1].tolist() == [-1] * 21 + [0] * 62
    assert made.columns[2].tolist() == [-1] * 42 + [1] * 21 + [2] * 20
    assert made.episodes.tolist() == [[83, 21], [62, 21], [41, 41]]


def test_success_is_measured_over_a_hundred_episodes_at_most_and_over_twenty_at_least() -> None:
    assert plan(803).episodes.tolist() == [[100, 100], [100, 100], [100, 100]]
    assert plan(3).episodes.tolist() == [[20, 20]] * 3
    assert plan(3).home.tolist() == [0, 1, 2]


def test_environments_of_a_phase_are_spread_over_its_columns_whichever_is_the_newest() -> None:
    columns = plan_phases(FieldCfg(levels=LEVELS, phases={"all": phases()["slopes"]}), COLUMNS[1:], 6).columns
    assert columns.tolist() == [[0, 0, 0, 1, 1, 1]]
    two = {name: PhaseCfg(ground=COLUMNS[1:], weight=1.0, success=0.5) for name in ("first", "second")}
    columns = plan_phases(FieldCfg(levels=LEVELS, phases=two), COLUMNS[1:], 12).columns
    assert columns.tolist() == [[0, 0, 0, 1, 1, 1] * 2, [-1] * 6 + [0, 0, 0, 1, 1, 1]]


def test_all_begin_in_the_first_phase_which_asks_them_to_stand() -> None:
    levels = make_levels()
    assert robots(levels) == [83, 0, 0]
    assert number(levels, "open_phases") == 1.0
    assert not levels.command_share.any()
    assert math.isnan(number(levels, "success_of_phase_stand"))


def test_a_phase_opens_at_the_success_that_is_asked_of_the_one_before_and_not_below() -> None:
    for fallen, opened in ((9, 1.0), (8, 2.0)):  # 74 of 83 are 89.2 %, 75 are 90.4 %
        levels = make_levels()
        end(levels, 0.0, fell=range(fallen))
        assert number(levels, "success_of_phase_stand") == pytest.approx(1.0 - fallen / 83)
        assert number(levels, "open_phases") == opened


def test_nothing_opens_before_enough_episodes_have_ended() -> None:
    levels = make_levels()
    end(levels, 0.0, only=range(82))
    assert number(levels, "open_phases") == 1.0
    end(levels, 0.0, only=[82])
    assert number(levels, "open_phases") == 2.0


def test_what_was_measured_is_forgotten_when_as_many_episodes_have_ended_again() -> None:
    levels = make_levels()
    for fallen, opened in ((83, 1.0), (40, 1.0), (0, 2.0)):
        end(levels, 0.0, fell=range(fallen))
        assert number(levels, "open_phases") == opened


def test_environments_come_to_a_phase_that_opens_as_their_episodes_end_and_earlier_ones_keep_their_part() -> None:
    levels = make_levels()
    end(levels, 0.0)
    assert robots(levels) == [83, 0, 0]
    end(levels, 0.0, only=range(40))
    assert robots(levels) == [64, 19, 0]
    assert levels.command_share.tolist() == [0.0] * 21 + [0.5] * 19 + [0.0] * 43
    end(levels, 0.0, only=range(40, 83))
    assert robots(levels) == [21, 62, 0]
    end(levels, [0.0] * 21 + [3.1] * 62)  # who walks goes up to level 1
    assert number(levels, "level_of_phase_walk") == 1.0
    assert number(levels, "open_phases") == 3.0
    end(levels, [0.0] * 21 + [3.1] * 62)
    assert robots(levels) == [21, 21, 41]
    assert levels.columns.tolist() == [0] * 42 + [1] * 21 + [2] * 20
    assert levels.levels.tolist() == [0] * 21 + [2] * 21 + [0] * 41  # those who came begin anew
    assert levels.origins_w[-1].tolist() == [0.0, 2 * TILE_M, 0.0]
    assert levels.command_share.unique().tolist() == [0.0, 0.5, 1.0]


def test_a_phase_of_all_levels_begins_on_all_of_them() -> None:
    levels = make_levels(plan(phases=phases(walk={"all_levels": True})), first_levels=2)
    assert levels.levels[:4].tolist() == [0, 1, 0, 1]
    end(levels, 0.0)
    end(levels, 0.0)
    assert levels.levels[:22].tolist() == [0, 1] * 10 + [0, 1]  # 21 go on standing, and 21 is 1 more than 5 times 4
    assert levels.levels[22:27].tolist() == [2, 3, 0, 1, 2]


def test_ground_on_which_robots_only_stand_belongs_to_no_phase() -> None:
    with pytest.raises(SurefootError, match="No phase walks on the field's columns of slope_down, slope_up"):
        plan(phases={**phases(stand={"ground": COLUMNS}), "slopes": None})


def test_success_alone_does_not_open_a_phase_while_robots_are_on_too_low_a_level() -> None:
    levels = make_levels(plan(first_phase="walk"))
    stood = [0.0] * 21
    end(levels, [*stood, *[2.9] * 62])
    assert number(levels, "success_of_phase_walk") == 1.0
    assert number(levels, "open_phases") == 2.0
    end(levels, [*stood, *[3.1] * 61, 2.9])  # 61 levels for 62 robots
    assert number(levels, "open_phases") == 2.0
    end(levels, [*stood, *[3.1] * 62])
    assert number(levels, "open_phases") == 3.0


def test_no_phase_opens_while_an_earlier_one_is_forgotten() -> None:
    levels = make_levels(plan(first_phase="walk"))
    walked = [0.0] * 21 + [3.1] * 62
    end(levels, walked, fell=range(3))  # 18 of 21 stand: 85.7 %
    assert number(levels, "success_of_phase_walk") == 1.0
    assert number(levels, "open_phases") == 2.0
    end(levels, walked, fell=range(2))  # 90.5 %
    assert number(levels, "open_phases") == 3.0


def test_what_an_episode_must_be_to_succeed() -> None:
    levels = at_slopes()
    # Environment 0 stood at 0.9 m, 1 went off; 21 and 22 were asked for 2.5 m, 42 to 45 for 5 m.
    walked = {0: 0.9, 1: 1.1, 21: 1.3, 22: 1.2, 42: 2.6, 43: 2.4, 44: math.nan, 45: 2.6}
    end(levels, [walked.get(env, 0.0) for env in range(NUM_ENVS)], fell=[45], only=walked)
    counted = levels.state_dict()["_episodes"].sum(dim=1).tolist()
    assert counted == [[2, 1], [2, 1], [4, 1]]


def test_promotion_and_demotion_hold_within_a_phase() -> None:
    levels = at_slopes()
    walked = [0.0] * 42 + [3.1] * 41
    end(levels, walked)
    end(levels, [*walked[:42], *[3.1] * 10, *[2.9] * 10, *[0.0] * 21])
    assert levels.levels.tolist() == [0] * 42 + [2] * 10 + [1] * 10 + [0] * 21
    assert levels.columns.tolist() == [0] * 42 + [1] * 21 + [2] * 20
    assert number(levels, "success_on_1") == pytest.approx(20 / 41)
    assert number(levels, "of_slope_up") == pytest.approx(30 / 21)


def test_populations_conserve() -> None:
    levels, draw = make_levels(first_levels=2), np.random.default_rng(1)
    seen = set()
    for _ in range(40):
        chosen = np.flatnonzero(draw.random(NUM_ENVS) < 0.5)
        walked = np.where(levels.command_share > 0.0, draw.uniform(1.0, 5.0, NUM_ENVS), 0.0)
        end(levels, walked, only=set(chosen.tolist()))
        figures = levels.figures()
        seen.add(figures["open_phases"].item())
        assert sum(robots(levels)) == NUM_ENVS
        shares = [figures[f"share_on_{level}"].item() for level in range(LEVELS)]
        assert shares == pytest.approx([(levels.levels == level).float().mean().item() for level in range(LEVELS)])
        of_kind = [(levels.columns == column).sum().item() for column in range(3)]
        assert of_kind[0] == sum(robots(levels)[:2])
        assert levels.origins_w[:, 0].tolist() == (TILE_M * levels.levels).tolist()
        assert levels.origins_w[:, 1].tolist() == (TILE_M * levels.columns).tolist()
    assert seen == {1.0, 2.0, 3.0}


def test_a_restored_state_goes_on_as_the_one_that_was_saved() -> None:
    levels, other = make_levels(), make_levels()
    end(levels, 0.0)
    end(levels, 0.0, only=range(50))
    other.load_state_dict(levels.state_dict())
    walked = np.random.default_rng(2).uniform(0.0, 6.0, (6, NUM_ENVS))
    for row in walked:
        for one in (levels, other):
            end(one, np.where(one.command_share > 0.0, row, 0.0))
        assert [str(value) for value in levels.figures().values()] == [str(value) for value in other.figures().values()]
        assert torch.equal(levels.origins_w, other.origins_w)
        assert torch.equal(levels.command_share, other.command_share)
    assert number(other, "open_phases") == 3.0


def test_a_checkpoint_of_other_phases_is_refused_with_those_that_are_here() -> None:
    state = make_levels().state_dict()
    steeper = make_levels(plan(phases=phases(slopes={"weight": 3.0})))
    with pytest.raises(StateMismatchError, match=r"on other phases: slopes .*'weight': 2.0.*, here .*3.0.*--weights"):
        steeper.load_state_dict(state)
    fewer = make_levels(plan(phases={**phases(), "slopes": None, "walk": phases(walk={"ground": COLUMNS})["walk"]}))
    with pytest.raises(StateMismatchError, match=r"slopes .*, here none\. Resume it with the phases"):
        fewer.load_state_dict(state)
    turned = make_levels(plan(phases=dict(reversed(phases().items()))))
    with pytest.raises(StateMismatchError, match="on other phases: in the order stand, walk, slopes"):
        turned.load_state_dict(state)


def test_a_run_that_goes_on_with_other_environments_has_the_same_phases_open() -> None:
    levels = make_levels(plan(43))
    levels.load_open(at_slopes().open_state())
    assert number(levels, "open_phases") == 3.0
    end(levels, 0.0)
    assert robots(levels) == [11, 11, 21]
    levels.load_open(None)  # of a run that was saved without phases
    with pytest.raises(StateMismatchError, match="other phases"):
        make_levels(plan(phases={})).load_open(levels.open_state())


def test_a_checkpoint_without_its_simulation_holds_which_phases_are_open(tmp_path) -> None:
    def runner(levels: TerrainLevels) -> SurefootRunner:
        env = TinyEnv()
        env.terrain_levels = levels
        return SurefootRunner(env, tiny_config())

    runner(at_slopes()).save(str(tmp_path / "model.pt"))
    begun = make_levels()
    runner(begun).load(str(tmp_path / "model.pt"))
    assert number(begun, "open_phases") == 3.0


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"first_phase": "stairs"}, "'stairs'.*stand.*walk.*slopes"),
        ({"phases": phases(slopes={"ground": ("cliffs",)})}, "kind of ground of phase slopes 'cliffs'.*stairs_up"),
        ({"phases": phases(walk={"ground": ("gaps",)})}, "Phase walk has no column: .* of gaps; it has flat, slope_up"),
        ({"phases": phases(walk={"weight": 0.0})}, "Phase walk: weight is 0.0; valid: above 0"),
        ({"phases": phases(walk={"commands": 1.5})}, "Phase walk: commands is 1.5; valid: from 0"),
        ({"phases": phases(walk={"success": 0.0})}, r"Phase walk: success is 0.0; valid: in \(0, 1\]"),
        ({"phases": phases(walk={"level": 4.0})}, "Phase walk: level is 4.0; valid: from 0 to 3"),
        ({"phases": phases(walk={"level": math.nan})}, "Phase walk: level is nan"),
        ({"phases": {**phases(), "slopes": None}}, "of slope_down, slope_up. Add .* phase .stand, walk.*slope_down=0"),
    ],
)  # fmt: skip
def test_phases_that_cannot_be_meant_are_refused(fields: dict, message: str) -> None:
    with pytest.raises(SurefootError, match=message):
        plan(**fields)


def test_fewer_environments_than_phases_are_refused() -> None:
    with pytest.raises(SurefootError, match=r"2 environments are too few for the 3 phases .*; valid: 3"):
        plan(2)


def test_the_phases_of_the_rough_task_train_on_every_kind_of_ground() -> None:
    from surefoot.terrains.field_cfg import COLUMNS as ALL
    from surefoot_tasks.velocity.rough_env_cfg import PHASES

    columns = [name for name, count in ALL.items() for _ in range(count)]
    made = plan_phases(FieldCfg(phases=PHASES), columns, 1024)
    assert list(made.phases) == ["stand", "flat", "rough", "slopes", "stairs", "mixed"]
    assert set(made.columns[-1]) | {column for row in made.columns for column in row} == {-1, *range(20)}
    assert sum(phase.weight for phase in PHASES.values()) == 20.0


def test_the_command_range_is_judged_by_those_that_are_asked_to_move() -> None:
    velocity = torch.zeros(NUM_ENVS, 3)
    command = torch.zeros(NUM_ENVS, 3)
    command[21:, 0] = 1.0  # walks at no speed: exp(-4) of the reward
    term, levels = SimpleNamespace(range_share=torch.tensor(0.95)), at_slopes()
    env = SimpleNamespace(
        command_manager=SimpleNamespace(get_term=lambda name: term),
        locomotion=SimpleNamespace(base_lin_vel_b=velocity),
        command=command,
        terrain_levels=levels,
        common_step_counter=120,
    )
    curriculum = CommandRange(SimpleNamespace(params={}), env)

    def share(threshold: float) -> float:
        env.common_step_counter += 120
        return curriculum(env, [], std=0.5, threshold=threshold, increment=0.1, interval_steps=120).item()

    # The mean over all would be 21 / 83 + 62 / 83 * 0.018 = 0.27.
    assert share(0.1) == pytest.approx(0.95)
    velocity[21:, 0] = 1.0
    assert share(0.9) == 1.0
    env.terrain_levels = None
    term.range_share.fill_(0.2)
    assert share(0.9) == pytest.approx(0.3)
