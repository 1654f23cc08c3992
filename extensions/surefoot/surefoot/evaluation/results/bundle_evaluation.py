"""Puts an evaluation into the bundle that it is of."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from surefoot_bridge.bundle import load_bundle, read_files, sign_bundle, write_manifest
from surefoot_bridge.bundle.manifest import SIGNATURE_FILE
from surefoot_bridge.errors import SurefootError

from .evaluation_file import write_evaluation
from .evaluation_form import FILE_NAME
from .result import Evaluation, ProvenPolicy


def add_evaluation(folder: Path, evaluation: Evaluation, *, private_key: str | None = None) -> str:
    """Put ``evaluation.json`` into a bundle and hash it; an older one is replaced.

    The new bundle is made beside the old one, loaded, and put in its place: whatever happens, one of the two is whole.

    Args:
        folder: The bundle.
        evaluation: The evaluation of its policy.
        private_key: Key that signs it anew, 32 bytes in base64; needed where it was signed.

    Returns:
        The identity of the new bundle.

    Raises:
        SurefootError: If the evaluation is of another policy or not complete, or the bundle was signed and there is no
            key.
    """
    folder = Path(folder)
    manifest, files = read_files(folder)
    bundle = load_bundle(folder, runtime="numpy")
    if evaluation.policy != ProvenPolicy.of(bundle.contract):
        raise SurefootError(f"The evaluation is of another policy than the bundle {folder}: verify this bundle.")
    if not evaluation.complete:
        raise SurefootError("The evaluation is not complete: let every scenario run in every engine first.")
    if SIGNATURE_FILE in files and private_key is None:
        raise SurefootError(
            f"{folder} is signed, and a signature is of all of its files: sign it anew with --sign KEY."
        )
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        fresh = beside / "new"
        shutil.copytree(folder, fresh)
        write_evaluation(fresh / FILE_NAME, evaluation)
        write_manifest(fresh, manifest.parity)
        if private_key is not None:
            sign_bundle(fresh, private_key)
        identity = load_bundle(fresh, runtime="numpy").identity
        folder.rename(beside / "old")
        fresh.rename(folder)
    except OSError as error:
        raise SurefootError(f"Cannot put the evaluation into {folder}: {error.strerror or error}.") from error
    finally:
        if (beside / "old").exists() and not folder.exists():
            (beside / "old").rename(folder)
        shutil.rmtree(beside, ignore_errors=True)
    return identity
