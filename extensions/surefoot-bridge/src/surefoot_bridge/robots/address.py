"""Where a robot is: its name, the network interface that leads to it, and which network of that interface."""

import re
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Dict

from surefoot_bridge.errors import SurefootError, unknown_name

LOOPBACK = "lo"
"""Interface of an emulated robot on this computer."""

_ROBOT = re.compile(r"[A-Za-z0-9_]+")
"""Names of robots. Lock files are named after them, with ``-`` between robot, interface and domain."""

_INTERFACE = re.compile(r"[A-Za-z0-9_@-][A-Za-z0-9_.@-]{0,14}")
"""Names of interfaces that this package takes: Linux allows 15 characters (``IFNAMSIZ`` less the zero) and none of
``/``, ``:`` and blanks; quotes and brackets, which it would allow, are left out for the sake of DDS's configuration."""

_IS_UP = 0x1


@dataclass(frozen=True)
class RobotAddress:
    """Where a robot is.

    Attributes:
        robot: Name of the robot, as contracts have it.
        interface: Network interface that leads to it, as ``ip link`` names it.
        domain: Number of the network on that interface, where the robot's transport tells several apart: a DDS domain,
            for example, or a UDP port.
    """

    robot: str
    interface: str
    domain: int = 0

    def __post_init__(self) -> None:
        """Refuse a robot, an interface or a domain that cannot exist."""
        if not _ROBOT.fullmatch(self.robot):
            raise SurefootError(f"{self.robot!r} is no name of a robot: letters, digits and _.")
        if not _INTERFACE.fullmatch(self.interface):
            raise SurefootError(
                f"--interface {self.interface!r} is no name of a network interface: at most 15 letters, digits and _ . "
                f"- @. There are: {', '.join(interfaces())}."
            )
        if self.domain < 0:
            raise SurefootError(f"--domain is {self.domain}; it must be 0 or more.")

    def __str__(self) -> str:
        return f"{self.robot} on interface {self.interface}, domain {self.domain}"


def interfaces() -> Dict[str, bool]:
    """Return the network interfaces of this computer by name, and whether each is up."""
    return {name: _up(name) for _, name in socket.if_nameindex()}


def require_interface(name: str) -> None:
    """Refuse a network interface that does not exist or is down.

    Raises:
        SurefootError: With the interfaces that there are.
    """
    present = interfaces()
    if name not in present:
        raise unknown_name("network interface", name, present, "See `ip link`; the robot's cable is on one of them.")
    if not present[name]:
        up = ", ".join(other for other, is_up in present.items() if is_up) or "none"
        raise SurefootError(
            f"Network interface {name} is down; up: {up}. Plug the cable in and see `ip link`, or bring it up: "
            f"ip link set {name} up."
        )


def _up(name: str) -> bool:
    try:
        flags = int(Path("/sys/class/net", name, "flags").read_text(), 16)
        state = Path("/sys/class/net", name, "operstate").read_text().strip()
    except (OSError, ValueError):  # systems other than Linux: what exists is taken as usable
        return True
    return bool(flags & _IS_UP) and state != "down"  # the loopback's state is "unknown"
