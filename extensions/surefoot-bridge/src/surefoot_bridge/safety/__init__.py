"""The safety layer: plain rules that override the policy, whatever it asks."""

from .events import Event
from .inputs import SafetyInputs
from .limits import StageLimits
from .rules import Response, Rule
from .safety import Safety
from .state import SafetyState, SafetyVerdict

__all__ = [
    "Event",
    "Response",
    "Rule",
    "Safety",
    "SafetyInputs",
    "SafetyState",
    "SafetyVerdict",
    "StageLimits",
]
