"""What a scenario must not ask of any robot: what contradicts itself, and what no robot meets."""

from __future__ import annotations

import math
from collections.abc import Iterator

from surefoot.evaluation.measure_catalogue import MEASURES
from surefoot.evaluation.statistics import fewest_trials, wilson_interval
from surefoot.located_yaml import Mistake, nearest
from surefoot.terrains.kinds import KINDS

from .scenario import VARIED, Scenario, Span
from .search_rules import search_mistakes

_TRACKING = tuple(
    name for name in MEASURES if name.startswith(("rms_v", "rms_yaw", "steady_", "command_share", "turn_share"))
)

_OF_TARGETS = ("target_reached", "time_to_target_s")


def scenario_mistakes(scenario: Scenario) -> Iterator[Mistake]:
    """Yield what is wrong with a scenario that a file states, whatever the policy, each at its place in it."""
    yield from _terrain(scenario)
    yield from _timeline(scenario)
    yield from search_mistakes(scenario)
    yield from _robot(scenario)
    yield from _success(scenario)


def _terrain(scenario: Scenario) -> Iterator[Mistake]:
    terrain = scenario.terrain
    for key in sorted(terrain.model_fields_set - {"kind", *KINDS[terrain.kind].model_fields}):
        owners = [kind for kind, ground in KINDS.items() if key in ground.model_fields]
        known = " and ".join([", ".join(owners[:-1]), owners[-1]] if len(owners) > 1 else owners)
        yield Mistake(("terrain", key), f"is of {known}, but kind is {terrain.kind}; leave one out.")
    yield from (Mistake(("terrain", field), text) for field, text in terrain.impossible())
    friction, grade = scenario.robot.friction.low, terrain.grade()
    if grade is not None and not scenario.is_searched and friction <= math.tan(math.radians(grade[1])):
        field, degrees = grade
        yield Mistake(
            ("terrain", field),
            f"is {degrees:g}, on which everything slides at a friction of {friction:g}: it must be above "
            f"tan({degrees:g} deg) = {math.tan(math.radians(degrees)):.2f}.",
        )


def _timeline(scenario: Scenario) -> Iterator[Mistake]:
    length = scenario.length_s
    before = -math.inf
    for index, command in enumerate(scenario.commands):
        place = ("commands", index, "at_s")
        if index == 0 and command.at_s != 0.0:
            yield Mistake(place, f"is {command.at_s:g}; the first command is in force from 0 s on.")
        elif command.at_s <= before:
            yield Mistake(place, f"is {command.at_s:g}, not after the {before:g} s of the command before it.")
        elif command.at_s >= length:
            yield Mistake(place, f"is {command.at_s:g}, when the scenario is over: length_s is {length:g}.")
        before = command.at_s
    for index, push in enumerate(scenario.pushes):
        if push.at_s.low < 0.0 or push.at_s.high + push.duration_s > length:
            text = f"is {span_text(push.at_s)}; the push of {push.duration_s:g} s must lie within length_s, {length:g}."
            yield Mistake(("pushes", index, "at_s"), text)
        if push.force_n.low < 0.0:
            text = f"is {span_text(push.force_n)}, below 0; turn direction_deg for the other way."
            yield Mistake(("pushes", index, "force_n"), text)
    search = scenario.largest_push
    if search is not None:
        if search.at_s + search.duration_s > length:
            yield Mistake(("largest_push", "at_s"), f"is {search.at_s:g}; the push must end before {length:g} s.")
        if search.low_n >= search.high_n:
            yield Mistake(("largest_push", "low_n"), f"is {search.low_n:g}, not below high_n, {search.high_n:g}.")
        if not search.direction_deg:
            yield Mistake(("largest_push", "direction_deg"), "is empty; give at least one direction.")
        if scenario.pushes:
            yield Mistake(("pushes",), "and largest_push exclude each other: a search is for one push.")
    short = scenario.slow_engines_length_s
    if short is not None:
        last = max([0.0, *(command.at_s for command in scenario.commands), *_push_ends(scenario)])
        if not last < short <= length:
            text = f"is {short:g}; it must be after the last command and push, {last:g}, and at most {length:g}."
            yield Mistake(("slow_engines_length_s",), text)


def _robot(scenario: Scenario) -> Iterator[Mistake]:
    for name, item in VARIED.items():
        span: Span = getattr(scenario.robot, name)
        low, high = item.possible
        if not low <= span.low <= span.high <= high:
            yield Mistake(("robot", name), f"is {span_text(span)}; it must be from {low:g} to {high:g}.")


def _success(scenario: Scenario) -> Iterator[Mistake]:
    for name, bound in scenario.success.items():
        place = ("success", name)
        if name not in MEASURES:
            yield Mistake(place, f"is no measure{nearest(name, MEASURES)}; valid: {', '.join(MEASURES)}.")
        elif not bound.min <= bound.max:  # not a number, too
            yield Mistake(place, f"has min {bound.min:g} and max {bound.max:g}, which nothing meets.")
        elif not (math.isfinite(bound.min) or math.isfinite(bound.max)):
            yield Mistake(place, "has neither min nor max; give one of them.")
        elif name == "time_to_fall_s":
            yield Mistake(place, "is of trials that fell, which are no successes; leave it out.")
        elif name == "recovery_s" and not scenario.pushes:
            yield Mistake(place, "is of scenarios that push, but there are no pushes; add some or leave it out.")
        elif name == "largest_push_n" and scenario.largest_push is None:
            yield Mistake(place, "is of scenarios that search for it; add largest_push or leave it out.")
        elif name in _OF_TARGETS and scenario.target is None:
            yield Mistake(place, "is of scenarios with a target; add one or leave it out.")
        elif name in _TRACKING and scenario.target is not None:
            yield Mistake(
                place, "is of commands that stay for a while; whoever steers to a target changes them always."
            )
        elif name in _TRACKING and _judged_s(scenario) <= 0.0:
            yield Mistake(
                place,
                f"has no time to be judged in: {scenario.settle_s:g} s of settle_s follow each command and push.",
            )
    if scenario.is_searched:  # has no verdict
        return
    most = wilson_interval(scenario.trials, scenario.trials).low
    if most <= scenario.threshold:
        yield Mistake(
            ("trials",) if "trials" in scenario.model_fields_set else ("threshold",),
            f"leaves a threshold of {scenario.threshold:g} out of reach: if all {scenario.trials} trials succeed, the "
            f"lower bound is {most:.3f}. Take at least {fewest_trials(scenario.threshold)} trials.",
        )


def _push_ends(scenario: Scenario) -> Iterator[float]:
    yield from (push.at_s.high + push.duration_s for push in scenario.pushes)
    if scenario.largest_push is not None:
        yield scenario.largest_push.at_s + scenario.largest_push.duration_s


def _judged_s(scenario: Scenario) -> float:
    """Return for how long tracking is judged, with pushes at their latest [s]."""
    events = [(command.at_s, command.at_s) for command in scenario.commands]
    events += [(push.at_s.high, push.at_s.high + push.duration_s) for push in scenario.pushes]
    judged, free_from = 0.0, 0.0
    for begin, end in [*sorted(events), (scenario.length_s, scenario.length_s)]:
        judged += max(0.0, begin - free_from)
        free_from = max(free_from, end + scenario.settle_s)
    return judged


def span_text(span: Span) -> str:
    """Return a span as files have it."""
    return f"{span.low:g}" if span.low == span.high else f"[{span.low:g}, {span.high:g}]"
