"""The NumPy policy computes what is worked out by hand and what PyTorch computes."""

import math
from dataclasses import replace

import numpy as np
import pytest
from bundles import random_network

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import Network, NumpyPolicy
from surefoot_bridge.policy.weights import ACTIVATIONS, LinearLayer, RecurrentLayer

CELLS = ("gru", "lstm")


def column(*numbers):
    return np.array(numbers, np.float32)[:, None]


def vector(*numbers):
    return np.array(numbers, np.float32)


IDENTITY = LinearLayer(column(1.0), vector(0.0))


def sigmoid(x):
    return 1.0 / (1.0 + math.exp(-x))


def run(policy, observations, memory=None):
    """Actions over the first axis."""
    memory = policy.initial(observations.shape[1:-1]) if memory is None else memory
    actions = []
    for observation in observations:
        action, memory = policy(observation, memory)
        actions.append(action)
    return np.stack(actions), memory


@pytest.mark.parametrize(
    ("activation", "at_minus_1", "at_2"),
    [
        ("elu", math.exp(-1.0) - 1.0, 2.0),
        ("relu", 0.0, 2.0),
        ("tanh", math.tanh(-1.0), math.tanh(2.0)),
        ("silu", -sigmoid(-1.0), 2.0 * sigmoid(2.0)),
    ],
)
def test_the_observation_is_normalised_and_the_activation_stands_between_the_layers_only(activation, at_minus_1, at_2):
    # (x - 1) / 4 is -0.25 for x = 0 and 0.5 for x = 3; times 4 gives -1 and 2; the last layer doubles and subtracts 5.
    network = Network(
        mean=vector(1.0),
        std=vector(4.0),
        layers=(LinearLayer(column(4.0), vector(0.0)), LinearLayer(column(2.0), vector(-5.0))),
        activation=activation,
    )
    policy = NumpyPolicy(network)
    actions, _ = run(policy, np.array([[0.0], [3.0]], np.float32))
    np.testing.assert_allclose(actions[:, 0], [2.0 * at_minus_1 - 5.0, 2.0 * at_2 - 5.0], rtol=1e-6)
    assert actions.dtype == np.float32


def test_an_lstm_has_its_gates_in_the_order_input_forget_cell_output():
    layer = RecurrentLayer(
        weight_ih=column(0.1, 0.2, 0.3, 0.4),
        weight_hh=column(0.5, 0.6, 0.7, 0.8),
        bias_ih=vector(0.01, 0.02, 0.03, 0.04),
        bias_hh=vector(0.1, 0.1, 0.1, 0.1),
    )
    policy = NumpyPolicy(Network(vector(0.0), vector(1.0), (IDENTITY,), "elu", "lstm", (layer,)))
    h = c = 0.0
    for _ in range(2):  # with an input of 2
        entry, forget, exit_ = sigmoid(0.31 + 0.5 * h), sigmoid(0.52 + 0.6 * h), sigmoid(0.94 + 0.8 * h)
        c = forget * c + entry * math.tanh(0.73 + 0.7 * h)
        h = exit_ * math.tanh(c)
    actions, memory = run(policy, np.full((2, 1), 2.0, np.float32))
    np.testing.assert_allclose(actions[1, 0], h, rtol=1e-5)
    np.testing.assert_allclose([array.item() for array in memory.arrays], [h, c], rtol=1e-5)


def test_a_gru_has_its_gates_in_the_order_reset_update_new_and_resets_after_the_product():
    layer = RecurrentLayer(
        weight_ih=column(0.1, 0.2, 0.3),
        weight_hh=column(0.5, 0.6, 0.7),
        bias_ih=vector(0.01, 0.02, 0.03),
        bias_hh=vector(0.1, 0.2, 0.3),
    )
    policy = NumpyPolicy(Network(vector(0.0), vector(1.0), (IDENTITY,), "elu", "gru", (layer,)))
    h = 0.0
    for _ in range(2):  # with an input of 2
        reset, update = sigmoid(0.31 + 0.5 * h), sigmoid(0.62 + 0.6 * h)
        h = (1.0 - update) * math.tanh(0.63 + reset * (0.7 * h + 0.3)) + update * h
    actions, memory = run(policy, np.full((2, 1), 2.0, np.float32))
    np.testing.assert_allclose(actions[1, 0], h, rtol=1e-5)
    np.testing.assert_allclose(memory.arrays[0].item(), h, rtol=1e-5)


@pytest.mark.parametrize("cell", [None, *CELLS])
def test_a_batch_gives_what_its_robots_give_alone(cell):
    policy = NumpyPolicy(random_network(7, 3, cell=cell))
    observations = np.random.default_rng(1).standard_normal((20, 2, 5, 7)).astype(np.float32)
    batch, memory = run(policy, observations)
    assert batch.shape == (20, 2, 5, 3)
    for i in range(2):
        for j in range(5):
            single, after = run(policy, observations[:, i, j])
            # Sums of a batch are taken in another order than those of one, so the last digit may differ.
            np.testing.assert_allclose(single, batch[:, i, j], atol=2e-6)
            for array, of_batch in zip(after.arrays, memory.arrays):
                np.testing.assert_allclose(array, of_batch[i, j], atol=2e-6)


PLAIN = {
    "elu": lambda x: np.where(x > 0.0, x, np.exp(np.minimum(x, np.float32(0.0))) - np.float32(1.0)),
    "relu": lambda x: np.maximum(x, np.float32(0.0)),
    "tanh": np.tanh,
    "silu": lambda x: x * (np.float32(0.5) * np.tanh(np.float32(0.5) * x) + np.float32(0.5)),
}


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_arrays_that_are_kept_change_no_bit_of_an_answer_nor_an_answer_before(activation):
    network = random_network(7, 3, activation=activation)
    policy, memory = NumpyPolicy(network), NumpyPolicy(network).initial(())
    columns = [(np.array(layer.weight.T, order="C"), layer.bias) for layer in network.layers]
    answers = []
    for observation in np.random.default_rng(1).standard_normal((50, 7)).astype(np.float32):
        value = (observation - network.mean) / network.std
        for weight, bias in columns[:-1]:
            value = PLAIN[activation](value @ weight + bias)
        action, _ = policy(observation, memory)
        answers.append((action, value @ columns[-1][0] + columns[-1][1]))
    for action, expected in answers:
        assert action.tobytes() == expected.tobytes()


@pytest.mark.parametrize("cell", CELLS)
def test_reset_begins_again_for_the_chosen_robots_only(cell):
    policy = NumpyPolicy(random_network(7, 3, cell=cell))
    observations = np.random.default_rng(1).standard_normal((10, 4, 7)).astype(np.float32)
    _, memory = run(policy, observations)
    mask = np.array([True, False, True, False])
    after = policy.reset(memory, mask)
    for array, before in zip(after.arrays, memory.arrays):
        assert array.dtype == np.float32
        assert not array[mask].any()
        np.testing.assert_array_equal(array[~mask], before[~mask])
        assert before[mask].any()  # what goes in is not changed


@pytest.mark.parametrize("mask", [np.array([1, 0, 1, 0]), np.array([True, False]), np.array(True)])
def test_a_mask_that_is_none_is_refused(mask):
    policy = NumpyPolicy(random_network(7, 3, cell="gru"))
    with pytest.raises(SurefootError, match=r"it must be bool of shape \(4,\), the batch shape of the memory"):
        policy.reset(policy.initial((4,)), mask)


@pytest.mark.parametrize("cell", [None, *CELLS])
def test_a_call_changes_nothing_that_it_is_given(cell):
    network = random_network(7, 3, cell=cell)
    policy = NumpyPolicy(network)
    observation = np.ones(7, np.float32)
    _, memory = policy(observation, policy.initial(()))
    kept = [array.copy() for array in memory.arrays]
    first, _ = policy(observation, memory)
    network.mean[:] = 100.0  # nor does it keep the caller's arrays
    network.layers[0].weight[:] = 0.0
    second, _ = policy(observation, memory)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(observation, 1.0)
    for array, before in zip(memory.arrays, kept):
        np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("cell", [None, *CELLS])
def test_huge_observations_give_finite_actions_without_a_warning(activation, cell):
    policy = NumpyPolicy(random_network(7, 3, cell=cell, activation=activation))
    for sign in (-1.0, 1.0):
        action, _ = policy(np.full(7, sign * 1e6, np.float32), policy.initial(()))
        assert np.isfinite(action).all()


def test_wrong_shapes_and_types_are_refused():
    policy = NumpyPolicy(random_network(7, 3, cell="lstm"))
    memory = policy.initial((4,))
    with pytest.raises(SurefootError, match=r"float32 of shape \(4, 6\); this policy takes float32 of \(\.\.\., 7\)"):
        policy(np.zeros((4, 6), np.float32), memory)
    with pytest.raises(SurefootError, match=r"The observation is float64"):
        policy(np.zeros((4, 7)), memory)
    with pytest.raises(SurefootError, match=r"this lstm takes \(5, 2, 6\)"):
        policy(np.zeros((5, 7), np.float32), memory)
    with pytest.raises(SurefootError, match=r"The memory is nothing"):
        policy(np.zeros((4, 7), np.float32), replace(memory, arrays=()))


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_perceptron_agrees_with_pytorch(activation):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from torch_networks import torch_network

    network = random_network(48, 12, hidden=(512, 256, 128), activation=activation)
    observations = 3.0 * np.random.default_rng(1).standard_normal((200, 48)).astype(np.float32)
    with torch.inference_mode():
        expected = torch_network(network)(torch.from_numpy(observations)).numpy()
    actions, _ = run(NumpyPolicy(network), observations)
    np.testing.assert_allclose(actions, expected, atol=1e-5)


@pytest.mark.parametrize("cell", CELLS)
def test_recurrent_networks_agree_with_pytorch_over_episodes_with_a_reset(cell):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from torch_networks import torch_network

    network = random_network(48, 12, hidden=(128, 64), cell=cell, cells=(2, 64))
    policy, module = NumpyPolicy(network), torch_network(network)
    observations = np.random.default_rng(1).standard_normal((100, 3, 48)).astype(np.float32)
    memory = policy.initial((3,))
    states = [torch.zeros(2, 3, 64) for _ in memory.arrays]  # PyTorch has the layers first
    for step, observation in enumerate(observations):
        if step == 50:
            memory = policy.reset(memory, np.array([False, True, False]))
            for state in states:
                state[:, 1] = 0.0
        with torch.no_grad():
            expected, *states = module(torch.from_numpy(observation), *states)
        action, memory = policy(observation, memory)
        np.testing.assert_allclose(action, expected.numpy(), atol=1e-4)
        for array, state in zip(memory.arrays, states):
            np.testing.assert_allclose(np.moveaxis(array, -2, 0), state.numpy(), atol=1e-4)
