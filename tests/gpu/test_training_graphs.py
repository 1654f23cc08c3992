"""Training on a CUDA device: graphs of it learn what it learns kernel by kernel."""

import pytest
import torch
from tests.unit.tiny_learning import TinyEnv, tiny_config

from surefoot.learning.graph_region import EAGER_RUNS, GraphRegion
from surefoot.learning.ppo import SurefootPPO

pytestmark = pytest.mark.gpu

DEVICE = "cuda:0"
ITERATIONS = 6


def train(*, by_graph, loads_after=None):
    """Train for some iterations; returns the algorithm and its losses in each."""
    torch.manual_seed(0)
    env, cfg = TinyEnv(64, device=DEVICE), {**tiny_config(), "multi_gpu": None}
    for network in ("actor", "critic"):
        cfg[network]["obs_normalization"] = True
    ppo = SurefootPPO.construct_algorithm(env.get_observations(), env, cfg, DEVICE)
    for region in ppo.regions:
        region._may_record = by_graph
    losses = []
    for iteration in range(ITERATIONS):
        if iteration == loads_after:
            ppo.load(ppo.save(), None, strict=True)
        obs = env.get_observations()
        with torch.inference_mode():
            for _ in range(cfg["num_steps_per_env"]):
                obs, rewards, dones, extras = env.step(ppo.act(obs))
                ppo.process_env_step(obs, rewards, dones, extras)
            ppo.compute_returns(obs)
        losses.append({**ppo.update(), "rate": ppo.learning_rate})
    return ppo, losses


@pytest.mark.parametrize("loads_after", [None, 3])
def test_training_by_graphs_learns_what_it_learns_kernel_by_kernel(loads_after):
    (eager, expected), (recorded, found) = (train(by_graph=way, loads_after=loads_after) for way in (False, True))
    assert [region.is_recorded for region in eager.regions] == [False, False]
    assert [region.is_recorded for region in recorded.regions] == [True, True]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-3, abs=1e-5)
    for ours, theirs in zip(recorded.actor.parameters(), eager.actor.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-5)


def test_what_no_graph_holds_runs_kernel_by_kernel_and_says_so_once(caplog):
    values = torch.zeros(1, device=DEVICE)
    region = GraphRegion("Reading", lambda: values.add_(1.0 + 0.0 * values.item()), DEVICE)
    for _ in range(EAGER_RUNS + 2):
        region.run()
    assert values.item() == EAGER_RUNS + 2
    assert not region.is_recorded
    (said,) = caplog.messages
    assert said.startswith("Reading runs kernel by kernel, which is slower, because no graph holds it: ")
