"""What a controller is given in a tick, for a fault to change before it gets there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefoot_bridge.control import Machine, TickInputs
from surefoot_bridge.control.machine_state import MachineState
from surefoot_bridge.policy import Memory, Policy
from surefoot_bridge.state import RobotState, by_policy


@dataclass
class Moment:
    """One tick of N robots.

    Attributes:
        time_s: Since the walks began [s].
        passed_s: Since the fault began [s].
        burst: How often the fault had come and gone before.
        report: What the robots report, (N, ...).
        inputs: What else the controller is given, (N, ...).
        policy_fails: Whether the policy raises an exception when it is asked.
        misses: Whether the control loop is held up, so that this tick is none: the joints keep their last command.
        kept: What a fault remembers from tick to tick.
    """

    time_s: float
    passed_s: float
    burst: int
    report: RobotState
    inputs: TickInputs
    policy_fails: bool = False
    misses: bool = False
    kept: dict[str, Any] = field(default_factory=dict)


class FaultyPolicy(Policy):
    """A policy whose answers a fault spoils while it is on.

    Attributes:
        spoils: What it makes of an answer (N, num_joints); None while it is not on.
    """

    def __init__(self, policy: Policy) -> None:
        self.observation_dim, self.action_dim = policy.observation_dim, policy.action_dim
        self.recurrent, self.runtime = policy.recurrent, policy.runtime
        self._policy = policy
        self.spoils: Callable[[np.ndarray], np.ndarray] | None = None

    def initial(self, batch_shape: tuple[int, ...]) -> Memory:
        """Return the memory before the first step."""
        return self._policy.initial(batch_shape)

    def reset(self, memory: Memory, mask: np.ndarray) -> Memory:
        """Return the memory in which some robots begin anew."""
        return self._policy.reset(memory, mask)

    def __call__(self, observation: np.ndarray, memory: Memory) -> tuple[np.ndarray, Memory]:
        """Return the answer, spoilt or not."""
        action, memory = self._policy(observation, memory)
        return (action if self.spoils is None else self.spoils(action.copy())), memory


class FaultyMachine(Machine):
    """A state machine whose commands a fault spoils on their way to the safety layer, while the policy drives.

    Attributes:
        spoils: What it makes of a command (N, 5 num_joints); None while it is not on.
    """

    spoils: Callable[[np.ndarray], np.ndarray] | None = None

    def step(self, *args: Any, **kwargs: Any) -> tuple[np.ndarray, MachineState]:
        """Return the command, spoilt or not, and the next state; see :meth:`Machine.step`."""
        told, state = super().step(*args, **kwargs)
        if self.spoils is None:
            return told, state
        return np.where(by_policy(state.mode)[..., None], self.spoils(told.copy()), told), state
