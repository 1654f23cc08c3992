"""How a contract's robot stands, sits and is damped without its policy, as the state machine takes it."""

from typing import NamedTuple

from .contract import Contract
from .machine_modes import HoldGains, Poses


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
