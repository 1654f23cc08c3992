"""``surefoot play``: run a trained policy and say how well it walks, make a film of it, or steer it in the browser."""

from __future__ import annotations

import argparse
import math
import socket
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.cli import as_called
from surefoot.engines import full_name, short_name
from surefoot.files import NEW_FILE
from surefoot.task_config import SEED, randomization_preset
from surefoot_bridge.arguments import OUTPUT_FOLDER, number, one_of, whole
from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from surefoot.engines import Physics
    from surefoot.playing.metrics import EpisodeMetrics
    from surefoot.playing.recording import EpisodeRecording
    from surefoot.playing.recovery import RecoveryMetrics
    from surefoot.playing.run_files import TrainedPolicy
    from surefoot.playing.session import PlaySession

    Metrics = EpisodeMetrics | RecoveryMetrics

DEFAULT_EPISODES = 50
MAX_DEFAULT_ENVS = 1024
_VIEWERS = ("viser",)

Command = tuple[float, float, float]
"""vx, vy [m/s] and yaw rate [rad/s]."""


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
    command: Command | None

    @property
    def task(self) -> str:
        """Id of the task."""
        return self.trained.settings.task

    @property
    def engine(self) -> str:
        """What people call the engine."""
        return short_name(self.physics)

    @property
    def log(self) -> Path:
        """File for what the engine prints."""
        return self.trained.output / "logs" / "play.log"

    @property
    def video(self) -> Path:
        """Place of the film unless the command line names another."""
        return self.trained.output / "videos" / f"{self.trained.checkpoint.stem}_{self.engine}.mp4"

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
            commanded=self.command is not None,
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``surefoot play``."""
    parser.epilog = (
        "Figures: episodes of 20 s; a new command every 5 s from vx in [-1, 1], vy in [-0.5, 0.5] m/s, yaw rate in "
        "[-1, 1] rad/s; a push of 0.5 m/s in a random direction halfway between. Errors leave out the first second "
        "after each command and push. Tasks of getting up: episodes of 20 s from fallen poses, without pushes; a robot "
        "has got up that stands from 4 s on at the latest until the end. "
        "Exit status: 0 the policy walks, 1 a figure misses its bound, 2 could not run."
    )
    parser.add_argument("run", nargs="?", metavar="RUN|CHECKPOINT", help="run directory, or a checkpoint in it")
    parser.add_argument("--pretrained", metavar="TASK", help="play the policy that came with the package")
    parser.add_argument(
        "--engine", "--physics", type=full_name, metavar="E", help="physx, newton or isaacsim (default: as trained)"
    )
    parser.add_argument("--device", metavar="D", help="cpu, cuda or cuda:N (default: cuda:0 where there is one)")
    parser.add_argument(
        "--episodes",
        type=whole("a number of episodes", 1, 100_000),
        metavar="N",
        help=f"episodes to judge (default: {DEFAULT_EPISODES})",
    )
    parser.add_argument(
        "--num-envs",
        type=whole("a number of environments", 1, 1 << 20),
        metavar="N",
        help="environments side by side (default: one an episode)",
    )
    parser.add_argument("--seed", type=SEED, default=1, metavar="S", help="seed of all draws (default: 1)")
    steer = parser.add_mutually_exclusive_group()
    steer.add_argument(
        "--command",
        type=number("a velocity in m/s or rad/s", -10.0, 10.0),
        nargs=3,
        metavar=("VX", "VY", "YAW"),
        help="one command throughout, m/s and rad/s",
    )
    steer.add_argument(
        "--preset", type=_preset, metavar="NAME", help="one command by name: stand, forward, turn, circle, ..."
    )
    parser.add_argument(
        "--push", action=argparse.BooleanOptionalAction, default=True, help="push the robot (default: yes)"
    )
    parser.add_argument(
        "--noise", action=argparse.BooleanOptionalAction, default=True, help="sensor noise (default: yes)"
    )
    parser.add_argument(
        "--randomization",
        type=randomization_preset,
        default="none",
        metavar="PRESET",
        help="draw robots and worlds from a preset, with its pushes: none (default), mild, standard, harsh",
    )
    parser.add_argument(
        "--json", type=NEW_FILE, metavar="FILE", help="write figures, one row an episode and provenance"
    )
    film = parser.add_mutually_exclusive_group()
    film.add_argument(
        "--video", type=NEW_FILE, metavar="FILE", help="film of the first episode (default: in the run directory)"
    )
    film.add_argument("--no-video", action="store_true", help="make no film and no pictures")
    parser.add_argument(
        "--viewer",
        type=one_of("viewer", _VIEWERS),
        metavar="NAME",
        help="steer the policy live; viser: on a page in the browser",
    )
    parser.add_argument(
        "--port", type=whole("a port", 1, 65535), default=8080, help="port of the live page (default: 8080)"
    )
    parser.add_argument(
        "--host",
        default="localhost",
        help="address that the live page is served on, which asks nobody for a password: localhost (default) for this "
        "machine alone, 0.0.0.0 for every one that reaches it",
    )


def run(args: argparse.Namespace) -> int:
    """Play as asked.

    Returns:
        0 if the policy holds its bounds, 1 if not.

    Raises:
        SurefootError: If an argument is wrong or a part is missing.
    """
    from surefoot.engines import check_device, check_physics, default_device
    from surefoot.learning.checkpoint import check_form

    _check_viewer(args)
    trained = _find(args)
    check_form(trained.checkpoint)
    OUTPUT_FOLDER.check("The place of the log and the film,", trained.output)
    device = check_device(args.device or default_device())
    plan = PlayPlan(
        trained=trained,
        physics=check_physics(args.engine or trained.settings.physics, device),
        device=device,
        command=args.preset or (tuple(args.command) if args.command else None),
    )
    print(f"Playing {trained.checkpoint}: {trained.settings.task}, {plan.engine} on {device}, seed {args.seed}")
    return _run_judged(args, plan) if args.viewer is None else _run_live(args, plan)


def _find(args: argparse.Namespace) -> TrainedPolicy:
    from surefoot.playing.run_files import find_policy, find_pretrained

    if (args.run is None) == (args.pretrained is None):
        raise SurefootError(
            "Name what to play: either a RUN or CHECKPOINT, or --pretrained TASK. See: surefoot tasks list"
        )
    return find_policy(args.run) if args.pretrained is None else find_pretrained(args.pretrained)


def _preset(text: str) -> tuple[float, float, float]:
    """Return the command of a name; the type of an argument."""
    from surefoot.playing.schedule import PRESETS

    return PRESETS[one_of("command", PRESETS)(text)]


def _check_viewer(args: argparse.Namespace) -> None:
    if args.viewer is None:
        return
    for name, value in (("--json", args.json), ("--video", args.video), ("--episodes", args.episodes)):
        if value is not None:
            raise SurefootError(f"--viewer judges nothing: leave {name} out, or play without --viewer.")
    try:
        if not args.host:
            raise OSError(None, "it is empty")
        family, *_, place = socket.getaddrinfo(args.host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family) as listener:
            listener.bind(place)
    except OSError as error:
        raise SurefootError(
            f"--host {args.host!r} is no address of this machine: {error.strerror}. Valid: localhost for this machine "
            "alone, 0.0.0.0 for all that reach it."
        ) from error


def _run_live(args: argparse.Namespace, plan: PlayPlan) -> int:
    from surefoot.playing.live import run_live
    from surefoot.playing.viewer import LivePage

    with plan.open_session(args, num_envs=1) as session:
        command = plan.command or (0.5, 0.0, 0.0)
        page = LivePage(session.robot, title=plan.task, command=command, host=args.host, port=args.port)
        if args.host in ("localhost", "127.0.0.1", "::1"):
            print(
                f"Steer the robot at http://localhost:{page.port} "
                f"(from another machine: ssh -L {page.port}:localhost:{page.port} ...)"
            )
        else:
            print(f"Steer the robot at http://{'localhost' if args.host == '0.0.0.0' else args.host}:{page.port}")
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
    from surefoot.playing.recovery import RecoveryMetrics
    from surefoot.report import provenance, write_report

    metrics, recording, command = _play(args, plan)
    figures = metrics.figures()
    bounds = bounds_of(
        must_step=command is None or math.hypot(*command[:2]) > MOVING_SPEED,
        randomized=args.randomization != "none",
        gets_up=isinstance(metrics, RecoveryMetrics),
    )
    missed = fell_short(figures, bounds)
    title = f"{plan.task}: {figures['episodes']:.0f} episodes in {plan.engine}"
    Console().print(figures_table(figures, bounds, title=title))
    if args.json is not None:
        source = provenance(seed=args.seed, engine=plan.physics, device=plan.device)
        write_report(args.json, ok=not missed, figures=figures, rows=metrics.rows(), provenance=source)
        print(f"Figures: {args.json}")
    if not args.no_video:
        _make_pictures(recording, args.video or plan.video)
    if missed:
        print(f"Fell short: {', '.join(missed)}")
    print(as_called(f"Next: {_next_step(args, plan, fell_short=bool(missed))}"))
    return 1 if missed else 0


def _next_step(args: argparse.Namespace, plan: PlayPlan, *, fell_short: bool) -> str:
    """Return the command that comes next; training goes on before a policy that falls short is looked at more."""
    policy = f"--pretrained {args.pretrained}" if args.pretrained else args.run
    if not fell_short:
        return f"surefoot export {policy} -o bundle"
    if args.pretrained:
        return f"surefoot train --task {plan.task} --weights {plan.trained.checkpoint}"
    return f"surefoot train --resume {plan.trained.output} --iterations {2 * plan.trained.settings.iterations}"


def _play(args: argparse.Namespace, plan: PlayPlan) -> tuple[Metrics, EpisodeRecording, Command | None]:
    """Play all episodes, as many side by side as there are environments; the first one is recorded.

    Returns:
        The metrics, the recording, and the command of all episodes; None if they were drawn.
    """
    from rich.progress import Progress

    from surefoot.playing.rollout import Recorder, run_episodes
    from surefoot.playing.schedule import draw_schedule

    rollouts = -(-(args.episodes or DEFAULT_EPISODES) // (args.num_envs or MAX_DEFAULT_ENVS))
    num_envs = -(-(args.episodes or DEFAULT_EPISODES) // rollouts)
    print(f"Starting {plan.engine} with {num_envs} environments ...", flush=True)
    started = time.monotonic()
    with plan.open_session(args, num_envs=num_envs) as session:
        command = plan.command if session.is_commanded else (0.0, 0.0, 0.0)
        push = args.push and not session.begins_fallen
        schedule = draw_schedule(
            rollouts * num_envs, seed=args.seed, step_dt=session.env.step_dt, command=command, push=push
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
            type(parts[0]).joined(parts),
            recorder.recording(robot=session.robot.name, task=plan.task, step_dt=schedule.step_dt),
            command,
        )


def _make_pictures(recording: EpisodeRecording, video: Path) -> None:
    from surefoot.playing.gait_diagram import write_gait_diagram
    from surefoot.playing.video import render_video

    gait, sheet = video.with_name(f"{video.stem}_gait.png"), video.with_name(f"{video.stem}_sheet.png")
    write_gait_diagram(recording, gait)
    print(f"Gait diagram: {gait}\nDrawing the film of the first episode ...", flush=True)
    render_video(recording, video, sheet)
    print(f"Film: {video}\nContact sheet: {sheet}")
