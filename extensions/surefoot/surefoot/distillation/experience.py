"""One process's experience: the teacher walks many robots in an engine.

``python -m surefoot.distillation.experience FILE`` with what to do in a JSON file; ``distill`` starts it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch

from surefoot.engines import check_physics
from surefoot.files import atomic_write
from surefoot.playing.run_files import find_policy
from surefoot.playing.session import observations, open_session
from surefoot_bridge.errors import SurefootError

from .teacher import REST_POSE_SHARE, CommandCorrection, rest_share

if TYPE_CHECKING:
    from surefoot.playing.session import PlaySession

EPISODE_STEPS, COMMAND_STEPS, PUSH_STEPS = 1200, 300, 300
"""Control steps after which robots and ground are new, a robot is asked for something else, and all are pushed.
An episode is long, for at its begin the teacher has yet to find what each robot lacks."""

STANDING_SHARE, SLOW_SHARE, SINGLE_SHARE = 0.3, 0.4, 0.4
"""Shares of commands that are zero, slower than drawn, and of one component alone."""

SLOWEST_SHARE, SLOWEST = 0.25, (0.05, 0.25)
"""Share of commands whose norm is in this range [m/s, rad/s]: to a network a walk at 0.1 m/s looks almost like rest,
and it is rare among commands that are drawn from all. With few of them the pupil stands."""

PUSH_M_S = 0.5
"""Largest component of a push: a change of velocity [m/s]."""

PROGRESS_STEPS = 20
"""Control steps from one word of progress to the next, each of which waits for the device."""

ACTION_NOISE_STD = 0.1
"""Noise of the actions that robots take, so that the pupil learns to come back to the teacher's path."""


@dataclass(frozen=True)
class Lesson:
    """What one process does.

    Attributes:
        policy: Run directory or checkpoint of the policy that the teacher corrects.
        foot_patch_radius_m: Radius of PhysX's contact patches, by which feet resist turning [m].
        randomization: Preset that robots and ground are drawn from.
        rests: Whether a robot that is told to stand should rest in a pose.
        num_envs: Number of robots, N.
        steps: Control steps, S.
        seed: Seed.
        output: File for observations (M, num_observations) and actions (M, num_joints), M up to N times S.
    """

    policy: str
    foot_patch_radius_m: float
    randomization: str
    rests: bool
    num_envs: int
    steps: int
    seed: int
    output: str


def gather(lesson: Lesson, log: Path) -> None:
    """Gather one process's experience and write it.

    Args:
        lesson: What to do.
        log: File for what the engine prints.
    """
    trained = find_policy(lesson.policy)
    settings = trained.settings
    torch.manual_seed(lesson.seed)
    with open_session(
        trained,
        physics=check_physics(settings.physics, settings.device),
        device=settings.device,
        num_envs=lesson.num_envs,
        seed=lesson.seed,
        noise=True,
        randomization=lesson.randomization,
        foot_patch_radii_m=(lesson.foot_patch_radius_m,),
        log=log,
    ) as session:
        columns = _command_columns(session)
        seen, told = _gather(lesson, session, columns)
    with atomic_write(Path(lesson.output)) as file:
        torch.save({"observation": seen, "action": told, "command": (columns.start, columns.stop)}, file)


def _gather(lesson: Lesson, session: PlaySession, columns: slice) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what was seen and what the teacher did, less its noise, as 16-bit floats.

    The teacher acts, never its pupil: an integrator knows what a robot lacks only where its own corrections act.
    """
    env, n, device = session.env, lesson.num_envs, str(session.env.device)
    correction = CommandCorrection(n, device)
    command = _commands(session, n)
    phase = torch.randint(0, COMMAND_STEPS, (n,), device=device)
    fallen = torch.zeros(n, dtype=torch.bool, device=device)
    dims = observations(env)["policy"].shape[1], env.action_manager.total_action_dim
    seen, told = (torch.empty(lesson.steps, n, dim, dtype=torch.half, device=device) for dim in dims)
    up = torch.empty(lesson.steps, n, dtype=torch.bool, device=device)
    rest = _rest_action(session)
    for step in range(lesson.steps):
        if step % PROGRESS_STEPS == 0:
            print(f"{step} {float(fallen.float().mean()):.4f}", flush=True)
        if step % EPISODE_STEPS == 0:
            session.reset(command)
            correction.reset()
            fallen.zero_()
        state, view = env.locomotion, observations(env)
        shown = view.clone()
        shown["policy"][:, columns] = correction.corrected(command)
        action = session.policy(shown)
        if lesson.rests:
            action.lerp_(rest, rest_share(command, state.base_lin_vel_b, state.base_ang_vel_b))
        seen[step], told[step], up[step] = view["policy"], action, ~fallen
        new = (step + phase) % COMMAND_STEPS == 0
        velocity = torch.cat([state.base_lin_vel_b[:, :2], state.base_ang_vel_b[:, 2:3]], dim=1)
        correction.observe(command, velocity, new, env.step_dt)
        command = torch.where(new.unsqueeze(-1), _commands(session, n), command)
        session.step(command, applied=action + ACTION_NOISE_STD * torch.randn_like(action))
        if step % PUSH_STEPS == PUSH_STEPS // 2:
            session.push((2.0 * torch.rand(n, 2, device=device) - 1.0) * PUSH_M_S)
        fallen |= session.fell()
    return seen[up].cpu(), told[up].cpu()


def _command_columns(session: PlaySession) -> slice:
    """Return where the velocity command stands in what the policy sees."""
    for term in session.env.proprioception.layout.slices:
        if term.source == "command":
            return slice(term.start, term.stop)
    raise SurefootError("The policy sees no velocity command, so there is none to correct.")


def _rest_action(session: PlaySession) -> torch.Tensor:
    """Return the action of a robot at rest, (num_joints,)."""
    env = session.env
    default = torch.tensor(env.robot_spec.joint_values("default_joint_pos"), device=env.device)
    scale = torch.tensor(list(env.joint_target.cfg.scale.values()), device=env.device)
    return (REST_POSE_SHARE - 1.0) * default / scale


def _commands(session: PlaySession, num: int) -> torch.Tensor:
    """Draw commands, (num, 3)."""
    device, commands = session.env.device, cast("Any", session.env.cfg.commands)
    ranges = commands.base_velocity.ranges
    bounds = torch.tensor([ranges.lin_vel_x, ranges.lin_vel_y, ranges.ang_vel_z], device=device)  # (3, 2)

    def chance() -> torch.Tensor:
        return torch.rand(num, 1, device=device)

    command = bounds[:, 0] + (bounds[:, 1] - bounds[:, 0]) * torch.rand(num, 3, device=device)
    command = _slower_and_single(command, slow_share=SLOW_SHARE, single_share=SINGLE_SHARE)
    norm = command.norm(dim=1, keepdim=True).clamp_(min=1e-6)
    slowest = SLOWEST[0] + (SLOWEST[1] - SLOWEST[0]) * chance()
    command *= torch.where((chance() < SLOWEST_SHARE) | (norm < SLOWEST[0]), slowest / norm, 1.0)
    return command * (chance() >= STANDING_SHARE)


def _slower_and_single(command: torch.Tensor, *, slow_share: float, single_share: float) -> torch.Tensor:
    """Make some commands slower than they are, and take all components but one from some.

    Args:
        command: Velocity commands, (N, 3).
        slow_share: Share of the commands that are multiplied by a factor drawn from 0 to 1.
        single_share: Share of the commands that keep one component.

    Returns:
        Commands, (N, 3).
    """
    if slow_share > 0.0:
        draw = torch.rand_like(command[:, :1]) / slow_share  # below 1 it is the factor of a slow command
        command = command * draw.clamp_(max=1.0)
    if single_share > 0.0:
        kept = torch.rand_like(command).argmax(dim=1, keepdim=True)
        single = torch.zeros_like(command).scatter_(1, kept, 1.0)
        command = command * torch.where(torch.rand_like(command[:, :1]) < single_share, single, 1.0)
    return command


def main() -> int:
    """Do the lesson that a file tells, with the engine's output beside it."""
    path = Path(sys.argv[1])
    gather(Lesson(**json.loads(path.read_text(encoding="utf-8"))), path.with_suffix(".log"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
