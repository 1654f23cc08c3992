"""A network as an ONNX model, built node by node, without tracing.

Inputs are ``observation`` (batch, observation_dim) and, with recurrent layers, ``h`` and for an LSTM ``c``, each
(num_layers, batch, hidden_dim); outputs are ``action`` (batch, action_dim), ``h_out`` and ``c_out``. The batch may be
of any size. State is zero at the start of an episode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot_bridge.weights import CellKind, Network, RecurrentLayer

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto, ValueInfoProto

OPSET = 7
"""Version of the operators, the lowest that has them: Gemm, Sub, Div, Mul, LSTM and GRU are of 7, the others older."""

IR_VERSION = 4
"""Version of the file's structure: the first in which weights need not be inputs of the graph."""

GATES: dict[CellKind, tuple[int, ...]] = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2)}
"""For each gate in ONNX's order its place in PyTorch's. An LSTM has input, output, forget, cell in ONNX and input,
forget, cell, output in PyTorch; a GRU has update, reset, new in ONNX and reset, update, new in PyTorch."""

_STATES: dict[CellKind, tuple[str, ...]] = {"lstm": ("h", "c"), "gru": ("h",)}


def onnx_model(network: Network) -> bytes:
    """Return a network as the content of an ONNX file: the same bytes for the same network.

    Args:
        network: The network; the normaliser becomes part of the graph.
    """
    from onnx import checker, helper

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
    model = helper.make_model(
        helper.make_graph(graph.nodes, "policy", graph.inputs, graph.outputs, graph.weights),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="surefoot",
    )
    checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


class _Graph:
    """Parts of a graph, collected one by one; a value is known by its name."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.inputs: list[ValueInfoProto] = []
        self.outputs: list[ValueInfoProto] = []
        self.weights: list[TensorProto] = []

    def input(self, name: str, *shape: int | str) -> str:
        """Add an input; a string stands for a size that is free."""
        self.inputs.append(_float_value(name, shape))
        return name

    def output(self, name: str, *shape: int | str) -> None:
        """Make a value an output."""
        self.outputs.append(_float_value(name, shape))

    def weight(self, name: str, array: np.ndarray) -> str:
        """Add a constant."""
        from onnx import numpy_helper

        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array, dtype="<f4"), name))
        return name

    def node(self, operator: str, output: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output."""
        self.nodes_with([output], operator, *inputs, **attributes)
        return output

    def nodes_with(self, outputs: list[str], operator: str, *inputs: str, **attributes: Any) -> None:
        """Add a node with several outputs; an empty name stands for one that nobody needs."""
        from onnx import helper

        self.nodes.append(helper.make_node(operator, list(inputs), outputs, name=outputs[-1], **attributes))


def _float_value(name: str, shape: tuple[int | str, ...]) -> ValueInfoProto:
    from onnx import TensorProto, helper

    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


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
    before, after = {}, {}
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
        extra = {"linear_before_reset": 1} if cell == "gru" else {}
        graph.nodes_with(
            ["", *final], cell.upper(), value, *inputs, "", *initial, hidden_size=network.hidden_dim, **extra
        )
        value = after["h"][i]
    if count > 1:
        for state in states:
            graph.node("Concat", f"{state}_out", *after[state], axis=0)
    return graph.node("Squeeze", "remembered", value, axes=[0])


def _in_onnx_order(cell: CellKind, layer: RecurrentLayer) -> dict[str, np.ndarray]:
    """Return W, R and B of ONNX, (1, gates * hidden_dim, ...), with the gates in its order."""

    def reordered(array: np.ndarray) -> np.ndarray:
        gates = np.split(array, len(GATES[cell]))
        return np.concatenate([gates[place] for place in GATES[cell]])[None]

    biases = np.concatenate([reordered(layer.bias_ih), reordered(layer.bias_hh)], axis=1)
    return {"weight_ih": reordered(layer.weight_ih), "weight_hh": reordered(layer.weight_hh), "biases": biases}
