"""Joints and feet by limb: poses and mirror images of robots whose names follow a pattern."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from surefoot_bridge.errors import SurefootError
from surefoot_robots.actuator_group import ActuatorGroup
from surefoot_robots.spec import Sign

Leg = tuple[float, float, float]
"""A number for each joint of a leg: abduction, hip, knee."""


@dataclass(frozen=True)
class FourLegs:
    """Names of a quadruped with three joints in each leg, of which the first turns about the forward axis.

    Attributes:
        legs: Front left, front right, hind left, hind right.
        parts: Abduction, hip and knee.
        joint: Pattern of a joint's name.
        foot: Pattern of a foot's name.
    """

    legs: tuple[str, str, str, str]
    parts: tuple[str, str, str]
    joint: str
    foot: str

    @property
    def joints(self) -> tuple[str, ...]:
        """All joints, leg by leg."""
        return tuple(self.joint.format(leg=leg, part=part) for leg in self.legs for part in self.parts)

    @property
    def feet(self) -> tuple[str, ...]:
        """All feet in the order of the legs."""
        return tuple(self.foot.format(leg=leg) for leg in self.legs)

    @property
    def joint_mirror(self) -> dict[str, tuple[str, Sign]]:
        """Joint -> (joint on the other side, sign): a reflection in the x-z plane turns abduction round."""
        joints = self.joints
        return {
            joint: (joints[index + 3 if index % 6 < 3 else index - 3], -1 if index % 3 == 0 else 1)
            for index, joint in enumerate(joints)
        }

    @property
    def foot_mirror(self) -> dict[str, str]:
        """Foot -> foot on the other side."""
        front_left, front_right, hind_left, hind_right = self.feet
        return _both_ways({front_left: front_right, hind_left: hind_right})

    @property
    def foot_diagonal(self) -> dict[str, str]:
        """Foot -> foot diagonally across."""
        front_left, front_right, hind_left, hind_right = self.feet
        return _both_ways({front_left: hind_right, front_right: hind_left})

    def pose(self, front: Leg, hind: Leg) -> dict[str, float]:
        """Return a pose that is its own mirror image [rad], given that of the left legs."""
        both = (front, (-front[0], *front[1:]), hind, (-hind[0], *hind[1:]))
        return dict(zip(self.joints, (position + 0.0 for leg in both for position in leg), strict=True))

    def alike(self, abduction: float, hip: float, knee: float) -> dict[str, float]:
        """Return numbers that are the same for every leg, as gains are."""
        return dict(zip(self.joints, (abduction, hip, knee) * 4, strict=True))


def joint_mirror(joints: Sequence[str], sides: tuple[str, str], turned: str) -> dict[str, tuple[str, Sign]]:
    """Return joint -> (joint on the other side, sign) of joints that are named after their side.

    Args:
        joints: All joints; one without a side is its own mirror image.
        sides: What stands in the names of left and of right joints.
        turned: Regular expression that full-matches the joints whose mirrored motion has the other sign.

    Raises:
        SurefootError: If the joint on the other side is missing.
    """
    left, right = sides
    mirror: dict[str, tuple[str, Sign]] = {}
    for joint in joints:
        partner = joint.replace(left, right) if left in joint else joint.replace(right, left)
        if partner not in joints:
            raise SurefootError(f"{joint} has no joint {partner} on the other side; joints: {', '.join(joints)}.")
        mirror[joint] = (partner, -1 if re.fullmatch(turned, joint) else 1)
    return mirror


def symmetric_pose(stated: Mapping[str, float], mirror: Mapping[str, tuple[str, Sign]]) -> dict[str, float]:
    """Return a pose that is its own mirror image [rad].

    Args:
        stated: Joint -> position of one side's joints and of those in the middle; joints that are not stated are at 0.
        mirror: Joint -> (joint on the other side, sign), of all joints.
    """
    return {
        joint: stated.get(joint, sign * stated.get(partner, 0.0)) + 0.0 for joint, (partner, sign) in mirror.items()
    }


def by_group(groups: Sequence[ActuatorGroup], joints: Sequence[str], values: Mapping[str, float]) -> dict[str, float]:
    """Return a number for each joint, given that of its actuator group.

    Args:
        groups: Actuator groups.
        joints: All joints.
        values: Group -> its joints' number.

    Raises:
        SurefootError: If a number is missing, or is that of no group.
    """
    odd = sorted({group.name for group in groups} ^ set(values))
    if odd:
        raise SurefootError(f"Numbers by actuator group lack or add {', '.join(odd)}; give one for each group.")
    return {
        joint: values[group.name] for joint in joints for group in groups if re.fullmatch(group.joint_pattern, joint)
    }


def _both_ways(pairs: Mapping[str, str]) -> dict[str, str]:
    return {**pairs, **{other: one for one, other in pairs.items()}}
