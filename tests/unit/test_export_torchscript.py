"""Networks as TorchScript: the actor's own numbers, any batch, nothing that old versions lack."""

import io

import pytest
import torch
from tests.unit.export_actors import (
    ACTION_DIM,
    ACTIVATIONS,
    CFGS,
    MLP,
    OBSERVATION_DIM,
    assert_alike,
    assert_each_alone,
    make_actor,
    observations,
    resets,
)

from surefoot.exporting.network import read_network
from surefoot_bridge.policy.torchscript_file import torchscript_file

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.load` is deprecated:DeprecationWarning")

BASIC_OPERATORS = {
    *("len", "__getitem__", "append", "__isnot__", "eq", "ne", "size", "select", "stack", "unsqueeze", "new_zeros"),
    *("mul", "div", "sub", "linear", "celu", "elu", "relu", "sigmoid", "tanh", "gru_cell", "lstm_cell", "masked_fill"),
}
"""Operators, without their namespace, that PyTorch 1.13 has with the same arguments."""


def exported(cfg, seed=0):
    actor = make_actor(cfg, seed=seed)
    network = read_network(actor.state_dict(), cfg)
    return actor, torch.jit.load(io.BytesIO(torchscript_file(network)))


def run(module, seen, begins):
    """Actions of a module over the steps, (steps, batch, action_dim)."""
    batch = seen.shape[1]
    state = as_tuple(module.initial(batch)) if hasattr(module, "initial") else ()
    actions = []
    for observation, begin in zip(seen, begins, strict=True):
        if state:
            state = as_tuple(module.reset(begin, *state))
        action, *state = as_tuple(module(observation, *state))
        actions.append(action)
    return torch.stack(actions)


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize("name", CFGS)
def test_it_acts_as_the_actor_over_fifty_steps_with_a_reset_in_the_middle(name: str) -> None:
    actor, module = exported(CFGS[name])
    seen, begins = observations(50, 6), resets(50, 6)
    with torch.inference_mode():
        assert_alike(run(module, seen, begins), actor, seen, begins)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_it_acts_as_the_actor_with_each_activation(activation: str) -> None:
    actor, module = exported({**MLP, "activation": activation})
    seen, begins = observations(1, 100), resets(1, 100)
    with torch.inference_mode():
        assert_alike(run(module, seen, begins), actor, seen, begins)


@pytest.mark.parametrize("name", CFGS)
def test_many_robots_act_as_each_of_them_alone(name: str) -> None:
    assert_each_alone(run, exported(CFGS[name])[1])


@pytest.mark.parametrize(("name", "count"), [("lstm", 2), ("gru", 1)])
@pytest.mark.parametrize("batch", [1, 4, 1000])
def test_an_episode_begins_with_zeros_for_any_number_of_robots(name: str, count: int, batch: int) -> None:
    _, module = exported(CFGS[name])
    states = as_tuple(module.initial(batch))
    assert [tuple(state.shape) for state in states] == [(2, batch, 12)] * count
    assert not any(state.any() for state in states)
    action, *states = module(observations(1, batch)[0], *states)
    assert action.shape == (batch, ACTION_DIM)
    assert [tuple(state.shape) for state in states] == [(2, batch, 12)] * count


@pytest.mark.parametrize(("name", "count"), [("lstm", 2), ("gru", 1)])
def test_a_reset_clears_the_chosen_robots_only_even_of_what_is_no_number(name: str, count: int) -> None:
    _, module = exported(CFGS[name])
    before = [torch.full((2, 3, 12), float(i + 1)) for i in range(count)]
    for state in before:
        state[:, 1] = torch.nan
    after = as_tuple(module.reset(torch.tensor([False, True, False]), *before))
    for i, state in enumerate(after):
        assert state[:, [0, 2]].eq(i + 1).all()
        assert state[:, 1].eq(0.0).all()
        assert before[i][:, 1].isnan().all()  # what went in is unchanged


@pytest.mark.parametrize("name", CFGS)
def test_the_normaliser_is_inside(name: str) -> None:
    cfg = CFGS[name]
    actor, module = exported(cfg)
    seen = actor.obs_normalizer.mean.expand(1, 4, OBSERVATION_DIM)
    without = read_network(actor.state_dict(), cfg)
    without.mean[:] = 0.0
    without.std[:] = 1.0
    bare = torch.jit.load(io.BytesIO(torchscript_file(without)))
    begins = resets(1, 4)
    torch.testing.assert_close(run(module, seen, begins), run(bare, torch.zeros_like(seen), begins))
    assert (run(module, seen, begins) - run(bare, seen, begins)).abs().max() > 0.01


@pytest.mark.parametrize("name", CFGS)
def test_every_operator_is_one_that_old_versions_know(name: str) -> None:
    _, module = exported(CFGS[name])
    methods = ["forward", *(["initial", "reset"] if name != "mlp" else [])]
    used = {kind for method in methods for kind in operators(getattr(module, method).inlined_graph)}
    assert {kind.removeprefix("aten::") for kind in used if kind.startswith("aten::")} <= BASIC_OPERATORS
    assert {kind.split("::")[0] for kind in used} <= {"aten", "prim"}


def operators(block):
    """Kinds of all nodes, those in branches and loops included."""
    for node in block.nodes():
        yield node.kind()
        for inner in node.blocks():
            yield from operators(inner)
