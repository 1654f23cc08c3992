"""A run of the bridge: from the checklist through the control loop to its orderly end."""

from surefoot_bridge.run import Run

from .bridge_run import run_bridge
from .loop import Loop
from .outcome import Outcome
from .report import LoopReport

__all__ = [
    "Loop",
    "LoopReport",
    "Outcome",
    "Run",
    "run_bridge",
]
