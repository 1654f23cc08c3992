"""JSON schema (draft 2020-12) of frozen dataclasses, described by their docstrings."""

import dataclasses
import inspect
import re
from typing import Any, Dict, Tuple, Union, get_args, get_origin, get_type_hints


def schema_of(kind: type) -> Dict[str, Any]:
    """Return the schema of what :func:`~.strict_json.from_data` accepts, without rules between fields.

    A docstring's text becomes the description of its class, and each of its attributes that of a field.
    """
    definitions: Dict[str, Any] = {}
    root = _schema(kind, definitions)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **root, "$defs": definitions}


def _schema(kind: Any, definitions: Dict[str, Any]) -> Dict[str, Any]:
    origin = get_origin(kind)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        name = kind.__name__
        if name not in definitions:
            definitions[name] = {}  # its place, in the order in which they are met
            hints = get_type_hints(kind)
            names = [item.name for item in dataclasses.fields(kind)]
            text, described = _described(kind)
            definitions[name] = {
                "type": "object",
                "description": text,
                "properties": {
                    item: {"description": described[item], **_schema(hints[item], definitions)} for item in names
                },
                "required": names,
                "additionalProperties": False,
            }
        return {"$ref": f"#/$defs/{name}"}
    if origin is Union:
        (inner,) = (item for item in get_args(kind) if item is not type(None))
        return {"anyOf": [_schema(inner, definitions), {"type": "null"}]}
    if origin is tuple:
        return {"type": "array", "items": _schema(get_args(kind)[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(get_args(kind)[1], definitions)}
    names = {bool: "boolean", int: "integer", float: "number", str: "string"}
    if kind in names:
        return {"type": names[kind]}
    return {"enum": list(get_args(kind))}


def _described(kind: type) -> Tuple[str, Dict[str, str]]:
    """Return the text of a class's docstring, and that of each attribute by its name."""
    text, _, attributes = inspect.cleandoc(kind.__doc__ or "").partition("\n\nAttributes:\n")
    found = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", attributes, flags=re.MULTILINE)
    return _plain(text), {name: _plain(words) for name, words in found}


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("``", "`")
