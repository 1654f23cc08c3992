"""Inertial and contact numbers of a robot's model, which randomization takes as nominal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from surefoot_robots import RobotSpec

if TYPE_CHECKING:
    import mujoco
    import numpy as np


@dataclass(frozen=True, eq=False)
class NominalModel:
    """Numbers of a robot's MJCF as MuJoCo compiles it, by body in the order of declaration.

    Attributes:
        body_names: Names of the bodies, the base first.
        mass_kg: Masses, (num_bodies,).
        com_m: Centres of mass in the body's frame, (num_bodies, 3).
        inertia_kgm2: Inertia about the centre of mass in the body's axes, (num_bodies, 3, 3).
        joint_of_body: For each body, place in ``RobotSpec.joint_names`` of the joint that moves it relative to its
            parent; -1 for the base, and for a body that is fixed to its parent, as feet are.
        foot_friction: Sliding friction coefficient of each foot's shapes, in the order of ``RobotSpec.foot_bodies``.
        foot_torsional_friction_m: Torsional friction coefficient [m] that acts on them; 0 where the contact has no
            such dimension (condim below 4).
        foot_rolling_friction_m: Rolling friction coefficient [m] that acts on them; 0 below condim 6.
    """

    body_names: tuple[str, ...]
    mass_kg: np.ndarray
    com_m: np.ndarray
    inertia_kgm2: np.ndarray
    joint_of_body: tuple[int, ...]
    foot_friction: tuple[float, ...]
    foot_torsional_friction_m: tuple[float, ...]
    foot_rolling_friction_m: tuple[float, ...]


@lru_cache
def read_nominal_model(spec: RobotSpec) -> NominalModel:
    """Compile a robot's MJCF and read what randomization starts from."""
    import mujoco  # what names and checks parameters only does without
    import numpy as np

    from surefoot_bridge.state import rotation_matrix

    model = mujoco.MjModel.from_xml_path(str(spec.mjcf_path))
    bodies = [model.body(index) for index in range(1, model.nbody)]  # without the world
    axes = rotation_matrix(model.body_iquat[1:])  # (num_bodies, 3, 3), columns are the principal axes

    def joint_of(body: int) -> int:
        if model.body_jntnum[body] == 0 or model.jnt_type[model.body_jntadr[body]] == mujoco.mjtJoint.mjJNT_FREE:
            return -1
        return spec.joint_names.index(model.joint(model.body_jntadr[body]).name)

    def friction_of(foot: str) -> tuple[float, float, float]:
        (values,) = {acting_friction(model, geom) for geom in _geoms_of(model, foot)}
        return values

    sliding, torsional, rolling = zip(*(friction_of(foot) for foot in spec.foot_bodies), strict=True)

    return NominalModel(
        body_names=tuple(body.name for body in bodies),
        mass_kg=model.body_mass[1:].copy(),
        com_m=model.body_ipos[1:].copy(),
        inertia_kgm2=np.einsum("bij,bj,bkj->bik", axes, model.body_inertia[1:], axes),
        joint_of_body=tuple(joint_of(index) for index in range(1, model.nbody)),
        foot_friction=sliding,
        foot_torsional_friction_m=torsional,
        foot_rolling_friction_m=rolling,
    )


def acting_friction(model: mujoco.MjModel, geom: int) -> tuple[float, float, float]:
    """Return sliding [-], torsional [m] and rolling [m] friction of a shape, without what its contacts leave out."""
    sliding, torsional, rolling = (float(value) for value in model.geom_friction[geom])
    dimensions = int(model.geom_condim[geom])
    return sliding, torsional if dimensions >= 4 else 0.0, rolling if dimensions >= 6 else 0.0


def _geoms_of(model: mujoco.MjModel, body: str) -> range:
    first = int(model.body(body).geomadr[0])
    return range(first, first + int(model.body(body).geomnum[0]))
