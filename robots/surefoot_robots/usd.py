"""Conversion of a robot's MJCF to USD, kept in a cache of the user.

The conversion runs in a child process: USD libraries and their native messages stay out of the caller, which may still
have to start a simulator with USD libraries of its own.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

from surefoot_bridge.errors import SurefootError, reason
from surefoot_robots.spec import RobotSpec

_CONVERTER = "mujoco-usd-converter"

_CONVERT = """
import sys
from mujoco_usd_converter import Converter
Converter(layer_structure=False, scene=False).convert(sys.argv[1], sys.argv[2])
"""


def usd_path(spec: RobotSpec) -> Path:
    """Return the robot as a USD file, converting its MJCF when the cache does not hold it yet.

    The root prim is `/<name>`, bodies nest below `/<name>/Geometry/<base_body>`. Several processes may call this at
    once: each converts into a directory of its own, and the first to rename it into place wins.

    Raises:
        SurefootError: If the converter is not installed, the conversion fails or the cache cannot be written.
    """
    directory = cache_directory() / f"{spec.name}-{_content_key(spec.mjcf_path)}"
    path = directory / f"{spec.mjcf_path.stem}.usdc"
    if path.is_file():
        return path
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{directory.name}-", dir=directory.parent) as scratch:
            converted = Path(scratch) / "converted"
            _convert(spec.mjcf_path, converted)
            if not (converted / path.name).is_file():
                raise SurefootError(f"The model in {spec.mjcf_path} must be named {path.stem!r}, like its file.")
            _sync(converted / path.name)
            try:
                converted.rename(directory)
            except OSError:  # Another process was first, and its result is whole; otherwise there is a real obstacle.
                if not path.is_file():
                    raise
    except OSError as error:
        raise SurefootError(
            f"The USD cache {directory.parent} cannot be written: {reason(error)}. "
            "Set SUREFOOT_CACHE_DIR to a writable directory."
        ) from error
    return path


def cache_directory() -> Path:
    """Return the directory of converted robots: below SUREFOOT_CACHE_DIR, or else the user's cache directory."""
    chosen = os.environ.get("SUREFOOT_CACHE_DIR")
    if chosen:
        return Path(chosen).expanduser().absolute() / "usd"
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().absolute() / "surefoot" / "usd"


def _content_key(mjcf_path: Path) -> str:
    try:
        version = metadata.version(_CONVERTER)
    except metadata.PackageNotFoundError:
        raise SurefootError(f"{_CONVERTER} is not installed; run: pip install {_CONVERTER}.") from None
    return hashlib.sha256(mjcf_path.read_bytes() + version.encode()).hexdigest()[:16]


def _convert(mjcf_path: Path, output: Path) -> None:
    # The converter leaves its intermediate layers in the temporary directory: give it one that is removed.
    layers = output.with_name("layers")
    layers.mkdir()
    command = [sys.executable, "-c", _CONVERT, str(mjcf_path), str(output)]
    environment = {**os.environ, "TMPDIR": str(layers)}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        lines = result.stderr.strip().splitlines() or [f"exit code {result.returncode}"]
        raise SurefootError(f"{mjcf_path} could not be converted to USD: {lines[-1]}")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
