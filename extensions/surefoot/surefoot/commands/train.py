"""``surefoot train``: train a policy for a task, or continue a run."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import time
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from surefoot.engines import full_name
from surefoot.processes import most_processes
from surefoot.task_config import SEED, adaptive_scheme, check_overrides, randomization_preset
from surefoot_bridge.arguments import FILE, FILE_OR_FOLDER, OUTPUT_FOLDER, number, one_of, whole
from surefoot_bridge.containers import warn_if_lost
from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from surefoot.learning.run_directory import RunDirectory, RunSettings
    from surefoot.learning.worker_processes import WorkerProcesses
    from surefoot.ranks import Ranks

_WORKER = "surefoot.commands.train_worker"
LOGGERS = ("tensorboard", "wandb", "none")
MOST_ENVIRONMENTS = 1 << 20

WORTH_A_FILM = 50
"""Fewest iterations of a run whose policy is played and filmed unasked: before, no robot of ours stands."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``surefoot train``."""
    parser.epilog = (
        "Ctrl-C or SIGTERM ends the run after the present iteration and saves it. Exit status: 0 trained, 1 values "
        "stopped being finite, 2 could not run, 130 interrupted."
    )
    parser.add_argument("--task", metavar="ID", help="task to train, see: surefoot tasks list")
    parser.add_argument(
        "--engine",
        "--physics",
        type=full_name,
        metavar="E",
        help="physx (default on a CPU), newton (on CUDA) or isaacsim",
    )
    parser.add_argument("--device", metavar="D", help="cpu, cuda or cuda:N (default: cuda:0 where there is one)")
    parser.add_argument(
        "--num-envs",
        type=whole("a number of environments", 1, MOST_ENVIRONMENTS),
        metavar="N",
        help="environments (default: 1024 on a CPU, 4096 on CUDA)",
    )
    parser.add_argument(
        "--processes",
        type=whole("a number of processes", 1, most_processes()),
        metavar="P",
        help="processes that share the environments (default: one a CPU core)",
    )
    parser.add_argument(
        "--iterations",
        type=whole("a number of iterations", 1, 10**7),
        metavar="N",
        help="iterations in all (default: the task's)",
    )
    parser.add_argument(
        "--max-minutes",
        type=number("a time in minutes", 0.01, 1e6),
        metavar="M",
        help="stop after this wall time, start-up included",
    )
    parser.add_argument("--seed", type=SEED, metavar="S", help="seed (default: 1)")
    parser.add_argument(
        "--randomization",
        type=randomization_preset,
        metavar="PRESET",
        help="none, mild, standard or harsh (default: the task's)",
    )
    parser.add_argument(
        "--adaptive",
        type=adaptive_scheme,
        metavar="SCHEME",
        help="let ranges grow with success: bounds (each end by itself), all (all alike) or none (default: the task's)",
    )
    parser.add_argument(
        "--logger",
        type=one_of("logger", LOGGERS),
        default="tensorboard",
        metavar="L",
        help="tensorboard (default), wandb or none",
    )
    parser.add_argument("--run-name", default="", metavar="NAME", help="added to the run directory's name")
    parser.add_argument("--output", type=OUTPUT_FOLDER, metavar="DIR", help="folder of all runs (default: runs)")
    parser.add_argument(
        "--resume", type=FILE_OR_FOLDER, metavar="RUN", help="continue the run in this directory, or from a checkpoint"
    )
    parser.add_argument("--weights", type=FILE, metavar="FILE", help="begin a new run with a checkpoint's networks")
    parser.add_argument(
        "--video",
        action=argparse.BooleanOptionalAction,
        help=f"play and film the policy at the end (default: a run of {WORTH_A_FILM} iterations and more)",
    )
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="env.PATH=VALUE or agent.PATH=VALUE")


def run(args: argparse.Namespace) -> int:
    """Train as asked.

    Returns:
        0 when done, 1 when values stopped being finite, 130 when interrupted.

    Raises:
        SurefootError: If an argument is wrong, a part is missing, or a file cannot be written.
    """
    began = time.monotonic()
    _check_arguments(args)
    from surefoot.learning.worker_processes import WorkerProcesses
    from surefoot.ranks import Ranks
    from surefoot.task_registry import check_task

    ranks = Ranks.from_environment()
    earlier_run, settings = _open(args, ranks) if args.resume else (None, _settings(args, ranks))
    _check_machine(settings, args.logger, ranks)
    check_task(settings.task)
    if ranks.is_first:
        warn_if_lost(earlier_run.path if earlier_run else args.output)
    if settings.processes == 1 or ranks.world_size > 1:
        return _train(args, began, settings, earlier_run, None)
    if not earlier_run:
        args.processes = settings.processes
    with WorkerProcesses(settings.processes, _WORKER, vars(args)) as workers:
        return _train(args, began, settings, earlier_run, workers)


def _train(
    args: argparse.Namespace,
    began: float,
    settings: RunSettings,
    earlier_run: RunDirectory | None,
    workers: WorkerProcesses | None,
) -> int:
    """Resolve the configuration and train with it."""
    from surefoot.learning.checkpoint import read_checkpoint
    from surefoot.learning.run_directory import RunDirectory
    from surefoot.learning.training import TrainingPlan, train
    from surefoot.ranks import Ranks

    env_cfg, agent_cfg = _resolve_quietly(settings)
    settings = dataclasses.replace(
        settings, robot=env_cfg.robot_name, iterations=settings.iterations or agent_cfg.max_iterations
    )
    plan = TrainingPlan(
        settings=settings,
        env_cfg=env_cfg,
        agent_cfg=agent_cfg,
        weights=read_checkpoint(args.weights) if args.weights else None,
        checkpoint=_read_checkpoint(args.resume, earlier_run, settings) if earlier_run else None,
        logger=args.logger,
        video=args.video if args.video is not None else settings.iterations >= WORTH_A_FILM,
        deadline=began + 60.0 * args.max_minutes if args.max_minutes else None,
        workers=workers,
    )
    if not Ranks.from_environment().is_first:
        return train(plan, None)
    run_directory = earlier_run or RunDirectory.create(args.output, settings, args.run_name)
    if earlier_run:
        run_directory.write_record(settings)
        run_directory.rewind(plan.completed)
    return train(plan, run_directory)


def _check_arguments(args: argparse.Namespace) -> None:
    """Refuse what is wrong whatever the machine, before anything heavy is imported."""
    from surefoot.learning.checkpoint import check_form
    from surefoot.learning.run_directory import run_name

    if args.resume is None and args.task is None:
        raise SurefootError("Name a task with --task ID (see: surefoot tasks list), or a run with --resume RUN.")
    if args.resume is not None:
        given = [f"--{name.replace('_', '-')}" for name in _FIXED_BY_RUN if getattr(args, name)]
        given += args.overrides
        if given:
            raise SurefootError(
                f"A resumed run keeps its settings, so leave out {', '.join(given)}; "
                "--iterations, --max-minutes, --logger and --video may be given."
            )
        return
    run_name(args.run_name)
    check_overrides([*_randomization(args), *args.overrides])
    args.output = args.output or Path("runs")
    OUTPUT_FOLDER.check("--output", args.output)
    if args.weights is not None:
        check_form(args.weights)


_FIXED_BY_RUN = (
    "task",
    "engine",
    "device",
    "num_envs",
    "processes",
    "seed",
    "randomization",
    "adaptive",
    "run_name",
    "weights",
    "output",
)


def _settings(args: argparse.Namespace, ranks: Ranks) -> RunSettings:
    """Fill in what the command line leaves open."""
    from surefoot.engines import check_device, check_physics, default_device, default_physics
    from surefoot.learning.run_directory import RunSettings
    from surefoot.learning.worker_processes import default_num_envs

    device = check_device(args.device or default_device())
    if ranks.world_size > 1 and device.startswith("cuda"):
        device = check_device(f"cuda:{ranks.local_rank}")
    num_envs = args.num_envs or default_num_envs(device)
    processes = _processes(args.processes, device, num_envs, ranks)
    physics = check_physics(args.engine or default_physics(device), device)
    return RunSettings(
        task=args.task,
        robot=None,
        physics=physics,
        device=device,
        num_envs=num_envs,
        seed=1 if args.seed is None else args.seed,
        iterations=args.iterations or 0,
        overrides=(*_randomization(args), *args.overrides),
        processes=processes,
    )


def _randomization(args: argparse.Namespace) -> list[str]:
    """Return the overrides that the options of randomization stand for."""
    # Where nothing is random nothing can adapt, whatever the task has.
    scheme = "none" if args.randomization == "none" and args.adaptive is None else args.adaptive
    given = {"env.randomization.preset": args.randomization, "env.randomization.adaptive.scheme": scheme}
    # Quoted, for a bare none is no name to Isaac Lab but nothing.
    return [f"{path}={value!r}" for path, value in given.items() if value is not None]


def _processes(asked: int | None, device: str, num_envs: int, ranks: Ranks) -> int:
    """Number of processes that share the environments."""
    from surefoot.learning.worker_processes import default_processes
    from surefoot.ranks import is_worker

    if ranks.world_size > 1 and not is_worker():
        if asked not in (None, 1):
            raise SurefootError(f"--processes {asked} under torchrun: it starts the processes, so leave it out.")
        return 1
    if asked is None:
        return default_processes(device, num_envs)
    if asked > 1 and device != "cpu":
        raise SurefootError(
            f"--processes {asked} shares the cores of a CPU, but the device is {device!r}. "
            "For several GPUs start surefoot train with torchrun."
        )
    if num_envs % asked:
        fitting = [count for count in range(1, asked) if num_envs % count == 0]
        raise SurefootError(
            f"--processes {asked} cannot share {num_envs} environments evenly; for example {fitting[-1]} can."
        )
    return asked


def _open(args: argparse.Namespace, ranks: Ranks) -> tuple[RunDirectory, RunSettings]:
    """Read the settings of the run to continue."""
    from surefoot.engines import check_physics, short_name
    from surefoot.learning.run_directory import RunDirectory
    from surefoot.report import commit
    from surefoot.task_registry import check_task

    run_directory = RunDirectory.open(args.resume)
    settings = run_directory.read_settings()
    check_task(settings.task)
    OUTPUT_FOLDER.check("--resume", run_directory.path)
    try:
        check_physics(settings.physics, settings.device)
    except SurefootError as error:
        latest = [args.resume] if args.resume.is_file() else run_directory.checkpoints.numbered()[-1:]
        remedy = (
            f", or begin a new run here: surefoot train --task {settings.task} --weights {latest[0]}" if latest else ""
        )
        raise SurefootError(
            f"{args.resume} was trained in {short_name(settings.physics)} on {settings.device}, which this machine "
            f"cannot do, and a resumed run keeps its settings. Resume it where it was{remedy}"
        ) from error
    saved_commit = run_directory.read_record().get("commit")
    if ranks.is_first and saved_commit != commit():
        print(f"Note: the run was last trained at commit {saved_commit}, this is {commit()}; its results may differ.")
    return run_directory, dataclasses.replace(settings, iterations=args.iterations or settings.iterations)


def _check_machine(settings: RunSettings, logger: str, ranks: Ranks) -> None:
    """Refuse what this machine cannot do before the simulator starts."""
    from surefoot.engines import check_physics
    from surefoot.learning.memory import check_memory
    from surefoot.ranks import is_worker

    check_physics(settings.physics, settings.device)
    if settings.device == "cpu" and not is_worker():
        check_memory(settings.num_envs, processes=max(settings.processes, ranks.world_size), copies=ranks.world_size)
    if logger == "wandb" and importlib.util.find_spec("wandb") is None:
        raise SurefootError("--logger wandb needs the package wandb: pip install 'surefoot[wandb]'.")


def _resolve_quietly(settings: RunSettings) -> tuple[Any, Any]:
    """Resolve the task's configuration without what Isaac Lab and Warp print when they load."""
    from surefoot.engines import install_shims, native_log
    from surefoot.task_config import resolve_task

    with TemporaryDirectory() as folder, native_log(Path(folder) / "native.log") as chatter, redirect_stdout(chatter):
        install_shims()
        return resolve_task(settings.task, settings.physics, settings.overrides)


def _read_checkpoint(resume: Path, run_directory: RunDirectory, settings: RunSettings) -> dict[str, Any]:
    """Read the checkpoint named on the command line, or the run's latest."""
    from surefoot.learning.checkpoint import read_checkpoint

    path, content = (resume, read_checkpoint(resume)) if resume.is_file() else run_directory.checkpoints.load_latest()
    if "simulation" not in content:
        raise SurefootError(
            f"{path} holds networks alone, and no run can go on from it: begin a new one with --weights {path}."
        )
    completed = content["completed_iterations"]
    if completed >= settings.iterations:
        raise SurefootError(
            f"The run has all its {settings.iterations} iterations already. "
            f"Ask for more with --iterations, for example {completed + settings.iterations}."
        )
    return content
