"""One training run from the launch of the simulator to the last file in its run directory."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TextIO, cast

from surefoot.cli import as_called
from surefoot.engines import check_physics, launched, native_log, short_name
from surefoot.learning.distributed import share_cores
from surefoot.learning.fault_guard import TrainingFaultError, faulty_environments
from surefoot.learning.metrics import JsonLines, MetricsSink, TensorBoard
from surefoot.learning.run_directory import RunDirectory, RunSettings
from surefoot.processes import module_command
from surefoot.ranks import Ranks
from surefoot.report import provenance
from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from isaaclab_rl.rsl_rl import RslRlVecEnvWrapper

    from surefoot.learning.ppo import SurefootPPO
    from surefoot.learning.runner import Ending, SurefootRunner
    from surefoot.learning.worker_processes import WorkerProcesses

EXIT_TRAINED, EXIT_FAULT, EXIT_INTERRUPTED = 0, 1, 130

DEFAULT_EPISODES = 50
"""Episodes that a policy is judged by where nobody says how many; of a short run fewer, one an iteration."""


@dataclass(frozen=True)
class TrainingPlan:
    """What to train and how long.

    Attributes:
        settings: Settings of the run.
        env_cfg: Resolved configuration of the environment.
        agent_cfg: Resolved configuration of rsl_rl's runner.
        checkpoint: Content of the checkpoint to continue from; None for a new run.
        weights: Content of the checkpoint whose networks a new run begins with; None for random ones.
        logger: ``"tensorboard"``, ``"wandb"`` or ``"none"``.
        video: Whether to play and film the policy at the end.
        deadline: Moment of ``time.monotonic`` at which to stop; None without one.
        workers: Other processes that this one has started; None without any.
    """

    settings: RunSettings
    env_cfg: Any
    agent_cfg: Any
    checkpoint: dict[str, Any] | None
    weights: dict[str, Any] | None
    logger: str
    video: bool
    deadline: float | None
    workers: WorkerProcesses | None = None

    @property
    def completed(self) -> int:
        """Iterations that an earlier part of the run completed."""
        return 0 if self.checkpoint is None else self.checkpoint["completed_iterations"]


def train(plan: TrainingPlan, run: RunDirectory | None) -> int:
    """Train, then draw the learning curves and play the policy.

    Args:
        plan: What to train.
        run: Run directory; None in the processes of a distributed run that keep no files.

    Returns:
        Exit status: 0 trained, 1 stopped by a fault, 130 interrupted.

    Raises:
        SurefootError: If a file cannot be written; what was saved before is intact.
    """
    _apply_settings(plan)
    if run is not None:
        run.write_config(plan.env_cfg, plan.agent_cfg)
        settings = plan.settings
        shared = f", in {settings.processes} processes" if settings.processes > 1 else ""
        engine = short_name(settings.physics)
        print(f"{settings.task}: {settings.num_envs} environments in {engine} on {settings.device}{shared}")
        print(f"Run directory: {run.path}", flush=True)
    sinks = _open_sinks(plan, run) if run is not None else []
    try:
        with _quiet_engine(run) as chatter:
            ending = _train_in_simulation(plan, run, sinks, chatter)
        if plan.workers is not None:
            plan.workers.close()
        if run is not None:
            _finish(plan, run, sinks, ending)
    except TrainingFaultError as fault:
        print(f"surefoot: {fault}\n{_resume_hint(run)}", file=sys.stderr)
        return EXIT_FAULT
    except KeyboardInterrupt:
        print(f"surefoot: aborted. {_resume_hint(run)}", file=sys.stderr)
        return EXIT_INTERRUPTED
    except SurefootError as error:
        if run is None or not run.checkpoints.numbered():
            raise
        raise SurefootError(f"{error}\n{_resume_hint(run)}") from error
    finally:
        for sink in sinks:
            sink.close()
    return EXIT_INTERRUPTED if ending == "interrupted" else EXIT_TRAINED


def _apply_settings(plan: TrainingPlan) -> None:
    """Put the run's settings into Isaac Lab's configurations."""
    from isaaclab.managers import TerminationTermCfg

    from surefoot.envs.mdp.terminations import not_finite

    env_cfg, agent_cfg, settings = plan.env_cfg, plan.agent_cfg, plan.settings
    env_cfg.scene.num_envs = settings.num_envs // settings.processes
    env_cfg.sim.device = agent_cfg.device = settings.device
    agent_cfg.seed = settings.seed
    env_cfg.seed = settings.seed + Ranks.from_environment().rank
    terms = vars(env_cfg.terminations).values()
    if not any(getattr(term, "func", None) in (faulty_environments, not_finite) for term in terms):
        env_cfg.terminations.fault = TerminationTermCfg(func=faulty_environments)


@contextmanager
def _blamed_on_workers(plan: TrainingPlan) -> Iterator[None]:
    """Turn a broken connection into the error of the process that broke it."""
    try:
        yield
    except RuntimeError as error:
        failure = plan.workers.failure() if plan.workers else ""
        if not failure:
            raise
        raise SurefootError(failure) from error


@contextmanager
def _quiet_engine(run: RunDirectory | None) -> Iterator[TextIO]:
    """Send what engines print to the run's log."""
    if run is not None:
        with native_log(run.native_log) as chatter:
            yield chatter
        return
    with TemporaryDirectory() as folder, native_log(Path(folder) / "native.log") as chatter:
        yield chatter


def _open_sinks(plan: TrainingPlan, run: RunDirectory) -> list[MetricsSink]:
    sinks: list[MetricsSink] = [JsonLines(run.metrics)]
    if plan.logger == "tensorboard":
        sinks.append(TensorBoard(run.path, plan.completed))
        print(f"Curves: tensorboard --logdir {run.path}", flush=True)
    elif plan.logger == "wandb":
        from surefoot.learning.wandb_logger import WandbLogger

        configuration = {
            **dataclasses.asdict(plan.settings),
            **provenance(seed=plan.settings.seed, engine=plan.settings.physics, device=plan.settings.device),
            "env": plan.env_cfg.to_dict(),
            "agent": plan.agent_cfg.to_dict(),
        }
        wandb = WandbLogger(
            run.path,
            run_name=run.path.name,
            project="surefoot",
            configuration=configuration,
            completed=plan.completed,
        )
        print(wandb.message, flush=True)
        sinks.append(wandb)
    return sinks


def _train_in_simulation(
    plan: TrainingPlan, run: RunDirectory | None, sinks: list[MetricsSink], chatter: TextIO
) -> Ending:
    """Make the environment and the runner, train, and save."""
    import torch

    torch.set_float32_matmul_precision("high")  # TF32 on GPUs that have it
    share_cores(plan.settings.processes)
    with launched(plan.env_cfg, device=plan.settings.device), _blamed_on_workers(plan):
        with redirect_stdout(chatter), redirect_stderr(chatter):
            env = _make_env(plan)
            if plan.workers is not None:
                plan.workers.wait_until_ready()
            runner = _make_runner(plan, env, run, sinks)
        try:
            if plan.checkpoint is not None:
                runner.resume(plan.checkpoint)
            elif plan.weights is not None:
                taken = cast("SurefootPPO", runner.alg).begin_with(plan.weights)
                if "critic" not in taken:
                    print("Begins with the actor alone: the critic of that run sees other quantities.", flush=True)
            return runner.learn(
                plan.settings.iterations - runner.completed,
                init_at_random_ep_len=plan.agent_cfg.init_at_random_ep_len,
                deadline=plan.deadline,
            )
        finally:
            env.close()
            if torch.distributed.is_initialized():
                torch.distributed.destroy_process_group()


def _make_env(plan: TrainingPlan) -> RslRlVecEnvWrapper:
    import gymnasium
    from isaaclab_rl.rsl_rl import RslRlVecEnvWrapper

    env: Any = gymnasium.make(plan.settings.task, cfg=plan.env_cfg)
    return RslRlVecEnvWrapper(env, clip_actions=plan.agent_cfg.clip_actions)


def _make_runner(
    plan: TrainingPlan, env: RslRlVecEnvWrapper, run: RunDirectory | None, sinks: list[MetricsSink]
) -> SurefootRunner:
    from isaaclab_rl.rsl_rl import handle_deprecated_rsl_rl_cfg

    from surefoot.learning.runner import SurefootRunner

    agent_cfg: Any = handle_deprecated_rsl_rl_cfg(plan.agent_cfg, importlib.metadata.version("rsl-rl-lib"))
    return SurefootRunner(env, agent_cfg.to_dict(), device=plan.settings.device, run=run, sinks=sinks)


def _finish(plan: TrainingPlan, run: RunDirectory, sinks: list[MetricsSink], ending: Ending) -> None:
    """Say what was made, draw the curves, play the policy."""
    latest = run.checkpoints.numbered()[-1]
    reason = {"complete": "all iterations done", "time": "the time is over", "interrupted": "interrupted"}[ending]
    print(f"Training ended: {reason}. Latest checkpoint: {latest}")
    if ending == "interrupted":
        print(_resume_hint(run))
        return
    from surefoot.learning.curves import draw_learning_curves

    curves, step_dt = run.path / "plots" / "learning_curves.png", plan.env_cfg.sim.dt * plan.env_cfg.decimation
    print(f"Learning curves: {draw_learning_curves(run.metrics, curves, step_dt=step_dt)}")
    _draw_ranges(plan, run)
    played = play_at_end(run, latest, plan.settings.iterations) if plan.video else None
    if played is not None:
        for video in sorted((run.path / "videos").glob("*.mp4")):
            for sink in sinks:
                sink.add_video(video, int(latest.stem.removeprefix("model_")))
    if played == 1:
        more = f"surefoot train --resume {run.path} --iterations {2 * plan.settings.iterations}"
        print(as_called(f"It falls short yet. Train on: {more}"))
    print(as_called(f"Next: surefoot play {run.path} --viewer viser"))


def _draw_ranges(plan: TrainingPlan, run: RunDirectory) -> None:
    """Draw how adaptive ranges grew, where there are any."""
    from surefoot.randomization.adaptive.bounds import declared_ranges
    from surefoot.randomization.adaptive.picture import draw_range_history
    from surefoot.randomization.randomization import make_layout
    from surefoot_robots import get_robot

    randomization = getattr(plan.env_cfg, "randomization", None)
    if randomization is None or randomization.adaptive.scheme == "none":
        return
    physics = check_physics(plan.settings.physics, plan.settings.device)
    layout = make_layout(randomization, get_robot(plan.env_cfg.robot_name), physics)
    rows = [json.loads(line) for line in run.metrics.read_text(encoding="utf-8").splitlines()]
    picture = run.path / "plots" / "randomization_ranges.png"
    print(f"Ranges: {draw_range_history(rows, declared_ranges(layout), picture, title=plan.settings.task)}")


def play_at_end(run: RunDirectory, checkpoint: Path, iterations: int) -> int | None:
    """Judge and film the policy in a process of its own: an engine cannot be started twice in one.

    Args:
        run: The run.
        checkpoint: Its last checkpoint.
        iterations: Its length; a short one is judged by fewer episodes.

    Returns:
        0 if it walks, 1 if it falls short; None if it could not be played.
    """
    how = ("--episodes", str(min(DEFAULT_EPISODES, iterations)), "--json", str(run.path / "report.json"))
    status = subprocess.run(module_command("surefoot.cli", "play", str(checkpoint), *how), check=False).returncode
    return status if status in (0, 1) else None


def _resume_hint(run: RunDirectory | None) -> str:
    if run is None or not run.checkpoints.numbered():
        return "Nothing was saved yet."
    return as_called(f"Saved: {run.checkpoints.numbered()[-1]}. Continue with: surefoot train --resume {run.path}")
