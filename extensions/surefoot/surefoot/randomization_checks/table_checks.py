"""What must hold of every parameter's values, in the table of a running environment."""

from __future__ import annotations

import numpy as np
import torch

from surefoot.randomization.layout import TableLayout
from surefoot.randomization.parameter import Parameter, Range, absolute, resolve_range, scale, to_value
from surefoot.randomization.table import RandomizationTable
from surefoot_bridge.errors import SurefootError

from .bench import Bench
from .row import ProofRow, at_most

DRAWS = 100


def check_table(bench: Bench, names: list[str]) -> list[ProofRow]:
    """Check the values of parameters: range, spread, resets, drift, ranks, ranges of no width, zero nominals."""
    table = bench.table
    bench.randomization.reset(bench.everyone)
    before = table.values.clone()
    some = bench.everyone[::3].contiguous()
    bench.randomization.reset(some)
    after = table.values.clone()
    other_rank = RandomizationTable(
        bench.layout, num_envs=bench.num_envs, device=table.device, seed=table.seed, rank=table.rank + 1
    )
    lowest, highest, mean = _many_draws(bench)
    rows = []
    for name in names:
        columns = bench.layout.column_slice(name)
        low, high = _bounds(bench.layout, name)
        rows += [
            _inside(name, after[:, columns], low, high),
            _distinct(bench.layout, name, after[:, columns]),
            _other_process(bench.layout, name, after[:, columns], other_rank.values[:, columns]),
            _only_those(name, before[:, columns], after[:, columns], some, bench.layout),
            _drift(name, lowest[columns], highest[columns], mean[columns], low, high, bench),
            _identity(bench, name),
            _zero(bench.layout.parameter(name)),
        ]
    return rows


def _bounds(layout: TableLayout, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and largest value of each element."""
    resolved, parameter = layout.range_of(name), layout.parameter(name)
    ends = np.array(
        [
            [to_value(resolved.range.operation, nominal, draw) for draw in draws]
            for nominal, *draws in zip(parameter.nominal, resolved.low, resolved.high, strict=True)
        ]
    )
    return ends.min(axis=1), ends.max(axis=1)


def _inside(name: str, values: torch.Tensor, low: np.ndarray, high: np.ndarray) -> ProofRow:
    drawn = values.cpu().numpy()
    slack = 1e-6 * np.maximum(np.abs(low), np.abs(high))
    outside = ((drawn < low - slack) | (drawn > high + slack)).sum()
    return at_most(name, "inside its range", float(outside), 0.0, "values outside the declared range")


def _distinct(layout: TableLayout, name: str, values: torch.Tensor) -> ProofRow:
    shared = len(torch.unique(values, dim=0))
    expected = len(values) if layout.varies(name) else 1
    return at_most(
        name,
        "own value in each environment",
        float(expected - shared),
        0.0,
        "environments that share their values with another",
    )


def _other_process(layout: TableLayout, name: str, values: torch.Tensor, others: torch.Tensor) -> ProofRow:
    same = (values == others).all(dim=1).sum() if layout.varies(name) else 0
    return at_most(
        name,
        "own values in another process",
        float(same),
        0.0,
        "environments that have the same values under another rank",
    )


def _only_those(
    name: str, before: torch.Tensor, after: torch.Tensor, some: torch.Tensor, layout: TableLayout
) -> ProofRow:
    changed = (before != after).any(dim=1)
    expected = torch.zeros_like(changed)
    if layout.varies(name) and layout.parameter(name).occasion != "startup":
        expected[some.long()] = True
    return at_most(
        name,
        "only the environments that reset",
        float((changed != expected).sum()),
        0.0,
        "environments that changed without a reset, or did not change with one",
    )


def _many_draws(bench: Bench) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw many times; returns the smallest, largest and mean value of each column over the last half.

    What is drawn once is drawn by as many tables.
    """
    table, values = bench.table, []
    once = np.array(
        [parameter.occasion == "startup" for parameter in bench.layout.parameters for _ in parameter.elements]
    )
    for number in range(DRAWS):
        table.draw(bench.everyone)
        others = RandomizationTable(bench.layout, num_envs=bench.num_envs, device=table.device, seed=number)
        drawn, anew = (each.values.cpu().numpy() for each in (table, others))
        values.append(np.where(once, anew, drawn))
    last = np.array(values)[DRAWS // 2 :]
    return last.min(axis=(0, 1)), last.max(axis=(0, 1)), last.mean(axis=(0, 1))


def _drift(
    name: str,
    lowest: np.ndarray,
    highest: np.ndarray,
    mean: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    bench: Bench,
) -> ProofRow:
    """Judge the second fifty of a hundred draws: within the range, and on average where the first draw was."""
    slack = 1e-6 * np.maximum(np.abs(low), np.abs(high))
    outside = np.maximum(low - slack - lowest, lowest * 0.0) + np.maximum(highest - high - slack, 0.0)
    width = np.maximum(high - low, 1e-12)
    samples = bench.num_envs * (DRAWS - DRAWS // 2)
    middle = _mean_of_range(bench.layout, name)
    # A uniform number has a standard deviation of width / sqrt(12); no distribution here has a larger one.
    errors = np.abs(mean - middle) / (width / np.sqrt(12.0 * samples))
    value = float(np.where(high > low, errors, 0.0).max() + outside.max())
    return at_most(
        name, "no drift over 100 draws", value, 5.0, "distance of the mean from the range's [standard errors]"
    )


def _mean_of_range(layout: TableLayout, name: str) -> np.ndarray:
    """Return the mean value of each element."""
    resolved, parameter = layout.range_of(name), layout.parameter(name)
    low, high = np.array(resolved.low), np.array(resolved.high)
    match resolved.range.distribution:
        case "log_uniform":
            ratio = np.log(np.maximum(high, 1e-300) / np.maximum(low, 1e-300))
            draws = np.where(ratio > 1e-9, (high - low) / np.where(ratio > 1e-9, ratio, 1.0), low)
        case "discrete":
            draws = np.full_like(low, np.mean(resolved.range.choices))
        case _:
            draws = 0.5 * (low + high)
    return np.array(
        [
            to_value(resolved.range.operation, nominal, draw)
            for nominal, draw in zip(parameter.nominal, draws, strict=True)
        ]
    )


def _identity(bench: Bench, name: str) -> ProofRow:
    """Draw with a range of no width at the nominal value, by each operation, in a table of its own."""
    parameter = bench.layout.parameter(name)
    ranges: list[Range] = [absolute(parameter.nominal, parameter.nominal)]
    if all(parameter.nominal):
        ranges.append(scale(1.0, 1.0))
    worst = 0.0
    for asked in ranges:
        layout = TableLayout.build(bench.layout.parameters, {name: asked})
        table = RandomizationTable(layout, num_envs=2, device=bench.table.device, seed=0)
        nominal = torch.tensor(parameter.nominal, device=table.device)
        worst = max(worst, float((table.view(name) - nominal).abs().max()))
    return at_most(name, "range of no width changes nothing", worst, 0.0, "change of the value")


def _zero(parameter: Parameter) -> ProofRow:
    """Ask for a factor of a nominal value of zero."""
    refused = not any(value == 0.0 for value in parameter.nominal)
    if not refused:
        try:
            resolve_range(parameter, scale(0.9, 1.1))
        except SurefootError as error:
            refused = parameter.name in str(error)
    return at_most(parameter.name, "zero is not scaled", float(not refused), 0.0, "factors of zero that were accepted")
