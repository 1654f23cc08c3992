"""Compiles the core. The standard library is all it takes, for the build of a wheel runs it too."""

import hashlib
import os
import platform
import shlex
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("core.c")
# Contracted or reordered operations round otherwise than NumPy's.
_FLAGS = ("-std=c99", "-O2", "-fno-fast-math", "-ffp-contract=off", "-fPIC", "-shared")
_TIMEOUT_S = 60.0


def library_name() -> str:
    """Return the file name of what this source compiles to on this kind of machine; another source has another."""
    digest = hashlib.sha256(" ".join(_FLAGS).encode() + SOURCE.read_bytes()).hexdigest()[:12]
    return f"core-{platform.machine()}-{digest}.so"


def compile_core(library: Path) -> str:
    """Compile the core by ``$CC``, by default ``cc``; return why that failed, nothing if it did not.

    Args:
        library: The file to write. Its folder is made where it is missing; a process that reads it finds all or none.
    """
    compiler = os.environ.get("CC") or "cc"
    new = library.with_name(f"{library.name}.{os.getpid()}")
    try:
        library.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        command = [*shlex.split(compiler), *_FLAGS, str(SOURCE), "-lm", "-o", str(new)]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S)
        if ended.returncode:
            return f"{compiler} failed: {(ended.stderr.strip() or 'it said nothing').splitlines()[0][:200]}"
        new.replace(library)
    except FileNotFoundError:
        return f"there is no C compiler ({compiler})"
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return f"it could not be compiled ({error})"
    return ""
