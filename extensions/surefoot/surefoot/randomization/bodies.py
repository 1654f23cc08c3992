"""Mass, centre of mass and inertia of bodies from the table, consistent as those of any real body are.

For a link of nominal mass ``m0`` and inertia ``I0`` about its centre of mass, with mass ``m`` and inertia ratio ``r``:

    I = r (m / m0) I0

A factor keeps the principal moments in proportion, so that no moment exceeds the sum of the two others. The base, of
mass ``m``, inertia ``I`` and centre of mass ``c``, carries a point mass ``p`` at ``x``; by the parallel axis theorem

    M = m + p,   C = (m c + p x) / M,   J = I + m (|c - C|^2 E - (c - C)(c - C)^T) + p (|x - C|^2 E - (x - C)(x - C)^T)

A body that no joint moves relative to its parent, as a foot, keeps its nominal numbers.
"""

# A kernel is compiled by Warp, whose vector types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import warp as wp

from surefoot_robots import RobotSpec

from .nominal_model import NominalModel, read_nominal_model

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without

BODY_PARAMETERS = (
    "base_mass",
    "base_inertia_ratio",
    "base_com",
    "payload_mass",
    "payload_position",
    "link_mass",
    "link_inertia_ratio",
)
"""Parameters that this module reads."""


@wp.struct
class BodyColumns:
    """First column of each of :data:`BODY_PARAMETERS`."""

    base_mass: int
    base_inertia_ratio: int
    base_com: int
    payload_mass: int
    payload_position: int
    link_mass: int
    link_inertia_ratio: int


@wp.struct
class NominalBodies:
    """Bodies of the robot's model, in the order in which they are written; each array is (num_bodies,)."""

    mass_kg: wp.array(dtype=float)
    com_m: wp.array(dtype=wp.vec3f)
    inertia_kgm2: wp.array(dtype=wp.mat33f)
    joint: wp.array(dtype=int)  # that moves the body relative to its parent, -1 for none
    base: int


@wp.func
def point_inertia(mass: float, arm: wp.vec3f) -> wp.mat33f:
    """Inertia [kg.m^2] of a point mass at an arm [m] from the axes' origin."""
    return mass * (wp.dot(arm, arm) * wp.identity(n=3, dtype=float) - wp.outer(arm, arm))


@wp.func
def table_vector(table: wp.array2d(dtype=float), env: int, column: int) -> wp.vec3f:
    """Three neighbouring columns."""
    return wp.vec3f(table[env, column], table[env, column + 1], table[env, column + 2])


@wp.func
def compose_body(
    env: int,
    body: int,
    table: wp.array2d(dtype=float),
    columns: BodyColumns,
    nominal: NominalBodies,
    mass_kg: wp.array2d(dtype=float),
    com_m: wp.array2d(dtype=wp.vec3f),
    inertia_kgm2: wp.array2d(dtype=wp.mat33f),
) -> None:
    """Write a body; the inertia is about the centre of mass in the body's axes."""
    mass = nominal.mass_kg[body]
    com = nominal.com_m[body]
    inertia = nominal.inertia_kgm2[body]
    joint = nominal.joint[body]
    if body == nominal.base:
        base_mass = table[env, columns.base_mass]
        base_inertia = (table[env, columns.base_inertia_ratio] * base_mass / mass) * inertia
        base_com = table_vector(table, env, columns.base_com)
        payload = table[env, columns.payload_mass]
        payload_position = table_vector(table, env, columns.payload_position)
        mass = base_mass + payload
        com = (base_mass * base_com + payload * payload_position) / mass
        inertia = (
            base_inertia + point_inertia(base_mass, base_com - com) + point_inertia(payload, payload_position - com)
        )
    elif joint >= 0:
        link_mass = table[env, columns.link_mass + joint]
        inertia = (table[env, columns.link_inertia_ratio + joint] * link_mass / mass) * inertia
        mass = link_mass
    mass_kg[env, body] = mass
    com_m[env, body] = com
    inertia_kgm2[env, body] = inertia


@wp.kernel
def compose_bodies(
    env_mask: wp.array(dtype=bool),
    lanes: int,
    table: wp.array2d(dtype=float),
    columns: BodyColumns,
    nominal: NominalBodies,
    # outputs
    mass_kg: wp.array2d(dtype=float),
    com_m: wp.array2d(dtype=wp.vec3f),
    inertia_kgm2: wp.array2d(dtype=wp.mat33f),
) -> None:
    """One thread per (environment, lane): in those of the mask, the bodies that are a multiple of lanes away."""
    env, lane = wp.tid()  # pyright: ignore - as many integers as the launch has dimensions
    if env_mask[env]:
        for body in range(lane, nominal.mass_kg.shape[0], lanes):
            compose_body(env, body, table, columns, nominal, mass_kg, com_m, inertia_kgm2)


class BodyComposer:
    """Launches :func:`compose_bodies` for a robot whose bodies an engine holds in its own order."""

    def __init__(
        self,
        spec: RobotSpec,
        body_names: Sequence[str],
        table: wp.array,
        first_column: Callable[[str], int],
    ) -> None:
        """Bind a table.

        Args:
            spec: The robot.
            body_names: Names of the bodies in the order of the outputs.
            table: Values in force, (num_envs, num_columns).
            first_column: First column of a parameter.
        """
        model = read_nominal_model(spec)
        places = [model.body_names.index(name) for name in body_names]
        self._table = table
        self._columns = BodyColumns()
        for name in BODY_PARAMETERS:
            setattr(self._columns, name, first_column(name))
        self._nominal = NominalBodies()
        self._nominal.mass_kg = wp.array(model.mass_kg[places], dtype=wp.float32, device=table.device)
        self._nominal.com_m = wp.array(model.com_m[places], dtype=wp.vec3f, device=table.device)
        self._nominal.inertia_kgm2 = wp.array(model.inertia_kgm2[places], dtype=wp.mat33f, device=table.device)
        self._nominal.joint = wp.array(
            [model.joint_of_body[place] for place in places], dtype=wp.int32, device=table.device
        )
        self._nominal.base = list(body_names).index(spec.base_body)
        self.num_bodies = len(places)

    def compose(self, env_mask: wp.array, *, mass_kg: wp.array, com_m: wp.array, inertia_kgm2: wp.array) -> None:
        """Write the bodies of some environments.

        Args:
            env_mask: The environments, bool, (num_envs,).
            mass_kg: Masses, (num_envs, num_bodies).
            com_m: Centres of mass in the bodies' frames, vec3f, (num_envs, num_bodies).
            inertia_kgm2: Inertia about them in the bodies' axes, mat33f, (num_envs, num_bodies).
        """
        # A GPU takes all bodies at once; a CPU would find out anew for each that an environment is not in the mask.
        lanes = self.num_bodies if wp.get_device(self._table.device).is_cuda else 1
        wp.launch(
            compose_bodies,
            dim=(env_mask.shape[0], lanes),
            inputs=[env_mask, lanes, self._table, self._columns, self._nominal],
            outputs=[mass_kg, com_m, inertia_kgm2],
            device=self._table.device,
        )


@dataclass(frozen=True, eq=False)
class Bodies:
    """Bodies in the order of a robot's model: masses (n,), centres of mass (n, 3), inertia (n, 3, 3)."""

    mass_kg: np.ndarray
    com_m: np.ndarray
    inertia_kgm2: np.ndarray


def compose_reference(model: NominalModel, base: int, values: dict[str, np.ndarray]) -> Bodies:
    """Compose the bodies of one environment in NumPy.

    Args:
        model: The robot's model.
        base: Place of the base among the bodies.
        values: Values of :data:`BODY_PARAMETERS`, each (num_elements,).
    """
    mass, com, inertia = model.mass_kg.copy(), model.com_m.copy(), model.inertia_kgm2.copy()
    for body, joint in enumerate(model.joint_of_body):
        if joint >= 0:
            mass[body] = values["link_mass"][joint]
            inertia[body] *= values["link_inertia_ratio"][joint] * mass[body] / model.mass_kg[body]
    base_mass, base_com = values["base_mass"][0], values["base_com"]
    payload, position = values["payload_mass"][0], values["payload_position"]
    mass[base] = base_mass + payload
    com[base] = (base_mass * base_com + payload * position) / mass[base]
    inertia[base] *= values["base_inertia_ratio"][0] * base_mass / model.mass_kg[base]
    for point, where in ((base_mass, base_com), (payload, position)):
        arm = where - com[base]
        inertia[base] += point * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Bodies(mass, com, inertia)
