"""Left-right symmetry: how observations and actions change when the world is seen in a mirror.

A legged robot is its own mirror image in the x-z plane of its base, y -> -y. Under this reflection polar vectors
(velocity, gravity, force) turn their y component, axial vectors (angular velocity) their x and z components, joints
and feet change sides.

The reflection permutes and negates the entries of a flat vector. :class:`MirrorMap` is such a map,
and :func:`build_mirror_map` composes it from the terms of an observation group.

Source: Mittal et al., "Symmetry Considerations for Learning Task Symmetric Robot Policies", ICRA 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from surefoot.terrains.scan_pattern import NUM_RAYS, mirrored_rays
from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_robots import RobotSpec
from surefoot_robots.gait_pairs import mirror_feet

if TYPE_CHECKING:
    import torch
    from torch import Tensor

MirrorKind = Literal[
    "scalar",
    "polar_vector",
    "axial_vector",
    "velocity_command",
    "joint",
    "joint_scalar",
    "foot_scalar",
    "foot_polar_vector",
    "height_scan",
]
"""How a quantity transforms under y -> -y.

- ``scalar``: each component keeps its place and sign (height, friction, mass).
- ``polar_vector``: (+, -, +) (velocity, projected gravity, force, offset of the centre of mass).
- ``axial_vector``: (-, +, -) (angular velocity, torque).
- ``velocity_command``: (vx, vy, yaw rate), so (+, -, -).
- ``joint``: a signed quantity of each joint in policy order (position, velocity, torque, action).
- ``joint_scalar``: an unsigned quantity of each joint in policy order (gain, temperature): changes sides only.
- ``foot_scalar``: a quantity of each foot in the order of ``RobotSpec.foot_bodies``: changes sides only.
- ``foot_polar_vector``: a polar vector of each foot, (num_feet, 3) flattened: changes sides and turns its y component.
- ``height_scan``: heights at the places of :mod:`surefoot.terrains.scan_pattern`: those of the other side.
"""

ACTION = "action"
"""Key of the action's map among an environment's ``mirror_maps``; the others are names of observation groups."""

_IndicesAndSigns = tuple[list[int], list[int]]


@dataclass(frozen=True)
class ObservationSlice:
    """One term of an observation group.

    Attributes:
        name: Name of the term, for messages.
        kind: How it transforms.
        dim: Number of components of one step.
        history: Number of steps, flattened step by step with the oldest first; 1 for a term without history.
    """

    name: str
    kind: MirrorKind
    dim: int
    history: int = 1


@dataclass(frozen=True, eq=False)
class MirrorMap:
    """The reflection y -> -y of a flat vector: ``mirrored[i] = signs[i] * vector[indices[i]]``.

    Attributes:
        indices: Where each entry comes from, (dim,), int64.
        signs: 1 or -1 for each entry, (dim,), float32.
    """

    indices: Tensor
    signs: Tensor

    def __post_init__(self) -> None:
        """Refuse a map that, applied twice, does not give the vector back."""
        identity = list(range(self.dim))
        if not (
            self.indices.sort().values.tolist() == identity
            and self.indices[self.indices].tolist() == identity
            and bool((self.signs * self.signs[self.indices] == 1.0).all())
        ):
            raise SurefootError(
                f"Indices {self.indices.tolist()} with signs {self.signs.tolist()} are no reflection; "
                "mirroring twice must change nothing."
            )

    @property
    def dim(self) -> int:
        """Length of the vectors that it mirrors."""
        return len(self.indices)

    def to(self, device: torch.device | str) -> MirrorMap:
        """Return the map with its tensors on a device."""
        return MirrorMap(self.indices.to(device), self.signs.to(device))

    def mirror(self, vectors: Tensor) -> Tensor:
        """Return the reflections of vectors of shape (batch, dim)."""
        return vectors.index_select(1, self.indices).mul_(self.signs)

    def augment(self, vectors: Tensor) -> Tensor:
        """Return vectors of shape (batch, dim) followed by their reflections, (2 * batch, dim)."""
        import torch

        return torch.cat((vectors, self.mirror(vectors)))


def build_mirror_map(spec: RobotSpec, terms: Sequence[ObservationSlice]) -> MirrorMap:
    """Compose the reflection of an observation group from its terms, in the order in which they are concatenated.

    Args:
        spec: The robot, whose mirror maps say which joints and feet change places.
        terms: The terms of the group.

    Raises:
        SurefootError: If a kind is unknown, or a dimension does not fit the kind and the robot.
    """
    indices: list[int] = []
    signs: list[int] = []
    for term in terms:
        term_indices, term_signs = _mirror_one_step(spec, term)
        if term.history < 1:
            raise SurefootError(
                f"Observation term {term.name!r} has history {term.history}; a term has at least 1 step."
            )
        for _ in range(term.history):
            start = len(indices)
            indices += [start + index for index in term_indices]
            signs += term_signs
    import torch

    return MirrorMap(torch.tensor(indices, dtype=torch.int64), torch.tensor(signs, dtype=torch.float32))


def build_action_mirror_map(spec: RobotSpec) -> MirrorMap:
    """Return the reflection of an action with one signed entry for each joint in policy order."""
    return build_mirror_map(spec, [ObservationSlice(ACTION, "joint", len(spec.joint_names))])


def _mirror_one_step(spec: RobotSpec, term: ObservationSlice) -> _IndicesAndSigns:
    """Return indices and signs of one step of a term, counted from its start."""
    if term.kind not in get_args(MirrorKind):
        raise unknown_name(f"kind of observation term {term.name!r}:", term.kind, get_args(MirrorKind))
    joint_indices, joint_signs = spec.mirror_permutation()
    feet = list(mirror_feet(spec))
    match term.kind:
        case "scalar":
            indices, signs = list(range(term.dim)), [1] * term.dim
        case "polar_vector":
            indices, signs = [0, 1, 2], [1, -1, 1]
        case "axial_vector":
            indices, signs = [0, 1, 2], [-1, 1, -1]
        case "velocity_command":
            indices, signs = [0, 1, 2], [1, -1, -1]
        case "joint":
            indices, signs = list(joint_indices), list(joint_signs)
        case "joint_scalar":
            indices, signs = list(joint_indices), [1] * len(joint_indices)
        case "foot_scalar":
            indices, signs = feet, [1] * len(feet)
        case "foot_polar_vector":
            indices, signs = [3 * foot + axis for foot in feet for axis in range(3)], [1, -1, 1] * len(feet)
        case "height_scan":
            indices, signs = mirrored_rays(), [1] * NUM_RAYS
    if term.dim != len(indices) or term.dim < 1:
        raise SurefootError(
            f"Observation term {term.name!r} of kind {term.kind!r} has dimension {term.dim}; "
            f"for {spec.name} it must be {len(indices) or 'at least 1'}."
        )
    return indices, signs
