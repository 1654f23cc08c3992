"""Adaptive ranges count what ended, move the ends that the rule says, and leave everything else alone."""

import numpy as np
import pytest
import torch
import warp as wp
from tests.references import adaptive_ranges as reference
from tests.unit.adaptive_rig import (
    FRICTION,
    PAYLOAD,
    everyone,
    ids,
    make_adaptive,
    make_table,
    rule_of,
    share_of,
    succeed,
)

from surefoot.randomization.adaptive.bounds import adaptive_bounds, declared_ranges


def decide_once(adaptive, table, num_failed):
    """Let an episode of each environment begin at the one bound and end, the first ones with a failure."""
    adaptive.record(everyone(table), succeed(table))
    adaptive.update()
    adaptive.record(everyone(table), succeed(table, *range(num_failed)))
    adaptive.update()


def test_what_adapts_are_the_ends_of_what_is_drawn_at_resets_and_by_pushes_that_come():
    bounds = adaptive_bounds(make_table().layout, "bounds")

    assert [(bound.name, bound.boundary, bound.ends) for bound in bounds] == [
        ("friction/low", 0, (0,)),
        ("friction/high", 1, (1,)),
        ("mass/low", 2, (2,)),
        ("mass/high", 3, (3,)),
        ("payload/high", 5, (4, 5)),  # 0 to 3 around 0: the far end, and both move
        ("noise/high", 11, (10, 11)),
        ("push_velocity/low", 16, (16,)),
        ("push_velocity/high", 17, (17,)),
    ]
    (everything,) = adaptive_bounds(make_table().layout, "all")
    assert everything == ("all", -1, (0, 1, 2, 3, 4, 5, 10, 11, 16, 17))


def test_the_first_episode_has_the_initial_shares_and_what_does_not_adapt_its_whole_range():
    _, table = make_adaptive(num_envs=2000, initial_share=0.5)

    assert [share_of(table, name)[0] for name in ("friction", "noise", "push_velocity")] == [0.5, 0.5, 0.5]
    others = ("surface", "size", "push_velocity_interval", "push_force")
    assert [share_of(table, name) for name in others] == [[1.0, 1.0]] * 4
    # Half of the way from 0.8 to 0.1 and to 1.2.
    assert table.view("friction").min() == pytest.approx(0.45, abs=1e-3)
    assert table.view("friction").max() == pytest.approx(1.0, abs=1e-3)
    assert table.view("noise").max() == pytest.approx(0.15, abs=1e-3)
    assert table.view("size").min() < 0.51


@pytest.mark.parametrize("scheme", ["bounds", "all"])
def test_the_kernels_compute_what_the_reference_computes(scheme):
    fields = {"scheme": scheme, "episodes_per_decision": 7, "rate": 0.07, "floor": 0.05}
    adaptive, table = make_adaptive(num_envs=150, **fields)
    state = {name: getattr(adaptive, name).numpy().copy() for name in ("counts", "pooled", "measured", "latest")}
    share, boundary = table.share.numpy().copy(), table.boundary.numpy().copy()
    rng = np.random.default_rng(0)
    codes, first_end, ends = (
        np.array([bound.boundary for bound in adaptive.bounds]),
        np.cumsum([0, *(len(bound.ends) for bound in adaptive.bounds)]),
        np.array([end for bound in adaptive.bounds for end in bound.ends]),
    )
    seen = set()
    for update in range(80):
        for _ in range(2):
            envs = rng.permutation(150)[: rng.integers(0, 120)]
            success = rng.random(150) < (0.6 if 20 < update < 40 else 0.95)
            reference.record_and_choose(
                envs,
                success,
                table.episode.numpy(),
                codes,
                state["pooled"],
                7,
                0.5 if scheme == "bounds" else 1.0,
                (1, 0),
                measured=state["measured"],
                counts=state["counts"],
                boundary=boundary,
            )
            adaptive.record(ids(*envs), torch.from_numpy(success))
            table.draw(ids(*envs))
            np.testing.assert_array_equal(adaptive.counts.numpy(), state["counts"])
            np.testing.assert_array_equal(adaptive.measured.numpy(), state["measured"])
            np.testing.assert_array_equal(table.boundary.numpy(), boundary)
        adaptive.update()
        moved = {name: state[name] for name in ("counts", "pooled", "latest")}
        reference.decide(first_end, ends, rule_of(adaptive.cfg), share=share, **moved)
        for name, values in moved.items():
            np.testing.assert_array_equal(getattr(adaptive, name).numpy(), values)
        np.testing.assert_array_equal(table.share.numpy(), share)
        seen |= set(share[0].tolist())
    assert len(seen) > 3  # it did move


def test_an_end_widens_once_exactly_the_asked_for_episodes_have_begun_and_ended():
    adaptive, table = make_adaptive(4, PAYLOAD, boundary_share=1.0, episodes_per_decision=4)
    adaptive.record(everyone(table), succeed(table))  # begins four episodes; what ended was at no bound
    adaptive.update()
    assert adaptive.pooled.tolist() == [[4, 0, 0]]
    assert adaptive.measured.tolist() == [0, 0, 0, 0]

    adaptive.record(ids(2, 0, 1), succeed(table))
    adaptive.update()
    assert adaptive.pooled.tolist() == [[4, 3, 3]]
    assert adaptive.measured.tolist() == [-1, -1, -1, 0]  # at the bound, but the decision takes no more
    assert table.boundary.tolist() == [5, 5, 5, 5]
    assert share_of(table, "payload") == pytest.approx([0.2, 0.2])

    adaptive.record(ids(3), succeed(table))
    adaptive.update()
    assert share_of(table, "payload") == pytest.approx([0.3, 0.3])
    assert adaptive.pooled.tolist() == [[0, 0, 0]]
    assert adaptive.ranges_in_use() == {"payload": pytest.approx((0.0, 0.9))}


@pytest.mark.parametrize(("failed", "share"), [(0, 0.6), (1, 0.6), (2, 0.5), (3, 0.5), (4, 0.4), (10, 0.4)])
def test_thresholds_belong_to_the_side_that_moves(failed, share):
    thresholds = {"widen_above": 0.9, "narrow_below": 0.6, "initial_share": 0.5}
    adaptive, table = make_adaptive(10, PAYLOAD, boundary_share=1.0, episodes_per_decision=10, **thresholds)
    decide_once(adaptive, table, failed)

    assert share_of(table, "payload") == pytest.approx([share, share])
    assert adaptive.pooled.tolist() == [[0, 0, 0]]


def test_shares_stay_between_floor_and_ceiling():
    limits = {"floor": 0.1, "ceiling": 0.45, "rate": 0.2}
    adaptive, table = make_adaptive(4, PAYLOAD, boundary_share=1.0, episodes_per_decision=4, **limits)
    shares = []
    for failed in (0, 0, 0, 4, 4, 4):
        decide_once(adaptive, table, failed)
        shares.append(share_of(table, "payload")[1])

    assert shares == pytest.approx([0.4, 0.45, 0.45, 0.25, 0.1, 0.1])


def test_the_simple_scheme_multiplies_all_shares_by_1_1_or_0_9():
    adaptive, table = make_adaptive(10, scheme="all", episodes_per_decision=10, initial_share=0.5)
    shares = []
    for failed in (0, 2, 10):  # widens, stays, narrows
        decide_once(adaptive, table, failed)
        assert share_of(table, "friction") == share_of(table, "push_velocity") == share_of(table, "payload")
        shares.append(share_of(table, "mass")[0])

    assert shares == pytest.approx([0.55, 0.55, 0.495])
    assert table.boundary.tolist() == [-1] * 10
    assert share_of(table, "surface") == share_of(table, "size") == [1.0, 1.0]


def test_episodes_are_at_a_bound_as_often_as_asked_for_and_at_each_bound_alike():
    adaptive, table = make_adaptive(20000, boundary_share=0.4)
    adaptive.record(everyone(table), succeed(table))
    places, counts = table.boundary.unique(return_counts=True)

    # Standard errors: sqrt(0.4 * 0.6 / 20000) = 0.0035 of 0.4, and of an eighth of that 0.0015.
    assert places.tolist() == [-1, 0, 1, 2, 3, 5, 11, 16, 17]
    assert counts[0] / 20000 == pytest.approx(0.6, abs=0.0105)
    for count in counts[1:]:
        assert count / 20000 == pytest.approx(0.05, abs=0.0046)


def test_bounds_that_have_their_episodes_leave_the_next_ones_to_the_others():
    adaptive, table = make_adaptive(9000, boundary_share=1.0, episodes_per_decision=50)
    adaptive.pooled[:, 0] = torch.tensor([50, 49, 60, 50, 0, 50, 50, 12])
    adaptive.record(everyone(table), succeed(table))
    places, counts = adaptive.measured.unique(return_counts=True)
    assert places.tolist() == [1, 4, 7]
    assert counts.tolist() == pytest.approx([3000, 3000, 3000], abs=135)  # three of sqrt(9000 * 2 / 9) = 45

    adaptive.pooled[:, 0] = 50  # nobody needs any: at all bounds alike, and they count for nothing
    table.draw(everyone(table))
    adaptive.record(everyone(table), succeed(table))
    places, counts = table.boundary.unique(return_counts=True)
    assert places.tolist() == [0, 1, 2, 3, 5, 11, 16, 17]
    assert counts.tolist() == pytest.approx([1125] * 8, abs=94)
    assert adaptive.measured.unique().tolist() == [-1]


def test_another_episode_and_another_process_choose_anew():
    (adaptive, table), (other, other_table) = make_adaptive(2000), make_adaptive(2000, rank=1)
    adaptive.record(everyone(table), succeed(table))
    first = table.boundary.clone()
    table.draw(everyone(table))
    adaptive.record(everyone(table), succeed(table))
    other.record(everyone(other_table), succeed(other_table))

    # Of two independent choices 0.25 + 8 * (0.5 / 8)^2 = 28 % are alike.
    assert (table.boundary == first).float().mean() == pytest.approx(0.281, abs=0.04)
    assert (other_table.boundary == first).float().mean() == pytest.approx(0.281, abs=0.04)


def test_only_the_asked_for_environments_are_recorded():
    adaptive, table = make_adaptive(boundary_share=1.0)
    adaptive.record(ids(3, 60), succeed(table, 60))

    assert (table.boundary >= 0).nonzero().flatten().tolist() == [3, 60]
    assert (adaptive.measured >= 0).nonzero().flatten().tolist() == [3, 60]
    assert adaptive.counts[-1].tolist() == [2, 2, 1]


def test_the_order_of_resets_changes_nothing():
    (one, one_table), (other, other_table) = make_adaptive(), make_adaptive()
    for group in ((5, 9), (40,), (1, 2)):
        one.record(ids(*group), succeed(one_table, 40))
    other.record(ids(2, 40, 9, 5, 1), succeed(other_table, 40))

    torch.testing.assert_close(one.counts, other.counts, rtol=0, atol=0)
    torch.testing.assert_close(one_table.boundary, other_table.boundary, rtol=0, atol=0)


def test_the_next_draw_sits_at_the_bound_and_so_do_its_pushes():
    adaptive, table = make_adaptive(500, boundary_share=1.0, initial_share=0.5)
    adaptive.record(everyone(table), succeed(table))
    table.draw(everyone(table))
    for _ in range(5):  # at most 0.1 s to the first push
        table.advance(0.02)

    # Half of the way: from 0.8 to 0.1 and 1.2; in logarithms from 1 to 0.5 and 1.25, times 2; from 0 to each.
    for code, name, value in (
        (0, "friction", 0.45),
        (1, "friction", 1.0),
        (2, "mass", 2.0 * 0.5**0.5),
        (3, "mass", 2.0 * 1.25**0.5),
        (5, "payload", 1.5),
        (11, "noise", 0.15),
        (16, "push_velocity", -0.5),
    ):
        values = table.view(name)[table.boundary == code]
        assert len(values) > 30
        torch.testing.assert_close(values, torch.full_like(values, value))
    torch.testing.assert_close(
        table.view("push_velocity")[table.boundary == 17].unique(dim=0), torch.tensor([[0.5, 0.0]])
    )


def test_an_environment_that_is_drawn_without_a_record_repeats_its_episode():
    adaptive, table = make_adaptive(4, PAYLOAD, boundary_share=1.0, episodes_per_decision=4)
    adaptive.record(everyone(table), succeed(table))
    adaptive.update()
    table.draw(ids(0, 1))  # given up, as by a reset of the whole simulation
    assert table.view("payload")[:2].flatten().tolist() == pytest.approx([0.6, 0.6])

    adaptive.record(everyone(table), succeed(table))
    adaptive.update()
    assert share_of(table, "payload") == pytest.approx([0.3, 0.3])


def test_ranges_in_use_and_declared_ones_are_those_of_the_farthest_element():
    adaptive, _ = make_adaptive(initial_share=0.5)

    assert declared_ranges(make_table().layout)["push_velocity"] == ("offset", "-", 0.0, -1.0, 1.0, "uniform")
    assert adaptive.declared["mass"] == ("scale", "-", 1.0, 0.5, 1.25, "log_uniform")
    assert adaptive.ranges_in_use() == {
        "friction": pytest.approx((0.45, 1.0)),
        "mass": pytest.approx((0.5**0.5, 1.25**0.5)),
        "payload": pytest.approx((0.0, 1.5)),
        "noise": pytest.approx((0.05, 0.15)),
        "push_velocity": pytest.approx((-0.5, 0.5)),
    }


def test_a_row_of_the_history_has_both_ends_and_the_success_rate_since_the_last_update():
    adaptive, table = make_adaptive(4, FRICTION)
    assert np.isnan(adaptive.history_row()["Randomization/success_rate"])
    adaptive.record(everyone(table), succeed(table, 0))
    adaptive.update()

    assert adaptive.history_row() == {
        "Randomization/friction/low": pytest.approx(0.66),
        "Randomization/friction/high": pytest.approx(0.88),
        "Randomization/success_rate": 0.75,
    }


@pytest.mark.gpu
def test_a_captured_graph_computes_what_the_cpu_computes():
    results = []
    for device in ("cpu", "cuda:0"):
        adaptive, table = make_adaptive(256, device=device, episodes_per_decision=4)
        envs, success = everyone(table), succeed(table, *range(0, 256, 7))
        if device == "cpu":
            for _ in range(20):
                adaptive.record(envs, success)
                adaptive.update()
        else:
            torch.cuda.synchronize()
            with wp.ScopedCapture(device=device) as capture:
                adaptive.record(envs, success)
                adaptive.update()
            for _ in range(20):
                wp.capture_launch(capture.graph)
            wp.synchronize_device(device)
        results.append([value.cpu() for value in (table.share, adaptive.pooled, table.boundary)])

    for on_cpu, on_gpu in zip(*results, strict=True):
        torch.testing.assert_close(on_gpu, on_cpu, rtol=0, atol=0)
