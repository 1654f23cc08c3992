"""The engines that a policy can be verified in, by name, and how trials are dealt out in each."""

from __future__ import annotations

import importlib.util
import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from surefoot.engines.physics import SHORT_NAMES, check_physics, full_name, short_name
from surefoot_bridge.errors import SurefootError

if TYPE_CHECKING:
    from surefoot.evaluation.scenarios.scenario import RobotVariation, Scenario

MUJOCO = "mujoco"
PHYSX, NEWTON = SHORT_NAMES["physx"], SHORT_NAMES["newton"]
ENGINES = (MUJOCO, PHYSX, NEWTON)
"""Engines in the order of reports; ``physx`` and ``newton`` are taken for the latter two."""

CHUNK = 50
"""Trials that run side by side in MuJoCo; fixed, since the last digit of a policy's answer depends on it."""

SLOW_TRIALS = 50
"""Trials that run side by side in PhysX and Newton on a CPU. All must succeed for a lower bound of 0.9."""


_PROCESS_GIB = 4.0
"""Memory [GiB] for a process of PhysX and one of Newton, each of which takes up to 1.8."""


@dataclass(frozen=True)
class TrialAllocation:
    """How trials are allocated to the processes of an engine.

    Attributes:
        processes: Processes that run trials.
        chunk: Trials that run side by side in one of them.
        first_chunks: So many of a scenario run first, and the others where those leave its verdict open; None for all.
        whole_length: Whether scenarios run for their whole length, or for their ``slow_engines_length_s``.
    """

    processes: int
    chunk: int
    first_chunks: int | None
    whole_length: bool


def allocate(engine: str, device: str, *, processes: int | None) -> TrialAllocation:
    """Return how trials are allocated.

    Args:
        engine: Name of the engine.
        device: Device of PhysX and Newton.
        processes: Processes on a CPU; None for one a processor, or for as many of PhysX and Newton as find memory.
    """
    processors = os.cpu_count() or 1
    if engine == MUJOCO:
        return TrialAllocation(processes or processors, CHUNK, None, whole_length=True)
    if device != "cpu":
        return TrialAllocation(1, 1000, None, whole_length=True)
    from surefoot.report import memory_gib

    room = memory_gib() / _PROCESS_GIB
    most = processors if math.isnan(room) else min(processors, max(int(room), 1))
    return TrialAllocation(processes or most, SLOW_TRIALS, 1, whole_length=engine == PHYSX)


def leaves_traces(engine: str, scenario: Scenario) -> bool:
    """Return whether trials that come after a scenario in the same process differ from those that come first.

    PhysX rounds the frames of a base's joints whenever it gets another payload; and see :func:`needs_new_ground`.
    """
    return needs_new_ground(engine, scenario) or (engine == PHYSX and scenario.robot.payload_kg.high > 0.0)


def needs_new_ground(engine: str, scenario: Scenario) -> bool:
    """Return whether a scenario needs a process of its own.

    The ground of a search is tiles of all its levels, and a simulator cannot change its ground.
    """
    return engine != MUJOCO and scenario.is_searched


def why_not_scored(engine: str, scenario: Scenario) -> str:
    """Return why an engine cannot run a scenario as it is meant, in a sentence; empty where it can."""
    robot = scenario.robot
    if engine == PHYSX and scenario.grading is None and has_turning_friction(robot):
        return (
            "PhysX has no rolling friction, and one torsional patch for all robots: the scenario is scored in MuJoCo "
            "and Newton."
        )
    return ""


def has_turning_friction(robot: RobotVariation) -> bool:
    """Return whether feet have torsional or rolling friction."""
    return max(robot.torsional_friction_m.high, robot.rolling_friction_m.high) > 0.0


def check_engines(names: str, device: str) -> tuple[str, ...]:
    """Return the engines of a list with commas, in the order of :data:`ENGINES`.

    Raises:
        SurefootError: If one is unknown or not installed, or the device does not suit it.
    """
    asked = {full_name(name.strip(), ENGINES) for name in names.split(",") if name.strip()}
    for name in asked:
        if name == MUJOCO:
            if importlib.util.find_spec("mujoco") is None:
                raise SurefootError("Engine 'mujoco' is not installed: pip install 'mujoco>=3.12,<3.13'.")
        else:
            check_physics(name, device)
    if not asked:
        raise SurefootError(f"{names!r} names no engine; valid: {', '.join(map(short_name, ENGINES))}.")
    return tuple(name for name in ENGINES if name in asked)
