"""The table draws what was declared, the same wherever and with whomever an environment is drawn."""

import numpy as np
import pytest
import torch
from tests.references.randomization import draw as draw_reference

from surefoot.randomization.layout import EVENTS, TableLayout
from surefoot.randomization.parameter import Parameter, absolute, offset, one_of, scale
from surefoot.randomization.table import RandomizationTable
from surefoot_bridge.errors import SurefootError

NEVER = 1e9


def make_parameter(name, nominal, **fields):
    values = {
        "unit": "-",
        "description": name,
        "over": "environment",
        "elements": tuple(str(index) if len(nominal) > 1 else "" for index in range(len(nominal))),
        "acts_on": "world",
        "mirror": "scalar",
    }
    return Parameter(name=name, nominal=tuple(nominal), **(values | fields))


def catalogue(*extra):
    return (
        make_parameter("mass", (2.0,), minimum=0.01),
        make_parameter("gain", (10.0, 20.0, 30.0, 40.0, 50.0)),
        make_parameter("surface", (1.0, 1.0), minimum=0.0),
        make_parameter("size", (1.0,), minimum=1e-3, occasion="startup"),
        *extra,
        *(
            make_parameter(name, (nominal,), occasion=event)
            for event in EVENTS
            for name, nominal in ((f"{event}_interval", NEVER), (f"{event}_x", 0.0))
        ),
    )


RANGES = {
    "mass": scale(0.5, 1.5),
    "gain": offset(-4.0, 4.0, distribution="truncated_normal"),
    "surface": one_of(0.8, 0.2, 0.4, shared=True),
    "size": absolute(0.1, 10.0, distribution="log_uniform"),
    "push_velocity_interval": absolute(0.06, 0.1),
    "push_velocity_x": absolute(-1.0, 1.0),
}


def make_table(num_envs=64, seed=1, rank=0, ranges=RANGES, parameters=None, device="cpu"):
    layout = TableLayout.build(parameters or catalogue(), ranges)
    return RandomizationTable(layout, num_envs=num_envs, device=device, seed=seed, rank=rank)


def ids(*envs):
    return torch.tensor(envs, dtype=torch.int32)


def reference_values(table, episodes, number=0, share=None):
    layout = table.layout
    envs = np.arange(table.num_envs)
    blocks = [block for block in layout.blocks if layout.is_random(layout.parameters[block.parameter].name)]
    return draw_reference(layout, blocks, envs=envs, episodes=episodes, number=number, key=(1, 0), share=share)


def test_the_kernel_draws_what_the_reference_draws():
    table = make_table(num_envs=200)

    expected = reference_values(table, np.zeros(200))
    assert sorted(expected) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    for column, values in expected.items():
        np.testing.assert_allclose(table.values[:, column].numpy(), values, rtol=3e-6)


def test_values_lie_in_their_ranges_and_fill_them():
    table = make_table(num_envs=4000)
    mass, gain, surface, size = (table.view(name) for name in ("mass", "gain", "surface", "size"))

    assert 1.0 <= mass.min() < 1.01
    assert 2.99 < mass.max() <= 3.0
    deviation = gain - torch.tensor([10.0, 20.0, 30.0, 40.0, 50.0])
    assert deviation.abs().max() <= 4.0 + 1e-5
    # A normal distribution cut off at two deviations has 0.8796 of its deviation (Johnson et al., ch. 13): 1.759.
    assert deviation.std() == pytest.approx(0.8796 * 2.0, rel=0.02)
    assert set(surface.unique().tolist()) == {np.float32(0.2), np.float32(0.4), np.float32(0.8)}
    torch.testing.assert_close(surface[:, 0], surface[:, 1], rtol=0, atol=0)
    assert size.min() >= 0.1
    assert size.max() <= 10.0
    assert size.log10().mean() == pytest.approx(0.0, abs=0.03)


def test_every_environment_has_values_of_its_own():
    table = make_table(num_envs=4096)

    assert len(table.view("mass").unique()) > 4080  # of 2^23 numbers, 4096 draws meet about once
    assert len(torch.unique(table.view("gain"), dim=0)) == 4096


def test_an_environment_draws_the_same_among_few_and_among_many():
    few, many = make_table(num_envs=4), make_table(num_envs=64)
    many.draw(ids(63, 2, 5))
    few.draw(ids(2))

    torch.testing.assert_close(few.values, many.values[:4], rtol=0, atol=0)


def test_the_order_of_resets_changes_nothing():
    one, other = make_table(), make_table()
    for env in (3, 9, 3):
        one.draw(ids(env))
    other.draw(ids(9, 3))
    other.draw(ids(3))

    torch.testing.assert_close(one.values, other.values, rtol=0, atol=0)


def test_another_parameter_moves_no_other_values():
    extended = make_table(parameters=catalogue(make_parameter("age", (1.0,))), ranges=RANGES | {"age": scale(1, 2)})

    torch.testing.assert_close(extended.view("gain"), make_table().view("gain"), rtol=0, atol=0)
    torch.testing.assert_close(extended.view("size"), make_table().view("size"), rtol=0, atol=0)


@pytest.mark.parametrize("robot", ["unitree_go2", "unitree_g1"])
def test_no_two_blocks_of_a_robots_table_draw_the_same_numbers(robot):
    from surefoot.randomization.catalogue import make_catalogue
    from surefoot_robots import get_robot

    blocks = TableLayout.build(make_catalogue(get_robot(robot)), {}).blocks
    assert len({block.stream for block in blocks}) == len(blocks)


def test_only_the_asked_for_environments_are_drawn():
    table = make_table()
    before = table.values.clone()
    table.draw(ids(0, 7, 63))

    changed = (table.values != before).any(dim=1).nonzero().squeeze(1)
    assert changed.tolist() == [0, 7, 63]
    assert table.episode.tolist() == [2 if env in (0, 7, 63) else 1 for env in range(64)]


def test_what_is_drawn_at_startup_stays():
    table = make_table()
    before = table.view("size").clone()
    table.draw(torch.arange(64, dtype=torch.int32))

    torch.testing.assert_close(table.view("size"), before, rtol=0, atol=0)


def test_a_hundred_draws_do_not_drift():
    table = make_table(num_envs=256)
    means = []
    for _ in range(100):
        table.draw(torch.arange(256, dtype=torch.int32))
        assert table.view("mass").min() >= 1.0
        assert table.view("mass").max() <= 3.0
        means.append(table.view("mass").mean().item())

    # Mean of 256 uniform numbers over [1, 3]: standard error 2 / sqrt(12 * 256) = 0.036.
    assert np.mean(means[:10]) == pytest.approx(2.0, abs=0.04)
    assert np.mean(means[-10:]) == pytest.approx(2.0, abs=0.04)


def test_seeds_and_ranks_have_values_of_their_own():
    first, same, seed, rank = make_table(), make_table(), make_table(seed=2), make_table(rank=1)

    torch.testing.assert_close(first.values, same.values, rtol=0, atol=0)
    for other in (seed, rank):
        assert (first.view("gain") == other.view("gain")).float().mean() < 0.01


def test_a_point_range_at_the_nominal_changes_nothing():
    table = make_table(ranges={"mass": scale(1.0, 1.0), "gain": offset(0.0, 0.0)})

    torch.testing.assert_close(table.values, table.values[:1].expand(64, -1), rtol=0, atol=0)
    assert table.view("gain")[0].tolist() == [10.0, 20.0, 30.0, 40.0, 50.0]
    assert not table.normalised.any()


def test_only_the_elements_that_a_pattern_names_are_drawn():
    table = make_table(ranges={"gain": scale(0.5, 1.5, only="[02]")})
    spread = table.view("gain").std(dim=0) > 0.0

    assert spread.tolist() == [True, False, True, False, False]


def test_a_share_of_the_range_narrows_the_draws_towards_the_nominal():
    table = make_table(num_envs=500)
    table.share[0] = torch.tensor([0.5, 0.1])
    table.draw(torch.arange(500, dtype=torch.int32))
    mass = table.view("mass")

    # The low end goes half the way from 1 to 0.5, the high end a tenth of the way from 1 to 1.5; nominal 2.
    assert mass.min() == pytest.approx(1.5, abs=0.01)
    assert mass.min() >= 1.5
    assert mass.max() == pytest.approx(2.1, abs=0.01)
    assert mass.max() <= 2.1 + 1e-6
    share = table.share.numpy()
    expected = reference_values(table, np.ones(500), share=share)
    np.testing.assert_allclose(mass[:, 0].numpy(), expected[0], rtol=3e-6)


def test_a_boundary_environment_is_drawn_at_its_end_and_elsewhere_as_ever():
    table, usual = make_table(), make_table()
    table.boundary[5], table.boundary[6] = 0, 1
    for each in (table, usual):
        each.draw(ids(5, 6))

    assert table.view("mass")[5:7, 0].tolist() == [1.0, 3.0]
    torch.testing.assert_close(table.view("gain"), usual.view("gain"), rtol=0, atol=0)


def test_normalised_draws_span_minus_one_to_one():
    table = make_table(num_envs=4000)
    for name in ("mass", "gain", "size"):
        draws = table.normalised[:, table.layout.column_slice(name)]
        assert draws.min() == pytest.approx(-1.0, abs=0.01)
        assert draws.max() == pytest.approx(1.0, abs=0.01)
        assert draws.mean() == pytest.approx(0.0, abs=0.04)
    mass = table.view("mass")
    torch.testing.assert_close(table.normalised[:, :1], mass - 2.0, rtol=0, atol=1e-6)


def test_pushes_come_when_their_interval_has_passed_with_new_values():
    table = make_table(num_envs=32)
    intervals, values = table.view("push_velocity_interval").clone(), table.view("push_velocity_x").clone()
    steps = (intervals[:, 0] / 0.02).round()  # 0.06 to 0.1 s are 3 to 5 control steps of 0.02 s
    first = torch.zeros(32)
    for step in range(1, 6):
        table.advance(0.02)
        first[table.event_due[:, 0] & (first == 0)] = step
        if step == 2:
            torch.testing.assert_close(table.view("push_velocity_x"), values, rtol=0, atol=0)

    torch.testing.assert_close(first, steps)
    assert (table.view("push_velocity_x") != values).all()
    assert not table.event_due[:, 1].any()


def test_a_restored_table_goes_on_as_the_first():
    table, restored = make_table(), make_table(seed=1)
    table.draw(ids(1, 2))
    for _ in range(4):
        table.advance(0.02)
    restored.load_state_dict(table.state_dict())
    for each in (table, restored):
        each.draw(ids(2, 3))
        each.advance(0.02)

    for name, value in table.state_dict().items():
        torch.testing.assert_close(restored.state_dict()[name], value, rtol=0, atol=0)


def test_a_table_of_another_size_is_refused():
    with pytest.raises(SurefootError, match="saved randomization has shapes"):
        make_table(num_envs=3).load_state_dict(make_table(num_envs=4).state_dict())


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ({"mas": scale(1, 2)}, "Unknown randomized parameter 'mas'; valid: mass, "),
        ({"mass": scale(1.5, 0.5)}, r"'mass': range \[1.5, 0.5\] is inverted; write the smaller first."),
        ({"mass": scale(0.5, float("inf"))}, r"'mass': range \[0.5, inf\] is not finite."),
        ({"mass": scale(-1, 1)}, r"scale range \[-1, 1\] reaches -2 -, which is outside \[0.01, inf\] -."),
        ({"mass": offset(-2, 0)}, r"offset range \[-2, 0\] reaches 0 -, which is outside"),
        ({"gain": scale(1, (1, 2))}, "'gain': high has 2 entries, but the parameter has 5: gain.0, "),
        ({"gain": scale(1, 2, only="7")}, "'gain': pattern '7' matches nothing; elements: 0, 1, 2, 3, 4."),
        ({"push_velocity_x": scale(1, 2)}, "push_velocity_x is nominally 0, and a factor of 0 changes nothing."),
        ({"size": offset(-0.5, 1, distribution="log_uniform")}, "a log-uniform range needs positive draws"),
        ({"size": absolute(1, 2, distribution="discrete")}, "with 0 choices; a discrete distribution needs choices"),
        ({"size": absolute(1, 2, distribution="normal")}, "Unknown distribution of parameter 'size': 'normal'; valid:"),
    ],
)
def test_a_range_that_cannot_be_meant_is_refused(ranges, message):
    with pytest.raises(SurefootError, match=message):
        TableLayout.build(catalogue(), ranges)


def test_a_nominal_value_that_does_not_exist_is_refused():
    with pytest.raises(SurefootError, match=r"Parameter 'mass': nominal -1 - is outside \[0, inf\] -."):
        make_parameter("mass", (-1,), minimum=0.0)


def test_a_seed_that_does_not_fit_a_word_is_refused():
    with pytest.raises(SurefootError, match="Seed -1 and rank 0 must be in"):
        make_table(seed=-1)
