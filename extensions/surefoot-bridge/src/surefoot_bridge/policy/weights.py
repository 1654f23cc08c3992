"""The plain form of a policy's network: its arrays by name, what they hash to, and the file ``policy.npz``.

A network subtracts a mean, divides by a standard deviation, passes recurrent layers if it has any, and then a
multilayer perceptron with one kind of activation between its layers and none after the last.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Literal, Mapping, Optional, Tuple

import numpy as np

from surefoot_bridge.contract import NetworkPart, RecurrentPart
from surefoot_bridge.errors import SurefootError, refusal, unknown_name

from .npz import check_names, little_endian, read_npz, write_npz

Activation = Literal["elu", "relu", "tanh", "silu"]
CellKind = Literal["lstm", "gru"]

ACTIVATIONS: Tuple[Activation, ...] = ("elu", "relu", "tanh", "silu")
GATES: Dict[CellKind, int] = {"lstm": 4, "gru": 3}
"""Gates of each kind of cell, which lie one after another in its arrays, in PyTorch's order: input, forget, cell,
output for an LSTM, and reset, update, new for a GRU."""


@dataclass(frozen=True)
class LinearLayer:
    """One layer of the perceptron: ``weight x + bias``.

    Attributes:
        weight: (outputs, inputs), float32.
        bias: (outputs,), float32.
    """

    weight: np.ndarray
    bias: np.ndarray


@dataclass(frozen=True)
class RecurrentLayer:
    """One recurrent layer, with the arrays of ``torch.nn.LSTM`` and ``torch.nn.GRU``.

    Attributes:
        weight_ih: Of the input, (gates * hidden, inputs), float32.
        weight_hh: Of the state, (gates * hidden, hidden), float32.
        bias_ih: (gates * hidden,), float32.
        bias_hh: (gates * hidden,), float32.
    """

    weight_ih: np.ndarray
    weight_hh: np.ndarray
    bias_ih: np.ndarray
    bias_hh: np.ndarray


@dataclass(frozen=True)
class Network:
    """A policy's network.

    Attributes:
        mean: What is subtracted from the observation, (observation_dim,), float32.
        std: By what it is divided then, (observation_dim,), float32. A trainer that adds a small number to the standard
            deviation has it in here.
        layers: Layers of the perceptron, first to last.
        activation: Activation between them.
        cell: Kind of the recurrent layers; None without any.
        recurrent_layers: Recurrent layers, first to last.
    """

    mean: np.ndarray
    std: np.ndarray
    layers: Tuple[LinearLayer, ...]
    activation: Activation = "elu"
    cell: Optional[CellKind] = None
    recurrent_layers: Tuple[RecurrentLayer, ...] = ()

    def __post_init__(self) -> None:
        """Refuse arrays that do not fit each other; all mistakes are named at once."""
        if self.activation not in ACTIVATIONS:
            raise unknown_name("activation", str(self.activation), ACTIVATIONS)
        if self.cell is not None and self.cell not in GATES:
            raise unknown_name("recurrent cell", str(self.cell), GATES)
        mistakes = list(_mistakes(self))
        if mistakes:
            raise refusal("A network's arrays do not fit:", mistakes)

    @property
    def observation_dim(self) -> int:
        """Length of the input."""
        return len(self.mean)

    @property
    def action_dim(self) -> int:
        """Length of the output."""
        return len(self.layers[-1].bias)

    @property
    def hidden_dim(self) -> int:
        """Size of the state of each recurrent layer; 0 without any."""
        return self.recurrent_layers[0].weight_hh.shape[1] if self.recurrent_layers else 0


def named_arrays(network: Network) -> Dict[str, np.ndarray]:
    """Return the arrays of a network by name, in a fixed order; the names state cell and activation too."""
    arrays = {"normalizer.mean": network.mean, "normalizer.std": network.std}
    for i, cell in enumerate(network.recurrent_layers):
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            arrays[f"memory.{network.cell}.{i}.{name}"] = getattr(cell, name)
    for i, layer in enumerate(network.layers):
        arrays[f"mlp.{network.activation}.{i}.weight"] = layer.weight
        arrays[f"mlp.{network.activation}.{i}.bias"] = layer.bias
    return arrays


def digest(network: Network) -> str:
    """Return the SHA-256 of a network's parameters: names, shapes and little-endian bytes of its arrays, in order.

    It does not depend on the file that they are kept in. The contract names it as ``network.weights_sha256``.
    """
    digester = hashlib.sha256()
    for name, array in named_arrays(network).items():
        digester.update(f"{name} {'x'.join(map(str, array.shape))}\n".encode())
        digester.update(little_endian(array).tobytes())
    return digester.hexdigest()


def describe(network: Network) -> NetworkPart:
    """Return what the contract must say of a network."""
    recurrent = None
    if network.cell is not None:
        recurrent = RecurrentPart(network.cell, len(network.recurrent_layers), network.hidden_dim, "zeros")
    return NetworkPart(digest(network), network.observation_dim, network.action_dim, recurrent)


def save_weights(network: Network) -> bytes:
    """Write a network as the content of ``policy.npz``: the same bytes for the same arrays."""
    return write_npz(named_arrays(network))


def load_weights(data: bytes, where: str) -> Network:
    """Read what :func:`save_weights` writes.

    Args:
        data: The file's content.
        where: Where it came from, for messages.

    Raises:
        SurefootError: If an array is missing, unknown, of another type or shape, or not finite; it is named.
    """
    arrays = read_npz(data, where=where)
    activation, num_layers = _kind_and_number(arrays, "mlp", ACTIVATIONS, where)
    cell, num_recurrent = _kind_and_number(arrays, "memory", tuple(GATES), where)
    if activation is None:
        raise SurefootError(f"{where} has no array mlp.ACTIVATION.0.weight; valid: {', '.join(ACTIVATIONS)}.")
    recurrent_names = [
        [f"memory.{cell}.{i}.{name}" for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
        for i in range(num_recurrent)
    ]
    layer_names = [[f"mlp.{activation}.{i}.{name}" for name in ("weight", "bias")] for i in range(num_layers)]
    expected = ["normalizer.mean", "normalizer.std"]
    expected += [name for names in recurrent_names + layer_names for name in names]
    check_names(arrays, expected, where=where)
    try:
        return Network(
            mean=arrays["normalizer.mean"],
            std=arrays["normalizer.std"],
            layers=tuple(LinearLayer(*(arrays[name] for name in names)) for names in layer_names),
            activation=activation,
            cell=cell,
            recurrent_layers=tuple(RecurrentLayer(*(arrays[name] for name in names)) for names in recurrent_names),
        )
    except SurefootError as error:
        raise SurefootError(f"{where}: {error}") from error


def _kind_and_number(arrays: Mapping[str, np.ndarray], part: str, valid: Tuple, where: str) -> Tuple[Any, int]:
    """Return the kind that the names of ``part`` state and how many layers they count; None and 0 without any."""
    found = [re.match(rf"{part}\.([^.]*)\.(\d{{1,3}})\.", name) for name in arrays]
    kinds = sorted({match.group(1) for match in found if match})
    if not kinds:
        return None, 0
    if len(kinds) > 1:
        raise SurefootError(f"{where} mixes {part} of {', '.join(kinds)}; a network has one.")
    if kinds[0] not in valid:
        raise unknown_name(f"{part} in {where}", kinds[0], valid)
    return kinds[0], 1 + max(int(match.group(2)) for match in found if match)


def _mistakes(network: Network) -> Iterator[str]:
    """Name what does not fit, one line each."""
    if not network.layers:
        yield "there is no layer; a network has at least one."
    if (network.cell is None) != (not network.recurrent_layers):
        yield f"the cell is {network.cell} with {len(network.recurrent_layers)} recurrent layers."
        return
    arrays = named_arrays(network)
    expected = _shapes(network)
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray) or array.dtype != np.float32:
            kind = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
            yield f"{name} is of type {kind}; it must be float32."
        elif array.shape != expected[name]:
            yield f"{name} has shape {array.shape}; it must be {expected[name]}."
        elif array.size == 0:
            yield f"{name} is empty."
        elif not np.isfinite(array).all():
            yield f"{name} holds {np.count_nonzero(~np.isfinite(array))} numbers that are not finite."
        elif name == "normalizer.std" and not (array > 0).all():
            yield f"{name} is {array.min()} at {array.argmin()}; it must be > 0."


def _shapes(network: Network) -> Dict[str, Tuple[int, ...]]:
    """Return the shape that each array must have, by what stands before it."""
    width = np.size(network.mean)
    shapes: Dict[str, Tuple[int, ...]] = {"normalizer.mean": (width,), "normalizer.std": (width,)}
    for i in range(len(network.recurrent_layers)):
        hidden = np.shape(network.recurrent_layers[0].weight_hh)[-1:] or (0,)
        rows = GATES[network.cell] * hidden[0] if network.cell else 0
        path = f"memory.{network.cell}.{i}"
        shapes[f"{path}.weight_ih"], shapes[f"{path}.weight_hh"] = (rows, width), (rows, *hidden)
        shapes[f"{path}.bias_ih"] = shapes[f"{path}.bias_hh"] = (rows,)
        width = hidden[0]
    for i, layer in enumerate(network.layers):
        outputs = np.size(layer.bias)
        path = f"mlp.{network.activation}.{i}"
        shapes[f"{path}.weight"], shapes[f"{path}.bias"] = (outputs, width), (outputs,)
        width = outputs
    return shapes
