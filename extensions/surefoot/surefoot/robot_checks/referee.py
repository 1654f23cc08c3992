"""Quantities of a recorded motion that no engine is asked for: MuJoCo computes them from the states."""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import NamedTuple

import mujoco
import numpy as np

from surefoot.robot_checks.engine import Array, RobotState, standing_state
from surefoot.robot_checks.mujoco_engine import MujocoEngine
from surefoot_robots import RobotSpec


class Motion(NamedTuple):
    """Quantities along a trajectory of T states.

    Attributes:
        com_vel_w: Velocity of the robot's centre of mass [m/s], (T, 3).
        energy_j: Kinetic and potential energy, that of rotors (armature) included [J], (T,).
        penetration_m: Deepest penetration of any geom into the ground, 0 in the air [m], (T,).
        sole_pos_w: Mean of the sole points of each foot [m], (T, num_feet, 3).
        sole_height_m: Height of the lowest sole point of each foot [m], (T, num_feet).
        tilt_rad: Angle between the base's z axis and the vertical [rad], (T,).
        sink_m_s: Downward speed of the centre of the shape that moves down fastest [m/s], (T,).
    """

    com_vel_w: Array
    energy_j: Array
    penetration_m: Array
    sole_pos_w: Array
    sole_height_m: Array
    tilt_rad: Array
    sink_m_s: Array


class Rest(NamedTuple):
    """How a robot lies at the end of a trajectory.

    Attributes:
        height_m: Height of the base's frame [m].
        up_b: Upward direction in the base's frame, (3,).
        gap_m: Height of the base's lowest shape above the ground, negative where it is in it [m].
    """

    height_m: float
    up_b: Array
    gap_m: float

    def __str__(self) -> str:
        """Return it for a person."""
        tilt_rad = np.arccos(np.clip(self.up_b[2], -1.0, 1.0))
        gap_m = round(self.gap_m, 3) + 0.0  # no -0.000
        return f"base at {self.height_m:.3f} m, tilted by {tilt_rad:.2f} rad, {gap_m:.3f} m above the ground"


class Referee:
    """The robot's MJCF, used for its kinematics and masses only."""

    def __init__(self, spec: RobotSpec) -> None:
        self.spec = spec
        self.engine = MujocoEngine(spec)
        self.model = self.engine.model
        self.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        self.total_mass_kg = float(self.model.body_subtreemass[0])

    @property
    def foot_friction(self) -> float:
        """Sliding friction coefficient of the feet."""
        feet = {self.model.body(name).id for name in self.spec.foot_bodies}
        (friction,) = {float(self.model.geom_friction[g, 0]) for g, b in enumerate(self.model.geom_bodyid) if b in feet}
        return friction

    def live_foot_friction(self, trajectory: RobotState) -> Array:
        """Return the sliding friction of every contact between a foot and the ground along a trajectory."""
        feet = {self.model.body(name).id for name in self.spec.foot_bodies}
        return np.array(
            [
                contact.friction[0]
                for data in self._visit(trajectory)
                for contact in data.contact
                if feet & {self.model.geom_bodyid[geom] for geom in contact.geom}
            ]
        )

    def motion(self, trajectory: RobotState) -> Motion:
        """Return the derived quantities along a trajectory."""
        feet = [self.model.body(name).id for name in self.spec.foot_bodies]
        rows = []
        for data in self._visit(trajectory):
            mujoco.mj_subtreeVel(self.model, data)
            soles = [
                data.xpos[foot] + np.array(points) @ data.xmat[foot].reshape(3, 3).T  # (num_points, 3)
                for foot, points in zip(feet, self.spec.sole_offsets_m, strict=True)
            ]
            rows.append(
                (
                    data.subtree_linvel[0].copy(),
                    data.energy.sum(),
                    max([0.0, *(-contact.dist for contact in data.contact)]),
                    np.array([points.mean(axis=0) for points in soles]),
                    np.array([points[:, 2].min() - self.spec.sole_radius_m for points in soles]),
                    np.arccos(np.clip(data.body(self.spec.base_body).xmat[8], -1.0, 1.0)),
                    self._sink_m_s(data),
                )
            )
        return Motion(*(np.array(column) for column in zip(*rows, strict=True)))

    def rest(self, trajectory: RobotState) -> Rest:
        """Return how the robot lies at the end."""
        last = {field.name: getattr(trajectory, field.name)[-1:] for field in fields(RobotState)}
        (data,) = self._visit(RobotState(**last))
        base, model = self.model.body(self.spec.base_body).id, self.model
        bodies = {body: [g for g, of in enumerate(model.geom_bodyid) if of == body] for body in (0, base)}
        gaps = [
            mujoco.mj_geomDistance(model, data, geom, ground, 1.0, None)
            for geom in bodies[base]
            for ground in bodies[0]
            if model.geom_contype[geom] or model.geom_conaffinity[geom]
        ]
        height_m = float(trajectory.base_pos_w[-1, 2])
        return Rest(height_m, data.xmat[base].reshape(3, 3)[2].copy(), min(gaps, default=np.inf))

    def mass_matrix(self, joint_pos: Array) -> Array:
        """Return the mass matrix with the base level, velocity order (base linear, base angular, joints)."""
        self.engine.reset(replace(standing_state(self.spec), joint_pos=joint_pos))
        matrix = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.engine.data, matrix)
        order = [*range(6), *(self.model.joint(name).dofadr[0] for name in self.spec.joint_names)]
        return matrix[np.ix_(order, order)]

    def _sink_m_s(self, data: mujoco.MjData) -> float:
        velocity, fastest = np.zeros(6), 0.0  # angular, linear
        for geom in range(self.model.ngeom):
            mujoco.mj_objectVelocity(self.model, data, mujoco.mjtObj.mjOBJ_GEOM, geom, velocity, 0)
            fastest = max(fastest, -velocity[5])
        return fastest

    def _visit(self, trajectory: RobotState) -> Iterator[mujoco.MjData]:
        """Set the model to each state in turn."""
        for index in range(len(trajectory.base_pos_w)):
            state = {field.name: getattr(trajectory, field.name)[index] for field in fields(RobotState)}
            self.engine.set_state(RobotState(**state))
            yield self.engine.data
