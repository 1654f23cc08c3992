"""Isaac Lab's action manager in two parts: what takes an action in, and what a control step does with it."""

import torch
from isaaclab.managers import ActionManager


class TwoPartActionManager(ActionManager):
    """Keeps an action where it stays, so that a step that is recorded with it can be taken again with another."""

    def take(self, action: torch.Tensor) -> None:
        """Keep an action, (num_envs, total_action_dim), and the one before.

        Raises:
            ValueError: If it is of another size.
        """
        if self.total_action_dim != action.shape[1]:
            raise ValueError(f"Invalid action shape, expected: {self.total_action_dim}, received: {action.shape[1]}.")
        self._prev_action[:] = self._action
        self._action[:] = action

    def process(self) -> None:
        """Let the terms act on what is kept."""
        first = 0
        for term in self._terms.values():
            term.process_actions(self._action[:, first : first + term.action_dim])
            first += term.action_dim

    def process_action(self, action: torch.Tensor) -> None:
        """Take an action and let the terms act on it, as the base class does."""
        self.take(action.to(self.device))
        self.process()
