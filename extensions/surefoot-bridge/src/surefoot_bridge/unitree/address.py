"""Where a Unitree robot is."""

from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_bridge.robots import RobotAddress

from .kinds import KINDS

LARGEST_DOMAIN = 230
"""Of 232 in DDS, the last two leave no port numbers below 65536."""


def unitree_address(robot: str, interface: str, domain: int = 0) -> RobotAddress:
    """Return the address of a Unitree robot.

    Args:
        robot: Its name, as contracts have it.
        interface: Network interface that leads to it.
        domain: Its DDS domain. Unitree's robots are on 0.

    Raises:
        SurefootError: If there is no such robot, interface or domain.
    """
    if robot not in KINDS:
        raise unknown_name("robot", robot, KINDS)
    if not 0 <= domain <= LARGEST_DOMAIN:
        raise SurefootError(f"--domain is {domain}; valid: 0 to {LARGEST_DOMAIN}. Unitree's robots are on 0.")
    return RobotAddress(robot, interface, domain)
