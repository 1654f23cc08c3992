"""Rules between the parts of a contract."""

import math
from typing import TYPE_CHECKING, Any, Iterator, List, Sequence

from .contract_parts import FRAMES

if TYPE_CHECKING:
    from .contract import Contract

_POSITIVE = (
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
_NOT_NEGATIVE = ("gains.damping_nms_per_rad", "gains.handover_s", "training.iterations")
_AT_MOST = {
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
    "gains.stiffness_nm_per_rad",
    "gains.damping_nms_per_rad",
    "action.scale_rad",
    "safety.joint_pos_limit_rad",
    "safety.joint_vel_limit_rad_s",
    "safety.torque_limit_nm",
    "safety.target_rate_limit_rad_s",
)


def contract_mistakes(contract: "Contract") -> Iterator[str]:
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
    timing = contract.timing
    if 0 < timing.low_level_hz * timing.control_period_s < 1 - 1e-9:
        yield (
            f"timing.low_level_hz is {timing.low_level_hz}; with a control period of {timing.control_period_s} s it "
            f"must be at least {1 / timing.control_period_s:g}, one command a period."
        )
    yield from _joint_mistakes(contract)
    yield from _observation_mistakes(contract)
    command = contract.command
    if len(command.trained) != len(command.names):
        yield f"command.trained has {len(command.trained)} ranges for the {len(command.names)} of command.names."
    digest = contract.network.weights_sha256
    if len(digest) != 64 or set(digest) - set("0123456789abcdef"):
        yield f"network.weights_sha256 is {digest!r}; it must be 64 hexadecimal digits."


def _joint_mistakes(contract: "Contract") -> Iterator[str]:
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
    for name, position, limit in zip(joints, robot.default_joint_pos_rad, contract.safety.joint_pos_limit_rad):
        if not limit.low <= position <= limit.high:
            yield f"default position {position} of {name} is outside its limits {limit.low} to {limit.high}."


def _observation_mistakes(contract: "Contract") -> Iterator[str]:
    robot, terms = contract.robot, contract.observation.terms
    names = [term.name for term in terms]
    if len(set(names)) != len(names):
        yield f"observation.terms share the names {', '.join(sorted({n for n in names if names.count(n) > 1}))}."
    num_joints = len(robot.joint_names)
    dims = {
        "gyro": 3,
        "gravity": 3,
        "joint_pos": num_joints,
        "joint_vel": num_joints,
        "foot_contact": len(robot.foot_names),
        "last_action": num_joints,
        "command": len(contract.command.names),
    }
    for term in terms:
        if term.dim != dims[term.source]:
            has = dims[term.source]
            yield f"observation term {term.name} has dim {term.dim}; {term.source} of this robot has {has}."
        if term.frame != FRAMES[term.source]:
            yield f"observation term {term.name} is in frame {term.frame}; {term.source} is in {FRAMES[term.source]}."
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


def _at(contract: "Contract", name: str) -> Any:
    value: Any = contract
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _numbers(contract: "Contract", name: str) -> List[float]:
    value = _at(contract, name)
    if value is None:
        return []
    return list(value) if isinstance(value, Sequence) else [value]
