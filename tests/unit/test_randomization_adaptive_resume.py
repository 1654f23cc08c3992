"""How far ranges have grown outlives the environments in which they grew."""

import pytest
import torch
from tests.unit.adaptive_rig import everyone, make_adaptive, succeed
from tests.unit.tiny_learning import TinyEnv, tiny_config

from surefoot.learning.run_state import capture_run, of_process, restore_run
from surefoot.learning.runner import SurefootRunner
from surefoot.randomization.randomization import Randomization
from surefoot.ranks import Ranks


class WithoutEngine(Randomization):
    """The table and its ranges, with nobody to write values to."""

    def __init__(self, num_envs):
        self.adaptive, self.table = make_adaptive(num_envs)
        self.num_applied = 0

    def apply(self):
        self.num_applied += 1


def make_runner(num_envs):
    env = TinyEnv()
    env.randomization = WithoutEngine(num_envs)
    return SurefootRunner(env, tiny_config())


def test_shares_can_be_taken_over_by_a_run_with_other_environments():
    adaptive, table = make_adaptive(20)
    table.share[0] = torch.tensor([0.4, 0.9])
    adaptive.record(everyone(table), succeed(table))
    other, other_table = make_adaptive(3000)
    other.record(everyone(other_table), succeed(other_table))
    other.load_shares(adaptive.state_dict())

    torch.testing.assert_close(other_table.share, table.share, rtol=0, atol=0)
    # 0.4 of the way from 0.8 to 0.1, 0.9 of the way from 0.8 to 1.2.
    assert other_table.view("friction").min() == pytest.approx(0.52, abs=1e-3)
    assert other_table.view("friction").max() == pytest.approx(1.16, abs=1e-3)
    assert not other.counts.any()
    assert other.measured.unique().tolist() == other_table.boundary.unique().tolist() == [-1]


def test_a_run_that_goes_on_with_another_number_of_processes_keeps_its_ranges():
    first, second = make_runner(64), make_runner(32)
    shares, other_shares = (runner.simulation.randomization.table.share for runner in (first, second))
    shares[0] = torch.tensor([0.4, 0.9])
    content = capture_run(first)
    restore_run(second, of_process(content, Ranks(rank=1, local_rank=1, world_size=2)))

    torch.testing.assert_close(other_shares, shares, rtol=0, atol=0)
    assert second.simulation.randomization.num_applied == 1
