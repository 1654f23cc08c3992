"""Writes the table into PhysX through Isaac Lab's OvPhysX articulation.

PhysX takes these parameters from the host, and each write copies the buffer of all environments; how much that costs is
measured by ``scripts/benchmark.py randomization``. It derives inverse mass and inertia by itself.
"""

# A kernel is compiled by Warp, whose vector types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import warp as wp

from surefoot.randomization.bodies import BODY_PARAMETERS, BodyComposer

if TYPE_CHECKING:
    from isaaclab.assets import Articulation

    from surefoot.randomization.table import RandomizationTable
    from surefoot_robots import RobotSpec

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without


@wp.kernel
def write_poses(
    com_m: wp.array2d(dtype=wp.vec3f),
    # outputs
    pose: wp.array2d(dtype=wp.transformf),
) -> None:
    """One thread per (environment, body): centre of mass as a pose, whose rotation PhysX forms from the inertia."""
    env, body = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    pose[env, body] = wp.transformf(com_m[env, body], wp.quatf(0.0, 0.0, 0.0, 1.0))


@wp.kernel
def write_materials(
    env_mask: wp.array(dtype=bool),
    table: wp.array2d(dtype=float),
    friction: int,
    dynamic_ratio: int,
    restitution: int,
    # outputs
    materials: wp.array3d(dtype=float),
    row_mask: wp.array2d(dtype=bool),
) -> None:
    """One thread per (foot, environment): in those of the mask, friction and restitution of the foot's shapes."""
    foot, env = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    row_mask[foot, env] = env_mask[env]
    if not env_mask[env]:
        return
    row = foot * env_mask.shape[0] + env
    static = table[env, friction + foot]
    for shape in range(materials.shape[1]):
        materials[row, shape, 0] = static
        materials[row, shape, 1] = static * table[env, dynamic_ratio + foot]
        materials[row, shape, 2] = table[env, restitution + foot]


@wp.kernel
def write_wrenches(
    force_w: wp.array(dtype=wp.vec3f),
    point_w: wp.array(dtype=wp.vec3f),
    # outputs
    wrench: wp.array2d(dtype=float),
    is_pushed: wp.array(dtype=bool),
) -> None:
    """One thread per environment: force, no torque, and the point where the force acts, as PhysX packs them."""
    env = wp.tid()
    is_pushed[env] = wp.length_sq(force_w[env]) > 0.0
    for axis in range(3):
        wrench[env, axis] = force_w[env][axis]
        wrench[env, 6 + axis] = point_w[env][axis]


class OvPhysxApplier:
    """Masses, centres of mass, inertia, armature and the materials of the feet; forces on the base."""

    def __init__(self, robot: Articulation, spec: RobotSpec, table: RandomizationTable) -> None:
        """Bind an articulation of a running simulation and a table."""
        from isaaclab_ov.physics import OvPhysxManager
        from isaaclab_ov.sim.views import OvPhysxView

        layout, num_envs, device = table.layout, table.num_envs, table.device
        self._robot, self._table, self._device = robot, table, device
        self._first = layout.first_column
        nominal = [value for name in BODY_PARAMETERS for value in layout.parameter(name).nominal]
        self._written_bodies = torch.tensor(nominal, device=device).expand(num_envs, -1)
        self._writes_armature = layout.is_random("armature")
        self._writes_materials = any(
            map(layout.is_random, ("foot_friction", "foot_dynamic_friction_ratio", "foot_restitution"))
        )
        self._composer = BodyComposer(spec, robot.body_names, table.warp_values, layout.first_column)
        shape = (num_envs, robot.num_bodies)
        self._mass_kg = wp.zeros(shape, dtype=wp.float32, device=device)
        self._com_m = wp.zeros(shape, dtype=wp.vec3f, device=device)
        self._com_pose = wp.zeros(shape, dtype=wp.transformf, device=device)
        self._inertia_kgm2 = wp.zeros(shape, dtype=wp.mat33f, device=device)
        self._armature_kgm2 = torch.zeros(num_envs, spec.num_joints, device=device)

        physx = OvPhysxManager.get_physx_instance()

        def view(*bodies: str) -> OvPhysxView:
            paths = [path for body in bodies for path in _paths(robot, body)]
            return OvPhysxView(physx, prim_paths=paths, device=device)

        self._feet, self._base = view(*spec.foot_bodies), view(spec.base_body)
        # PhysX keeps materials on the host.
        self._materials = self._feet.get_attribute(_MATERIALS)  # (num_feet * num_envs, shapes of a foot, 3)
        self._material_mask = wp.zeros((len(spec.foot_bodies), num_envs), dtype=wp.bool, device="cpu")
        on_gpu = wp.get_device(device).is_cuda
        self._host_table = wp.empty_like(table.warp_values, device="cpu", pinned=True) if on_gpu else table.warp_values
        self._num_feet = len(spec.foot_bodies)
        self._wrench = wp.zeros((num_envs, 9), dtype=wp.float32, device=device)
        self._is_pushed = wp.zeros(num_envs, dtype=wp.bool, device=device)

    def apply(self, env_mask: wp.array) -> None:
        """Write the values in force in the environments of a mask, (num_envs,)."""
        if self._writes_armature:
            self._armature_kgm2.copy_(self._table.view("armature"))
            self._robot.write_joint_armature_to_sim_mask(armature=self._armature_kgm2, env_mask=env_mask)
        if self._writes_materials:
            self._write_materials(env_mask)

    def apply_startup(self) -> None:
        """Write the bodies of environments whose values differ from those that were written last.

        A run that is resumed finds the bodies that it drew at start-up, and PhysX is spared the rounding of another
        write; see :data:`surefoot.randomization.support.DRAWN_ONCE`.
        """
        values = torch.cat([self._table.view(name) for name in BODY_PARAMETERS], dim=1)
        changed = (values != self._written_bodies).any(dim=1)
        if changed.any():
            self._write_bodies(wp.from_torch(changed))
            self._written_bodies = values

    def push(self, force_w: wp.array, point_w: wp.array) -> None:
        """Apply a force to each base in the coming physics step; PhysX forgets it after the step."""
        wp.launch(
            write_wrenches,
            dim=force_w.shape[0],
            inputs=[force_w, point_w],
            outputs=[self._wrench, self._is_pushed],
            device=self._device,
        )
        self._base.set_attribute("rigid_body_wrench", self._wrench, mask=self._is_pushed)

    def read_materials(self) -> np.ndarray:
        """Read static and dynamic friction and restitution from PhysX, (num_feet, num_envs, shapes of a foot, 3)."""
        materials = self._feet.get_attribute(_MATERIALS).numpy()
        return materials.reshape(self._num_feet, self._table.num_envs, *materials.shape[1:])

    def _write_bodies(self, env_mask: wp.array) -> None:
        mass, com, pose, inertia = self._mass_kg, self._com_m, self._com_pose, self._inertia_kgm2
        self._composer.compose(env_mask, mass_kg=mass, com_m=com, inertia_kgm2=inertia)
        wp.launch(write_poses, dim=com.shape, inputs=[com], outputs=[pose], device=self._device)
        rows = inertia.view(wp.float32).reshape((*mass.shape, 9))
        self._robot.set_masses_mask(masses=mass, env_mask=env_mask)
        self._robot.set_coms_mask(coms=pose, env_mask=env_mask)
        self._robot.set_inertias_mask(inertias=rows, env_mask=env_mask)  # last: it turns the poses to principal axes

    def _write_materials(self, env_mask: wp.array) -> None:
        table = self._table.warp_values
        if self._host_table is not table:
            wp.copy(self._host_table, table)
            env_mask = wp.clone(env_mask, device="cpu")
            wp.synchronize_stream(table.device)
            table = self._host_table
        wp.launch(
            write_materials,
            dim=self._material_mask.shape,
            inputs=[
                env_mask,
                table,
                self._first("foot_friction"),
                self._first("foot_dynamic_friction_ratio"),
                self._first("foot_restitution"),
            ],
            outputs=[self._materials, self._material_mask],
            device="cpu",
        )
        self._feet.set_attribute(_MATERIALS, self._materials, mask=self._material_mask.flatten())


_MATERIALS = "rigid_body_shape_friction_and_restitution"


def _paths(robot: Articulation, body: str) -> list[str]:
    """Return the path of a body in each environment, in their order."""
    from isaaclab.sim import resolve_matching_prims_from_source

    matches: Any = resolve_matching_prims_from_source(
        robot.cfg.prim_path, predicate=lambda prim: prim.GetName() == body, expected_num_matches=1
    )
    source, roots = matches[0][0].GetPath().pathString, list(robot.root_view.prim_paths)
    suffix = next(source[len(root) :] for root in roots if f"{source}/".startswith(f"{root}/"))
    return [root + suffix for root in roots]
