"""Which parameters act in which engine, and why one does not."""

from __future__ import annotations

from surefoot.engines import Physics

from .catalogue import DECLARED
from .declaration import Support

_NOT_RUN = Support("unsupported", "writing it into Isaac Sim has not been tried on a machine that has it")

ENGINE_PARAMETERS = tuple(item.name for item in DECLARED.values() if item.in_engine)
"""Parameters that are written into an engine by means of its own; our kernels or Isaac Lab take care of the others."""

_BODIES = tuple(item.name for item in DECLARED.values() if item.acts_on == "body")

DRAWN_ONCE: dict[Physics, tuple[str, ...]] = {"ovphysx": _BODIES, "isaacsim_physx": _BODIES, "newton_mjwarp": ()}
"""Parameters that an engine is given at start-up and not again.

Whenever PhysX takes a centre of mass or an inertia, it moves the frames of the link's joints from the old centre to the
new one, and rounds. What many writes leave depends on their history, so that a run could not be resumed exactly.
"""


def support_of(parameter: str, physics: Physics) -> Support:
    """Return how an engine treats a parameter."""
    declared = DECLARED[parameter]
    if physics == "newton_mjwarp":
        return declared.newton
    if physics == "isaacsim_physx" and declared.in_engine and declared.physx.level == "supported":
        return _NOT_RUN
    return declared.physx
