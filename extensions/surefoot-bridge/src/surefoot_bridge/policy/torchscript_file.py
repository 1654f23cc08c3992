"""A network as a TorchScript file, written byte by byte: the same bytes for the same network, without PyTorch.

Whoever has the plain weights can so write the file again and compare: ``policy.pt``, which holds code, is what this
module makes of ``policy.npz`` or it is refused before it is opened.

Without recurrent layers the module has ``forward(observation) -> action``. With them its memory goes in and comes out:
``forward(observation, h) -> (action, h)`` for a GRU, ``forward(observation, h, c) -> (action, h, c)`` for an LSTM, and
``initial(batch)`` and ``reset(mask, ...)`` give the memory at the start of an episode. Shapes are
(batch, observation_dim), (batch, action_dim), (num_layers, batch, hidden_dim) and (batch,) for the mask, with any
batch.

The file is a zip archive with the module's source in TorchScript, a pickle of its attributes, and their numbers, as
``torch.jit.save`` writes it: https://github.com/pytorch/pytorch/blob/main/torch/csrc/jit/docs/serialization.md. All
operators are of PyTorch 1.13 or older.
"""

import struct
from typing import Dict, List, Tuple

import numpy as np

from .npz import little_endian, write_zip
from .weights import Activation, CellKind, Network, named_arrays

_CLASS = "__torch__.surefoot.Policy"
_ACTIVATIONS: Dict[Activation, str] = {
    "elu": "torch.elu(x)",
    "relu": "torch.relu(x)",
    "tanh": "torch.tanh(x)",
    "silu": "torch.mul(x, torch.sigmoid(x))",
}
_STATES: Dict[CellKind, Tuple[str, ...]] = {"lstm": ("h", "c"), "gru": ("h",)}


def torchscript_file(network: Network) -> bytes:
    """Return a network as the content of a TorchScript file."""
    arrays = {name.replace(".", "_"): array for name, array in named_arrays(network).items()}
    members = {
        "data.pkl": _pickled(arrays),
        "code/__torch__/surefoot.py": _source(network, list(arrays)).encode(),
        "constants.pkl": b"\x80\x02).",  # an empty tuple
        "version": b"4\n",  # of the operators' meaning: the first in which div of floats is as everywhere
    }
    members.update({f"data/{i}": little_endian(array).tobytes() for i, array in enumerate(arrays.values())})
    return write_zip({f"policy/{name}": data for name, data in members.items()})


def _source(network: Network, names: List[str]) -> str:
    """Return the module's source; every layer stands there by itself."""
    lines = ["class Policy(Module):", "  __parameters__ = []", "  __buffers__ = []", "  training : bool"]
    lines += [f"  {name} : Tensor" for name in names]
    states = _STATES[network.cell] if network.cell else ()
    result = ", ".join(["Tensor"] * (1 + len(states)))
    lines += _head("forward", ["observation", *states], f"Tuple[{result}]" if states else result)
    lines.append("    x = torch.div(torch.sub(observation, self.normalizer_mean), self.normalizer_std)")
    for i in range(len(network.recurrent_layers)):
        given = ", ".join(
            f"self.memory_{network.cell}_{i}_{kind}" for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        before = [f"torch.select({state}, 0, {i})" for state in states]
        if network.cell == "lstm":
            lines.append(f"    h{i}, c{i} = torch.lstm_cell(x, [{', '.join(before)}], {given})")
        else:
            lines.append(f"    h{i} = torch.gru_cell(x, {before[0]}, {given})")
        lines.append(f"    x = h{i}")
    for i in range(len(network.layers)):
        path = f"self.mlp_{network.activation}_{i}"
        lines.append(f"    x = torch.linear(x, {path}_weight, {path}_bias)")
        if i < len(network.layers) - 1:
            lines.append(f"    x = {_ACTIVATIONS[network.activation]}")
    if not states:
        return "\n".join([*lines, "    return x", ""])
    count, hidden_dim = len(network.recurrent_layers), network.hidden_dim
    after = [f"torch.stack([{', '.join(f'{state}{i}' for i in range(count))}])" for state in states]
    lines.append(f"    return (x, {', '.join(after)})")
    kind = f"Tuple[{', '.join(['Tensor'] * len(states))}]" if len(states) > 1 else "Tensor"
    zeros = f"torch.new_zeros(self.normalizer_mean, [{count}, batch, {hidden_dim}])"
    lines += [*_head("initial", [], kind, "batch: int"), f"    return {_together([zeros] * len(states))}"]
    # Filled, not multiplied by zero, so that a state that is not finite goes away too. (batch,) -> (batch, 1)
    filled = [f"torch.masked_fill({state}, torch.unsqueeze(mask, -1), 0.)" for state in states]
    lines += [*_head("reset", ["mask", *states], kind), f"    return {_together(filled)}"]
    return "\n".join([*lines, ""])


def _head(name: str, tensors: List[str], result: str, *others: str) -> List[str]:
    arguments = [f"self: {_CLASS}", *(f"{tensor}: Tensor" for tensor in tensors), *others]
    return [f"  def {name}({', '.join(arguments)}) -> {result}:"]


def _together(values: List[str]) -> str:
    return f"({', '.join(values)})" if len(values) > 1 else values[0]


def _pickled(arrays: Dict[str, np.ndarray]) -> bytes:
    """Return the pickle of a module whose attributes are these arrays; the i-th one's numbers are in ``data/i``."""
    parts = [b"\x80\x02", _global(*_CLASS.rsplit(".", 1)), b")\x81}(", _text("training"), b"\x89"]
    for i, (name, array) in enumerate(arrays.items()):
        strides = [stride // array.itemsize for stride in little_endian(array).strides]
        storage = [_text("storage"), _global("torch", "FloatStorage"), _text(str(i)), _text("cpu"), _int(array.size)]
        parts += [_text(name), _global("torch._utils", "_rebuild_tensor_v2"), b"("]
        parts += [_tuple(storage), b"Q", _int(0), _tuple([_int(size) for size in array.shape])]
        parts += [_tuple([_int(stride) for stride in strides]), b"\x89"]
        parts += [_global("collections", "OrderedDict"), b")R", b"tR"]
    return b"".join([*parts, b"ub."])


# Opcodes of pickle's protocol 2, as the standard module pickletools lists them.


def _global(module: str, name: str) -> bytes:
    return f"c{module}\n{name}\n".encode()


def _text(text: str) -> bytes:
    return b"X" + struct.pack("<I", len(text.encode())) + text.encode()


def _int(number: int) -> bytes:
    return b"J" + struct.pack("<i", number)


def _tuple(items: List[bytes]) -> bytes:
    return b"(" + b"".join(items) + b"t"
