"""The ground of scenarios: how far a robot can get in one, and the grids and tiles that reach as far."""

from __future__ import annotations

import math
from collections.abc import Iterable

from surefoot.terrains.ground import PLATFORM_M
from surefoot.terrains.height_grid import HeightGrid
from surefoot.terrains.isaac_ground import IsaacGround, place_tiles
from surefoot.terrains.shapes import ROOM_M, Extent, make_grid

from .scenario import Scenario

_STRAY_DEG = 30.0
"""How far a robot that is told to walk straight ahead is let stray from its heading."""


TRACKED_S = 6.0
"""A graded robot goes one way for so long at most [s], with room to spare: 5 s along an axis, 3 s along a diagonal."""


def extent_of(scenario: Scenario) -> Extent:
    """Return ground on which a robot stays that goes at 1 m/s, or as told where that is faster, all the time.

    One that has walked twice the commanded way and 10 m more is let off it: standing for minutes needs no kilometre.
    A robot that is only told to walk ahead goes where it faces at the start, or up to 30 degrees from there; one that
    is told anything else may go anywhere.
    """
    if scenario.target is not None or scenario.grading is not None:
        ahead = 0.0 if scenario.target is None else scenario.target.ahead_m
        tracked = 0.0 if scenario.grading is None else TRACKED_S * max(scenario.grading.tracking.velocity[:2])
        return Extent(*[max(ahead, tracked) + ROOM_M] * 3)
    commands = scenario.commands
    speeds = [math.hypot(*command.velocity[:2]) for command in commands]
    ends = [*(command.at_s for command in commands[1:]), scenario.length_s]
    way = sum(speed * max(end - command.at_s, 0.0) for speed, end, command in zip(speeds, ends, commands, strict=True))
    reach = min(max(1.0, *speeds) * scenario.length_s, 2.0 * way + 10.0) + ROOM_M
    yaw = scenario.robot.yaw_deg
    stray_deg = max(abs(yaw.low), abs(yaw.high)) + _STRAY_DEG
    goes_ahead = all(vx >= 0.0 and vy == 0.0 and yaw_rate == 0.0 for vx, vy, yaw_rate in (c.velocity for c in commands))
    if goes_ahead and stray_deg < 90.0:
        aside = (reach - ROOM_M) * math.sin(math.radians(stray_deg)) + ROOM_M
        return Extent(PLATFORM_M + ROOM_M, reach, aside)
    return Extent(reach, reach, reach)


def scenario_grid(scenario: Scenario) -> HeightGrid:
    """Return the ground of a scenario, large enough for it."""
    return make_grid(scenario.terrain, extent_of(scenario))


def lay_out(scenarios: Iterable[Scenario]) -> IsaacGround:
    """Give every different terrain of some scenarios a tile that is large enough for all that use it."""
    return place_tiles((one.terrain, extent_of(one)) for scenario in scenarios for one in by_level(scenario))


def by_level(scenario: Scenario) -> list[Scenario]:
    """Return a scenario on each of its levels; alone where it has none."""
    levels = scenario.levels
    if levels is None:
        return [scenario]
    return [on_level(scenario, level) for level in range(1, len(levels.sizes) + 1)]


def on_level(scenario: Scenario, level: int) -> Scenario:
    """Return a scenario on one of its levels, from 1 on; without levels, as it is."""
    levels = scenario.levels
    if levels is None:
        return scenario
    return scenario.model_copy(update={"terrain": levels.terrain_at(scenario.terrain, level)})
