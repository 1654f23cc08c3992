"""Proves some parameters in one engine, as ``surefoot randomization prove`` proves all, and prints what failed as JSON.

Usage: python known_faults_probe.py PHYSICS LOG PARAMETER...
"""

from pathlib import Path

from tests.sim.children import answer

from surefoot.engines import check_physics
from surefoot.randomization_checks.effects import EXPERIMENTS
from surefoot.randomization_checks.engine_checks import check_engine
from surefoot.randomization_checks.prove import open_bench
from surefoot.randomization_checks.readback import make_readback
from surefoot.task_registry import check_task


def main(physics: str, log: str, *parameters: str) -> dict:
    """Run the checks of what the engine holds and of the motion that follows; says what was done and what failed."""
    done, failed = [], []
    task = check_task("Surefoot-Velocity-Flat-Go2")
    with open_bench(task, check_physics(physics, "cpu"), "cpu", Path(log)) as bench:
        for row in check_engine(bench, list(parameters), make_readback(bench.env)):
            done.append(f"{row.parameter}: {row.check}")
            if not row.ok:
                failed.append(f"{row.parameter}: {row.check}: {row.value} > {row.limit}")
        for name in parameters:
            outcome = EXPERIMENTS[name](bench)
            done.append(f"{name}: effect")
            if not outcome.value <= outcome.limit:
                failed.append(f"{name}: {outcome.statement}: {outcome.value} > {outcome.limit}")
    return {"done": done, "failed": failed}


if __name__ == "__main__":
    answer(main)
