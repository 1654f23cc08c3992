"""Named arrays as bytes and back: an npz file that is the same for the same arrays, and only arrays when read."""

import io
import zipfile
from typing import Dict, List, Mapping

import numpy as np

from .errors import SurefootError

_SUFFIX = ".npy"
_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can state: when it was written shall not show
_UNIX = 3
_MODE = 0o644 << 16


def write_npz(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Write arrays as an uncompressed npz file, in their order, little-endian, with fixed time stamps.

    Args:
        arrays: The arrays by name; numbers, truth values or texts.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(name + _SUFFIX, date_time=_TIME)
            member.create_system, member.external_attr = _UNIX, _MODE
            content = io.BytesIO()
            np.lib.format.write_array(content, little_endian(array), version=(1, 0), allow_pickle=False)
            archive.writestr(member, content.getvalue())
    return buffer.getvalue()


def read_npz(data: bytes, *, where: str) -> Dict[str, np.ndarray]:
    """Read what :func:`write_npz` writes, by name.

    Args:
        data: The file's content.
        where: Where it came from, for messages.

    Raises:
        SurefootError: If it is no such file: no zip, compressed, damaged, with repeated names, or with pickled objects,
            which could run code.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = _names(archive, where)
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in names}
    except SurefootError:
        raise
    except Exception as error:  # zipfile and NumPy raise a dozen kinds for damaged files
        raise SurefootError(
            f"{where} cannot be read as an npz file of plain arrays: {error}. It is damaged; copy the bundle again."
        ) from error
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):
            raise SurefootError(f"{where}: {name}{_SUFFIX} holds no array.")
    return arrays


def little_endian(array: np.ndarray) -> np.ndarray:
    """Return the array in C order with its numbers in little-endian bytes: a copy where it is not so already."""
    return np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")


def check_names(arrays: Mapping[str, np.ndarray], expected: List[str], *, where: str) -> None:
    """Refuse missing and unknown arrays; all are named at once.

    Raises:
        SurefootError: If the names are not the expected ones.
    """
    missing = [name for name in expected if name not in arrays]
    unknown = [name for name in arrays if name not in expected]
    if missing or unknown:
        lines = [f"{where} has other arrays than it must have:"]
        lines += [f"{name} is missing." for name in missing]
        lines += [f"{name} is unknown." for name in unknown]
        raise SurefootError("\n  ".join([*lines, f"Valid: {', '.join(expected)}."]))


def _names(archive: zipfile.ZipFile, where: str) -> List[str]:
    members = archive.infolist()
    for member in members:
        if not member.filename.endswith(_SUFFIX):
            raise SurefootError(f"{where} holds {member.filename!r}, which is no array; valid: names with {_SUFFIX}.")
        # Stored arrays are as long as the file says; a compressed one may be any size when unpacked.
        if member.compress_type != zipfile.ZIP_STORED:
            raise SurefootError(f"{where}: {member.filename} is compressed; arrays of a bundle are stored as they are.")
    names = [member.filename[: -len(_SUFFIX)] for member in members]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise SurefootError(f"{where} holds {', '.join(repeated)} more than once.")
    return names
