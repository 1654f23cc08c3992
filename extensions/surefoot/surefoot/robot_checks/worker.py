"""Record one robot's scenarios in one engine: `python -m surefoot.robot_checks.worker ROBOT PHYSICS DEVICE FILE`.

A process can hold only one simulator, so every engine gets a process of its own.
"""

import sys
from pathlib import Path

from surefoot.engines import check_physics
from surefoot.robot_checks.isaaclab_engine import isaaclab_engine
from surefoot.robot_checks.scenarios import record
from surefoot_robots import get_robot


def main(robot: str, physics: str, device: str, path: str) -> None:
    """Record and write the result to a file."""
    spec = get_robot(robot)
    with isaaclab_engine(spec, check_physics(physics, device), device) as engine:
        record(engine, spec).save(Path(path))


if __name__ == "__main__":
    main(*sys.argv[1:])
