"""Figures of many episodes that run side by side, accumulated step by step without a loop over episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

MOVING_SPEED = 0.2
"""Commanded horizontal speed [m/s] above which a robot is expected to step."""

MIN_SWING_S = 0.05
"""A foot that is off the ground for less is a stance foot that bounced, not a swing."""

GRAVITY = 9.81

_NOT_AIRBORNE = -torch.inf


@dataclass(frozen=True, kw_only=True)
class StepSample:
    """State after one control step of every episode.

    Attributes:
        command: The command that the step obeyed, shape (num_episodes, 3): vx, vy [m/s], yaw rate [rad/s].
        base_lin_vel_b: Velocity of the base in its frame [m/s], shape (num_episodes, 3).
        base_ang_vel_b: Angular velocity of the base in its frame [rad/s], shape (num_episodes, 3).
        fell: Whether the robot is down, shape (num_episodes,), bool.
        stands: Whether it stands at rest, shape (num_episodes,), bool.
        foot_contact: Whether each foot touches the ground, shape (num_episodes, num_feet), bool.
        sole_height_m: Height of the lowest point of each sole above the ground [m], shape (num_episodes, num_feet).
        joint_torque_nm: Motor torques [N.m], shape (num_episodes, num_joints).
        joint_vel: Joint velocities [rad/s], shape (num_episodes, num_joints).
        settled: Whether tracking is judged at this step.
    """

    command: torch.Tensor
    base_lin_vel_b: torch.Tensor
    base_ang_vel_b: torch.Tensor
    fell: torch.Tensor
    stands: torch.Tensor
    foot_contact: torch.Tensor
    sole_height_m: torch.Tensor
    joint_torque_nm: torch.Tensor
    joint_vel: torch.Tensor
    settled: bool


class EpisodeMetrics:
    """Sums over the episodes of one rollout; nothing counts from a robot's fall on.

    A state that is not finite counts as a fall. A swing counts once it is complete, if the command asked for motion
    all along; its clearance is the highest sole height in it.
    """

    def __init__(self, num_episodes: int, num_feet: int, *, step_dt: float, robot_mass_kg: float, device: str) -> None:
        self._step_dt = step_dt
        self._weight_n = robot_mass_kg * GRAVITY
        self._num_feet = num_feet
        self._min_swing_steps = MIN_SWING_S / step_dt

        def zeros(*shape: int) -> torch.Tensor:
            return torch.zeros((num_episodes, *shape), dtype=torch.float64, device=device)

        self.alive = torch.ones(num_episodes, dtype=torch.bool, device=device)
        """Which robots have not fallen yet, shape (num_episodes,)."""
        self._sums = {
            "alive_steps": zeros(),
            "settled_steps": zeros(),
            "moving_steps": zeros(),
            "squared_error": zeros(3),
            "swings": zeros(),
            "swing_clearance": zeros(),
            "moving_contacts": zeros(),
            "moving_work": zeros(),
            "moving_distance": zeros(),
            "torque": zeros(),
            "squared_torque": zeros(),
        }
        self._air_steps = torch.zeros((num_episodes, num_feet), dtype=torch.long, device=device)
        self._peak_height = torch.full((num_episodes, num_feet), _NOT_AIRBORNE, device=device)
        # False for a foot that starts in the air: the beginning of its swing was not seen.
        self._swing_counts = torch.zeros((num_episodes, num_feet), dtype=torch.bool, device=device)

    def update(self, sample: StepSample) -> None:
        """Take in the state after one control step."""
        error = sample.command - torch.cat([sample.base_lin_vel_b[:, :2], sample.base_ang_vel_b[:, 2:]], dim=1)
        finite = error.isfinite().all(1) & sample.joint_vel.isfinite().all(1) & sample.joint_torque_nm.isfinite().all(1)
        self.alive &= finite & ~sample.fell
        alive = self.alive
        moving = sample.command[:, :2].norm(dim=1) > MOVING_SPEED  # (num_episodes,)

        self._add("alive_steps", alive)
        self._add("moving_steps", alive & moving)
        if sample.settled:
            self._add("settled_steps", alive)
            self._add("squared_error", alive, error.square())
        self._add("torque", alive, sample.joint_torque_nm.abs().mean(1))
        self._add("squared_torque", alive, sample.joint_torque_nm.square().mean(1))
        power = (sample.joint_torque_nm * sample.joint_vel).clamp(min=0.0).sum(1)  # (num_episodes,) [W]
        self._add("moving_work", alive & moving, power * self._step_dt)
        self._add("moving_distance", alive & moving, sample.base_lin_vel_b[:, :2].norm(dim=1) * self._step_dt)
        self._add("moving_contacts", alive & moving, sample.foot_contact.sum(1))
        self._update_swings(sample, alive, moving)

    def _update_swings(self, sample: StepSample, alive: torch.Tensor, moving: torch.Tensor) -> None:
        contact = sample.foot_contact
        touched_down = contact & (self._air_steps >= self._min_swing_steps) & self._swing_counts  # (episodes, feet)
        self._add("swings", alive, touched_down.sum(1))
        self._add("swing_clearance", alive, torch.where(touched_down, self._peak_height, 0.0).sum(1))

        highest = torch.maximum(self._peak_height, sample.sole_height_m)
        self._peak_height = torch.where(contact, _NOT_AIRBORNE, highest)
        self._air_steps = torch.where(contact, 0, self._air_steps + 1)
        self._swing_counts = contact | (self._swing_counts & moving[:, None])

    def _add(self, name: str, where: torch.Tensor, values: torch.Tensor | float = 1.0) -> None:
        """Add values to a sum in the episodes where a mask holds; values elsewhere may be anything, even NaN."""
        total = self._sums[name]
        mask = where if total.dim() == 1 else where[:, None]
        total += torch.where(mask, torch.as_tensor(values, dtype=total.dtype, device=total.device), 0.0)

    @classmethod
    def joined(cls, parts: Sequence[EpisodeMetrics]) -> EpisodeMetrics:
        """Return the metrics of several rollouts of one robot as if their episodes had run side by side."""
        joined = cls.__new__(cls)
        joined.__dict__.update(parts[0].__dict__)
        joined.alive = torch.cat([part.alive for part in parts])
        joined._sums = {name: torch.cat([part._sums[name] for part in parts]) for name in parts[0]._sums}
        return joined

    def figures(self) -> dict[str, float]:
        """Return the figures over all episodes; those that have nothing to average over are left out.

        ``rms_lin_vel_error`` is the larger of the RMS errors along x and y [m/s]. ``cost_of_transport`` is the
        positive mechanical work of the joints over weight times path length; ``stride_frequency_hz`` counts swings of
        one foot a second; both, ``duty_factor`` and ``mean_swing_clearance_m`` are over the time in which the command
        asks for more than `MOVING_SPEED`.
        """
        total = {name: values.sum(0) for name, values in self._sums.items()}
        rms_error = (total["squared_error"] / total["settled_steps"]).sqrt().tolist()
        moving_steps, alive_steps = total["moving_steps"], total["alive_steps"]
        figures = {
            "success_rate": self.alive.double().mean().item(),
            "rms_vx_error": rms_error[0],
            "rms_vy_error": rms_error[1],
            "rms_lin_vel_error": max(rms_error[:2]),
            "rms_yaw_rate_error": rms_error[2],
            "mean_swing_clearance_m": (total["swing_clearance"] / total["swings"]).item(),
            "stride_frequency_hz": (total["swings"] / (self._num_feet * moving_steps * self._step_dt)).item(),
            "duty_factor": (total["moving_contacts"] / (self._num_feet * moving_steps)).item(),
            "cost_of_transport": (total["moving_work"] / (self._weight_n * total["moving_distance"])).item(),
            "mean_abs_torque_nm": (total["torque"] / alive_steps).item(),
            "rms_torque_nm": (total["squared_torque"] / alive_steps).sqrt().item(),
            "episodes": float(self.alive.numel()),
            "falls": float((~self.alive).sum()),
        }
        return {name: value for name, value in figures.items() if value == value}

    def rows(self) -> list[dict[str, float | bool | None]]:
        """Return one record an episode: whether and when the robot fell, its tracking errors and swing clearance."""
        rms_error = (self._sums["squared_error"] / self._sums["settled_steps"][:, None]).sqrt()
        columns = {
            "fell": (~self.alive).tolist(),
            "walked_s": (self._sums["alive_steps"] * self._step_dt).tolist(),
            "rms_vx_error": rms_error[:, 0].tolist(),
            "rms_vy_error": rms_error[:, 1].tolist(),
            "rms_yaw_rate_error": rms_error[:, 2].tolist(),
            "mean_swing_clearance_m": (self._sums["swing_clearance"] / self._sums["swings"]).tolist(),
        }
        records = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        return [{name: None if value != value else value for name, value in record.items()} for record in records]
