"""The whole proof of a task's randomization in one engine, in one simulator process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.engines import Physics, native_log, short_name
from surefoot.randomization.catalogue import DECLARED
from surefoot.randomization.support import support_of
from surefoot.task_config import opened, resolve_task

from .bench import Bench
from .effects import EXPERIMENTS
from .engine_checks import check_engine
from .readback import make_readback
from .row import ProofRow
from .table_checks import check_table

NUM_ENVS = 16
"""Robots of a proof: enough values of a parameter to see a trend, few enough to start at once."""

SEED = 1


@dataclass(frozen=True)
class Proof:
    """What a proof found.

    Attributes:
        rows: Every check of every parameter that acts in each environment by itself.
        exceptions: Parameters that do not, with their level of support and the reason.
    """

    rows: list[ProofRow]
    exceptions: dict[str, tuple[str, str]]

    @property
    def declared(self) -> list[str]:
        """Parameters that act in each environment by itself."""
        return list(dict.fromkeys(row.parameter for row in self.rows))

    @property
    def proved(self) -> list[str]:
        """Those of which every check held."""
        failed = {row.parameter for row in self.rows if not row.ok}
        return [name for name in self.declared if name not in failed]


def prove(
    task: str, physics: Physics, *, device: str, log: Path, progress: Callable[[str], None] = lambda _: None
) -> Proof:
    """Prove the parameters of a task's robot in an engine.

    Args:
        task: Task id, checked.
        physics: The engine, checked.
        device: The device, checked.
        log: File for what the engine and the set-up print.
        progress: Called with a line before each part.

    Raises:
        SurefootError: If a range cannot be meant or the engine cannot run here.
    """
    progress(f"Starting {NUM_ENVS} environments in {short_name(physics)} on {device} ...")
    with open_bench(task, physics, device, log) as bench:
        names, exceptions = _divide(bench, physics)
        progress(f"{len(names)} parameters: draws")
        rows = check_table(bench, names)
        progress(f"{len(names)} parameters: what the engine holds")
        rows += check_engine(bench, names, make_readback(bench.env))
        for number, name in enumerate(names, 1):
            progress(f"{number}/{len(names)} effect of {name}")
            outcome = EXPERIMENTS[name](bench)
            ok = bool(outcome.value <= outcome.limit)
            rows.append(ProofRow(name, "effect", ok, outcome.value, outcome.limit, outcome.statement))
    return Proof(rows, exceptions)


def _divide(bench: Bench, physics: Physics) -> tuple[list[str], dict[str, tuple[str, str]]]:
    """Tell what is to be proved from what the engine or the task's observation leaves out."""
    names, exceptions = [], {}
    sources = {term.source for term in bench.env.proprioception.layout.slices}
    unread = {name for name, item in DECLARED.items() if item.acts_on == "sensor" and sources.isdisjoint(item.errs)}
    for parameter in bench.layout.parameters:
        support = support_of(parameter.name, physics)
        if support.level != "supported":
            exceptions[parameter.name] = (support.level, support.reason)
        elif parameter.name == "foot_rolling_friction" and max(map(len, bench.spec.sole_offsets_m)) > 1:
            exceptions[parameter.name] = ("unsupported", "flat soles, which touch at several points, do not roll")
        elif parameter.name in unread:
            shown = " or ".join(DECLARED[parameter.name].errs)
            exceptions[parameter.name] = ("unsupported", f"the task's actor sees no {shown}")
        else:
            names.append(parameter.name)
    return names, exceptions


@contextmanager
def open_bench(task: str, physics: Physics, device: str, log: Path) -> Iterator[Bench]:
    """Start the task's environment with every supported parameter random."""
    with native_log(log) as chatter, redirect_stdout(chatter), redirect_stderr(chatter):
        import torch

        from surefoot.randomization.randomization_cfg import RandomizationCfg

        cfg: Any = resolve_task(task, physics)[0]
        cfg.scene.num_envs = NUM_ENVS
        cfg.seed = SEED
        cfg.randomization = RandomizationCfg(preset="standard")
        with torch.inference_mode(), opened(task, cfg, device=device) as env:
            yield Bench(env)
