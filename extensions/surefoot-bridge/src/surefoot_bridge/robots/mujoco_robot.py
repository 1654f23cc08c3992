"""A robot in MuJoCo with the actuator model of training, that reports as its sensors would."""

import math
from typing import Any, Optional

import numpy as np

from surefoot_bridge.actuators import equations
from surefoot_bridge.actuators.parameters import ControlTiming
from surefoot_bridge.clock import Clock, SimulatedClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import JointCommand, RobotState, product, rotation_matrix

from .model import RobotModel
from .mujoco_scene import compose, load_mujoco, lowest
from .robot import Reading, Robot

AMBIENT_C = 25.0
"""Temperature of a motor of heat 0 [degrees Celsius]. Assumption: a room."""

FULL_BATTERY_SHARE = 0.9
"""Charge that the battery reports [0 to 1]: it is not emulated, only given. Assumption: a charged one."""

_LONGEST_PAUSE_S = 0.1  # of real time that is made up for; a computer that is slower than that has a slower robot
_START_JITTER_RAD = 0.02  # of joints where they may lie: no two starts are the same
_NO_ANCHOR = (0.0, 0.0, 0.0)  # MuJoCo's own default is (0, 1, 0)


class MujocoRobot(Robot):
    """A robot in MuJoCo C on flat ground, with motors, friction and heat as in training.

    It is switched on lying in the start pose of its model, turned by any angle. Physics has steps of the model's
    ``physics_dt_s``, in each of which the last command gives torques from that step's joint state, as a motor's own
    controller does. With a :class:`~surefoot_bridge.clock.SimulatedClock` it moves while that advances, with another
    clock whenever it is read or written, up to the present.

    A report is measured at the end of a low-level period: encoders and gyro then, the accelerometer over the physics
    step before, torque as the motor knows it (before friction).

    Args:
        model: The robot.
        clock: The control loop's clock.
        seed: Draws the direction in which it lies and how far each joint is from the start pose (up to 0.02 rad).
        gantry: Whether its base hangs where it is, until :attr:`gantry` is set to False.

    Raises:
        SurefootError: If MuJoCo is not installed.

    Attributes:
        battery_share: Charge that it reports, in [0, 1].
        motor_heat_offset_c: What is added to the reported temperature of every motor [K].
    """

    def __init__(self, model: RobotModel, *, clock: Clock, seed: int = 0, gantry: bool = False) -> None:
        mujoco = load_mujoco()
        self.name = model.name
        self.num_foot_sensors = len(model.foot_names)
        self.robot_model = model
        self.battery_share = FULL_BATTERY_SHARE
        self.motor_heat_offset_c = 0.0
        self._clock, self._step = clock, mujoco.mj_step
        compiled = compose(mujoco, model)
        self.physics, self.data = compiled, mujoco.MjData(compiled)
        joints = [compiled.joint(name) for name in model.joint_names]
        self._qpos = np.array([joint.qposadr[0] for joint in joints])
        self._dof = np.array([joint.dofadr[0] for joint in joints])
        self._site = compiled.site(model.imu_site)
        self._imu_quat = np.array(self._site.quat)
        self._imu_from_base = rotation_matrix(self._imu_quat).T
        self._feet = np.array([compiled.body(name).id for name in model.foot_names], dtype=int)
        self._timing = ControlTiming(model.physics_dt_s, model.physics_steps)
        n = len(joints)
        self._command = JointCommand(model.start_joint_pos_rad.copy(), *(np.zeros(n) for _ in range(4)))
        self._state = equations.initial_state(model.parameters, model.start_joint_pos_rad, 1)
        self._efforts: Optional[equations.JointEfforts] = None
        self._ticks, self._closed = 0, False
        self._reading: Optional[Reading] = None
        self._lie_down(mujoco, np.random.default_rng(seed))
        self.gantry = gantry
        self._begun_s = clock.now()
        if isinstance(clock, SimulatedClock):
            clock.on_advance(self._advance)

    @property
    def gantry(self) -> bool:
        """Whether its base hangs where it is."""
        return bool(self.data.eq_active[0])

    @gantry.setter
    def gantry(self, hangs: bool) -> None:
        if hangs:  # where it is now
            self.physics.eq_data[0] = (*_NO_ANCHOR, *self.data.qpos[:7], 1.0)  # anchor, pose, share of torque
        self.data.eq_active[0] = hangs

    def read(self) -> Optional[Reading]:
        """Return the report of the last low-level period; None before the first is over."""
        if not isinstance(self._clock, SimulatedClock):
            self._advance(self._clock.now())
        if self._ticks and self._reading is None:
            received_s = self._begun_s + self._ticks / self.robot_model.low_level_hz
            self._reading = Reading(self._measure(), received_s, wrong_crc=False)
        return self._reading

    def write(self, command: JointCommand) -> None:
        """Tell the joints what to do; in force from the next physics step on."""
        if self._closed:
            raise SurefootError(f"The emulated {self.name} is closed; nothing can be sent to it.")
        if not isinstance(self._clock, SimulatedClock):
            self._advance(self._clock.now())
        self._command = JointCommand(*(np.array(part, dtype=np.float64) for part in vars(command).values()))

    def stop(self) -> None:
        """Damp the joints."""
        zeros = np.zeros(len(self._qpos))
        damping = np.full(len(self._qpos), self.robot_model.damped_nms_per_rad)
        self._command = JointCommand(self.data.qpos[self._qpos], zeros, zeros, damping, zeros)

    def close(self) -> None:
        """Damp the joints and move no further."""
        self.stop()
        self._closed = True

    def tip(self, roll_rad_s: float) -> None:
        """Tip the robot over: change the angular velocity of its base about its forward axis at once [rad/s]."""
        self.data.qvel[3] += roll_rad_s
        self.data.qvel[2] += 1.5  # off its feet

    def _advance(self, now_s: float) -> None:
        if self._closed:
            return
        hz = self.robot_model.low_level_hz
        due = math.floor((now_s - self._begun_s) * hz + 1e-6)
        if not isinstance(self._clock, SimulatedClock) and due - self._ticks > _LONGEST_PAUSE_S * hz:
            skipped = due - self._ticks - math.floor(_LONGEST_PAUSE_S * hz)
            self._begun_s += skipped / hz
            due -= skipped
        while self._ticks < due:
            self._ticks += 1
            self._reading = None
            for _ in range(self.robot_model.physics_steps):
                self._physics_step()
            assert self._efforts is not None
            self._state = equations.advance(
                self.robot_model.parameters, self.robot_model.motors, self._timing, self._state, self._efforts
            )

    def _physics_step(self) -> None:
        data, command, parameters = self.data, self._command, self.robot_model.parameters
        q, dq = data.qpos[self._qpos], data.qvel[self._dof]
        error = equations.position_error(parameters, command.joint_pos_rad, q)
        asked = command.stiffness_nm_per_rad * error + command.torque_nm
        asked += command.damping_nms_per_rad * (command.joint_vel_rad_s - dq)
        self._efforts = equations.drive_joints(parameters, self.robot_model.motors, self._state, asked, dq)
        data.qfrc_applied[self._dof] = self._efforts.joint
        self._step(self.physics, data)

    def _measure(self) -> RobotState:
        data, model = self.data, self.robot_model
        assert self._efforts is not None
        span_c = model.motor_temperature_limit_c - AMBIENT_C
        return RobotState(
            time_s=np.array(self._ticks / model.low_level_hz),
            sequence=np.array(self._ticks, dtype=np.int64),
            joint_pos_rad=data.qpos[self._qpos] + model.parameters.encoder_offset,
            joint_vel_rad_s=data.qvel[self._dof].copy(),
            joint_torque_nm=np.asarray(self._efforts.motor, dtype=np.float64),
            motor_temperature_c=AMBIENT_C + span_c * self._state.heat.astype(np.float64) + self.motor_heat_offset_c,
            imu_quat_wxyz=product(data.qpos[3:7], self._imu_quat),
            imu_ang_vel_rad_s=self._imu_from_base @ data.qvel[3:6],
            imu_lin_acc_m_s2=data.sensordata[:3].copy(),
            foot_force_n=data.cfrc_ext[self._feet, 5],
            battery_share=np.array(self.battery_share),
        )

    def _lie_down(self, mujoco: Any, generator: np.random.Generator) -> None:
        """Put the robot onto the ground in its start pose."""
        data, model = self.data, self.robot_model
        yaw = generator.uniform(-math.pi, math.pi)
        data.qpos[:7] = (0.0, 0.0, 0.0, math.cos(yaw / 2.0), 0.0, 0.0, math.sin(yaw / 2.0))
        away = generator.uniform(-_START_JITTER_RAD, _START_JITTER_RAD, len(self._qpos))
        ranges = self.physics.jnt_range[[self.physics.joint(name).id for name in model.joint_names]]
        data.qpos[self._qpos] = np.clip(model.start_joint_pos_rad + away, ranges[:, 0], ranges[:, 1])
        mujoco.mj_forward(self.physics, data)
        data.qpos[2] = -min(lowest(self.physics, data, geom) for geom in range(self.physics.ngeom))
        mujoco.mj_forward(self.physics, data)
