"""Which robot a bridge talks to, as ``--robot`` names it, and how it is opened."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Optional

from .clock import Clock
from .contract import Contract
from .errors import SurefootError, unknown_name
from .robot import Robot
from .unitree.address import LOOPBACK, RobotAddress

UNITREE = {"go2": "unitree_go2", "g1": "unitree_g1"}
"""Real and emulated robots by their short names."""

_REPLAY = "replay:"
VALID = ("mujoco", *UNITREE, f"{_REPLAY}LOG")
"""What ``--robot`` takes."""


@dataclass(frozen=True)
class RobotPlace:
    """Where a robot is.

    Attributes:
        kind: ``mujoco`` for one in this process, ``unitree`` for one on the network, ``replay`` for a log.
        address: Where on the network; None elsewhere.
        log: The log that is replayed; None elsewhere.
    """

    kind: Literal["mujoco", "unitree", "replay"]
    address: Optional[RobotAddress] = None
    log: Optional[Path] = None

    @property
    def on_hardware(self) -> bool:
        """Whether a real robot will be moved: any on the network but on the loopback, where emulated ones are."""
        return self.address is not None and self.address.interface != LOOPBACK

    def describe(self, robot: str) -> str:
        """Return where a robot is, for a person."""
        if self.address is not None:
            return f"{'' if self.on_hardware else 'emulated '}{self.address}"
        return f"{robot} in MuJoCo" if self.log is None else f"{robot} replayed from {self.log}"

    def open(self, contract: Contract, clock: Clock, *, timeout_s: float) -> Robot:
        """Open the robot. Nothing is sent to it yet.

        Args:
            contract: The contract.
            clock: The control loop's clock.
            timeout_s: How long to wait for a robot on the network [s].

        Raises:
            SurefootError: If it is not there, or not the contract's.
        """
        if self.address is not None:
            from .unitree import open_robot

            return open_robot(self.address, contract, clock=clock, timeout_s=timeout_s)
        if self.log is not None:
            from .replay_robot import ReplayRobot

            return ReplayRobot(self.log, clock=clock)
        from .mujoco_robot import MujocoRobot
        from .robot_model import robot_model

        return MujocoRobot(robot_model(contract.robot.name), clock=clock)


def parse_place(robot: str, *, interface: Optional[str], domain: Optional[int]) -> RobotPlace:
    """Return what ``--robot``, ``--interface`` and ``--domain`` say.

    Raises:
        SurefootError: If the robot is unknown, or the options do not go together.
    """
    if robot in UNITREE:
        if interface is None:
            raise SurefootError(
                f"--robot {robot} needs --interface: the network interface that leads to it, as `ip link` names it; "
                f"{LOOPBACK} for one that `surefoot-bridge emulate` emulates on this computer."
            )
        return RobotPlace("unitree", address=RobotAddress(UNITREE[robot], interface, 0 if domain is None else domain))
    if interface is not None or domain is not None:
        raise SurefootError(f"--interface and --domain are for {', '.join(UNITREE)}; --robot is {robot}.")
    if robot == "mujoco":
        return RobotPlace("mujoco")
    if robot.startswith(_REPLAY) and robot != _REPLAY:
        return RobotPlace("replay", log=Path(robot[len(_REPLAY) :]))
    raise unknown_name("robot", robot, VALID)
