"""Getting up from a fall, and standing still: two tasks for each robot, without a velocity command."""

KINDS = ("Recovery", "Stand")
"""Parts of task ids: stand up from any fall; stand still where it is put, pushed."""


def task_id(label: str, kind: str) -> str:
    """Return the id of a task of the robot with a label, one of :data:`KINDS`."""
    return f"Surefoot-{kind}-{label}"
