"""Adaptive ranges find what a robot can do, alike in one process and in several, and after a restart."""

import copy

import numpy as np
import pytest
import torch
from tests.references import adaptive_ranges as reference
from tests.unit.adaptive_rig import FRICTION, PAYLOAD, everyone, ids, make_adaptive, rule_of, share_of


class Robots:
    """Fake robots that survive with a probability given by their friction, and fall early where they do not."""

    def __init__(self, adaptive, table, survival, *, num_updates_to_success=5, seed=0):
        self.adaptive, self.table, self.survival = adaptive, table, survival
        self.rng = np.random.default_rng(seed)
        self.length = num_updates_to_success
        self.success = torch.zeros(table.num_envs, dtype=torch.bool)
        self.left = self.rng.integers(1, self.length + 1, table.num_envs)  # ends spread over time
        self.num_episodes = 0
        self._begin(np.arange(table.num_envs), spread=True)

    def _begin(self, envs, spread=False):
        survives = self.rng.random(len(envs)) < self.survival(self.table.values[envs].numpy())
        self.success[envs] = torch.from_numpy(survives)
        if not spread:
            self.left[envs] = np.where(survives, self.length, 1)

    def advance(self):
        self.left -= 1
        envs = np.flatnonzero(self.left <= 0)
        self.num_episodes += len(envs)
        self.adaptive.record(ids(*envs), self.success)
        self.table.draw(ids(*envs))
        self._begin(envs)
        self.adaptive.update()


def test_a_bound_settles_where_the_robot_stops_surviving_and_the_other_reaches_its_ceiling():
    adaptive, table = make_adaptive(256, FRICTION, rate=0.05)
    robots = Robots(adaptive, table, lambda values: values[:, 0] > 0.35)
    lows = []
    for _ in range(250):
        robots.advance()
        low, high = adaptive.ranges_in_use()["friction"]
        lows.append(low)

    # A step is 0.05 of 0.7: 0.38 survives and 0.345 does not, so that the low end goes back and forth between them.
    assert 5000 < robots.num_episodes < 20000
    assert set(np.round(lows[150:], 3)) == {0.345, 0.38}
    assert high == pytest.approx(1.2, abs=1e-6)
    assert lows[0] == pytest.approx(0.8 - 0.2 * 0.7)


def test_a_bound_settles_where_the_success_rate_lies_between_the_thresholds():
    adaptive, table = make_adaptive(256, FRICTION, rate=0.05, episodes_per_decision=64)
    robots = Robots(adaptive, table, lambda values: (values[:, 0] - 0.2) / 0.3)
    lows = []
    for _ in range(400):
        robots.advance()
        lows.append(adaptive.ranges_in_use()["friction"][0])

    # Survival is 0.6 at 0.38 and 0.9 at 0.47; a rate over 64 episodes is uncertain by 0.05 or so, a step is 0.035.
    assert 0.38 < np.mean(lows[200:]) < 0.47
    assert min(lows[200:]) > 0.36
    assert max(lows[200:]) < 0.49


def test_failures_that_come_sooner_than_successes_do_not_narrow_a_range():
    fields = {"boundary_share": 1.0, "episodes_per_decision": 32, "initial_share": 0.5}
    adaptive, table = make_adaptive(512, PAYLOAD, **fields)
    # Four of five survive: between the thresholds. A success takes 40 updates, a failure one.
    robots = Robots(adaptive, table, lambda values: np.full(len(values), 0.8), num_updates_to_success=40)
    decisions, early_rates = 0, []
    for _ in range(600):
        robots.advance()
        begun, ended, succeeded = adaptive.pooled[0].tolist()
        decisions += begun == 0
        if 4 <= ended < begun // 2:
            early_rates.append(succeeded / ended)

    assert np.mean(early_rates) < 0.3  # a decision on the first results would narrow
    assert decisions >= 8
    assert share_of(table, "payload")[1] == pytest.approx(0.5, abs=0.11)


def test_two_processes_decide_alike_and_as_one_with_all_environments_would():
    pair = [make_adaptive(100, rank=rank, episodes_per_decision=6) for rank in (0, 1)]
    first, table = pair[0]
    bounds = np.array([bound.boundary for bound in first.bounds])
    first_end = np.cumsum([0, *(len(bound.ends) for bound in first.bounds)])
    ends = np.array([end for bound in first.bounds for end in bound.ends])
    # One process: one set of counts. Its environments are told apart by the rank in the key.
    counts, pooled, latest = (tensor.numpy().copy() for tensor in (first.counts, first.pooled, first.latest))
    share = table.share.numpy().copy()
    measured, boundary = -np.ones((2, 100), dtype=int), -np.ones((2, 100), dtype=int)
    rng = np.random.default_rng(3)
    for _ in range(60):
        for rank, (adaptive, table) in enumerate(pair):
            envs, success = rng.permutation(100)[: rng.integers(5, 50)], rng.random(100) < 0.85
            adaptive.record(ids(*envs), torch.from_numpy(success))
            reference.record_and_choose(
                envs,
                success,
                table.episode.numpy(),
                bounds,
                pooled,
                6,
                0.5,
                (1, rank),
                measured=measured[rank],
                counts=counts,
                boundary=boundary[rank],
            )
            table.draw(ids(*envs))
        total = sum(adaptive.counts for adaptive, _ in pair)  # the all-reduce
        for adaptive, _ in pair:
            adaptive.counts.copy_(total)
            adaptive.update()
        reference.decide(first_end, ends, rule_of(first.cfg), counts=counts, pooled=pooled, share=share, latest=latest)
        for adaptive, table in pair:
            np.testing.assert_array_equal(adaptive.pooled.numpy(), pooled)
            np.testing.assert_array_equal(adaptive.latest.numpy(), latest)
            np.testing.assert_array_equal(table.share.numpy(), share)
    assert len(np.unique(share)) > 3


def test_two_processes_under_the_simple_scheme_do_what_one_does_with_all_environments():
    fields = {"scheme": "all", "episodes_per_decision": 30}
    whole, whole_table = make_adaptive(40, **fields)
    halves = [make_adaptive(20, rank=rank, **fields) for rank in (0, 1)]
    rng = np.random.default_rng(4)
    shares = set()
    for _ in range(60):
        envs, success = np.sort(rng.permutation(40)[:25]), rng.random(40) < 0.92
        whole.record(ids(*envs), torch.from_numpy(success))
        for rank, (adaptive, _) in enumerate(halves):
            own = envs[envs // 20 == rank] - 20 * rank
            adaptive.record(ids(*own), torch.from_numpy(success[20 * rank : 20 * rank + 20]))
        total = sum(adaptive.counts for adaptive, _ in halves)
        for adaptive, _ in halves:
            adaptive.counts.copy_(total)
            adaptive.update()
        whole.update()
        for adaptive, table in halves:
            torch.testing.assert_close(adaptive.pooled, whole.pooled, rtol=0, atol=0)
            torch.testing.assert_close(table.share, whole_table.share, rtol=0, atol=0)
        shares.add(share_of(whole_table, "friction")[0])
    assert len(shares) > 3


@pytest.mark.parametrize("scheme", ["bounds", "all"])
def test_restored_ranges_go_on_as_the_first(scheme):
    def survival(values):
        return np.where(values[:, 0] > 0.6, 0.9, 0.5)

    fields = {"scheme": scheme, "episodes_per_decision": 8}
    adaptive, table = make_adaptive(64, **fields)
    robots = Robots(adaptive, table, survival)
    for _ in range(33):
        robots.advance()
    # Episodes have been recorded since the last update, as at a checkpoint in the middle of an iteration.
    adaptive.record(ids(1, 2, 3), robots.success)
    state, table_state = adaptive.state_dict(), table.state_dict()
    restored, restored_table = make_adaptive(64, **fields)
    restored_table.load_state_dict(table_state)
    restored.load_state_dict(state)
    twin = copy.copy(robots)
    twin.adaptive, twin.table = restored, restored_table
    twin.rng, twin.left, twin.success = copy.deepcopy((robots.rng, robots.left, robots.success))

    at_checkpoint = table.share.clone()
    for _ in range(40):
        robots.advance()
        twin.advance()
    assert (table.share != at_checkpoint).any()
    torch.testing.assert_close(restored_table.values, table.values, rtol=0, atol=0)
    torch.testing.assert_close(restored_table.share, table.share, rtol=0, atol=0)
    for name in ("counts", "pooled", "measured", "latest"):
        torch.testing.assert_close(getattr(restored, name), getattr(adaptive, name), rtol=0, atol=0)
    assert state["counts"][-1].tolist()[:2] == [3, 3]  # a copy, not the running counts


def test_recording_and_updating_keep_every_array_where_it_is():
    adaptive, table = make_adaptive(32)
    tensors = [adaptive.counts, adaptive.pooled, adaptive.measured, adaptive.latest, table.share, table.boundary]
    before = [tensor.data_ptr() for tensor in tensors]
    for _ in range(3):
        adaptive.record(everyone(table), torch.ones(32, dtype=torch.bool))
        table.draw(everyone(table))
        adaptive.update()
    adaptive.load_state_dict(adaptive.state_dict())

    after = [adaptive.counts, adaptive.pooled, adaptive.measured, adaptive.latest, table.share, table.boundary]
    assert [tensor.data_ptr() for tensor in after] == before
