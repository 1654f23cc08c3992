"""Whether a robot stands, and how many get up from a fall in time and stay up."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from surefoot.playing.metrics import StepSample

TIME_TO_STAND_S = 4.0
"""A robot that got up stands at the latest so long after the episode began [s], and from then on."""

UPRIGHT_COSINE = 0.966
"""Cosine of the largest tilt of a robot that stands: 15 degrees."""

HEIGHT_SHARES = (0.8, 1.2)
"""Height of its base over that of the default pose. A robot that sits is lower."""

REST_M_S, REST_RAD_S = 0.2, 0.5
"""Speeds of its base, linear and angular, below which it is at rest; those of a walk are above."""


def stands(
    *,
    projected_gravity_b: torch.Tensor,
    base_height_m: torch.Tensor,
    base_lin_vel_b: torch.Tensor,
    base_ang_vel_b: torch.Tensor,
    foot_contact: torch.Tensor,
    lies: torch.Tensor,
    standing_height_m: float,
) -> torch.Tensor:
    """Return whether each robot stands: upright, at its height, at rest, on every foot and on nothing else.

    Args:
        projected_gravity_b: Direction of gravity in the base frame, (num_envs, 3).
        base_height_m: Height of the base above the ground [m], (num_envs,).
        base_lin_vel_b: Velocity of the base [m/s], (num_envs, 3).
        base_ang_vel_b: Angular velocity of the base [rad/s], (num_envs, 3).
        foot_contact: Whether each foot touches the ground, (num_envs, num_feet).
        lies: Whether a body touches the ground that must not, (num_envs,).
        standing_height_m: Height of the base in the default pose [m].

    Returns:
        (num_envs,), bool; a state that is not finite does not stand.
    """
    lowest, highest = (share * standing_height_m for share in HEIGHT_SHARES)
    upright = projected_gravity_b[:, 2] < -UPRIGHT_COSINE
    at_height = (base_height_m > lowest) & (base_height_m < highest)
    at_rest = (base_lin_vel_b.norm(dim=1) < REST_M_S) & (base_ang_vel_b.norm(dim=1) < REST_RAD_S)
    return upright & at_height & at_rest & foot_contact.all(dim=1) & ~lies


class RecoveryMetrics:
    """When the robots of one rollout stood up for good, without a loop over episodes.

    Args:
        num_episodes: Number of episodes.
        step_dt: Control period [s].
        device: Where the samples are.
    """

    def __init__(self, num_episodes: int, *, step_dt: float, device: str) -> None:
        self._step_dt = step_dt
        self._steps = 0
        self._last_down = torch.zeros(num_episodes, dtype=torch.long, device=device)
        self._ever_stood = torch.zeros(num_episodes, dtype=torch.bool, device=device)

    def update(self, sample: StepSample) -> None:
        """Take in the state after one control step."""
        self.add(sample.stands)

    def add(self, standing: torch.Tensor) -> None:
        """Take in which robots stand after one control step, (num_episodes,), bool."""
        self._steps += 1
        self._last_down.masked_fill_(~standing, self._steps)
        self._ever_stood |= standing

    @classmethod
    def joined(cls, parts: Sequence[RecoveryMetrics]) -> RecoveryMetrics:
        """Return the metrics of several rollouts as if their episodes had run side by side."""
        joined = cls.__new__(cls)
        joined.__dict__.update(parts[0].__dict__)
        joined._last_down = torch.cat([part._last_down for part in parts])
        joined._ever_stood = torch.cat([part._ever_stood for part in parts])
        return joined

    @property
    def stood_up_s(self) -> torch.Tensor:
        """Time from which each robot stood until the end [s], infinite for one that did not, (num_episodes,)."""
        return torch.where(self._last_down < self._steps, self._last_down * self._step_dt, torch.inf)

    @property
    def recovered(self) -> torch.Tensor:
        """Whether each robot stood from `TIME_TO_STAND_S` on at the latest, until the end, (num_episodes,)."""
        return self.stood_up_s <= TIME_TO_STAND_S + 0.5 * self._step_dt

    def figures(self) -> dict[str, float]:
        """Return the figures over all episodes; times to stand are those of robots that stood at the end."""
        times = self.stood_up_s[self.stood_up_s.isfinite()]
        figures = {
            "success_rate": self.recovered.double().mean().item(),
            "episodes": float(len(self.recovered)),
            "stood_at_the_end": float(len(times)),
            "stood_up_only_for_a_while": float((self._ever_stood & self.stood_up_s.isinf()).sum()),
        }
        if len(times):
            figures["median_time_to_stand_s"] = times.median().item()
            figures["longest_time_to_stand_s"] = times.max().item()
        return figures

    def rows(self) -> list[dict[str, float | bool | None]]:
        """Return one record an episode: whether the robot recovered, and when it stood for good."""
        records = zip(self.recovered.tolist(), self.stood_up_s.tolist(), self._ever_stood.tolist(), strict=True)
        return [
            {"recovered": recovered, "stood_up_s": None if time == torch.inf else time, "ever_stood": ever}
            for recovered, time, ever in records
        ]
