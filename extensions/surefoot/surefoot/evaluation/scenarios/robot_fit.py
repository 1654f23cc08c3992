"""What a scenario must not ask of one policy and its robot: commands and ground that they were not made for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from surefoot.located_yaml import Mistake
from surefoot.terrains.ground import Walker, walker_of
from surefoot_bridge.robots.mujoco_robot import AMBIENT_C
from surefoot_bridge.safety import StageLimits
from surefoot_bridge.stages import stage_of
from surefoot_robots import get_robot, mjcf

from .grading import Levels
from .rules import span_text
from .scenario import Scenario
from .search_rules import search_mistakes

if TYPE_CHECKING:
    from surefoot_bridge.contract import Contract

STAGE = "field"
"""Stage of the bridge whose limits hold in trials: as much as the policy was trained for, and the motors' whole torque.
A stage that allows less would be what is tested, not the policy."""


def trial_limits(contract: Contract) -> StageLimits:
    """Return the safety limits of trials, those of :data:`STAGE`."""
    return stage_of(STAGE).limits(contract)


def incompatibilities(scenario: Scenario, contract: Contract) -> Iterator[Mistake]:
    """Yield what a policy or its robot was not made for, each at its place in the scenario."""
    yield from _commands_beyond(scenario, contract)
    yield from _unfit(scenario, contract)


def _commands_beyond(scenario: Scenario, contract: Contract) -> Iterator[Mistake]:
    for index, command in enumerate(scenario.commands):
        for axis, value in enumerate(command.velocity):
            trained = contract.command.trained[axis]
            if not trained.low - 1e-9 <= value <= trained.high + 1e-9:
                yield Mistake(
                    ("commands", index, "velocity", axis),
                    f"is {value:g}, beyond what the policy was trained with: {contract.command.names[axis]} from "
                    f"{trained.low:g} to {trained.high:g}. Ask for less, or train it with more.",
                )


def _unfit(scenario: Scenario, contract: Contract) -> Iterator[Mistake]:
    spec, robot = get_robot(contract.robot.name), scenario.robot
    for field, text in scenario.terrain.unfit(walker_of(spec)):
        yield Mistake(("terrain", field), text)
    if scenario.levels is not None and not any(search_mistakes(scenario)):  # which are named already
        yield from _unfit_levels(scenario, scenario.levels, walker_of(spec), contract.safety.tilt_limit_rad)
    limit = contract.safety.tilt_limit_rad
    places = {("robot", "tilt_deg"): robot.tilt_deg.high}
    grade = scenario.terrain.grade()
    if grade is not None:
        places["terrain", grade[0]] = grade[1]
    for place, degrees in places.items():
        if math.radians(degrees) >= limit:
            yield Mistake(
                place, f"is {degrees:g}; the contract takes a robot that tilts by {math.degrees(limit):.3g} for fallen."
            )
    mass = mjcf.total_mass(spec.mjcf_path)
    if robot.payload_kg.high > mass:
        text = f"is {span_text(robot.payload_kg)}; {spec.name} itself weighs {mass:.3g} kg."
        yield Mistake(("robot", "payload_kg"), text)
    yield from _too_hot(scenario, contract)
    standing = zip(contract.robot.default_joint_pos_rad, contract.safety.joint_pos_limit_rad, strict=True)
    room = [(limits.low - position, limits.high - position) for position, limits in standing]
    low, high = max(lower for lower, _ in room), min(upper for _, upper in room)
    if not low <= robot.joint_offset_rad.low <= robot.joint_offset_rad.high <= high:
        text = f"is {span_text(robot.joint_offset_rad)}; as {spec.name} stands, it has from {low:.3g} to {high:.3g}."
        yield Mistake(("robot", "joint_offset_rad"), text)
    if robot.sensor_noise.high > 0.0 and not any(term.trained_noise for term in contract.observation.terms):
        yield Mistake(("robot", "sensor_noise"), "multiplies the noise that the contract names, but it names none.")


def _unfit_levels(scenario: Scenario, levels: Levels, walker: Walker, tilt_limit_rad: float) -> Iterator[Mistake]:
    place = ("grading" if scenario.grading is not None else "half_success", "levels", "sizes")
    for index, size in enumerate(levels.sizes):
        terrain = levels.terrain_at(scenario.terrain, index + 1)
        yield from (Mistake((*place, index), text) for field, text in terrain.unfit(walker) if field == levels.field)
        grade = terrain.grade()
        if grade is not None and grade[0] == levels.field and math.radians(size) >= tilt_limit_rad:
            text = (
                f"is {size:g}; the contract takes a robot that tilts by {math.degrees(tilt_limit_rad):.3g} for fallen."
            )
            yield Mistake((*place, index), text)


def _too_hot(scenario: Scenario, contract: Contract) -> Iterator[Mistake]:
    heat, hot_c = scenario.robot.motor_heat, contract.safety.motor_temperature_limit_c
    span_c, margin_c = hot_c - AMBIENT_C, trial_limits(contract).temperature_margin_c
    if heat.high * span_c >= span_c - margin_c:
        yield Mistake(
            ("robot", "motor_heat"),
            f"is {span_text(heat)}, motors of {AMBIENT_C + heat.high * span_c:.3g} degrees Celsius; the safety layer "
            f"ends walking at {hot_c - margin_c:g}: ask for less than {1.0 - margin_c / span_c:.2g}.",
        )
