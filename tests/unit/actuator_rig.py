"""An actuator of round numbers, with a table of parameters that a test may write, for the actuator tests."""

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import torch
import warp as wp

from surefoot.actuators.actuator import JointActuator
from surefoot.actuators.actuator_cfg import JointActuatorCfg
from surefoot_bridge.actuators import equations as reference
from surefoot_bridge.actuators.parameters import (
    PER_ENVIRONMENT,
    PER_JOINT,
    ControlTiming,
    JointParameters,
    MotorConstants,
)

NOMINAL = {
    "stiffness": 20.0,
    "damping": 1.0,
    "motor_strength": 1.0,
    "stall_torque": 10.0,
    "no_load_speed": 20.0,
    "coulomb_friction": 0.0,
    "static_friction_ratio": 1.0,
    "viscous_friction": 0.0,
    "battery_voltage": 1.0,
}
"""10 N.m at rest, no torque at 20 rad/s, no friction; what is not named is 0."""
EFFORT_LIMIT_NM = 8.0
TIMING = ControlTiming(physics_dt_s=0.005, decimation=4)


class Rig:
    """A :class:`JointActuator` between arrays that the test reads and writes; the engine's order may be another.

    Attributes:
        table: Parameters in force by name, views of shape (num_envs, num_joints) or (num_envs,).
        joint_pos, joint_vel: State [rad], [rad/s] in the engine's order, (num_envs, num_joints).
        joint_effort: Result [N.m] in the engine's order.
        command: Position, velocity and effort to push, each (num_envs, num_joints).
    """

    def __init__(
        self,
        num_envs: int = 1,
        num_joints: int = 1,
        *,
        timing: ControlTiming = TIMING,
        largest_delay_s: float = 0.0,
        default_joint_pos: float = 0.0,
        engine_of_policy: Sequence[int] | None = None,
        bind: bool = True,
        device: str = "cpu",
        **cfg: object,
    ) -> None:
        wp.init()
        names = [f"joint_{index}" for index in range(num_joints)]
        self.timing = timing
        self.cfg = JointActuatorCfg(
            joint_names_expr=names,
            stiffness=NOMINAL["stiffness"],
            damping=NOMINAL["damping"],
            actuator_effort_limit=EFFORT_LIMIT_NM,
            actuator_velocity_limit=NOMINAL["no_load_speed"],
            saturation_effort=NOMINAL["stall_torque"],
            coulomb_friction=0.0,
            viscous_damping=0.0,
            default_joint_pos=default_joint_pos,
            largest_command_delay_s=largest_delay_s,
            **cfg,
        )
        zeros = torch.zeros(num_envs, num_joints, device=device)
        self.actuator = JointActuator(
            self.cfg,
            joint_names=names,
            joint_ids=slice(None),
            num_envs=num_envs,
            device=device,
            stiffness=zeros,
            damping=zeros,
        )
        self.first_columns = {name: 2 + index * num_joints for index, name in enumerate(PER_JOINT)}  # not from 0
        start = 2 + len(PER_JOINT) * num_joints
        self.first_columns |= {name: start + index for index, name in enumerate(PER_ENVIRONMENT)}
        width = start + len(PER_ENVIRONMENT) + 1
        self.values = torch.full((num_envs, width), torch.nan, device=device)  # others' columns are NaN
        self.table = SimpleNamespace()
        for name in PER_JOINT:
            columns = slice(self.first_columns[name], self.first_columns[name] + num_joints)
            setattr(self.table, name, self.values[:, columns])
        for name in PER_ENVIRONMENT:
            setattr(self.table, name, self.values[:, self.first_columns[name]])
        for name, view in vars(self.table).items():
            view[:] = NOMINAL.get(name, 0.0)
        if bind:
            self.actuator.bind_table(wp.from_torch(self.values), self.first_columns.__getitem__)
        self.actuator.start(timing)
        self.joint_pos, self.joint_vel, self.joint_effort = (zeros.clone() for _ in range(3))
        self.command = tuple(zeros.clone() for _ in range(3))
        order = list(range(num_joints)) if engine_of_policy is None else list(engine_of_policy)
        self._substep = self.actuator.record(
            wp.from_torch(self.joint_pos),
            wp.from_torch(self.joint_vel),
            wp.array(order, dtype=wp.int32, device=device),
            out=wp.from_torch(self.joint_effort),
        )
        self._push = self.actuator.record_push(*self.command)

    def push(self, position: object = 0.0, velocity: object = 0.0, effort: object = 0.0) -> None:
        """Push a command; numbers or arrays that broadcast to (num_envs, num_joints)."""
        for target, value in zip(self.command, (position, velocity, effort), strict=True):
            target[:] = torch.as_tensor(value, dtype=torch.float32)
        self._push.launch()

    def substep(self) -> None:
        """Compute the efforts of one substep."""
        self._substep.launch()

    def torque(self, position: float, joint_pos: float = 0.0, joint_vel: float = 0.0) -> SimpleNamespace:
        """Push one position to a rig of one joint, take a substep, and return its results as numbers."""
        self.push(position)
        self.joint_pos[:], self.joint_vel[:] = joint_pos, joint_vel
        self.substep()
        actuator = self.actuator
        return SimpleNamespace(
            computed=actuator.computed_effort.item(),
            motor=actuator.applied_effort.item(),
            joint=self.joint_effort.item(),
            saturation=actuator.saturation.item(),
        )

    def reference(self) -> tuple[JointParameters, MotorConstants, reference.ActuatorState]:
        """Parameters, constants and state of the kernels' side, copied for the NumPy side."""
        actuator = self.actuator
        num_joints = actuator.num_joints
        parameters = JointParameters.from_table(self.values.numpy().copy(), self.first_columns.__getitem__, num_joints)
        effort_limit = np.full(num_joints, EFFORT_LIMIT_NM, np.float32)
        motors = MotorConstants(
            effort_limit=effort_limit,
            continuous_torque=effort_limit * np.float32(self.cfg.continuous_torque_share),
            thermal_time_constant_s=np.full(num_joints, self.cfg.thermal_time_constant_s, np.float32),
            derated_share=self.cfg.derated_share,
        )
        state = reference.ActuatorState(
            commands=actuator.commands.numpy().copy(),
            command_age=actuator.command_age[:, 0].numpy().copy(),
            heat=actuator.heat.numpy().copy(),
            voltage=actuator.voltage.numpy().copy(),
            episode_time=actuator.episode_time.numpy().copy(),
        )
        return parameters, motors, state


def randomized_rig(num_envs: int = 257, num_joints: int = 5, seed: int = 1, **options: object) -> Rig:
    """A rig in which every parameter, state and reading of every environment is another."""
    rng = np.random.default_rng(seed)
    rig = Rig(num_envs, num_joints, largest_delay_s=0.05, **options)
    ranges = {
        "stiffness": (15.0, 25.0),
        "damping": (0.5, 1.5),
        "motor_strength": (0.8, 1.2),
        "stall_torque": (8.0, 12.0),
        "no_load_speed": (15.0, 25.0),
        "coulomb_friction": (0.0, 0.5),
        "static_friction_ratio": (1.0, 2.0),
        "viscous_friction": (0.0, 0.1),
        "encoder_offset": (-0.05, 0.05),
        "backlash": (0.0, 0.05),
        "initial_motor_heat": (0.0, 2.0),
        "command_delay": (0.0, 0.08),  # some beyond the largest that the rig remembers
        "battery_voltage": (0.8, 1.05),
        "battery_sag": (0.0, 0.01),
        "battery_resistance": (0.0, 0.001),
    }
    for name, view in vars(rig.table).items():
        view[:] = torch.as_tensor(rng.uniform(*ranges[name], view.shape).astype(np.float32))
    actuator = rig.actuator
    actuator.reset(None)
    actuator.commands[:] = torch.randn(actuator.commands.shape, generator=torch.Generator().manual_seed(seed))
    actuator.command_age[:] = torch.as_tensor(rng.integers(0, 4, (num_envs, 1)).astype(np.float32) * 0.005)
    actuator.voltage[:] = torch.as_tensor(rng.uniform(0.6, 1.05, num_envs).astype(np.float32))
    rig.joint_pos[:] = torch.as_tensor(rng.normal(0.0, 0.3, (num_envs, num_joints)).astype(np.float32))
    rig.joint_vel[:] = torch.as_tensor(rng.normal(0.0, 4.0, (num_envs, num_joints)).astype(np.float32))
    return rig
