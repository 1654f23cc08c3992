"""A contract as JSON and back, and the JSON schema that says what is in one."""

import json
from typing import Any, Dict, Tuple

from surefoot_bridge.errors import SurefootError

from .contract import SCHEMA, Contract
from .json_schema import schema_of
from .strict_json import from_data, parse_json, to_json


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
    unobeyed = _unobeyed_parts(contract)
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


def _unobeyed_parts(contract: Contract) -> Tuple[str, ...]:
    """Return the parts of a contract that this package cannot obey yet, though the format has room for them."""
    return tuple(name for name in ("phase", "estimate", "base_controller") if getattr(contract, name) is not None)


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
