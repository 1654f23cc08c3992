"""Which parameters act in which engine, and why one does not."""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal, NamedTuple

from surefoot.engines import Physics

from .bodies import BODY_PARAMETERS

Level = Literal["supported", "scene-wide", "unsupported"]
"""``supported`` parameters act in each environment by itself and are what ``surefoot randomization prove`` proves."""


class Support(NamedTuple):
    """How an engine treats a parameter, with the reason where it does not act by environment."""

    level: Level
    reason: str = ""


SUPPORTED = Support("supported")

_NOT_PER_WORLD_IN_PHYSX = (
    "PhysX has one gravity for the whole scene; a wrench on every body in every substep would be slow"
)

_ONE_PATCH_IN_PHYSX = (
    "PhysX takes the radius of a contact patch when shapes are made, and has no way to change it by environment; "
    "env.randomization.foot_patch_radii_m sets one for each training process"
)

_PHYSX = MappingProxyType(
    {
        "gravity": Support("scene-wide", _NOT_PER_WORLD_IN_PHYSX),
        "foot_torsional_friction": Support("scene-wide", _ONE_PATCH_IN_PHYSX),
        "foot_rolling_friction": Support("unsupported", "PhysX has no rolling friction"),
        "contact_stiffness_ratio": Support("unsupported", "PhysX contacts are rigid"),
        "contact_damping_ratio": Support("unsupported", "PhysX contacts are rigid"),
    }
)

ENGINE_PARAMETERS = (
    "foot_friction",
    "foot_dynamic_friction_ratio",
    "foot_torsional_friction",
    "foot_rolling_friction",
    "foot_restitution",
    "contact_stiffness_ratio",
    "contact_damping_ratio",
    *BODY_PARAMETERS,
    "armature",
    "gravity",
    "push_force",
    "push_point",
    "push_duration",
    "push_force_interval",
)
"""Parameters that are written into an engine by means of its own; our kernels or Isaac Lab take care of the others."""

_NOT_RUN = Support("unsupported", "writing it into Isaac Sim has not been tried on a machine that has it")

_EXCEPTIONS: dict[Physics, MappingProxyType[str, Support]] = {
    "ovphysx": _PHYSX,
    "isaacsim_physx": MappingProxyType({**dict.fromkeys(ENGINE_PARAMETERS, _NOT_RUN), **_PHYSX}),
    "newton_mjwarp": MappingProxyType(
        {
            "foot_dynamic_friction_ratio": Support("unsupported", "MuJoCo has one friction coefficient"),
            "foot_restitution": Support(
                "unsupported", "MuJoCo has no restitution; contacts have stiffness and damping"
            ),
        }
    ),
}


DRAWN_ONCE: dict[Physics, tuple[str, ...]] = {
    "ovphysx": BODY_PARAMETERS,
    "isaacsim_physx": BODY_PARAMETERS,
    "newton_mjwarp": (),
}
"""Parameters that an engine is given at start-up and not again.

Whenever PhysX takes a centre of mass or an inertia, it moves the frames of the link's joints from the old centre to the
new one, and rounds. What many writes leave depends on their history, so that a run could not be resumed exactly.
"""


def support_of(parameter: str, physics: Physics) -> Support:
    """Return how an engine treats a parameter."""
    return _EXCEPTIONS[physics].get(parameter, SUPPORTED)
