"""The forms of a bundle's network: each is written anew from the plain weights, so that all are the same network.

No form but the plain one is believed: ``policy.onnx`` and ``policy.pt`` must be, byte for byte, what this package makes
of ``policy.npz``. A file that was changed, and code that somebody else wrote, is so refused without being opened.
"""

from typing import Callable, Dict, Mapping

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.words import RUNTIMES, RuntimeName

from .onnx_file import onnx_file
from .torchscript_file import torchscript_file
from .weights import Network, save_weights

_WRITERS: Dict[RuntimeName, Callable[[Network], bytes]] = {
    "torchscript": torchscript_file,
    "onnx": onnx_file,
    "numpy": save_weights,
}


def policy_files(network: Network) -> Dict[str, bytes]:
    """Return the content of each form's file by name, for every runtime: the same bytes for the same network."""
    return {file: _WRITERS[runtime](network) for runtime, (file, _, _) in RUNTIMES.items()}


def check_forms(network: Network, files: Mapping[str, bytes], *, where: str) -> None:
    """Refuse a form that is another network, or the same one in another writing.

    Args:
        network: The network of the plain weights.
        files: Content of the bundle's files by name.
        where: The bundle, for messages.

    Raises:
        SurefootError: If a form is not what is written of these weights.
    """
    plain, _, _ = RUNTIMES["numpy"]
    for runtime, (file, _, _) in RUNTIMES.items():
        if file == plain or file not in files:  # the plain form is bound by the hash of its arrays
            continue
        found, expected = files[file], _WRITERS[runtime](network)
        if found != expected:
            same = next((i for i, (a, b) in enumerate(zip(found, expected)) if a != b), min(len(found), len(expected)))
            raise SurefootError(
                f"{where}/{file} is not the network of {plain}: from byte {same} on it is not what this "
                "surefoot-bridge writes of these weights. It was changed, or exported by another version: export the "
                "policy again."
            )
