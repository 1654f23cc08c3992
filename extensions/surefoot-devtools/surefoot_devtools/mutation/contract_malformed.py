"""Numbers, names and counts that no bundle has, which a loader must refuse in words instead of giving up on them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from surefoot_bridge.bundle import CONTRACT_FILE, GOLDEN_FILE, WEIGHTS_FILE
from surefoot_bridge.bundle.manifest import MANIFEST_FILE
from surefoot_bridge.policy.npz import read_npz, write_npz, write_zip

from .contract_bundle import Files, content
from .contract_mutant import ContractMutant, replacing
from .zip_members import zip_members

_HERE = "@here@"
_SURROGATE = r'"\ud800"'
_MANY = 20_000
_NUMBERS = (
    ("training", "iterations", "1e400"),
    ("training", "iterations", "1" + 400 * "0"),
    ("training", "seed", "9" * 30),
    ("timing", "low_level_hz", "1e300"),
    ("timing", "low_level_hz", "1e9"),
    ("timing", "control_period_s", "1e-300"),
    ("timing", "control_period_s", "1e9"),
    ("gains", "handover_s", "1e300"),
    ("network", "observation_dim", "1" + 30 * "0"),
    ("robot", "name", _SURROGATE),
)


def malformed_mutants(files: Mapping[str, bytes]) -> Iterator[ContractMutant]:
    """Yield the faults that fit a bundle.

    Args:
        files: Content of the bundle's files by name.
    """
    for part, name, token in _NUMBERS:
        shown = token if len(token) < 12 else f"{token[:5]}... of {len(token)} digits"
        yield _text(
            f"{part}.{name} is {shown}",
            CONTRACT_FILE,
            lambda data, part=part, name=name: data[part].update({name: _HERE}),
            token,
        )
    yield _text(
        "a key of the contract is half a character", CONTRACT_FILE, lambda data: data.update({_HERE: 1}), _SURROGATE
    )
    yield _text(
        "a history of 1e12 steps",
        CONTRACT_FILE,
        lambda data: data["observation"]["terms"][0].update(history=_HERE),
        "1" + 12 * "0",
    )
    yield _text(
        "lists 2,000 deep in each other", CONTRACT_FILE, lambda data: data.update(scores=_HERE), "[" * 2000 + "]" * 2000
    )
    yield _text(
        f"{_MANY} unknown fields", CONTRACT_FILE, lambda data: data.update({f"field{i}": 0 for i in range(_MANY)}), "0"
    )
    yield _text(f"{_MANY} joints", CONTRACT_FILE, lambda data: data["robot"].update(joint_names=["a"] * _MANY), "0")
    entry = next(iter(json.loads(files[MANIFEST_FILE])["files"]))
    for size in ("1" + 11 * "0", "1" + 18 * "0", "1" + 30 * "0", "1e11", "-1"):
        shown = size if len(size) < 6 else f"1e{len(size) - 1} as a whole number"
        yield _text(
            f"size_bytes is {shown}", MANIFEST_FILE, lambda data: data["files"][entry].update(size_bytes=_HERE), size
        )
    yield _text(
        "a file's name is half a character",
        MANIFEST_FILE,
        lambda data: data["files"].update({_HERE: data["files"][entry]}),
        _SURROGATE,
    )
    yield _text(
        "a figure of the parity is half a character",
        MANIFEST_FILE,
        lambda data: data["parity"].update({_HERE: 1}),
        _SURROGATE,
    )
    yield _text(
        "a figure of the parity is 1e400", MANIFEST_FILE, lambda data: data["parity"].update(policy=_HERE), "1e400"
    )
    yield _text(
        f"{_MANY} files",
        MANIFEST_FILE,
        lambda data: data["files"].update({f"f{i}": data["files"][entry] for i in range(_MANY)}),
        "0",
    )
    for name in (WEIGHTS_FILE, GOLDEN_FILE):
        arrays = read_npz(files[name], where=name)
        first = next(iter(arrays))
        many = {f"unknown{i}": np.zeros(1, np.float32) for i in range(_MANY)}
        yield _other(f"{name} with {_MANY} unknown arrays", name, write_npz({**arrays, **many}))
        yield _other(f"{name} with 400 unknown arrays", name, write_npz({**arrays, **dict(list(many.items())[:400])}))
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }\n"
        content_ = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
        yield _other(
            f"{name} with an array that says that it has 1e12 numbers",
            name,
            write_zip({**zip_members(files[name]), f"{first}.npy": content_}),
        )


def _text(title: str, file: str, edit: Callable[[Any], object], token: str) -> ContractMutant:
    """Return a mutant of a JSON file with a token put in where the edit leaves its place."""

    def change(files: Files) -> Files:
        data = json.loads(content(files, file))
        edit(data)
        return {**files, file: json.dumps(data).replace(json.dumps(_HERE), token).encode()}

    tiers = ("copied",) if file == MANIFEST_FILE else ("copied", "re-hashed")
    return ContractMutant("malformed numbers", title, change, tiers=tiers)


def _other(title: str, name: str, data: bytes) -> ContractMutant:
    return replacing("malformed numbers", title, {name: data}, tiers=("copied", "re-hashed"))
