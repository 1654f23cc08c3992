# MuJoCo's Python module is compiled and ships no stubs: every name exists, none has a known type.
from typing import Any

def __getattr__(name: str) -> Any: ...
