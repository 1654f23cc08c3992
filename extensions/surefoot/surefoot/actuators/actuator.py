"""The actuator kernel as an Isaac Lab actuator model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import torch
import warp as wp
from isaaclab.actuators import ActuatorBase
from isaaclab.actuators.actuator_base import resolve_joint_parameter
from isaaclab.utils.types import ArticulationActions

from .kernels import compute_joint_efforts

if TYPE_CHECKING:
    from .actuator_cfg import JointActuatorCfg


class JointActuator(ActuatorBase):
    """PD control through a torque-speed curve and joint friction, one kernel launch per physics substep.

    :attr:`applied_effort` is the torque of the motor [N.m], shape (num_envs, num_joints); what the engine receives is
    that torque less joint friction. Derived from :class:`~isaaclab.actuators.ActuatorBase` rather than from
    ``IdealPDActuator``, whose subclasses Isaac Lab replaces by its own models.
    """

    cfg: JointActuatorCfg

    def __init__(
        self,
        cfg: JointActuatorCfg,
        *,
        joint_names: list[str],
        joint_ids: slice | torch.Tensor,
        num_envs: int,
        device: str,
        stiffness: torch.Tensor,  # noqa: ARG002 - as resolved by Isaac Lab per environment; here per joint, from the cfg
        damping: torch.Tensor,  # noqa: ARG002
        **limits: torch.Tensor,
    ) -> None:
        super().__init__(cfg, joint_names, joint_ids, num_envs, device, **limits)

        def per_joint(value: dict[str, float] | float | None) -> wp.array:
            values = resolve_joint_parameter(value, None, joint_names, 1, device)[0]  # (num_joints,)
            return wp.array(values.cpu().numpy(), dtype=wp.float32, device=device)

        self._parameters = [
            per_joint(value)
            for value in (
                cfg.stiffness,
                cfg.damping,
                cfg.actuator_effort_limit,
                cfg.saturation_effort,
                cfg.actuator_velocity_limit,
                cfg.coulomb_friction,
                cfg.viscous_damping,
            )
        ]
        self._same_joint = self.engine_joint(joint_names)
        self._joint_effort = torch.zeros_like(self.computed_effort)
        self._telemetry = [wp.from_torch(self.computed_effort), wp.from_torch(self.applied_effort)]

    def engine_joint(self, engine_joint_names: Sequence[str]) -> wp.array:
        """Column of each of this model's joints in an engine's joint order, (num_joints,), int32."""
        columns = [engine_joint_names.index(name) for name in self.joint_names]
        return wp.array(columns, dtype=wp.int32, device=self._device)

    def record(
        self, joint_pos: wp.array, joint_vel: wp.array, target: wp.array, engine_joint: wp.array, *, out: wp.array
    ) -> wp.Launch:
        """Prepare a launch on arrays of shape (num_envs, num_joints) that stay where they are.

        Each launch neither allocates nor waits for the device, and spares the host the packing of arguments.

        Args:
            joint_pos: Joint positions [rad] in the engine's order.
            joint_vel: Joint velocities [rad/s] in the engine's order.
            target: Position targets [rad] in this model's order.
            engine_joint: What :meth:`engine_joint` returned for that engine.
            out: Joint efforts [N.m] in the engine's order.
        """
        launch = wp.launch(
            compute_joint_efforts,
            dim=(self._num_envs, self.num_joints),
            inputs=[joint_pos, joint_vel, target, *self._parameters, engine_joint],
            outputs=[*self._telemetry, out],
            device=self._device,
            record_cmd=True,
        )
        return cast("wp.Launch", launch)  # what Warp returns when it records

    def reset(self, env_ids: Sequence[int]) -> None:
        """Nothing to reset: this model holds no state between substeps."""

    def compute(
        self, control_action: ArticulationActions, joint_pos: torch.Tensor, joint_vel: torch.Tensor
    ) -> ArticulationActions:
        """Turn position targets into joint torques.

        Args:
            control_action: Position targets [rad], shape (num_envs, num_joints). Velocity and effort targets are not
                used by this model.
            joint_pos: Joint positions [rad], shape (num_envs, num_joints).
            joint_vel: Joint velocities [rad/s], shape (num_envs, num_joints).

        Returns:
            The same object with ``joint_efforts`` [N.m] set.
        """
        assert control_action.joint_positions is not None
        self.record(
            wp.from_torch(joint_pos),
            wp.from_torch(joint_vel),
            wp.from_torch(control_action.joint_positions),
            self._same_joint,
            out=wp.from_torch(self._joint_effort),
        ).launch()
        control_action.joint_efforts = self._joint_effort
        control_action.joint_positions = None
        control_action.joint_velocities = None
        return control_action
