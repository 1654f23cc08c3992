"""The tasks that can be trained and played: those registered with Gymnasium by installed packages."""

import importlib.util
import sys
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_bridge.offers import Offers

TASKS = Offers("isaaclab.tasks", own="surefoot", kind="task package")
"""Packages that register tasks name a module in this group, which registers them when it is imported; Isaac Lab loads
the same group."""

_OUR_ENVIRONMENTS = "surefoot.envs"


def task_ids() -> list[str]:
    """Return the ids of every task whose environment class is Surefoot's, or of a package of the group, sorted."""
    import gymnasium

    refused_tasks()
    packages = {offer.reference.partition(".")[0] for offers in TASKS.by_name().values() for offer in offers}
    return sorted(
        task
        for task, spec in gymnasium.registry.items()
        if (place := str(spec.entry_point)).startswith(_OUR_ENVIRONMENTS) or place.partition(".")[0] in packages
    )


def refused_tasks() -> tuple[str, ...]:
    """Return one line for each package whose tasks cannot be used: the package, what is wrong, and the remedy."""
    return _register(tuple(sys.path))


def refused() -> tuple[str, ...]:
    """Return one line for each package that offers a task, or a robot of which tasks are made, that cannot be used."""
    from surefoot_robots.registry import refused_robots

    return (*refused_tasks(), *refused_robots())


@lru_cache(maxsize=1)
def _register(search_path: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001 - the cache's key
    """Import every package of the group; return what cannot be used. A task keeps the id that was registered first."""
    import gymnasium

    registry: dict[str, Any] = gymnasium.registry
    refused = []
    for offer in (offer for offers in TASKS.by_name().values() for offer in offers):
        before = dict(registry)
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", ".*Overriding environment")
                TASKS.load(offer)
        except SurefootError as error:
            refused.append(str(error))
        for task in (task for task, spec in before.items() if registry.get(task) is not spec):
            registry[task] = before[task]
            refused.append(
                f"The package {offer.package!r} registers a task {task!r}, an id that another has; give it another in "
                f"{offer.reference}, or take it away: pip uninstall {offer.package}."
            )
    return tuple(refused)


def package_folders() -> list[Path]:
    """Return the folders of all packages that register tasks, without importing them."""
    folders = []
    for offer in (offer for offers in TASKS.by_name().values() for offer in offers):
        try:
            spec = importlib.util.find_spec(offer.reference.partition(":")[0])
        except (ImportError, ValueError):  # it is not where it was installed; what needs it says so
            continue
        folders += [Path(place) for place in (spec.submodule_search_locations if spec else None) or ()]
    return folders


def check_task(task: str) -> str:
    """Return the task id unchanged.

    Raises:
        SurefootError: If no task has this id.
    """
    known = task_ids()
    if task not in known:
        raise unknown_name("task", task, known, " ".join(refused()), listed_by="surefoot tasks list")
    return task
