"""What a log says in a few numbers."""

from dataclasses import dataclass
from typing import Dict, Optional, Tuple


@dataclass(frozen=True)
class Spread:
    """How a quantity is spread, in its unit.

    Attributes:
        median: Half of the values are below it.
        p99: 99 of 100 values are below it.
        highest: Largest value.
    """

    median: float
    p99: float
    highest: float


@dataclass(frozen=True)
class ModeBand:
    """A time in one mode.

    Attributes:
        mode: The mode.
        start_s: When it began, from the start of the log [s].
        end_s: When it ended [s].
        reason: Why it was entered.
    """

    mode: str
    start_s: float
    end_s: float
    reason: str


@dataclass(frozen=True)
class EventCount:
    """Events of one kind.

    Attributes:
        name: The rule, or another kind of event.
        response: The response that was given last.
        count: How many there were.
        first_s: When the first was, from the start of the log [s].
        last_s: When the last was [s].
        message: What the first one said.
    """

    name: str
    response: str
    count: int
    first_s: float
    last_s: float
    message: str


@dataclass(frozen=True)
class JointPeaks:
    """How far a joint went. Numbers are None where nothing finite was measured.

    Attributes:
        name: The joint.
        torque_nm: Largest absolute torque [N m].
        torque_share: The same as a share of the contract's limit.
        torque_at_s: When, from the start of the log [s].
        speed_rad_s: Largest absolute velocity [rad/s].
        temperature_c: Highest temperature of the motor [degrees Celsius].
        lowest_rad: Lowest position [rad].
        highest_rad: Highest position [rad].
    """

    name: str
    torque_nm: Optional[float]
    torque_share: Optional[float]
    torque_at_s: Optional[float]
    speed_rad_s: Optional[float]
    temperature_c: Optional[float]
    lowest_rad: Optional[float]
    highest_rad: Optional[float]


@dataclass(frozen=True)
class CommandRange:
    """What was asked of the policy in one component.

    Attributes:
        name: The component, with its unit.
        lowest: Lowest value; None where none was logged.
        highest: Highest value.
        trained_low: Low end of what the policy was trained with.
        trained_high: High end.
    """

    name: str
    lowest: Optional[float]
    highest: Optional[float]
    trained_low: float
    trained_high: float


@dataclass(frozen=True)
class LogSummary:
    """A log in a few numbers. Times are from the start of the log; spreads are None where there is nothing to spread.

    Attributes:
        files: Its files.
        started_utc: When it was begun.
        robot: Name of the robot.
        stage: How far it was trusted.
        bundle: Identity of the bundle.
        contract_sha256: SHA-256 of the contract.
        finished: Whether its writer came to its end.
        lost_bytes: Bytes that are cut off.
        damaged_bytes: Bytes whose checksum is wrong.
        dropped: Entries that are missing because the queue was full.
        notes: What a reader should know.
        duration_s: From the first message to the last [s].
        messages: Number of messages by topic.
        period_s: Time between two ticks [s].
        jitter_s: Absolute deviation of that time from its median [s].
        lateness_s: Start of a tick minus when it was due [s].
        phases_s: Duration of each phase of a tick [s].
        modes: Modes in their order.
        mode_s: Time in each mode [s].
        events: Events by kind, the most frequent first.
        commands: What was asked of the policy.
        joints: Joints, in the order of the robot's interface.
        tilt_rad: Largest angle between the IMU's vertical and the world's [rad].
        battery_share: Lowest charge of the battery.
    """

    files: Tuple[str, ...]
    started_utc: str
    robot: str
    stage: str
    bundle: str
    contract_sha256: str
    finished: bool
    lost_bytes: int
    damaged_bytes: int
    dropped: int
    notes: Tuple[str, ...]
    duration_s: float
    messages: Dict[str, int]
    period_s: Optional[Spread]
    jitter_s: Optional[Spread]
    lateness_s: Optional[Spread]
    phases_s: Dict[str, Spread]
    modes: Tuple[ModeBand, ...]
    mode_s: Dict[str, float]
    events: Tuple[EventCount, ...]
    commands: Tuple[CommandRange, ...]
    joints: Tuple[JointPeaks, ...]
    tilt_rad: Optional[float]
    battery_share: Optional[float]
