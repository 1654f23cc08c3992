"""What the environment's engine holds of the trials' robots, as NumPy in the orders of the robot's interface.

Conventions are those of golden traces (:mod:`surefoot.exporting.trace`), but that the accelerometer's specific force is
formed over a physics step and at the base's origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.evaluation.trials.engine import Truth
from surefoot.evaluation.trials.rotations import into_base, to_world
from surefoot.randomization.catalogue import GRAVITY_M_S2
from surefoot_bridge.contract import Contract
from surefoot_bridge.robots.mujoco_robot import AMBIENT_C, FULL_BATTERY_SHARE
from surefoot_bridge.state import RobotState

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv

_UP_N_PER_KG = np.array([0.0, 0.0, GRAVITY_M_S2])


@dataclass(frozen=True)
class _Base:
    """Motion of the bases' frames, (N, ...)."""

    pos_w: np.ndarray
    quat_wxyz: np.ndarray
    lin_vel_w: np.ndarray
    ang_vel_b: np.ndarray


class IsaacReadings:
    """Reads the robots of an environment whose control step is a physics step.

    Args:
        env: The environment.
        contract: Names of joints and feet, in the orders of the robot's interface.
    """

    def __init__(self, env: SurefootEnv, contract: Contract) -> None:
        self._env, self._data, spec = env, env.robot.data, env.robot_spec
        self._joints = [spec.joint_names.index(name) for name in contract.robot.sdk_joint_names]
        self._feet = [spec.foot_bodies.index(name) for name in contract.robot.foot_names]
        self._foot_bodies = [env.robot.body_names.index(name) for name in contract.robot.foot_names]
        self._soles_b = np.array([spec.sole_offsets_m[foot] for foot in self._feet])  # (num_feet, points, 3)
        self._sole_radius_m = spec.sole_radius_m
        self._has_foot_sensors = "foot_contact" in spec.interface.sensors
        self._heat_c = contract.safety.motor_temperature_limit_c - AMBIENT_C
        self._encoder_offset = env.randomization.table.view("encoder_offset")
        self.begin(1, np.zeros(3))

    def begin(self, num_trials: int, origin_w: np.ndarray) -> None:
        """Begin with robots at rest, whose feet share their weight until the engine has stepped.

        Args:
            num_trials: N, the environments that are read.
            origin_w: Origin of the trials' world in the simulator's [m], (3,).
        """
        self._num, self._origin_w, self._ticks = num_trials, origin_w, 0
        self._base: _Base | None = None
        self._lin_acc_w = np.zeros((num_trials, 3))

    def step(self) -> None:
        """Let a physics step have passed."""
        before = self._base_now().lin_vel_w
        self._base = None
        self._ticks += 1
        self._lin_acc_w = (self._base_now().lin_vel_w - before) / self._env.step_dt

    def report(self) -> RobotState:
        """Return what perfect sensors measure, (N, ...)."""
        base, heat = self._base_now(), self._rows(self._env.actuator.heat)
        ticks = np.full(self._num, self._ticks, dtype=np.int64)
        return RobotState(
            time_s=ticks * self._env.step_dt,
            sequence=ticks,
            joint_pos_rad=self._by_joint(self._data.joint_pos.torch) + self._by_joint(self._encoder_offset),
            joint_vel_rad_s=self._by_joint(self._data.joint_vel.torch),
            joint_torque_nm=self._motor_torque_nm(),
            motor_temperature_c=AMBIENT_C + self._heat_c * heat[:, self._joints],
            imu_quat_wxyz=base.quat_wxyz,
            imu_ang_vel_rad_s=base.ang_vel_b,
            imu_lin_acc_m_s2=into_base(base.quat_wxyz, self._lin_acc_w + _UP_N_PER_KG),
            foot_force_n=self._foot_force_n() if self._has_foot_sensors else np.zeros((self._num, 0)),
            battery_share=np.full(self._num, FULL_BATTERY_SHARE),
        )

    def truth(self) -> Truth:
        """Return what is true, (N, ...). Forces of feet and bodies are normal forces, without friction."""
        base, (foot_pos_w, foot_vel_w) = self._base_now(), self._soles()
        cut = self._env.actuator.saturation
        return Truth(
            base_pos_w=base.pos_w,
            base_quat_wxyz=base.quat_wxyz,
            base_lin_vel_w=base.lin_vel_w,
            base_ang_vel_b=base.ang_vel_b,
            joint_pos_rad=self._by_joint(self._data.joint_pos.torch),
            joint_vel_rad_s=self._by_joint(self._data.joint_vel.torch),
            motor_torque_nm=self._motor_torque_nm(),
            torque_cut=self._since_begin(self._by_joint(cut) != 0.0),
            motor_heat=self._by_joint(self._env.actuator.heat),
            foot_pos_w=foot_pos_w,
            foot_vel_w=foot_vel_w,
            foot_force_n=self._foot_force_n(),
            body_force_n=self._since_begin(self._rows(self._env.locomotion.fall_force_n)),
        )

    def _base_now(self) -> _Base:
        if self._base is None:
            pose, state = self._rows(self._data.root_link_pose_w.torch), self._env.locomotion
            quat_wxyz = pose[:, [6, 3, 4, 5]]
            self._base = _Base(
                pose[:, :3] - self._origin_w,
                quat_wxyz,
                to_world(quat_wxyz, self._rows(state.base_lin_vel_b)),
                self._rows(state.base_ang_vel_b),
            )
        return self._base

    def _soles(self) -> tuple[np.ndarray, np.ndarray]:
        """Return position and velocity of each sole's lowest point in the trials' world, (N, num_feet, 3) each."""
        pose = self._rows(self._data.body_link_pose_w.torch)[:, self._foot_bodies]  # (N, num_feet, 7)
        com_b = self._rows(self._data.body_com_pos_b.torch)[:, self._foot_bodies]
        com_vel = self._rows(self._data.body_com_vel_w.torch)[:, self._foot_bodies]  # (N, num_feet, 6)
        quat_wxyz = pose[..., [6, 3, 4, 5]]
        points = to_world(quat_wxyz[:, :, None], np.broadcast_to(self._soles_b, (self._num, *self._soles_b.shape)))
        lowest = points[..., 2].argmin(axis=-1)[..., None, None]  # (N, num_feet, 1, 1)
        arm_w = np.take_along_axis(points, lowest, axis=2)[:, :, 0]
        arm_w[..., 2] -= self._sole_radius_m
        from_com_w = arm_w - to_world(quat_wxyz, com_b)
        vel_w = com_vel[..., :3] + np.cross(com_vel[..., 3:], from_com_w)
        return pose[..., :3] + arm_w - self._origin_w, self._since_begin(vel_w)

    def _foot_force_n(self) -> np.ndarray:
        if self._ticks == 0:  # the engine still holds the forces of the past
            weight_n = GRAVITY_M_S2 * self._rows(self._data.body_mass.torch).sum(axis=1)
            return np.repeat(weight_n[:, None] / len(self._feet), len(self._feet), axis=1)
        return self._rows(self._env.locomotion.foot_force_n)[:, self._feet]

    def _motor_torque_nm(self) -> np.ndarray:
        return self._since_begin(self._by_joint(self._env.locomotion.motor_torque_nm))

    def _since_begin(self, values: np.ndarray) -> np.ndarray:
        return values if self._ticks else np.zeros_like(values)

    def _by_joint(self, values: Any) -> np.ndarray:
        return self._rows(values)[:, self._joints]

    def _rows(self, values: Any) -> np.ndarray:
        """Return the trials' rows of a tensor in float64."""
        return values[: self._num].detach().cpu().numpy().astype(np.float64)
