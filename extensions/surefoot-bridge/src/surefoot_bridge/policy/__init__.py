"""A policy: what it sees, the network that runs it in each form, and what the joints are commanded of its actions."""

from surefoot_bridge.words import RUNTIMES, RuntimeName

from .numpy_policy import NumpyPolicy
from .observations import Observations, ObservationState
from .policy import Memory, Policy
from .runtimes import load_policy, pick_runtime
from .targets import Targets, TargetState
from .weights import Network, load_weights, save_weights

__all__ = [
    "RUNTIMES",
    "Memory",
    "Network",
    "NumpyPolicy",
    "ObservationState",
    "Observations",
    "Policy",
    "RuntimeName",
    "TargetState",
    "Targets",
    "load_policy",
    "load_weights",
    "pick_runtime",
    "save_weights",
]
