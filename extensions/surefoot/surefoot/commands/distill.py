"""``surefoot distill``: teach a policy that walks to rest when told to stand, and to do what it is asked wherever."""

from __future__ import annotations

import argparse
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack, redirect_stdout
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from surefoot.cli import as_called
from surefoot.processes import module_command
from surefoot.task_config import SEED, randomization_preset
from surefoot_bridge.arguments import FILE_OR_FOLDER, OUTPUT_FOLDER, number, whole
from surefoot_bridge.containers import warn_if_lost
from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from surefoot.distillation.student import Experience
    from surefoot.learning.run_directory import RunDirectory
    from surefoot.playing.run_files import TrainedPolicy

FOOT_PATCH_RADII_M = (0.0, 0.025)
"""Feet that turn freely, and feet that grip: 0.025 m is a torsional friction of 0.02 m at a friction of 0.8."""

PROGRESS_S = 10.0

_count = whole("a whole number", 1, 10**7)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``surefoot distill``."""
    parser.epilog = (
        "The teacher is the policy itself, told by the true velocity how to correct its command, and put into the "
        "default pose where it is told to stand and has stopped. The same network is fitted to what that teacher does, "
        "from what the robot's own sensors show. Exit status: 0 done, 2 could not run, 130 interrupted."
    )
    parser.add_argument("policy", type=FILE_OR_FOLDER, metavar="RUN", help="run directory, or one of its checkpoints")
    parser.add_argument("--steps", type=_count, default=1200, metavar="S", help="control steps (default: 1200)")
    parser.add_argument(
        "--num-envs",
        type=whole("a number of environments", 1, 1 << 20),
        default=1024,
        metavar="N",
        help="environments of each radius (default: 1024)",
    )
    parser.add_argument(
        "--foot-patch-radius",
        type=number("a radius in metres", 0.0, 0.5),
        action="append",
        metavar="M",
        help="radius of the feet's contact patches in PhysX [m], one process each; repeatable (default: 0 and 0.025)",
    )
    parser.add_argument(
        "--randomization",
        type=randomization_preset,
        default="standard",
        metavar="PRESET",
        help="preset (default: standard)",
    )
    parser.add_argument("--epochs", type=_count, default=20, metavar="E", help="passes of the fit (default: 20)")
    parser.add_argument("--seed", type=SEED, default=1, metavar="S", help="seed (default: 1)")
    parser.add_argument("--run-name", default="distilled", metavar="NAME", help="added to the run directory's name")
    parser.add_argument(
        "--output", type=OUTPUT_FOLDER, default=Path("runs"), metavar="DIR", help="folder of all runs (default: runs)"
    )


def run(args: argparse.Namespace) -> int:
    """Distil as asked.

    Raises:
        SurefootError: If an argument is wrong, the policy cannot be read, or a process fails.
    """
    radii = tuple(args.foot_patch_radius or FOOT_PATCH_RADII_M)
    from surefoot.learning.checkpoint import check_form
    from surefoot.learning.run_directory import RunDirectory, run_name
    from surefoot.playing.run_files import find_policy

    run_name(args.run_name)
    OUTPUT_FOLDER.check("--output", args.output)
    source = find_policy(args.policy)
    check_form(source.checkpoint)
    warn_if_lost(args.output)
    # What the record says was random is what is random here, not what was when the teacher learnt.
    overrides = [text for text in source.settings.overrides if not text.startswith("env.randomization.")]
    overrides += [
        f"env.randomization.preset={args.randomization}",
        f"env.randomization.foot_patch_radii_m=[{','.join(map(str, radii))}]",
    ]
    settings = replace(
        source.settings,
        seed=args.seed,
        num_envs=args.num_envs * len(radii),
        processes=len(radii),
        overrides=tuple(overrides),
    )
    target = RunDirectory.create(args.output, settings, args.run_name)
    _say_where_from(target, source)
    print(
        f"{settings.task}: {args.num_envs} environments for each of {len(radii)} foot patch radii; "
        f"the teacher corrects {source.checkpoint}"
    )
    print(f"Run directory: {target.path}", flush=True)
    _distill(args, radii, source, target)
    print(as_called(f"Next: surefoot export {target.path} -o bundle"))
    return 0


def _say_where_from(target: RunDirectory, source: TrainedPolicy) -> None:
    """Record what the policy came from beside what made it."""
    from surefoot.files import write_json
    from surefoot.learning.run_directory import RunDirectory

    run, checkpoint = RunDirectory.open(source.checkpoint).path.resolve(), source.checkpoint
    origin = {"checkpoint": f"{run.name}/{checkpoint.name}", "sha256": sha256(checkpoint.read_bytes()).hexdigest()}
    write_json(target.record, {**target.read_record(), "distilled_from": origin})


def _distill(args: argparse.Namespace, radii: Sequence[float], source: TrainedPolicy, target: RunDirectory) -> None:
    """Gather the teacher's experience, fit the network, and save it."""
    from surefoot.distillation.student import read_experience
    from surefoot.learning.checkpoint import NETWORKS, read_checkpoint
    from surefoot.learning.metrics import JsonLines

    content = read_checkpoint(source.checkpoint)
    content = {name: content[name] for name in NETWORKS}
    with TemporaryDirectory(dir=target.path, prefix="experience_") as folder:
        experience = read_experience(_gather(args, radii, source, Path(folder)))
    print(f"{len(experience.seen):,} samples", flush=True)
    content["actor_state_dict"], error = _fit(args, source, experience)
    content["completed_iterations"] += 1
    JsonLines(target.metrics).write(
        {"samples": float(len(experience.seen)), "Loss/distillation": error}, content["completed_iterations"]
    )
    saved = target.checkpoints.save(content, content["completed_iterations"])
    print(f"Off by {error:.3f} of the teacher's actions (root mean square). Saved {saved}")


def _gather(args: argparse.Namespace, radii: Sequence[float], source: TrainedPolicy, folder: Path) -> list[Path]:
    """Let one process for each radius gather experience; returns its files."""
    from surefoot.distillation.experience import Lesson
    from surefoot.files import write_json
    from surefoot_robots import get_robot

    robot = source.settings.robot
    rests = robot is not None and get_robot(robot).handling.rests_without_gantry
    outputs = []
    with ExitStack() as stack:
        processes = []
        for index, radius in enumerate(radii):
            output = folder / f"{index}.pt"
            lesson = Lesson(
                policy=str(source.checkpoint),
                foot_patch_radius_m=radius,
                randomization=args.randomization,
                rests=rests,
                num_envs=args.num_envs,
                steps=args.steps,
                seed=args.seed + index,
                output=str(output),
            )
            order = output.with_suffix(".json")
            write_json(order, asdict(lesson))
            process = subprocess.Popen(
                module_command("surefoot.distillation.experience", str(order)),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            stack.callback(_end, process)
            processes.append(process)
            outputs.append(output)
        for process, output in zip(processes, outputs, strict=True):
            _follow(process, output, args.steps, shown=process is processes[0])
    return outputs


def _follow(process: subprocess.Popen[str], output: Path, steps: int, *, shown: bool) -> None:
    """Wait for a process and show how far it is.

    Raises:
        SurefootError: If it fails, with its last words.
    """
    from surefoot.live_line import LiveLine

    began, words = float("nan"), ""
    assert process.stdout is not None
    with LiveLine(interval_s=PROGRESS_S, quiet=not shown) as line:
        for text in process.stdout:
            done, _, fallen = text.partition(" ")
            if not done.isdigit():
                words = text.strip() or words
                continue
            now = time.monotonic()
            if done == "0":
                began = now  # the engine's start tells nothing of the rest
                continue
            left_s = (now - began) / int(done) * (steps - int(done))
            line.update(f"step {done}/{steps}  {left_s / 60.0:.1f} min left  fallen {float(fallen):.1%}", now_s=now)
    if process.wait() != 0 or not output.is_file():
        raise SurefootError(f"A process that gathers experience ended with {process.returncode}: {words}")


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
        process.wait()


def _fit(args: argparse.Namespace, source: TrainedPolicy, experience: Experience) -> tuple[dict[str, Any], float]:
    """Fit the policy's network; returns its weights and its error."""
    import torch
    from tensordict import TensorDict

    from surefoot.distillation.student import add_rest_unit, fit
    from surefoot.engines import check_physics, install_shims, native_log
    from surefoot.live_line import LiveLine
    from surefoot.playing.actor import load_actor
    from surefoot.playing.session import resolve

    with TemporaryDirectory() as folder, native_log(Path(folder) / "log") as chatter, redirect_stdout(chatter):
        install_shims()
        agent_cfg = resolve(source, check_physics(source.settings.physics, source.settings.device))[1]
        agent_cfg["obs_groups"] = {"actor": agent_cfg["obs_groups"]["actor"]}  # the critic's is not at hand
        seen, told, command = experience
        view = TensorDict({"policy": torch.zeros(1, seen.shape[1])}, batch_size=[1])
        actor = load_actor(source.checkpoint, agent_cfg, view, told.shape[1], source.settings.device)
    add_rest_unit(actor, seen[:: max(len(seen) // 10_000, 1)], command)
    with LiveLine(interval_s=PROGRESS_S) as line:
        error = fit(
            actor,
            seen,
            told,
            epochs=args.epochs,
            seed=args.seed,
            progress=lambda epoch, off: line.update(
                f"fit: pass {epoch}/{args.epochs}, off by {off:.3f}", now_s=time.monotonic()
            ),
        )
    return {name: tensor.cpu() for name, tensor in actor.state_dict().items()}, error
