"""Drawing of the table in NumPy: what :mod:`surefoot.randomization.kernels` computes, for tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import erfinv

from surefoot.random_numbers.philox_numpy import philox, unit_interval
from surefoot.randomization.layout import DISTRIBUTIONS, Block, TableLayout


def draw(
    layout: TableLayout,
    blocks: Sequence[Block],
    *,
    envs: np.ndarray,
    episodes: np.ndarray,
    number: int,
    key: tuple[int, int],
    share: np.ndarray | None = None,
) -> dict[int, np.ndarray]:
    """Draw the columns of some blocks in some environments.

    Args:
        layout: The table's layout.
        blocks: Blocks to draw.
        envs: Environments, (count,).
        episodes: Episode of each, (count,).
        number: Number of the draw in the episode.
        key: Seed and rank.
        share: Share of the range in use, (num_parameters, 2); all of it when None.

    Returns:
        Values by column, each (count,), float64.
    """
    columns, kinds = layout.per_column(), layout.per_parameter()
    used = np.ones((len(layout.parameters), 2)) if share is None else share
    values = {}
    for block in blocks:
        counter = np.stack(np.broadcast_arrays(envs, episodes, block.stream, number), axis=-1).astype(np.uint32)
        words = philox(counter, key)  # (count, 4)
        distribution = DISTRIBUTIONS[kinds["distribution"][block.parameter]]
        operation = layout.ranges[block.parameter].range.operation
        choices = layout.ranges[block.parameter].range.choices
        for index in range(block.width):
            column = block.first_column + index
            unit = unit_interval(words[:, 0 if block.shared else index]).astype(np.float64)
            identity, nominal = float(columns["identity"][column]), float(columns["nominal"][column])
            low, high = (
                _interpolate(identity, float(columns[side][column]), used[block.parameter, end], distribution)
                for end, side in enumerate(("low", "high"))
            )
            sampled = np.clip(_sample(distribution, low, max(low, high), unit, choices), low, max(low, high))
            values[column] = {"absolute": sampled, "scale": nominal * sampled, "offset": nominal + sampled}[operation]
    return values


def _interpolate(start: float, end: float, share: float, distribution: str) -> float:
    if share == 1.0:
        return end
    if distribution == "log_uniform":
        return start * (end / start) ** share
    return start + share * (end - start)


def _sample(distribution: str, low: float, high: float, unit: np.ndarray, choices: Sequence[float]) -> np.ndarray:
    match distribution:
        case "log_uniform":
            return low * (high / low) ** unit
        case "truncated_normal":
            within_two_deviations = 0.9544997361036416
            deviations = np.sqrt(2.0) * erfinv((2.0 * unit - 1.0) * within_two_deviations)
            return 0.5 * (low + high) + 0.25 * (high - low) * deviations
        case "discrete":
            among = np.array([np.float32(choice) for choice in choices if low <= np.float32(choice) <= high])
            if not len(among):
                return np.full_like(unit, low)
            return among[np.minimum((unit * len(among)).astype(int), len(among) - 1)].astype(np.float64)
    return low + unit * (high - low)
