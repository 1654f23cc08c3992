"""Walking with a commanded velocity: tasks for each robot, one to a kind of ground and of actor."""

KINDS = ("Flat", "Rough", "RoughScan")
"""Parts of task ids: flat ground; a field of many kinds of ground; the same for an actor that sees it."""


def task_id(label: str, kind: str = "Flat") -> str:
    """Return the id of a task of the robot with a label, one of :data:`KINDS`."""
    return f"Surefoot-Velocity-{kind}-{label}"
