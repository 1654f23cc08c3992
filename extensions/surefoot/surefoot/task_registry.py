"""The tasks that can be trained and played: those registered with Gymnasium that run in Surefoot's environment."""

import importlib.metadata

from surefoot_bridge.errors import unknown_name

ENTRY_POINT_GROUP = "isaaclab.tasks"
"""Packages that register tasks name a module in this group; Isaac Lab loads the same group."""


def task_ids() -> list[str]:
    """Return the ids of every registered task whose environment class is Surefoot's, sorted."""
    import gymnasium

    for entry_point in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP):
        entry_point.load()
    return sorted(
        task for task, spec in gymnasium.registry.items() if str(spec.entry_point).startswith("surefoot.envs")
    )


def check_task(task: str) -> str:
    """Return the task id unchanged.

    Raises:
        SurefootError: If no task has this id.
    """
    known = task_ids()
    if task not in known:
        raise unknown_name("task", task, known, "See: surefoot tasks list")
    return task
