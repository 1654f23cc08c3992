"""What the safety layer remembers, and what it says of a command."""

from typing import Callable, NamedTuple

import numpy as np

from .flat_command import joint_command
from .safety_facts import Seen
from .state import JointCommand


class SafetyState(NamedTuple):
    """What is remembered from one check to the next.

    Attributes:
        seen: Clocks, sequence, last trusted joints, what they were told and how far that moved them.
        on: Which conditions hold, (..., num_rules), bool.
        lasted_s: For how long they have held [s], (..., num_rules).
        active: Which rules act, (..., num_rules), bool.
        response: What was done, (...,), int8.
        latched: Damp or zero, which nothing but the operator's release ends; none otherwise, (...,), int8.
        held_rad: Targets to hold [rad], (..., num_joints).
        released: Whether the operator's release was given, (...,), bool.
        held_s: For how long the targets were held, or the policy was in doubt, of late [s], (...,).
    """

    seen: Seen
    on: np.ndarray
    lasted_s: np.ndarray
    active: np.ndarray
    response: np.ndarray
    latched: np.ndarray
    held_rad: np.ndarray
    released: np.ndarray
    held_s: np.ndarray


class SafetyVerdict(NamedTuple):
    """What came of a check.

    Attributes:
        response: The most severe response of the rules that act, what became of a hold, or what is latched, (...,),
            int8.
        active: Which rules act, (..., num_rules), bool.
        tripped: Which of them did not act at the last check, (..., num_rules), bool; see
            :meth:`~surefoot_bridge.safety.Safety.events`.
        told: What the joints may be told: finite and within all limits; flat, (..., 5 num_joints).
        time_s: When the check was made [s], (...,).
        state: The next state.
        look: Finds :attr:`values`.
    """

    response: np.ndarray
    active: np.ndarray
    tripped: np.ndarray
    told: np.ndarray
    time_s: np.ndarray
    state: SafetyState
    look: Callable[[], np.ndarray]

    @property
    def command(self) -> JointCommand:
        """What the joints may be told, as the robot takes it; its arrays are views of :attr:`told`."""
        return joint_command(self.told)

    @property
    def values(self) -> np.ndarray:
        """What the rules looked at, all measures side by side, (..., num_values)."""
        return self.look()  # found when somebody asks, for a check that finds nothing wrong does without most of them
