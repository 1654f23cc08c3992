"""Faults of what the policy sees: scales, clips, sources, frames, order, history and its layout."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from surefoot_bridge.contract import SOURCES

from .contract_edits import setter, swapped
from .contract_mutant import ContractMutant, contract_mutant


def observation_mutants(data: Any) -> Iterator[ContractMutant]:
    """Yield the faults of a contract's observation."""
    yield from _terms(data)
    yield from _whole_observation(data)


def _terms(data: Any) -> Iterator[ContractMutant]:
    terms = data["observation"]["terms"]
    dims = {term["source"]: term["dim"] for term in terms}
    for i, term in enumerate(terms):
        name = term["name"]

        def edit(change: Callable[[Any], object], i: int = i) -> Callable[[Any], object]:
            return lambda data: change(data["observation"]["terms"][i])

        factors = {"-1": -1.0, "twice": 2.0, "zero": 0.0, "in degrees": math.degrees(1.0), "per g": 1.0 / 9.81}
        for word, factor in factors.items():
            kind = "signs" if factor < 0 else "scales and clips"
            change = edit(lambda term, factor=factor: term.update(scale=factor * term["scale"]))
            yield contract_mutant(kind, f"{name} scaled: {word}", change, path="observation.terms.scale")
        for limit in (0.05, 1000.0):
            change = edit(lambda term, limit=limit: term.update(clip_at=limit))
            yield contract_mutant(
                "scales and clips", f"{name} clipped at {limit}", change, path="observation.terms.clip_at"
            )
        for source, dim in dims.items():
            if source != term["source"] and dim == term["dim"]:
                both = {"source": source, "frame": SOURCES[source].frame}
                title = f"{name} shows {source}"
                yield contract_mutant("sources and frames", title, edit(lambda term, both=both: term.update(both)))
        for frame in sorted({kind.frame for kind in SOURCES.values()} - {term["frame"]}):
            change = edit(lambda term, frame=frame: term.update(frame=frame))
            yield contract_mutant("sources and frames", f"{name} in the frame {frame}", change)
        for word, more in (("one step more", 1), ("one step less", -1)):
            yield contract_mutant("terms and history", f"{name} has {word}, and the input is as long", _longer(i, more))


def _whole_observation(data: Any) -> Iterator[ContractMutant]:
    terms = data["observation"]["terms"]

    def terms_are(change: Callable[[list[Any]], list[Any]]) -> Callable[[Any], None]:
        def edit(data: Any) -> None:
            data["observation"]["terms"] = change(data["observation"]["terms"])
            data["network"]["observation_dim"] = sum(t["dim"] * t["history"] for t in data["observation"]["terms"])

        return edit

    for i in range(len(terms) - 1):
        names = f"{terms[i]['name']} and {terms[i + 1]['name']}"
        yield contract_mutant("terms and history", f"{names} in each other's place", terms_are(swapped(i, i + 1)))
        if terms[i]["dim"] == terms[i + 1]["dim"] and terms[i]["history"] > 1:

            def move(data: Any, i: int = i) -> None:
                data["observation"]["terms"][i]["history"] -= 1
                data["observation"]["terms"][i + 1]["history"] += 1

            yield contract_mutant("terms and history", f"{names}: a step of the first is the second's", move)
    yield contract_mutant("terms and history", "terms turned round", terms_are(lambda items: items[::-1]))
    yield contract_mutant("terms and history", "the first term is left out", terms_are(lambda items: items[1:]))
    yield contract_mutant(
        "terms and history", "the last term twice", terms_are(lambda items: [*items, {**items[-1], "name": "again"}])
    )
    for name, value in (
        ("layout", "term_major_newest_first"),
        ("layout", "step_major_oldest_first"),
        ("begin", "zeros_fill_history"),
    ):
        yield contract_mutant("terms and history", f"{name} is {value}", setter("observation", name, value))


def _longer(i: int, more: int) -> Callable[[Any], None]:
    def edit(data: Any) -> None:
        term = data["observation"]["terms"][i]
        term["history"] += more
        data["network"]["observation_dim"] += more * term["dim"]

    return edit
