"""Reads parameters back from an engine, by other ways than those by which they were written where there are any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from surefoot.randomization.bodies import Bodies
from surefoot.randomization.nominal_model import read_nominal_model
from surefoot_bridge.state import rotation_matrix

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv


class EngineReadback(Protocol):
    """What a running engine holds."""

    def bodies(self) -> Bodies:
        """Bodies in the order of the robot's model, each array with the environments in front."""
        ...

    def held(self, name: str) -> np.ndarray | None:
        """Values of a parameter, (num_envs, num_elements); None for what the engine does not hold."""
        ...


def make_readback(env: SurefootEnv) -> EngineReadback:
    """Choose the readback of the engine that an environment runs in."""
    return OvPhysxReadback(env) if env.robot.data.__backend_name__ == "ovphysx" else NewtonReadback(env)


class OvPhysxReadback:
    """Asks PhysX's own bindings."""

    def __init__(self, env: SurefootEnv) -> None:
        self._view: Any = env.robot.root_view
        self._env = env
        engine_bodies, engine_joints = list(self._view.body_names), list(env.robot.backend_joint_names)
        self._bodies = [engine_bodies.index(name) for name in read_nominal_model(env.robot_spec).body_names]
        self._joints = [engine_joints.index(name) for name in env.robot_spec.joint_names]

    def bodies(self) -> Bodies:
        """Read masses, poses of the centres of mass, and inertia."""
        mass = self._read("articulation_body_mass")[:, self._bodies]
        com = self._read("articulation_body_com_pose")[:, self._bodies, :3]
        inertia = self._read("articulation_body_inertia")[:, self._bodies]
        inverse = self._read("articulation_body_inv_mass")[:, self._bodies]
        if np.abs(inverse * mass - 1.0).max() > 1e-5:
            mass = np.full_like(mass, np.nan)  # the engine moves with a mass that it does not show
        return Bodies(mass, com, inertia.reshape(*inertia.shape[:2], 3, 3))

    def held(self, name: str) -> np.ndarray | None:
        """Read armature, or the materials of the feet."""
        if name == "armature":
            return self._read("articulation_dof_armature")[:, self._joints]
        materials = {"foot_friction": 0, "foot_dynamic_friction_ratio": 1, "foot_restitution": 2}
        if name not in materials:
            return None
        feet: Any = self._env.randomization.applier
        shapes = feet.read_materials()  # (num_feet, num_envs, shapes, 3)
        values = shapes[..., materials[name]]
        if name == "foot_dynamic_friction_ratio":
            values = values / shapes[..., 0]
        assert (values == values[..., :1]).all()
        return values[..., 0].T

    def _read(self, attribute: str) -> np.ndarray:
        return self._view.get_attribute(attribute).numpy()


_FRICTION_COLUMNS = {"foot_friction": 0, "foot_torsional_friction": 1, "foot_rolling_friction": 2}


class NewtonReadback:
    """Reads the MuJoCo Warp solver's model, which is what moves the robots, and not Newton's, which was written."""

    def __init__(self, env: SurefootEnv) -> None:
        from isaaclab_newton.physics import NewtonManager

        solver: Any = NewtonManager._solver
        self._model = solver.mjw_model
        self._spec = env.robot_spec
        names = [solver.mj_model.body(index).name.split("/")[-1] for index in range(solver.mj_model.nbody)]
        self._bodies = [_only(names, name) for name in read_nominal_model(self._spec).body_names]
        joints = [solver.mj_model.joint(index) for index in range(solver.mj_model.njnt)]
        joint_names = [joint.name.split("/")[-1] for joint in joints]
        self._dofs = [int(joints[_only(joint_names, name)].dofadr[0]) for name in self._spec.joint_names]
        feet = [self._bodies[read_nominal_model(self._spec).body_names.index(foot)] for foot in self._spec.foot_bodies]
        self._foot_geoms = [np.flatnonzero(solver.mj_model.geom_bodyid == foot) for foot in feet]
        self._nominal_solref = np.array([0.01, 1.0])

    def bodies(self) -> Bodies:
        """Read masses, centres of mass and inertia."""
        model = self._model
        mass = model.body_mass.numpy()[:, self._bodies]
        com = model.body_ipos.numpy()[:, self._bodies]
        principal = model.body_inertia.numpy()[:, self._bodies]
        axes = rotation_matrix(model.body_iquat.numpy()[:, self._bodies])
        return Bodies(mass, com, np.einsum("nbij,nbj,nbkj->nbik", axes, principal, axes))

    def held(self, name: str) -> np.ndarray | None:
        """Read armature, friction, contact parameters or gravity."""
        model = self._model
        if name == "armature":
            return model.dof_armature.numpy()[:, self._dofs]
        if name == "gravity":
            return model.opt.gravity.numpy()
        if name in _FRICTION_COLUMNS:
            return self._per_foot(model.geom_friction.numpy()[..., _FRICTION_COLUMNS[name]])
        # MuJoCo's solref is (2 / damping, damping / (2 sqrt(stiffness))), both per unit of mass.
        solref = model.geom_solref.numpy().astype(np.float64)
        damping = 2.0 / solref[..., 0]
        if name == "contact_damping_ratio":
            return self._per_foot(damping * self._nominal_solref[0] / 2.0)
        if name == "contact_stiffness_ratio":
            stiffness = (damping / (2.0 * solref[..., 1])) ** 2
            return self._per_foot(stiffness * np.prod(self._nominal_solref) ** 2)
        return None

    def _per_foot(self, by_geom: np.ndarray) -> np.ndarray:
        """Return the value that all shapes of each foot share, (num_envs, num_feet)."""
        for geoms in self._foot_geoms:
            assert np.ptp(by_geom[:, geoms], axis=1).max() == 0.0
        return np.stack([by_geom[:, geoms[0]] for geoms in self._foot_geoms], axis=1)


def _only(names: list[str], wanted: str) -> int:
    """Return the place of the one name that ends in what is wanted."""
    (place,) = [index for index, name in enumerate(names) if name == wanted or name.endswith(f"_{wanted}")]
    return place
