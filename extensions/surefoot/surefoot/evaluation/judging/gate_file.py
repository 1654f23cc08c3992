"""The file of a gate: what each scenario must reach, in which engines."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from surefoot.engines import full_name
from surefoot.evaluation.engines.choice import ENGINES
from surefoot.evaluation.named import NO_GATE_FILE, gate_path
from surefoot.evaluation.scenarios.scenario import Suite
from surefoot.located_yaml import read_yaml, validated
from surefoot.strict_model import StrictModel
from surefoot_bridge.errors import SurefootError, unknown_name


class Gate(StrictModel):
    """What must hold."""

    version: Literal[1]
    name: str = Field(pattern=r"^[a-z0-9_-]{1,48}$")
    description: str = Field(min_length=1)
    engines: tuple[str, ...] | None = Field(default=None, min_length=1)
    """Engines that count, each of which must have run; those that did where left out."""
    scenarios: dict[str, float] = Field(default_factory=dict)
    """Thresholds by scenario, instead of those that the suite has."""
    others: Literal["count", "report"] = "count"
    """Scenarios that are not named above: they count with the suite's thresholds, or are reported only."""

    @field_validator("engines")
    @classmethod
    def _known(cls, engines: tuple[str, ...] | None) -> tuple[str, ...] | None:
        try:
            return engines and tuple(full_name(name, ENGINES) for name in engines)
        except SurefootError as error:  # pydantic takes value errors only
            raise ValueError(str(error)) from error

    @field_validator("scenarios")
    @classmethod
    def _possible(cls, scenarios: dict[str, float]) -> dict[str, float]:
        for name, threshold in scenarios.items():
            if not 0.0 < threshold < 1.0:
                raise ValueError(f"the threshold of {name} is {threshold:g}; it must be above 0 and below 1.")
        return scenarios


STANDARD = Gate(
    version=1, name=NO_GATE_FILE, description="Every scenario in every engine, with the suite's thresholds."
)


def load_gate(name_or_path: str | Path) -> Gate:
    """Return a gate.

    Args:
        name_or_path: ``standard``, the name of one that came with the tasks, or a YAML file with the keys of
            :class:`Gate`.

    Raises:
        SurefootError: If there is no such file, or anything in it is wrong.
    """
    path = gate_path(name_or_path)
    return STANDARD if path is None else validated(Gate, read_yaml(path))


def check_gate(gate: Gate, suite: Suite) -> None:
    """Refuse a gate that asks for scenarios which a suite does not have, before any trial runs.

    Raises:
        SurefootError: With the nearest names.
    """
    searched = [scenario.name for scenario in suite.scenarios if scenario.is_searched]
    if len(searched) == len(suite.scenarios):
        raise SurefootError(
            f"The suite {suite.name!r} has searches alone, which nothing passes or fails: leave out --gate."
        )
    known = [scenario.name for scenario in suite.scenarios if not scenario.is_searched]
    for name in gate.scenarios:
        if name not in known:
            remedy = f"The gate {gate.name!r} asks for it: correct it, or choose another suite with --suite."
            raise unknown_name(f"scenario of the suite {suite.name!r}", name, known, remedy)
