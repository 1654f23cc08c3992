"""The golden trace: what one robot reported in the training engine, what the policy saw of it, did, and told joints.

Whoever loads a bundle replays it first: the functions of this package, fed with the recorded reports, must give the
recorded observations, actions and commands. :mod:`surefoot_bridge.bundle.golden_replay` does that.
"""

import hashlib
from dataclasses import dataclass, fields
from typing import Dict, Iterator, List, Tuple

import numpy as np

from surefoot_bridge.errors import SurefootError, refusal
from surefoot_bridge.policy.npz import check_names, read_npz, write_npz
from surefoot_bridge.state import JointCommand, RobotState

MIN_STEPS = 500
"""Fewest control steps of a golden trace: 10 s at 50 Hz."""

MAX_STEPS = 5000
"""Most control steps of a golden trace, which is replayed each time that a bundle is loaded."""


@dataclass(frozen=True)
class Columns:
    """Whose the columns of a recording are: a name that only the contract had could be changed there unnoticed.

    Attributes:
        joints: Joints in the order of the robot's interface.
        feet: Feet in the order of ``report.foot_force_n``; none for a robot without foot sensors.
        commands: Components of the command.
    """

    joints: Tuple[str, ...]
    feet: Tuple[str, ...]
    commands: Tuple[str, ...]


@dataclass(frozen=True)
class Golden:
    """A recording of one robot, one row for each control step.

    Attributes:
        report: Reports of the robot, stacked: (num_steps, ...).
        command: What the policy was asked to do, (num_steps, num_commands), float64.
        begins: True where an episode begins with this step, (num_steps,).
        observation: What the policy saw, (num_steps, observation_dim), float32.
        action: What it returned, before any clipping, (num_steps, action_dim), float32.
        applied_action: What the joints' targets were made of, before any clipping, and what the next observation shows
            as the last action: the policy's own, but in an episode that reaches the clip as no policy does.
        joint_command: What the joints were told, (num_steps, num_joints) each.
        contract_sha256: SHA-256 of the text of the contract with which it was recorded, see :func:`contract_digest`.
        columns: Whose the columns are.
    """

    report: RobotState
    command: np.ndarray
    begins: np.ndarray
    observation: np.ndarray
    action: np.ndarray
    applied_action: np.ndarray
    joint_command: JointCommand
    contract_sha256: str
    columns: Columns

    @property
    def num_steps(self) -> int:
        """Number of control steps."""
        return len(self.begins)


def contract_digest(text: str) -> str:
    """Return the SHA-256 of the text of ``contract.json``, 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


_REPORT = "report."
_JOINTS = "joints."
_HASH = "contract_sha256"
_COLUMNS = "columns."
_OWN = ("command", "begins", "observation", "action", "applied_action")
_WIDTH_OF = {"joints": "joints.joint_pos_rad", "feet": "report.foot_force_n", "commands": "command"}

# Type and shape of every array after the number of steps; widths by name must agree wherever they stand.
_LAYOUT: Dict[str, Tuple[type, Tuple]] = {
    "report.time_s": (np.float64, ()),
    "report.sequence": (np.int64, ()),
    "report.joint_pos_rad": (np.float64, ("joints",)),
    "report.joint_vel_rad_s": (np.float64, ("joints",)),
    "report.joint_torque_nm": (np.float64, ("joints",)),
    "report.motor_temperature_c": (np.float64, ("joints",)),
    "report.imu_quat_wxyz": (np.float64, (4,)),
    "report.imu_ang_vel_rad_s": (np.float64, (3,)),
    "report.imu_lin_acc_m_s2": (np.float64, (3,)),
    "report.foot_force_n": (np.float64, ("feet",)),
    "report.battery_share": (np.float64, ()),
    "command": (np.float64, ("commands",)),
    "begins": (np.bool_, ()),
    "observation": (np.float32, ("observations",)),
    "action": (np.float32, ("joints",)),
    "applied_action": (np.float32, ("joints",)),
    "joints.joint_pos_rad": (np.float64, ("joints",)),
    "joints.joint_vel_rad_s": (np.float64, ("joints",)),
    "joints.stiffness_nm_per_rad": (np.float64, ("joints",)),
    "joints.damping_nms_per_rad": (np.float64, ("joints",)),
    "joints.torque_nm": (np.float64, ("joints",)),
}


def save_golden(golden: Golden) -> bytes:
    """Write a trace as the content of ``golden.npz``: the same bytes for the same arrays.

    Raises:
        SurefootError: If an array cannot be written in the type of the format without loss, or does not fit.
    """
    found = {_REPORT + item.name: getattr(golden.report, item.name) for item in fields(RobotState)}
    found.update({name: getattr(golden, name) for name in _OWN})
    found.update({_JOINTS + item.name: getattr(golden.joint_command, item.name) for item in fields(JointCommand)})
    arrays = {}
    for name, (kind, _) in _LAYOUT.items():
        array = np.asarray(found[name])
        if not np.can_cast(array.dtype, kind, "safe"):
            raise SurefootError(f"{name} of a golden trace is {array.dtype}; valid: {np.dtype(kind)}, or what fits in.")
        arrays[name] = array.astype(kind)
    arrays[_HASH] = np.frombuffer(golden.contract_sha256.encode(), np.uint8)
    for item in fields(Columns):
        arrays[_COLUMNS + item.name] = np.array(getattr(golden.columns, item.name), dtype=np.str_)
    data = write_npz(arrays)
    read_golden(data, "The golden trace to be written")
    return data


def read_golden(data: bytes, where: str) -> Golden:
    """Read what :func:`save_golden` writes.

    Args:
        data: The file's content.
        where: Where it came from, for messages.

    Raises:
        SurefootError: If an array is missing, unknown, of another type or shape, or not finite, or if there are fewer
            than :data:`MIN_STEPS` or more than :data:`MAX_STEPS`; all mistakes are named at once.
    """
    arrays = read_npz(data, where=where)
    check_names(arrays, [*_LAYOUT, _HASH, *(_COLUMNS + item.name for item in fields(Columns))], where=where)
    mistakes = list(_mistakes(arrays))
    if mistakes:
        raise refusal(f"{where} is refused:", mistakes)
    return Golden(
        report=RobotState(**{item.name: arrays[_REPORT + item.name] for item in fields(RobotState)}),
        joint_command=JointCommand(**{item.name: arrays[_JOINTS + item.name] for item in fields(JointCommand)}),
        contract_sha256=arrays[_HASH].tobytes().decode(),
        columns=Columns(**{item.name: tuple(arrays[_COLUMNS + item.name].tolist()) for item in fields(Columns)}),
        **{name: arrays[name] for name in _OWN},
    )


def _mistakes(arrays: Dict[str, np.ndarray]) -> Iterator[str]:
    """Name what does not fit, one line each."""
    num_steps = arrays["begins"].size
    if not MIN_STEPS <= num_steps <= MAX_STEPS:
        yield f"it has {num_steps} steps; at least {MIN_STEPS} are needed, and at most {MAX_STEPS} are replayed."
    widths: Dict[str, List] = {}  # each width with the array that set it
    for name, (kind, trailing) in _LAYOUT.items():
        array = arrays[name]
        if array.dtype != kind:
            yield f"{name} is {array.dtype}; it must be {np.dtype(kind)}."
            continue
        if array.ndim != 1 + len(trailing) or len(array) != num_steps:
            yield f"{name} has shape {array.shape}; it must be {_shown(num_steps, *trailing)}."
            continue
        for width in trailing:
            expected, source = (
                widths.setdefault(width, [array.shape[1], name]) if isinstance(width, str) else [width, ""]
            )
            if array.shape[1] != expected:
                of = f", as {source} has" if source else ""
                yield f"{name} has shape {array.shape}; it must be {_shown(num_steps, expected)}{of}."
        if not np.isfinite(array).all():
            step = int(np.argwhere(~np.isfinite(array))[0][0])
            yield f"{name} is not finite at step {step}."
    if num_steps and not arrays["begins"].flat[0]:
        yield "begins is false at step 0; a trace begins with an episode."
    digest = arrays[_HASH]
    if digest.dtype != np.uint8 or digest.shape != (64,) or set(digest.tobytes()) - set(b"0123456789abcdef"):
        yield f"{_HASH} is {digest.dtype} {digest.shape}; it must be 64 hexadecimal digits as uint8."
    for name, numbers in _WIDTH_OF.items():
        names, shape = arrays[_COLUMNS + name], arrays[numbers].shape
        if names.dtype.kind != "U" or names.shape != shape[1:]:
            yield f"{_COLUMNS}{name} is {names.dtype} {names.shape}; it must name the columns of {numbers}, {shape}."


def _shown(*dims: object) -> str:
    return f"({', '.join(map(str, dims))}{',' if len(dims) == 1 else ''})"
