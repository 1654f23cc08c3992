"""What the safety layer remembers, and what it says of a command."""

from typing import Callable, NamedTuple

import numpy as np

from surefoot_bridge.state import JointCommand, joint_command
from surefoot_bridge.state.batch import some

from .measures import Seen
from .rules import Response

_STAND = np.int8(Response.STAND)  # comparisons with a member of an enumeration take twice as long


class SafetyState(NamedTuple):
    """What is remembered from one check to the next.

    Attributes:
        seen: Clocks, sequence, last trusted joints, what they were told and how far that moved them.
        on: Which conditions hold, (..., num_rules), bool.
        lasted_s: For how long they have held [s], (..., num_rules).
        active: Which rules act, (..., num_rules), bool.
        response: What was done, (...,), int8.
        latched: Damp or zero, which nothing but the operator's release ends; none otherwise, (...,), int8.
        held_rad: Targets to hold [rad]: the last ones before a hold or a clamp of a doubtful command began,
            (..., num_joints).
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
        response: The most severe response of the rules that act, what became of a hold or a doubt, or what is latched,
            (...,), int8.
        active: Which rules act, (..., num_rules), bool.
        tripped: Which of them did not act at the last check, (..., num_rules), bool; see
            :meth:`~surefoot_bridge.safety.Safety.events`.
        sent: What the joints may be told: finite and within all limits; flat, (..., 5 num_joints).
        time_s: When the check was made [s], (...,).
        state: The next state.
        look: Finds :attr:`values`.
    """

    response: np.ndarray
    active: np.ndarray
    tripped: np.ndarray
    sent: np.ndarray
    time_s: np.ndarray
    state: SafetyState
    look: Callable[[], np.ndarray]

    @property
    def command(self) -> JointCommand:
        """What the joints may be told, as the robot takes it; its arrays are views of :attr:`sent`."""
        return joint_command(self.sent)

    @property
    def handed_over(self) -> np.ndarray:
        """What another mode takes over from, flat, (..., 5 num_joints): what the joints are told.

        A robot that is to stand starts from the targets that are held, from before anything was wrong. The joints may
        be told something else in between, for they go there no faster than the limits of rate and torque let them.
        """
        stands = self.response[()] == _STAND  # a scalar for a single robot is compared three times as fast as an array
        if not some(stands):
            return self.sent
        held_rad = self.state.held_rad
        command, n = self.sent.copy(), held_rad.shape[-1]
        command[..., :n] = np.where(stands[..., None], held_rad, command[..., :n])
        return command

    @property
    def values(self) -> np.ndarray:
        """What the rules looked at, all measures side by side, (..., num_values)."""
        return self.look()  # found when somebody asks, for a check that finds nothing wrong does without most of them
