"""What a scenario is: terrain, surface, commands, pushes, what the robot differs in, and what counts as success."""

from __future__ import annotations

import math
from typing import Annotated, Literal, NamedTuple

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_serializer,
    model_validator,
)

from surefoot.strict_model import StrictModel
from surefoot.terrains.terrain import Terrain

from .grading import Grading, HalfSuccess, Levels, Target, UniformNoise

MOST_TRIALS = 100_000


class Span(StrictModel):
    """Numbers between two ends, uniformly; in files a number or ``[low, high]``."""

    low: float
    high: float

    @model_validator(mode="after")
    def _ordered(self) -> Span:
        if self.low > self.high:
            raise ValueError(f"[{self.low:g}, {self.high:g}] is empty: give the lower end first.")
        return self


def _as_span(value: object) -> object:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return {"low": value, "high": value}
    if isinstance(value, (list, tuple)) and len(value) == 2:
        return {"low": value[0], "high": value[1]}
    return value


_DRAWN_SCHEMA = {
    "anyOf": [
        {"type": "number"},
        {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
        {
            "type": "object",
            "properties": {"low": {"type": "number"}, "high": {"type": "number"}},
            "required": ["low", "high"],
            "additionalProperties": False,
        },
    ],
}
"""What :func:`_as_span` takes, for the published schema."""

Drawn = Annotated[Span, BeforeValidator(_as_span), WithJsonSchema(_DRAWN_SCHEMA)]
"""A number that is drawn for each trial."""


class CommandAt(StrictModel):
    """A velocity command from a time on."""

    at_s: float = Field(ge=0.0)
    velocity: tuple[float, float, float]
    """Forward and sideways velocity [m/s], yaw rate [rad/s], in the base's frame."""


class Push(StrictModel):
    """A force on the base at its centre of mass for a while, as by a hand."""

    at_s: Drawn
    duration_s: float = Field(default=0.2, gt=0.0, le=10.0)
    force_n: Drawn
    direction_deg: Drawn | Literal["any"] = Span(low=90.0, high=90.0)
    """From the robot's heading, counterclockwise seen from above: 90 pushes it to its left, -90 to its right."""


class LargestPush(StrictModel):
    """A search for the largest push survived: each trial halves its own interval, round after round."""

    at_s: float = Field(gt=0.0)
    duration_s: float = Field(default=0.2, gt=0.0, le=10.0)
    low_n: float = Field(default=0.0, ge=0.0)
    high_n: float = Field(default=400.0, gt=0.0)
    tolerance_n: float = Field(default=5.0, gt=0.0)
    direction_deg: tuple[float, ...] = (0.0, 45.0, 90.0, 135.0, 180.0, -135.0, -90.0, -45.0)
    """Directions that trials take in turn."""


class Varied(NamedTuple):
    """What is to be known of a variation besides its name, its meaning and the span that is nominal.

    Attributes:
        label: What a report calls it.
        unit: Its unit there.
        possible: Ends of what robots and surfaces can differ in; beyond them a number has a wrong unit, or no robot
            meets it.
        sets: Randomized parameters that take its value, in every engine that knows them: in Isaac Lab those of the
            table, in MuJoCo those of the actuators' equations. What acts otherwise is read where it acts.
        factor: Whether it multiplies their nominal values instead.
        each: What has a number of its own: each ``trial``, each ``joint``, or each joint the trial's (``alike``).
    """

    label: str
    unit: str
    possible: tuple[float, float]
    sets: tuple[str, ...] = ()
    factor: bool = False
    each: Literal["trial", "joint", "alike"] = "trial"


class RobotVariation(StrictModel):
    """What robot and surface differ in from the nominal ones; each number is drawn for each trial."""

    friction: Annotated[Drawn, Varied("friction", "", (0.01, 3.0), sets=("foot_friction",))] = Span(low=0.8, high=0.8)
    """Between feet and ground."""
    torsional_friction_m: Annotated[
        Drawn, Varied("torsional friction", "m", (0.0, 0.1), sets=("foot_torsional_friction",))
    ] = Span(low=0.0, high=0.0)
    """Torque against a foot's spin on the ground per normal force, as MuJoCo has it. Not scored in PhysX."""
    rolling_friction_m: Annotated[
        Drawn, Varied("rolling friction", "m", (0.0, 0.1), sets=("foot_rolling_friction",))
    ] = Span(low=0.0, high=0.0)
    """Torque against a foot's roll on the ground per normal force, as MuJoCo has it. Not scored in PhysX."""
    payload_kg: Annotated[Drawn, Varied("payload", "kg", (0.0, 1000.0), sets=("payload_mass",))] = Span(
        low=0.0, high=0.0
    )
    """On top of the base."""
    motor_strength: Annotated[
        Drawn, Varied("motor strength", "\u00d7", (0.0, 2.0), sets=("motor_strength",), each="alike")
    ] = Span(low=1.0, high=1.0)
    """Torque delivered per torque asked for, of all joints alike."""
    motor_heat: Annotated[
        Drawn, Varied("motor heat at the start", "", (0.0, 3.0), sets=("initial_motor_heat",), each="alike")
    ] = Span(low=0.0, high=0.0)
    """At the start; 1 is what the continuous torque settles at."""
    cold_friction: Annotated[
        Drawn,
        Varied("joint friction", "\u00d7", (0.0, 20.0), sets=("coulomb_friction", "viscous_friction"), factor=True),
    ] = Span(low=1.0, high=1.0)
    """Factor on the joints' friction: stiff grease of cold motors."""
    battery_voltage: Annotated[Drawn, Varied("battery voltage", "\u00d7", (0.1, 1.5), sets=("battery_voltage",))] = (
        Span(low=1.0, high=1.0)
    )
    """Share of the nominal voltage at the start."""
    battery_sag_per_s: Annotated[Drawn, Varied("battery sag", "1/s", (0.0, 0.1), sets=("battery_sag",))] = Span(
        low=0.0, high=0.0
    )
    """Share of the nominal voltage lost per second."""
    command_latency_s: Annotated[Drawn, Varied("latency", "s", (0.0, 0.5))] = Span(low=0.0, high=0.0)
    sensor_noise: Annotated[Drawn, Varied("sensor noise", "\u00d7 the contract's", (0.0, 20.0))] = Span(
        low=0.0, high=0.0
    )
    """Factor on the noise that the contract names."""
    encoder_offset_rad: Annotated[
        Drawn, Varied("encoder offsets", "rad", (-0.5, 0.5), sets=("encoder_offset",), each="joint")
    ] = Span(low=0.0, high=0.0)
    """Drawn for each joint."""
    tilt_deg: Annotated[Drawn, Varied("tilt at the start", "deg", (0.0, 90.0))] = Span(low=0.0, high=0.0)
    """Of the base at the start, about a horizontal axis of any direction."""
    yaw_deg: Annotated[Drawn, Varied("heading at the start", "deg", (-180.0, 180.0))] = Span(low=0.0, high=0.0)
    """Heading at the start."""
    joint_offset_rad: Annotated[Drawn, Varied("joints off the standing pose", "rad", (-1.0, 1.0), each="joint")] = Span(
        low=-0.05, high=0.05
    )
    """How far each joint starts from its standing pose: no two trials are the same."""


VARIED: dict[str, Varied] = {
    name: next(item for item in field.metadata if isinstance(item, Varied))
    for name, field in RobotVariation.model_fields.items()
}
"""What is declared of each variation, by the name that files give it."""


class Bound(StrictModel):
    """What a measure must not leave."""

    min: float = -math.inf
    """Least value; open where left out."""
    max: float = math.inf
    """Largest value; open where left out."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=True)

    @model_serializer
    def _ends(self) -> dict[str, float]:
        """An end that is open is left out: JSON has no word for infinity."""
        return {name: end for name, end in (("min", self.min), ("max", self.max)) if math.isfinite(end)}


class Scenario(StrictModel):
    """A scenario."""

    name: str = Field(pattern=r"^[a-z0-9_]{1,48}$")
    description: str = Field(min_length=1)
    terrain: Terrain = Terrain()
    commands: tuple[CommandAt, ...] = ()
    """Velocities over time; give these or a target."""
    target: Target | None = None
    pushes: tuple[Push, ...] = ()
    largest_push: LargestPush | None = None
    grading: Grading | None = None
    half_success: HalfSuccess | None = None
    robot: RobotVariation = RobotVariation()
    uniform_noise: UniformNoise | None = None
    length_s: float = Field(gt=0.0, le=3600.0)
    settle_s: float = Field(default=1.0, ge=0.0)
    """After each change of command and each push, tracking is not judged for so long."""
    trials: int = Field(default=100, ge=1, le=MOST_TRIALS)
    success: dict[str, Bound] = Field(default={})
    """Bounds of measures by name, besides that the robot neither falls nor is stopped by the safety layer."""
    threshold: float = Field(default=0.85, gt=0.0, lt=1.0)
    """What the lower bound of the success rate must reach for the gate."""
    slow_engines_length_s: float | None = Field(default=None, gt=0.0)
    """Length in Newton on a CPU, where the whole one would take too long; heat is extrapolated then."""

    @property
    def levels(self) -> Levels | None:
        """What it searches among; None where its ground is as it is."""
        search = self.grading or self.half_success
        return None if search is None else search.levels

    @property
    def is_searched(self) -> bool:
        """Whether all of its trials belong to one search, whose result is no share of successes."""
        return self.grading is not None or self.half_success is not None

    @property
    def planned_trials(self) -> int:
        """How many trials its outcome has: of a grading those on one level, or without levels all that are tracked."""
        grading = self.grading
        if grading is None:
            return self.trials
        each = grading.trials if grading.levels is not None else grading.tracking.trials * grading.tracking.WAYS
        return len(grading.frictions) * each


class Suite(StrictModel):
    """Scenarios that are run together."""

    version: Literal[1]
    name: str = Field(pattern=r"^[a-z0-9_-]{1,48}$")
    description: str = Field(min_length=1)
    seed: int = Field(default=0, ge=0)
    scenarios: tuple[Scenario, ...] = Field(min_length=1)
