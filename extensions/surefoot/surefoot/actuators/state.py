"""What the kernels change of an actuator model, in tensors that stay where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import torch

if TYPE_CHECKING:
    from .network import ActuatorNetwork


class ActuatorState(Protocol):
    """The state that launches are recorded on; :class:`~surefoot.actuators.actuator.JointActuator` has it.

    Shapes are (num_envs, num_joints) where none is given.
    """

    network: ActuatorNetwork | None
    """Stands in for the PD law; None without one."""
    commands: torch.Tensor
    """Commands (position [rad], velocity [rad/s], effort [N.m]) by age in control steps, the newest first,
    (num_envs, num_slots, num_joints, 3)."""
    command_age: torch.Tensor
    """Time since the newest command at the start of the next substep [s]."""
    heat: torch.Tensor
    """Heat of each motor; 1 is what its continuous torque settles at."""
    voltage: torch.Tensor
    """Battery voltage as a share of the nominal one, (num_envs,)."""
    episode_time: torch.Tensor
    """Time since the reset [s], (num_envs,)."""
    computed_effort: torch.Tensor
    """Torque that was asked of the motor in the last substep [N.m]."""
    applied_effort: torch.Tensor
    """Torque of the motor in the last substep [N.m]."""
    motor_power: torch.Tensor
    """Mechanical power of the motors in the last substep [W]."""
    saturation: torch.Tensor
    """What cut the torque in the last substep, :class:`~surefoot_bridge.actuators.equations.Saturation`, int8."""
