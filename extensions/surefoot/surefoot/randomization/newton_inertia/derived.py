"""Changes of mass, inertia, armature and contact parameters in some worlds of a running Newton simulation.

Newton's own way, ``SolverMuJoCo.notify_model_changed``, recomputes all worlds in hundreds of launches (Go2 443), with
allocations and reads by the host. Here three launches do it for the worlds that changed, and one for contact
parameters; see :mod:`.kernels` for what they compute. Nothing is allocated or read back after
construction, so that the launches can be part of a CUDA graph.

Newton 1.6.1's solver gives its MuJoCo Warp model, its index maps and Isaac Lab 3.0.0 its solver under names that are
not for the public (``NewtonManager._solver``); this module is the only one of ours that uses them. The arrays are
bound at construction: build a new object when Newton's model or solver is built anew.

The kinematics and equality constraints' anchors do not depend on inertia and are left alone. So are the positions of
cameras and lights relative to centres of mass, which only MuJoCo's renderer uses, and Newton's copy of world 0 in
MuJoCo C (``solver.mj_model``), which the solver does not step. ``mjw_data`` follows in the next step, which computes
centres of mass and the joint-space inertia before it uses them.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import warp as wp

from surefoot_bridge.errors import SurefootError

from . import kernels
from .functions import SOLREF_MUJOCO_DEFAULT, SOLREF_RAW
from .structs import newton_parameters, scratch, solver_parameters, tree_on_device
from .tree import kinematic_tree, model_with_fields

_KINEMATIC_BODY = 1 << 1  # newton.BodyFlags.KINEMATIC, whose armature Newton replaces
# A thread of the sweeps is long and holds many registers; small blocks spread a few thousand of them over all of a GPU.
_BLOCK_DIM = 32
_KINEMATIC_FIELDS = ("body_pos", "body_quat", "jnt_pos", "jnt_axis", "qpos0")


class DerivedInertia:
    """Makes the MuJoCo Warp solver see the inertial and contact parameters that Newton's model holds."""

    def __init__(self, solver: Any) -> None:
        """Bind a solver's arrays and allocate what the launches need.

        Args:
            solver: The running ``newton.solvers.SolverMuJoCo``, in Isaac Lab ``NewtonManager._solver``.

        Raises:
            SurefootError: The model holds something whose derived quantities this class does not compute.
        """
        self._solver = solver
        self._device = solver.model.device
        self.num_worlds = int(solver.model.world_count)
        _check_supported(solver)
        self.tree = kinematic_tree(_solver_kinematics(solver))

        self._tree = tree_on_device(self.tree, self._device)
        self._newton = newton_parameters(solver)
        self._mjw = solver_parameters(solver.mjw_model)
        self._scratch = scratch(self.tree, self.num_worlds, self._device)
        no_world = wp.zeros(self.num_worlds, dtype=wp.bool, device=self._device)
        shared = [self._tree, self._newton]
        num_bodies, num_dofs = len(self.tree.body_parent), len(self.tree.dof_parent)
        attributes = getattr(solver.model, "mujoco", None)
        limit_solref = getattr(attributes, "solreflimit", None)
        limit_mode = getattr(attributes, "solreflimit_mode", None)
        self._inertia_launches = [
            self._record_items(kernels.write_inertia, num_bodies, no_world, shared, [self._mjw, self._scratch]),
            self._record(kernels.sweep_tree, (), [no_world, *shared], [self._mjw, self._scratch]),
            self._record_items(
                kernels.write_inverse_weights,
                max(num_bodies, num_dofs),
                no_world,
                [*shared, self._scratch, limit_solref, limit_mode],
                [self._mjw],
            ),
        ]
        self._shape_launches = [self._record_shapes(no_world, attributes)]

    def update(self, world_mask: wp.array) -> None:
        """Carry mass, centre of mass, inertia and armature of some worlds into the solver, with all that follows.

        Write ``body_mass``, ``body_com``, ``body_inertia`` and ``joint_armature`` of Newton's model before; the
        inverses in that model are written here.

        Args:
            world_mask: Worlds that changed, bool, (num_worlds,), on the simulation's device.

        Raises:
            SurefootError: The mask does not fit the number of worlds.
        """
        self._launch(self._inertia_launches, world_mask)

    def update_shapes(self, world_mask: wp.array) -> None:
        """Carry friction, contact stiffness and contact damping of some worlds' shapes into the solver.

        Write ``shape_material_mu``, ``_mu_torsional``, ``_mu_rolling``, ``_ke`` and ``_kd`` of Newton's model before.
        Stiffness and damping act only on shapes whose model does not give MuJoCo's ``solref`` itself, as robots from
        MJCF do: see :meth:`use_contact_gains`.

        Args:
            world_mask: Worlds that changed, bool, (num_worlds,), on the simulation's device.

        Raises:
            SurefootError: The mask does not fit the number of worlds.
        """
        self._launch(self._shape_launches, world_mask)

    def use_contact_gains(self) -> int:
        """Make shapes take ``solref`` from ``shape_material_ke`` and ``_kd`` where the model gives it as such.

        Both are set to the values that mean the same ``solref``, so that nothing changes by this alone. Reads and
        writes the whole model on the host: call it once, before the first change.

        Returns:
            The number of shapes, of all worlds together, that were switched over.

        Raises:
            SurefootError: A shape gives stiffness and damping in MuJoCo's direct form, as negative numbers.
        """
        model = self._solver.model
        attributes = getattr(model, "mujoco", None)
        solref, mode = getattr(attributes, "solref", None), getattr(attributes, "solref_mode", None)
        if solref is None or mode is None:
            return 0
        modes, solrefs = mode.numpy(), solref.numpy()
        raw = modes == int(SOLREF_RAW)
        if (solrefs[raw] <= 0.0).any():
            raise SurefootError(
                f"Shapes with solref {np.unique(solrefs[raw], axis=0).tolist()} have no time constant and damping "
                "ratio to start from. Give both as positive numbers in the robot's MJCF."
            )
        stiffness, damping = model.shape_material_ke.numpy(), model.shape_material_kd.numpy()
        time_constant_s, damping_ratio = solrefs[raw].T
        stiffness[raw] = 1.0 / (time_constant_s * damping_ratio) ** 2
        damping[raw] = 2.0 / time_constant_s
        modes[raw] = int(SOLREF_MUJOCO_DEFAULT)
        model.shape_material_ke.assign(stiffness)
        model.shape_material_kd.assign(damping)
        mode.assign(modes)
        return int(raw.sum())

    def _launch(self, launches: list[wp.Launch], world_mask: wp.array) -> None:
        if world_mask.shape != (self.num_worlds,):
            raise SurefootError(f"The mask has shape {world_mask.shape}; there are {self.num_worlds} worlds.")
        for launch in launches:
            launch.set_param_at_index(0, world_mask)
            launch.launch()
        if not self._solver._use_mujoco_contacts:
            # Newton's own contacts keep friction and stiffness from the step that found them: two fills on the device.
            self._solver._invalidate_contact_fast_path()

    def _record_items(
        self, kernel: Any, count: int, no_world: wp.array, inputs: list[Any], outputs: list[Any]
    ) -> wp.Launch:
        """Record a kernel of items of each world: a GPU takes all at once, a CPU those of a world in one thread.

        Most worlds are in no mask, which a CPU would find out anew for each item.
        """
        lanes = count if wp.get_device(self._device).is_cuda else 1
        return self._record(kernel, (lanes,), [no_world, lanes, *inputs], outputs)

    def _record(self, kernel: Any, items: tuple[int, ...], inputs: list[Any], outputs: list[Any]) -> wp.Launch:
        launch = wp.launch(
            kernel,
            dim=(*items, self.num_worlds),
            inputs=inputs,
            outputs=outputs,
            device=self._device,
            block_dim=_BLOCK_DIM,
            record_cmd=True,
        )
        assert isinstance(launch, wp.Launch)
        return launch

    def _record_shapes(self, no_world: wp.array, attributes: Any) -> wp.Launch:
        solver, model, mjw_model = self._solver, self._solver.model, self._solver.mjw_model
        inputs = [
            solver.mjc_geom_to_newton_shape,
            model.shape_material_mu,
            model.shape_material_mu_torsional,
            model.shape_material_mu_rolling,
            model.shape_material_ke,
            model.shape_material_kd,
            getattr(attributes, "solref", None),
            getattr(attributes, "solref_mode", None),
        ]
        outputs = [mjw_model.geom_friction, mjw_model.geom_solref]
        return self._record_items(kernels.write_contact_parameters, int(mjw_model.ngeom), no_world, inputs, outputs)


def _check_supported(solver: Any) -> None:
    mjw_model, mj_model = solver.mjw_model, solver.mj_model
    if solver.use_mujoco_cpu:
        raise SurefootError(
            "The solver runs MuJoCo C, which has one world only. Use MuJoCo Warp (use_mujoco_cpu=False)."
        )
    if mjw_model.body_mass.shape[0] != solver.model.world_count:
        raise SurefootError(
            f"The solver has {mjw_model.body_mass.shape[0]} worlds for {solver.model.world_count} environments. "
            "Build it with separate worlds."
        )
    muscles = (mj_model.actuator_gaintype == mujoco.mjtGain.mjGAIN_MUSCLE).sum()
    kinematic = (solver.model.body_flags.numpy() & _KINEMATIC_BODY != 0).sum()
    unmapped = (solver.mjc_body_to_newton.numpy()[:, 1:] < 0).sum()
    _refuse(
        ("tendons", mjw_model.ntendon),
        ("deformable bodies", mjw_model.nflex),
        ("muscles", muscles),
        ("kinematic bodies", kinematic),
        ("bodies that Newton's model does not have", unmapped),
        ("axes whose joint-space inertia MuJoCo takes as diagonal", _diagonal_axes(mj_model)),
        ("sleeping islands", int(getattr(solver, "enable_sleeping", False))),
    )


def _diagonal_axes(model: mujoco.MjModel) -> int:
    """Count axes whose row of M the solver stores without their ancestors; a lone free body has such rows."""
    ancestors = np.zeros(model.nv, dtype=int)
    for dof in range(model.nv):
        parent = model.dof_parentid[dof]
        ancestors[dof] = ancestors[parent] + 1 if parent >= 0 else 0
    return int((model.M_rownnz < ancestors + 1).sum())


def _refuse(*counts: tuple[str, int]) -> None:
    present = [f"{name} ({count})" for name, count in counts if count]
    if present:
        raise SurefootError(
            f"The model has {', '.join(present)}; inertia can be changed per environment only in rigid trees of awake, "
            "dynamic bodies with joints. Leave inertia out of the randomization, or these parts out of the scene."
        )


def _solver_kinematics(solver: Any) -> mujoco.MjModel:
    """MuJoCo C's model with the kinematics that the solver runs with, after seeing that all worlds share them."""
    fields = {name: getattr(solver.mjw_model, name).numpy() for name in _KINEMATIC_FIELDS}
    model = solver.mj_model
    # Where a tree stands makes no difference.
    own = {"body_pos": model.body_parentid != 0, "body_quat": model.body_parentid != 0, "qpos0": _inner_qpos(model)}
    for name, values in fields.items():
        compared = values[:, own.get(name, slice(None))]
        if not np.allclose(compared, compared[:1], atol=1e-6):
            raise SurefootError(
                f"The worlds differ in {name}. Inertia can be changed per environment only where all robots have the "
                "same kinematics."
            )
    return model_with_fields(model, **{name: values[0] for name, values in fields.items()})


def _inner_qpos(model: mujoco.MjModel) -> np.ndarray:
    inner = np.ones(model.nq, dtype=bool)
    for joint in np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE):
        inner[model.jnt_qposadr[joint] : model.jnt_qposadr[joint] + 7] = False
    return inner
