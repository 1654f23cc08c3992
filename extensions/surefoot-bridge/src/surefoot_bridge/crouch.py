"""The pose that catches a robot which still moves when its policy cannot stop it: low, and long in both directions.

A body that is stopped by stiff high legs tips over its front feet. How fast it may be until then grows with how far the
feet are ahead of the centre of mass and falls with its height: a Go2 in its standing pose, 0.31 m high with its feet
below its hips, tips down 10 degrees from about 0.8 m/s on; here it is 0.22 m high, with its front feet 0.07 m ahead of
the hips and its hind feet 0.09 m behind.
"""

from typing import Dict, Tuple

from .contract import Contract
from .machine_modes import Poses

CROUCH_S = 0.3
"""How long the motion from walking to a crouch takes [s]: Go2s at 0.3 m/s down 10 degrees tip over in 0.5 s."""

_SHARE = 0.4
"""How far a crouch is on the way from standing to sitting, for robots of which nothing else is known. Assumption."""

# By the end of a joint's name and the first letter of it: front or hind leg [rad]. Measured in MuJoCo down 10 degrees
# at 0.3 m/s: of 8 robots none fell; of 8 that went 0.4 of the way to sitting 4 fell, as of 6 that stood up at once.
_GO2: Dict[str, Dict[str, float]] = {
    "F": {"hip": 0.15, "thigh": 0.7, "calf": -2.0},
    "R": {"hip": 0.15, "thigh": 1.4, "calf": -2.0},
}


def crouch_rad(contract: Contract, poses: Poses) -> Tuple[float, ...]:
    """Return the pose that catches a contract's robot [rad], joints in the policy's order.

    Args:
        contract: The contract.
        poses: Its other poses.
    """
    if contract.robot.name == "unitree_go2":
        return tuple(_go2(name) for name in contract.robot.joint_names)
    return tuple((1.0 - _SHARE) * stand + _SHARE * sit for stand, sit in zip(poses.stand_rad, poses.sit_rad))


def _go2(name: str) -> float:
    leg, part = name.split("_")[:2]
    outwards = 1.0 if part != "hip" or leg.endswith("L") else -1.0
    return outwards * _GO2[leg[0]][part]
