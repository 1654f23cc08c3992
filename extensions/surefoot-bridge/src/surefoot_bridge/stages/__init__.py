"""The stages in which a robot earns trust, and what opens the next one."""

from .stages import STAGES, Stage, largest_of, stage_of

__all__ = [
    "STAGES",
    "Stage",
    "largest_of",
    "stage_of",
]
