"""YAML whose every value knows the line that it stands on, and models read from it with every mistake named."""

from __future__ import annotations

import difflib
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from pydantic import BaseModel, ValidationError

from surefoot_bridge.errors import SurefootError, reason, refusal

Place = tuple[str | int, ...]
"""Keys and indices from the root of a file to a value."""


@dataclass(frozen=True)
class Mistake:
    """What is wrong at a place of a file."""

    place: Place
    message: str


@dataclass(frozen=True)
class LocatedYaml:
    """Content of a YAML file.

    Attributes:
        path: The file.
        data: What it holds.
        lines: Line of each value that stands in it, counted from 1.
    """

    path: Path
    data: object
    lines: Mapping[Place, int] = field(repr=False)

    def refusal(self, mistakes: Iterable[Mistake]) -> str:
        """Return the message that names mistakes by line and place, in the order of the file.

        A single one is one line. Of a file that no person writes, whose lines are not known, the first is named.
        """
        ordered = sorted(mistakes, key=lambda mistake: self._line(mistake.place))
        rows = [f"{_written(item.place)}{item.message}" for item in ordered]
        if not self.lines:
            return f"{self.path} is refused: {rows[0]}" + (f" So are {len(rows) - 1} more." if len(rows) > 1 else "")
        rows = [f"line {self._line(item.place)}: {row}" for item, row in zip(ordered, rows, strict=True)]
        return str(refusal(f"{self.path} is refused:", rows))

    def _line(self, place: Place) -> int:
        while place and place not in self.lines:  # a missing key stands where it should: in its parent
            place = place[:-1]
        return self.lines.get(place, 1)


def read_yaml(path: Path) -> LocatedYaml:
    """Read a YAML file of mappings, lists, numbers and text.

    Raises:
        SurefootError: If it cannot be read, is no YAML, has a key twice, or holds a truth value, which no model here
            takes: YAML's ``on`` and ``no`` are meant as text more often.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SurefootError(f"Cannot read {path}: {reason(error)}.") from error
    loader = yaml.SafeLoader(text)
    try:
        root = loader.get_single_node()
        if root is None:
            raise SurefootError(f"{path} is empty; a built-in suite shows what such a file holds.")
        lines: dict[Place, int] = {}
        mistakes = list(_walk(root, (), lines, set()))
        if mistakes:
            raise SurefootError(LocatedYaml(path, None, lines).refusal(mistakes))
        data = loader.construct_document(root)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise SurefootError(f"{path} is no YAML: {where}{getattr(error, 'problem', None) or error}.") from error
    except (RecursionError, ValueError, TypeError) as error:
        raise SurefootError(f"{path} is no YAML that can be read: {reason(error)}.") from error
    finally:
        loader.dispose()
    return LocatedYaml(path, data, lines)


def validated[Model: BaseModel](model: type[Model], located: LocatedYaml) -> Model:
    """Return what a file holds as a model.

    Raises:
        SurefootError: If it does not fit; all mistakes are named at once, each with its line and what is right.
    """
    try:
        return model.model_validate(located.data)
    except ValidationError as error:
        raise SurefootError(located.refusal(_mistakes(model, located.data, error))) from None


def shown(value: object) -> str:
    """Return a value for a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def nearest(name: object, valid: Iterable[str]) -> str:
    """Return `` (did you mean x?)`` where a valid name is near."""
    near = difflib.get_close_matches(str(name), list(valid), n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def _written(place: Place) -> str:
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return f"{text} " if text else "it "


def _walk(node: yaml.Node, place: Place, lines: dict[Place, int], above: set[int]) -> Iterator[Mistake]:
    """Note the line of every value; yield keys that stand twice, truth values, and anchors that hold themselves."""
    lines[place] = node.start_mark.line + 1
    if isinstance(node, yaml.ScalarNode):
        if node.tag == "tag:yaml.org,2002:bool":
            yield Mistake(place, f"is {node.value}, a truth value to YAML; give a number or text (in quotes).")
        return
    if id(node) in above:
        yield Mistake(place, "holds itself through an anchor; write it out.")
        return
    above = above | {id(node)}
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _walk(item, (*place, index), lines, above)
        return
    keys: set[str] = set()
    for key, value in node.value:
        name = str(key.value)
        if name in keys:
            yield Mistake(place, f"has the key {name!r} twice, again in line {key.start_mark.line + 1}; keep one.")
        keys.add(name)
        yield from _walk(value, (*place, name), lines, above)
        lines[*place, name] = key.start_mark.line + 1


def _mistakes(model: type[BaseModel], data: object, error: ValidationError) -> Iterator[Mistake]:
    by_place: dict[Place, list] = {}
    for item in error.errors(include_url=False):
        by_place.setdefault(_place(data, item["loc"], item["type"]), []).append(item)
    for place, items in by_place.items():
        inside = any(other[: len(place)] == place for other in by_place if other != place)
        if items[0]["type"] == "too_short" and inside:
            continue  # a list counts the items that are right: those that are not are named already
        yield Mistake(place, _message(model, place, items, _value_at(data, place)))


def _place(data: object, loc: Place, kind: str) -> Place:
    """Return the part of pydantic's location that is in the data: the rest names alternatives of a type."""
    for depth, step in enumerate(loc):
        inside = (isinstance(data, dict) and step in data) or (
            isinstance(data, (list, tuple)) and isinstance(step, int) and step < len(data)
        )
        if not inside:
            return loc if kind == "missing" and depth == len(loc) - 1 else loc[:depth]
        data = data[step]  # type: ignore[index]
    return loc


def _message(model: type[BaseModel], place: Place, items: list, value: object) -> str:
    kinds = {item["type"]: item for item in items}
    if "missing" in kinds:
        return "is missing; it has no default."
    if "extra_forbidden" in kinds:
        valid = [field.alias or name for name, field in _model_at(model, place[:-1]).model_fields.items()]
        return f"is unknown{nearest(place[-1], valid)}; valid: {', '.join(valid)}."
    if "value_error" in kinds:
        return f"is {shown(value)}: {kinds['value_error']['ctx']['error']}"
    return f"is {shown(value)}; it must {_rule(kinds)}."


def _rule(kinds: dict[str, dict]) -> str:
    """Return what must hold, for the kinds of error that pydantic has found at one place."""
    first = next(iter(kinds.values()))
    context = first.get("ctx", {})
    if any(item.get("ctx", {}).get("class_name") == "Span" or "Span]" in str(item["loc"]) for item in kinds.values()):
        return "be a number or [low, high]" + (", or 'any'" if "literal_error" in kinds else "")
    if first["type"] in ("model_type", "dict_type"):
        return "be a mapping of keys to values"
    if first["type"] == "invalid_key":
        return "have text for keys"
    if first["type"] == "string_pattern_mismatch":
        return f"match {context['pattern']}"
    if first["type"] in ("too_short", "string_too_short"):
        return f"hold at least {context['min_length']}"
    return first["msg"].removeprefix("Input should ")


def _value_at(data: object, place: Place) -> object:
    for step in place:
        try:
            data = data[step]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _model_at(model: type[BaseModel], place: Place) -> type[BaseModel]:
    """Return the model of what stands at a place: an index, or a key of a mapping that is free, stays within one."""
    for step in place:
        if isinstance(step, str) and step in model.model_fields:
            inner = next(_models_in(model.model_fields[step].annotation), None)
            model = inner or model
    return model


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in typing.get_args(annotation):
        yield from _models_in(inner)
