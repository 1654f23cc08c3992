"""A bundle as its files, and how far somebody who changes one of them goes to hide it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from surefoot_bridge.bundle import (
    CONTRACT_FILE,
    GOLDEN_FILE,
    WEIGHTS_FILE,
    Manifest,
    read_files,
    read_golden,
    save_golden,
)
from surefoot_bridge.bundle.golden import contract_digest
from surefoot_bridge.bundle.manifest import FORMAT, MANIFEST_FILE, SIGNATURE_FILE, FileEntry
from surefoot_bridge.contract import read_contract
from surefoot_bridge.contract.strict_json import to_json
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import RuntimeName, load_weights
from surefoot_bridge.policy.npz import read_npz, write_npz
from surefoot_bridge.policy.weights import digest

from .contract_behaviour import Ride, drive, open_chain

Tier = Literal["copied", "re-hashed", "re-linked", "re-recorded"]
TIERS: dict[Tier, str] = {
    "copied": "a file is another one, and nothing else was touched",
    "re-hashed": "the manifest was written again over the changed files",
    "re-linked": "besides, the contract names the weights that are there, and the golden trace the contract that is",
    "re-recorded": "besides, the numbers of the golden trace are what the changed parts make of its reports",
}
"""How far a change is hidden, without the key that signed the bundle."""


@dataclass(frozen=True)
class Link:
    """Stands for a symbolic link in place of a file.

    Attributes:
        target: File of the unchanged bundle to which it leads.
    """

    target: str


Files = dict[str, "bytes | Link"]
"""Content of a bundle's files by name, ``manifest.json`` and its signature among them where they are."""


def read_bundle(folder: Path) -> dict[str, bytes]:
    """Read a bundle's files, each as its manifest says, without a signature.

    Raises:
        SurefootError: If it is no whole bundle.
    """
    _, files = read_files(folder)
    files.pop(SIGNATURE_FILE, None)
    return {**files, MANIFEST_FILE: (folder / MANIFEST_FILE).read_bytes()}


def content(files: Mapping[str, bytes | Link], name: str) -> bytes:
    """Return the content of a plain file; empty where there is none."""
    data = files.get(name, b"")
    return data if isinstance(data, bytes) else b""


def contract_data(files: Mapping[str, bytes | Link]) -> Any:
    """Return the contract as what its JSON holds."""
    return json.loads(content(files, CONTRACT_FILE))


def with_contract(files: Files, data: Any) -> Files:
    """Return the files with another contract, written as the package writes it."""
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    return {**files, CONTRACT_FILE: text.encode()}


def at_tier(files: Files, tier: Tier, runtime: RuntimeName) -> Files | None:
    """Return changed files as somebody leaves them who goes this far; None where that cannot be done.

    Args:
        files: The files, one or several of them changed.
        tier: How far.
        runtime: By what the policy is run in a trace that is recorded again.
    """
    if tier == "copied":
        return files
    if tier == "re-linked":
        files = _linked(files)
    if tier == "re-recorded":
        recorded = _recorded(files, runtime)
        if recorded is None:
            return None
        files = _linked(recorded)
    return with_manifest(files)


def with_manifest(files: Files) -> Files:
    """Return the files with a manifest that fits them; the parity that it states stays."""
    plain = {name: data for name, data in files.items() if name not in (MANIFEST_FILE, SIGNATURE_FILE)}
    parity = json.loads(content(files, MANIFEST_FILE))["parity"]
    entries = {
        name: FileEntry(hashlib.sha256(data).hexdigest(), len(data))
        for name, data in sorted(plain.items())
        if isinstance(data, bytes)
    }
    return {**files, MANIFEST_FILE: to_json(Manifest(FORMAT, entries, parity)).encode()}


def write_bundle(files: Files, folder: Path, *, original: Path, unchanged: Mapping[str, bytes]) -> None:
    """Write files into a new folder.

    Args:
        files: The files.
        folder: The folder, which must not be there.
        original: Folder of the unchanged bundle, where links lead.
        unchanged: Content of those files in it that need not be written again.
    """
    folder.mkdir()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if isinstance(data, Link):
            path.symlink_to(original.absolute() / data.target)
        elif data is unchanged.get(name):
            os.link(original / name, path)
        else:
            path.write_bytes(data)


def _linked(files: Files) -> Files:
    """Return the files with the two hashes that tie weights, contract and golden trace to each other made to fit.

    They stay where nobody can read the contract, which is what is looked at first.
    """
    try:
        read_contract(content(files, CONTRACT_FILE).decode(), where=CONTRACT_FILE)
    except (SurefootError, UnicodeDecodeError):
        return files
    try:
        weights = digest(load_weights(content(files, WEIGHTS_FILE), WEIGHTS_FILE))
        data = contract_data(files)
        if data["network"]["weights_sha256"] != weights:
            data["network"]["weights_sha256"] = weights
            files = with_contract(files, data)
    except SurefootError:
        pass  # weights that nobody can read have no hash
    try:
        arrays = read_npz(content(files, GOLDEN_FILE), where=GOLDEN_FILE)
        found = hashlib.sha256(content(files, CONTRACT_FILE)).hexdigest()
    except SurefootError:
        return files
    named = np.frombuffer(found.encode(), np.uint8)
    if np.array_equal(arrays.get("contract_sha256", named), named):
        return files
    return {**files, GOLDEN_FILE: write_npz({**arrays, "contract_sha256": named})}


def _recorded(files: Files, runtime: RuntimeName) -> Files | None:
    """Return the files with a golden trace of what the changed parts make of its reports; None if they cannot."""
    try:
        golden = read_golden(content(files, GOLDEN_FILE), GOLDEN_FILE)
        chain = open_chain({name: data for name, data in files.items() if isinstance(data, bytes)}, runtime)
        observation, action, applied, told = drive(chain, Ride.of(golden))
        period = read_contract(content(files, CONTRACT_FILE).decode(), where=CONTRACT_FILE).timing.control_period_s
        report = replace(golden.report, time_s=golden.report.time_s[0] + period * np.arange(golden.num_steps))
        data = save_golden(
            replace(
                golden,
                report=report,
                observation=observation,
                action=action,
                applied_action=applied,
                joint_command=told,
                contract_sha256=contract_digest(content(files, CONTRACT_FILE).decode()),
            )
        )
    except (SurefootError, UnicodeDecodeError):
        return None
    return {**files, GOLDEN_FILE: data}
