"""State in which an episode begins; its ranges belong to a task, whatever the preset."""

from __future__ import annotations

from functools import partial

from surefoot.randomization.declaration import Declared

_base = partial(Declared, over="xyz", acts_on="initial_state")
_joint = partial(Declared, over="joint", acts_on="initial_state", mirror="joint")

PARAMETERS = (
    _base("initial_position", "m", "where an episode begins, from the default position", mirror="polar_vector"),
    _base("initial_orientation", "rad", "angles about x, y, z at the start of an episode", mirror="axial_vector"),
    _base("initial_lin_vel", "m/s", "velocity of the base at the start, in the world frame", mirror="polar_vector"),
    _base("initial_ang_vel", "rad/s", "rotation of the base at the start, in the world frame", mirror="axial_vector"),
    _joint("initial_joint_offset", "rad", "joint position at the start, from the default one"),
    _joint("initial_joint_vel", "rad/s", "joint velocity at the start of an episode"),
)  # fmt: skip
