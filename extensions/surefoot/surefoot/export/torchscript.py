"""A network as TorchScript, in basic operations that old versions of PyTorch load too.

Without recurrent layers the module has ``forward(observation) -> action``. With them its memory goes in and comes out:
``forward(observation, h) -> (action, h)`` for a GRU, ``forward(observation, h, c) -> (action, h, c)`` for an LSTM, and
``initial(batch)`` and ``reset(mask, ...)`` give the memory at the start of an episode. Shapes are
(batch, observation_dim), (batch, action_dim), (num_layers, batch, hidden_dim) and (batch,) for the mask, with any
batch.

Weights are lists of tensors and the activation is a string, rather than submodules: TorchScript numbers the types of
modules whose submodules differ in the order in which a process meets them, and writes the numbers into the file. Load
a file with ``torch.jit.load(file, map_location=device)``: ``to`` does not move lists.
"""

import io
import warnings
import zipfile
from typing import Any

import torch

from surefoot_bridge.weights import Network


def script(network: Network) -> bytes:
    """Return a network as the content of a TorchScript file: the same bytes for the same network and PyTorch.

    Args:
        network: The network; the normaliser becomes part of the module.
    """
    module = {None: _Perceptron, "gru": _Gru, "lstm": _Lstm}[network.cell](network).eval()
    with warnings.catch_warnings():
        # PyTorch 2.11 advises against TorchScript; it is still what every robot's PyTorch loads.
        warnings.filterwarnings("ignore", r"`torch\.jit\.(script|save|load)` is deprecated", DeprecationWarning)
        buffer = io.BytesIO()
        torch.jit.save(torch.jit.script(module), buffer)
        anonymous = torch.jit.load(_without_source_places(buffer.getvalue()), map_location="cpu")
        buffer = io.BytesIO()
        torch.jit.save(anonymous, buffer)
    return buffer.getvalue()


def _without_source_places(data: bytes) -> io.BytesIO:
    """Return a TorchScript file without debug records, which hold the place of this file on this machine."""
    kept = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(kept, "w", zipfile.ZIP_STORED) as after:
        for name in before.namelist():
            if not name.endswith(".debug_pkl"):
                after.writestr(name, before.read(name))
    kept.seek(0)
    return kept


def _tensor(array: Any) -> torch.Tensor:
    return torch.from_numpy(array.copy())


class _Perceptron(torch.nn.Module):
    """Normaliser and perceptron."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.mean, self.std = _tensor(network.mean), _tensor(network.std)
        self.weights = [_tensor(layer.weight) for layer in network.layers]
        self.biases = [_tensor(layer.bias) for layer in network.layers]
        self.activation: str = network.activation

    def normalized(self, observation: torch.Tensor) -> torch.Tensor:
        return (observation - self.mean) / self.std

    def action(self, x: torch.Tensor) -> torch.Tensor:
        last = len(self.weights) - 1
        for i in range(last):
            x = torch.nn.functional.linear(x, self.weights[i], self.biases[i])
            if self.activation == "elu":
                x = torch.nn.functional.elu(x)
            elif self.activation == "relu":
                x = torch.relu(x)
            elif self.activation == "tanh":
                x = torch.tanh(x)
            else:  # silu, the only one left
                x = x * torch.sigmoid(x)
        return torch.nn.functional.linear(x, self.weights[last], self.biases[last])

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return self.action(self.normalized(observation))


class _Recurrent(_Perceptron):
    """Weights of the recurrent layers before the perceptron."""

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self.weights_ih = [_tensor(layer.weight_ih) for layer in network.recurrent_layers]
        self.weights_hh = [_tensor(layer.weight_hh) for layer in network.recurrent_layers]
        self.biases_ih = [_tensor(layer.bias_ih) for layer in network.recurrent_layers]
        self.biases_hh = [_tensor(layer.bias_hh) for layer in network.recurrent_layers]

    def zeros(self, batch: int) -> torch.Tensor:
        return self.mean.new_zeros([len(self.weights_hh), batch, self.weights_hh[0].size(1)])

    def cleared(self, mask: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
        # Filled, not multiplied by zero, so that a state that is not finite goes away too. (batch,) -> (batch, 1)
        return state.masked_fill(mask.unsqueeze(-1), 0.0)


class _Gru(_Recurrent):
    def forward(self, observation: torch.Tensor, h: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = self.normalized(observation)
        states: list[torch.Tensor] = []
        for i in range(len(self.weights_hh)):
            x = torch.gru_cell(
                x, h[i], self.weights_ih[i], self.weights_hh[i], self.biases_ih[i], self.biases_hh[i]
            )  # (batch, hidden_dim)
            states.append(x)
        return self.action(x), torch.stack(states)

    @torch.jit.export
    def initial(self, batch: int) -> torch.Tensor:
        return self.zeros(batch)

    @torch.jit.export
    def reset(self, mask: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        return self.cleared(mask, h)


class _Lstm(_Recurrent):
    def forward(
        self, observation: torch.Tensor, h: torch.Tensor, c: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        x = self.normalized(observation)
        hidden: list[torch.Tensor] = []
        cells: list[torch.Tensor] = []
        for i in range(len(self.weights_hh)):
            x, cell = torch.lstm_cell(
                x, [h[i], c[i]], self.weights_ih[i], self.weights_hh[i], self.biases_ih[i], self.biases_hh[i]
            )  # (batch, hidden_dim) each
            hidden.append(x)
            cells.append(cell)
        return self.action(x), torch.stack(hidden), torch.stack(cells)

    @torch.jit.export
    def initial(self, batch: int) -> tuple[torch.Tensor, torch.Tensor]:
        return self.zeros(batch), self.zeros(batch)

    @torch.jit.export
    def reset(self, mask: torch.Tensor, h: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.cleared(mask, h), self.cleared(mask, c)
