"""All observations of a group in one launch: each is a Warp function of one robot and one of its numbers.

A term of torch stands beside those of Warp: what it gives is copied to its place.
"""

# A kernel is compiled by Warp, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportGeneralTypeIssues=false
# pyright: reportAttributeAccessIssue=false

import itertools
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace
from typing import Any

import torch
import warp as wp
from isaaclab.managers import ObservationManager

from surefoot.sensors.observation import FusedProprioception

from .dispatch import TermTable, make_dispatch
from .inputs import ENVIRONMENT, STATE, BoundInputs, RobotInputs, arguments_of
from .term import Launch, RobotTerm, Terms, functions_of_terms, with_others

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without


@wp.func
def base_ang_vel(ang_vel_b: wp.vec3f, element: int) -> float:
    """Angular velocity of the base [rad/s] in the base frame, (num_envs, 3)."""
    return ang_vel_b[element]


@wp.func
def projected_gravity(projected_gravity_b: wp.vec3f, element: int) -> float:
    """Direction of gravity in the base frame, (num_envs, 3)."""
    return projected_gravity_b[element]


@wp.func
def joint_position(joint_pos: wp.array(dtype=float), default_joint_pos: wp.array(dtype=float), element: int) -> float:
    """Joint positions relative to the default pose [rad], (num_envs, num_joints)."""
    return joint_pos[element] - default_joint_pos[element]


@wp.func
def joint_velocity(joint_vel: wp.array(dtype=float), element: int) -> float:
    """Joint velocities [rad/s], (num_envs, num_joints)."""
    return joint_vel[element]


@wp.func
def last_action(action: wp.array(dtype=float), element: int) -> float:
    """The policy's last output, (num_envs, num_joints)."""
    return action[element]


@wp.func
def velocity_command(command: wp.vec3f, element: int) -> float:
    """Commanded vx [m/s], vy [m/s] and yaw rate [rad/s] in the base frame, (num_envs, 3)."""
    return command[element]


@wp.func
def base_lin_vel(lin_vel_b: wp.vec3f, element: int) -> float:
    """Linear velocity of the base [m/s] in the base frame, (num_envs, 3). No sensor of the robot measures it."""
    return lin_vel_b[element]


@wp.func
def base_height(base_height_m: float, element: int) -> float:  # noqa: ARG001 - there is one alone
    """Height of the base above the ground [m], (num_envs, 1). No sensor of the robot measures it."""
    return base_height_m


@wp.func
def foot_contact(foot_contact: wp.array(dtype=bool), element: int) -> float:
    """Whether each foot touches the ground, 0 or 1, (num_envs, num_feet)."""
    return wp.where(foot_contact[element], 1.0, 0.0)


@wp.func
def foot_air_time(air_time_s: wp.array(dtype=float), element: int) -> float:
    """Time since each foot left the ground [s], (num_envs, num_feet)."""
    return air_time_s[element]


@wp.func
def sole_height(sole_height_m: wp.array(dtype=float), element: int) -> float:
    """Height of each sole above the ground [m], (num_envs, num_feet)."""
    return sole_height_m[element]


@wp.func
def motor_torque(torque_nm: wp.array(dtype=float), element: int) -> float:
    """Motor torques of the last substep [N.m], (num_envs, num_joints)."""
    return torque_nm[element]


@wp.func
def randomized(privileged_columns: wp.array(dtype=int), draws: wp.array(dtype=float), element: int) -> float:
    """Draws of every parameter that is random, [-1, 1] over its declared range, (num_envs, columns).

    Pushes are left out: what the next one will be is not part of the present.
    """
    return draws[privileged_columns[element]]


LIBRARY: tuple[Any, ...] = (
    base_ang_vel,
    projected_gravity,
    joint_position,
    joint_velocity,
    last_action,
    velocity_command,
    base_lin_vel,
    base_height,
    foot_contact,
    foot_air_time,
    sole_height,
    motor_torque,
    randomized,
)

_WARP_SIZE = 32


@cache
def make_observation_kernel(functions: tuple[wp.Function, ...]) -> wp.Kernel:
    """Make the kernel that writes terms by these functions, of which it compiles all."""
    write_term = make_dispatch(
        "write_term",
        functions,
        returns=None,
        write=lambda call: ["for element in range(lane, width, lanes):", f"    out[env, first + element] = {call}"],
        arguments={"out": wp.array2d(dtype=float), **dict.fromkeys(("first", "width", "lane", "lanes"), int)},
    )

    @wp.kernel(module="unique", enable_backward=False)
    def write_observations(
        inputs: RobotInputs,
        table: TermTable,
        first_column: wp.array(dtype=int),
        width: wp.array(dtype=int),
        lanes: int,
        # outputs
        out: wp.array2d(dtype=float),
    ) -> None:
        """One thread per (environment, lane), which writes every number of a term that is a multiple of lanes away."""
        env, lane = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
        for term in range(table.kind.shape[0]):
            if table.kind[term] >= 0:
                write_term(
                    table.kind[term], inputs, table, env, term, out, first_column[term], width[term], lane, lanes
                )

    return write_observations


@wp.kernel
def place_columns(
    values: wp.array2d(dtype=float),
    first: int,
    # outputs
    out: wp.array2d(dtype=float),
) -> None:
    """One thread per (environment, number): what a term of torch gave, in its place."""
    env, column = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    out[env, first + column] = values[env, column]


write_observations = make_observation_kernel(LIBRARY)
"""The kernel of the terms of this module."""


class _Group:
    """Terms that are written into one tensor.

    Args:
        env: The environment.
        names: The terms' names.
        cfgs: Their configurations.
        of_terms: Their functions, None for a term of torch.
        widths: How many numbers each has.
    """

    def __init__(
        self,
        env: Any,
        names: Sequence[str],
        cfgs: Sequence[Any],
        of_terms: Sequence[wp.Function | None],
        widths: Sequence[int],
    ) -> None:
        self._env, self._shape = env, (env.num_envs, sum(widths))
        device, first = str(env.device), [0, *itertools.accumulate(widths)]
        self._of_torch = [(cfgs[index], first[index]) for index, function in enumerate(of_terms) if function is None]
        functions = with_others(LIBRARY, of_terms)
        # A GPU coalesces what the threads of a warp write; a CPU runs them one after another.
        lanes = _WARP_SIZE if wp.get_device(device).is_cuda else 1
        columns, numbers = (wp.array(values, dtype=int, device=device) for values in (first[:-1], list(widths)))
        arguments = [columns, numbers, lanes, wp.zeros(self._shape, dtype=float, device=device)]
        self._launch = Launch(
            make_observation_kernel(functions),
            (env.num_envs, lanes),
            BoundInputs.of(env, [function for function in of_terms if function is not None]),
            Terms(names, cfgs, of_terms, functions, env.robot_spec, device),
            arguments,
            device,
        )
        self._place_of_out = 2 + len(arguments) - 1  # behind inputs and table

    def upload(self) -> bool:
        """Upload parameters of terms that have changed; returns whether any has."""
        return self._launch.upload()

    def compute(self, out: torch.Tensor | None = None) -> torch.Tensor:
        """Return a tensor with all terms, (num_envs, numbers): a new one, or the one that is given."""
        if out is None:
            out = torch.empty(self._shape, device=self._env.device)
        for cfg, first in self._of_torch:
            values = cfg.func(self._env, **cfg.params)
            inputs = [wp.from_torch(values.float()), first]
            wp.launch(
                place_columns, dim=values.shape, inputs=inputs, outputs=[wp.from_torch(out)], device=str(out.device)
            )
        self._launch.recorded.set_param_at_index(self._place_of_out, wp.from_torch(out))
        self._launch.run()
        return out


class FusedObservationManager(ObservationManager):
    """Isaac Lab's observation manager, with one launch for a group of terms that are Warp functions of one robot.

    A group that is not one tensor of plain terms (with noise, a history or another modification of one of them) is
    computed as Isaac Lab does, term by term.
    """

    def __init__(self, cfg: object, env: Any) -> None:
        self._fused: dict[str, _Group] = {}
        super().__init__(cfg, env)
        for group, names in self._group_obs_term_names.items():
            cfgs = self._group_obs_term_cfgs[group]
            of_terms = functions_of_terms(cfgs)
            if any(function is not None for function in of_terms) and self._is_plain(group):
                widths = [dims[0] for dims in self._group_obs_term_dim[group]]
                self._fused[group] = _Group(env, names, cfgs, of_terms, widths)
        self._writes_in_place = False
        self._in_place = dict(self._own_tensors())

    def compute_group(self, group_name: str, update_history: bool = False) -> torch.Tensor | dict[str, torch.Tensor]:
        """Compute a group, as the base class describes."""
        out = self._in_place.get(group_name) if self._writes_in_place else None
        if group_name in self._fused:
            return self._fused[group_name].compute(out)
        if out is not None:
            (cfg,) = self._group_obs_term_cfgs[group_name]
            return cfg.func(self._env, **cfg.params, out=out)
        return super().compute_group(group_name, update_history)

    def upload(self) -> bool:
        """Upload parameters of terms that have changed; returns whether any has."""
        changed = [group.upload() for group in self._fused.values()]
        return any(changed)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Write groups into tensors of the manager's own for the length of a block, the same in every block."""
        self._writes_in_place = True
        try:
            yield
        finally:
            self._writes_in_place = False

    def handed_out(self, written: dict[str, Any]) -> dict[str, Any]:
        """Return observations by group, with new tensors for those that were written in place."""
        own = self._in_place
        return {group: own[group].clone() if group in own else value for group, value in written.items()}

    def _own_tensors(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield a tensor for each group that can be written in place."""
        for group, cfgs in self._group_obs_term_cfgs.items():
            if group in self._fused or (len(cfgs) == 1 and isinstance(cfgs[0].func, FusedProprioception)):
                width = math.prod(self._group_obs_dim[group])
                yield group, torch.zeros(self._env.num_envs, width, device=self._env.device)

    def _is_plain(self, group: str) -> bool:
        """Tell whether a group is one tensor of terms as they are, side by side."""
        cfgs, delayed = self._group_obs_term_cfgs[group], self._group_obs_term_delay_buffer[group]
        return (
            self._group_obs_concatenate[group]
            and self._group_obs_concatenate_dim[group] in (1, -1)
            and all(len(dims) == 1 for dims in self._group_obs_term_dim[group])
            and not delayed
            and not any(
                cfg.modifiers or cfg.noise or cfg.clip or cfg.scale is not None or cfg.history_length for cfg in cfgs
            )
        )


class ObservationTerm(RobotTerm):
    """An observation that is a Warp function of one robot and of one of its numbers."""

    _alone: tuple[Any, _Group] | None = None

    def __call__(self, env: Any, **params: Any) -> torch.Tensor:
        """Compute this term alone, as a group with a modified term does, (num_envs, numbers)."""
        if self._alone is None:
            width = _width(self.function, env)
            cfg = SimpleNamespace(params=params)
            self._alone = cfg, _Group(env, [self.function.key], [cfg], [self.function], [width])
        cfg, group = self._alone
        cfg.params = params
        return group.compute()


def _width(function: wp.Function, env: Any) -> int:
    """Return how many numbers a term has: as many as its first argument."""
    first = next(iter(arguments_of(function)))
    return len(ENVIRONMENT[first](env)) if first in ENVIRONMENT else math.prod(STATE[first].read(env).shape[1:])
