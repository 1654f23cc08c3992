"""How Cyclone DDS turns a structure into bytes and back: its little program, made from a NumPy type.

All types here are final and without keys, and in such a type a structure within a structure, or an array of them, has
the same bytes as its fields one after the other. So each field of the memory becomes one instruction. The codes are
those of ``dds/ddsc/dds_opcodes.h`` of Cyclone DDS 0.10.2.
"""

from typing import List

import numpy as np

from .messages import OCTETS, STRING

_RETURN = 0x00 << 24
_FIELD = 0x01 << 24
_STRING, _SEQUENCE, _ARRAY, _BOOLEAN = 0x05, 0x07, 0x08, 0x0E
_BY_SIZE = {1: 0x01, 2: 0x02, 4: 0x03, 8: 0x04}
_FLAGS = {"f": 1 << 1, "i": 1 << 2, "u": 0, "b": 0}  # floating point, signed


def operations(layout: np.dtype) -> np.ndarray:
    """Return the program for a structure, (length,), uint32."""
    return np.array([*_fields(layout, 0), _RETURN], dtype=np.uint32)


def is_fixed_size(layout: np.dtype) -> bool:
    """Return whether all of a structure lies in its own memory: no string and no sequence is among its fields."""
    fields = [layout.fields[name][0] for name in layout.names or ()]  # type: ignore[index]
    return not any(field in (STRING, OCTETS) for field in fields)


def _fields(layout: np.dtype, start: int) -> List[int]:
    program: List[int] = []
    for name in layout.names or ():
        field, offset = layout.fields[name][:2]  # type: ignore[index]  # a type with names has fields
        program += _field(field, start + offset)
    return program


def _field(field: np.dtype, offset: int) -> List[int]:
    if field == STRING:
        return [_FIELD | _STRING << 16, offset]
    if field == OCTETS:
        return [_FIELD | _SEQUENCE << 16 | _BY_SIZE[1] << 8, offset]
    if field.subdtype is not None:
        element, shape = field.subdtype
        length = int(np.prod(shape))
        if element.names:
            return [word for i in range(length) for word in _fields(element, offset + i * element.itemsize)]
        return [_FIELD | _ARRAY << 16 | _BY_SIZE[element.itemsize] << 8 | _FLAGS[element.kind], offset, length]
    if field.names:
        return _fields(field, offset)
    kind = _BOOLEAN if field.kind == "b" else _BY_SIZE[field.itemsize]
    return [_FIELD | kind << 16 | _FLAGS[field.kind], offset]
