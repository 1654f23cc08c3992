"""The networks of :mod:`surefoot_bridge.policy.weights` built of PyTorch's own modules. Needs PyTorch."""

from typing import Tuple

import numpy as np
import torch
from torch import Tensor, nn

from surefoot_bridge.policy import Network

_ACTIVATIONS = {"elu": nn.ELU, "relu": nn.ReLU, "tanh": nn.Tanh, "silu": nn.SiLU}


class _Base(nn.Module):
    mean: Tensor
    std: Tensor

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.register_buffer("mean", _tensor(network.mean))
        self.register_buffer("std", _tensor(network.std))
        modules = []
        for layer in network.layers:
            outputs, inputs = layer.weight.shape
            linear = nn.Linear(inputs, outputs)
            linear.weight.data, linear.bias.data = _tensor(layer.weight), _tensor(layer.bias)
            modules += [linear, _ACTIVATIONS[network.activation]()]
        self.mlp = nn.Sequential(*modules[:-1])
        if network.cell is not None:
            kind = nn.LSTM if network.cell == "lstm" else nn.GRU
            self.rnn = kind(network.observation_dim, network.hidden_dim, len(network.recurrent_layers))
            for i, layer in enumerate(network.recurrent_layers):
                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                    getattr(self.rnn, f"{name}_l{i}").data = _tensor(getattr(layer, name))


class Mlp(_Base):
    def forward(self, observation: Tensor) -> Tensor:
        return self.mlp((observation - self.mean) / self.std)


class Gru(_Base):
    def forward(self, observation: Tensor, h: Tensor) -> Tuple[Tensor, Tensor]:
        output, h = self.rnn(((observation - self.mean) / self.std).unsqueeze(0), h)
        return self.mlp(output.squeeze(0)), h


class Lstm(_Base):
    def forward(self, observation: Tensor, h: Tensor, c: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        output, (h, c) = self.rnn(((observation - self.mean) / self.std).unsqueeze(0), (h, c))
        return self.mlp(output.squeeze(0)), h, c


def torch_network(network: Network) -> nn.Module:
    """The module whose forward takes and returns what a bundle's exports do."""
    return {None: Mlp, "gru": Gru, "lstm": Lstm}[network.cell](network).eval()


def _tensor(array: np.ndarray) -> Tensor:
    return torch.from_numpy(array.copy())
