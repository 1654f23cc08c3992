"""The JSON schema of suites and scenarios, for editors: ``python -m surefoot.evaluation.scenarios.schema``."""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import models_json_schema

from surefoot.schema_descriptions import add_descriptions
from surefoot.strict_model import StrictModel

from .scenario import Scenario, Suite


def scenario_schema() -> dict[str, Any]:
    """Return the JSON schema of suites and scenarios; it is published as ``scenario.schema.json``."""
    _, schema = models_json_schema([(Suite, "validation"), (Scenario, "validation")])
    add_descriptions(schema, StrictModel)
    definitions = schema["$defs"]
    for end in definitions["Bound"]["properties"].values():
        del end["default"]  # open ends, for which JSON has no word
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Suite of scenarios, or a single scenario",
        "anyOf": [{"$ref": "#/$defs/Suite"}, {"$ref": "#/$defs/Scenario"}],
        "$defs": definitions,
    }


if __name__ == "__main__":
    print(json.dumps(scenario_schema(), indent=2))
