"""The parts of a contract that describe the robot. No field has a default: a policy depends on all of them.

The docstrings are also the descriptions in ``contract.schema.json``: they say all that somebody needs who runs a policy
without this package.
"""

from dataclasses import dataclass
from typing import Literal, Optional, Tuple

from surefoot_bridge.errors import SurefootError


@dataclass(frozen=True)
class Interval:
    """A range of numbers.

    Attributes:
        low: Least value.
        high: Largest value, at least ``low``.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        """Refuse an inverted range."""
        if not self.low <= self.high:
            raise SurefootError(f"a range from {self.low} to {self.high} is inverted.")


@dataclass(frozen=True)
class ImuPart:
    """Where the IMU is mounted, in the frame of the base.

    Attributes:
        body: Body that carries it: the base.
        axes: ``x_forward_y_left_z_up``: right-handed axes of the base; the IMU's are these turned by ``quat_wxyz``.
        pos_m: Its place in the frame of the base [m], (3,). The accelerometer measures there.
        quat_wxyz: Rotation from the IMU's frame to the base's, unit quaternion, scalar first, (4,).
    """

    body: str
    axes: Literal["x_forward_y_left_z_up"]
    pos_m: Tuple[float, ...]
    quat_wxyz: Tuple[float, ...]


@dataclass(frozen=True)
class RobotPart:
    """The robot, its joints and its feet. Names are of printable ASCII without spaces.

    Attributes:
        name: Name of the robot, as ``surefoot robots list`` shows it.
        revision: Revision of its model.
        kind: Kind of robot, by its legs.
        joint_names: Joints in the policy's order. Every list in this contract with one number for each joint is in this
            order, as are ``action`` and ``applied_action`` in ``golden.npz``.
        sdk_joint_names: The same joints in the order of the robot's own low-level interface. The columns of
            ``report.*`` and ``joints.*`` in ``golden.npz`` are in this order.
        foot_names: Feet in the policy's order.
        mirror_foot_names: For each of ``foot_names`` the foot on the other side, left for right.
        diagonal_foot_names: For each of ``foot_names`` the one diagonally across; null for a robot on two feet.
        default_joint_pos_rad: Default pose [rad]. Actions and observed joint positions are offsets from it.
        imu: Where its IMU is mounted.
    """

    name: str
    revision: str
    kind: Literal["quadruped", "humanoid"]
    joint_names: Tuple[str, ...]
    sdk_joint_names: Tuple[str, ...]
    foot_names: Tuple[str, ...]
    mirror_foot_names: Tuple[str, ...]
    diagonal_foot_names: Optional[Tuple[str, ...]]
    default_joint_pos_rad: Tuple[float, ...]
    imu: ImuPart


@dataclass(frozen=True)
class HandlingPart:
    """How the robot is held without its policy: ``torque = stiffness (target - position) - damping velocity``.

    Stand, sit and crouch move each joint's target from where the joint is to the pose, along ``3 x^2 - 2 x^3`` of the
    share ``x`` of the duration, and hold it there.

    Attributes:
        stand_rad: Standing pose [rad], from which the policy takes over.
        sit_rad: Pose in which the robot may become passive [rad].
        crouch_rad: Pose that catches a robot which still moves although its policy was to stop it [rad]: low and wide,
            between standing and sitting. A body that is stopped by stiff high legs tips over its front feet.
        stand_s: Duration of the motion to stand [s].
        sit_s: Duration of the motion to sit [s].
        crouch_s: Duration of the motion from walking to a crouch, and of the hand-over to its gains [s].
        stiffness_nm_per_rad: Position gains that stand, sit and crouch [N m/rad].
        damping_nms_per_rad: Velocity gains that stand, sit and crouch [N m s/rad].
        damped_nms_per_rad: Velocity gains of the damped robot, which has no other torque [N m s/rad].
        rests_without_gantry: Whether the robot comes to rest on the ground in the sitting pose, so that it may become
            passive there. Where false, it falls unless something carries it.
        passive_needs: What must hold before the robot becomes passive, as a person reads it: "its belly lies on the
            ground".
    """

    stand_rad: Tuple[float, ...]
    sit_rad: Tuple[float, ...]
    crouch_rad: Tuple[float, ...]
    stand_s: float
    sit_s: float
    crouch_s: float
    stiffness_nm_per_rad: Tuple[float, ...]
    damping_nms_per_rad: Tuple[float, ...]
    damped_nms_per_rad: Tuple[float, ...]
    rests_without_gantry: bool
    passive_needs: str


@dataclass(frozen=True)
class SafetyPart:
    """Limits of the robot, whatever the policy asks. A robot's interface may have lower ones; none may be exceeded.

    Attributes:
        joint_pos_limit_rad: Range of each joint [rad]. Targets that are sent are clamped to it.
        joint_vel_limit_rad_s: Speed of each joint at which its motor has no torque left [rad/s].
        torque_limit_nm: Largest torque of each joint [N m].
        target_rate_limit_rad_s: Largest rate at which each joint's target may move [rad/s], counted over a control
            period: an action may move it at once by as much as the rate allows in one.
        tilt_limit_rad: Angle between the base's and the world's vertical from which the robot has fallen [rad].
        motor_temperature_limit_c: Temperature of a motor from which it must rest [degrees Celsius].
    """

    joint_pos_limit_rad: Tuple[Interval, ...]
    joint_vel_limit_rad_s: Tuple[float, ...]
    torque_limit_nm: Tuple[float, ...]
    target_rate_limit_rad_s: Tuple[float, ...]
    tilt_limit_rad: float
    motor_temperature_limit_c: float
