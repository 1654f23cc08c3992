"""The parts of a contract. No field has a default: a policy depends on all of them."""

from dataclasses import dataclass
from typing import Dict, Literal, Optional, Tuple

from .errors import SurefootError

Source = Literal["gyro", "gravity", "joint_pos", "joint_vel", "foot_contact", "last_action", "command"]
"""What a term of the observation shows.

- ``gyro``: angular velocity of the base [rad/s], in the frame of the IMU.
- ``gravity``: unit vector of gravity by the IMU's attitude estimate, in the frame of the IMU.
- ``joint_pos``, ``joint_vel``: encoders [rad] relative to the default pose, and [rad/s].
- ``foot_contact``: 0 or 1 for each foot sensor.
- ``last_action``: the policy's last output, clipped, for each joint.
- ``command``: what the controller is asked to do. It is no measurement: it is shown as it is when asked for, and so has
  no history.
"""

Frame = Literal["imu", "joints", "feet", "policy", "base"]
"""What the components of a term belong to: axes of the IMU, joints or feet in the policy's order, the policy's own
outputs, or axes of the base."""

FRAMES: Dict[str, Frame] = {
    "gyro": "imu",
    "gravity": "imu",
    "joint_pos": "joints",
    "joint_vel": "joints",
    "foot_contact": "feet",
    "last_action": "policy",
    "command": "base",
}
"""Frame of each source: the only one in which this package can show it."""


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
class RobotPart:
    """The robot and its joints.

    Attributes:
        name: Name of the robot, as ``surefoot robots list`` shows it.
        revision: Revision of its model.
        joint_names: Joints in the policy's order. Every list with one number for each joint is in this order.
        sdk_joint_names: The same joints in the order of the robot's own low-level interface.
        foot_names: Feet in the policy's order.
        default_joint_pos_rad: Default pose [rad], of which actions and observed positions are offsets.
    """

    name: str
    revision: str
    joint_names: Tuple[str, ...]
    sdk_joint_names: Tuple[str, ...]
    foot_names: Tuple[str, ...]
    default_joint_pos_rad: Tuple[float, ...]


@dataclass(frozen=True)
class GainPart:
    """Gains of the joint controller ``torque = stiffness (target - position) - damping velocity``.

    Attributes:
        stiffness_nm_per_rad: Position gain of each joint [N m/rad].
        damping_nms_per_rad: Velocity gain of each joint [N m s/rad].
        handover_s: Time over which targets and gains pass from those that hold the robot to the policy's [s].
    """

    stiffness_nm_per_rad: Tuple[float, ...]
    damping_nms_per_rad: Tuple[float, ...]
    handover_s: float


@dataclass(frozen=True)
class ActionPart:
    """What an action means.

    Attributes:
        kind: ``joint_position_offset``: ``target = default + scale clip(action, -clip_at, clip_at)``.
        scale_rad: Change of each joint's target for an action of 1 [rad].
        clip_at: Largest absolute action; the clipped action is also what ``last_action`` shows.
        low_pass_hz: Cut-off frequency of a first-order filter of the targets [Hz]; null where there is none.
        trained_delay_s: Delays of the command that the policy was trained with [s].
    """

    kind: Literal["joint_position_offset"]
    scale_rad: Tuple[float, ...]
    clip_at: float
    low_pass_hz: Optional[float]
    trained_delay_s: Interval


@dataclass(frozen=True)
class TimingPart:
    """When the policy acts.

    Attributes:
        control_period_s: Time between two actions [s].
        low_level_hz: Rate of commands to the motors [Hz].
    """

    control_period_s: float
    low_level_hz: float


@dataclass(frozen=True)
class ObservationTerm:
    """One term of the observation: ``clip(scale x, -clip_at, clip_at)`` for what the source measures.

    Attributes:
        name: Name of the term.
        source: What it shows.
        frame: What its components belong to.
        dim: Number of components of one control step.
        scale: Factor.
        clip_at: Largest absolute value after scaling; null where there is none.
        history: Number of control steps that it spans; 1 shows the present only.
        trained_noise: Ranges of the sensor errors that the policy was trained with, by parameter of the randomization.
    """

    name: str
    source: Source
    frame: Frame
    dim: int
    scale: float
    clip_at: Optional[float]
    history: int
    trained_noise: Dict[str, Interval]


@dataclass(frozen=True)
class ObservationPart:
    """The observation, term by term.

    Attributes:
        layout: ``term_major_oldest_first``: for each term its history, oldest step first.
        begin: ``first_reading_fills_history``: at the start of an episode all steps show the first reading, and the
            last action is 0.
        foot_contact_force_n: Force of a foot sensor above which ``foot_contact`` is 1 [N].
        terms: The terms in order.
    """

    layout: Literal["term_major_oldest_first"]
    begin: Literal["first_reading_fills_history"]
    foot_contact_force_n: float
    terms: Tuple[ObservationTerm, ...]


@dataclass(frozen=True)
class CommandPart:
    """What the policy can be asked to do.

    Attributes:
        names: Components, each with its unit: ``lin_vel_x_m_s``, ``lin_vel_y_m_s``, ``ang_vel_z_rad_s``.
        trained: Range of each that the policy was trained with.
    """

    names: Tuple[str, ...]
    trained: Tuple[Interval, ...]


@dataclass(frozen=True)
class RecurrentPart:
    """Memory of the network.

    Attributes:
        kind: Kind of cell.
        num_layers: Number of layers.
        hidden_dim: Size of each layer's state.
        reset: ``zeros``: state at the start of an episode.
    """

    kind: Literal["lstm", "gru"]
    num_layers: int
    hidden_dim: int
    reset: Literal["zeros"]


@dataclass(frozen=True)
class NetworkPart:
    """The network that belongs to this contract.

    Attributes:
        weights_sha256: SHA-256 of its parameters; see :func:`surefoot_bridge.weights.digest`.
        observation_dim: Length of its input.
        action_dim: Length of its output.
        recurrent: Its memory; null where it has none.
    """

    weights_sha256: str
    observation_dim: int
    action_dim: int
    recurrent: Optional[RecurrentPart]


@dataclass(frozen=True)
class SafetyPart:
    """Limits of the robot, whatever the policy asks.

    Attributes:
        joint_pos_limit_rad: Range of each joint [rad].
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


@dataclass(frozen=True)
class RandomizedRange:
    """Range of a randomized parameter.

    Attributes:
        unit: Its unit; ``-`` without one.
        distribution: How it was drawn.
        low: Low end of each column.
        high: High end of each column.
        share: How far adaptive ranges had grown from the nominal value towards either end, in [0, 1].
    """

    unit: str
    distribution: str
    low: Tuple[float, ...]
    high: Tuple[float, ...]
    share: Interval


@dataclass(frozen=True)
class TrainingPart:
    """What the policy was trained with.

    Attributes:
        task: Task.
        engine: Physics engine.
        versions: Versions of the packages that matter.
        commit: Commit of Surefoot, with ``-dirty`` where files had changed.
        seed: Seed.
        iterations: Completed iterations.
        preset: Preset of the randomization.
        ranges: Ranges of the randomization, by parameter.
    """

    task: str
    engine: str
    versions: Dict[str, str]
    commit: str
    seed: int
    iterations: int
    preset: str
    ranges: Dict[str, RandomizedRange]


@dataclass(frozen=True)
class Score:
    """How the policy did where it was measured.

    Attributes:
        engine: Physics engine.
        preset: Preset of the randomization; ``none`` is the nominal robot.
        episodes: Number of episodes.
        figures: Figures by name.
    """

    engine: str
    preset: str
    episodes: int
    figures: Dict[str, float]
