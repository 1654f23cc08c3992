"""The one description of a robot that every other part of Surefoot reads."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_robots import mjcf
from surefoot_robots.actuator_group import GROUP_FIELDS, ActuatorGroup
from surefoot_robots.handling import Handling
from surefoot_robots.interface import RobotInterface
from surefoot_robots.joint_group import JointGroup
from surefoot_robots.tuning import TaskTuning

Vec3 = tuple[float, float, float]
Sign = Literal[-1, 1]

JOINT_FIELDS = ("default_joint_pos", "action_scale_rad", "lower_limit_rad", "upper_limit_rad")
"""Further per-joint quantities that `RobotSpec.joint_values` knows."""

_MIRROR_TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True)
class RobotSpec:
    """Names, limits, gains, pose, symmetry and model of one robot.

    Everything that knows a joint or body name asks this object. It is checked against its MJCF when it is built, so
    that a specification which exists is consistent. Mappings are copied and read-only.

    Attributes:
        name: Name by which the robot is chosen, for example "unitree_go2".
        label: Short name for people, the end of its tasks' ids, for example "Go2": letters, digits, `_`, `-`, `.`.
        revision: Counts up whenever a number of the model changes; policies are bound to it.
        kind: What stands: a quadruped must hold its default pose under PD control, a humanoid need not.
        mjcf_path: MJCF of primitive shapes: no ground, no actuators, free joint at the base.
        base_body: Name of the root body, in whose frame (`_b`) base velocities are expressed.
        joint_names: Actuated joints in policy order, which is the order of declaration in the MJCF.
        sdk_joint_names: The same joints in the order of the robot's own low-level interface.
        foot_bodies: Bodies that are feet.
        sole_offsets_m: For each foot body, points in its frame; the sole height is the lowest world z of these points
            minus `sole_radius_m`.
        sole_radius_m: Radius of the spheres or capsules whose centres `sole_offsets_m` lists [m].
        base_height_m: Height of the base frame above flat ground, standing in the default pose [m].
        actuators: Groups that cover each joint exactly once.
        default_joint_pos: Joint -> position of the default pose [rad]; actions are offsets from it.
        joint_limits_rad: Joint -> (lower, upper) [rad].
        action_scale_rad: Joint -> change of the joint target for an action of 1 [rad].
        joint_groups: Name -> joints that tasks speak of together, for example "knee", "arms", "waist".
        joint_mirror: Joint -> (joint on the other side, sign) under reflection in the x-z plane.
        foot_mirror: Foot -> foot on the other side.
        foot_diagonal: Foot -> foot diagonally across; empty for a robot on two feet.
        fall_bodies: Bodies whose contact with the ground is a fall.
        imu_site: Site of the MJCF where the IMU is that its computer reports, on the base.
        handling: How it stands, sits and is damped without its policy.
        interface: What its own computer measures and how fast it takes commands.
        tuning: What tasks ask of a robot of its size and build.
    """

    name: str
    label: str
    revision: str
    kind: Literal["quadruped", "humanoid"]
    mjcf_path: Path
    base_body: str
    joint_names: tuple[str, ...]
    sdk_joint_names: tuple[str, ...]
    foot_bodies: tuple[str, ...]
    sole_offsets_m: tuple[tuple[Vec3, ...], ...]
    sole_radius_m: float
    base_height_m: float
    actuators: tuple[ActuatorGroup, ...]
    default_joint_pos: Mapping[str, float] = field(hash=False)
    joint_limits_rad: Mapping[str, tuple[float, float]] = field(hash=False)
    action_scale_rad: Mapping[str, float] = field(hash=False)
    joint_groups: Mapping[str, JointGroup] = field(hash=False)
    joint_mirror: Mapping[str, tuple[str, Sign]] = field(hash=False)
    foot_mirror: Mapping[str, str] = field(hash=False)
    foot_diagonal: Mapping[str, str] = field(hash=False)
    fall_bodies: tuple[str, ...]
    imu_site: str
    handling: Handling
    interface: RobotInterface
    tuning: TaskTuning

    def __post_init__(self) -> None:
        """Copy the mappings, then check every name and number against the MJCF and against each other."""
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Mapping):
                object.__setattr__(self, item.name, MappingProxyType(dict(value)))
        self._check_names()
        self._check_joint_numbers()
        self._check_groups()
        self._check_joint_groups()
        self._check_mirror()
        self._check_feet()
        self._check_imu()
        self.handling.check(self.name, self.joint_limits_rad)

    def __reduce__(self) -> tuple:
        """Rebuild from plain dictionaries, since read-only mappings can be neither pickled nor deep-copied."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return _rebuild, ({k: dict(v) if isinstance(v, Mapping) else v for k, v in values.items()},)

    @property
    def num_joints(self) -> int:
        """Number of actuated joints."""
        return len(self.joint_names)

    @property
    def imu(self) -> mjcf.Site:
        """Where the IMU is."""
        return mjcf.read_site(self.mjcf_path, self.imu_site)

    def resolve(self, pattern: str, expected: int) -> tuple[str, ...]:
        """Return the joints that full-match a regular expression, in policy order.

        Args:
            pattern: Regular expression.
            expected: How many joints it must match.

        Raises:
            SurefootError: If it matches another number of joints.
        """
        matched = tuple(name for name in self.joint_names if re.fullmatch(pattern, name))
        if len(matched) != expected:
            raise SurefootError(
                f"{self.name}: pattern {pattern!r} matches {len(matched)} joints ({', '.join(matched) or 'none'}), "
                f"expected {expected}; joints: {', '.join(self.joint_names)}."
            )
        return matched

    def joints_of(self, group: str) -> tuple[str, ...]:
        """Return the joints of one of `joint_groups`, in policy order.

        Raises:
            SurefootError: If the robot has no such group.
        """
        self._require(f"joint group of {self.name}", group, tuple(self.joint_groups))
        return self.resolve(*self.joint_groups[group])

    def leg_joints(self, foot: str) -> tuple[str, ...]:
        """Return the joints between the base and a foot, from the base on.

        Raises:
            SurefootError: If the robot has no such foot.
        """
        self._require(f"foot of {self.name}", foot, self.foot_bodies)
        return mjcf.joints_to(self.mjcf_path, foot)

    def group_of(self, joint: str) -> ActuatorGroup:
        """Return the actuator group that drives a joint.

        Raises:
            SurefootError: If the robot has no such joint.
        """
        self._require(f"joint of {self.name}", joint, self.joint_names)
        return next(group for group in self.actuators if re.fullmatch(group.joint_pattern, joint))

    def joint_values(self, quantity: str) -> tuple[float, ...]:
        """Return one number for each joint in policy order.

        Args:
            quantity: One of `GROUP_FIELDS` or `JOINT_FIELDS`.

        Raises:
            SurefootError: If the quantity is unknown.
        """
        self._require("joint quantity", quantity, GROUP_FIELDS + JOINT_FIELDS)
        if quantity in GROUP_FIELDS:
            return tuple(getattr(self.group_of(joint), quantity) for joint in self.joint_names)
        if quantity == "lower_limit_rad":
            return tuple(self.joint_limits_rad[joint][0] for joint in self.joint_names)
        if quantity == "upper_limit_rad":
            return tuple(self.joint_limits_rad[joint][1] for joint in self.joint_names)
        return tuple(getattr(self, quantity)[joint] for joint in self.joint_names)

    def mirror_permutation(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the reflection in the x-z plane on vectors in policy order.

        Returns:
            Indices and signs, such that `mirrored[i] = signs[i] * q[indices[i]]`.
        """
        partners = [self.joint_mirror[joint] for joint in self.joint_names]
        return tuple(self.joint_names.index(joint) for joint, _ in partners), tuple(sign for _, sign in partners)

    def _require(self, kind: str, value: str, valid: tuple[str, ...]) -> None:
        if value not in valid:
            raise unknown_name(kind, value, valid)

    def _check_names(self) -> None:
        if not re.fullmatch(r"[\w.-]+", self.label, re.ASCII):
            raise SurefootError(
                f"{self.name}: label is {self.label!r}; task ids end in it: use letters, digits, '_', '-' and '.'."
            )
        names = mjcf.read_names(self.mjcf_path)
        for joint in self.joint_names:
            self._require(f"joint of {self.mjcf_path.name}", joint, names.joints)
        if self.joint_names != names.joints:
            raise SurefootError(
                f"{self.name}: joint_names must be the joints of {self.mjcf_path.name} in their order of declaration: "
                f"{', '.join(names.joints)}."
            )
        if sorted(self.sdk_joint_names) != sorted(self.joint_names):
            wrong = sorted(set(self.sdk_joint_names) ^ set(self.joint_names)) or ["a repeated joint"]
            raise SurefootError(f"{self.name}: sdk_joint_names is no reordering of joint_names: {', '.join(wrong)}.")
        for body in (self.base_body, *self.foot_bodies, *self.fall_bodies):
            self._require(f"body of {self.mjcf_path.name}", body, names.bodies)
        if len(self.sole_offsets_m) != len(self.foot_bodies) or not all(self.sole_offsets_m):
            raise SurefootError(
                f"{self.name}: sole_offsets_m has {len(self.sole_offsets_m)} entries for {len(self.foot_bodies)} feet; "
                "give each foot at least one point."
            )

    def _check_joint_numbers(self) -> None:
        for quantity in ("default_joint_pos", "joint_limits_rad", "action_scale_rad", "joint_mirror"):
            keys = getattr(self, quantity).keys()
            for joint in keys:
                self._require(f"joint in {quantity} of {self.name}", joint, self.joint_names)
            missing = [joint for joint in self.joint_names if joint not in keys]
            if missing:
                raise SurefootError(f"{self.name}: {quantity} lacks {', '.join(missing)}; give every joint a value.")
        for joint, (lower, upper) in self.joint_limits_rad.items():
            if not lower < upper:
                raise SurefootError(f"{self.name}: limits of {joint} are ({lower}, {upper}); lower must be < upper.")
            if not lower <= self.default_joint_pos[joint] <= upper:
                raise SurefootError(
                    f"{self.name}: default position {self.default_joint_pos[joint]} of {joint} is outside its limits "
                    f"[{lower}, {upper}]."
                )
            if not self.action_scale_rad[joint] > 0:
                raise SurefootError(
                    f"{self.name}: action_scale_rad of {joint} is {self.action_scale_rad[joint]}; it must be > 0."
                )

    def _check_groups(self) -> None:
        owner: dict[str, str] = {}
        for group in self.actuators:
            for joint in self.resolve(group.joint_pattern, group.num_joints):
                if joint in owner:
                    raise SurefootError(
                        f"{self.name}: {joint} is in the actuator groups {owner[joint]!r} and {group.name!r}; "
                        "a joint has one actuator."
                    )
                owner[joint] = group.name
        missing = [joint for joint in self.joint_names if joint not in owner]
        if missing:
            raise SurefootError(f"{self.name}: no actuator group drives {', '.join(missing)}.")

    def _check_joint_groups(self) -> None:
        for group in (*self.joint_groups, self.tuning.rest_group):
            self.joints_of(group)

    def _check_mirror(self) -> None:
        for joint, (partner, sign) in self.joint_mirror.items():
            self._require(f"joint in joint_mirror of {self.name}", partner, self.joint_names)
            if self.joint_mirror[partner] != (joint, sign):
                raise SurefootError(
                    f"{self.name}: joint_mirror is asymmetric: {joint} -> {(partner, sign)}, but "
                    f"{partner} -> {self.joint_mirror[partner]}; mirroring twice must change nothing."
                )
            if self.group_of(joint) != self.group_of(partner):
                raise SurefootError(f"{self.name}: {joint} and its mirror {partner} are in different actuator groups.")
            lower, upper = self.joint_limits_rad[joint]
            ours = (self.default_joint_pos[joint], self.action_scale_rad[joint], lower, upper)
            lower, upper = sorted(sign * limit for limit in self.joint_limits_rad[partner])
            mirrored = (sign * self.default_joint_pos[partner], self.action_scale_rad[partner], lower, upper)
            if any(abs(a - b) > _MIRROR_TOLERANCE for a, b in zip(ours, mirrored, strict=True)):
                raise SurefootError(
                    f"{self.name}: (default, action scale, lower, upper) of {joint} is {ours}, but its mirror "
                    f"{partner} with sign {sign} gives {mirrored}."
                )

    def _check_feet(self) -> None:
        for quantity in ("foot_mirror", "foot_diagonal"):
            partner_of = getattr(self, quantity)
            for foot in (*partner_of, *partner_of.values()):
                self._require(f"foot in {quantity} of {self.name}", foot, self.foot_bodies)
            if quantity == "foot_diagonal" and not partner_of:
                continue
            if any(partner_of.get(partner_of.get(foot, "")) != foot for foot in self.foot_bodies):
                raise SurefootError(
                    f"{self.name}: {quantity} {dict(partner_of)} is asymmetric or incomplete; doing it twice must give "
                    f"each of {', '.join(self.foot_bodies)} back."
                )

    def _check_imu(self) -> None:
        if self.imu.body != self.base_body:
            raise SurefootError(
                f"{self.name}: the IMU's site {self.imu_site!r} is on {self.imu.body!r}; training shows a policy "
                f"what is measured on the base, {self.base_body!r}."
            )
        if self.imu.quat_wxyz != (1.0, 0.0, 0.0, 0.0):
            raise SurefootError(
                f"{self.name}: the IMU's site {self.imu_site!r} is turned by {self.imu.quat_wxyz}; training shows a "
                "policy what is measured in the base's axes. Turn the readings where they are made, and the site back."
            )


def _rebuild(values: dict) -> RobotSpec:
    """Build a specification again from what `RobotSpec.__reduce__` took apart."""
    return RobotSpec(**values)
