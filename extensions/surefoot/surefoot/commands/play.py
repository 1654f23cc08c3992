"""``surefoot play``: run a trained policy and say how well it walks, make a film of it, or steer it in the browser."""

from __future__ import annotations

import argparse
import math
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot_bridge.errors import SurefootError, unknown_name

if TYPE_CHECKING:
    from surefoot.engines import Physics
    from surefoot.playing.metrics import EpisodeMetrics
    from surefoot.playing.recording import EpisodeRecording
    from surefoot.playing.run_files import TrainedPolicy
    from surefoot.playing.session import PlaySession

DEFAULT_EPISODES = 50
MAX_DEFAULT_ENVS = 1024
_VIEWERS = ("viser",)


@dataclass(frozen=True)
class PlayPlan:
    """What to play and where, checked.

    Attributes:
        trained: The policy.
        physics: The engine.
        device: The device.
        command: vx, vy [m/s] and yaw rate [rad/s] that all episodes keep; None draws commands.
    """

    trained: TrainedPolicy
    physics: Physics
    device: str
    command: tuple[float, float, float] | None

    @property
    def task(self) -> str:
        """Id of the task."""
        return self.trained.settings.task

    @property
    def log(self) -> Path:
        """File for what the engine prints."""
        return self.trained.output / "logs" / "play.log"

    @property
    def video(self) -> Path:
        """Place of the film unless the command line names another."""
        return self.trained.output / "videos" / f"{self.trained.checkpoint.stem}_{self.physics}.mp4"

    def open_session(self, args: argparse.Namespace, *, num_envs: int) -> AbstractContextManager[PlaySession]:
        """Start the engine."""
        from surefoot.learning.memory import check_memory
        from surefoot.playing.session import open_session

        if self.device == "cpu":
            check_memory(num_envs)
        return open_session(
            self.trained,
            physics=self.physics,
            device=self.device,
            num_envs=num_envs,
            seed=args.seed,
            noise=args.noise,
            randomization=args.randomization,
            log=self.log,
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``surefoot play``."""
    parser.epilog = (
        "Figures: episodes of 20 s; a new command every 5 s from vx in [-1, 1], vy in [-0.5, 0.5] m/s, yaw rate in "
        "[-1, 1] rad/s; a push of 0.5 m/s in a random direction halfway between. Errors leave out the first second "
        "after each command and push. Exit status: 0 the policy walks, 1 a figure misses its bound, 2 could not run."
    )
    parser.add_argument("run", nargs="?", metavar="RUN|CHECKPOINT", help="run directory, or a checkpoint in it")
    parser.add_argument("--pretrained", metavar="TASK", help="play the policy that came with the package")
    parser.add_argument("--physics", metavar="P", help="ovphysx, newton_mjwarp or isaacsim_physx (default: as trained)")
    parser.add_argument("--device", metavar="D", help="cpu, cuda or cuda:N (default: cuda:0 where there is one)")
    parser.add_argument("--episodes", type=int, metavar="N", help=f"episodes to judge (default: {DEFAULT_EPISODES})")
    parser.add_argument("--num-envs", type=int, metavar="N", help="environments side by side (default: one an episode)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of all draws (default: 1)")
    steer = parser.add_mutually_exclusive_group()
    steer.add_argument(
        "--command",
        type=float,
        nargs=3,
        metavar=("VX", "VY", "YAW"),
        help="one command throughout, m/s and rad/s",
    )
    steer.add_argument("--preset", metavar="NAME", help="one command by name: stand, forward, turn, circle, ...")
    parser.add_argument(
        "--push", action=argparse.BooleanOptionalAction, default=True, help="push the robot (default: yes)"
    )
    parser.add_argument(
        "--noise", action=argparse.BooleanOptionalAction, default=True, help="sensor noise (default: yes)"
    )
    parser.add_argument(
        "--randomization",
        default="none",
        metavar="PRESET",
        help="draw robots and worlds from a preset, with its pushes: none (default), mild, standard, harsh",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures, one row an episode and provenance")
    film = parser.add_mutually_exclusive_group()
    film.add_argument(
        "--video", type=Path, metavar="FILE", help="film of the first episode (default: in the run directory)"
    )
    film.add_argument("--no-video", action="store_true", help="make no film and no pictures")
    parser.add_argument("--viewer", metavar="NAME", help="steer the policy live; viser: on a page in the browser")
    parser.add_argument("--port", type=int, default=8080, help="port of the live page (default: 8080)")


def run(args: argparse.Namespace) -> int:
    """Play as asked.

    Returns:
        0 if the policy holds its bounds, 1 if not.

    Raises:
        SurefootError: If an argument is wrong or a part is missing.
    """
    from surefoot.engines import check_device, check_physics, default_device
    from surefoot.randomization.presets import PRESETS as RANDOMIZATION_PRESETS

    if args.randomization not in RANDOMIZATION_PRESETS:
        raise unknown_name("randomization preset", args.randomization, RANDOMIZATION_PRESETS)
    trained = _find(args)
    device = check_device(args.device or default_device())
    plan = PlayPlan(
        trained=trained,
        physics=check_physics(args.physics or trained.settings.physics, device),
        device=device,
        command=_command(args),
    )
    _check_numbers_and_viewer(args)
    print(f"Playing {trained.checkpoint}: {trained.settings.task}, {plan.physics} on {device}, seed {args.seed}")
    return _run_judged(args, plan) if args.viewer is None else _run_live(args, plan)


def _find(args: argparse.Namespace) -> TrainedPolicy:
    from surefoot.playing.run_files import find_policy, find_pretrained

    if (args.run is None) == (args.pretrained is None):
        raise SurefootError(
            "Name what to play: either a RUN or CHECKPOINT, or --pretrained TASK. See: surefoot tasks list"
        )
    return find_policy(args.run) if args.pretrained is None else find_pretrained(args.pretrained)


def _command(args: argparse.Namespace) -> tuple[float, float, float] | None:
    from surefoot.playing.schedule import PRESETS

    if args.preset is None:
        return tuple(args.command) if args.command else None
    if args.preset not in PRESETS:
        raise unknown_name("preset", args.preset, PRESETS)
    return PRESETS[args.preset]


def _check_numbers_and_viewer(args: argparse.Namespace) -> None:
    for name, value in (("--episodes", args.episodes), ("--num-envs", args.num_envs)):
        if value is not None and value < 1:
            raise SurefootError(f"{name} is {value}; it must be at least 1.")
    if args.viewer is None:
        return
    if args.viewer not in _VIEWERS:
        raise unknown_name("viewer", args.viewer, _VIEWERS)
    for name, value in (("--json", args.json), ("--video", args.video), ("--episodes", args.episodes)):
        if value is not None:
            raise SurefootError(f"--viewer judges nothing: leave {name} out, or play without --viewer.")


def _run_live(args: argparse.Namespace, plan: PlayPlan) -> int:
    from surefoot.playing.live import run_live
    from surefoot.playing.viewer import LivePage

    with plan.open_session(args, num_envs=1) as session:
        page = LivePage(session.robot, title=plan.task, command=plan.command or (0.5, 0.0, 0.0), port=args.port)
        print(
            f"Steer the robot at http://localhost:{page.port} "
            f"(from another machine: ssh -L {page.port}:localhost:{page.port} ...)"
        )
        print("Ctrl-C ends it.", flush=True)
        try:
            run_live(session, page, seed=args.seed)
        except KeyboardInterrupt:
            print()
        finally:
            page.close()
    return 0


def _run_judged(args: argparse.Namespace, plan: PlayPlan) -> int:
    from rich.console import Console

    from surefoot.playing.acceptance import bounds_of, fell_short, figures_table
    from surefoot.playing.metrics import MOVING_SPEED
    from surefoot.report import provenance, write_report

    metrics, recording = _play(args, plan)
    figures = metrics.figures()
    bounds = bounds_of(
        must_step=plan.command is None or math.hypot(*plan.command[:2]) > MOVING_SPEED,
        randomized=args.randomization != "none",
    )
    missed = fell_short(figures, bounds)
    title = f"{plan.task}: {len(metrics.alive)} episodes in {plan.physics}"
    Console().print(figures_table(figures, bounds, title=title))
    if args.json is not None:
        source = provenance(seed=args.seed, engine=plan.physics, device=plan.device)
        write_report(args.json, ok=not missed, figures=figures, rows=metrics.rows(), provenance=source)
        print(f"Figures: {args.json}")
    if not args.no_video:
        _make_pictures(recording, args.video or plan.video)
    if missed:
        print(f"Fell short: {', '.join(missed)}")
    return 1 if missed else 0


def _play(args: argparse.Namespace, plan: PlayPlan) -> tuple[EpisodeMetrics, EpisodeRecording]:
    """Play all episodes, as many side by side as there are environments; the first one is recorded."""
    from rich.progress import Progress

    from surefoot.playing.metrics import EpisodeMetrics
    from surefoot.playing.rollout import Recorder, run_episodes
    from surefoot.playing.schedule import draw_schedule

    rollouts = -(-(args.episodes or DEFAULT_EPISODES) // (args.num_envs or MAX_DEFAULT_ENVS))
    num_envs = -(-(args.episodes or DEFAULT_EPISODES) // rollouts)
    print(f"Starting {plan.physics} with {num_envs} environments ...", flush=True)
    started = time.monotonic()
    with plan.open_session(args, num_envs=num_envs) as session:
        schedule = draw_schedule(
            rollouts * num_envs, seed=args.seed, step_dt=session.env.step_dt, command=plan.command, push=args.push
        )
        ready = time.monotonic()
        recorder, parts = Recorder(0), []
        with Progress(transient=True) as progress:
            task = progress.add_task("Playing", total=rollouts * schedule.num_steps)
            for index in range(rollouts):
                part = run_episodes(
                    session,
                    schedule.episodes(index * num_envs, (index + 1) * num_envs, plan.device),
                    recorder=recorder if index == 0 else None,
                    on_step=lambda: progress.advance(task),
                )
                parts.append(part)
        seconds = time.monotonic() - ready
        print(
            f"Played {schedule.num_episodes} episodes in {seconds:.0f} s "
            f"({schedule.num_episodes * schedule.num_steps / seconds:.0f} steps/s) "
            f"after {ready - started:.0f} s of start-up"
        )
        return (
            EpisodeMetrics.joined(parts),
            recorder.recording(robot=session.robot.name, task=plan.task, step_dt=schedule.step_dt),
        )


def _make_pictures(recording: EpisodeRecording, video: Path) -> None:
    from surefoot.playing.gait_diagram import write_gait_diagram
    from surefoot.playing.video import render_video

    gait, sheet = video.with_name(f"{video.stem}_gait.png"), video.with_name(f"{video.stem}_sheet.png")
    write_gait_diagram(recording, gait)
    print(f"Gait diagram: {gait}\nDrawing the film of the first episode ...", flush=True)
    render_video(recording, video, sheet)
    print(f"Film: {video}\nContact sheet: {sheet}")
