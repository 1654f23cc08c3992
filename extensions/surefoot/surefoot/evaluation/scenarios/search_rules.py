"""What a scenario must not ask of a search over levels, or of an operator who steers to a target."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from surefoot.located_yaml import Mistake, nearest
from surefoot.terrains.kinds import KINDS

from .grading import Grading, Levels
from .scenario import VARIED, Scenario


def search_mistakes(scenario: Scenario) -> Iterator[Mistake]:
    """Yield what is wrong with a scenario's target, grading or search for one half, each at its place in it."""
    grading, half, target = scenario.grading, scenario.half_success, scenario.target
    if scenario.commands and (target is not None or grading is not None):
        other = "target" if target is not None else "grading"
        yield Mistake(("commands",), f"and {other} exclude each other: one of them says where the robot goes.")
    if not scenario.commands and target is None and (grading is None or grading.levels is not None):
        yield Mistake(("commands",), "is empty; give at least one command, or a target to walk to.")
    if target is not None and (scenario.pushes or scenario.largest_push is not None):
        yield Mistake(("target",), "and pushes exclude each other: leave one of them out.")
    if grading is not None and half is not None:
        yield Mistake(("half_success",), "and grading exclude each other: a scenario has one search.")
    if grading is not None:
        yield from _grading(scenario, grading)
    if half is not None:
        if target is None:
            yield Mistake(("half_success",), "needs a target, which a trial reaches or not.")
        yield from _levels(scenario, half.levels, "half_success")


def _grading(scenario: Scenario, grading: Grading) -> Iterator[Mistake]:
    low, high = VARIED["friction"].possible
    for index, friction in enumerate(grading.frictions):
        if not low <= friction <= high:
            yield Mistake(("grading", "frictions", index), f"is {friction:g}; it must be from {low:g} to {high:g}.")
    if len(set(grading.frictions)) < len(grading.frictions):
        yield Mistake(("grading", "frictions"), "has one of them twice; leave one out.")
    if grading.passes > grading.trials:
        text = f"is {grading.passes}, more than the {grading.trials} trials on a level; valid: 1 to {grading.trials}."
        yield Mistake(("grading", "passes"), text)
    if min(grading.tracking.velocity) <= 0.0:
        yield Mistake(("grading", "tracking", "velocity"), "is full speed either way: give three numbers above 0.")
    if "friction" in scenario.robot.model_fields_set:
        yield Mistake(("robot", "friction"), "and grading exclude each other: its frictions are what it sweeps.")
    if "trials" in scenario.model_fields_set:
        yield Mistake(("trials",), "is of scenarios that pass or fail; a grading has trials of its own.")
    if grading.levels is not None:
        yield from _levels(scenario, grading.levels, "grading")


def _levels(scenario: Scenario, levels: Levels, search: str) -> Iterator[Mistake]:
    place, terrain = (search, "levels"), scenario.terrain
    sizes = {
        name: None for name, item in KINDS[terrain.kind].model_fields.items() if item.annotation is float
    }  # in order
    if levels.field not in sizes:
        known = f"valid for {terrain.kind} ground: {', '.join(sizes)}" if sizes else f"{terrain.kind} ground has none"
        yield Mistake((*place, "field"), f"is {levels.field!r}, no size{nearest(levels.field, sizes)}; {known}.")
        return
    for index, size in enumerate(levels.sizes):
        where = (*place, "sizes", index)
        if index and size <= levels.sizes[index - 1]:
            yield Mistake(
                where, f"is {size:g}, not above the {levels.sizes[index - 1]:g} before: the easiest is first."
            )
        try:
            terrain.model_validate({**terrain.model_dump(), levels.field: size})
        except ValidationError as error:
            yield Mistake(where, f"is {size:g}: {error.errors()[0]['msg'].lower()}.")
            continue
        for field, text in levels.terrain_at(terrain, index + 1).impossible():
            yield Mistake(where, f"makes {field} impossible, which {text}")
