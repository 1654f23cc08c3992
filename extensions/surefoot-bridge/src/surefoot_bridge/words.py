"""What people type: the names and words of the command line, which are known before anything heavy is imported."""

from typing import Dict, Literal, Tuple

from .offers import TRANSPORTS

RuntimeName = Literal["torchscript", "onnx", "numpy"]

RUNTIMES: Dict[RuntimeName, Tuple[str, str, str]] = {
    "torchscript": ("policy.pt", "torch", "torch"),
    "onnx": ("policy.onnx", "onnxruntime", "onnx"),
    "numpy": ("policy.npz", "numpy", ""),
}
"""For each runtime, in the order in which they are preferred: its file in the bundle, the module that it needs, and the
extra of surefoot-bridge that installs it."""

STAGE_NAMES = ("tethered", "indoor", "outdoor", "field")
"""Names of :data:`surefoot_bridge.stages.STAGES`, in their order."""

OPERATORS = ("keyboard", "joystick", "joystick:DEVICE", "remote", "script:FILE")
"""What ``--operator`` takes."""

IN_PROCESS = ("mujoco", "replay")
"""Robots that need no transport; no entry point can take their names."""

READY = "ready"
"""What an operator types to acknowledge the checklist."""

SEEN = "seen"
"""What an operator types who has seen to a robot that a guardian damps."""

UNSIGNED = "UNSIGNED"
"""What a person types who moves a real robot by a bundle of which nobody says whom it comes from."""


def network_robots() -> Tuple[str, ...]:
    """Return what ``--robot`` takes for a robot on a network. Nothing is imported for it."""
    return tuple(name for name in TRANSPORTS.by_name() if name not in IN_PROCESS)
