"""rsl_rl's runner with exact resume, checkpoints by the clock, orderly interruption and a guard against faults."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import torch
from rsl_rl.env import VecEnv
from rsl_rl.runners import OnPolicyRunner
from tensordict import TensorDict

from surefoot.engines import solver_overflow
from surefoot.learning.checkpoint import read_checkpoint, write_checkpoint
from surefoot.learning.distributed import add_up, agree, start_process_group
from surefoot.learning.episode_statistics import EpisodeStatistics
from surefoot.learning.fault_guard import FaultGuard, TrainingFaultError, dump_experience
from surefoot.learning.interruption import Interruption
from surefoot.learning.metrics import MetricsSink
from surefoot.learning.progress import Progress
from surefoot.learning.run_directory import RunDirectory
from surefoot.learning.run_state import capture_run, of_process, restore_run, without_simulation
from surefoot.ranks import Ranks

CHECKPOINT_INTERVAL_S = 60.0
"""Longest time between two checkpoints [s], unless a single iteration takes longer."""

VALUES_INTERVAL = 25
"""Iterations between two histograms of the randomized values."""

Ending = Literal["complete", "time", "interrupted"]
"""Why training ended: all iterations done, the time given is over, or a signal came."""


class SurefootRunner(OnPolicyRunner):
    """Collects experience and updates the policy, iteration by iteration.

    Iterations count from 1 and go on after a resume; ``completed`` is the number of them that are done. Each checkpoint
    holds the whole state, simulation included, and the run continues from exactly what the checkpoint holds.

    Args:
        env: Vector environment.
        train_cfg: rsl_rl's configuration as a dictionary.
        log_dir: Not used; the run directory says where files go.
        device: Device of the networks.
        run: Run directory; without one nothing is written.
        sinks: Where metrics go.
    """

    def __init__(
        self,
        env: VecEnv,
        train_cfg: dict[str, Any],
        log_dir: str | None = None,  # noqa: ARG002 - rsl_rl's signature
        device: str = "cpu",
        *,
        run: RunDirectory | None = None,
        sinks: Sequence[MetricsSink] = (),
    ) -> None:
        self.ranks = Ranks.from_environment()
        super().__init__(env, train_cfg, None, device)
        self.run = run if self.ranks.is_first else None
        self.sinks = tuple(sinks)
        self.episodes = EpisodeStatistics(env.num_envs, device)
        self.simulation: Any = getattr(env, "unwrapped", env)
        faults = getattr(self.simulation, "faults", None)  # those that an environment of ours shares
        self.fault_guard = FaultGuard(env.num_envs, str(env.device), self.ranks, faults)
        self.simulation.fault_guard = self.fault_guard
        self._overflow = solver_overflow.SolverOverflow(self.simulation)
        self._said_overflow: set[str] = set()
        self.completed = 0
        self.env_steps = 0
        self.elapsed_s = 0.0
        self.best_reward = -math.inf

    def learn(  # type: ignore[override] - rsl_rl's returns nothing
        self,
        num_learning_iterations: int,
        init_at_random_ep_len: bool = False,
        *,
        deadline: float | None = None,
    ) -> Ending:
        """Train until the iterations are done, the time is over, or SIGINT, SIGTERM or SIGHUP comes.

        Args:
            num_learning_iterations: Iterations to add to those completed.
            init_at_random_ep_len: Start a new run with episodes at random ages, so that they do not end together.
            deadline: Moment of ``time.monotonic`` at which to stop after the iteration under way.

        Returns:
            Why training ended. The last state is saved in each case.

        Raises:
            TrainingFaultError: If values stay non-finite; the last checkpoint is from before.
            KeyboardInterrupt: At a second signal.
            SurefootError: If a checkpoint cannot be written; earlier ones are intact.
        """
        target = self.completed + num_learning_iterations
        if init_at_random_ep_len and self.completed == 0:
            ages = torch.randint_like(self.env.episode_length_buf, high=int(self.env.max_episode_length))
            self.env.episode_length_buf = ages
        self.alg.train_mode()
        if self.is_distributed:
            self.alg.broadcast_parameters()

        obs, metrics = self._observations(), {}
        saved_at, saved_iterations = time.monotonic(), self.completed
        ending: Ending = "complete"
        quiet = not self.ranks.is_first
        with Interruption() as interruption, Progress(target, deadline=deadline, quiet=quiet) as progress:
            while self.completed < target:
                began = time.monotonic()
                obs, metrics = self._iterate(obs, progress)
                progress.show(metrics, self.completed)
                now = time.monotonic()
                if agree(bool(interruption.requested), self.ranks, self.device):
                    ending = "interrupted"
                elif agree(deadline is not None and now >= deadline, self.ranks, self.device):
                    ending = "time"
                if ending != "complete":
                    break
                if agree(self._checkpoint_is_due(now - saved_at, now - began), self.ranks, self.device):
                    obs = self._checkpoint(metrics)
                    saved_at, saved_iterations = time.monotonic(), self.completed
            if self.completed > saved_iterations:
                self._checkpoint(metrics)
        return ending

    def save(self, path: str, infos: dict | None = None) -> None:
        """Write a checkpoint with the whole state of the run."""
        write_checkpoint(Path(path), {**capture_run(self), "infos": infos})

    def load(
        self,
        path: str,
        load_cfg: dict | None = None,
        strict: bool = True,
        map_location: str | None = None,  # noqa: ARG002 - tensors go to where the networks are
    ) -> dict | None:
        """Load a checkpoint: the whole state of the run, or with ``load_cfg`` parts of the networks only.

        Args:
            path: The file.
            load_cfg: Parts to load, as in rsl_rl; None for everything, simulation included.
            strict: Whether names of network parameters must match.
            map_location: Not used.

        Returns:
            What was saved as ``infos``.

        Raises:
            SurefootError: If the file is damaged, of another version, or of another robot or task.
        """
        content = read_checkpoint(Path(path))
        if load_cfg is not None:
            self.alg.load(content, load_cfg, strict)
        else:
            self.resume(content)
        return content.get("infos")

    def resume(self, content: dict[str, Any]) -> None:
        """Continue from the content of a checkpoint.

        Raises:
            SurefootError: If it belongs to another robot, task or number of environments.
        """
        self.alg.load(content, None, strict=True)
        restore_run(self, of_process(content, self.ranks))
        self.current_learning_iteration = self.completed

    def _checkpoint_is_due(self, since_last_s: float, iteration_s: float) -> bool:
        """Tell whether another iteration would make the last checkpoint too old."""
        return since_last_s + iteration_s > CHECKPOINT_INTERVAL_S

    def _iterate(self, obs: TensorDict, progress: Progress) -> tuple[TensorDict, dict[str, float]]:
        """Collect one batch of experience and learn from it."""
        began = time.perf_counter()
        obs = self._collect(obs)
        collected = time.perf_counter()
        try:
            losses = self.alg.update()
        except TrainingFaultError as fault:
            raise TrainingFaultError(f"{fault}{self._dump_experience()}") from fault
        faults = self.fault_guard.close_iteration(self.run.fault_dump(self.completed + 1) if self.run else None)
        learnt = time.perf_counter()

        self.completed += 1
        self._say_skipped(losses, progress)
        self.current_learning_iteration = self.completed
        steps = self.cfg["num_steps_per_env"] * self.env.num_envs * self.ranks.world_size
        self.env_steps += steps
        self.elapsed_s += learnt - began
        metrics = {
            "env_steps": self.env_steps,
            "elapsed_s": self.elapsed_s,
            **self.episodes.close_iteration(),
            **{f"Loss/{name}": float(value) for name, value in losses.items()},
            "Loss/learning_rate": float(self.alg.learning_rate),
            "Policy/mean_std": self.alg.get_policy().output_std.mean().item(),
            "Perf/env_steps_per_s": steps / (learnt - began),
            "Perf/collection_time": collected - began,
            "Perf/learning_time": learnt - collected,
        }
        metrics.update(self._tracking_share(metrics))
        if faults is not None:
            progress.say(f"iteration {self.completed}: {faults}")
            metrics.update({f"Faults/{stage}": float(count) for stage, count in faults.counts.items()})
        metrics.update(self._take_overflow(progress))
        metrics.update(self._close_randomization())
        self._agree_on_commands()
        for sink in self.sinks:
            sink.write(metrics, self.completed)
        return obs, metrics

    def _say_skipped(self, losses: dict[str, float], progress: Progress) -> None:
        """Say that gradients were not finite, and save the experience when the iteration before had none of them."""
        skipped = int(losses.get("skipped_updates", 0))
        if not skipped:
            return
        planned = self.alg.num_learning_epochs * self.alg.num_mini_batches
        where = self._dump_experience() if getattr(self.alg, "faulty_updates_in_a_row", 1) == 1 else ""
        progress.say(
            f"iteration {self.completed}: the gradient was NaN or infinite in {skipped} of {planned} updates, which "
            f"were left out.{where}"
        )

    def _take_overflow(self, progress: Progress) -> dict[str, float]:
        """Count what Newton's solver had no room for; each kind is said once."""
        counts = self._overflow.take()
        for kind in counts.keys() - self._said_overflow:
            self._said_overflow.add(kind)
            sentence = solver_overflow.words(kind, counts[kind], self.env.num_envs)
            progress.say(f"iteration {self.completed}: {sentence}.")
        return {f"Physics/dropped_{kind}": float(count) for kind, count in counts.items()}

    def _dump_experience(self) -> str:
        """Save the experience of the iteration; returns where, as a sentence to append."""
        if self.run is None:
            return ""
        dump_experience(self.run.experience_dump, self.alg.storage)
        return f" The experience is in {self.run.experience_dump} (torch.load)."

    def _close_randomization(self) -> dict[str, float]:
        """Let adaptive ranges move by the episodes of all processes; returns where they are."""
        randomization = getattr(self.simulation, "randomization", None)
        if randomization is None:
            return {}
        if self.sinks and self.completed % VALUES_INTERVAL == 1:
            for sink in self.sinks:
                sink.write_values(randomization.histograms(), self.completed)
        with torch.inference_mode():
            return randomization.close_iteration(partial(add_up, ranks=self.ranks))

    def _agree_on_commands(self) -> None:
        """Let commands be drawn from the same share of their ranges in all processes: the mean of theirs."""
        manager = getattr(self.simulation, "command_manager", None)
        if manager is None or self.ranks.world_size == 1:
            return
        for term in map(manager.get_term, manager.active_terms):
            share = getattr(term, "range_share", None)
            if share is not None:
                add_up(share, self.ranks)
                share.div_(self.ranks.world_size)

    def _collect(self, obs: TensorDict) -> TensorDict:
        with torch.inference_mode():
            for _ in range(self.cfg["num_steps_per_env"]):
                actions = self.fault_guard.check_actions(self.alg.act(obs).to(self.env.device))
                obs, rewards, dones, extras = self.env.step(actions)
                obs, rewards, dones = self.fault_guard.check_step(obs, rewards, dones)
                obs, rewards, dones = obs.to(self.device), rewards.to(self.device), dones.to(self.device)
                self.alg.process_env_step(obs, rewards, dones, extras)
                self.episodes.add_step(rewards, dones, extras)
            self.alg.compute_returns(obs)
        return obs

    def _observations(self) -> TensorDict:
        with torch.inference_mode():
            return self.fault_guard.clean(self.env.get_observations()).to(self.device)

    def _checkpoint(self, metrics: dict[str, float]) -> TensorDict:
        """Save the run and continue from what was saved.

        Returns:
            Observations of the restored environment.
        """
        is_best = metrics.get("Train/mean_reward", -math.inf) > self.best_reward
        if is_best:
            self.best_reward = metrics["Train/mean_reward"]
        content = capture_run(self)
        if self.run is not None:
            path = self.run.checkpoints.save(content, self.completed)
            if is_best:
                write_checkpoint(self.run.checkpoints.best, without_simulation(content))
            for sink in self.sinks:
                sink.add_checkpoint(path, self.completed)
        restore_run(self, content)
        return self._observations()

    def _tracking_share(self, metrics: dict[str, float]) -> dict[str, float]:
        """Reward for tracking the linear velocity as a share of its maximum over a whole episode."""
        manager = getattr(self.simulation, "reward_manager", None)
        if manager is None:
            return {}
        for name in manager.active_terms:
            value = metrics.get(f"Episode_Reward/{name}")
            if name.startswith("track") and value is not None:
                return {"Train/tracking_share": value / manager.get_term_cfg(name).weight}
        return {}

    def _configure_multi_gpu(self) -> None:
        """Connect the processes of a distributed run; rsl_rl itself knows GPUs only."""
        self.gpu_world_size, self.gpu_global_rank = self.ranks.world_size, self.ranks.rank
        self.gpu_local_rank = self.ranks.local_rank
        self.is_distributed = self.ranks.world_size > 1
        self.cfg["multi_gpu"] = None
        if self.is_distributed:
            self.cfg["multi_gpu"] = {
                "global_rank": self.ranks.rank,
                "local_rank": self.ranks.local_rank,
                "world_size": self.ranks.world_size,
            }
            start_process_group(self.ranks, self.device)
