"""Loads a bundle: contract and policy that belong together, proven on the spot, or nothing.

A bundle is a folder with ``manifest.json`` (hashes of all other files), ``contract.json``, ``policy.npz`` (the plain
network), ``golden.npz`` (the golden trace), and the same network as ``policy.pt`` and ``policy.onnx`` where these were
exported; ``manifest.json.sig`` where it was signed. Further files may be listed in the manifest.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Optional

from .contract import Contract, read_contract
from .errors import SurefootError
from .golden import Golden, contract_digest, read_golden
from .manifest import MANIFEST_FILE, SIGNATURE_FILE, identity, read_files
from .observations import Observations
from .policy import Policy
from .replay import Deviations, replay
from .runtimes import RUNTIMES, RuntimeName, load_policy, pick_runtime
from .signature import check_signature
from .targets import Targets
from .weights import describe, load_weights

CONTRACT_FILE = "contract.json"
GOLDEN_FILE = "golden.npz"
WEIGHTS_FILE = "policy.npz"


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
    allow_unsigned_torchscript: bool = False,
) -> Bundle:
    """Load a bundle after having checked all of it.

    In this order: every file's hash, the signature, the contract, that the weights are the contract's, that the golden
    trace was recorded with this contract, and at last, with the policy opened, that the trace replays.

    Args:
        folder: The bundle.
        require_signature_by: Public key that must have signed it, 32 bytes in base64. Without it a signature is not
            looked at: anybody can sign with a key of his own.
        runtime: By what to run the policy: ``torchscript``, ``onnx`` or ``numpy``; None for the first that can.
        on_hardware: Whether a real robot will be moved.
        allow_unsigned_torchscript: Open TorchScript, which is code, for a real robot without a signature.

    Raises:
        SurefootError: If anything is not as it should be. It names the file, and the step and the term where there are
            any.
    """
    folder = Path(folder)
    manifest, files = read_files(folder)
    if require_signature_by is not None:
        check_signature(manifest, files.get(SIGNATURE_FILE), require_signature_by, folder=folder)
    missing = [name for name in (CONTRACT_FILE, WEIGHTS_FILE, GOLDEN_FILE) if name not in manifest.files]
    if missing:
        raise SurefootError(f"{folder / MANIFEST_FILE} does not list {', '.join(missing)}. Export the policy again.")
    contract = _read_contract(files, folder)
    _check_weights(files, contract, folder)
    golden = _read_golden(files, folder)
    chosen = pick_runtime(files, runtime)
    if on_hardware and require_signature_by is None and not allow_unsigned_torchscript:
        _refuse_code(chosen, folder)
    policy = load_policy(chosen, files, contract.network, where=str(folder))
    observations, targets = Observations(contract), Targets(contract)
    deviations = replay(golden, contract, policy, observations, targets, where=str(folder / GOLDEN_FILE))
    return Bundle(folder, identity(manifest), require_signature_by, contract, policy, observations, targets, deviations)


def _read_contract(files: Dict[str, bytes], folder: Path) -> Contract:
    where = str(folder / CONTRACT_FILE)
    try:
        text = files[CONTRACT_FILE].decode()
    except UnicodeDecodeError as error:
        raise SurefootError(f"{where} is no text in UTF-8: {error}. Export the policy again.") from error
    return read_contract(text, where=where)


def _check_weights(files: Dict[str, bytes], contract: Contract, folder: Path) -> None:
    """Refuse weights that are not those that the contract was written for."""
    where = str(folder / WEIGHTS_FILE)
    found, expected = describe(load_weights(files[WEIGHTS_FILE], where)), contract.network
    for name in ("observation_dim", "action_dim", "recurrent", "weights_sha256"):
        here, there = getattr(found, name), getattr(expected, name)
        if here != there:
            raise SurefootError(
                f"{where} has {name} {here}; {CONTRACT_FILE} was written for {there}. "
                "Network and contract do not belong together: export the policy again."
            )


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


def _refuse_code(runtime: RuntimeName, folder: Path) -> None:
    """Refuse a runtime that would run code of the bundle, of which nobody who is trusted says that it is harmless."""
    if runtime == "torchscript":
        raise SurefootError(
            f"{folder / RUNTIMES[runtime][0]} is TorchScript, which is code, and no signature is required of the "
            "bundle. Require one (require_signature_by), take the runtime onnx or numpy, which run no code of the "
            "bundle and need no such trust, or allow it (allow_unsigned_torchscript)."
        )
