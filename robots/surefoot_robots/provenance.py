"""Where the numbers of a robot come from, and how disagreements between sources were decided."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A public description of the robot.

    Attributes:
        key: Short name by which decisions refer to it.
        location: Repository or package, with commit or version, and path.
        license: Licence of the source.
        used_for: What was taken from it.
    """

    key: str
    location: str
    license: str
    used_for: str


@dataclass(frozen=True)
class Decision:
    """A number on which sources disagree, or on which we depart from all of them.

    Attributes:
        field: What was to be decided.
        candidates: What each source says.
        taken: What this robot uses.
        reason: Why.
    """

    field: str
    candidates: str
    taken: str
    reason: str
