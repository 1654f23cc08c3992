"""Parity: what the bridge runs is what was trained, and a difference is told with format, size and step."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.unit.export_actors import CFGS, GRU, MLP, OBSERVATION_DIM, make_actor, observations, resets

import surefoot_tasks
from surefoot.exporting.network import read_network
from surefoot.exporting.parity import LIMIT, RECURRENT_LIMIT, measure_parity, rsl_rl_actor
from surefoot.learning.checkpoint import read_checkpoint
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy.forms import policy_files

pytest.importorskip("onnxruntime", reason="ONNX models are run by onnxruntime, which is not installed")

FILES = ["policy.pt", "policy.onnx", "policy.npz"]
SHIPPED = sorted((Path(surefoot_tasks.__file__).parent / "pretrained").glob("*/checkpoints/model_*.pt"))


def measured(cfg, steps=50, batch=4, *, actor=None, change=lambda network: network):
    model = make_actor(cfg)
    network = change(read_network(model.state_dict(), cfg))
    return measure_parity(network, actor or rsl_rl_actor(model), observations(steps, batch), resets(steps, batch))


@pytest.mark.parametrize("name", CFGS)
def test_every_format_is_within_the_limit_over_five_hundred_steps(name: str) -> None:
    parity = measured(CFGS[name], steps=500, batch=2)
    assert list(parity.largest) == FILES
    assert parity.limit == (LIMIT if name == "mlp" else RECURRENT_LIMIT)
    assert max(parity.largest.values()) <= parity.limit
    assert (parity.steps, parity.batch) == (500, 2)


def test_the_difference_is_measured_not_assumed() -> None:
    model = make_actor(MLP)
    inner = rsl_rl_actor(model)
    network = read_network(model.state_dict(), MLP)
    parity = measure_parity(network, lambda *step: inner(*step) + 4.0e-6, observations(5, 2), resets(5, 2))
    assert all(3.0e-6 < largest < 5.0e-6 for largest in parity.largest.values())


def test_all_groups_of_an_observation_reach_the_actor_in_order() -> None:
    model = make_actor(MLP, groups={"policy": 4, "extra": OBSERVATION_DIM - 4})
    network = read_network(model.state_dict(), MLP)
    assert measure_parity(network, rsl_rl_actor(model), observations(5, 2), resets(5, 2)).steps == 5


@pytest.mark.parametrize("name", CFGS)
def test_a_normaliser_that_is_left_out_is_told(name: str) -> None:
    def without_normaliser(network):
        return replace(network, mean=np.zeros_like(network.mean), std=np.ones_like(network.std))

    with pytest.raises(SurefootError, match=r"^policy\.pt differs from the trained actor by \S+ at step 0 \(robot 0"):
        measured(CFGS[name], change=without_normaliser)


@pytest.mark.parametrize("name", ["lstm", "gru"])
def test_an_actor_that_forgets_at_another_step_is_told_at_that_step(name: str) -> None:
    inner = rsl_rl_actor(make_actor(CFGS[name]))

    def forgetful(observation, begins):
        return inner(observation, begins if bool(begins.all()) else torch.zeros_like(begins))

    expected = r"policy\.pt differs .* at step 25 \(robot 0, action \d\).* 0\.0001 is allowed"
    with pytest.raises(SurefootError, match=expected):
        measured(CFGS[name], actor=forgetful)


def test_gates_in_another_order_are_told() -> None:
    def swapped(network):
        layer = network.recurrent_layers[0]
        rolled = replace(layer, bias_ih=np.roll(layer.bias_ih, 12))
        return replace(network, recurrent_layers=(rolled, *network.recurrent_layers[1:]))

    with pytest.raises(SurefootError, match=r"policy\.pt differs"):
        measured(GRU, change=swapped)


def test_an_action_that_is_no_number_is_told() -> None:
    inner = rsl_rl_actor(make_actor(MLP))
    steps = iter(range(50))

    def failing(observation, begins):
        action = inner(observation, begins)
        action[1, 2] = torch.nan if next(steps) == 3 else action[1, 2]
        return action

    with pytest.raises(SurefootError, match=r"by nan at step 3 \(robot 1, action 2\)"):
        measured(MLP, actor=failing)


@pytest.mark.parametrize("file", FILES)
def test_each_format_is_measured(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = read_network(make_actor(MLP, seed=5).state_dict(), MLP)
    mine = policy_files(read_network(make_actor(MLP).state_dict(), MLP))
    swapped = {**mine, file: policy_files(other)[file]}
    monkeypatch.setattr("surefoot.exporting.parity.policy_files", lambda network: swapped)
    with pytest.raises(SurefootError, match=f"^{file} differs"):
        measured(MLP)


def test_recurrent_parity_asks_for_a_reset_in_the_middle() -> None:
    model = make_actor(GRU)
    network = read_network(model.state_dict(), GRU)
    begins = torch.zeros(10, 2, dtype=torch.bool)
    begins[0] = True
    with pytest.raises(SurefootError, match="No episode begins after step 0, so what the gru forgets"):
        measure_parity(network, rsl_rl_actor(model), observations(10, 2), begins)


@pytest.mark.parametrize(
    ("seen", "begins", "message"),
    [
        (observations(3, 2, dim=6), resets(3, 2), r"shape \(3, 2, 6\).*float32 of \(steps, batch, 7\)"),
        (observations(3, 2).double(), resets(3, 2), r"are torch\.float64"),
        (observations(3, 2), resets(4, 2), r"resets are torch\.bool of shape \(4, 2\)"),
        (observations(3, 2), resets(3, 2).float(), r"resets are torch\.float32 of shape \(3, 2\)"),
        (observations(0, 2), torch.zeros(0, 2, dtype=torch.bool), "empty or not all finite"),
        (torch.full((3, 2, 7), torch.inf), resets(3, 2), "empty or not all finite"),
    ],
)
def test_observations_that_do_not_fit_are_refused(seen: torch.Tensor, begins: torch.Tensor, message: str) -> None:
    model = make_actor(MLP)
    with pytest.raises(SurefootError, match=message):
        measure_parity(read_network(model.state_dict(), MLP), rsl_rl_actor(model), seen, begins)


@pytest.mark.parametrize("checkpoint", SHIPPED, ids=lambda path: path.parts[-3])
def test_a_shipped_policy_keeps_parity_in_every_format(checkpoint: Path) -> None:
    from rsl_rl.models import MLPModel
    from tensordict import TensorDict

    state = read_checkpoint(checkpoint)["actor_state_dict"]
    cfg = {**MLP, "hidden_dims": [len(state[f"mlp.{i}.bias"]) for i in (0, 2, 4)]}
    network = read_network(state, cfg)
    arguments = {name: value for name, value in cfg.items() if name != "class_name"}
    like = TensorDict({"policy": torch.zeros(1, network.observation_dim)}, batch_size=[1])
    model = MLPModel(like, {"actor": ["policy"]}, "actor", network.action_dim, **arguments).eval()
    model.load_state_dict(state)
    # Within three standard deviations of what the policy has seen in training.
    noise = torch.randn(500, 4, network.observation_dim, generator=torch.Generator().manual_seed(0)).clamp(-3.0, 3.0)
    seen = torch.from_numpy(network.mean) + torch.from_numpy(network.std) * noise
    parity = measure_parity(network, rsl_rl_actor(model), seen, resets(500, 4))
    assert max(parity.largest.values()) <= LIMIT
