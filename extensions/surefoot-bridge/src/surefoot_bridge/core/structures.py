"""What the core's functions are given: structures of C, and the arrays that they point to."""

import ctypes
from typing import Any, Dict, Tuple, Type

import numpy as np


class _Pointer(ctypes.c_void_p):
    """A pointer to numbers of one kind."""

    dtype: Type[np.generic]


class _Doubles(_Pointer):
    dtype = np.float64


class _Floats(_Pointer):
    dtype = np.float32


class _Integers(_Pointer):
    dtype = np.int64


class _Bytes(_Pointer):
    dtype = np.uint8


def _fields(kind: type, names: str) -> Tuple[Tuple[str, type], ...]:
    return tuple((name, kind) for name in names.split())


class _Structure(ctypes.Structure):
    """A structure that keeps the arrays alive that it points to."""

    def __init__(self, **values: Any) -> None:
        kinds = {name: kind for name, kind, *_ in self._fields_}
        if values.keys() != kinds.keys():
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(kinds)}.")
        super().__init__()
        self.arrays = values
        for name, value in values.items():
            kind = kinds[name]
            if issubclass(kind, _Pointer):
                if value.dtype != kind.dtype or not value.flags.c_contiguous:
                    raise TypeError(f"{name} is {value.dtype}; it must be {kind.dtype.__name__}, without gaps.")
                value = kind(value.ctypes.data)
            setattr(self, name, value)
        self.address = ctypes.addressof(self)


class CalmArguments(_Structure):
    """``struct calm``."""

    _fields_ = (
        *_fields(ctypes.c_long, "n width"),
        *_fields(ctypes.c_double, "period_s"),
        *_fields(_Doubles, "fixed low high rate_rad_s attitude row q dq clocks_s squared told times_s"),
        *_fields(_Doubles, "sent start source seen_s seen moved"),
    )


class GlanceArguments(_Structure):
    """``struct glance``."""

    _fields_ = (
        *_fields(ctypes.c_long, "n feet components dim now"),
        *_fields(ctypes.c_double, "contact_n control_s travelled_rad tolerance"),
        *_fields(_Doubles, "velocity_low velocity_high origin scale low high"),
        *_fields(_Integers, "column shift"),
        *_fields(_Doubles, "least_s row measured foot_force before target target_before"),
        *_fields(_Doubles, "velocity gravity contact same_s travel_rad"),
        *_fields(_Floats, "shown next"),
        *_fields(_Bytes, "frozen"),
    )


class AnswerArguments(_Structure):
    """``struct answer``."""

    _fields_ = (
        *_fields(ctypes.c_long, "n"),
        *_fields(ctypes.c_double, "share"),
        *_fields(_Integers, "order"),
        *_fields(_Doubles, "origin scale least most low high action before target"),
    )


class SlotsArguments(_Structure):
    """``struct slots``."""

    _fields_ = (
        *_fields(ctypes.c_long, "n stride"),
        *_fields(_Integers, "motor place"),
        *_fields(_Doubles, "command"),
        *_fields(_Bytes, "slots"),
    )


class Frame:
    """Numbers side by side in one array, each entry by its name.

    Args:
        widths: Length of each entry, in their order.

    Attributes:
        numbers: The array.
        at: Where each entry stands.
    """

    def __init__(self, **widths: int) -> None:
        self.at: Dict[str, slice] = {}
        width = 0
        for name, size in widths.items():
            self.at[name] = slice(width, width + size)
            width += size
        self.numbers = np.zeros(width)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.numbers[self.at[name]]
