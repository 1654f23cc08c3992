"""The contract itself, and the rules between its parts."""

import math
import re
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from surefoot_bridge.errors import SurefootError, refusal

from .policy import (
    SOURCES,
    ActionPart,
    BaseControllerPart,
    CommandPart,
    EstimatePart,
    GainPart,
    NetworkPart,
    ObservationPart,
    PhasePart,
    TimingPart,
)
from .robot import HandlingPart, RobotPart, SafetyPart
from .training import Score, TrainingPart

SCHEMA = 2
"""Version of the contract that this package writes and reads."""


@dataclass(frozen=True)
class Contract:
    """What a policy was trained to see and to move.

    Attributes:
        schema: Version of this structure.
        robot: The robot and its joints.
        handling: How it is held without the policy.
        gains: Gains of the policy's joint controller.
        action: What an action means.
        timing: When the policy acts.
        observation: What it sees.
        command: What it can be asked to do.
        network: The network that belongs to this contract.
        phase: The clock that it sees; null where it has none.
        estimate: The estimator that it sees; null where it has none.
        base_controller: The controller whose targets it corrects; null where it has none.
        safety: Limits of the robot.
        training: What it was trained with.
        scores: How it did.
    """

    schema: int
    robot: RobotPart
    handling: HandlingPart
    gains: GainPart
    action: ActionPart
    timing: TimingPart
    observation: ObservationPart
    command: CommandPart
    network: NetworkPart
    phase: Optional[PhasePart]
    estimate: Optional[EstimatePart]
    base_controller: Optional[BaseControllerPart]
    safety: SafetyPart
    training: TrainingPart
    scores: Tuple[Score, ...]

    def __post_init__(self) -> None:
        """Refuse parts that do not fit each other; all mistakes are named at once."""
        if self.schema != SCHEMA:
            raise SurefootError(f"schema is {self.schema}; it must be {SCHEMA}.")
        mistakes = list(_mistakes(self))
        if mistakes:
            raise refusal("", mistakes)

    @property
    def sdk_order(self) -> Tuple[int, ...]:
        """For each joint of the robot's interface its place in the policy's order: ``sdk = policy[order]``."""
        return tuple(self.robot.joint_names.index(name) for name in self.robot.sdk_joint_names)

    @property
    def policy_order(self) -> Tuple[int, ...]:
        """For each joint of the policy its place in the interface's order: ``policy = sdk[order]``."""
        return tuple(self.robot.sdk_joint_names.index(name) for name in self.robot.joint_names)


_POSITIVE = (
    "handling.stand_s",
    "handling.sit_s",
    "handling.crouch_s",
    "gains.stiffness_nm_per_rad",
    "action.scale_rad",
    "action.clip_at",
    "action.low_pass_hz",
    "timing.control_period_s",
    "timing.low_level_hz",
    "observation.foot_contact_force_n",
    "safety.joint_vel_limit_rad_s",
    "safety.torque_limit_nm",
    "safety.target_rate_limit_rad_s",
    "safety.tilt_limit_rad",
    "safety.motor_temperature_limit_c",
    "network.observation_dim",
    "network.action_dim",
)
_NOT_NEGATIVE = (
    "handling.stiffness_nm_per_rad",
    "handling.damping_nms_per_rad",
    "handling.damped_nms_per_rad",
    "gains.damping_nms_per_rad",
    "gains.handover_s",
    "training.iterations",
)
_AT_MOST = {
    "handling.stand_s": 60.0,
    "handling.sit_s": 60.0,
    "handling.crouch_s": 60.0,
    "gains.handover_s": 60.0,
    "timing.control_period_s": 1.0,
    "timing.low_level_hz": 10_000.0,
    "network.observation_dim": 100_000,
}
"""More than any robot has, and what a loop can still work with."""
_MOST = {"robot.joint_names": 128, "robot.foot_names": 128, "observation.terms": 128, "command.names": 128}
"""Longest lists, likewise; as long as they are read once for each item."""
_FOR_EACH_JOINT = (
    "robot.default_joint_pos_rad",
    "handling.stand_rad",
    "handling.sit_rad",
    "handling.crouch_rad",
    "handling.stiffness_nm_per_rad",
    "handling.damping_nms_per_rad",
    "handling.damped_nms_per_rad",
    "gains.stiffness_nm_per_rad",
    "gains.damping_nms_per_rad",
    "action.scale_rad",
    "safety.joint_pos_limit_rad",
    "safety.joint_vel_limit_rad_s",
    "safety.torque_limit_nm",
    "safety.target_rate_limit_rad_s",
)
_POSES = ("robot.default_joint_pos_rad", "handling.stand_rad", "handling.sit_rad", "handling.crouch_rad")
_NAMES = (
    "robot.name",
    "robot.joint_names",
    "robot.sdk_joint_names",
    "robot.foot_names",
    "robot.imu.body",
    "command.names",
)
_PLAIN = re.compile(r"[!-~]+")  # printable ASCII: two names that look alike are alike
_UNIT_TOLERANCE = 1e-6


def _mistakes(contract: Contract) -> Iterator[str]:
    """Name what does not fit in a contract, one line each."""
    lengths = {name: len(_at(contract, name)) for name in _MOST}
    too_long = [f"{name} has {n} items; at most {_MOST[name]}." for name, n in lengths.items() if n > _MOST[name]]
    if too_long:
        yield from too_long
        return
    for name in _POSITIVE:
        if any(not (math.isfinite(number) and number > 0) for number in _numbers(contract, name)):
            yield f"{name} is {_at(contract, name)}; it must be > 0."
    for name in _NOT_NEGATIVE:
        if any(not (math.isfinite(number) and number >= 0) for number in _numbers(contract, name)):
            yield f"{name} is {_at(contract, name)}; it must be >= 0."
    for name, most in _AT_MOST.items():
        if not _at(contract, name) <= most:
            yield f"{name} is {_at(contract, name)}; it must be at most {most:g}."
    if contract.safety.tilt_limit_rad > math.pi / 2:
        yield f"safety.tilt_limit_rad is {contract.safety.tilt_limit_rad}; at most pi / 2, a robot on its side."
    timing = contract.timing
    if 0 < timing.low_level_hz * timing.control_period_s < 1 - 1e-9:
        yield (
            f"timing.low_level_hz is {timing.low_level_hz}; with a control period of {timing.control_period_s} s it "
            f"must be at least {1 / timing.control_period_s:g}, one command a period."
        )
    yield from _name_mistakes(contract)
    yield from _joint_mistakes(contract)
    yield from _foot_mistakes(contract)
    yield from _imu_mistakes(contract)
    yield from _observation_mistakes(contract)
    yield from _part_mistakes(contract)
    command = contract.command
    if len(command.trained) != len(command.names):
        yield f"command.trained has {len(command.trained)} ranges for the {len(command.names)} of command.names."
    digest = contract.network.weights_sha256
    if len(digest) != 64 or set(digest) - set("0123456789abcdef"):
        yield f"network.weights_sha256 is {digest!r}; it must be 64 hexadecimal digits."


def _name_mistakes(contract: Contract) -> Iterator[str]:
    found = [(place, _at(contract, place)) for place in _NAMES]
    found.append(("observation.terms", tuple(term.name for term in contract.observation.terms)))
    for place, names in found:
        for name in (names,) if isinstance(names, str) else names:
            if not _PLAIN.fullmatch(name):
                yield f"{place} has {name!a}; a name is of printable ASCII without spaces: none looks like another."


def _joint_mistakes(contract: Contract) -> Iterator[str]:
    robot, joints = contract.robot, contract.robot.joint_names
    for kind, names in (("joint_names", joints), ("foot_names", robot.foot_names)):
        if len(set(names)) != len(names):
            yield f"robot.{kind} names {', '.join(sorted({n for n in names if names.count(n) > 1}))} more than once."
    if not joints:
        yield "robot.joint_names is empty."
    if sorted(robot.sdk_joint_names) != sorted(joints):
        odd = sorted(set(robot.sdk_joint_names) ^ set(joints)) or ["a repeated joint"]
        yield f"robot.sdk_joint_names is no reordering of robot.joint_names: {', '.join(odd)}."
    for name in _FOR_EACH_JOINT:
        values = _at(contract, name)
        if len(values) != len(joints):
            yield f"{name} has {len(values)} entries for {len(joints)} joints."
    if contract.network.action_dim != len(joints):
        yield f"network.action_dim is {contract.network.action_dim} for {len(joints)} joints."
    for place in _POSES:
        for name, position, limit in zip(joints, _at(contract, place), contract.safety.joint_pos_limit_rad):
            if not limit.low <= position <= limit.high:
                yield f"{place} has {name} at {position}; its range is {limit.low} to {limit.high}."


def _foot_mistakes(contract: Contract) -> Iterator[str]:
    feet = contract.robot.foot_names
    for place in ("mirror_foot_names", "diagonal_foot_names"):
        partners = getattr(contract.robot, place)
        if partners is None:
            continue
        if sorted(partners) != sorted(feet) or any(
            partners[feet.index(partner)] != foot for foot, partner in zip(feet, partners)
        ):
            yield (
                f"robot.{place} is {', '.join(partners) or 'empty'}; it must pair the feet {', '.join(feet)}, each "
                "the partner of its partner."
            )
            continue
        alone = [foot for foot, partner in zip(feet, partners) if foot == partner]
        if alone:
            yield f"robot.{place} pairs {', '.join(alone)} with itself; a foot's partner is another foot."


def _imu_mistakes(contract: Contract) -> Iterator[str]:
    imu = contract.robot.imu
    if len(imu.pos_m) != 3:
        yield f"robot.imu.pos_m has {len(imu.pos_m)} entries; it must have 3."
    length = math.sqrt(sum(number * number for number in imu.quat_wxyz))
    if len(imu.quat_wxyz) != 4 or not abs(length - 1.0) < _UNIT_TOLERANCE:
        yield f"robot.imu.quat_wxyz is {imu.quat_wxyz}; it must be a unit quaternion, scalar first."


def _observation_mistakes(contract: Contract) -> Iterator[str]:
    terms = contract.observation.terms
    names = [term.name for term in terms]
    if len(set(names)) != len(names):
        yield f"observation.terms share the names {', '.join(sorted({n for n in names if names.count(n) > 1}))}."
    dims = _source_dims(contract)
    for term in terms:
        if term.dim != dims[term.source]:
            has = dims[term.source]
            yield f"observation term {term.name} has dim {term.dim}; {term.source} of this robot has {has}."
        frame = SOURCES[term.source].frame
        if term.frame != frame:
            yield f"observation term {term.name} is in frame {term.frame}; {term.source} is in {frame}."
        if term.history < 1 or (term.source == "command" and term.history != 1):
            valid = "1" if term.source == "command" else "1 or more"
            yield f"observation term {term.name} has history {term.history}; valid: {valid}."
        if not (math.isfinite(term.scale) and term.scale != 0):
            yield f"observation term {term.name} has scale {term.scale}; it must be finite and not 0."
        if term.clip_at is not None and not term.clip_at > 0:
            yield f"observation term {term.name} has clip_at {term.clip_at}; it must be > 0 or null."
    dim = sum(term.dim * term.history for term in terms)
    if dim != contract.network.observation_dim:
        yield f"network.observation_dim is {contract.network.observation_dim}; the terms make up {dim}."


def _source_dims(contract: Contract) -> Dict[str, int]:
    """Return how many components each source has; 0 for one that the contract has no part for."""
    feet = len(contract.robot.foot_names)
    sizes = {
        "axes": 3,
        "joints": len(contract.robot.joint_names),
        "feet": feet,
        "command": len(contract.command.names),
        "phase": 2 * feet if contract.phase else 0,
        "estimate": len(contract.estimate.names) if contract.estimate else 0,
    }
    return {source: sizes[kind.size] for source, kind in SOURCES.items()}


def _part_mistakes(contract: Contract) -> Iterator[str]:
    """Name what does not fit in the parts that a policy may have or not."""
    phase, residual = contract.phase, contract.action.kind == "joint_position_residual"
    if phase is not None and len(phase.offsets) != len(contract.robot.foot_names):
        yield f"phase.offsets has {len(phase.offsets)} entries for {len(contract.robot.foot_names)} feet."
    if phase is not None and not (phase.period_s > 0 and 0 < phase.stance_share < 1):
        yield f"phase has period_s {phase.period_s} and stance_share {phase.stance_share}; valid: > 0, and in (0, 1)."
    if residual != (contract.base_controller is not None):
        has = "none" if residual else "one"
        yield f"action.kind is {contract.action.kind} with {has} as base_controller; a residual has one, and only it."


def _at(contract: Contract, name: str) -> Any:
    value: Any = contract
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _numbers(contract: Contract, name: str) -> List[float]:
    value = _at(contract, name)
    if value is None:
        return []
    return list(value) if isinstance(value, Sequence) else [value]
