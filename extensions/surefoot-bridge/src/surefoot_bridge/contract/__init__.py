"""The contract: what a policy was trained to see and to move, in full, so that nothing on the robot has to be guessed.

Training writes it once. The simulator, the second engine, the emulator and the robot obey the same one, and whoever
finds something else than it says refuses to go on. No field has a default: a policy depends on all of them.
"""

from .contract import SCHEMA, Contract
from .policy import (
    SOURCES,
    ActionPart,
    BaseControllerPart,
    CommandPart,
    EstimatePart,
    Frame,
    GainPart,
    NetworkPart,
    ObservationPart,
    ObservationTerm,
    PhasePart,
    RecurrentPart,
    Source,
    SourceKind,
    TimingPart,
)
from .robot import HandlingPart, ImuPart, Interval, RobotPart, SafetyPart
from .serialization import contract_schema, read_contract, write_contract
from .training import ErrorLaw, RandomizedRange, Score, SensorError, TrainingPart

__all__ = [
    "SCHEMA",
    "SOURCES",
    "ActionPart",
    "BaseControllerPart",
    "CommandPart",
    "Contract",
    "ErrorLaw",
    "EstimatePart",
    "Frame",
    "GainPart",
    "HandlingPart",
    "ImuPart",
    "Interval",
    "NetworkPart",
    "ObservationPart",
    "ObservationTerm",
    "PhasePart",
    "RandomizedRange",
    "RecurrentPart",
    "RobotPart",
    "SafetyPart",
    "Score",
    "SensorError",
    "Source",
    "SourceKind",
    "TimingPart",
    "TrainingPart",
    "contract_schema",
    "read_contract",
    "write_contract",
]
