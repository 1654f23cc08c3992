"""Pushes of the base: by velocity at once, by force for a while.

A push by velocity is an impulse of unknown cause, as by a kick; a push by force lasts, as by a hand, and acts at a
point, so that it turns the robot as well.
"""

# A kernel is compiled by Warp, whose vector types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import warp as wp

from surefoot.env_mask import EnvIds

from .bodies import table_vector
from .layout import EVENTS
from .table import RandomizationTable

if TYPE_CHECKING:
    from isaaclab.assets import Articulation

    from .appliers import Applier

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without

PUSH_VELOCITY = wp.constant(EVENTS.index("push_velocity"))
PUSH_FORCE = wp.constant(EVENTS.index("push_force"))


@wp.struct
class PushColumns:
    """First column of each parameter of pushes."""

    push_velocity: int
    push_force: int
    push_point: int
    push_duration: int


@wp.kernel
def push_by_velocity(
    due: wp.array2d(dtype=bool),
    table: wp.array2d(dtype=float),
    columns: PushColumns,
    root_com_vel_w: wp.array(dtype=wp.spatial_vectorf),
    # outputs
    pushed_vel_w: wp.array(dtype=wp.spatial_vectorf),
    is_pushed: wp.array(dtype=bool),
) -> None:
    """One thread per environment: add the push to the velocity of the base's centre of mass where one is due."""
    env = wp.tid()
    velocity = root_com_vel_w[env]
    is_due = due[env, PUSH_VELOCITY]
    is_pushed[env] = is_due
    if is_due:
        linear = wp.spatial_top(velocity) + table_vector(table, env, columns.push_velocity)
        velocity = wp.spatial_vector(linear, wp.spatial_bottom(velocity))
    pushed_vel_w[env] = velocity


@wp.kernel
def push_by_force(
    due: wp.array2d(dtype=bool),
    table: wp.array2d(dtype=float),
    columns: PushColumns,
    root_link_pose_w: wp.array(dtype=wp.transformf),
    step_dt: float,
    # in and out
    time_left_s: wp.array(dtype=float),
    # outputs
    force_w: wp.array(dtype=wp.vec3f),
    point_w: wp.array(dtype=wp.vec3f),
) -> None:
    """One thread per environment: the force on the base in the coming control step, and where it acts.

    In the last control step of a push the force is less by the part of the step that the push does not fill, so that
    force times duration is the momentum that it gives.
    """
    env = wp.tid()
    left = time_left_s[env]
    if due[env, PUSH_FORCE]:
        left = table[env, columns.push_duration]
    share = wp.clamp(left / step_dt, 0.0, 1.0)
    force_w[env] = share * table_vector(table, env, columns.push_force)
    point_w[env] = wp.transform_point(root_link_pose_w[env], table_vector(table, env, columns.push_point))
    time_left_s[env] = wp.max(left - step_dt, 0.0)


@wp.kernel
def end_pushes(
    env_mask: wp.array(dtype=bool),
    # outputs
    time_left_s: wp.array(dtype=float),
    force_w: wp.array(dtype=wp.vec3f),
) -> None:
    """One thread per environment: on those of the mask no force acts any more."""
    env = wp.tid()
    if env_mask[env]:
        time_left_s[env] = 0.0
        force_w[env] = wp.vec3f(0.0, 0.0, 0.0)


class Pushes:
    """Gives the pushes that the table says are due; does nothing for those that it never draws."""

    def __init__(self, table: RandomizationTable, robot: Articulation, applier: Applier, step_dt: float) -> None:
        self._table, self._robot, self._applier, self._step_dt = table, robot, applier, step_dt
        self._by_velocity, self._by_force = (table.layout.is_random(f"{event}_interval") for event in EVENTS)
        self._columns = PushColumns()
        for name in ("push_velocity", "push_force", "push_point", "push_duration"):
            setattr(self._columns, name, table.layout.first_column(name))
        num_envs, device = table.num_envs, table.device
        self.looks_first = device == "cpu"
        """Whether the host finds out first that no velocity is due: on a GPU that costs more than writing them."""
        self.force_time_left_s = torch.zeros(num_envs, device=device)
        """How long the push by force that is going on still lasts [s], (num_envs,)."""
        self._time_left_s = wp.from_torch(self.force_time_left_s)
        self._due = wp.from_torch(table.event_due)
        self._pushed_vel_w = wp.zeros(num_envs, dtype=wp.spatial_vectorf, device=device)
        self._is_pushed = wp.zeros(num_envs, dtype=wp.bool, device=device)
        self._force_w, self._point_w = (wp.zeros(num_envs, dtype=wp.vec3f, device=device) for _ in range(2))
        self._state = {
            "force_time_left_s": self.force_time_left_s,
            "force_w": wp.to_torch(self._force_w),
            "point_w": wp.to_torch(self._point_w),
        }

    def advance(self) -> bool:
        """Push after a control step, for the coming one; returns whether the velocity of a base may have changed."""
        if not (self._by_velocity or self._by_force):
            return False
        self._table.advance(self._step_dt)
        return self.act()

    def act(self) -> bool:
        """Give the pushes that are marked as due; returns whether the velocity of a base may have changed."""
        if self._by_force:
            self._launch(
                push_by_force,
                [self._robot.data.root_link_pose_w.warp, self._step_dt],
                [self._time_left_s, self._force_w, self._point_w],
            )
        if not self._by_velocity or (self.looks_first and not self._table.event_due[:, PUSH_VELOCITY].any()):
            return False
        data: Any = self._robot.data
        if data.__backend_name__ == "newton":  # whose own array is written
            velocity_w = data.root_com_vel_w.warp
            self._launch(push_by_velocity, [velocity_w], [velocity_w, self._is_pushed])
            data._reset_velocity(env_mask=self._is_pushed)  # as Isaac Lab 3.0.0's writers do
            return True
        self._launch(push_by_velocity, [data.root_com_vel_w.warp], [self._pushed_vel_w, self._is_pushed])
        self._robot.write_root_com_velocity_to_sim_mask(root_velocity=self._pushed_vel_w, env_mask=self._is_pushed)
        return True

    def before_substep(self) -> None:
        """Hand the force to the engine, which forgets it after each physics step."""
        if self._by_force:
            self._applier.push(self._force_w, self._point_w)

    def reset(self, envs: EnvIds) -> None:
        """End the pushes of some environments."""
        if self._by_force:
            wp.launch(
                end_pushes,
                dim=self._table.num_envs,
                inputs=[self._table.mask_of(envs)],
                outputs=[self._time_left_s, self._force_w],
                device=self._table.device,
            )

    def state_dict(self) -> dict[str, torch.Tensor]:
        """What goes on in the coming control step."""
        return {name: tensor.clone() for name, tensor in self._state.items()}

    def load_state_dict(self, state: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state_dict` returned."""
        for name, tensor in self._state.items():
            tensor.copy_(state[name])

    def _launch(self, kernel: wp.Kernel, inputs: list, outputs: list) -> None:
        wp.launch(
            kernel,
            dim=self._table.num_envs,
            inputs=[self._due, self._table.warp_values, self._columns, *inputs],
            outputs=outputs,
            device=self._table.device,
        )
