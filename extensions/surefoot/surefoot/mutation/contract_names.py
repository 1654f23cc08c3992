"""Joints under other names, the same in both orders and in the golden trace's columns, so that nothing disagrees."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import numpy as np

from surefoot_bridge.bundle import CONTRACT_FILE, GOLDEN_FILE
from surefoot_bridge.npz import read_npz, write_npz

from .contract_bundle import Files, content, contract_data, with_contract
from .contract_mutant import WITHOUT_NEW_TRACE, ContractMutant

_SIDES = (("left_", "right_"), ("FL", "FR"), ("RL", "RR"))
_ENDS = (("FL", "RL"), ("FR", "RR"))
_ALIKE = {"a": "\u0430", "e": "\u0435", "i": "\u0456", "o": "\u043e", "p": "\u0440"}
"""Latin letters and the Cyrillic ones that look like them."""


def name_mutants(files: Mapping[str, bytes]) -> Iterator[ContractMutant]:
    """Yield the faults that fit a bundle.

    Args:
        files: Content of the bundle's files by name.
    """
    joints = json.loads(files[CONTRACT_FILE])["robot"]["joint_names"]
    for title, pairs in (("left and right legs", _SIDES), ("fore and hind legs", _ENDS)):
        names = {name: _exchanged(name, pairs) for name in joints}
        if sorted(names.values()) == sorted(joints) and any(one != other for one, other in names.items()):
            yield _renamed(f"{title} have each other's names", names)
    yield _renamed("two joints have each other's names", {joints[0]: joints[-1], joints[-1]: joints[0]})
    yield _renamed("a joint has a name that the robot does not have", {joints[0]: f"{joints[0]}_2"})
    for name in (joints[0], joints[-1]):
        letter = next((letter for letter in name if letter in _ALIKE), None)
        if letter is not None:
            alike = name.replace(letter, _ALIKE[letter], 1)
            yield _renamed(f"{name} is written with another alphabet's letter", {name: alike})


def _exchanged(name: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for one, other in pairs:
        for before, after in ((one, other), (other, one)):
            if name.startswith(before):
                return after + name[len(before) :]
    return name


def _renamed(title: str, names: Mapping[str, str]) -> ContractMutant:
    def renamed(old: list[str]) -> list[str]:
        return [names.get(name, name) for name in old]

    def change(files: Files) -> Files:
        data = contract_data(files)
        for key in ("joint_names", "sdk_joint_names"):
            data["robot"][key] = renamed(data["robot"][key])
        arrays = read_npz(content(files, GOLDEN_FILE), where=GOLDEN_FILE)
        arrays["columns.joints"] = np.array(renamed(arrays["columns.joints"].tolist()), dtype=np.str_)
        return with_contract({**files, GOLDEN_FILE: write_npz(arrays)}, data)

    return ContractMutant("names of joints", title, change, tiers=WITHOUT_NEW_TRACE)
