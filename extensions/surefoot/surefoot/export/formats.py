"""The files that a policy is exported to: the same network for each runtime of the bridge."""

from __future__ import annotations

from surefoot.export.onnx import onnx_model
from surefoot.export.torchscript import script
from surefoot_bridge.runtimes import RUNTIMES
from surefoot_bridge.weights import Network, save_weights

_WRITERS = {"torchscript": script, "onnx": onnx_model, "numpy": save_weights}


def policy_files(network: Network) -> dict[str, bytes]:
    """Return the content of each file by name, for every runtime: the same bytes for the same network and versions."""
    return {file: _WRITERS[runtime](network) for runtime, (file, _, _) in RUNTIMES.items()}
