"""Docstrings of fields as the descriptions of a published schema.

Pydantic's own option for it reads the source of each model that is imported: longer than a refusal may take.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel


def add_descriptions(schema: dict[str, Any], base: type[BaseModel]) -> None:
    """Describe the fields of a schema.

    Args:
        schema: A schema with definitions; changed in place.
        base: The class whose narrower ones are the models of the definitions, each by its name.
    """
    definitions = schema["$defs"]
    for model in _narrower(base):
        properties = definitions.get(model.__name__, {}).get("properties", {})
        for owner in model.__mro__:
            if issubclass(owner, base):
                for field, text in _docstrings(owner):
                    if field in properties:
                        properties[field].setdefault("description", text)


def _narrower(base: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for model in base.__subclasses__():
        yield model
        yield from _narrower(model)


def _docstrings(model: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Yield each field that a class declares and the text below it."""
    (declared,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    assert isinstance(declared, ast.ClassDef)
    for field, below in zip(declared.body, declared.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                yield name, inspect.cleandoc(text)
