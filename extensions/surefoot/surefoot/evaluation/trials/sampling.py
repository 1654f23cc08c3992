"""Draws everything that is drawn for trials before they begin.

A number depends on the suite's seed, the scenario's name, the trial's number and the name of what is drawn, and on
nothing else: a trial is the same alone as among thousands, and a parameter that is added changes no other's numbers.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable

import numpy as np

from surefoot.evaluation.scenarios.scenario import LargestPush, Push, Scenario, Span, Suite
from surefoot.random_numbers.philox_numpy import philox, unit_interval
from surefoot_bridge.contract import Contract

from .batch import PushTimes, TrialBatch, Variation


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
    joints = len(contract.robot.sdk_joint_names)
    robot = scenario.robot

    def each(name: str) -> np.ndarray:
        return _within(getattr(robot, name), draw(name, 1)[:, 0])  # (N,)

    def alike(name: str) -> np.ndarray:
        return np.repeat(each(name)[:, None], joints, axis=1)  # (N, num_joints)

    def by_joint(name: str) -> np.ndarray:
        return _within(getattr(robot, name), draw(name, joints))  # (N, num_joints)

    tilt, axis = np.radians(each("tilt_deg")), 2.0 * np.pi * draw("tilt_axis", 1)[:, 0]
    words = _words(suite.seed, scenario.name, numbers, "seed", 1)[:, 0].astype(np.uint64)  # (N, 4)
    return TrialBatch(
        scenario=scenario,
        numbers=numbers,
        seeds=words[:, 0] << np.uint64(32) | words[:, 1],
        variation=Variation(
            friction=each("friction"),
            torsional_friction_m=each("torsional_friction_m"),
            rolling_friction_m=each("rolling_friction_m"),
            payload_kg=each("payload_kg"),
            motor_strength=alike("motor_strength"),
            motor_heat=alike("motor_heat"),
            cold_friction=each("cold_friction"),
            battery_voltage=each("battery_voltage"),
            battery_sag_per_s=each("battery_sag_per_s"),
            command_latency_s=each("command_latency_s"),
            sensor_noise=each("sensor_noise"),
            encoder_offset_rad=by_joint("encoder_offset_rad"),
            tilt_rad=roll_and_pitch(tilt, axis),
            yaw_rad=np.radians(each("yaw_deg")),
            joint_offset_rad=by_joint("joint_offset_rad"),
        ),
        pushes=tuple(_push(scenario, index, draw) for index in _by_beginning(scenario.pushes)),
    )


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


def _push(scenario: Scenario, index: int, draw: Callable[[str, int], np.ndarray]) -> PushTimes:
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


def _draws(seed: int, scenario: str, numbers: np.ndarray) -> Callable[[str, int], np.ndarray]:
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
