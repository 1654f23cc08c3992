"""Faults of a policy's network, planted in each of the files that hold it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from surefoot_bridge.bundle import CONTRACT_FILE, WEIGHTS_FILE
from surefoot_bridge.policy import RUNTIMES, Network, load_weights
from surefoot_bridge.policy.forms import policy_files
from surefoot_bridge.policy.weights import ACTIVATIONS, GATES, LinearLayer, RecurrentLayer

from .contract_bundle import Files, at_tier
from .contract_mutant import ContractMutant, replacing


def network_mutants(files: Mapping[str, bytes]) -> Iterator[ContractMutant]:
    """Yield faults of the network, each in each of the files that hold it.

    Args:
        files: Content of the bundle's files by name.
    """
    network = load_weights(files[WEIGHTS_FILE], WEIGHTS_FILE)
    for title, changed in _faulty(network):
        forms = policy_files(changed)
        for runtime, (file, _, _) in RUNTIMES.items():
            if file in files:
                yield replacing("weights and normaliser", f"{file}: {title}", {file: forms[file]}, runtime=runtime)


def other_bundle(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return a bundle for the same robot whose policy is another one, consistent in itself."""
    network = load_weights(files[WEIGHTS_FILE], WEIGHTS_FILE)
    generator = np.random.default_rng(1)
    layers = tuple(
        LinearLayer(layer.weight * generator.uniform(0.9, 1.1, layer.weight.shape).astype(np.float32), layer.bias)
        for layer in network.layers
    )
    forms = policy_files(replace(network, layers=layers))
    changed: Files = {**files, **{name: data for name, data in forms.items() if name in files}}
    linked = at_tier(changed, "re-recorded", "numpy")
    assert linked is not None, f"a network of the same size goes with {CONTRACT_FILE}"
    return {name: data for name, data in linked.items() if isinstance(data, bytes)}


def _faulty(network: Network) -> Iterator[tuple[str, Network]]:
    """Yield a network's faults by name."""
    yield (
        "normaliser left out",
        replace(network, mean=np.zeros_like(network.mean), std=np.ones_like(network.std)),
    )
    yield "mean of the normaliser left out", replace(network, mean=np.zeros_like(network.mean))
    yield "normaliser's deviation a tenth more", replace(network, std=1.1 * network.std)
    yield "normaliser's deviation squared", replace(network, std=network.std**2)
    first, last = network.layers[0], network.layers[-1]
    others = network.layers[1:]
    turned = np.concatenate([first.weight[:, 1:], first.weight[:, :1]], axis=1)
    yield "inputs of the first layer moved by one", replace(network, layers=(LinearLayer(turned, first.bias), *others))
    order = [1, 0, *range(2, len(last.bias))]
    swapped = LinearLayer(last.weight[order], last.bias[order])
    yield "two actions in each other's place", replace(network, layers=(*network.layers[:-1], swapped))
    more = last.bias.copy()
    more[0] += np.float32(0.001)
    yield "0.001 more in one bias", replace(network, layers=(*network.layers[:-1], LinearLayer(last.weight, more)))
    activation = next(name for name in ACTIVATIONS if name != network.activation)
    yield f"activation {activation}", replace(network, activation=activation)
    if network.cell is not None:
        yield (
            "gates in another order",
            replace(
                network,
                recurrent_layers=tuple(_turned(layer, GATES[network.cell]) for layer in network.recurrent_layers),
            ),
        )
        yield (
            "state forgotten",
            replace(
                network,
                recurrent_layers=tuple(
                    replace(layer, weight_hh=np.zeros_like(layer.weight_hh)) for layer in network.recurrent_layers
                ),
            ),
        )


def _turned(layer: RecurrentLayer, gates: int) -> RecurrentLayer:
    """Return a layer whose gates stand one place on."""

    def turn(array: np.ndarray) -> np.ndarray:
        return np.roll(array, len(array) // gates, axis=0)

    return RecurrentLayer(turn(layer.weight_ih), turn(layer.weight_hh), turn(layer.bias_ih), turn(layer.bias_hh))
