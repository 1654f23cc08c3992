"""The contract: what a policy was trained to see and to move, in full, so that nothing on the robot has to be guessed.

Training writes it once. The simulator, the second engine, the emulator and the robot obey the same one, and whoever
finds something else than it says refuses to go on. No field has a default: a policy depends on all of them.
"""

import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, Tuple

from .contract_parts import (
    FRAMES,
    ActionPart,
    CommandPart,
    Frame,
    GainPart,
    Interval,
    NetworkPart,
    ObservationPart,
    ObservationTerm,
    RandomizedRange,
    RecurrentPart,
    RobotPart,
    SafetyPart,
    Score,
    Source,
    TimingPart,
    TrainingPart,
)
from .contract_rules import contract_mistakes
from .errors import SurefootError
from .strict_json import from_data, parse_json, schema_of, to_json

__all__ = [
    "FRAMES",
    "MIGRATIONS",
    "SCHEMA",
    "ActionPart",
    "CommandPart",
    "Contract",
    "Frame",
    "GainPart",
    "Interval",
    "NetworkPart",
    "ObservationPart",
    "ObservationTerm",
    "RandomizedRange",
    "RecurrentPart",
    "RobotPart",
    "SafetyPart",
    "Score",
    "Source",
    "TimingPart",
    "TrainingPart",
    "contract_schema",
    "read_contract",
    "write_contract",
]

SCHEMA = 1
"""Version of the contract that this package writes and reads."""


@dataclass(frozen=True)
class Contract:
    """What a policy was trained to see and to move.

    Attributes:
        schema: Version of this structure, :data:`SCHEMA`.
        robot: The robot and its joints.
        gains: Gains of the joint controller.
        action: What an action means.
        timing: When the policy acts.
        observation: What it sees.
        command: What it can be asked to do.
        network: The network that belongs to this contract.
        safety: Limits of the robot.
        training: What it was trained with.
        scores: How it did.
    """

    schema: int
    robot: RobotPart
    gains: GainPart
    action: ActionPart
    timing: TimingPart
    observation: ObservationPart
    command: CommandPart
    network: NetworkPart
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
        SurefootError: If it is of another schema, or anything in it is missing, unknown, mistyped or does not fit.
    """
    what = f"The contract {where}"
    data = parse_json(text, what=what)
    schema = data.get("schema") if isinstance(data, dict) else None
    if isinstance(schema, int) and not isinstance(schema, bool) and schema != SCHEMA:
        data = _migrated(data, schema, what)
    return from_data(Contract, data, what=what)


def contract_schema() -> Dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a contract; it is published as ``contract.schema.json``."""
    schema = schema_of(Contract)
    schema["$defs"]["Contract"]["properties"]["schema"] = {"const": SCHEMA}
    return schema


MIGRATIONS: Dict[int, Callable[[Dict[str, Any]], Dict[str, Any]]] = {}
"""For each older schema, what turns its data into those of the next. There is none yet."""


def _migrated(data: Dict[str, Any], schema: int, what: str) -> Dict[str, Any]:
    if schema > SCHEMA:
        raise SurefootError(
            f"{what} is of schema {schema}; this surefoot-bridge reads {SCHEMA}. Install a newer surefoot-bridge."
        )
    while schema < SCHEMA:
        if schema not in MIGRATIONS:
            raise SurefootError(
                f"{what} is of schema {schema}, which cannot be brought to {SCHEMA}. Export the policy again."
            )
        data, schema = MIGRATIONS[schema](data), schema + 1
    return data


if __name__ == "__main__":  # writes the schema that is published as contract.schema.json
    print(json.dumps(contract_schema(), indent=2))
