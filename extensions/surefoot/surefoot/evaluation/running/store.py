"""Finished scenarios in a folder, so that a second run goes on where the first one was ended."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.trials.outcome import ScenarioOutcome, Searched
from surefoot.files import write_json

_VERSIONED = {
    "mujoco": ("mujoco", "numpy"),
    "ovphysx": ("ovphysx", "isaaclab"),
    "newton_mjwarp": ("newton", "isaaclab"),
}
"""Distributions whose version may change a result."""

_OURS = ("surefoot", "surefoot_bridge", "surefoot_robots", "surefoot_tasks")
"""Packages whose code may; somebody may work on it without a new version."""

_ONLY_SHOWS = Path("evaluation/report")
"""Of ``surefoot``: it draws what came out, and changes nothing of it."""


class OutcomeStore:
    """Outcomes of scenarios, one file for each and engine, each with a key of all that it depends on.

    Args:
        folder: Where they are; made when the first is kept.
        bundle: Identity of the bundle.
        seed: Seed of the suite.
        device: Device of PhysX and Newton.
    """

    def __init__(self, folder: Path, *, bundle: str, seed: int, device: str) -> None:
        self._folder, self._common = folder, {"bundle": bundle, "seed": seed, "device": device}

    def find(self, scenario: Scenario, engine: str, *, asked: int, stop_early: bool) -> ScenarioOutcome | None:
        """Return what came of a scenario, if it ran before with the same of everything."""
        try:
            data = json.loads(self._file(scenario, engine).read_text())
        except (OSError, ValueError):
            return None
        if data.get("key") != self._key(scenario, engine, asked, stop_early):
            return None
        outcome = data["outcome"]
        return ScenarioOutcome(**{**outcome, **vars(Searched.from_plain(outcome))})

    def keep(self, scenario: Scenario, outcome: ScenarioOutcome, *, asked: int, stop_early: bool) -> None:
        """Keep what came of a scenario; one that could not run is not kept, so that it is tried again."""
        if outcome.error:
            return
        key = self._key(scenario, outcome.engine, asked, stop_early)
        write_json(self._file(scenario, outcome.engine), {"key": key, "outcome": asdict(outcome)})

    def recordings(self, scenario: str, engine: str) -> Path:
        """Return the folder for what was recorded of a scenario's trials."""
        return self._folder / "recordings" / engine / scenario

    def _file(self, scenario: Scenario, engine: str) -> Path:
        return self._folder / "outcomes" / engine / f"{scenario.name}.json"

    def _key(self, scenario: Scenario, engine: str, asked: int, stop_early: bool) -> str:
        content: dict[str, Any] = {
            **self._common,
            "scenario": scenario.model_dump(mode="json"),
            "engine": engine,
            "asked": asked,
            "stop_early": stop_early,
            "versions": {name: importlib.metadata.version(name) for name in _VERSIONED[engine]},
            "code": _code_digest(),
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@cache
def _code_digest() -> str:
    """Return the SHA-256 of our code and robot models."""
    digest = hashlib.sha256()
    for name in _OURS:
        spec = importlib.util.find_spec(name)
        for folder in (spec.submodule_search_locations if spec is not None else None) or ():
            for path in sorted(Path(folder).rglob("*")):
                place = path.relative_to(folder)
                if path.suffix in (".py", ".xml") and not (name == "surefoot" and place.is_relative_to(_ONLY_SHOWS)):
                    digest.update(f"{name}/{place}\n".encode() + path.read_bytes())
    return digest.hexdigest()
