"""What an episode asks of the robot and when it is pushed, drawn beforehand from one seed.

Time line of an episode of 20 s: a new command at 0, 5, 10 and 15 s, a push halfway between, at 2.5, 7.5, 12.5 and
17.5 s. Tracking is judged once the first second after either has passed, so in [1, 2.5) and [3.5, 5) s of each five.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

EPISODE_S = 20.0
COMMAND_PERIOD_S = 5.0
PUSH_OFFSET_S = 2.5
"""Halfway through a command, so that commands and pushes never hide each other's transients."""
SETTLE_S = 1.0

COMMAND_LOWER = (-1.0, -0.5, -1.0)
COMMAND_UPPER = (1.0, 0.5, 1.0)
"""Ranges of the forward and sideways velocity [m/s] and the yaw rate [rad/s], in the base frame."""

PUSH_SPEED = 0.5
"""Change of the base's horizontal velocity by a push [m/s]."""

PRESETS: dict[str, tuple[float, float, float]] = {
    "stand": (0.0, 0.0, 0.0),
    "forward": (0.8, 0.0, 0.0),
    "backward": (-0.6, 0.0, 0.0),
    "left": (0.0, 0.4, 0.0),
    "right": (0.0, -0.4, 0.0),
    "turn": (0.0, 0.0, 0.8),
    "circle": (0.6, 0.0, 0.6),
}
"""Commands by name: forward and sideways velocity [m/s], yaw rate [rad/s]."""


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """Commands and pushes of a batch of episodes that run side by side.

    Attributes:
        commands: Shape (num_episodes, num_commands, 3): vx, vy [m/s] and yaw rate [rad/s] in the base frame.
        pushes: Shape (num_episodes, num_pushes, 2): change of the base velocity along world x and y [m/s];
            ``num_pushes`` is 0 when nothing pushes.
        step_dt: Control period [s].
    """

    commands: torch.Tensor
    pushes: torch.Tensor
    step_dt: float

    @property
    def num_episodes(self) -> int:
        """Number of episodes."""
        return self.commands.shape[0]

    @property
    def num_steps(self) -> int:
        """Control steps in an episode."""
        return self._steps(EPISODE_S)

    def command(self, step: int) -> torch.Tensor:
        """Return the commands (num_episodes, 3) that hold while control step `step` is taken."""
        index = step // self._steps(COMMAND_PERIOD_S)
        return self.commands[:, min(index, self.commands.shape[1] - 1)]

    def push(self, step: int) -> torch.Tensor | None:
        """Return the velocity changes (num_episodes, 2) to apply right before a control step, or None."""
        since_offset = step - self._steps(PUSH_OFFSET_S)
        index, remainder = divmod(since_offset, self._steps(COMMAND_PERIOD_S))
        if remainder or not 0 <= index < self.pushes.shape[1]:
            return None
        return self.pushes[:, index]

    def is_settled(self, step: int) -> bool:
        """Return whether the first second after the latest command and the latest push lies before a control step."""
        period, offset = self._steps(COMMAND_PERIOD_S), self._steps(PUSH_OFFSET_S)
        last_event = (step // period) * period if self.commands.shape[1] > 1 else 0
        if self.pushes.shape[1] and step >= offset:
            last_event = max(last_event, (step - offset) // period * period + offset)
        return step - last_event >= self._steps(SETTLE_S)

    def episodes(self, start: int, stop: int, device: str) -> Schedule:
        """Return the schedule of the episodes ``start <= i < stop`` on a device."""
        return Schedule(
            commands=self.commands[start:stop].to(device),
            pushes=self.pushes[start:stop].to(device),
            step_dt=self.step_dt,
        )

    def _steps(self, duration_s: float) -> int:
        return round(duration_s / self.step_dt)


def draw_schedule(
    num_episodes: int,
    *,
    seed: int,
    step_dt: float,
    command: tuple[float, float, float] | None = None,
    push: bool = True,
) -> Schedule:
    """Draw the commands and pushes of all episodes on the CPU: one seed, one schedule, whatever the device.

    Args:
        num_episodes: Number of episodes.
        seed: Seed of the generator.
        step_dt: Control period [s].
        command: One command for all episodes and their whole length; drawn uniformly from the ranges when None.
        push: Whether there are pushes, in uniformly random horizontal directions.

    Returns:
        The schedule, on the CPU.
    """
    import torch

    generator = torch.Generator().manual_seed(seed)
    num_commands = round(EPISODE_S / COMMAND_PERIOD_S)
    lower, upper = torch.tensor(COMMAND_LOWER), torch.tensor(COMMAND_UPPER)
    drawn = lower + (upper - lower) * torch.rand((num_episodes, num_commands, 3), generator=generator)
    angle = 2 * math.pi * torch.rand((num_episodes, num_commands), generator=generator)
    pushes = PUSH_SPEED * torch.stack([torch.cos(angle), torch.sin(angle)], dim=-1)
    return Schedule(
        commands=drawn if command is None else torch.tensor(command).expand(num_episodes, 1, 3).clone(),
        pushes=pushes if push else pushes[:, :0],
        step_dt=step_dt,
    )
