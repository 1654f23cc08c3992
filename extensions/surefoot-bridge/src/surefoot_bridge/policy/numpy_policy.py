"""Runs a policy with NumPy alone.

NumPy's linear algebra takes as many threads as it pleases, which for one robot only makes times uneven: set
``OPENBLAS_NUM_THREADS=1`` before NumPy is imported.
"""

from typing import Callable, Dict, List, Optional, Tuple

import numpy as np

from .policy import Memory, Policy
from .weights import Activation, Network, RecurrentLayer, describe


class NumpyPolicy(Policy):
    """A policy from its plain weights.

    A single robot's numbers pass through arrays that are kept, so one thread at a time may ask.
    """

    runtime = "numpy"

    def __init__(self, network: Network) -> None:
        super().__init__(describe(network))
        self._mean, self._std = network.mean.copy(), network.std.copy()
        self._activate = _ACTIVATIONS[network.activation]
        self._layers = [(_columns(layer.weight), layer.bias.copy()) for layer in network.layers]
        one = [np.zeros((2, len(bias)), np.float32) for _, bias in self._layers[:-1]]
        self._centred, self._between = np.zeros_like(self._mean), [(out, below) for out, below in one]
        self._cells = [_Cell(layer) for layer in network.recurrent_layers]
        self._step = {"lstm": _lstm, "gru": _gru}.get(network.cell or "")

    def __call__(self, observation: np.ndarray, memory: Memory) -> Tuple[np.ndarray, Memory]:
        """Return action and memory; see :meth:`Policy.__call__`."""
        single = not self.batch_shape(observation, memory)
        value = np.subtract(observation, self._mean, out=self._centred if single else None)  # (..., observation_dim)
        value /= self._std
        if self._step is not None:
            after: List[Tuple[np.ndarray, ...]] = []
            for i, cell in enumerate(self._cells):
                after.append(self._step(cell, value, *(array[..., i, :] for array in memory.arrays)))
                value = after[-1][0]
            memory = Memory(tuple(np.stack(arrays, axis=-2) for arrays in zip(*after)))
        for (weight, bias), (out, other) in zip(self._layers, self._between):
            value = np.dot(value, weight, out=out) if single else value @ weight  # the same bits, sooner
            value += bias
            value = self._activate(value, other if single else None)
        weight, bias = self._layers[-1]
        value = value @ weight
        value += bias
        return value, memory


class _Cell:
    """Arrays of a recurrent layer, laid out for row vectors."""

    def __init__(self, layer: RecurrentLayer) -> None:
        self.weight_ih, self.weight_hh = _columns(layer.weight_ih), _columns(layer.weight_hh)
        self.bias_ih, self.bias_hh = layer.bias_ih.copy(), layer.bias_hh.copy()


def _columns(weight: np.ndarray) -> np.ndarray:
    """Return a copy (inputs, outputs) of a weight (outputs, inputs)."""
    return np.array(weight.T, order="C")


def _lstm(cell: _Cell, value: np.ndarray, hidden: np.ndarray, memory: np.ndarray) -> Tuple[np.ndarray, ...]:
    """One step of ``torch.nn.LSTM``: gates in the order input, forget, cell, output. Returns hidden and cell state."""
    gates = value @ cell.weight_ih + cell.bias_ih + hidden @ cell.weight_hh + cell.bias_hh  # (..., 4 * hidden_dim)
    entry, forget, candidate, exit_ = np.split(gates, 4, axis=-1)
    memory = _sigmoid(forget) * memory + _sigmoid(entry) * np.tanh(candidate)
    return _sigmoid(exit_) * np.tanh(memory), memory


def _gru(cell: _Cell, value: np.ndarray, hidden: np.ndarray) -> Tuple[np.ndarray, ...]:
    """One step of ``torch.nn.GRU``: gates in the order reset, update, new. Returns the hidden state."""
    by_input = np.split(value @ cell.weight_ih + cell.bias_ih, 3, axis=-1)
    by_state = np.split(hidden @ cell.weight_hh + cell.bias_hh, 3, axis=-1)
    reset = _sigmoid(by_input[0] + by_state[0])
    update = _sigmoid(by_input[1] + by_state[1])
    candidate = np.tanh(by_input[2] + reset * by_state[2])  # the reset gate acts after the product, as in PyTorch
    return ((1.0 - update) * candidate + update * hidden,)


# Arrays, because NumPy makes one of a plain number anew for each operation.
_ZERO, _ONE = np.zeros((), np.float32), np.ones((), np.float32)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    # By tanh, because exp(-x) overflows for large negative numbers.
    return 0.5 * np.tanh(0.5 * x) + 0.5


def _elu(x: np.ndarray, out: Optional[np.ndarray]) -> np.ndarray:
    # exp(min(x, 0)) - 1 is 0 for x > 0 and never below x otherwise, so the larger of the two is the ELU everywhere.
    below = np.minimum(x, _ZERO, out=out)
    np.exp(below, out=below)
    below -= _ONE
    return np.maximum(x, below, out=below)


def _relu(x: np.ndarray, out: Optional[np.ndarray]) -> np.ndarray:
    return np.maximum(x, _ZERO, out=out)


def _tanh(x: np.ndarray, out: Optional[np.ndarray]) -> np.ndarray:
    return np.tanh(x, out=out)


def _silu(x: np.ndarray, out: Optional[np.ndarray]) -> np.ndarray:
    return np.multiply(x, _sigmoid(x), out=out)


_ACTIVATIONS: Dict[Activation, Callable[[np.ndarray, Optional[np.ndarray]], np.ndarray]] = {
    "elu": _elu,
    "relu": _relu,
    "tanh": _tanh,
    "silu": _silu,
}
"""Activations; each may write to the array that it is given besides."""
