"""Who commands the robot: a person at a keyboard or a joystick, or a script."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from surefoot_bridge.state import Request


@dataclass(frozen=True)
class OperatorInput:
    """What the operator wants now.

    Attributes:
        velocity_command: Wanted velocity, in the order and units of the contract's ``command.names``,
            (num_components,), float64.
        request: What is asked of the state machine. It is given once, at the first reading after it was asked for.
        stop: Whether the robot must be damped at once; true for as long as the operator wants that.
        release: Whether the operator releases a damped robot.
        heartbeat_s: When the operator was last known to be there, on the control loop's clock [s].
    """

    velocity_command: np.ndarray
    request: Request
    stop: bool
    release: bool
    heartbeat_s: float


class Operator(ABC):
    """Who commands the robot. Reading must not wait: a control loop does it hundreds of times a second."""

    @abstractmethod
    def read(self, time_s: float) -> OperatorInput:
        """Return what is wanted at a time.

        Args:
            time_s: The control loop's clock [s].
        """

    def close(self) -> None:  # noqa: B027  (most have nothing to let go of)
        """Let go of keyboard or joystick. Harmless when done again."""
