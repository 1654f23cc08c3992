"""A guard against NaN and infinity while experience is collected.

Where a value stops being finite decides what is done, and the stage is named:

- **state**: the engine's root or joint state. A termination term, ``not_finite`` of our environments and
  :func:`faulty_environments` of others, ends the episode in the same step, so Isaac Lab resets the environment before
  any observation is made of it.
- **action**, **observation**, **reward**: :class:`FaultGuard` puts zeros in their place, marks the environment as done,
  and asks for its reset in the next step.

Faults in the loss and its gradient are the algorithm's (:mod:`surefoot.learning.ppo`).

The guard reads nothing back to the host while it runs: masks, counts and the rows that are faulty stay on the device
until the iteration ends, and the rows are looked at only when a count is above zero. Then one fault of one process is
enough for a message and for a file with the values. The guard always hands out new tensors, so what rsl_rl keeps a
reference to is never written again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
import warp as wp
from tensordict import TensorDict

from surefoot.envs.fused.faults import STAGES, Faults
from surefoot.files import atomic_write
from surefoot.learning import fault_kernels
from surefoot.learning.distributed import add_up, gather
from surefoot.ranks import Ranks
from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from isaaclab.envs import ManagerBasedRLEnv
    from rsl_rl.storage import RolloutStorage

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
    """Termination term: environments whose state is not finite, or that the guard wants reset, (num_envs,).

    For tasks whose environment is not ours; ours have :func:`surefoot.envs.fused.terminations.not_finite`.
    """
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

    A step of the environment takes one launch for its actions, one for rewards and ends of episodes, and two for each
    group of observations. Rows that are faulty are kept as evidence by the kernels that find them.

    Args:
        num_envs: Number of environments.
        device: Device of the environment's tensors.
        ranks: Place of this process among those of the run; None for a single one.
        faults: What the environment's own kernels note of its states; None for an environment that has no such.
    """

    def __init__(self, num_envs: int, device: str, ranks: Ranks | None = None, faults: Faults | None = None) -> None:
        self._ranks = ranks or Ranks()
        self._device = device
        self._faults = Faults(num_envs, 0, device) if faults is None else faults
        self._faults.clear()
        self._in_obs = torch.zeros(num_envs, dtype=torch.bool, device=device)
        self._evidence: dict[str, torch.Tensor] = {"reward": torch.zeros(num_envs, 1, device=device)}
        self._launches: dict[Any, wp.Launch] = {}
        self._faulty_iterations = 0

    def note_state(self, faulty: torch.Tensor, *states: torch.Tensor) -> torch.Tensor:
        """Take note of faulty states before they are reset.

        Args:
            faulty: Environments whose state is not finite, (num_envs,).
            states: Root pose and velocity, joint positions and velocities, each (num_envs, ...).

        Returns:
            Environments to reset in this step, (num_envs,).
        """
        faults = self._faults
        faults.counts[STAGES.index("state")] += faulty.sum()
        faults.seen |= faulty
        faults.in_state.copy_(faulty)
        rows = torch.cat([value.reshape(len(faulty), -1) for value in states], dim=1)  # (num_envs, columns)
        before = self._rows("state", rows.shape[1])
        torch.where(faulty[:, None], rows, before, out=before)
        to_reset = faulty | faults.wants_reset
        faults.wants_reset.zero_()
        return to_reset

    def check_actions(self, actions: torch.Tensor) -> torch.Tensor:
        """Return the actions (num_envs, num_actions), zero in the rows that are not finite; float32."""
        evidence = self._rows("action", actions.shape[1])
        clean = torch.empty_like(actions)
        self._run(
            fault_kernels.check_actions, [actions, self._faults.struct, evidence, clean], changing=(0, 3), key="action"
        )
        return clean

    def check_step(
        self, obs: TensorDict, rewards: torch.Tensor, dones: torch.Tensor
    ) -> tuple[TensorDict, torch.Tensor, torch.Tensor]:
        """Return what an environment step gave, with zeros and an ended episode where it is not finite.

        Args:
            obs: Observation groups, each (num_envs, ...); those that are not float32 are handed on as they are.
            rewards: Shape (num_envs,), float32.
            dones: Shape (num_envs,), int64.

        Returns:
            New tensors of the same shapes.
        """
        groups: dict[str, Any] = {str(name): group for name, group in obs.items()}
        flat = {name: group.reshape(len(rewards), -1) for name, group in groups.items() if group.dtype == torch.float32}
        for place, (name, group) in enumerate(flat.items()):
            self._run(fault_kernels.find_in_group, [group, place == 0, self._in_obs], changing=(0,), key=("find", name))
        clean_rewards, clean_dones = torch.empty_like(rewards), torch.empty_like(dones)
        self._run(
            fault_kernels.check_outcome,
            [rewards, dones, self._in_obs, self._faults.struct, self._evidence["reward"], clean_rewards, clean_dones],
            changing=(0, 1, 5, 6),
            key="outcome",
        )
        evidence = self._rows("observation", sum(group.shape[1] for group in flat.values()))
        first_column = 0
        for name, group in flat.items():
            clean = torch.empty_like(group)
            arguments = [group, first_column, self._in_obs, evidence, clean]
            self._run(fault_kernels.clean_group, arguments, changing=(0, 4), key=("clean", name))
            first_column += group.shape[1]
            groups[name] = clean.view(groups[name].shape)
        return TensorDict(groups, batch_size=obs.batch_size, device=obs.device), clean_rewards, clean_dones

    @staticmethod
    def clean(obs: TensorDict) -> TensorDict:
        """Return new observation tensors with zeros in the rows that are not finite; nothing is counted."""
        groups: dict[str, Any] = {str(name): group for name, group in obs.items()}
        faulty = rows_not_finite(*groups.values())
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
        counts = torch.cat([self._faults.counts.long(), self._faults.seen.sum()[None]])
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
        share = num_faulty / (len(self._in_obs) * self._ranks.world_size)
        if share > FAULTY_SHARE_LIMIT or self._faulty_iterations >= FAULTY_ITERATIONS_IN_A_ROW:
            raise TrainingFaultError(
                f"Training stopped: {report}; {share:.0%} of all environments, {self._faulty_iterations} iteration(s) "
                "in a row."
            )
        return report

    def _rows(self, stage: str, columns: int) -> torch.Tensor:
        """Return where the faulty rows of a stage are kept, (num_envs, columns)."""
        if stage not in self._evidence:
            with torch.inference_mode(mode=False):  # it is cleared outside of that of the steps
                self._evidence[stage] = torch.zeros(len(self._in_obs), columns, device=self._device)
        return self._evidence[stage]

    def _run(self, kernel: Any, arguments: list[Any], *, changing: tuple[int, ...], key: Any) -> None:
        """Launch a kernel, recorded under a key, with a thread for each environment.

        Args:
            kernel: The kernel.
            arguments: Its arguments; tensors of torch's for arrays.
            changing: Places of those that are other tensors at each launch.
            key: What the launch is found by.
        """
        launch = self._launches.get(key)
        if launch is None:
            given = [wp.from_torch(item) if isinstance(item, torch.Tensor) else item for item in arguments]
            recorded = wp.launch(kernel, dim=len(self._in_obs), inputs=given, device=self._device, record_cmd=True)
            launch = self._launches[key] = cast("wp.Launch", recorded)  # what Warp returns when it records
        for place in changing:
            launch.set_param_at_index(place, wp.from_torch(arguments[place], return_ctype=True))
        launch.launch()

    def _take_evidence(self) -> dict[str, Any]:
        """Return the faulty environments of this process and their rows by stage, and begin anew."""
        faults = self._faults
        rows = faults.seen.nonzero().flatten()
        kept = {"state": faults.state, **self._evidence}
        counts = dict(zip(STAGES, faults.counts.tolist(), strict=True))
        evidence: dict[str, Any] = {stage: kept[stage][rows].cpu() for stage, count in counts.items() if count}
        faults.clear()
        for values in self._evidence.values():
            values.zero_()
        first = self._ranks.rank * len(faults.seen)
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
