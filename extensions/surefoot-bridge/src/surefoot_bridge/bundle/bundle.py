"""Loads a bundle: contract and policy that belong together, proven on the spot, or nothing.

A bundle is a folder with ``manifest.json`` (hashes of all other files), ``contract.json``, ``policy.npz`` (the plain
network), ``golden.npz`` (the golden trace), and the same network as ``policy.pt`` and ``policy.onnx`` where these were
exported; ``manifest.json.sig`` where it was signed. Further files may be listed in the manifest.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Optional

import numpy as np

from surefoot_bridge.contract import Contract, read_contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import (
    Network,
    Observations,
    Policy,
    Targets,
    fastest,
    load_policy,
    load_weights,
    pick_runtimes,
)
from surefoot_bridge.policy.forms import check_forms
from surefoot_bridge.policy.weights import describe
from surefoot_bridge.robots.transports import known_caps
from surefoot_bridge.words import UNSIGNED

from .agreement import check_agreement
from .golden import Golden, contract_digest, read_golden
from .golden_replay import Deviations, replay
from .manifest import MANIFEST_FILE, SIGNATURE_FILE, identity, read_files
from .signature import check_signature

CONTRACT_FILE = "contract.json"
GOLDEN_FILE = "golden.npz"
WEIGHTS_FILE = "policy.npz"

_LARGEST_CONTRACT = 1 << 20  # bytes; one has some thirty thousand


@dataclass(frozen=True)
class Bundle:
    """A policy that was held against its contract and its golden trace.

    Attributes:
        folder: Where it was loaded from.
        identity: First 12 digits of the hash of its manifest.
        signed_by: Public key whose signature was checked, base64; None where none was required.
        contract: What the policy was trained to see and to move.
        policy: The policy.
        observations: What makes its observation of the robot's reports.
        targets: What makes commands for the joints of its actions.
        deviations: How far the three were from the golden trace at most.
    """

    folder: Path
    identity: str
    signed_by: Optional[str]
    contract: Contract
    policy: Policy
    observations: Observations
    targets: Targets
    deviations: Deviations


def load_bundle(
    folder: Path,
    *,
    require_signature_by: Optional[str] = None,
    runtime: Optional[str] = None,
    on_hardware: bool = False,
    unsigned_word: Optional[str] = None,
) -> Bundle:
    """Load a bundle after having checked all of it.

    In this order: every file's hash, the signature, the contract, that its joints and limits are those of its robot
    where this package knows it, that the weights are the contract's, that every other form of the network is what these
    weights make, that the golden trace was recorded with this contract, and at last, with the policy opened, that the
    trace replays and that the runtime agrees with the plain weights elsewhere too.

    Args:
        folder: The bundle.
        require_signature_by: Public key that must have signed it, 32 bytes in base64. Without it a signature is not
            looked at: anybody can sign with a key of his own.
        runtime: By what to run the policy: ``torchscript``, ``onnx`` or ``numpy``; None for the faster of the last two.
        on_hardware: Whether a real robot will be moved, for which a signature is required.
        unsigned_word: :data:`~surefoot_bridge.words.UNSIGNED`, typed by who moves a real robot without one.

    Raises:
        SurefootError: If anything is not as it should be. It names the file, and the step and the term where there are
            any.
    """
    folder = Path(folder)
    manifest, files = read_files(folder)
    if on_hardware and require_signature_by is None and unsigned_word != UNSIGNED:
        typed = "" if unsigned_word is None else f", and {unsigned_word[:40]!r} is not the word"
        raise SurefootError(
            f"No signature is required of {folder}, which is to move a real robot{typed}. Name the key that must have "
            f"signed it (--public-key KEY), or type the word for going without: --unsigned {UNSIGNED}."
        )
    if require_signature_by is not None:
        check_signature(manifest, files.get(SIGNATURE_FILE), require_signature_by, folder=folder)
    missing = [name for name in (CONTRACT_FILE, WEIGHTS_FILE, GOLDEN_FILE) if name not in manifest.files]
    if missing:
        raise SurefootError(f"{folder / MANIFEST_FILE} does not list {', '.join(missing)}. Export the policy again.")
    contract = _read_contract(files, folder)
    caps = known_caps(contract.robot.name)
    if caps is not None:
        caps.require(contract)
    network = _read_weights(files, contract, folder)
    check_forms(network, files, where=str(folder))
    golden = _read_golden(files, folder)
    runtimes = pick_runtimes(files, runtime)
    policy = fastest([load_policy(name, files, contract.network, where=str(folder)) for name in runtimes])
    observations, targets = Observations(contract), Targets(contract)
    with np.errstate(all="ignore"):  # what is not finite is a deviation, and no matter for a warning
        deviations = replay(golden, contract, policy, observations, targets, where=str(folder / GOLDEN_FILE))
        if policy.runtime != "numpy":
            check_agreement(policy, network, contract, observations, golden, where=str(folder))
    return Bundle(folder, identity(manifest), require_signature_by, contract, policy, observations, targets, deviations)


def _read_contract(files: Dict[str, bytes], folder: Path) -> Contract:
    where, size = str(folder / CONTRACT_FILE), len(files[CONTRACT_FILE])
    if size > _LARGEST_CONTRACT:
        raise SurefootError(f"{where} has {size} bytes; a contract has at most {_LARGEST_CONTRACT}.")
    try:
        text = files[CONTRACT_FILE].decode()
    except UnicodeDecodeError as error:
        raise SurefootError(f"{where} is no text in UTF-8. Export the policy again.") from error
    return read_contract(text, where=where)


def _read_weights(files: Dict[str, bytes], contract: Contract, folder: Path) -> Network:
    """Read the weights and refuse those that the contract was not written for."""
    where = str(folder / WEIGHTS_FILE)
    network = load_weights(files[WEIGHTS_FILE], where)
    found, expected = describe(network), contract.network
    for name in ("observation_dim", "action_dim", "recurrent", "weights_sha256"):
        here, there = getattr(found, name), getattr(expected, name)
        if here != there:
            raise SurefootError(
                f"{where} has {name} {here}; {CONTRACT_FILE} was written for {there}. "
                "Network and contract do not belong together: export the policy again."
            )
    return network


def _read_golden(files: Dict[str, bytes], folder: Path) -> Golden:
    """Read the golden trace and refuse one of another contract."""
    where = str(folder / GOLDEN_FILE)
    golden = read_golden(files[GOLDEN_FILE], where)
    found = contract_digest(files[CONTRACT_FILE].decode())
    if golden.contract_sha256 != found:
        raise SurefootError(
            f"{where} was recorded with a contract of SHA-256 {golden.contract_sha256}; {CONTRACT_FILE} has {found}. "
            "The contract was changed after the export: export the policy again."
        )
    return golden
