"""The compiled core: what a tick of a single robot does nearly always, in C, equal to its NumPy to the bit.

All of it is also in NumPy, which is what runs for batches, for whatever is not ordinary, and where there is no core.
"""

from .library import Core, load_core
from .structures import AnswerArguments, CalmArguments, Frame, GlanceArguments, SlotsArguments

__all__ = [
    "AnswerArguments",
    "CalmArguments",
    "Core",
    "Frame",
    "GlanceArguments",
    "SlotsArguments",
    "load_core",
]
