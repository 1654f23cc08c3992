"""Writes the table into Newton's model and carries it into the MuJoCo Warp solver, for the changed worlds only.

Isaac Lab's own setters would make Newton recompute all worlds in hundreds of launches at the next step; see
:mod:`surefoot.randomization.newton_inertia.derived`. This writes Newton's arrays themselves.
"""

# A kernel is compiled by Warp, whose vector types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from surefoot.randomization.bodies import BODY_PARAMETERS, BodyComposer, table_vector
from surefoot.randomization.foot_contacts import TURNING_FRICTION
from surefoot.randomization.newton_inertia.derived import DerivedInertia

if TYPE_CHECKING:
    from isaaclab.assets import Articulation

    from surefoot.randomization.table import RandomizationTable
    from surefoot_robots import RobotSpec

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without


@wp.struct
class Elements:
    """Where the elements of a parameter are written: several places may have one's value, as a foot's shapes have."""

    first_column: int
    element: wp.array(dtype=int)
    place: wp.array(dtype=int)
    nominal: wp.array(dtype=float)  # which the value in the table is a factor of
    values: wp.array2d(dtype=float)


@wp.kernel
def write_elements(
    env_mask: wp.array(dtype=bool), lanes: int, table: wp.array2d(dtype=float), parameters: wp.array(dtype=Elements)
) -> None:
    """One thread per (environment, lane): in those of the mask, the elements of parameters a multiple of lanes away."""
    env, lane = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    if env_mask[env]:
        for parameter in range(lane, parameters.shape[0], lanes):
            to = parameters[parameter]
            for index in range(to.place.shape[0]):
                to.values[env, to.place[index]] = to.nominal[index] * table[env, to.first_column + to.element[index]]


@wp.kernel
def write_gravity(
    env_mask: wp.array(dtype=bool),
    table: wp.array2d(dtype=float),
    first_column: int,
    # outputs
    model_gravity: wp.array(dtype=wp.vec3f),
    solver_gravity: wp.array(dtype=wp.vec3f),
) -> None:
    """One thread per environment: of those of the mask, gravity of the world, in Newton's model and in the solver's."""
    env = wp.tid()
    if env_mask[env]:
        pull = table_vector(table, env, first_column)
        model_gravity[env] = pull
        solver_gravity[env] = pull


@wp.kernel
def write_base_wrench(
    force_w: wp.array(dtype=wp.vec3f),
    point_w: wp.array(dtype=wp.vec3f),
    pose_w: wp.array2d(dtype=wp.transformf),
    com_b: wp.array2d(dtype=wp.vec3f),
    base: int,
    # outputs
    wrench: wp.array2d(dtype=wp.spatial_vectorf),
) -> None:
    """One thread per environment: force on the base, and its torque about the centre of mass, in the world frame."""
    env = wp.tid()
    com_w = wp.transform_point(pose_w[env, base], com_b[env, base])
    wrench[env, base] = wp.spatial_vector(force_w[env], wp.cross(point_w[env] - com_w, force_w[env]))


class NewtonApplier:
    """Masses, centres of mass, inertia, armature, contact parameters of the feet, gravity; forces on the base.

    Isaac Lab 3.0.0's articulation data binds Newton's arrays of an articulation without a public name, as
    :class:`~surefoot.actuators.drive.NewtonDrive` does for joints.
    """

    def __init__(self, robot: Articulation, spec: RobotSpec, table: RandomizationTable) -> None:
        """Bind an articulation of a running simulation and a table."""
        from isaaclab_newton.physics import NewtonManager

        layout, device = table.layout, table.device
        self._table, self._device, self._first = table, device, layout.first_column
        self._data: Any = robot.data
        model: Any = NewtonManager.get_model()
        solver: Any = NewtonManager._solver
        view: Any = robot.root_view
        self.derived = DerivedInertia(solver)
        """Carries what was written into the solver."""

        def integers(values: list[int]) -> wp.array:
            return wp.array(values, dtype=wp.int32, device=device)

        body_names = list(robot.backend_body_names)
        self._writes_bodies = any(map(layout.is_random, BODY_PARAMETERS))
        self._composer = BodyComposer(spec, body_names, table.warp_values, layout.first_column)
        inertia: wp.array = self._data._sim_bind_body_inertia  # (num_envs, num_bodies, 9) float32, maybe strided
        self._inertia = wp.array(
            ptr=inertia.ptr,
            dtype=wp.mat33f,
            shape=inertia.shape[:2],
            strides=inertia.strides[:2],
            device=inertia.device,
            copy=False,
        )
        self._base = body_names.index(spec.base_body)

        elements: list[tuple[list[int], list[int], np.ndarray, wp.array, int]] = []
        joints = list(range(spec.num_joints))
        if layout.is_random("armature"):
            places = [list(robot.backend_joint_names).index(name) for name in spec.joint_names]
            armature = self._data._sim_bind_joint_armature
            elements.append((joints, places, np.ones(spec.num_joints), armature, self._first("armature")))
        self._changes_inertia = self._writes_bodies or bool(elements)
        if layout.is_random("contact_stiffness_ratio") or layout.is_random("contact_damping_ratio"):
            self.derived.use_contact_gains()
        feet, shapes = zip(
            *(
                (foot, shape)
                for foot, name in enumerate(spec.foot_bodies)
                for shape in view.body_shapes[body_names.index(name)]
            ),
            strict=True,
        )
        turning = any(map(layout.is_random, TURNING_FRICTION))  # then both act, and the other is written as nominal
        contact = [
            name for name in _CONTACT_ATTRIBUTES if layout.is_random(name) or (turning and name in TURNING_FRICTION)
        ]
        for name in contact:
            values = view.get_attribute(_CONTACT_ATTRIBUTES[name], model)[:, 0]
            nominal = values.numpy()[0, list(shapes)] if name.endswith("_ratio") else np.ones(len(shapes))
            elements.append((list(feet), list(shapes), nominal, values, self._first(name)))
        self._changes_shapes = bool(contact)
        self._elements: list[Any] = []
        for which, places, nominal, values, first in elements:
            parameter = Elements()
            parameter.first_column, parameter.values = first, values
            parameter.element, parameter.place = integers(which), integers(places)
            parameter.nominal = wp.array(nominal, dtype=wp.float32, device=device)
            self._elements.append(parameter)
        self._parameters = wp.array(self._elements, dtype=Elements, device=device) if elements else None

        self._writes_gravity = layout.is_random("gravity")
        self._gravity = (model.gravity, solver.mjw_model.opt.gravity)

        # Isaac Lab's set-up has queued a recomputation of all worlds for the first step. It rounds otherwise than ours
        # does: done now, values that are written before the first step are not replaced by it.
        for change in sorted(NewtonManager._model_changes):
            solver.notify_model_changed(change)
        NewtonManager._model_changes = set()

    def apply(self, env_mask: wp.array) -> None:
        """Write the values in force in the environments of a mask, (num_envs,)."""
        num_envs, table = self._table.num_envs, self._table.warp_values
        if self._writes_bodies:
            self._composer.compose(
                env_mask,
                mass_kg=self._data._sim_bind_body_mass,
                com_m=self._data._sim_bind_body_com_pos_b,
                inertia_kgm2=self._inertia,
            )
        if self._parameters is not None:
            lanes = self._parameters.shape[0] if wp.get_device(self._device).is_cuda else 1
            wp.launch(
                write_elements,
                dim=(num_envs, lanes),
                inputs=[env_mask, lanes, table, self._parameters],
                device=self._device,
            )
        if self._changes_inertia:
            self.derived.update(env_mask)
        if self._changes_shapes:
            self.derived.update_shapes(env_mask)
        if self._writes_gravity:
            wp.launch(
                write_gravity,
                dim=num_envs,
                inputs=[env_mask, table, self._first("gravity")],
                outputs=list(self._gravity),
                device=self._device,
            )

    def apply_startup(self) -> None:
        """Nothing: every value is drawn at resets."""

    def push(self, force_w: wp.array, point_w: wp.array) -> None:
        """Apply a force to each base in the coming physics step, which holds all substeps of a control step."""
        data = self._data
        wp.launch(
            write_base_wrench,
            dim=force_w.shape[0],
            inputs=[
                force_w,
                point_w,
                data._sim_bind_body_link_pose_w,
                data._sim_bind_body_com_pos_b,
                self._base,
            ],
            outputs=[data._sim_bind_body_external_wrench],
            device=self._device,
        )


_CONTACT_ATTRIBUTES = {
    "foot_friction": "shape_material_mu",
    "foot_torsional_friction": "shape_material_mu_torsional",
    "foot_rolling_friction": "shape_material_mu_rolling",
    "contact_stiffness_ratio": "shape_material_ke",
    "contact_damping_ratio": "shape_material_kd",
}
"""Newton's shape attribute that each parameter writes; ratios are of what the attribute held at the start."""
