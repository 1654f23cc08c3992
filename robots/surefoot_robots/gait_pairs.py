"""Which feet go together in a gait, from a robot's pairs of feet and never from their order."""

from collections.abc import Sequence

from surefoot_bridge.errors import SurefootError
from surefoot_robots.spec import RobotSpec


def mirror_feet(spec: RobotSpec) -> tuple[int, ...]:
    """Return the index of the foot on the other side, for each of `foot_bodies`."""
    return tuple(spec.foot_bodies.index(spec.foot_mirror[foot]) for foot in spec.foot_bodies)


def diagonal_feet(spec: RobotSpec) -> tuple[int, ...]:
    """Return the index of the foot diagonally across, for each of `foot_bodies`.

    Raises:
        SurefootError: If the robot declares no diagonal pairs.
    """
    if not spec.foot_diagonal:
        raise SurefootError(
            f"{spec.name} declares no diagonal pairs of feet, which a trot needs; name them in foot_diagonal of its "
            "RobotSpec, or set the reward term 'trot' to None."
        )
    return tuple(spec.foot_bodies.index(spec.foot_diagonal[foot]) for foot in spec.foot_bodies)


def alternating_phases(spec: RobotSpec) -> tuple[float, ...]:
    """Return the phase of each foot [cycles] in a gait whose mirrored feet alternate: a trot, or a walk on two feet.

    The first of `foot_bodies` is at 0, with the foot diagonally across; the feet on the other side of these at 1/2.

    Raises:
        SurefootError: If the robot has more than two feet and declares no diagonal pairs, or these contradict.
    """
    mirror = mirror_feet(spec)
    diagonal = diagonal_feet(spec) if len(mirror) > 2 else tuple(range(len(mirror)))
    phases = {0: 0.0}
    reached = [0]
    for foot in reached:  # grows while it is walked through
        for partner, phase in ((mirror[foot], 0.5 - phases[foot]), (diagonal[foot], phases[foot])):
            if partner not in phases:
                reached.append(partner)
            if phases.setdefault(partner, phase) != phase:
                raise SurefootError(
                    f"{spec.name}: {spec.foot_bodies[partner]} would swing with and against itself; correct its "
                    "foot_mirror and foot_diagonal."
                )
    if len(phases) != len(mirror):
        apart = [foot for index, foot in enumerate(spec.foot_bodies) if index not in phases]
        raise SurefootError(f"{spec.name}: {', '.join(apart)} are in no pair with {spec.foot_bodies[0]}.")
    return tuple(phases[foot] for foot in range(len(mirror)))


def short_names(feet: Sequence[str]) -> tuple[str, ...]:
    """Return the names of feet for pictures, without words that all begin or end with: "left" for "left_foot"."""
    words = [name.split("_") for name in feet]
    for end, rest in ((-1, slice(None, -1)), (0, slice(1, None))):
        while all(len(parts) > 1 for parts in words) and len({parts[end] for parts in words}) == 1:
            words = [parts[rest] for parts in words]
    return tuple("_".join(parts) for parts in words)
