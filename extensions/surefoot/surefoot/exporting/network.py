"""The network of an rsl_rl actor in plain form: observation normaliser, recurrent layers, perceptron."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import torch

from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_bridge.policy import Network
from surefoot_bridge.policy.weights import GATES, Activation, CellKind, LinearLayer, RecurrentLayer

ACTIVATIONS: dict[str, Activation] = {"elu": "elu", "relu": "relu", "tanh": "tanh", "swish": "silu"}
"""rsl_rl's names of the activations that a bundle can hold, and the names they have there."""

_REMEDY = "Export with the configuration that the checkpoint was trained with."


def read_network(actor_state_dict: Mapping[str, torch.Tensor], actor_cfg: Mapping[str, Any]) -> Network:
    """Bring an rsl_rl actor to its plain form, whose output is the mean of the policy's actions.

    The configuration says what the weights cannot: which activation stands between the layers, and what the last one
    gives. Where both say something they must agree, so that a stale configuration is refused.

    Args:
        actor_state_dict: State of an ``MLPModel`` or ``RNNModel`` with a Gaussian distribution or none, as a checkpoint
            holds it under ``actor_state_dict``.
        actor_cfg: The runner's configuration of that actor, as a mapping with ``class_name``.

    Raises:
        SurefootError: If the configuration is of another kind of actor, or an array is missing, unknown, or of another
            shape than the configuration's; it is named.
    """
    options = _options(actor_cfg)
    arrays = _Arrays(actor_state_dict)
    normaliser = _normaliser(arrays) if options["obs_normalization"] else None
    recurrent_layers = _recurrent_layers(arrays, options)
    layers = _layers(arrays, options)
    _drop_spread(arrays, options["distribution_cfg"])
    arrays.refuse_rest()
    inputs = (recurrent_layers[0].weight_ih if recurrent_layers else layers[0].weight).shape[1]
    mean, std = normaliser or (np.zeros(inputs, np.float32), np.ones(inputs, np.float32))
    activation = ACTIVATIONS[options["activation"]]
    return Network(mean, std, layers, activation, options["rnn_type"], recurrent_layers)


class _Arrays:
    """The arrays of a state by name, each of which is to be taken once."""

    def __init__(self, state: Mapping[str, torch.Tensor]) -> None:
        self._left = dict(state)
        self._names = ", ".join(state) or "nothing"

    def tensor(self, name: str) -> torch.Tensor:
        """Take a tensor out."""
        if name not in self._left:
            raise SurefootError(
                f"The actor's weights lack {name!r}, which its configuration asks for; they hold {self._names}. "
                f"{_REMEDY}"
            )
        return self._left.pop(name).detach().cpu()

    def array(self, name: str, *shape: int | None) -> np.ndarray:
        """Take an array out, float32, of the given shape; None stands for any size."""
        tensor = self.tensor(name)
        if tensor.dtype != torch.float32:
            raise SurefootError(f"The actor's {name!r} is {tensor.dtype}; a bundle holds torch.float32.")
        if len(tensor.shape) != len(shape) or any(b not in (a, None) for a, b in zip(tensor.shape, shape, strict=True)):
            asked = "(" + ", ".join("any" if size is None else str(size) for size in shape) + ")"
            raise SurefootError(
                f"The actor's {name!r} has shape {tuple(tensor.shape)}; its configuration asks for {asked}. {_REMEDY}"
            )
        return tensor.numpy().copy()

    def refuse_rest(self) -> None:
        """Raise for what has not been taken."""
        if self._left:
            raise SurefootError(
                f"The actor's weights hold {', '.join(self._left)}, for which its configuration has no use. {_REMEDY}"
            )


def _options(actor_cfg: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that rsl_rl builds the actor with, defaults included; ``rnn_type`` is None for an MLP."""
    from rsl_rl.models import MLPModel, RNNModel

    given = dict(actor_cfg)
    actor_class = _resolve(given.pop("class_name", None))
    # A subclass may compute something else from the same weights, so it is not taken for its parent.
    if actor_class not in (MLPModel, RNNModel):
        name = str(actor_cfg.get("class_name"))
        raise unknown_name("class_name of an actor that can be exported", name, ["MLPModel", "RNNModel"])
    parameters = inspect.signature(actor_class).parameters
    defaults = {key: item.default for key, item in parameters.items() if item.default is not inspect.Parameter.empty}
    for key in given:
        if key not in defaults:
            raise unknown_name(f"setting of the actor ({actor_class.__name__})", key, defaults)
    options = {"rnn_type": None, **defaults, **given}
    options["activation"] = str(options["activation"]).lower()
    if options["activation"] not in ACTIVATIONS:
        raise unknown_name("activation of an actor that can be exported", options["activation"], ACTIVATIONS)
    if actor_class is RNNModel:
        options["rnn_type"] = str(options["rnn_type"]).lower()
        if options["rnn_type"] not in GATES:
            raise unknown_name("rnn_type", options["rnn_type"], GATES)
    return options


def _resolve(name: Any) -> Any:
    """Return the class that rsl_rl finds under a name, or None."""
    from rsl_rl.utils import resolve_callable

    try:
        return resolve_callable(name)
    except (AttributeError, ImportError, TypeError, ValueError):
        return None


def _normaliser(arrays: _Arrays) -> tuple[np.ndarray, np.ndarray]:
    """Return what is subtracted and by what is divided, each (observation_dim,)."""
    from rsl_rl.modules import EmpiricalNormalization

    mean = arrays.array("obs_normalizer._mean", 1, None)[0]
    std = arrays.array("obs_normalizer._std", 1, len(mean))[0]
    arrays.array("obs_normalizer._var", 1, len(mean))
    arrays.tensor("obs_normalizer.count")
    # rsl_rl divides by std + eps, and its actors leave eps at its default. PyTorch adds, so that it is rounded alike.
    return mean, (torch.from_numpy(std) + EmpiricalNormalization(len(mean)).eps).numpy()


def _recurrent_layers(arrays: _Arrays, options: Mapping[str, Any]) -> tuple[RecurrentLayer, ...]:
    """Return the recurrent layers, first to last."""
    if options["rnn_type"] is None:
        return ()
    hidden = options["rnn_hidden_dim"]
    rows = GATES[cast(CellKind, options["rnn_type"])] * hidden
    return tuple(
        RecurrentLayer(
            weight_ih=arrays.array(f"rnn.rnn.weight_ih_l{i}", rows, hidden if i else None),
            weight_hh=arrays.array(f"rnn.rnn.weight_hh_l{i}", rows, hidden),
            bias_ih=arrays.array(f"rnn.rnn.bias_ih_l{i}", rows),
            bias_hh=arrays.array(f"rnn.rnn.bias_hh_l{i}", rows),
        )
        for i in range(options["rnn_num_layers"])
    )


def _layers(arrays: _Arrays, options: Mapping[str, Any]) -> tuple[LinearLayer, ...]:
    """Return the layers of the perceptron, first to last."""
    inputs = options["rnn_hidden_dim"] if options["rnn_type"] else None
    layers: list[LinearLayer] = []
    for i, width in enumerate([*options["hidden_dims"], None]):
        # rsl_rl counts the activations too, which have no weights. Its width -1 is that of the perceptron's input.
        outputs = width if width != -1 else layers[0].weight.shape[1] if layers else inputs
        weight = arrays.array(f"mlp.{2 * i}.weight", outputs, inputs)
        layers.append(LinearLayer(weight, arrays.array(f"mlp.{2 * i}.bias", len(weight))))
        inputs = len(weight)
    return tuple(layers)


def _drop_spread(arrays: _Arrays, distribution_cfg: Mapping[str, Any] | None) -> None:
    """Take out the spread of a Gaussian's actions: their mean, the last layer's output, has no use for it."""
    if distribution_cfg is None:
        return
    from rsl_rl.modules import GaussianDistribution

    name, std_type = distribution_cfg.get("class_name"), distribution_cfg.get("std_type", "scalar")
    # Others, a subclass included, have more outputs than actions.
    if _resolve(name) is not GaussianDistribution:
        raise unknown_name("distribution of an actor that can be exported", str(name), ["GaussianDistribution"])
    if std_type not in ("scalar", "log"):
        raise unknown_name("std_type of the actor's distribution", str(std_type), ["scalar", "log"])
    arrays.array(f"distribution.{'log_' if std_type == 'log' else ''}std_param", None)
