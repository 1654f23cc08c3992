"""A run of the bridge: from the checklist through the control loop to its orderly end."""

from .bridge_run import Run, run_bridge
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
