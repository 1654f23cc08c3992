"""Joints that tasks speak of together."""

from typing import NamedTuple


class JointGroup(NamedTuple):
    """Joints of a robot by pattern, as its specification names them for tasks."""

    pattern: str
    """Regular expression that full-matches the joints of the group."""
    num_joints: int
    """How many joints the pattern must match."""
