"""Trials in MuJoCo C: all robots of a batch advance together, on as many threads as it is given."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco.rollout import Rollout

from surefoot.evaluation.trials.batch import TrialBatch, Variation
from surefoot.evaluation.trials.engine import TrialEngine, Truth
from surefoot.evaluation.trials.rotations import cross, from_angles, into_base
from surefoot.terrains.height_grid import HeightGrid
from surefoot_bridge.actuators import equations
from surefoot_bridge.actuators.parameters import ControlTiming
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots.model import robot_model
from surefoot_bridge.robots.mujoco_robot import AMBIENT_C, FULL_BATTERY_SHARE
from surefoot_bridge.state import JointCommand, RobotState, product
from surefoot_robots import get_robot

from .mujoco_actuators import trial_parameters
from .mujoco_model import TrialModel
from .standing import standing_height_m

_BASE_DOF = 6
_TIME = 0  # place of the time in a state
_BEGUN_S = 1.0  # when trials begin for MuJoCo: a state that it begins anew, at 0, is known by its time
_TO_STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS.value
_APPLIED = mujoco.mjtState.mjSTATE_QFRC_APPLIED.value


class MujocoTrialEngine(TrialEngine):
    """Robots in MuJoCo C with the actuator model of training, each in a world of its own on the same ground.

    One trial is :class:`~surefoot_bridge.robots.mujoco_robot.MujocoRobot` to rounding. A tick is a low-level period of
    the robot; in each physics step of it the command gives torques from that step's joint state.

    A robot whose state becomes too large for MuJoCo, which then begins with it anew, is reported as not finite from
    then on.

    What needs MuJoCo's kinematics (feet) is measured where a physics step begins and brought to its end with velocity
    and acceleration: to 0.1 mm. Forces are those of the last physics step.

    Args:
        contract: The contract.
        num_trials: N, the most trials that run side by side.
        grid: The ground.
        threads: Threads that step the physics.

    Raises:
        SurefootError: If the contract's robot is another than the one that is known here.
    """

    name = "mujoco"

    def __init__(self, contract: Contract, *, num_trials: int, grid: HeightGrid, threads: int = 1) -> None:
        self._robot, self._spec = robot_model(contract.robot.name), get_robot(contract.robot.name)
        _check(contract, self._robot.joint_names, self._robot.low_level_hz)
        self.num_trials, self.tick_s = num_trials, 1.0 / self._robot.low_level_hz
        self._model = TrialModel(self._robot, self._spec, contract.robot.foot_names, grid)
        self._ground_m = float(grid.height(0.0, 0.0))
        self._feels_feet = bool(self._robot.foot_names)
        self._sole_radius_m = self._spec.sole_radius_m
        self._stand_rad = np.array(contract.handling.stand_rad)[list(contract.sdk_order)]
        self._policy_order = list(contract.policy_order)
        self._timing = ControlTiming(self._robot.physics_dt_s, self._robot.physics_steps)
        compiled = self._model.compiled
        self._imu_quat = np.array(compiled.site(self._robot.imu_site).quat)
        self._imu_turned = not np.array_equal(self._imu_quat, (1.0, 0.0, 0.0, 0.0))
        self._gravity = np.array(compiled.opt.gravity)
        self._nstate = mujoco.mj_stateSize(compiled, _TO_STATE)
        self._qpos = slice(1, 1 + compiled.nq)  # the time comes first
        self._qvel = slice(1 + compiled.nq, 1 + compiled.nq + compiled.nv)
        self._joint_pos, self._joint_vel = 1 + self._model.qpos, 1 + compiled.nq + self._model.dof
        self._data = [mujoco.MjData(compiled) for _ in range(max(threads, 1))]
        self._rollout = Rollout(nthread=threads if threads > 1 else 0)
        self._n = 0

    def begin(self, batch: TrialBatch) -> None:
        """Put every robot of a batch at its start; see :meth:`TrialEngine.begin`."""
        n, variation, compiled = batch.num_trials, batch.variation, self._model.compiled
        if not 1 <= n <= self.num_trials:
            raise SurefootError(
                f"A batch of {n} trials of {batch.scenario.name}; this engine runs 1 to {self.num_trials} side by side."
            )
        self._n, self._ticks = n, 0
        self._models = self._model.varied(variation)
        self._com_b = self._model.base_com_b(self._models)
        self._parameters = trial_parameters(self._robot.parameters, variation)
        self._actuators = equations.initial_state(self._parameters, self._stand_rad, 1, (n,))
        self._efforts = None
        self._encoder_offset = np.asarray(self._parameters.encoder_offset)
        self._applied = np.zeros((n, 1, compiled.nv))
        self._state, self._before = np.zeros((n, 1, self._nstate)), np.zeros((n, 1, self._nstate))
        self._warm = np.zeros((n, compiled.nv))
        self._lost = np.zeros(n, dtype=bool)
        self._sensors = np.zeros((n, 1, compiled.nsensordata))
        self._put_down(variation)

    def place(self, base_pos_w: np.ndarray, base_quat_wxyz: np.ndarray, joint_pos_rad: np.ndarray) -> None:
        """Put the robots of a batch that has begun elsewhere, at rest.

        Args:
            base_pos_w: Where the bases are [m], (N, 3).
            base_quat_wxyz: Rotations from their frames to the world, (N, 4).
            joint_pos_rad: Joint positions [rad] in the order of the robot's interface, (N, num_joints).
        """
        compiled, data = self._model.compiled, self._data[0]
        state, sensors = self._state[:, 0], self._sensors[:, 0]
        for row in range(self._n):
            data.qpos[:7] = (*base_pos_w[row], *base_quat_wxyz[row])
            data.qpos[self._model.qpos] = joint_pos_rad[row]
            data.qvel[:], data.time = 0.0, _BEGUN_S
            mujoco.mj_forward(compiled, data)
            mujoco.mj_getState(compiled, data, state[row], _TO_STATE)
            sensors[row] = data.sensordata

    def report(self) -> RobotState:
        """Return what perfect sensors measure now, (N, ...)."""
        state, sensors, robot = self._state[:, 0], self._sensors[:, 0], self._robot
        quat, ang_vel = state[:, self._qpos][:, 3:7], state[:, self._qvel][:, 3:6]
        span_c = robot.motor_temperature_limit_c - AMBIENT_C
        n = self._n
        feet = -sensors[:, self._model.foot_force[:, 2]] if self._feels_feet else np.zeros((n, 0))
        return RobotState(
            time_s=np.full(n, self._ticks / robot.low_level_hz),
            sequence=np.full(n, self._ticks, dtype=np.int64),
            joint_pos_rad=state[:, self._joint_pos] + self._encoder_offset,
            joint_vel_rad_s=state[:, self._joint_vel],
            joint_torque_nm=self._motor_nm(),
            motor_temperature_c=AMBIENT_C + span_c * self._actuators.heat.astype(np.float64),
            imu_quat_wxyz=self._unless_lost(product(quat, self._imu_quat) if self._imu_turned else quat.copy()),
            imu_ang_vel_rad_s=into_base(self._imu_quat, ang_vel) if self._imu_turned else ang_vel.copy(),
            imu_lin_acc_m_s2=sensors[:, self._model.accelerometer],
            foot_force_n=feet,
            battery_share=np.full(n, FULL_BATTERY_SHARE),
        )

    def truth(self) -> Truth:
        """Return what is true now."""
        state, sensors = self._state[:, 0], self._sensors[:, 0]
        qpos, qvel = state[:, self._qpos], state[:, self._qvel]
        motor = self._motor_nm()
        cut = np.zeros(motor.shape, dtype=bool)
        if self._efforts is not None:
            cut = self._efforts.motor != self._parameters.motor_strength * self._efforts.computed
        foot_pos, foot_vel = self._feet()
        return Truth(
            base_pos_w=self._unless_lost(qpos[:, :3].copy()),
            base_quat_wxyz=self._unless_lost(qpos[:, 3:7].copy()),
            base_lin_vel_w=qvel[:, :3].copy(),
            base_ang_vel_b=qvel[:, 3:6].copy(),
            joint_pos_rad=state[:, self._joint_pos],
            joint_vel_rad_s=state[:, self._joint_vel],
            motor_torque_nm=motor,
            torque_cut=cut,
            motor_heat=self._actuators.heat.copy(),
            foot_pos_w=foot_pos,
            foot_vel_w=foot_vel,
            foot_force_n=_length(sensors[:, self._model.foot_force]),
            body_force_n=_length(sensors[:, self._model.body_force]).max(axis=-1),
        )

    def step(self, command: JointCommand, push_force_w: np.ndarray | None) -> None:
        """Advance by a tick; see :meth:`TrialEngine.step`."""
        for _ in range(self._robot.physics_steps):
            self._physics_step(command, push_force_w)
            self._lost |= self._state[:, 0, _TIME] <= self._before[:, 0, _TIME]
        assert self._efforts is not None
        self._actuators = equations.advance(
            self._parameters, self._robot.motors, self._timing, self._actuators, self._efforts
        )
        self._ticks += 1

    def close(self) -> None:
        """End the threads."""
        self._rollout.close()

    def _physics_step(self, command: JointCommand, push_force_w: np.ndarray | None) -> None:
        now, applied = self._state[:, 0], self._applied[:, 0]
        q, dq = now[:, self._joint_pos], now[:, self._joint_vel]
        error = equations.position_error(self._parameters, command.joint_pos_rad, q)
        asked = command.stiffness_nm_per_rad * error + command.torque_nm
        asked += command.damping_nms_per_rad * (command.joint_vel_rad_s - dq)
        self._efforts = equations.drive_joints(self._parameters, self._robot.motors, self._actuators, asked, dq)
        applied[:, self._model.dof] = self._efforts.joint
        if push_force_w is None:
            applied[:, :_BASE_DOF] = 0.0
        else:  # on the centre of mass: the base's rotational degrees of freedom are in its own frame
            applied[:, :3] = push_force_w
            force_b = into_base(now[:, self._qpos][:, 3:7], push_force_w)
            applied[:, 3:_BASE_DOF] = cross(self._com_b, force_b)
        self._state, self._before = self._before, self._state
        self._rollout.rollout(
            self._models,
            self._data,
            self._before[:, 0],
            self._applied,
            control_spec=_APPLIED,
            skip_checks=True,
            nstep=1,
            initial_warmstart=self._warm,
            state=self._state,
            sensordata=self._sensors,
        )
        # The solver starts from the last step's acceleration, as it would in a data structure of the trial's own.
        np.subtract(self._state[:, 0, self._qvel], self._before[:, 0, self._qvel], out=self._warm)
        self._warm /= self._robot.physics_dt_s

    def _unless_lost(self, values: np.ndarray) -> np.ndarray:
        if self._lost.any():
            values[self._lost] = np.nan
        return values

    def _motor_nm(self) -> np.ndarray:
        if self._efforts is None:
            return np.zeros((self._n, len(self._stand_rad)))
        return np.asarray(self._efforts.motor, dtype=np.float64)

    def _feet(self) -> tuple[np.ndarray, np.ndarray]:
        """Return position and velocity of the lowest point of each sole, (N, num_feet, 3) each."""
        sensors, model, dt = self._sensors[:, 0], self._model, self._robot.physics_dt_s if self._ticks else 0.0
        velocity = sensors[:, model.sole_vel] + dt * (sensors[:, model.sole_acc] + self._gravity)
        centre = sensors[:, model.sole_pos] + dt * velocity  # (N, num_feet, num_points, 3)
        if centre.shape[2] > 1:
            low = centre[..., 2].argmin(axis=2)[:, :, None, None]
            centre, velocity = np.take_along_axis(centre, low, axis=2), np.take_along_axis(velocity, low, axis=2)
        position, velocity = centre[:, :, 0], velocity[:, :, 0]
        turning, radius = sensors[:, model.foot_ang_vel], self._sole_radius_m
        position[..., 2] -= radius
        velocity[..., 0] -= radius * turning[..., 1]
        velocity[..., 1] += radius * turning[..., 0]
        return position, velocity

    def _put_down(self, variation: Variation) -> None:
        """Put the robots onto the ground in their standing pose."""
        limits, spec = self._model.limits_rad, self._spec
        pose = np.clip(self._stand_rad + variation.joint_offset_rad, limits[:, 0], limits[:, 1])
        quat = from_angles(variation.tilt_rad[:, 0], variation.tilt_rad[:, 1], variation.yaw_rad)
        height_m = self._ground_m + standing_height_m(spec, pose[:, self._policy_order], quat)
        weight = np.array([model.body_mass.sum() for model in self._models]) * -self._gravity[2]
        self.place(np.stack([np.zeros(self._n), np.zeros(self._n), height_m], axis=-1), quat, pose)
        sensors = self._sensors[:, 0]
        # MuJoCo has them fall in this instant, for their feet only just touch; sensors of a robot at rest feel it rest.
        up = into_base(product(quat, self._imu_quat), -self._gravity)
        sensors[:, self._model.accelerometer] = up
        sensors[:, self._model.foot_force] = 0.0
        sensors[:, self._model.foot_force[:, 2]] = -weight[:, None] / len(self._model.foot_force)


def _check(contract: Contract, joints: tuple[str, ...], low_level_hz: float) -> None:
    robot = contract.robot
    if robot.sdk_joint_names != joints or contract.timing.low_level_hz != low_level_hz:
        raise SurefootError(
            f"The contract's {robot.name} has the interface {', '.join(robot.sdk_joint_names)} at "
            f"{contract.timing.low_level_hz:g} Hz; the one known here has {', '.join(joints)} at {low_level_hz:g} Hz. "
            "Export the policy with this version of Surefoot."
        )


def _length(vectors: np.ndarray) -> np.ndarray:
    """Return the lengths of vectors, (...,)."""
    return np.sqrt((vectors * vectors).sum(axis=-1))
