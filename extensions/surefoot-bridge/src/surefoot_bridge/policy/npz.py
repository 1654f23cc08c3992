"""Named arrays as bytes and back: an npz file that is the same for the same arrays, and only arrays when read."""

import io
import zipfile
from collections import Counter
from typing import Dict, List, Mapping

import numpy as np

from surefoot_bridge.errors import SurefootError, first_few, refusal

_SUFFIX = ".npy"
_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can state: when it was written shall not show
_UNIX = 3
_MODE = 0o644 << 16
_KINDS = "biufU"  # truth values, numbers and texts
_MOST_ARRAYS = 512


def write_npz(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Write arrays as an uncompressed npz file, in their order, little-endian, with fixed time stamps.

    Args:
        arrays: The arrays by name; numbers, truth values or texts.
    """
    members = {}
    for name, array in arrays.items():
        content = io.BytesIO()
        np.lib.format.write_array(content, little_endian(array), version=(1, 0), allow_pickle=False)
        members[name + _SUFFIX] = content.getvalue()
    return write_zip(members)


def write_zip(members: Mapping[str, bytes]) -> bytes:
    """Write an archive of files as they are, without compression: the same bytes for the same files in one order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            member = zipfile.ZipInfo(name, date_time=_TIME)
            member.create_system, member.external_attr = _UNIX, _MODE
            archive.writestr(member, data)
    return buffer.getvalue()


def read_npz(data: bytes, *, where: str) -> Dict[str, np.ndarray]:
    """Read what :func:`write_npz` writes, by name.

    What is read takes no more memory than the file has bytes, whatever it says of itself.

    Args:
        data: The file's content.
        where: Where it came from, for messages.

    Raises:
        SurefootError: If it is no such file: no zip, compressed, damaged, with repeated names, with more than 512
            arrays, or with pickled objects, which could run code.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = _names(archive, len(data), where)
            return {name: _array(archive.read(name + _SUFFIX)) for name in names}
    except SurefootError:
        raise
    except Exception as error:  # zipfile and NumPy raise a dozen kinds for damaged files
        raise SurefootError(
            f"{where} cannot be read as an npz file of plain arrays: {str(error)[:200]}. It is damaged; copy the "
            "bundle again."
        ) from error


def little_endian(array: np.ndarray) -> np.ndarray:
    """Return the array in C order with its numbers in little-endian bytes: a copy where it is not so already."""
    return np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")


def check_names(arrays: Mapping[str, np.ndarray], expected: List[str], *, where: str) -> None:
    """Refuse missing and unknown arrays; the first few of them are named.

    Raises:
        SurefootError: If the names are not the expected ones.
    """
    known = set(expected)
    mistakes = [f"{name} is missing." for name in expected if name not in arrays]
    mistakes += [f"{name} is unknown." for name in arrays if name not in known]
    if mistakes:
        raise refusal(f"{where} has other arrays than it must have:", mistakes, f"Valid: {', '.join(expected)}.")


def _names(archive: zipfile.ZipFile, num_bytes: int, where: str) -> List[str]:
    members = archive.infolist()
    if len(members) > _MOST_ARRAYS:
        raise SurefootError(f"{where} holds {len(members)} files; at most {_MOST_ARRAYS} arrays are read.")
    for member in members:
        if not member.filename.endswith(_SUFFIX):
            raise SurefootError(f"{where} holds {member.filename!r}, which is no array; valid: names with {_SUFFIX}.")
        # Stored arrays are as long as the file says; a compressed one may be any size when unpacked.
        if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
            raise SurefootError(f"{where}: {member.filename} is compressed; arrays of a bundle are stored as they are.")
    if sum(member.file_size for member in members) > num_bytes:  # several that lie in the same place
        raise SurefootError(f"{where} holds arrays of more bytes than it has. Export the policy again.")
    names = [member.filename[: -len(_SUFFIX)] for member in members]
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise SurefootError(f"{where} holds {', '.join(first_few(repeated))} more than once.")
    return names


def _array(content: bytes) -> np.ndarray:
    """Return the array of an npy file, whose header is believed only as far as there are bytes for it.

    Raises:
        ValueError: If it is none, or holds anything but plain numbers and texts.
    """
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    if version != (1, 0):
        raise ValueError(f"an array is of npy version {version}; it must be (1, 0)")
    shape, fortran_order, kind = np.lib.format.read_array_header_1_0(file)
    numbers = content[file.tell() :]
    count = 1
    for size in shape:
        count *= size
    if kind.hasobject or kind.fields is not None or kind.kind not in _KINDS or kind.itemsize == 0:
        raise ValueError(f"an array is of type {str(kind)[:60]}; it must hold numbers, truth values or texts")
    if min(shape, default=0) < 0 or count * kind.itemsize != len(numbers):
        raise ValueError(f"an array has {len(numbers)} bytes for a shape of {str(shape)[:60]} of {kind}")
    array = np.ndarray(shape, kind, numbers, order="F" if fortran_order else "C").copy()
    if kind.kind == "U":
        "".join(array.ravel().tolist()).encode()  # refuses what is no character
    return array
