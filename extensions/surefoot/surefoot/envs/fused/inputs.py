"""What a term of one robot is given, by the names of its arguments, and the arrays that hold it for all robots.

A term is a Warp function. An argument's name says what it is given: the state of the robot by :data:`STATE`, its
constants by :data:`ROBOT`, those of the environment by :data:`NUMBERS` and :data:`ENVIRONMENT`, and
``selected_joints`` by the term's ``joint_pattern`` and ``num_joints``. What none of them knows is a parameter of the
term, a number of its configuration.
"""

# A kernel is compiled by Warp, whose types are no types to Python.
# pyright: reportInvalidTypeForm=false

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
import warp as wp

from surefoot_bridge.errors import SurefootError
from surefoot_robots import RobotSpec
from surefoot_robots.gait_pairs import alternating_phases, diagonal_feet, mirror_feet


class Reading(NamedTuple):
    """Something of the state of all robots.

    Attributes:
        array: Type of the array: the first dimension is that of robots, and a term is given the rest.
        read: Returns it from an environment, (num_envs, ...), brought up to date.
    """

    array: Any
    read: Callable[[Any], torch.Tensor]


_NUMBER, _VECTOR, _FLAG = (wp.array(dtype=dtype) for dtype in (wp.float32, wp.vec3f, wp.bool))
_NUMBERS, _VECTORS, _FLAGS = (wp.array2d(dtype=dtype) for dtype in (wp.float32, wp.vec3f, wp.bool))

STATE: dict[str, Reading] = {
    "lin_vel_b": Reading(_VECTOR, lambda env: env.locomotion.base_lin_vel_b),
    "ang_vel_b": Reading(_VECTOR, lambda env: env.locomotion.base_ang_vel_b),
    "projected_gravity_b": Reading(_VECTOR, lambda env: env.locomotion.projected_gravity_b),
    "base_height_m": Reading(_NUMBER, lambda env: env.locomotion.base_height_m),
    "joint_pos": Reading(_NUMBERS, lambda env: env.locomotion.joint_pos),
    "joint_vel": Reading(_NUMBERS, lambda env: env.locomotion.joint_vel),
    "joint_acc": Reading(_NUMBERS, lambda env: env.locomotion.joint_acc),
    "torque_nm": Reading(_NUMBERS, lambda env: env.locomotion.motor_torque_nm),
    "sole_height_m": Reading(_NUMBERS, lambda env: env.locomotion.sole_height_m),
    "swing_peak_m": Reading(_NUMBERS, lambda env: env.locomotion.swing_peak_m),
    "foot_vel_w": Reading(_VECTORS, lambda env: env.locomotion.foot_vel_w),
    "foot_force_n": Reading(_NUMBERS, lambda env: env.locomotion.foot_force_n),
    "foot_contact": Reading(_FLAGS, lambda env: env.locomotion.foot_contact),
    "touchdown": Reading(_FLAGS, lambda env: env.locomotion.touchdown),
    "air_time_s": Reading(_NUMBERS, lambda env: env.locomotion.air_time_s),
    "contact_time_s": Reading(_NUMBERS, lambda env: env.locomotion.contact_time_s),
    "last_air_time_s": Reading(_NUMBERS, lambda env: env.locomotion.last_air_time_s),
    "last_contact_time_s": Reading(_NUMBERS, lambda env: env.locomotion.last_contact_time_s),
    "action": Reading(_NUMBERS, lambda env: env.joint_target.raw_actions),
    "prev_action": Reading(_NUMBERS, lambda env: env.joint_target.previous_actions),
    "prev_prev_action": Reading(_NUMBERS, lambda env: env.joint_target.second_previous_actions),
    "command": Reading(_VECTOR, lambda env: env.command),
    "moving": Reading(_FLAG, lambda env: env.moving),
    "terminated": Reading(_FLAG, lambda env: env.termination_manager.terminated),
    "fall_force_n": Reading(_NUMBER, lambda env: env.locomotion.fall_force_n),
    "draws": Reading(_NUMBERS, lambda env: env.randomization.table.normalised),
    "root_pose_w": Reading(wp.array(dtype=wp.transformf), lambda env: env.robot.data.root_link_pose_w.torch),
    "root_vel_w": Reading(wp.array(dtype=wp.spatial_vectorf), lambda env: env.robot.data.root_com_vel_w.torch),
    "episode_steps": Reading(wp.array(dtype=wp.int64), lambda env: env.episode_length_buf),
}
"""What an argument is given of each robot's state, by its name; units are in the names."""

ROBOT: dict[str, Callable[[RobotSpec], Sequence[float] | Sequence[int]]] = {
    "default_joint_pos": lambda spec: spec.joint_values("default_joint_pos"),
    "lower_limit_rad": lambda spec: spec.joint_values("lower_limit_rad"),
    "upper_limit_rad": lambda spec: spec.joint_values("upper_limit_rad"),
    "velocity_limit_rad_s": lambda spec: spec.joint_values("velocity_limit_rad_s"),
    "effort_limit_nm": lambda spec: spec.joint_values("effort_limit_nm"),
    "mirror_foot": mirror_feet,
    "diagonal_foot": diagonal_feet,
    "foot_offset": alternating_phases,
}
"""What an argument is given once, of the robot: (num_joints,) or (num_feet,)."""

_INDICES = ("mirror_foot", "diagonal_foot", "privileged_columns")


def _privileged_columns(env: Any) -> list[int]:
    """Return the columns of the table of every parameter that is random; what the next push will be is left out."""
    layout = env.randomization.layout
    slices = [layout.column_slice(parameter.name) for parameter in env.randomization.privileged]
    return [column for part in slices for column in range(part.start, part.stop)]


ENVIRONMENT: dict[str, Callable[[Any], Sequence[int] | Sequence[float]]] = {
    "privileged_columns": _privileged_columns,
    "field_bounds_w": lambda env: env.field.bounds_w,
}
"""What an argument is given once, of the environment: columns of an array of its state; the field's ends [m], low and
high along x and y."""


class Number(NamedTuple):
    """A number that is the same for all robots.

    Attributes:
        kind: Its type, float or int.
        read: Returns it from an environment.
    """

    kind: type
    read: Callable[[Any], float]


NUMBERS: dict[str, Number] = {
    "step_dt": Number(float, lambda env: env.step_dt),
    "max_episode_steps": Number(int, lambda env: env.max_episode_length),
}
"""What an argument is given of the environment, by its name."""

SELECTED_JOINTS = "selected_joints"
"""An argument that is given which joints a term's ``joint_pattern`` matches, (num_joints,), bool."""

ELEMENT = "element"
"""An argument of an observation: which of its numbers is asked for."""


def _make_struct() -> Any:
    fields: dict[str, Any] = {name: reading.array for name, reading in STATE.items()}
    fields |= {name: wp.array(dtype=int if name in _INDICES else float) for name in (*ROBOT, *ENVIRONMENT)}
    fields |= {name: number.kind for name, number in NUMBERS.items()}
    return wp.struct(type("RobotInputs", (), {"__annotations__": fields, "__module__": __name__}))


RobotInputs: Any = _make_struct()
"""Warp's structure of the arrays; those that no term reads are empty."""


def arguments_of(function: wp.Function) -> dict[str, Any]:
    """Return the arguments of a Warp function with their types, in order."""
    assert function.func is not None
    return {name: item.annotation for name, item in inspect.signature(function.func).parameters.items()}


def parameters_of(function: wp.Function) -> list[str]:
    """Return the arguments of a term that its configuration gives, in order."""
    known = {*STATE, *ROBOT, *ENVIRONMENT, *NUMBERS, SELECTED_JOINTS, ELEMENT}
    return [name for name in arguments_of(function) if name not in known]


class BoundInputs:
    """The inputs that some terms read, bound to an environment.

    Args:
        reads: Returns what is read before each launch, by the name of the argument: the state of all robots, or a
            number.
        robot: Constants of the robot, by the name of the argument.
        device: Where the arrays are.
    """

    def __init__(
        self,
        reads: Mapping[str, Callable[[], torch.Tensor | float]],
        robot: Mapping[str, Sequence[float]],
        device: str,
    ) -> None:
        self.struct = RobotInputs()
        """The structure, for a launch."""
        self._reads = self._kept = dict(reads)
        self._places: dict[str, float] = {}
        for name, values in robot.items():
            setattr(self.struct, name, wp.array(list(values), dtype=int if name in _INDICES else float, device=device))

    @classmethod
    def of(cls, env: Any, functions: Iterable[wp.Function]) -> BoundInputs:
        """Bind what some terms read of an environment.

        Raises:
            SurefootError: If the robot lacks something that a term needs.
        """
        names = {name for function in functions for name in arguments_of(function)}
        robot: dict[str, Sequence[float]] = {name: of(env.robot_spec) for name, of in ROBOT.items() if name in names}
        robot |= {name: of(env) for name, of in ENVIRONMENT.items() if name in names}
        read = {**STATE, **NUMBERS}
        return cls({name: _reader(env, read[name]) for name in names & read.keys()}, robot, str(env.device))

    def keep_to(self, functions: Iterable[wp.Function]) -> None:
        """Read from now on what some of the terms read: what a term that is switched off reads may not be there."""
        names = {name for function in functions for name in arguments_of(function)}
        self._kept = {name: read for name, read in self._reads.items() if name in names}

    def refresh(self) -> bool:
        """Bring what is read lazily up to date; returns whether an array has moved, or a number changed, since.

        Raises:
            SurefootError: If a term reads what the task does not declare.
        """
        moved = False
        for name, read in self._kept.items():
            value = read()
            place = value.data_ptr() if isinstance(value, torch.Tensor) else value
            if place != self._places.get(name):
                self._places[name] = place
                if isinstance(value, torch.Tensor):
                    value = wp.from_torch(value, dtype=STATE[name].array.dtype)
                setattr(self.struct, name, value)
                moved = True
        return moved


def _reader(env: Any, reading: Reading | Number) -> Callable[[], torch.Tensor | float]:
    return lambda: reading.read(env)


def check_arguments(function: wp.Function) -> None:
    """Refuse a function that asks for what it cannot be given.

    Raises:
        SurefootError: Naming the argument and those that there are.
    """
    parameters = parameters_of(function)
    for name, kind in arguments_of(function).items():
        if name in parameters and kind is not float:
            given = ", ".join(sorted({*STATE, *ROBOT, *ENVIRONMENT, *NUMBERS, SELECTED_JOINTS}))
            raise SurefootError(
                f"The term {function.key!r} asks for {name!r}, which is neither a number nor something that terms are "
                f"given; they are given: {given}."
            )
