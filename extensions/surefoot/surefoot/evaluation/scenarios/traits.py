"""What a scenario asks for, told from its fields and not from its name: scenarios of one's own are judged as well."""

from __future__ import annotations

import math

from .scenario import RobotVariation, Scenario

LIGHT_PUSH_N = 30.0
"""What a walking robot should hardly notice [N]: what training pushes it with, a fifth of a Go2's weight."""

CRAWL_SPEED = 0.35
"""Commanded speed [m/s] up to which a robot crawls."""

TURN_RATE = 0.3
"""Commanded yaw rate [rad/s] from which a robot turns."""

_UNIMPORTANT = ("joint_offset_rad", "yaw_deg", "friction")
"""Of a nominal robot: how it stands at the start, and any friction on which it need not slip."""

_FIRM_FRICTION = 0.6


def largest_speed(scenario: Scenario) -> float:
    """Return the largest commanded horizontal speed [m/s]."""
    return max((math.hypot(*command.velocity[:2]) for command in scenario.commands), default=0.0)


def largest_turn(scenario: Scenario) -> float:
    """Return the largest commanded yaw rate [rad/s]."""
    return max((abs(command.velocity[2]) for command in scenario.commands), default=0.0)


def is_plain(scenario: Scenario) -> bool:
    """Return whether nothing is in the way: flat ground that is not slippery, a nominal robot, nobody pushes."""
    robot, nominal = scenario.robot, RobotVariation()
    pushed = bool(scenario.pushes) or scenario.largest_push is not None
    varied = any(
        getattr(robot, name) != getattr(nominal, name)
        for name in RobotVariation.model_fields
        if name not in _UNIMPORTANT
    )
    return scenario.terrain.kind == "flat" and not pushed and not varied and robot.friction.low >= _FIRM_FRICTION


def stands(scenario: Scenario) -> bool:
    """Return whether the robot is only to stand, undisturbed."""
    return is_plain(scenario) and largest_speed(scenario) == 0.0 and largest_turn(scenario) == 0.0


def moves(scenario: Scenario) -> bool:
    """Return whether the robot is to walk or turn, undisturbed."""
    return is_plain(scenario) and not stands(scenario)


def crawls(scenario: Scenario) -> bool:
    """Return whether the robot is to walk slowly and straight, undisturbed."""
    return is_plain(scenario) and 0.0 < largest_speed(scenario) <= CRAWL_SPEED and _is_straight(scenario)


def moves_briskly(scenario: Scenario) -> bool:
    """Return whether the robot is to walk or turn, undisturbed, and not only to crawl."""
    return moves(scenario) and not crawls(scenario)


def strides(scenario: Scenario) -> bool:
    """Return whether the robot is to walk faster than it crawls, undisturbed."""
    return is_plain(scenario) and largest_speed(scenario) > CRAWL_SPEED


def strides_straight(scenario: Scenario) -> bool:
    """Return whether the robot is to walk straight and faster than it crawls, undisturbed."""
    return strides(scenario) and _is_straight(scenario)


def turns(scenario: Scenario) -> bool:
    """Return whether the robot is to turn, on flat ground and undisturbed; the ground may be slippery."""
    dry = scenario.model_copy(update={"robot": scenario.robot.model_copy(update={"friction": _DRY})})
    return is_plain(dry) and largest_turn(scenario) >= TURN_RATE


def is_pushed_lightly(scenario: Scenario) -> bool:
    """Return whether somebody pushes a nominal robot on flat ground, but never hard."""
    calm = scenario.model_copy(update={"pushes": ()})
    hardest = max((push.force_n.high for push in scenario.pushes), default=math.inf)
    return is_plain(calm) and hardest <= LIGHT_PUSH_N


def _is_straight(scenario: Scenario) -> bool:
    return all(command.velocity[1] == 0.0 and command.velocity[2] == 0.0 for command in scenario.commands)


_DRY = RobotVariation().friction
