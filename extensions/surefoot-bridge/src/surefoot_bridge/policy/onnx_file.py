"""A network as an ONNX model, written byte by byte: the same bytes for the same network, and NumPy is all it takes.

Whoever has the plain weights can so write the file again and compare: ``policy.onnx`` is what this module makes of
``policy.npz`` or it is refused.

Inputs are ``observation`` (batch, observation_dim) and, with recurrent layers, ``h`` and for an LSTM ``c``, each
(num_layers, batch, hidden_dim); outputs are ``action`` (batch, action_dim), ``h_out`` and ``c_out``. The batch may be
of any size. State is zero at the start of an episode. The normaliser is part of the graph.

Field numbers are those of ``onnx.proto``: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.
"""

from typing import Dict, List, Sequence, Tuple, Union

import numpy as np

from .npz import little_endian
from .weights import CellKind, Network, RecurrentLayer

OPSET = 7
"""Version of the operators, the lowest that has them: Gemm, Sub, Div, Mul, LSTM and GRU are of 7, the others older."""

IR_VERSION = 4
"""Version of the file's structure: the first in which weights need not be inputs of the graph."""

GATES: Dict[CellKind, Tuple[int, ...]] = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2)}
"""For each gate in ONNX's order its place in PyTorch's. An LSTM has input, output, forget, cell in ONNX and input,
forget, cell, output in PyTorch; a GRU has update, reset, new in ONNX and reset, update, new in PyTorch."""

_STATES: Dict[CellKind, Tuple[str, ...]] = {"lstm": ("h", "c"), "gru": ("h",)}
_FLOAT, _INT, _INTS = 1, 2, 7  # TensorProto.FLOAT, AttributeProto.INT and INTS


def onnx_file(network: Network) -> bytes:
    """Return a network as the content of an ONNX file."""
    graph = _Graph()
    observation = graph.input("observation", "batch", network.observation_dim)
    centred = graph.node("Sub", "centred", observation, graph.weight("mean", network.mean))
    value = graph.node("Div", "normalized", centred, graph.weight("std", network.std))
    if network.cell is not None:
        value = _add_memory(graph, network.cell, network, value)
    _add_perceptron(graph, network, value)
    graph.output("action", "batch", network.action_dim)
    for name in _STATES[network.cell] if network.cell else ():
        graph.output(f"{name}_out", len(network.recurrent_layers), "batch", network.hidden_dim)
    opset = _field(1, "") + _field(2, OPSET)
    return _field(1, IR_VERSION) + _field(2, "surefoot") + _field(7, graph.content()) + _field(8, opset)


class _Graph:
    """Parts of a graph, collected one by one; a value is known by its name."""

    def __init__(self) -> None:
        self._nodes: List[bytes] = []
        self._inputs: List[bytes] = []
        self._outputs: List[bytes] = []
        self._weights: List[bytes] = []

    def content(self) -> bytes:
        """Return the GraphProto."""
        parts = [_field(1, node) for node in self._nodes] + [_field(2, "policy")]
        parts += [_field(5, weight) for weight in self._weights]
        parts += [_field(11, item) for item in self._inputs] + [_field(12, item) for item in self._outputs]
        return b"".join(parts)

    def input(self, name: str, *shape: Union[int, str]) -> str:
        """Add an input; a string stands for a size that is free."""
        self._inputs.append(_float_value(name, shape))
        return name

    def output(self, name: str, *shape: Union[int, str]) -> None:
        """Make a value an output."""
        self._outputs.append(_float_value(name, shape))

    def weight(self, name: str, array: np.ndarray) -> str:
        """Add a constant."""
        data = little_endian(array).tobytes()
        self._weights.append(_fields(1, array.shape) + _field(2, _FLOAT) + _field(8, name) + _field(9, data))
        return name

    def node(self, operator: str, output: str, *inputs: str, **attributes: Union[int, List[int]]) -> str:
        """Add a node with one output."""
        self.nodes_with([output], operator, *inputs, **attributes)
        return output

    def nodes_with(
        self, outputs: Sequence[str], operator: str, *inputs: str, **attributes: Union[int, List[int]]
    ) -> None:
        """Add a node with several outputs; an empty name stands for one that nobody needs."""
        parts = [_fields(1, inputs), _fields(2, outputs), _field(3, outputs[-1]), _field(4, operator)]
        for name, value in sorted(attributes.items()):
            content = _field(3, value) if isinstance(value, int) else _fields(8, value)
            kind = _field(20, _INT if isinstance(value, int) else _INTS)
            parts.append(_field(5, _field(1, name) + content + kind))
        self._nodes.append(b"".join(parts))


def _fields(number: int, values: Sequence[Union[int, str]]) -> bytes:
    """Return a repeated field of a message."""
    return b"".join(_field(number, value) for value in values)


def _field(number: int, value: Union[int, str, bytes]) -> bytes:
    """Return a field of a message: a number as a varint, a text or an inner message with its length before it."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    """Return a whole number >= 0, seven bits to a byte, lowest first; all bytes but the last have their top bit set."""
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def _float_value(name: str, shape: Sequence[Union[int, str]]) -> bytes:
    """Return a ValueInfoProto of a float tensor."""
    sizes = b"".join(_field(1, _field(1 if isinstance(size, int) else 2, size)) for size in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, _FLOAT) + _field(2, sizes)))


def _add_perceptron(graph: _Graph, network: Network, value: str) -> None:
    """Add the perceptron, whose output is ``action``."""
    for i, layer in enumerate(network.layers):
        is_last = i == len(network.layers) - 1
        weight, bias = graph.weight(f"weight_{i}", layer.weight), graph.weight(f"bias_{i}", layer.bias)
        value = graph.node("Gemm", "action" if is_last else f"linear_{i}", value, weight, bias, transB=1)
        if is_last:
            return
        if network.activation == "silu":
            value = graph.node("Mul", f"silu_{i}", value, graph.node("Sigmoid", f"sigmoid_{i}", value))
        else:
            operator = {"elu": "Elu", "relu": "Relu", "tanh": "Tanh"}[network.activation]
            value = graph.node(operator, f"{network.activation}_{i}", value)


def _add_memory(graph: _Graph, cell: CellKind, network: Network, value: str) -> str:
    """Add the recurrent layers, whose states are ``h`` to ``h_out`` and so on, and return their output.

    ONNX's recurrent layers take a sequence, here of length 1: (1, batch, inputs), and the state of one layer in one
    direction, which has the same form: (1, batch, hidden_dim).
    """
    states, count = _STATES[cell], len(network.recurrent_layers)
    value = graph.node("Unsqueeze", "sequence", value, axes=[0])
    before: Dict[str, List[str]] = {}
    after: Dict[str, List[str]] = {}
    for state in states:
        graph.input(state, count, "batch", network.hidden_dim)
        before[state] = [state] if count == 1 else [f"{state}_{i}" for i in range(count)]
        after[state] = [f"{state}_out"] if count == 1 else [f"{state}_out_{i}" for i in range(count)]
        if count > 1:
            graph.nodes_with(before[state], "Split", state, axis=0)
    for i, layer in enumerate(network.recurrent_layers):
        inputs = [graph.weight(f"{kind}_{i}", array) for kind, array in _in_onnx_order(cell, layer).items()]
        initial = [before[state][i] for state in states]
        final = [after[state][i] for state in states]
        # PyTorch's GRU applies the reset gate after the product with the state.
        extra: Dict[str, Union[int, List[int]]] = {"linear_before_reset": 1} if cell == "gru" else {}
        graph.nodes_with(
            ["", *final], cell.upper(), value, *inputs, "", *initial, hidden_size=network.hidden_dim, **extra
        )
        value = after["h"][i]
    if count > 1:
        for state in states:
            graph.node("Concat", f"{state}_out", *after[state], axis=0)
    return graph.node("Squeeze", "remembered", value, axes=[0])


def _in_onnx_order(cell: CellKind, layer: RecurrentLayer) -> Dict[str, np.ndarray]:
    """Return W, R and B of ONNX, (1, gates * hidden_dim, ...), with the gates in its order."""

    def reordered(array: np.ndarray) -> np.ndarray:
        gates = np.split(array, len(GATES[cell]))
        return np.concatenate([gates[place] for place in GATES[cell]])[None]

    biases = np.concatenate([reordered(layer.bias_ih), reordered(layer.bias_hh)], axis=1)
    return {"weight_ih": reordered(layer.weight_ih), "weight_hh": reordered(layer.weight_hh), "biases": biases}
