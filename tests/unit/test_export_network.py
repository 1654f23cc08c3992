"""The plain form of an rsl_rl actor: exactly its numbers, or a refusal that names what does not fit."""

import importlib.metadata
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.unit.export_actors import ACTION_DIM, GRU, LSTM, MLP, OBSERVATION_DIM, make_actor, observations

import surefoot_tasks
from surefoot.exporting.network import read_network
from surefoot.learning.checkpoint import read_checkpoint
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy.weights import GATES
from surefoot_robots import get_robot

SHIPPED = sorted((Path(surefoot_tasks.__file__).parent / "pretrained").glob("*/checkpoints/model_*.pt"))


def changed(cfg, **changes):
    return {**cfg, **changes}


def test_the_normaliser_gives_bit_for_bit_what_rsl_rl_computes() -> None:
    actor = make_actor(MLP)
    network = read_network(actor.state_dict(), MLP)
    seen = observations(1, 1000)[0]
    ours = (seen.numpy() - network.mean) / network.std
    assert np.array_equal(ours, actor.obs_normalizer(seen).numpy())
    assert abs(network.mean - 3.5).max() < 0.2  # of the numbers in [2, 5) that it has seen
    assert abs(network.std - (3.0 / 12.0**0.5 + 0.01)).max() < 0.1


def test_without_a_normaliser_observations_pass_unchanged() -> None:
    cfg = changed(MLP, obs_normalization=False)
    network = read_network(make_actor(cfg).state_dict(), cfg)
    assert network.mean.tolist() == [0.0] * OBSERVATION_DIM
    assert network.std.tolist() == [1.0] * OBSERVATION_DIM


def test_the_layers_are_those_of_the_actor_in_order() -> None:
    actor = make_actor(MLP)
    network = read_network(actor.state_dict(), MLP)
    assert [layer.weight.shape for layer in network.layers] == [(16, 7), (8, 16), (ACTION_DIM, 8)]
    for ours, theirs in zip(network.layers, [actor.mlp[0], actor.mlp[2], actor.mlp[4]], strict=True):
        assert np.array_equal(ours.weight, theirs.weight.detach().numpy())
        assert np.array_equal(ours.bias, theirs.bias.detach().numpy())
    assert (network.activation, network.cell, network.recurrent_layers) == ("elu", None, ())


@pytest.mark.parametrize("cfg", [LSTM, GRU], ids=["lstm", "gru"])
def test_the_recurrent_layers_are_those_of_the_actor_in_order(cfg: dict) -> None:
    actor = make_actor(cfg)
    network = read_network(actor.state_dict(), cfg)
    assert (network.cell, network.hidden_dim, network.action_dim) == (cfg["rnn_type"], 12, ACTION_DIM)
    assert [layer.weight_ih.shape for layer in network.recurrent_layers] == [
        (GATES[cfg["rnn_type"]] * 12, inputs) for inputs in (OBSERVATION_DIM, 12)
    ]
    for i, layer in enumerate(network.recurrent_layers):
        for name, ours in vars(layer).items():
            assert np.array_equal(ours, getattr(actor.rnn.rnn, f"{name}_l{i}").detach().numpy())


def test_the_network_does_not_change_with_the_actor() -> None:
    actor = make_actor(MLP)
    network = read_network(actor.state_dict(), MLP)
    before = network.layers[0].weight.copy()
    with torch.no_grad():
        actor.mlp[0].weight.zero_()
    assert np.array_equal(network.layers[0].weight, before)


@pytest.mark.parametrize(
    ("theirs", "ours"), [("elu", "elu"), ("relu", "relu"), ("tanh", "tanh"), ("swish", "silu"), ("ELU", "elu")]
)
def test_rsl_rls_activations_are_known_by_its_names(theirs: str, ours: str) -> None:
    cfg = changed(MLP, activation=theirs)
    assert read_network(make_actor(cfg).state_dict(), cfg).activation == ours


@pytest.mark.parametrize(
    "cfg",
    [
        changed(MLP, distribution_cfg=None),
        changed(MLP, distribution_cfg={"class_name": "GaussianDistribution", "std_type": "log"}),
        changed(MLP, distribution_cfg={"class_name": "rsl_rl.modules:GaussianDistribution"}),
        changed(MLP, class_name="rsl_rl.models:MLPModel", hidden_dims=[-1, 8, -1]),
        changed(LSTM, hidden_dims=[-1, 8]),
    ],
    ids=["deterministic", "log std", "qualified distribution", "width of the input", "width of the memory"],
)
def test_every_way_of_writing_such_an_actor_is_read(cfg: dict) -> None:
    actor = make_actor(cfg)
    network = read_network(actor.state_dict(), cfg)
    last = [module for module in actor.mlp if isinstance(module, torch.nn.Linear)][-1]
    assert np.array_equal(network.layers[-1].weight, last.weight.detach().numpy())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hidden_dims": [16, 9]}, r"'mlp\.2\.weight' has shape \(8, 16\); its configuration asks for \(9, 16\)"),
        ({"hidden_dims": [16]}, r"hold mlp\.4\.weight, mlp\.4\.bias, for which its configuration has no use"),
        ({"hidden_dims": [16, 8, 4]}, r"'mlp\.4\.weight' has shape \(3, 8\); its configuration asks for \(4, 8\)"),
        ({"obs_normalization": False}, r"hold obs_normalizer\._mean, .*, for which its configuration has no use"),
        ({"distribution_cfg": None}, r"hold distribution\.std_param, for which"),
        (
            {"distribution_cfg": {"class_name": "GaussianDistribution", "std_type": "log"}},
            r"lack 'distribution\.log_std_param'",
        ),
        (
            {"distribution_cfg": {"class_name": "GaussianDistribution", "std_type": "cubic"}},
            r"Unknown std_type .* 'cubic'; valid: scalar, log",
        ),
        (
            {"distribution_cfg": {"class_name": "HeteroscedasticGaussianDistribution"}},
            r"Unknown distribution .* 'HeteroscedasticGaussianDistribution'; valid: GaussianDistribution",
        ),
        ({"activation": "mish"}, r"Unknown activation .* 'mish'; valid: .*swish"),
        ({"class_name": "CNNModel"}, r"Unknown class_name .* 'CNNModel'; valid: RNNModel, MLPModel"),
        ({"class_name": "os:getcwd"}, r"Unknown class_name .* 'os:getcwd'"),
        ({"stochastic": True}, r"Unknown setting of the actor \(MLPModel\) 'stochastic'; valid: .*distribution_cfg"),
        ({"rnn_type": "lstm"}, r"Unknown setting of the actor \(MLPModel\) 'rnn_type'"),
    ],
)
def test_a_configuration_of_another_actor_is_refused(change: dict, message: str) -> None:
    with pytest.raises(SurefootError, match=message):
        read_network(make_actor(MLP).state_dict(), changed(MLP, **change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rnn_type": "lstm"}, r"'rnn\.rnn\.weight_ih_l0' has shape \(36, 7\); .* asks for \(48, any\)"),
        ({"rnn_type": "rnn"}, r"Unknown rnn_type 'rnn'; valid: lstm, gru"),
        ({"rnn_hidden_dim": 13}, r"'rnn\.rnn\.weight_ih_l0' has shape \(36, 7\); .* asks for \(39, any\)"),
        ({"rnn_num_layers": 1}, r"hold rnn\.rnn\.weight_ih_l1, .*for which its configuration has no use"),
        ({"rnn_num_layers": 3}, r"lack 'rnn\.rnn\.weight_ih_l2'"),
    ],
)
def test_a_configuration_of_another_memory_is_refused(change: dict, message: str) -> None:
    with pytest.raises(SurefootError, match=message):
        read_network(make_actor(GRU).state_dict(), changed(GRU, **change))


def test_an_actor_without_a_class_name_is_refused() -> None:
    cfg = {name: value for name, value in MLP.items() if name != "class_name"}
    with pytest.raises(SurefootError, match=r"class_name .* 'None'; valid: MLPModel, RNNModel"):
        read_network(make_actor(MLP).state_dict(), cfg)


@pytest.mark.parametrize("name", ["mlp.0.weight", "mlp.4.bias", "obs_normalizer._mean", "obs_normalizer.count"])
def test_an_array_that_is_missing_is_named(name: str) -> None:
    state = make_actor(MLP).state_dict()
    del state[name]
    with pytest.raises(SurefootError, match=f"lack {name!r}.*hold .*mlp"):
        read_network(state, MLP)


def test_an_array_that_is_unknown_is_named() -> None:
    state = {**make_actor(MLP).state_dict(), "attention.weight": torch.zeros(2)}
    with pytest.raises(SurefootError, match=r"hold attention\.weight, for which"):
        read_network(state, MLP)


def test_an_array_of_another_precision_is_named() -> None:
    state = make_actor(MLP).state_dict()
    state["mlp.0.weight"] = state["mlp.0.weight"].double()
    with pytest.raises(SurefootError, match=r"'mlp\.0\.weight' is torch\.float64; a bundle holds torch\.float32"):
        read_network(state, MLP)


def test_weights_that_are_not_finite_are_refused() -> None:
    state = make_actor(MLP).state_dict()
    state["mlp.2.bias"][0] = torch.nan
    with pytest.raises(SurefootError, match=r"mlp\.elu\.1\.bias holds 1 numbers that are not finite"):
        read_network(state, MLP)


@pytest.mark.parametrize("checkpoint", SHIPPED, ids=lambda path: path.parts[-3])
def test_a_shipped_policy_is_read_with_its_tasks_configuration(checkpoint: Path) -> None:
    from isaaclab_rl.rsl_rl import handle_deprecated_rsl_rl_cfg

    from surefoot_tasks.velocity.agent_cfg import make_ppo_cfg

    content = read_checkpoint(checkpoint)
    spec = get_robot(content["contract"]["robot"])
    cfg = handle_deprecated_rsl_rl_cfg(
        make_ppo_cfg(spec, experiment_name="export"), importlib.metadata.version("rsl-rl-lib")
    )
    network = read_network(content["actor_state_dict"], cfg.to_dict()["actor"])
    terms = content["contract"]["observations"]["policy"]
    assert network.observation_dim == sum(shape[0] for _, shape in terms)
    assert network.action_dim == len(spec.joint_names)
    assert network.mean.any()


def test_there_is_a_shipped_policy() -> None:
    assert SHIPPED
