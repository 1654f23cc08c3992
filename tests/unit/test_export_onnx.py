"""Networks as ONNX models: the actor's own numbers, any batch, old operators."""

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper
from tests.unit import export_actors as actors
from tests.unit.export_actors import (
    ACTION_DIM,
    ACTIVATIONS,
    LSTM,
    MLP,
    assert_alike,
    assert_each_alone,
    make_actor,
    observations,
    resets,
)

from surefoot.exporting.network import read_network
from surefoot_bridge.policy.onnx_file import onnx_file

onnxruntime = pytest.importorskip("onnxruntime", reason="ONNX models are run by onnxruntime, which is not installed")

ONE_LAYER = {**LSTM, "rnn_num_layers": 1}
CFGS = {**actors.CFGS, "lstm of one layer": ONE_LAYER, "gru of one layer": {**ONE_LAYER, "rnn_type": "gru"}}
STATES = {"lstm": ["h", "c"], "gru": ["h"]}


def exported(cfg):
    actor = make_actor(cfg)
    return actor, onnx_file(read_network(actor.state_dict(), cfg))


def run(data, seen, begins):
    """Actions of a model over the steps, (steps, batch, action_dim)."""
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    names = [item.name for item in session.get_inputs()][1:]
    layers, hidden = (session.get_inputs()[1].shape[0], session.get_inputs()[1].shape[2]) if names else (0, 0)
    states = {name: np.zeros((layers, seen.shape[1], hidden), np.float32) for name in names}
    actions = []
    for observation, begin in zip(seen.numpy(), begins.numpy(), strict=True):
        for state in states.values():
            state[:, begin] = 0.0
        outputs = ["action", *(f"{name}_out" for name in names)]
        action, *after = session.run(outputs, {"observation": observation, **states})
        states = dict(zip(names, after, strict=True))
        actions.append(action)
    return np.stack(actions)


@pytest.mark.parametrize("name", CFGS)
def test_it_acts_as_the_actor_over_fifty_steps_with_a_reset_in_the_middle(name: str) -> None:
    actor, data = exported(CFGS[name])
    seen, begins = observations(50, 6), resets(50, 6)
    assert_alike(run(data, seen, begins), actor, seen, begins)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_it_acts_as_the_actor_with_each_activation(activation: str) -> None:
    actor, data = exported({**MLP, "activation": activation})
    seen, begins = observations(1, 100), resets(1, 100)
    assert_alike(run(data, seen, begins), actor, seen, begins)


@pytest.mark.parametrize("name", CFGS)
def test_many_robots_act_as_each_of_them_alone(name: str) -> None:
    assert_each_alone(run, exported(CFGS[name])[1])


@pytest.mark.parametrize("name", CFGS)
def test_inputs_and_outputs_are_named_and_their_batch_is_free(name: str) -> None:
    cfg = CFGS[name]
    graph = onnx.load_from_string(exported(cfg)[1]).graph
    layers = cfg.get("rnn_num_layers")
    states = STATES.get(cfg.get("rnn_type"), [])
    assert shapes(graph.input) == {"observation": ["batch", 7], **{state: [layers, "batch", 12] for state in states}}
    assert shapes(graph.output) == {
        "action": ["batch", ACTION_DIM],
        **{f"{state}_out": [layers, "batch", 12] for state in states},
    }


def shapes(values):
    return {
        value.name: [size.dim_param or size.dim_value for size in value.type.tensor_type.shape.dim] for value in values
    }


@pytest.mark.parametrize("name", CFGS)
def test_what_is_written_without_the_package_is_whole_for_the_package(name: str) -> None:
    data = exported(CFGS[name])[1]
    model = onnx.load_from_string(data)
    onnx.checker.check_model(model, full_check=True)
    assert model.SerializeToString(deterministic=True) == data


@pytest.mark.parametrize("name", CFGS)
def test_the_operators_are_as_of_opset_7_and_none_could_be_older(name: str) -> None:
    model = onnx.load_from_string(exported(CFGS[name])[1])
    assert [(opset.domain, opset.version) for opset in model.opset_import] == [("", 7)]
    assert model.ir_version == 4
    versions = [onnx.defs.get_schema(node.op_type, 7).since_version for node in model.graph.node]
    assert max(versions) == 7


def test_gates_are_in_onnxs_order() -> None:
    cfg = {**LSTM, "rnn_num_layers": 1, "rnn_hidden_dim": 1}
    state = make_actor(cfg).state_dict()
    state["rnn.rnn.bias_ih_l0"][:] = torch.tensor([1.0, 2.0, 3.0, 4.0])  # input, forget, cell, output
    state["rnn.rnn.bias_hh_l0"][:] = torch.tensor([5.0, 6.0, 7.0, 8.0])
    assert constant(onnx_file(read_network(state, cfg)), "biases_0") == [[1.0, 4.0, 2.0, 3.0, 5.0, 8.0, 6.0, 7.0]]
    cfg = {**cfg, "rnn_type": "gru"}
    state = make_actor(cfg).state_dict()
    state["rnn.rnn.bias_ih_l0"][:] = torch.tensor([1.0, 2.0, 3.0])  # reset, update, new
    state["rnn.rnn.bias_hh_l0"][:] = torch.tensor([5.0, 6.0, 7.0])
    assert constant(onnx_file(read_network(state, cfg)), "biases_0") == [[2.0, 1.0, 3.0, 6.0, 5.0, 7.0]]


def constant(data, name):
    graph = onnx.load_from_string(data).graph
    return next(numpy_helper.to_array(array).tolist() for array in graph.initializer if array.name == name)
