"""A robot on a scenario's ground as MuJoCo takes it, with sensors for what reports and measures need."""

from __future__ import annotations

import copy
from typing import Any

import mujoco
import numpy as np

from surefoot.evaluation.trials.batch import Variation
from surefoot.randomization.foot_contacts import TURNING_DIMENSIONS
from surefoot.terrains.height_grid import HeightGrid
from surefoot.terrains.mujoco_ground import add_ground
from surefoot_bridge.robots.model import RobotModel
from surefoot_bridge.robots.mujoco_scene import GROUND, begin_scene
from surefoot_robots import RobotSpec

from .payload import payload_position_b

_PAYLOAD = "payload"
_SMALLEST_INERTIA_KGM2 = 1e-9  # of a point mass: MuJoCo wants more than none


class TrialModel:
    """The compiled robot on its ground, and where its numbers stand.

    It is the model of :class:`~surefoot_bridge.robots.mujoco_robot.MujocoRobot`: same file, integrator, time step and
    ground; what is added weighs nothing and touches nothing.

    Args:
        robot: The robot, as the emulation takes it.
        spec: The robot.
        feet: Its feet, in the contract's order.
        grid: The ground.

    Attributes:
        compiled: The nominal model.
        qpos: Places of the joints' positions in ``qpos``, in the order of the robot's interface, (num_joints,).
        dof: Places of their velocities in ``qvel``, (num_joints,).
        limits_rad: Their ranges, (num_joints, 2).
        accelerometer: Columns of the IMU's specific force in ``sensordata``.
        foot_force: Columns of the force that each foot exerts on the ground, in the world's axes, (num_feet, 3).
        body_force: Columns of the same of bodies that must not touch it, (num_bodies, 3).
        sole_pos: Columns of the centre of each sole point's sphere in the world, (num_feet, num_points, 3); feet with
            fewer points than others repeat one.
        sole_vel: Columns of its velocity, same shape.
        sole_acc: Columns of its acceleration, to which gravity's reaction adds, same shape.
        foot_ang_vel: Columns of each foot's angular velocity in the world's axes, (num_feet, 3).
    """

    def __init__(self, robot: RobotModel, spec: RobotSpec, feet: tuple[str, ...], grid: HeightGrid) -> None:
        self._robot = robot
        scene = begin_scene(mujoco, robot.mjcf_path, robot.physics_dt_s)
        add_ground(scene, grid, friction=robot.ground_friction)
        base = scene.body(robot.base_body)
        base.add_body(
            name=_PAYLOAD,
            pos=payload_position_b(spec),
            mass=0.0,
            inertia=[_SMALLEST_INERTIA_KGM2] * 3,
            explicitinertial=True,
        )
        self._sensors = 0
        self.accelerometer = self._sense(scene, "mjSENS_ACCELEROMETER", "mjOBJ_SITE", robot.imu_site)
        self.foot_force = np.array([self._contact(scene, foot) for foot in feet])
        self.body_force = np.array([self._contact(scene, body) for body in spec.fall_bodies])
        self.foot_ang_vel = np.array([self._sense(scene, "mjSENS_FRAMEANGVEL", "mjOBJ_BODY", foot) for foot in feet])
        soles = self._soles(scene, spec, feet)
        self.sole_pos, self.sole_vel, self.sole_acc = (
            np.array([[self._sense(scene, kind, "mjOBJ_SITE", site) for site in sites] for sites in soles])
            for kind in ("mjSENS_FRAMEPOS", "mjSENS_FRAMELINVEL", "mjSENS_FRAMELINACC")
        )
        self.compiled = scene.compile()
        joints = [self.compiled.joint(name) for name in robot.joint_names]
        self.qpos = np.array([joint.qposadr[0] for joint in joints])
        self.dof = np.array([joint.dofadr[0] for joint in joints])
        self.limits_rad = self.compiled.jnt_range[[joint.id for joint in joints]]
        self._foot_geoms = np.flatnonzero(np.isin(self.compiled.geom_bodyid, [self.compiled.body(f).id for f in feet]))

    def varied(self, variation: Variation) -> list[Any]:
        """Return the model of each trial; trials that differ in nothing but their motors share one."""
        made: dict[tuple[tuple[float, ...], float], Any] = {}
        parts = (variation.friction, variation.torsional_friction_m, variation.rolling_friction_m)
        friction = [tuple(values) for values in np.stack(parts, axis=1).tolist()]  # (N, 3)
        numbers = list(zip(friction, variation.payload_kg.tolist(), strict=True))
        for number in numbers:
            if number not in made:
                made[number] = self._with(*number)
        return [made[number] for number in numbers]

    def base_com_b(self, models: list[Any]) -> np.ndarray:
        """Return the centre of mass of each base with its payload in the base's frame [m], (N, 3)."""
        bodies = [self.compiled.body(name).id for name in (self._robot.base_body, _PAYLOAD)]
        where = np.stack([self.compiled.body_ipos[bodies[0]], self.compiled.body_pos[bodies[1]]])  # (2, 3)
        masses = np.array([model.body_mass[bodies] for model in models])  # (N, 2)
        return masses @ where / masses.sum(axis=1, keepdims=True)

    def _with(self, friction: tuple[float, ...], payload_kg: float) -> Any:
        model = copy.copy(self.compiled)
        # A foot's geoms have priority over the ground: their friction counts, not the larger of the two.
        if any(friction[1:]):
            model.geom_condim[self._foot_geoms] = TURNING_DIMENSIONS
            model.geom_friction[self._foot_geoms] = friction
        else:
            model.geom_friction[self._foot_geoms, 0] = friction[0]
        model.body_mass[model.body(_PAYLOAD).id] = payload_kg
        mujoco.mj_setConst(model, mujoco.MjData(model))  # masses of subtrees, inverse inertias
        return model

    def _columns(self, width: int) -> np.ndarray:
        self._sensors += width
        return np.arange(self._sensors - width, self._sensors)

    def _sense(self, scene: Any, kind: str, of: str, name: str) -> np.ndarray:
        scene.add_sensor(
            type=getattr(mujoco.mjtSensor, kind),
            objtype=getattr(mujoco.mjtObj, of),
            objname=name,
            name=f"{kind} {name}",
        )
        return self._columns(3)

    def _contact(self, scene: Any, body: str) -> np.ndarray:
        scene.add_sensor(
            name=f"contact {body}",
            type=mujoco.mjtSensor.mjSENS_CONTACT,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            objname=body,
            reftype=mujoco.mjtObj.mjOBJ_GEOM,
            refname=GROUND,
            intprm=_NET_FORCE,
        )
        return self._columns(3)

    def _soles(self, scene: Any, spec: RobotSpec, feet: tuple[str, ...]) -> list[list[str]]:
        """Add a site at each point of the soles; return their names by foot, as many for each."""
        most = max(len(points) for points in spec.sole_offsets_m)
        soles = []
        for foot in feet:
            points = spec.sole_offsets_m[spec.foot_bodies.index(foot)]
            for i, point in enumerate(points):
                scene.body(foot).add_site(name=f"sole {foot} {i}", pos=point)
            soles.append([f"sole {foot} {min(i, len(points) - 1)}" for i in range(most)])
        return soles


_NET_FORCE = [2, 3, 1]  # a contact sensor's data: bit of the force; reduction: sum in the world's axes; one result
