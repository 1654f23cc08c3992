"""A policy: what it sees, the network that runs it in each form, and what the joints are commanded of its actions."""

from surefoot_bridge.words import RUNTIMES, RuntimeName

from .numpy_policy import NumpyPolicy
from .observations import Observations, ObservationState
from .policy import Memory, Policy
from .runtimes import fastest, load_policy, pick_runtimes
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
    "fastest",
    "load_policy",
    "load_weights",
    "pick_runtimes",
    "save_weights",
]
