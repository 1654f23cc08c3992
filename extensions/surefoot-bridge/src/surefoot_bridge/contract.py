"""The contract: what a policy was trained to see and to move, in full, so that nothing on the robot has to be guessed.

Training writes it once. The simulator, the second engine, the emulator and the robot obey the same one, and whoever
finds something else than it says refuses to go on. No field has a default: a policy depends on all of them.
"""

import json
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from .contract_policy import (
    FRAMES,
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
    TimingPart,
)
from .contract_robot import HandlingPart, ImuPart, Interval, RobotPart, SafetyPart
from .contract_rules import contract_mistakes, unobeyed_parts
from .contract_training import ErrorLaw, RandomizedRange, Score, SensorError, TrainingPart
from .errors import SurefootError
from .json_schema import schema_of
from .strict_json import from_data, parse_json, to_json

__all__ = [
    "FRAMES",
    "SCHEMA",
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
    "TimingPart",
    "TrainingPart",
    "contract_schema",
    "read_contract",
    "write_contract",
]

SCHEMA = 2
"""Version of the contract that this package writes and reads."""


@dataclass(frozen=True)
class Contract:
    """What a policy was trained to see and to move.

    Attributes:
        schema: Version of this structure.
        robot: The robot and its joints.
        handling: How it is held without the policy.
        gains: Gains of the policy's joint controller.
        action: What an action means.
        timing: When the policy acts.
        observation: What it sees.
        command: What it can be asked to do.
        network: The network that belongs to this contract.
        phase: The clock that it sees; null where it has none.
        estimate: The estimator that it sees; null where it has none.
        base_controller: The controller whose targets it corrects; null where it has none.
        safety: Limits of the robot.
        training: What it was trained with.
        scores: How it did.
    """

    schema: int
    robot: RobotPart
    handling: HandlingPart
    gains: GainPart
    action: ActionPart
    timing: TimingPart
    observation: ObservationPart
    command: CommandPart
    network: NetworkPart
    phase: Optional[PhasePart]
    estimate: Optional[EstimatePart]
    base_controller: Optional[BaseControllerPart]
    safety: SafetyPart
    training: TrainingPart
    scores: Tuple[Score, ...]

    def __post_init__(self) -> None:
        """Refuse parts that do not fit each other; all mistakes are named at once."""
        if self.schema != SCHEMA:
            raise SurefootError(f"schema is {self.schema}; it must be {SCHEMA}.")
        mistakes = list(contract_mistakes(self))
        if mistakes:
            raise SurefootError("\n  ".join(mistakes))

    @property
    def sdk_order(self) -> Tuple[int, ...]:
        """For each joint of the robot's interface its place in the policy's order: ``sdk = policy[order]``."""
        return tuple(self.robot.joint_names.index(name) for name in self.robot.sdk_joint_names)

    @property
    def policy_order(self) -> Tuple[int, ...]:
        """For each joint of the policy its place in the interface's order: ``policy = sdk[order]``."""
        return tuple(self.robot.sdk_joint_names.index(name) for name in self.robot.joint_names)


def write_contract(contract: Contract) -> str:
    """Write a contract as JSON: the same text for the same contract, with every digit of its numbers."""
    return to_json(contract)


def read_contract(text: str, *, where: str) -> Contract:
    """Read a contract.

    Args:
        text: Its JSON.
        where: Where it came from, for messages.

    Raises:
        SurefootError: If it is of another schema, anything in it is missing, unknown, mistyped or does not fit, or it
            has a part that this package cannot obey.
    """
    what = f"The contract {where}"
    data = parse_json(text, what=what)
    schema = data.get("schema") if isinstance(data, dict) else None
    if isinstance(schema, int) and not isinstance(schema, bool) and schema != SCHEMA:
        raise _another_schema(schema, what)
    contract = from_data(Contract, data, what=what)
    unobeyed = unobeyed_parts(contract)
    if unobeyed:
        raise SurefootError(
            f"{what} has {', '.join(unobeyed)}, which this surefoot-bridge cannot obey. Install a newer "
            "surefoot-bridge."
        )
    return contract


def contract_schema() -> Dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a contract; it is published as ``contract.schema.json``."""
    schema = schema_of(Contract)
    schema["$defs"]["Contract"]["properties"]["schema"]["const"] = SCHEMA
    return schema


def _another_schema(schema: int, what: str) -> SurefootError:
    if schema > SCHEMA:
        return SurefootError(
            f"{what} is of schema {schema}; this surefoot-bridge reads {SCHEMA}. Install a newer surefoot-bridge."
        )
    return SurefootError(
        f"{what} is of schema {schema}; this surefoot-bridge reads {SCHEMA}, which says more. Export the policy again, "
        "where it was trained: surefoot export RUN -o BUNDLE (a policy that came with Surefoot: --pretrained TASK)."
    )


if __name__ == "__main__":  # writes the schema that is published as contract.schema.json
    print(json.dumps(contract_schema(), indent=2))
