"""The parts of a contract that record how the policy was trained and how it did.

The docstrings are also the descriptions in ``contract.schema.json``.
"""

from dataclasses import dataclass
from typing import Dict, Literal, Tuple

from .robot import Interval

ErrorLaw = Literal["gaussian_std", "walk_std_per_root_s", "constant", "age", "probability"]
"""What a sensor error's value means; see :class:`SensorError`."""

Distribution = Literal["fixed", "uniform", "log_uniform", "truncated_normal", "discrete"]
"""How a value was drawn; see :class:`SensorError`."""


@dataclass(frozen=True)
class SensorError:
    """An error of a sensor. Each episode of the training had one value of it, drawn between ``low`` and ``high``.

    Attributes:
        law: What the value means. ``gaussian_std``: standard deviation of Gaussian noise, drawn anew in each control
            step. ``walk_std_per_root_s``: of a Gaussian random walk from 0, after a second; it grows with the root of
            time. ``constant``: what is added throughout the episode; a rotation is a rotation vector. ``age``: how old
            readings are. ``probability``: of the error, in each control step.
        distribution: How the value was drawn; ``truncated_normal`` has its mean in the middle and two standard
            deviations to either end, ``fixed`` means that all episodes had the same.
        unit: Unit of the value; ``-`` without one.
        low: Least value.
        high: Largest value.
    """

    law: ErrorLaw
    distribution: Distribution
    unit: str
    low: float
    high: float

    def __post_init__(self) -> None:
        """Refuse an inverted range."""
        Interval(self.low, self.high)


@dataclass(frozen=True)
class RandomizedRange:
    """Range of a randomized parameter.

    Attributes:
        unit: Its unit; ``-`` without one.
        distribution: How it was drawn between the ends.
        low: Low end of each column.
        high: High end of each column.
        share: How far adaptive ranges had grown from the nominal value towards either end, in [0, 1].
    """

    unit: str
    distribution: str
    low: Tuple[float, ...]
    high: Tuple[float, ...]
    share: Interval


@dataclass(frozen=True)
class TrainingPart:
    """What the policy was trained with.

    Attributes:
        task: Name of the task.
        engine: Physics engine.
        versions: Versions of the packages that matter.
        commit: Commit of Surefoot, with ``-dirty`` where files had changed.
        seed: Seed of its random numbers.
        iterations: Completed iterations.
        preset: Preset of the randomization.
        ranges: Ranges of the randomization, by parameter.
    """

    task: str
    engine: str
    versions: Dict[str, str]
    commit: str
    seed: int
    iterations: int
    preset: str
    ranges: Dict[str, RandomizedRange]


@dataclass(frozen=True)
class Score:
    """How the policy did where it was measured.

    Attributes:
        engine: Physics engine.
        preset: Preset of the randomization; ``none`` is the nominal robot.
        episodes: Number of episodes.
        figures: Figures by name.
    """

    engine: str
    preset: str
    episodes: int
    figures: Dict[str, float]
