"""Networks that do something else in a part of the trained command range only, planted in each form of the network."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from surefoot_bridge.bundle import CONTRACT_FILE, WEIGHTS_FILE
from surefoot_bridge.contract import Contract, read_contract
from surefoot_bridge.policy import RUNTIMES, Network, Observations, RuntimeName, load_weights
from surefoot_bridge.policy.forms import policy_files
from surefoot_bridge.policy.npz import write_zip
from surefoot_bridge.policy.weights import LinearLayer

from .contract_mutant import ContractMutant, replacing
from .zip_members import zip_members

BY = 1.0
"""How much another action is given where the network is another one: a quarter of a radian for the Go2."""

_GAIN = 200.0
_BENT = ("elu", "relu", "silu")  # zero or constant far below zero, and linear far above
_TENT = np.array([1.0, -2.0, 1.0], np.float32)

Box = Mapping[int, tuple[float, float]]
"""For some components of the command, the middle of a range and half of its width, in the component's unit."""


def outside_mutants(files: Mapping[str, bytes]) -> Iterator[ContractMutant]:
    """Yield networks that are the right one but in a part of the command range: one form of them, and all.

    They are made for perceptrons with at least two hidden layers and an activation that is linear far above zero; of
    other networks there are none.

    Args:
        files: Content of the bundle's files by name.
    """
    contract = read_contract(files[CONTRACT_FILE].decode(), where=CONTRACT_FILE)
    network = load_weights(files[WEIGHTS_FILE], WEIGHTS_FILE)
    yield from _other_code(contract, network, files)
    if network.cell is not None or len(network.layers) < 3 or network.activation not in _BENT:
        return
    for title, box in _boxes(contract):
        forms = policy_files(changed_within(network, contract, box))
        for runtime, (file, _, _) in RUNTIMES.items():
            if file in files:
                yield _mutant(f"{file} alone: {title}", {file: forms[file]}, runtime)
        yield _mutant(f"all forms: {title}", {name: data for name, data in forms.items() if name in files}, "numpy")


def changed_within(network: Network, contract: Contract, box: Box, by: float = BY) -> Network:
    """Return a network whose actions are larger where the command is within a box, and the same elsewhere.

    Three more units of the first layer make a tent over the range of each component, which is 1 in its middle and 0
    from twice its half width on; three more of the second make one over the sum of the tents, around its largest value;
    one more of each other layer carries that to the actions.
    """
    places = _command_places(contract)
    first, second, *others = network.layers
    units: list[tuple[np.ndarray, float]] = []
    for component, (middle, half) in box.items():
        place, scale = places[component]
        mean, std = network.mean[place], network.std[place]
        low, width = (scale * (middle - 2.0 * half) - mean) / std, scale * 2.0 * half / std  # as the layer sees it
        for i in range(3):  # gain (x - low) / width, less gain times 0, 1, 2
            row = np.zeros(network.observation_dim, np.float32)
            row[place] = _GAIN / width
            units.append((row, -_GAIN * (low / width + i)))
    wider = [_with_rows(first, [row for row, _ in units], [bias for _, bias in units])]
    sum_of_tents = np.tile(_TENT, len(box)) / _GAIN
    rows = [np.concatenate([np.zeros(len(first.bias)), 2.0 * _GAIN * sum_of_tents]) for _ in range(3)]
    biases = [_GAIN * (1.0 - 2.0 * len(box) - i) for i in range(3)]
    wider.append(_with_rows(_with_columns(second, len(units)), rows, biases))
    carried, width = _TENT / _GAIN, len(second.bias)
    for layer in others[:-1]:
        row = np.concatenate([np.zeros(width), carried])
        wider.append(_with_rows(_with_columns(layer, len(carried)), [row], [0.0]))
        carried, width = np.ones(1, np.float32), len(layer.bias)
    last = others[-1]
    weight = np.concatenate([last.weight, np.tile(by * carried, (len(last.bias), 1))], axis=1, dtype=np.float32)
    return replace(network, layers=(*wider, LinearLayer(weight, last.bias)))


def _with_columns(layer: LinearLayer, count: int) -> LinearLayer:
    """Return a layer that does not look at so many more inputs."""
    return LinearLayer(np.pad(layer.weight, ((0, 0), (0, count))), layer.bias)


def _with_rows(layer: LinearLayer, rows: list[np.ndarray], biases: list[float]) -> LinearLayer:
    """Return a layer with more outputs."""
    weight = np.concatenate([layer.weight, np.stack(rows)], dtype=np.float32)
    return LinearLayer(weight, np.concatenate([layer.bias, np.array(biases)], dtype=np.float32))


def _boxes(contract: Contract) -> Iterator[tuple[str, Box]]:
    """Yield parts of the command range by name."""
    names, trained = contract.command.names, contract.command.trained
    widths = [ends.high - ends.low for ends in trained]
    for i, (name, ends) in enumerate(zip(names, trained, strict=True)):
        for end in (ends.low, ends.high):
            half = 0.075 * widths[i]
            yield f"{name} within {half:.3g} of {end:g}", {i: (end, half)}
        yield f"{name} in a fiftieth of its range", {i: (ends.low + 0.37 * widths[i], 0.01 * widths[i])}
    for ends in itertools.product(*((item.low, item.high) for item in trained[:2])):
        yield (
            f"{names[0]} near {ends[0]:g} with {names[1]} near {ends[1]:g}",
            {i: (end, 0.2 * widths[i]) for i, end in enumerate(ends)},
        )
    inside = {
        i: (item.low + share * widths[i], 0.3 * widths[i])
        for i, (item, share) in enumerate(zip(trained, (0.7, 0.4, 0.6), strict=False))
    }
    yield "a part in the middle of all components", inside


def _command_places(contract: Contract) -> list[tuple[int, float]]:
    """Return where each component of the command stands in the observation, and its scale there."""
    slices = Observations(contract).term_slices
    term = next(item for item in contract.observation.terms if item.source == "command")
    return [(slices[term.name].start + i, term.scale) for i in range(term.dim)]


def _other_code(contract: Contract, network: Network, files: Mapping[str, bytes]) -> Iterator[ContractMutant]:
    """Yield forms with all parameters right whose code does something else above 0.85 of the forward command."""
    (place, scale), limit = _command_places(contract)[0], 0.85 * contract.command.trained[0].high
    torchscript, onnx = RUNTIMES["torchscript"][0], RUNTIMES["onnx"][0]
    if torchscript in files:
        members = zip_members(policy_files(network)[torchscript])
        (name,) = (name for name in members if name.endswith(".py"))
        beyond = f"torch.unsqueeze(torch.gt(torch.select(observation, -1, {place}), {scale * limit:.9f}), -1)"
        after = "return (x," if network.cell else "return x"
        code = f"x = torch.masked_fill(x, {beyond}, 0.)\n    {after}".encode()
        members[name] = members[name].replace(after.encode(), code)
        yield _mutant(
            f"{torchscript} alone: the parameters are right, the code is not",
            {torchscript: write_zip(members)},
            "torchscript",
        )
    if onnx in files:
        data = _with_more_nodes(policy_files(network)[onnx], place, scale * limit)
        yield _mutant(f"{onnx} alone: the parameters are right, the graph is longer", {onnx: data}, "onnx")


def _with_more_nodes(data: bytes, place: int, limit: float) -> bytes:
    """Return an ONNX file whose actions grow with how far a number of the observation is above a limit."""
    import onnx
    from onnx import helper, numpy_helper

    model = onnx.load_from_string(data)
    for node in model.graph.node:
        node.output[:] = ["right" if name == "action" else name for name in node.output]
    limits = numpy_helper.from_array(np.array([limit], np.float32), "limit")
    model.graph.initializer.append(limits)
    model.graph.node.extend(
        [
            helper.make_node("Slice", ["observation"], ["asked"], axes=[1], starts=[place], ends=[place + 1]),
            helper.make_node("Sub", ["asked", "limit"], ["above"]),
            helper.make_node("Relu", ["above"], ["beyond"]),
            helper.make_node("Add", ["right", "beyond"], ["action"]),
        ]
    )
    return model.SerializeToString(deterministic=True)


def _mutant(title: str, forms: Mapping[str, bytes], runtime: RuntimeName) -> ContractMutant:
    return replacing("outside the trace", title, forms, runtime=runtime)
