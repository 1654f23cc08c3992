"""Where values that are not finite are noted while a simulation runs: masks and counts that stay on the device."""

# A kernel is compiled by Warp, whose types do what their Python classes do not declare.
# pyright: reportInvalidTypeForm=false, reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportCallIssue=false, reportReturnType=false

from typing import Any

import torch
import warp as wp

STAGES = ("state", "action", "observation", "reward")
"""Where a value may stop being finite, in the order of the counts."""


@wp.func
def sum_is_finite(values: wp.array(dtype=float)) -> bool:
    """Tell whether some numbers are finite: their sum is not when one of them is not."""
    total = wp.float32(0.0)
    for index in range(values.shape[0]):
        total += values[index]
    return wp.isfinite(total)


@wp.struct
class FaultArrays:
    """The arrays of :class:`Faults`."""

    counts: wp.array(dtype=int)
    seen: wp.array(dtype=bool)
    wants_reset: wp.array(dtype=bool)
    in_state: wp.array(dtype=bool)
    state: wp.array2d(dtype=float)


class Faults:
    """What a guard and the kernel of terminations know of faults.

    Args:
        num_envs: Number of environments.
        state_dim: Numbers of a robot's state: pose 7, velocity 6, position and velocity of each joint.
        device: Where they are.
    """

    def __init__(self, num_envs: int, state_dim: int, device: str) -> None:
        wp.init()  # nothing of Warp's may have run before
        self.counts = torch.zeros(len(STAGES), dtype=torch.int32, device=device)
        """Faulty environment steps since :meth:`clear`, by stage."""
        self.seen, self.wants_reset, self.in_state = (
            torch.zeros(num_envs, dtype=torch.bool, device=device) for _ in range(3)
        )
        self.state = torch.zeros(num_envs, state_dim, device=device)
        """Last faulty state of each environment, root pose first."""
        self.struct: Any = FaultArrays()
        """The arrays, for a launch."""
        for name in ("counts", "seen", "wants_reset", "in_state", "state"):
            setattr(self.struct, name, wp.from_torch(getattr(self, name)))

    def clear(self) -> None:
        """Begin to count anew; what is to be reset in the next step still is."""
        for tensor in (self.counts, self.seen, self.state):
            tensor.zero_()
