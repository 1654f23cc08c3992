"""Loads the core: the library of the wheel, or one that is compiled into the user's cache at the first use."""

import ctypes
import os
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Optional

from .build import SOURCE, compile_core, library_name

_POINTER, _LONG, _DOUBLE = ctypes.c_void_p, ctypes.c_long, ctypes.c_double


class Core(NamedTuple):
    """The core, or why there is none.

    Attributes:
        functions: Its functions; None where NumPy does their work. They hold the interpreter's lock: who lets go of it
            for a microsecond may wait milliseconds for other threads.
        note: Which it is, for a person.
    """

    functions: Optional[ctypes.PyDLL]
    note: str


@lru_cache(maxsize=None)
def load_core() -> Core:
    """Return the core of this process."""
    library = SOURCE.with_name(library_name())
    try:
        if not library.exists():  # a checkout that is run in place, or a wheel from a machine without a compiler
            library = _cache() / library.name
            reason = "" if library.exists() else compile_core(library)
            if reason:
                return Core(None, f"NumPy, for {reason}")
        functions = ctypes.PyDLL(str(library))
    except (OSError, RuntimeError) as error:
        return Core(None, f"NumPy, for the compiled core cannot be loaded ({error})")
    for function in (functions.showable, functions.fill):
        function.argtypes = (_POINTER,)
    functions.calm.argtypes = (_POINTER, _LONG, _LONG)
    functions.glance.argtypes = functions.answer.argtypes = (_POINTER, ctypes.c_int)
    functions.checksum.argtypes, functions.checksum.restype = (_POINTER, _LONG), ctypes.c_uint32
    return Core(functions, f"compiled, {library}")


def _cache() -> Path:
    """Return the user's own cache.

    Raises:
        RuntimeError: If the user has no home.
    """
    folder = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (folder if folder.is_absolute() else Path("~/.cache").expanduser()) / "surefoot-bridge"
