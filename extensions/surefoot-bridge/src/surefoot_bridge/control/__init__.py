"""The controller: from a robot's report to its next command, through policy, state machine and safety layer."""

from .controller import Controller
from .controller_state import ControllerState, TickInputs
from .state_machine import Machine

__all__ = [
    "Controller",
    "ControllerState",
    "Machine",
    "TickInputs",
]
