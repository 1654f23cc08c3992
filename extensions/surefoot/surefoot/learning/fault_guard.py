"""A guard against NaN and infinity while experience is collected.

Where a value stops being finite decides what is done, and the stage is named:

- **state**: the engine's root or joint state. :func:`faulty_environments`, a termination term, ends the episode in the
  same step, so Isaac Lab resets the environment before any observation is made of it.
- **action**, **observation**, **reward**: :class:`FaultGuard` puts zeros in their place, marks the environment as done,
  and asks for its reset in the next step.

Faults in the loss and its gradient are the algorithm's (:mod:`surefoot.learning.ppo`).

The guard reads nothing back to the host while it runs: masks and counts stay on the device until the iteration ends.
Then one fault of one process is enough for a message and for a file with the values. The guard always hands out new
tensors, so what rsl_rl keeps a reference to is never written again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from tensordict import TensorDict

from surefoot.files import atomic_write
from surefoot.learning.distributed import add_up, gather
from surefoot.ranks import Ranks
from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from isaaclab.envs import ManagerBasedRLEnv
    from rsl_rl.storage import RolloutStorage

STAGES = ("state", "action", "observation", "reward")

FAULTY_SHARE_LIMIT = 0.05
"""Share of environments faulty in one iteration above which training stops: one bad contact is noise, these are not."""

FAULTY_ITERATIONS_IN_A_ROW = 20
"""Iterations in a row with any fault after which training stops."""

KEPT_DUMPS = 20
"""Files of faulty values that are kept, the newest: a fault now and then must not fill the disk."""


class TrainingFaultError(SurefootError):
    """Values stopped being finite and did not recover; training cannot go on."""


@dataclass(frozen=True)
class FaultReport:
    """Faults of one iteration.

    Attributes:
        counts: Number of faulty environment steps by stage.
        environments: Indices of the environments with a fault; those of the second process follow those of the first.
        dump: File with the faulty rows by stage; None if none was written.
    """

    counts: dict[str, int]
    environments: tuple[int, ...]
    dump: Path | None = None

    def __str__(self) -> str:
        stages = ", ".join(f"{stage} {count}" for stage, count in self.counts.items() if count)
        shown = ", ".join(map(str, self.environments[:8])) + (", ..." if len(self.environments) > 8 else "")
        where = f". Their values are in {self.dump} (torch.load)" if self.dump else ""
        return (
            f"non-finite values ({stages}) in {len(self.environments)} environment(s): {shown}; they were reset{where}"
        )


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
        ranks: Place of this process among those of the run; None for a single one.
    """

    def __init__(self, num_envs: int, device: str, ranks: Ranks | None = None) -> None:
        self._ranks = ranks or Ranks()
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

    def close_iteration(self, dump: Path | None = None) -> FaultReport | None:
        """Read the counts of the iteration in all processes, save the faulty rows, and stop when faults persist.

        Every process of a run must call it; all of them stop together.

        Args:
            dump: File for the faulty rows, written by the first process; older ones beside it are pruned.

        Returns:
            What happened, in all processes to the first and in its own to another; None when every value was finite.

        Raises:
            TrainingFaultError: If too many environments or too many iterations in a row were faulty.
            SurefootError: If the file cannot be written.
        """
        counts = torch.cat([self._counts, self._seen.sum()[None]])
        add_up(counts, self._ranks)
        *by_stage, num_faulty = counts.tolist()
        if not any(by_stage):
            self._faulty_iterations = 0
            return None
        self._faulty_iterations += 1
        own = self._take_evidence()
        evidence = gather(own, self._ranks) or [own]
        environments = tuple(index for rows in evidence for index in rows["environments"])
        report = FaultReport(dict(zip(STAGES, by_stage, strict=True)), environments, dump)
        if dump is not None:
            _write_dump(dump, evidence)
        share = num_faulty / (len(self._seen) * self._ranks.world_size)
        if share > FAULTY_SHARE_LIMIT or self._faulty_iterations >= FAULTY_ITERATIONS_IN_A_ROW:
            raise TrainingFaultError(
                f"Training stopped: {report}; {share:.0%} of all environments, {self._faulty_iterations} iteration(s) "
                "in a row."
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

    def _take_evidence(self) -> dict[str, Any]:
        """Return the faulty environments of this process and their rows by stage, and begin anew."""
        rows = self._seen.nonzero().flatten()
        evidence: dict[str, Any] = {stage: values[rows].cpu() for stage, values in self._evidence.items()}
        self._counts.zero_()
        self._seen = torch.zeros_like(self._seen)
        self._evidence.clear()
        first = self._ranks.rank * len(self._seen)
        return {"environments": [first + index for index in rows.tolist()], **evidence}


def _write_dump(path: Path, evidence: list[dict[str, Any]]) -> None:
    """Save the rows of all processes, and remove the oldest files of the kind."""
    content: dict[str, Any] = {"environments": [index for rows in evidence for index in rows["environments"]]}
    for stage in STAGES:
        columns = max((rows[stage].shape[1] for rows in evidence if stage in rows), default=0)
        if columns:
            parts = [rows.get(stage, torch.zeros(len(rows["environments"]), columns)) for rows in evidence]
            content[stage] = torch.cat(parts)  # (environments, columns), zero where the fault was in another stage
    with atomic_write(path) as file:
        torch.save(content, file)
    for old in sorted(path.parent.glob("fault_[0-9]*.pt"))[:-KEPT_DUMPS]:
        old.unlink(missing_ok=True)
