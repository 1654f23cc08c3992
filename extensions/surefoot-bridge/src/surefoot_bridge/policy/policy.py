"""What a policy is to those who run it: observation and memory in, action and memory out, for any batch shape."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Optional, Tuple

import numpy as np

from surefoot_bridge.contract import NetworkPart, RecurrentPart
from surefoot_bridge.errors import SurefootError


@dataclass(frozen=True)
class Memory:
    """State of the recurrent layers of a policy.

    Attributes:
        arrays: None without recurrent layers, the hidden state of a GRU, hidden state and cell state of an LSTM, each
            (..., num_layers, hidden_dim), float32.
    """

    arrays: Tuple[np.ndarray, ...]


class Policy(ABC):
    """A policy. It holds no state of its own: memory goes in and comes out, and what goes in is not changed."""

    runtime: str
    """By what it is run: ``torchscript``, ``onnx`` or ``numpy``."""

    def __init__(self, network: NetworkPart) -> None:
        self.observation_dim = network.observation_dim
        self.action_dim = network.action_dim
        self.recurrent: Optional[RecurrentPart] = network.recurrent

    @abstractmethod
    def __call__(self, observation: np.ndarray, memory: Memory) -> Tuple[np.ndarray, Memory]:
        """Return the action, before any clipping, and the memory for the next step.

        Args:
            observation: (..., observation_dim), float32.
            memory: Memory of the same batch shape.

        Returns:
            The action (..., action_dim), float32, and the memory.

        Raises:
            SurefootError: If the shapes do not fit.
        """

    def initial(self, batch_shape: Tuple[int, ...]) -> Memory:
        """Return the memory at the start of an episode: zeros."""
        if self.recurrent is None:
            return Memory(())
        shape = (*batch_shape, self.recurrent.num_layers, self.recurrent.hidden_dim)
        count = 2 if self.recurrent.kind == "lstm" else 1
        return Memory(tuple(np.zeros(shape, np.float32) for _ in range(count)))

    def reset(self, memory: Memory, mask: np.ndarray) -> Memory:
        """Return the memory with that of some robots as at the start of an episode.

        Args:
            memory: The memory.
            mask: True where an episode starts, of the batch shape, bool.

        Raises:
            SurefootError: If it is no such mask.
        """
        chosen = np.asarray(mask)
        for array in memory.arrays:
            if chosen.dtype != np.bool_ or chosen.shape != array.shape[:-2]:
                raise SurefootError(
                    f"mask is {chosen.dtype} of shape {chosen.shape}; it must be bool of shape {array.shape[:-2]}, the "
                    "batch shape of the memory: True where an episode begins."
                )
        return Memory(tuple(np.where(chosen[..., None, None], np.float32(0.0), array) for array in memory.arrays))

    def batch_shape(self, observation: np.ndarray, memory: Memory) -> Tuple[int, ...]:
        """Return the batch shape that observation and memory share.

        Raises:
            SurefootError: If they do not fit the policy or each other.
        """
        if observation.dtype != np.float32 or observation.shape[-1:] != (self.observation_dim,):
            raise SurefootError(
                f"The observation is {observation.dtype} of shape {observation.shape}; "
                f"this policy takes float32 of (..., {self.observation_dim})."
            )
        batch_shape = observation.shape[:-1]
        if self.recurrent is not None:
            expected = (*batch_shape, self.recurrent.num_layers, self.recurrent.hidden_dim)
            if [array.shape for array in memory.arrays] != [expected] * (2 if self.recurrent.kind == "lstm" else 1):
                shapes = ", ".join(str(array.shape) for array in memory.arrays) or "nothing"
                raise SurefootError(
                    f"The memory is {shapes}; this {self.recurrent.kind} takes {expected}. Begin with `initial`."
                )
        return batch_shape
