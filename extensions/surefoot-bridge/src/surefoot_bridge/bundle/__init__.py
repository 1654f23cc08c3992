"""A bundle: a folder with a policy, its contract, its golden trace and a manifest, all held against each other."""

from .bundle import CONTRACT_FILE, GOLDEN_FILE, WEIGHTS_FILE, Bundle, load_bundle
from .golden import Golden, read_golden, save_golden
from .manifest import Manifest, identity, read_files, write_manifest
from .signature import new_key, sign_bundle

__all__ = [
    "CONTRACT_FILE",
    "GOLDEN_FILE",
    "WEIGHTS_FILE",
    "Bundle",
    "Golden",
    "Manifest",
    "identity",
    "load_bundle",
    "new_key",
    "read_files",
    "read_golden",
    "save_golden",
    "sign_bundle",
    "write_manifest",
]
