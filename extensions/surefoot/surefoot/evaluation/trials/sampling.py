"""Draws everything that is drawn for trials before they begin.

A number depends on the suite's seed, the scenario's name, the trial's number and the name of what is drawn, and on
nothing else: a trial is the same alone as among thousands, and a parameter that is added changes no other's numbers.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable

import numpy as np

from surefoot.evaluation.scenarios.scenario import VARIED, LargestPush, Push, RobotVariation, Scenario, Span, Suite
from surefoot.random_numbers.philox_numpy import philox, unit_interval
from surefoot_bridge.contract import Contract

from .batch import PushTimes, TrialBatch, Variation

Draw = Callable[[str, int], np.ndarray]


def draw_batch(suite: Suite, scenario: Scenario, numbers: np.ndarray, contract: Contract) -> TrialBatch:
    """Draw trials of a scenario.

    The push of a scenario that searches for the largest one is not among the pushes: each round of the search has its
    own, see :func:`largest_push_times`.

    Args:
        suite: The suite, for its seed.
        scenario: One of its scenarios.
        numbers: Numbers of the trials, (N,); any, in any order.
        contract: What says how many joints the robot has.

    Returns:
        The trials, joints in the order of the robot's interface.
    """
    numbers = np.asarray(numbers, dtype=np.int64)
    draw = _draws(suite.seed, scenario.name, numbers)
    words = _words(suite.seed, scenario.name, numbers, "seed", 1)[:, 0].astype(np.uint64)  # (N, 4)
    return TrialBatch(
        scenario=scenario,
        numbers=numbers,
        seeds=words[:, 0] << np.uint64(32) | words[:, 1],
        variation=draw_variation(scenario.robot, draw, len(contract.robot.sdk_joint_names)),
        pushes=tuple(_push(scenario, index, draw) for index in _by_beginning(scenario.pushes)),
    )


def draw_variation(robot: RobotVariation, draw: Draw, num_joints: int) -> Variation:
    """Draw what robots differ in.

    Args:
        robot: Between which ends.
        draw: Returns numbers uniform in (0, 1) of what has a name, (N, count).
        num_joints: Joints of a robot.
    """
    drawn = {}
    for name, item in VARIED.items():
        values = _within(getattr(robot, name), draw(name, num_joints if item.each == "joint" else 1))
        if item.each == "alike":
            values = np.repeat(values, num_joints, axis=1)
        drawn[name] = values[:, 0] if item.each == "trial" else values
    axis = 2.0 * np.pi * draw("tilt_axis", 1)[:, 0]
    angles = {
        "tilt_rad": roll_and_pitch(np.radians(drawn.pop("tilt_deg")), axis),
        "yaw_rad": np.radians(drawn.pop("yaw_deg")),
    }
    return Variation(**drawn, **angles)


def roll_and_pitch(tilt_rad: np.ndarray, axis_rad: np.ndarray) -> np.ndarray:
    """Return roll and pitch (N, 2) of rotations by ``tilt_rad`` about the horizontal axes at ``axis_rad`` from x.

    The world's vertical in the tilted frame is ``(-sin a sin t, cos a sin t, cos t)``, which roll and pitch express as
    ``(-sin p, sin r cos p, cos r cos p)``: the angle to the vertical is ``tilt_rad`` exactly.
    """
    pitch = np.arcsin(np.sin(axis_rad) * np.sin(tilt_rad))
    roll = np.arctan2(np.cos(axis_rad) * np.sin(tilt_rad), np.cos(tilt_rad))
    return np.stack([roll, pitch], axis=-1)


def largest_push_times(search: LargestPush, numbers: np.ndarray, forces_n: np.ndarray) -> PushTimes:
    """Return the push of a round of the search for the largest one.

    Args:
        search: What is searched.
        numbers: Numbers of the trials, (N,): trial ``i`` is pushed in direction ``i`` modulo their number.
        forces_n: Forces [N], (N,), from :attr:`~surefoot.evaluation.trials.push_search.PushSearch.forces`.
    """
    directions = np.radians(search.direction_deg)[np.asarray(numbers) % len(search.direction_deg)]
    return PushTimes(
        start_s=np.full(len(numbers), search.at_s),
        duration_s=np.full(len(numbers), search.duration_s),
        force_b=_horizontal(np.asarray(forces_n, dtype=np.float64), directions),
    )


def _by_beginning(pushes: tuple[Push, ...]) -> list[int]:
    return sorted(range(len(pushes)), key=lambda index: (pushes[index].at_s.low, index))


def _push(scenario: Scenario, index: int, draw: Draw) -> PushTimes:
    push = scenario.pushes[index]
    unit = draw(f"push_{index}", 3)  # (N, 3): time, force, direction
    span = Span(low=-180.0, high=180.0) if push.direction_deg == "any" else push.direction_deg
    return PushTimes(
        start_s=_within(push.at_s, unit[:, 0]),
        duration_s=np.full(len(unit), push.duration_s),
        force_b=_horizontal(_within(push.force_n, unit[:, 1]), np.radians(_within(span, unit[:, 2]))),
    )


def _horizontal(force_n: np.ndarray, direction_rad: np.ndarray) -> np.ndarray:
    return np.stack(
        [force_n * np.cos(direction_rad), force_n * np.sin(direction_rad), np.zeros_like(force_n)], axis=-1
    )  # (N, 3)


def _within(span: Span, unit: np.ndarray) -> np.ndarray:
    return span.low + (span.high - span.low) * unit


def _draws(seed: int, scenario: str, numbers: np.ndarray) -> Draw:
    def draw(name: str, count: int) -> np.ndarray:
        """Return numbers uniform in (0, 1), float64, (N, count)."""
        return unit_interval(_words(seed, scenario, numbers, name, count)[..., 0]).astype(np.float64)

    return draw


def _words(seed: int, scenario: str, numbers: np.ndarray, name: str, count: int) -> np.ndarray:
    """Return four words for each trial and element, uint32, (N, count, 4)."""
    digest = hashlib.sha256(f"{seed}/{scenario}".encode()).digest()
    key = (int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:8], "little"))
    counter = np.zeros((len(numbers), count, 4), dtype=np.uint64)
    counter[..., 0] = (numbers.astype(np.uint64) & np.uint64(0xFFFFFFFF))[:, None]
    counter[..., 1] = np.arange(count, dtype=np.uint64)
    counter[..., 2] = zlib.crc32(name.encode())
    return philox(counter, key)
