"""A guard against NaN and infinity while experience is collected.

Where a value stops being finite decides what is done, and the stage is named:

- **state**: the engine's root or joint state. :func:`faulty_environments`, a termination term, ends the episode in the
  same step, so Isaac Lab resets the environment before any observation is made of it.
- **action**, **observation**, **reward**: :class:`FaultGuard` puts zeros in their place, marks the environment as done,
  and asks for its reset in the next step.

Faults in the loss and its gradient are the algorithm's (:mod:`surefoot.learning.ppo`).

The guard reads nothing back to the host while it runs: masks and counts stay on the device until the iteration ends. It
always hands out new tensors, so what rsl_rl keeps a reference to is never written again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from tensordict import TensorDict

from surefoot.files import atomic_write
from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from isaaclab.envs import ManagerBasedRLEnv
    from rsl_rl.storage import RolloutStorage

STAGES = ("state", "action", "observation", "reward")

FAULTY_SHARE_LIMIT = 0.05
"""Share of environments faulty in one iteration above which training stops: one bad contact is noise, these are not."""

FAULTY_ITERATIONS_IN_A_ROW = 20
"""Iterations in a row with any fault after which training stops."""


class TrainingFaultError(SurefootError):
    """Values stopped being finite and did not recover; training cannot go on."""


@dataclass(frozen=True)
class FaultReport:
    """Faults of one iteration.

    Attributes:
        counts: Number of faulty environment steps by stage.
        environments: Indices of the environments with a fault.
    """

    counts: dict[str, int]
    environments: tuple[int, ...]

    def __str__(self) -> str:
        stages = ", ".join(f"{stage} {count}" for stage, count in self.counts.items() if count)
        shown = ", ".join(map(str, self.environments[:8])) + (", ..." if len(self.environments) > 8 else "")
        return f"non-finite values ({stages}) in {len(self.environments)} environment(s): {shown}; they were reset"


def rows_not_finite(*tensors: torch.Tensor) -> torch.Tensor:
    """Tell which rows hold a NaN or an infinity in any of the tensors.

    Args:
        tensors: Floating-point tensors, each (num_envs, ...).

    Returns:
        Mask of shape (num_envs,).
    """
    # A sum is not finite when one of its terms is not, so one reduction per tensor is enough.
    sums = torch.stack([tensor.reshape(tensor.shape[0], -1).sum(dim=1) for tensor in tensors])  # (tensors, num_envs)
    return ~torch.isfinite(sums).all(dim=0)


def faulty_environments(env: ManagerBasedRLEnv) -> torch.Tensor:
    """Termination term: environments whose state is not finite, or that the guard wants reset, (num_envs,)."""
    states = []
    for robot in env.scene.articulations.values():
        data = robot.data
        states += [data.root_link_pose_w.torch, data.root_com_vel_w.torch, data.joint_pos.torch, data.joint_vel.torch]
    faulty = rows_not_finite(*states)
    guard: FaultGuard | None = getattr(env, "fault_guard", None)
    return faulty if guard is None else guard.note_state(faulty, *states)


def dump_experience(path: Path, storage: RolloutStorage) -> None:
    """Save the experience that an update failed on.

    Raises:
        SurefootError: If the file cannot be written.
    """
    names = ("actions", "rewards", "values", "returns", "advantages")
    content = {"observations": storage.observations.to_dict(), **{name: getattr(storage, name) for name in names}}
    with atomic_write(path) as file:
        torch.save(content, file)


class FaultGuard:
    """Replaces, counts and reports non-finite values; used by the runner around each environment step.

    Args:
        num_envs: Number of environments.
        device: Device of the environment's tensors.
        dump_path: File for the offending values when training stops.
    """

    def __init__(self, num_envs: int, device: str, dump_path: Path | None = None) -> None:
        self._dump_path = dump_path
        self._counts = torch.zeros(len(STAGES), dtype=torch.long, device=device)
        self._seen = torch.zeros(num_envs, dtype=torch.bool, device=device)
        self._state_faults = torch.zeros_like(self._seen)
        self._wants_reset = torch.zeros_like(self._seen)
        self._evidence: dict[str, torch.Tensor] = {}
        self._faulty_iterations = 0

    def note_state(self, faulty: torch.Tensor, *states: torch.Tensor) -> torch.Tensor:
        """Take note of faulty states before they are reset.

        Args:
            faulty: Environments whose state is not finite, (num_envs,).
            states: Root pose and velocity, joint positions and velocities, each (num_envs, ...).

        Returns:
            Environments to reset in this step, (num_envs,).
        """
        self._count("state", faulty, *states)
        self._state_faults = faulty
        wants_reset, self._wants_reset = self._wants_reset, torch.zeros_like(self._wants_reset)
        return faulty | wants_reset

    def check_actions(self, actions: torch.Tensor) -> torch.Tensor:
        """Return the actions (num_envs, num_actions), zero in the rows that are not finite."""
        faulty = rows_not_finite(actions)
        self._count("action", faulty, actions)
        self._wants_reset = self._wants_reset | faulty
        return actions.masked_fill(faulty[:, None], 0.0)

    def check_step(
        self, obs: TensorDict, rewards: torch.Tensor, dones: torch.Tensor
    ) -> tuple[TensorDict, torch.Tensor, torch.Tensor]:
        """Return what an environment step gave, with zeros and an ended episode where it is not finite.

        Args:
            obs: Observation groups, each (num_envs, ...).
            rewards: Shape (num_envs,).
            dones: Shape (num_envs,).

        Returns:
            New tensors of the same shapes.
        """
        groups: list[Any] = list(obs.values())
        in_obs = rows_not_finite(*groups)
        in_rewards = rows_not_finite(rewards)
        self._count("observation", in_obs, *groups)
        self._count("reward", in_rewards & ~self._state_faults, rewards)
        self._wants_reset = self._wants_reset | in_obs | in_rewards
        self._wants_reset &= ~self._state_faults  # reset already, in this very step
        faulty = in_obs | in_rewards
        rewards = rewards.masked_fill(in_rewards | self._state_faults, 0.0)
        dones = dones.masked_fill(faulty, 1)
        self._state_faults = torch.zeros_like(self._state_faults)
        return self.clean(obs, in_obs), rewards, dones

    @staticmethod
    def clean(obs: TensorDict, faulty: torch.Tensor | None = None) -> TensorDict:
        """Return new observation tensors with zeros in the faulty rows."""
        groups: dict[str, Any] = {str(name): group for name, group in obs.items()}
        faulty = rows_not_finite(*groups.values()) if faulty is None else faulty
        for name, group in groups.items():
            groups[name] = group.masked_fill(faulty.view(-1, *[1] * (group.ndim - 1)), 0.0)
        return TensorDict(groups, batch_size=obs.batch_size, device=obs.device)

    def close_iteration(self) -> FaultReport | None:
        """Read the counts of the iteration, and stop training when faults persist.

        Returns:
            What happened, or None when every value was finite.

        Raises:
            TrainingFaultError: If too many environments or too many iterations in a row were faulty.
        """
        counts = self._counts.tolist()
        if not any(counts):
            self._faulty_iterations = 0
            self._evidence.clear()
            return None
        report = FaultReport(
            counts=dict(zip(STAGES, counts, strict=True)),
            environments=tuple(self._seen.nonzero().flatten().tolist()),
        )
        self._faulty_iterations += 1
        share = len(report.environments) / len(self._seen)
        self._counts.zero_()
        self._seen = torch.zeros_like(self._seen)
        if share > FAULTY_SHARE_LIMIT or self._faulty_iterations >= FAULTY_ITERATIONS_IN_A_ROW:
            raise TrainingFaultError(
                f"Training stopped: {report}; {share:.0%} of all environments, {self._faulty_iterations} iteration(s) "
                f"in a row.{self._dump(report.environments)}"
            )
        return report

    def _count(self, stage: str, faulty: torch.Tensor, *values: torch.Tensor) -> None:
        """Add to the counts, and keep the faulty rows of the values as evidence."""
        if faulty.device.type == "cpu" and not faulty.any():
            return  # to look costs nothing on the host; on a GPU it would wait for the queue
        self._counts[STAGES.index(stage)] += faulty.sum()
        self._seen = self._seen | faulty
        rows = torch.cat([value.reshape(len(faulty), -1) for value in values], dim=1)  # (num_envs, columns)
        before = self._evidence.get(stage)
        self._evidence[stage] = torch.where(faulty[:, None], rows, torch.zeros_like(rows) if before is None else before)

    def _dump(self, environments: tuple[int, ...]) -> str:
        if self._dump_path is None:
            return ""
        rows = list(environments)
        evidence: dict[str, Any] = {stage: values[rows].cpu() for stage, values in self._evidence.items()}
        with atomic_write(self._dump_path) as file:
            torch.save({"environments": rows, **evidence}, file)
        return f" Their rows at each stage are in {self._dump_path} (torch.load)."
