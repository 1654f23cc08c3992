"""The parts of a contract that describe the policy: what it sees, what it does, and when.

The docstrings are also the descriptions in ``contract.schema.json``.
"""

from dataclasses import dataclass
from typing import Dict, Literal, NamedTuple, Optional, Tuple

from .robot import Interval
from .training import SensorError

Source = Literal[
    "gyro", "gravity", "joint_pos", "joint_vel", "last_action", "foot_contact", "command", "phase", "estimate"
]
"""What a term of the observation shows; see :data:`SOURCES` and :class:`ObservationTerm`."""

Frame = Literal["imu", "joints", "feet", "policy", "base", "none"]
"""What the components of a term belong to; see :class:`ObservationTerm`."""


class SourceKind(NamedTuple):
    """All that is to be known of a source, whatever the contract.

    Attributes:
        frame: What its components belong to: the only one in which it can be shown.
        size: How many it has: three ``axes``, one for each of ``joints``, ``feet`` or components of the ``command``, or
            as many as the contract's ``phase`` or ``estimate`` says.
        array: Field of :class:`~surefoot_bridge.state.RobotState` that shows it; empty for what is no report.
    """

    frame: Frame
    size: Literal["axes", "joints", "feet", "command", "phase", "estimate"]
    array: str


# Sensors of training remember what they showed in this order, up to the command, and checkpoints hold it: a source of
# the robot's is added behind its last one.
SOURCES: Dict[Source, SourceKind] = {
    "gyro": SourceKind("imu", "axes", "imu_ang_vel_rad_s"),
    "gravity": SourceKind("imu", "axes", "imu_quat_wxyz"),
    "joint_pos": SourceKind("joints", "joints", "joint_pos_rad"),
    "joint_vel": SourceKind("joints", "joints", "joint_vel_rad_s"),
    "last_action": SourceKind("policy", "joints", ""),
    "foot_contact": SourceKind("feet", "feet", "foot_force_n"),
    "command": SourceKind("base", "command", ""),
    "phase": SourceKind("feet", "phase", ""),
    "estimate": SourceKind("none", "estimate", ""),
}
"""The sources, each declared once."""


@dataclass(frozen=True)
class GainPart:
    """Gains of the policy's joint controller ``torque = stiffness (target - position) - damping velocity``.

    Attributes:
        stiffness_nm_per_rad: Position gain of each joint [N m/rad].
        damping_nms_per_rad: Velocity gain of each joint [N m s/rad].
        handover_s: Time over which target, stiffness and damping of each joint pass from what the joint was told last,
            by whatever held the robot until then, to the policy's [s]: along ``3 x^2 - 2 x^3`` of the share ``x`` of
            this time. The policy acts from its first step on and sees its own actions, not the blend.
    """

    stiffness_nm_per_rad: Tuple[float, ...]
    damping_nms_per_rad: Tuple[float, ...]
    handover_s: float


@dataclass(frozen=True)
class ActionPart:
    """What an action means: ``target = base + scale clip(action, -clip_at, clip_at)``. The clip comes before the scale.

    Attributes:
        kind: ``joint_position_offset``: the base is the default pose. ``joint_position_residual``: it is the target of
            the base controller.
        scale_rad: Change of each joint's target for an action of 1 [rad].
        clip_at: Largest absolute action. ``last_action`` shows the clipped action.
        clamped_to_limits: Whether training clamped targets to ``safety.joint_pos_limit_rad``, before any filter. Where
            false, a target beyond the range is how the policy asks for torque at its end: ``golden.npz`` holds such
            targets, and neither observation nor filter knows of the clamp with which a robot is protected.
        low_pass_hz: Cut-off frequency of a first-order filter of the targets [Hz], which begins at an episode's first
            target and goes ``1 - exp(-2 pi low_pass_hz control_period_s)`` of the way in each step; null where there
            is none.
        trained_delay_s: Delays of the command that the policy was trained with [s].
    """

    kind: Literal["joint_position_offset", "joint_position_residual"]
    scale_rad: Tuple[float, ...]
    clip_at: float
    clamped_to_limits: bool
    low_pass_hz: Optional[float]
    trained_delay_s: Interval


@dataclass(frozen=True)
class TimingPart:
    """When the policy acts.

    Attributes:
        control_period_s: Time between two actions [s].
        low_level_hz: Rate of commands to the motors [Hz], each with the newest target; a whole number of them in a
            control period.
    """

    control_period_s: float
    low_level_hz: float


@dataclass(frozen=True)
class ObservationTerm:
    """One term of the observation: ``clip(scale x, -clip_at, clip_at)``; here the scale comes before the clip.

    Attributes:
        name: Name of the term.
        source: What ``x`` is. ``gyro``: angular velocity [rad/s]. ``gravity``: unit vector that points down, (0, 0, -1)
            for a level robot, by the IMU's attitude estimate (its noise was added in training without bringing it back
            to length 1). ``joint_pos``: encoders less the default pose [rad].
            ``joint_vel``: encoders [rad/s]. ``foot_contact``: 0 or 1 for each foot. ``last_action``: the policy's last
            output, clipped; 0 at the start of an episode. ``command``: what the robot is asked to do; it has no
            history. ``phase``: sine and cosine of each foot's phase. ``estimate``: output of the estimator.
        frame: What its components belong to. ``imu``: axes of the IMU. ``joints``, ``feet``: joints or feet in the
            policy's order. ``policy``: the policy's own outputs. ``base``: axes of the base. ``none``: as their names
            say. Each source has one frame.
        dim: Number of components of one control step.
        scale: Factor of what the source shows.
        clip_at: Largest absolute value after scaling; null where there is none.
        history: Number of control steps that it spans; 1 shows the present only.
        trained_noise: Sensor errors that the policy was trained with, by parameter of the randomization.
    """

    name: str
    source: Source
    frame: Frame
    dim: int
    scale: float
    clip_at: Optional[float]
    history: int
    trained_noise: Dict[str, SensorError]


@dataclass(frozen=True)
class ObservationPart:
    """The observation: its terms one after another, float32.

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
        names: Components, each with its unit: ``lin_vel_x_m_s`` (forward), ``lin_vel_y_m_s`` (to the left),
            ``ang_vel_z_rad_s`` (turn to the left), all in the frame of the base. The columns of ``command`` in
            ``golden.npz`` are in this order.
        trained: Range of each that the policy was trained with.
    """

    names: Tuple[str, ...]
    trained: Tuple[Interval, ...]


@dataclass(frozen=True)
class RecurrentPart:
    """Memory of the network.

    Attributes:
        kind: Kind of cell, with PyTorch's equations and order of gates.
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
    """The network that belongs to this contract, in ``policy.npz``.

    It is ``(observation - normalizer.mean) / normalizer.std``, then layers of memory ``memory.CELL.I.*`` if it has any,
    then linear layers ``mlp.ACTIVATION.I.weight x + mlp.ACTIVATION.I.bias`` with the activation between two of them.
    None follows the last, whatever its name says. I counts from 0.

    Attributes:
        weights_sha256: SHA-256 of its parameters: for each array the line ``NAME SIZE`` or ``NAME ROWSxCOLUMNS`` with
            its line feed, then its little-endian bytes, rows first. Order: mean, std, memory, perceptron; layers
            counted up, of each the weights before the biases.
        observation_dim: Length of its input.
        action_dim: Length of its output.
        recurrent: Its memory; null where it has none.
    """

    weights_sha256: str
    observation_dim: int
    action_dim: int
    recurrent: Optional[RecurrentPart]


@dataclass(frozen=True)
class PhasePart:
    """A clock that the policy sees as ``phase``: ``sin(2 pi p)`` of each foot, then ``cos(2 pi p)`` of each.

    ``p`` is the time since the episode's start over the period, plus the foot's offset.

    Attributes:
        period_s: Duration of a gait cycle [s].
        offsets: Offset of each of ``robot.foot_names``, as a share of the period, in [0, 1).
        stance_share: Share of the period for which a foot is down, from its phase 0 on.
        standing: What the clock does while all of the command is 0: it ``runs`` or is ``held``.
    """

    period_s: float
    offsets: Tuple[float, ...]
    stance_share: float
    standing: Literal["runs", "held"]


@dataclass(frozen=True)
class EstimatePart:
    """A second network, laid out as the policy's, whose output the policy sees as ``estimate``.

    Attributes:
        names: What it estimates, each with frame and unit: ``base_lin_vel_x_m_s``.
        terms: Names of the terms of the observation that it sees, in order.
        file: File of the bundle that holds its weights.
        weights_sha256: SHA-256 of its parameters, as in ``network``.
    """

    names: Tuple[str, ...]
    terms: Tuple[str, ...]
    file: str
    weights_sha256: str


@dataclass(frozen=True)
class BaseControllerPart:
    """A controller whose joint targets the policy's action corrects.

    Attributes:
        name: Name of the controller.
        version: Its version; a bridge obeys the very one or none.
        parameters: Its parameters by name, each with its unit in the name.
    """

    name: str
    version: str
    parameters: Dict[str, float]
