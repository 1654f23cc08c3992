"""The physical parameters that Surefoot can randomize, each declared once, in the order of the table's columns."""

from surefoot.randomization.declaration import Declared
from surefoot.randomization.parameter import Parameter
from surefoot_robots import RobotSpec

from . import actuators, bodies, contact, initial_state, joints, sensors, world
from .world import GRAVITY_M_S2, NEVER_S

__all__ = ["DECLARED", "GRAVITY_M_S2", "NEVER_S", "make_catalogue"]

DECLARED: dict[str, Declared] = {
    item.name: item
    for kind in (contact, bodies, joints, actuators, sensors, world, initial_state)
    for item in kind.PARAMETERS
}
"""Every parameter by name."""


def make_catalogue(spec: RobotSpec) -> tuple[Parameter, ...]:
    """List every parameter with its nominal value for a robot, in the order of the table's columns."""
    return tuple(item.of(spec) for item in DECLARED.values())
