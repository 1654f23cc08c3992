"""A teacher for a policy that walks: it corrects the command by the true velocity, and rests when told to stand.

What a policy without memory cannot know from one reading, such as how much the ground grips its feet, shows in the
velocity that it reaches. The teacher is the policy itself with an integrator around it, which sees that velocity; its
pupil must infer the same from joints that lag behind their targets.
"""

from __future__ import annotations

import torch

SETTLING_S = 1.0
"""Time after a new command in which a robot is still speeding up or slowing down, which is no error [s]."""

AVERAGE_S = 0.4
"""Time over which the error of the velocity is averaged [s]: a stride, whose sway is no error."""

GAIN_PER_S = (1.0, 1.0, 1.5)
"""Correction of vx, vy and yaw rate for each second of an error of 1 [1/s]: settled after two seconds of walking."""

LARGEST = (0.15, 0.15, 0.5)
"""Largest corrections of vx, vy [m/s] and yaw rate [rad/s]. Feet that resist turning with 0.02 m cost 0.2 rad/s."""

FULL_FROM = 0.3
"""Command from which the whole correction acts [m/s, rad/s]; below it acts in proportion, and not at all at zero."""

SMALLEST_SHARE = 0.2
"""Share of the whole correction below which its gain grows no more: errors of a crawl are mostly sway."""

STILL_M_S, MOVING_M_S = 0.12, 0.22
"""Below the first speed a robot that is told to stand rests, above the second it steps until it has stopped [m/s]. A
trot on the spot sways by 0.1 m/s; a push of 0.5 m/s must be caught by steps."""

REST_POSE_SHARE = 0.75
"""Joint targets at rest as a share of the default pose's, for joints sag under the robot's weight. So the knees of a
Go2 (25 N.m/rad, default 1.5 rad) come to 1.31 rad, and the one that bears most bears 4.7 N.m; targets of 0.85 leave 5.3
N.m, those of the default pose 6.4 N.m, which is 1.8 times the heat (MuJoCo). Where feet do not creep the legs share the
weight less evenly: with 0.85 one trial in six grew too warm in PhysX."""

LEVER_M = 0.3
"""Distance that makes a speed of an angular velocity: about half a quadruped's length [m]."""


class CommandCorrection:
    """Corrects the velocity command of each robot until its true velocity is what was asked for.

    It integrates the error in the direction of the command. What it finds is kept for slow and fast commands of each
    direction by itself, for a robot does not crawl as it runs, nor walk backward as it walks forward; so it is there
    when a robot walks again after it stood. Where a robot has not walked yet, it begins with the mean of the others.
    """

    def __init__(self, num_envs: int, device: str) -> None:
        self._error = torch.zeros(num_envs, 3, device=device)
        self._age_s = torch.zeros(num_envs, 1, device=device)  # of the command
        self._slip = torch.zeros(num_envs, 3, 4, device=device)  # of commands: slow or fast, forward or backward
        self._found = torch.zeros_like(self._slip, dtype=torch.bool)
        self._gain = torch.tensor(GAIN_PER_S, device=device)
        self._largest = torch.tensor(LARGEST, device=device)

    def reset(self) -> None:
        """Forget all that was found: robots and ground are new."""
        for part in (self._error, self._age_s, self._slip, self._found):
            part.zero_()

    def corrected(self, command: torch.Tensor) -> torch.Tensor:
        """Return the command that makes a robot do what was asked for.

        Args:
            command: vx, vy [m/s] and yaw rate [rad/s], (N, 3).
        """
        slip = self._slip.gather(2, _kind(command)).squeeze(2)
        return command + slip * command.sign() * _share(command)

    def observe(self, command: torch.Tensor, velocity: torch.Tensor, new: torch.Tensor, step_s: float) -> None:
        """Take what came of a command.

        Args:
            command: What was asked for, (N, 3).
            velocity: True velocity of the base in its frame: vx, vy [m/s] and yaw rate [rad/s], (N, 3).
            new: Which commands are new, (N,), bool.
            step_s: Time since the last call [s].
        """
        self._age_s.add_(step_s).masked_fill_(new.unsqueeze(-1), 0.0)
        settling = self._age_s < SETTLING_S - step_s / 2
        self._error.lerp_(command - velocity, step_s / AVERAGE_S).masked_fill_(settling, 0.0)
        # Divided by the share that acts, a correction settles as fast at a crawl as in a run.
        change = step_s * self._gain * self._error * command.sign() / _share(command).clamp(min=SMALLEST_SHARE)
        kind, walked = _kind(command), (~settling & (command != 0.0)).unsqueeze(2)
        self._slip.scatter_add_(2, kind, change.unsqueeze(2))
        largest = self._largest.unsqueeze(1)
        self._slip.clamp_(-largest, largest)
        self._found.scatter_(2, kind, self._found.gather(2, kind) | walked)
        mean = (self._slip * self._found).sum(dim=0) / self._found.sum(dim=0).clamp(min=1)  # (3, 4)
        self._slip.copy_(torch.where(self._found, self._slip, mean))


def _kind(command: torch.Tensor) -> torch.Tensor:
    """Return 0 for slow components from zero up, 1 for slow negative ones, 2 and 3 for fast ones, (N, 3, 1)."""
    return ((command < 0.0).long() + 2 * (command.abs() > FULL_FROM).long()).unsqueeze(2)


def _share(command: torch.Tensor) -> torch.Tensor:
    """Return how much of a correction acts, (N, 3)."""
    return (command.abs() / FULL_FROM).clamp(max=1.0)


def rest_share(command: torch.Tensor, lin_vel_b: torch.Tensor, ang_vel_b: torch.Tensor) -> torch.Tensor:
    """Return how much of the pose of rest robots should take.

    Equation: ``clip((MOVING - s) / (MOVING - STILL), 0, 1)`` where the command is zero, 0 elsewhere, with the speed
    ``s = max(|v_xy|, LEVER |w|)``.

    Args:
        command: Velocity command, (N, 3).
        lin_vel_b: True linear velocity of the base [m/s], (N, 3).
        ang_vel_b: Angular velocity of the base [rad/s], (N, 3).

    Returns:
        Share, 0 for the policy's own action and 1 for the pose, (N, 1).
    """
    speed = torch.maximum(lin_vel_b[:, :2].norm(dim=1), LEVER_M * ang_vel_b.norm(dim=1))
    share = ((MOVING_M_S - speed) / (MOVING_M_S - STILL_M_S)).clamp_(0.0, 1.0)
    return (share * (command == 0.0).all(dim=1)).unsqueeze(-1)
