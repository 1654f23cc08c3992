"""Cost of randomization: drawing and applying against Isaac Lab's stock event terms, and a task with it on and off.

Compared are the parameters that both can randomize (:mod:`~.stock_terms`) on the same engine and
device, each side in a process of its own. Figures without the name of an engine are of Newton, where everything is
drawn at resets.

``draw_ratio_vs_stock``
    Time that stock terms take to sample, with their setters stubbed, over ours: the smallest ratio of all shares of
    environments that reset and of all engines measured.
``draw_apply_ratio_vs_stock_newton``
    Time of all resets of a rollout, with the solver's recomputation and without its physics, stock over ours.
``standard_vs_none``
    Environment steps per second of the task with the standard preset over those with none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from surefoot.engines import Physics
from surefoot.learning.worker_processes import default_num_envs
from surefoot_devtools.benchmarking.environment import ROBOT
from surefoot_devtools.benchmarking.on_off import compare_presets
from surefoot_devtools.benchmarking.randomization_worker import MODULE, RandomizationMeasurement, RandomizationRequest
from surefoot_devtools.benchmarking.suite import run_module
from surefoot_robots import get_robot

SHARES_PERCENT = (1, 10, 100)
"""Shares of the environments that reset together."""

MEAN_EPISODE_STEPS = 500
"""Control steps of a mean episode in a rollout: half of a full one, as some fall and some walk on. With 4096
environments 8 of them reset in each step."""

FEWER_BY = 4
"""How many times fewer environments exist where the cost is measured that must not depend on them."""

LIMITS = {"draw_apply_ratio_vs_stock_newton": 3.0, "standard_vs_none": 0.9}
"""Least value of each figure that must be held."""

Figures = dict[str, float]
Rows = list[dict[str, Any]]


def limits(device: str) -> dict[str, float]:
    """Return what each figure must be at least; draws are made for a GPU, and must be quick there alone."""
    return LIMITS if device == "cpu" else {"draw_ratio_vs_stock": 10.0, **LIMITS}


def holds(figures: Figures, device: str) -> bool:
    """Tell whether every figure that must be held on a device is."""
    return all(figures[name] >= limit for name, limit in limits(device).items())


def growth(small: tuple[int, float], large: tuple[int, float]) -> tuple[float, float]:
    """Return the fixed time of a call and the time of each environment from (environments, time) of two calls."""
    each = (large[1] - small[1]) / (large[0] - small[0])
    return small[1] - each * small[0], each


@dataclass(frozen=True)
class RandomizationSuite:
    """What is measured where.

    Attributes:
        physics: Engine of the task with randomization on and off; draws are compared on it too.
        device: Device.
        num_envs: Environments that exist.
        repeats: Runs with randomization on and off, of which the best counts.
        seconds: Length of each of these runs.
        report: Called with each line of the result.
    """

    physics: Physics
    device: str
    num_envs: int
    repeats: int
    seconds: float
    report: Callable[[str], None]

    @property
    def counts(self) -> list[int]:
        """How many environments reset together, for each of :data:`SHARES_PERCENT`."""
        return [max(1, self.num_envs * percent // 100) for percent in SHARES_PERCENT]

    @property
    def rollouts(self) -> list[int]:
        """How many environments reset in each step of a rollout: by the mean episode, and 1 %."""
        return [max(1, round(self.num_envs / MEAN_EPISODE_STEPS)), self.counts[0]]

    def run(self) -> tuple[Figures, Rows]:
        """Measure everything; returns figures and one row for each measurement."""
        figures: Figures = {}
        rows: Rows = []
        engines: tuple[Physics, ...] = ("newton_mjwarp", self.physics)
        for physics in dict.fromkeys(engines):
            self._compare_engine(physics, figures, rows)
        self._existing(figures, rows)
        figures["draw_ratio_vs_stock"] = min(
            value for name, value in figures.items() if name.startswith("draw_ratio_vs_stock_")
        )
        on_off, measurements = compare_presets(
            physics=self.physics,
            device=self.device,
            num_envs=min(default_num_envs(self.device), self.num_envs),  # as it trains
            seconds=self.seconds,
            repeats=self.repeats,
            report=self.report,
        )
        figures.update(on_off)
        rows += measurements
        for name, limit in limits(self.device).items():
            self.report(
                f"{name} {figures[name]:.2f}, at least {limit:g}: {'held' if figures[name] >= limit else 'NOT'}"
            )
        return figures, rows

    def _measure(self, rows: Rows, **request: Any) -> RandomizationMeasurement:
        asked = RandomizationRequest(device=self.device, **request)
        result = RandomizationMeasurement(**run_module(MODULE, asked))
        rows.append({**asdict(asked), **asdict(result)})
        return result

    def _compare_engine(self, physics: Physics, figures: Figures, rows: Rows) -> None:
        """Compare both sides on an engine."""
        newton = physics == "newton_mjwarp"
        suffix = "" if newton else f"_{physics}"
        common = {
            "physics": physics,
            "num_envs": self.num_envs,
            "counts": self.counts,
            "rollouts": self.rollouts if newton else [],
        }
        stock = self._measure(rows, task="stock", **common)
        ours = self._measure(rows, task="ours", kernels=newton, **common)
        self.report(f"{physics} on {self.device}, {self.num_envs} environments: time of a reset [us]")
        figures[f"values_per_environment{suffix}"] = self._say_what_is_compared(physics)
        self.report(f"{'reset':>12s} {'draw: ours':>12s} {'stock':>9s} {'ratio':>6s} {'standard':>9s}"
                    f" {'and apply: ours':>17s} {'stock':>9s} {'ratio':>6s} {'standard':>9s}")  # fmt: skip
        for percent, count in zip(SHARES_PERCENT, self.counts, strict=True):
            for what in ("draw", "reset"):
                pair = ours.figures[f"{what}_us_matched_{count}"], stock.figures[f"{what}_us_matched_{count}"]
                figures[f"{what}_us_ours_{percent}{suffix}"], figures[f"{what}_us_stock_{percent}{suffix}"] = pair
                figures[f"{what}_us_standard_{percent}{suffix}"] = ours.figures[f"{what}_us_standard_{count}"]
                figures[f"{what}_ratio_vs_stock_{percent}{suffix}"] = pair[1] / pair[0]
            self.report(_row(count, percent, suffix, figures))
        if not newton:
            self._setters(ours, figures)
            return
        self._rollouts(ours, stock, figures)
        self._counted(ours, stock, figures)
        self._kernels(ours, figures)

    def _say_what_is_compared(self, physics: Physics) -> int:
        from surefoot_devtools.benchmarking.stock_terms import (
            matched_ranges,
            values_per_environment,
            without_stock_term,
        )

        robot = get_robot(ROBOT)
        matched = matched_ranges(robot, physics)
        count = values_per_environment(robot, matched)
        self.report(f"  compared: {', '.join(matched)} ({count} numbers for each environment)")
        self.report(f"  no stock term: {', '.join(without_stock_term(robot, physics))}")
        return count

    def _setters(self, ours: RandomizationMeasurement, figures: Figures) -> None:
        for percent, count in zip(SHARES_PERCENT, self.counts, strict=True):
            setters, other = (ours.figures[f"{what}_us_standard_{count}"] for what in ("setters", "other"))
            figures[f"physx_setters_us_{percent}"], figures[f"physx_other_us_{percent}"] = setters, other
            self.report(
                f"  {count} reset, standard preset: {setters:.0f} us in PhysX's setters, which copy whole buffers, "
                f"and {other:.0f} us besides"
            )

    def _rollouts(self, ours: RandomizationMeasurement, stock: RandomizationMeasurement, figures: Figures) -> None:
        steps = int(ours.figures["steps_per_rollout"])
        for count, name in zip(self.rollouts, ("", "_1_percent"), strict=True):
            mine, theirs = (side.figures[f"rollout_us_matched_{count}"] for side in (ours, stock))
            figures[f"rollout_us_ours{name}"], figures[f"rollout_us_stock{name}"] = mine, theirs
            figures[f"rollout_us_standard{name}"] = ours.figures[f"rollout_us_standard_{count}"]
            figures[f"draw_apply_ratio_vs_stock_newton{name}"] = theirs / mine
            self.report(
                f"  rollout of {steps} steps with {count} resets in each: ours {1e-3 * mine:.2f} ms, stock "
                f"{1e-3 * theirs:.2f} ms, ratio {theirs / mine:.1f}; standard preset "
                f"{1e-3 * figures[f'rollout_us_standard{name}']:.2f} ms"
            )

    def _counted(self, ours: RandomizationMeasurement, stock: RandomizationMeasurement, figures: Figures) -> None:
        for side, result, sets in (("ours", ours, ("matched", "standard")), ("stock", stock, ("matched",))):
            for name in sets:
                label = side if name == "matched" else name
                for what in ("launches", "allocations"):
                    figures[f"{what}_per_reset_{label}"] = result.figures[f"{what}_reset_{name}"]
                self.report(
                    f"  a reset, {label}: {figures[f'launches_per_reset_{label}']:.0f} launches, "
                    f"{figures[f'allocations_per_reset_{label}']:.0f} allocations"
                )
        figures["allocations_per_reset"] = figures["allocations_per_reset_standard"]
        for name, count in ours.allocations["reset_standard"].items():
            self.report(f"    ours allocates: {name}, {count} times")
        for name, count in ours.launches["reset_standard"].items():
            self.report(f"    ours launches: {name}, {count} times")

    def _kernels(self, ours: RandomizationMeasurement, figures: Figures) -> None:
        found = {name: value for name, value in ours.figures.items() if name.startswith(_KERNELS)}
        figures.update(found)
        self.report(f"  memory copies {found['memory_gb_s']:.1f} GB/s")
        for kernel, per in (("actuator", "substep"), ("sensor", "step"), ("observation", "step")):
            self.report(
                f"  {kernel:11s} {found[f'{kernel}_us_per_{per}']:7.0f} us a {per}, "
                f"{1e-6 * found[f'{kernel}_bytes_per_{per}']:.2f} MB, {found[f'{kernel}_gb_s']:.2f} GB/s, "
                f"{100 * found[f'{kernel}_share_of_memory']:.0f} % of what memory copies"
            )

    def _existing(self, figures: Figures, rows: Rows) -> None:
        """See how the time of a reset depends on the environments that reset and on those that exist."""
        few = max(1, self.num_envs // FEWER_BY)
        result = self._measure(
            rows, task="ours", physics="newton_mjwarp", num_envs=few, counts=self.counts[:1], rollouts=[]
        )
        small = result.figures[f"reset_us_standard_{self.counts[0]}"]
        figures[f"reset_us_standard_of_{few}"] = small
        figures["existing_ratio"] = figures["reset_us_standard_1"] / small
        fixed, each = growth(
            (self.counts[0], figures["reset_us_standard_1"]), (self.counts[-1], figures["reset_us_standard_100"])
        )
        predicted = fixed + each * self.counts[1]
        figures["reset_us_fixed"], figures["reset_us_per_environment"] = fixed, each
        figures["reset_10_percent_over_line"] = figures["reset_us_standard_10"] / predicted
        self.report(
            f"growth: {fixed:.0f} us and {each:.2f} us for each environment that resets; {self.counts[1]} take "
            f"{figures['reset_10_percent_over_line']:.2f} times what this line says; {self.counts[0]} of "
            f"{self.num_envs} take {figures['existing_ratio']:.2f} times as long as of {few}"
        )


_KERNELS = ("memory_", "actuator_", "sensor_", "observation_")


def _row(count: int, percent: int, suffix: str, figures: Figures) -> str:
    def cells(what: str, width: int) -> str:
        ours, stock, ratio, standard = (
            figures[f"{what}_{name}_{percent}{suffix}"]
            for name in ("us_ours", "us_stock", "ratio_vs_stock", "us_standard")
        )
        return f" {ours:{width}.0f} {stock:9.0f} {ratio:6.1f} {standard:9.0f}"

    return f"{count:6d} {percent:3d} %" + cells("draw", 12) + cells("reset", 17)
