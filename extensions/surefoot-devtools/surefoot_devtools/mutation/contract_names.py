"""Joints under other names, the same in both orders and in the golden trace's columns, so that nothing disagrees."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import numpy as np

from surefoot_bridge.bundle import CONTRACT_FILE, GOLDEN_FILE
from surefoot_bridge.policy.npz import read_npz, write_npz
from surefoot_robots import RobotSpec, get_robot, list_robots

from .contract_bundle import Files, content, contract_data, with_contract
from .contract_mutant import WITHOUT_NEW_TRACE, ContractMutant

_ALIKE = {"a": "\u0430", "e": "\u0435", "i": "\u0456", "o": "\u043e", "p": "\u0440"}
"""Latin letters and the Cyrillic ones that look like them."""


def name_mutants(files: Mapping[str, bytes]) -> Iterator[ContractMutant]:
    """Yield the faults that fit a bundle."""
    robot = json.loads(files[CONTRACT_FILE])["robot"]
    joints = robot["joint_names"]
    if robot["name"] in list_robots():  # which leg a joint is in is no part of a contract
        spec = get_robot(robot["name"])
        sides = {name: partner for name, (partner, _) in spec.joint_mirror.items()}
        for title, names in (("left and right legs", sides), ("fore and hind legs", _ends(spec))):
            if names:
                yield _renamed(f"{title} have each other's names", names)
    yield _renamed("two joints have each other's names", {joints[0]: joints[-1], joints[-1]: joints[0]})
    yield _renamed("a joint has a name that the robot does not have", {joints[0]: f"{joints[0]}_2"})
    for name in (joints[0], joints[-1]):
        letter = next((letter for letter in name if letter in _ALIKE), None)
        if letter is not None:
            alike = name.replace(letter, _ALIKE[letter], 1)
            yield _renamed(f"{name} is written with another alphabet's letter", {name: alike})


def _ends(spec: RobotSpec) -> dict[str, str]:
    """Return the joint of the leg at the other end on the same side, for each joint; empty for a robot on two feet."""
    names: dict[str, str] = {}
    for foot, across in spec.foot_diagonal.items():
        names.update(zip(spec.leg_joints(foot), spec.leg_joints(spec.foot_mirror[across]), strict=True))
    return names


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
