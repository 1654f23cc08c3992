"""How a contract's robot stands, sits and is damped without its policy, as the state machine takes it."""

import math
from dataclasses import dataclass
from typing import Iterator, NamedTuple, Tuple

from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError


@dataclass(frozen=True)
class Poses:
    """Poses without a policy, joints in the policy's order.

    Attributes:
        stand_rad: Standing pose [rad].
        sit_rad: Sitting pose [rad], in which the robot may become passive.
        crouch_rad: Pose that catches a robot which still moves [rad].
        stand_s: Duration of the motion to stand [s].
        sit_s: Duration of the motion to sit [s].
        crouch_s: Duration of the motion from walking to a crouch [s].
    """

    stand_rad: Tuple[float, ...]
    sit_rad: Tuple[float, ...]
    crouch_rad: Tuple[float, ...]
    stand_s: float
    sit_s: float
    crouch_s: float


@dataclass(frozen=True)
class HoldGains:
    """Gains without a policy, joints in the policy's order.

    Attributes:
        stiffness_nm_per_rad: Position gains that stand, sit and crouch [N m/rad].
        damping_nms_per_rad: Velocity gains that stand, sit and crouch [N m s/rad].
        damped_nms_per_rad: Velocity gains of the damped mode [N m s/rad].
    """

    stiffness_nm_per_rad: Tuple[float, ...]
    damping_nms_per_rad: Tuple[float, ...]
    damped_nms_per_rad: Tuple[float, ...]


class Hold(NamedTuple):
    """Poses and gains of a contract's robot, in the policy's order.

    Attributes:
        poses: Poses without the policy.
        gains: Gains without the policy.
    """

    poses: Poses
    gains: HoldGains


def hold_of(contract: Contract) -> Hold:
    """Return the poses and gains that hold a contract's robot, in the order of its policy."""
    handling = contract.handling
    return Hold(
        Poses(
            stand_rad=handling.stand_rad,
            sit_rad=handling.sit_rad,
            crouch_rad=handling.crouch_rad,
            stand_s=handling.stand_s,
            sit_s=handling.sit_s,
            crouch_s=handling.crouch_s,
        ),
        HoldGains(handling.stiffness_nm_per_rad, handling.damping_nms_per_rad, handling.damped_nms_per_rad),
    )


def check_poses(contract: Contract, poses: Poses, gains: HoldGains) -> None:
    """Refuse poses and gains that do not fit a contract's robot.

    Raises:
        SurefootError: All mistakes at once.
    """
    mistakes = list(_mistakes(contract, poses, gains))
    if mistakes:
        raise SurefootError("\n  ".join([f"Poses or gains of {contract.robot.name} are refused:", *mistakes]))


def _mistakes(contract: Contract, poses: Poses, gains: HoldGains) -> Iterator[str]:
    joints = contract.robot.joint_names
    for owner, least, valid in ((poses, -math.inf, "finite"), (gains, 0.0, "finite and >= 0")):
        for name, numbers in vars(owner).items():
            if not isinstance(numbers, tuple):
                if not (math.isfinite(numbers) and numbers > 0):
                    yield f"{name} is {numbers}; it must be > 0."
                continue
            if len(numbers) != len(joints):
                yield f"{name} has {len(numbers)} entries for {len(joints)} joints."
            if not all(math.isfinite(number) and number >= least for number in numbers):
                yield f"{name} is {numbers}; each must be {valid}."
    for name in ("stand_rad", "sit_rad", "crouch_rad"):
        for joint, position, limit in zip(joints, getattr(poses, name), contract.safety.joint_pos_limit_rad):
            if not limit.low <= position <= limit.high:
                yield f"{name} has {joint} at {position}; its range is {limit.low} to {limit.high}."
