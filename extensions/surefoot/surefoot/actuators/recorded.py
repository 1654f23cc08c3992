"""Launches of the actuator kernels, recorded on arrays that stay where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
import torch
import warp as wp

from surefoot.env_mask import EnvIds, EnvMask
from surefoot_bridge.actuators.equations import heat_share
from surefoot_bridge.actuators.parameters import (
    PER_ENVIRONMENT,
    PER_JOINT,
    ControlTiming,
    JointParameters,
    MotorConstants,
)

from . import kernels, network_kernels, state_kernels

if TYPE_CHECKING:
    from .network import ActuatorNetwork
    from .state import ActuatorState


class RecordedLaunch(Protocol):
    """Something prepared that can be launched any number of times."""

    def launch(self) -> None:
        """Do it once."""


def bind_columns(
    bound: tuple[wp.array, Callable[[str], int]] | None, nominal: JointParameters, num_envs: int, device: str
) -> tuple[wp.array, Any]:
    """The table and the columns that kernels read.

    Args:
        bound: A table and its first columns by name, or None for nominal parameters everywhere.
        nominal: Nominal parameters.
        num_envs: Number of environments.
        device: Torch and Warp device.

    Returns:
        Table of shape (num_envs, num_columns), and a filled :class:`~surefoot.actuators.kernels.ActuatorColumns`. The
        rows of a nominal table are one row in memory, so that it costs neither memory nor bandwidth.
    """
    if bound is None:
        row, first_columns = nominal.row()
        bound = (
            wp.from_torch(torch.as_tensor(row, device=device).expand(num_envs, -1), requires_grad=False),
            first_columns.__getitem__,
        )
    table, first_column = bound
    columns = kernels.ActuatorColumns()
    for name in (*PER_JOINT, *PER_ENVIRONMENT):
        setattr(columns, name, first_column(name))
    return table, columns


class ActuatorArrays:
    """Warp's views of an actuator's tensors and parameters, and the launches on them.

    Attributes:
        advance: Battery and heat after a control step.
        launched_by_engine: Whether the engine's own step launches the substeps.
    """

    launched_by_engine = False

    def __init__(
        self,
        actuator: ActuatorState,
        *,
        table: wp.array,
        columns: Any,
        motors: MotorConstants,
        default_joint_pos: np.ndarray,
        timing: ControlTiming,
        device: str,
    ) -> None:
        def per_joint(values: np.ndarray) -> wp.array:
            return wp.array(values, dtype=wp.float32, device=device)

        self._device = device
        self._network = actuator.network
        self._timing = timing
        self.table, self._columns = table, columns
        self._effort_limit, self._derated_share = per_joint(motors.effort_limit), motors.derated_share
        self._default_joint_pos = per_joint(default_joint_pos)
        self._shape = tuple(actuator.heat.shape)
        self._masks = EnvMask(self._shape[0], device)
        self._commands = wp.from_torch(actuator.commands, dtype=wp.vec3f)
        self._command_age, self._heat = wp.from_torch(actuator.command_age), wp.from_torch(actuator.heat)
        self._voltage, self._episode_time = wp.from_torch(actuator.voltage), wp.from_torch(actuator.episode_time)
        self._computed_effort = actuator.computed_effort
        self._computed_effort_array = wp.from_torch(self._computed_effort)
        self._telemetry = [
            wp.from_torch(actuator.applied_effort),
            wp.from_torch(actuator.motor_power),
            wp.from_torch(actuator.saturation),
        ]
        self.advance: RecordedLaunch = self._record(
            state_kernels.advance_battery_and_heat,
            [
                table,
                columns,
                *self._telemetry[:2],
                per_joint(motors.continuous_torque),
                per_joint(heat_share(motors, timing)),
                timing.step_dt_s,
            ],
            [self._episode_time, self._heat, self._voltage],
            dim=self._shape[0],
        )

    def record_push(self, position: torch.Tensor, velocity: torch.Tensor, effort: torch.Tensor) -> RecordedLaunch:
        """See :meth:`~surefoot.actuators.actuator.JointActuator.record_push`."""
        inputs = [wp.from_torch(values) for values in (position, velocity, effort)]
        return self._record(state_kernels.push_command, inputs, [self._commands, self._command_age])

    def record_efforts(
        self, joint_pos: wp.array, joint_vel: wp.array, engine_joint: wp.array, joint_effort: wp.array
    ) -> RecordedLaunch:
        """PD control of a substep; see :meth:`~surefoot.actuators.actuator.JointActuator.record`."""
        inputs = [joint_pos, joint_vel, engine_joint, self._commands, *self._parameters()]
        return self._record(
            kernels.compute_joint_efforts,
            [*inputs, *self._clock()],
            [self._command_age, self._computed_effort_array, *self._telemetry, joint_effort],
        )

    def record_network_efforts(
        self,
        network: ActuatorNetwork,
        joint_pos: wp.array,
        joint_vel: wp.array,
        engine_joint: wp.array,
        joint_effort: wp.array,
    ) -> RecordedLaunch:
        """A substep with an actuator network in place of the PD law."""
        steps, history, network_input = network.arrays
        motion = [joint_pos, joint_vel, engine_joint]
        observe = self._record(
            network_kernels.observe_for_network,
            [*motion, self._commands, self.table, self._columns, *self._clock(), steps],
            [self._command_age, history, network_input],
        )
        apply = self._record(
            network_kernels.apply_network_efforts,
            [joint_vel, engine_joint, self._computed_effort_array, *self._parameters()],
            [*self._telemetry, joint_effort],
        )
        return NetworkSubstep(observe, network, self._computed_effort, apply)

    def reset(self, envs: EnvIds) -> None:
        """Begin an episode in the given environments."""
        env_mask = self._masks.of(envs)
        wp.launch(
            state_kernels.reset_actuators,
            dim=self._shape,
            inputs=[env_mask, self.table, self._columns, self._default_joint_pos],
            outputs=[
                *(self._commands, self._command_age, self._heat, self._voltage, self._episode_time),
                *(self._computed_effort_array, *self._telemetry),
            ],
            device=self._device,
        )
        if self._network is not None:
            self._network.reset(wp.to_torch(env_mask))

    def _parameters(self) -> list[Any]:
        return [self.table, self._columns, self._effort_limit, self._derated_share, self._heat, self._voltage]

    def _clock(self) -> list[float]:
        return [self._timing.physics_dt_s, self._timing.step_dt_s]

    def _record(self, kernel: Any, inputs: list[Any], outputs: list[Any], dim: Any = None) -> RecordedLaunch:
        launch = wp.launch(
            kernel,
            dim=self._shape if dim is None else dim,
            inputs=inputs,
            outputs=outputs,
            device=self._device,
            record_cmd=True,
        )
        return cast("RecordedLaunch", launch)  # what Warp returns when it records


class NetworkSubstep:
    """What a launch does with an actuator network: look at the joints, ask the network, apply limits and friction."""

    def __init__(
        self, observe: RecordedLaunch, network: ActuatorNetwork, computed_effort: torch.Tensor, apply: RecordedLaunch
    ) -> None:
        self._observe = observe
        self._network = network
        self._computed_effort = computed_effort
        self._apply = apply

    def launch(self) -> None:
        """Compute a substep's efforts."""
        self._observe.launch()
        self._network.evaluate(self._computed_effort)
        self._apply.launch()
