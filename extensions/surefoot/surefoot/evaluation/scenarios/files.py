"""Reads suites of scenarios: those that come with the package, a file, or a folder of one's own scenarios."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.evaluation.named import suite_path
from surefoot.located_yaml import LocatedYaml, Mistake, Place, read_yaml, validated
from surefoot_bridge.errors import SurefootError

from .rules import scenario_mistakes
from .scenario import Scenario, Suite

if TYPE_CHECKING:
    from surefoot_bridge.contract import Contract

_ENDINGS = (".yaml", ".yml")


def load_suite(name_or_path: str | Path, contract: Contract | None) -> Suite:
    """Return a suite.

    A file is a suite (its keys are those of :class:`~.scenario.Suite`) or a single scenario (those of
    :class:`~.scenario.Scenario`); ``scenario.schema.json`` describes both for editors. A folder is the suite of the
    scenarios in its files, one in each, in the order of the files' names.

    Args:
        name_or_path: One of :data:`~surefoot.evaluation.named.SUITES`, a YAML file, or a folder.
        contract: Contract of the policy that is to run it: what is beyond its commands or does not fit its robot is
            refused. None where that is not known yet.

    Raises:
        SurefootError: If there is no such suite, or anything in it is wrong; all mistakes of form are named at once,
            and where there are none all of content, each with its file, line and place, what is right, and the remedy.
    """
    path = suite_path(name_or_path)
    if path.is_dir():
        return _folder(path, contract)
    located = read_yaml(path)
    if isinstance(located.data, dict) and located.data.keys().isdisjoint(("scenarios", "version")):
        return _as_suite(path, [_scenario(located, contract)])
    return _suite(located, contract)


def _suite(located: LocatedYaml, contract: Contract | None) -> Suite:
    suite = validated(Suite, located)
    mistakes = list(_repeats(suite))
    for index, scenario in enumerate(suite.scenarios):
        place: Place = ("scenarios", index)
        mistakes += [Mistake(place + item.place, item.message) for item in _wrong(scenario, contract)]
    if mistakes:
        raise SurefootError(located.refusal(mistakes))
    return suite


def _wrong(scenario: Scenario, contract: Contract | None) -> Iterator[Mistake]:
    yield from scenario_mistakes(scenario)
    if contract is not None:
        from .robot_fit import incompatibilities  # the robot's model and the safety layer, which form does not ask for

        yield from incompatibilities(scenario, contract)


def _repeats(suite: Suite) -> Iterator[Mistake]:
    seen: dict[str, int] = {}
    for index, scenario in enumerate(suite.scenarios):
        if scenario.name in seen:
            first = f"scenarios[{seen[scenario.name]}]"
            yield Mistake(("scenarios", index, "name"), f"is {scenario.name!r}, as is that of {first}; rename one.")
        seen.setdefault(scenario.name, index)


def _scenario(located: LocatedYaml, contract: Contract | None) -> Scenario:
    scenario = validated(Scenario, located)
    mistakes = list(_wrong(scenario, contract))
    if mistakes:
        raise SurefootError(located.refusal(mistakes))
    return scenario


def _folder(path: Path, contract: Contract | None) -> Suite:
    files = sorted(file for file in path.iterdir() if file.suffix in _ENDINGS and file.is_file())
    if not files:
        raise SurefootError(f"The folder {path} holds no scenario: put files of {' or '.join(_ENDINGS)} there.")
    scenarios: dict[str, Path] = {}
    read, refusals = [], []
    for file in files:
        try:
            located = read_yaml(file)
            if isinstance(located.data, dict) and "scenarios" in located.data:
                raise SurefootError(f"{file} is a suite; a folder holds single scenarios. Name the file itself.")
            scenario = _scenario(located, contract)
        except SurefootError as error:
            refusals.append(str(error))
            continue
        if scenario.name in scenarios:
            refusals.append(
                f"{file} names its scenario {scenario.name!r}, as does {scenarios[scenario.name]}; rename one."
            )
        scenarios[scenario.name] = file
        read.append(scenario)
    if refusals:
        raise SurefootError("\n".join(refusals))
    return _as_suite(path, read)


def _as_suite(path: Path, scenarios: list[Scenario]) -> Suite:
    name = re.sub(r"[^a-z0-9_-]+", "_", path.resolve().stem.lower())[:48]
    return Suite(version=1, name=name, description=f"Scenarios of {path.name}.", seed=0, scenarios=tuple(scenarios))
