"""The rules of the red flags, as data: where to look, what is too much or too little, what it means, what to try."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from surefoot.evaluation.scenarios import traits
from surefoot.evaluation.scenarios.scenario import Scenario

FAILED = "failed"
"""Stands where a measure would, for the share of trials that failed."""

ENDED = "ended"
"""Stands where a measure would, for the share of trials that fell or were stopped by the safety layer."""

RATES = {FAILED: "failed", ENDED: "fell or were stopped by safety"}
"""What conditions look at by its share of trials, in words; they look at all else by its median."""

LEAST_SHARE = 0.3
"""Of the commanded velocity: a robot that reaches less does not walk. Assumption; a clumsy one reaches half."""

LEAST_CLEARANCE_M = 0.03
"""Of a swinging foot [m]: the height of thick carpet, cables and door sills. The shipped Go2 lifts its feet by 0.07."""

MOST_DUTY_FACTOR = 0.85
"""A walk of four legs has about 0.75, a trot 0.5 (Hildebrand, Science 1965): beyond it, feet are hardly lifted."""

LEAST_SYMMETRY = 0.93
"""Of a straight gait. The shipped Go2 has 0.97 and more at any speed. Assumption."""

MOST_COST_OF_TRANSPORT = 0.8
"""Positive mechanical work. Twice the 0.43 of the shipped Go2 at 1 m/s. Assumption."""

MOST_SLIP_M_S = 0.05
"""Of feet that stand [m/s]: 1 cm in a stance of 0.2 s. In MuJoCo the shipped Go2 slides at 0.001 on dry ground and at
0.007 on wet tiles. Assumption."""

MOST_JERK = 500.0
"""Of targets [rad/s^2]. The shipped Go2 has 130 to 215; delayed by 60 ms it begins to oscillate at 730. Assumption."""

MOST_IDLE_HEAT = 0.25
"""Heat is the square of torque: half of the torque that a motor can hold for ever. The shipped Go2 settles at 0.12."""

MOST_DRIFT_M_S = 0.005
"""Of a robot that is to stand [m/s]: 0.3 m a minute. The shipped Go2, which steps on the spot, has 0.01. Assumption."""

MOST_TURNING_RAD_S = 0.01
"""Of the same [rad/s]: 34 degrees a minute. Assumption."""


@dataclass(frozen=True, kw_only=True)
class Condition:
    """What must hold in a scenario and an engine.

    Attributes:
        measure: Name of the measure, or one of :data:`RATES`.
        trips: Whether the rate or median must be ``above`` or ``below`` the limit.
        limit: The limit.
        where: Which scenarios it looks at.
    """

    measure: str
    trips: Literal["above", "below"]
    limit: float
    where: Callable[[Scenario], bool]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule: it raises a flag where one of its conditions holds.

    Attributes:
        name: Identifier, which stays the same from version to version.
        title: What is wrong, in a few words.
        meaning: What it means.
        remedies: What to try, best first.
        conditions: Any of them raises the flag.
        provided: What must hold besides in some scenario of the same engine; None for nothing.
        yields_to: Rules whose flag explains this one: it is not raised in an engine where one of them is.
    """

    name: str
    title: str
    meaning: str
    remedies: tuple[str, ...]
    conditions: tuple[Condition, ...]
    provided: Condition | None = None
    yields_to: tuple[str, ...] = ()


_CANNOT_WALK = ("does_not_walk", "engine_gap_contract")
_GETS_AHEAD = Condition(measure="command_share", trips="above", limit=0.5, where=traits.strides)
"""Where a robot all but stands, how it steps says nothing."""

RULES: tuple[Rule, ...] = (
    Rule(
        name="does_not_walk",
        title="Does not walk here",
        meaning=(
            "On flat ground, undisturbed, it falls in most trials or does not get ahead. A policy that walked in "
            "training does that when it is not given what it was trained on: the order or sign of joints, the action "
            "scale, gains, delays, or what it observes is another."
        ),
        remedies=(
            "Hold the contract against the training: joint order, action scale, gains, delay, default pose, order and "
            "scale of the observation. `surefoot-bridge check` replays the golden trace.",
            "Play the checkpoint in training's own environment (`surefoot play`): if it does not walk there either, it "
            "has not learned to.",
        ),
        conditions=(
            Condition(measure=ENDED, trips="above", limit=0.5, where=traits.moves),
            Condition(measure="command_share", trips="below", limit=LEAST_SHARE, where=traits.strides),
        ),
        yields_to=("engine_gap_contract",),
    ),
    Rule(
        name="not_converged",
        title="Does not master flat ground",
        meaning="It fails more than one trial in ten on flat ground with a nominal robot: it has not converged.",
        remedies=(
            "Train for longer, and look whether the reward still rises.",
            "Raise the weight of the tracking terms, or lower that of the penalties that hold them down.",
            "Begin with narrower ranges of commands and randomization, and widen them as it learns.",
        ),
        conditions=(
            Condition(measure=FAILED, trips="above", limit=0.1, where=traits.moves_briskly),
            # That it does not follow a small command has a rule of its own.
            Condition(measure=ENDED, trips="above", limit=0.1, where=traits.crawls),
        ),
        yields_to=(*_CANNOT_WALK, "engine_gap_physics"),
    ),
    Rule(
        name="balance",
        title="Falls when it is pushed lightly",
        meaning="A push that a person would give in passing throws it over: it walks, but it does not balance.",
        remedies=(
            "Push harder and more often in training, and at any moment of a stride.",
            "Randomize the base's mass and centre of mass.",
            "Penalise tilt and the base's roll and pitch rates.",
        ),
        conditions=(Condition(measure=ENDED, trips="above", limit=0.1, where=traits.is_pushed_lightly),),
        yields_to=_CANNOT_WALK,
    ),
    Rule(
        name="shuffling",
        title="Shuffles",
        meaning="Its feet hardly leave the ground: a carpet's edge or a cable is enough to stop or throw it.",
        remedies=(
            "Reward the clearance of swinging feet, or their air time.",
            "Reward a periodic gait: feet that leave the ground when a clock expects it.",
            "Train on rough ground, on which shuffling does not pay.",
        ),
        conditions=(
            Condition(measure="foot_clearance_m", trips="below", limit=LEAST_CLEARANCE_M, where=traits.strides),
            Condition(measure="duty_factor", trips="above", limit=MOST_DUTY_FACTOR, where=traits.strides),
        ),
        provided=_GETS_AHEAD,
        yields_to=_CANNOT_WALK,
    ),
    Rule(
        name="limping",
        title="Limps",
        meaning="Walking straight, one leg of a pair is in the air for much longer than the other.",
        remedies=(
            "Train with symmetry augmentation, or reward an even gait.",
            "If training was symmetric, hold the signs of one side's joints in the contract against the robot.",
        ),
        conditions=(
            Condition(measure="gait_symmetry", trips="below", limit=LEAST_SYMMETRY, where=traits.strides_straight),
        ),
        provided=_GETS_AHEAD,
        yields_to=_CANNOT_WALK,
    ),
    Rule(
        name="high_energy",
        title="Wastes energy",
        meaning="It spends far more mechanical work on its way than walking takes: short runs, hot motors.",
        remedies=(
            "Penalise mechanical power, or torques.",
            "Penalise what the work goes into: base height that bobs, feet that stamp, joints far from the pose.",
        ),
        conditions=(
            Condition(
                measure="cost_of_transport", trips="above", limit=MOST_COST_OF_TRANSPORT, where=traits.strides_straight
            ),
        ),
        provided=_GETS_AHEAD,
        yields_to=_CANNOT_WALK,
    ),
    Rule(
        name="slips_turning",
        title="Slips when it turns",
        meaning="Its feet slide over the ground while it turns: it counts on a friction that it will not always find.",
        remedies=(
            "Widen the range of friction in training, downwards first.",
            "Penalise the speed of feet that touch the ground.",
        ),
        conditions=(Condition(measure="foot_slip_m_s", trips="above", limit=MOST_SLIP_M_S, where=traits.turns),),
        yields_to=_CANNOT_WALK,
    ),
    Rule(
        name="dead_zone",
        title="Ignores small commands",
        meaning="Told to walk slowly it all but stands, though it obeys larger commands: small ones have a dead zone.",
        remedies=(
            "Draw more small commands in training, and let fewer be cut to zero.",
            "Narrow the tracking reward: a wide kernel pays standing still nearly as well.",
            "Penalise motion of a robot that is to stand less, where that holds it still.",
        ),
        conditions=(Condition(measure="command_share", trips="below", limit=0.6, where=traits.crawls),),
        provided=Condition(measure="command_share", trips="above", limit=0.75, where=traits.strides),
        yields_to=_CANNOT_WALK,
    ),
    Rule(
        name="jerky",
        title="Jerks",
        meaning=(
            "Its targets jump from step to step. Gears and motors suffer, and delay that training did not have makes "
            "it worse: what trembles in simulation can oscillate on the robot."
        ),
        remedies=(
            "Penalise the rate of the action and its second difference.",
            "Train with the delay of commands and sensors that the robot has, and a margin.",
            "Low-pass the targets.",
        ),
        conditions=(Condition(measure="action_jerk", trips="above", limit=MOST_JERK, where=traits.is_plain),),
    ),
    Rule(
        name="hot_idle",
        title="Heats up while it stands",
        meaning="Its motors work hard to stand still: the heat is missing when it is to walk.",
        remedies=(
            "Penalise torques, also and above all while the command is zero.",
            "Reward the default pose while standing, or choose one whose joints carry less.",
        ),
        conditions=(Condition(measure="motor_heat_max", trips="above", limit=MOST_IDLE_HEAT, where=traits.stands),),
        yields_to=_CANNOT_WALK,
    ),
    Rule(
        name="wanders",
        title="Wanders while it stands",
        meaning=(
            "Told to stand, it moves on slowly, most likely because it goes on stepping: in a few minutes it is "
            "somewhere else, and nobody can work at it."
        ),
        remedies=(
            "Draw more commands of zero in training, and penalise the motion of joints and base while the command is "
            "zero.",
            "Reward the default pose while standing; where the gait has a clock, stop it.",
            "On the robot, go to the mode `stand` when it has nothing to do: there the pose is held without it.",
        ),
        conditions=tuple(
            Condition(measure=measure, trips="above", limit=limit, where=traits.stands)
            for measure, limit in (
                ("steady_vx_error", MOST_DRIFT_M_S),
                ("steady_vy_error", MOST_DRIFT_M_S),
                ("steady_yaw_rate_error", MOST_TURNING_RAD_S),
            )
        ),
        yields_to=_CANNOT_WALK,
    ),
)
"""All rules that look at one engine at a time, in the order in which flags are told."""
