"""What people type and read: the words of the command line, known before anything heavy is imported, and units."""

from typing import Dict, Literal, Tuple

from .offers import TRANSPORTS

RuntimeName = Literal["torchscript", "onnx", "numpy"]

RUNTIMES: Dict[RuntimeName, Tuple[str, str, str]] = {
    "torchscript": ("policy.pt", "torch", "torch"),
    "onnx": ("policy.onnx", "onnxruntime", "onnx"),
    "numpy": ("policy.npz", "numpy", ""),
}
"""For each runtime its file in the bundle, the module that it needs, and the extra that installs it."""

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

_UNITS = {
    "_nms_per_rad": "N m s/rad",
    "_nm_per_rad": "N m/rad",
    "_rad_s": "rad/s",
    "_m_s2": "m/s^2",
    "_m_s": "m/s",
    "_rad": "rad",
    "_nm": "N m",
    "_m": "m",
    "_s": "s",
    "_c": "degrees Celsius",
    "_share": "of 1",
}
"""Endings of the names of quantities, the longer ones first, and what they say."""


def unit_of(name: str) -> Tuple[str, str]:
    """Return the name of a quantity without its unit, and that as people write it: ``lin_vel_x`` and ``m/s``."""
    ending = next((ending for ending in _UNITS if name.endswith(ending)), "")
    return name[: len(name) - len(ending)], _UNITS.get(ending, "")


def network_robots() -> Tuple[str, ...]:
    """Return what ``--robot`` takes for a robot on a network. Nothing is imported for it."""
    return tuple(name for name in TRANSPORTS.by_name() if name not in IN_PROCESS)
