"""The actuator kernels as an Isaac Lab actuator model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
import warp as wp
from isaaclab.actuators import ActuatorBase
from isaaclab.actuators.actuator_base import resolve_joint_parameter
from isaaclab.utils.types import ArticulationActions

from surefoot.env_mask import EnvIds
from surefoot_bridge.actuators.parameters import ControlTiming, JointParameters, MotorConstants
from surefoot_bridge.errors import SurefootError

from .network import ActuatorNetwork
from .recorded import ActuatorArrays, RecordedLaunch, bind_columns

if TYPE_CHECKING:
    from .actuator_cfg import JointActuatorCfg


class JointActuator(ActuatorBase):
    """Delayed PD control through battery, torque-speed curve, heat, gear and friction: one launch per physics substep.

    The environment binds the table of randomized parameters (:meth:`bind_table`; without it, every environment has the
    nominal ones), then the drive starts the clock (:meth:`start`). From then on, per control step: one push of a
    command (:meth:`record_push`), one launch per substep (:meth:`record`), one :meth:`advance` after physics, and
    :meth:`reset` of the environments that begin an episode.

    :attr:`applied_effort` is the torque of the motor [N.m], shape (num_envs, num_joints); what the engine receives is
    that torque less joint friction. Derived from :class:`~isaaclab.actuators.ActuatorBase` rather than from
    ``IdealPDActuator``, whose subclasses Isaac Lab replaces by its own models. Its state
    (:class:`~surefoot.actuators.state.ActuatorState`) stands in tensors that are attributes, where checkpoints find it;
    parameters are the table's to save.
    """

    cfg: JointActuatorCfg

    # See ActuatorState.
    commands: torch.Tensor
    command_age: torch.Tensor
    heat: torch.Tensor
    voltage: torch.Tensor
    episode_time: torch.Tensor

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
        per_joint = self._per_joint
        effort_limit = per_joint(cfg.actuator_effort_limit)
        self._motors = MotorConstants(
            effort_limit=effort_limit,
            continuous_torque=per_joint(cfg.continuous_torque_share) * effort_limit,
            thermal_time_constant_s=per_joint(cfg.thermal_time_constant_s),
            derated_share=cfg.derated_share,
        )
        self._nominal = JointParameters.nominal(
            stiffness=per_joint(cfg.stiffness),
            damping=per_joint(cfg.damping),
            stall_torque=per_joint(cfg.saturation_effort),
            no_load_speed=per_joint(cfg.actuator_velocity_limit),
            coulomb_friction=per_joint(cfg.coulomb_friction),
            viscous_friction=per_joint(cfg.viscous_damping),
        )
        self._same_joint = self.engine_joint(joint_names)
        self._joint_effort = torch.zeros_like(self.computed_effort)
        self.motor_power = torch.zeros_like(self.computed_effort)
        self.saturation = torch.zeros_like(self.computed_effort, dtype=torch.int8)
        self.network: ActuatorNetwork | None = None
        if cfg.network_file is not None:
            self.network = ActuatorNetwork(
                cfg.network_file,
                num_envs=num_envs,
                num_joints=self.num_joints,
                history_steps=cfg.network_history_steps,
                device=device,
            )
        self._bound: tuple[wp.array, Callable[[str], int]] | None = None
        self._arrays: ActuatorArrays | None = None

    def bind_table(self, table: wp.array, first_column: Callable[[str], int]) -> None:
        """Take the parameters from a table, for good; before :meth:`start`.

        Args:
            table: Values in force, shape (num_envs, num_columns), float32, which stays where it is.
            first_column: First column of a parameter by name, for the names in
                :mod:`surefoot_bridge.actuators.parameters`.
        """
        if self._arrays is not None:
            raise SurefootError("The table must be bound before the actuator's drive is made.")
        if table.shape[0] != self._num_envs:
            raise SurefootError(f"The table has {table.shape[0]} rows for {self._num_envs} environments.")
        self._bound = (table, first_column)

    @property
    def table(self) -> wp.array:
        """The table that the kernels read, (num_envs, num_columns)."""
        return self._started().table

    def start(self, timing: ControlTiming) -> None:
        """Make the state for a clock, and put every environment at the start of an episode."""
        num_slots = timing.command_slots(self.cfg.largest_command_delay_s)
        shape = (self._num_envs, self.num_joints)
        self.commands = torch.zeros(self._num_envs, num_slots, self.num_joints, 3, device=self._device)
        self.command_age = torch.zeros(shape, device=self._device)
        self.heat = torch.zeros(shape, device=self._device)
        self.voltage = torch.zeros(self._num_envs, device=self._device)
        self.episode_time = torch.zeros(self._num_envs, device=self._device)
        table, columns = bind_columns(self._bound, self._nominal, self._num_envs, self._device)
        self._arrays = ActuatorArrays(
            self,
            table=table,
            columns=columns,
            motors=self._motors,
            default_joint_pos=self._per_joint(self.cfg.default_joint_pos),
            timing=timing,
            device=self._device,
        )
        self.reset(None)

    def engine_joint(self, engine_joint_names: Sequence[str]) -> wp.array:
        """Column of each of this model's joints in an engine's joint order, (num_joints,), int32."""
        columns = [engine_joint_names.index(name) for name in self.joint_names]
        return wp.array(columns, dtype=wp.int32, device=self._device)

    def record(
        self, joint_pos: wp.array, joint_vel: wp.array, engine_joint: wp.array, *, out: wp.array
    ) -> RecordedLaunch:
        """Prepare a substep on arrays of shape (num_envs, num_joints) that stay where they are.

        Each launch neither allocates nor waits for the device, and spares the host the packing of arguments. With an
        actuator network a launch is two of ours around the network's.

        Args:
            joint_pos: Joint positions [rad] in the engine's order.
            joint_vel: Joint velocities [rad/s] in the engine's order.
            engine_joint: What :meth:`engine_joint` returned for that engine.
            out: Joint efforts [N.m] in the engine's order.
        """
        arrays = self._started()
        if self.network is None:
            return arrays.record_efforts(joint_pos, joint_vel, engine_joint, out)
        return arrays.record_network_efforts(self.network, joint_pos, joint_vel, engine_joint, out)

    def record_push(self, position: torch.Tensor, velocity: torch.Tensor, effort: torch.Tensor) -> RecordedLaunch:
        """Prepare the push of a command, to be launched once per control step before physics.

        Args:
            position: Position targets [rad] in this model's order, (num_envs, num_joints); it stays where it is.
            velocity: Velocity targets [rad/s], likewise.
            effort: Feed-forward efforts [N.m], likewise.
        """
        return self._started().record_push(position, velocity, effort)

    def advance(self) -> None:
        """Let battery and heat follow a control step; once after its physics, before resets."""
        self._started().advance.launch()

    def reset(self, env_ids: EnvIds) -> None:
        """Begin an episode in the given environments, and in no other: one launch.

        Commands are as if the default pose had been held all along; heat and voltage are read from the table, which
        has drawn the episode's values when Isaac Lab resets the articulation and so calls this; torques and powers are
        zero until the next substep. Without effect before :meth:`start`, which begins an episode everywhere.
        """
        if self._arrays is None:
            return
        self._arrays.reset(env_ids)

    def leave_launching_to_engine(self) -> None:
        """Say that the engine's own step launches the kernel: :meth:`compute` then returns what was computed there."""
        self._started().launched_by_engine = True

    def compute(
        self, control_action: ArticulationActions, joint_pos: torch.Tensor, joint_vel: torch.Tensor
    ) -> ArticulationActions:
        """Turn the pushed commands into joint torques, in Isaac Lab's way: once per physics substep.

        Args:
            control_action: Its targets are not used: the commands are those that were pushed.
            joint_pos: Joint positions [rad], shape (num_envs, num_joints).
            joint_vel: Joint velocities [rad/s], shape (num_envs, num_joints).

        Returns:
            The same object with ``joint_efforts`` [N.m] set.
        """
        if not self._started().launched_by_engine:
            out = wp.from_torch(self._joint_effort)
            self.record(wp.from_torch(joint_pos), wp.from_torch(joint_vel), self._same_joint, out=out).launch()
        control_action.joint_efforts = self._joint_effort
        control_action.joint_positions = None
        control_action.joint_velocities = None
        return control_action

    def _per_joint(self, value: dict[str, float] | float | None) -> np.ndarray:
        """Values of every joint, (num_joints,), float32."""
        return resolve_joint_parameter(value, None, self.joint_names, 1, self._device)[0].cpu().numpy()

    def _started(self) -> ActuatorArrays:
        if self._arrays is None:
            raise SurefootError("The actuator has no clock yet. Call make_drive, or start, before it is used.")
        return self._arrays
