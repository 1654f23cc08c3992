"""Cyclone DDS 0.10.2, the network library of Unitree's SDK, as the package ``far-unitree-sdk`` carries it.

It is called through its C interface. The Python side of that package is not used: it repeats the last command from a
thread of its own, whatever became of the program that gave it, and keeps checksums, ticks, battery and feet to itself.
"""

import ctypes
import importlib.metadata
import importlib.util
import sys
from pathlib import Path
from typing import Optional

from surefoot_bridge.errors import SurefootError

TESTED_VERSIONS = ("0.1.8",)
"""Versions of ``far-unitree-sdk`` whose library was tried: the layout of a topic's description is its own affair."""

_REMEDY = (
    "Install it with: pip install 'surefoot-bridge[unitree]' (Python 3.8 to 3.12 on Linux, x86_64 or aarch64; there is "
    "none for 3.13 yet)."
)


class MetaData(ctypes.Structure):
    """``struct dds_type_meta_ser``: description of a type for other vendors; none here."""

    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_uint32))


class TopicDescriptor(ctypes.Structure):
    """``dds_topic_descriptor_t``."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("align", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("num_keys", ctypes.c_uint32),
        ("type_name", ctypes.c_char_p),
        ("keys", ctypes.c_void_p),
        ("num_operations", ctypes.c_uint32),
        ("operations", ctypes.c_void_p),
        ("meta", ctypes.c_char_p),
        ("type_information", MetaData),
        ("type_mapping", MetaData),
        ("data_representation", ctypes.c_uint32),
    )


class SampleInfo(ctypes.Structure):
    """``dds_sample_info_t``."""

    _fields_ = (
        ("sample_state", ctypes.c_uint32),
        ("view_state", ctypes.c_uint32),
        ("instance_state", ctypes.c_uint32),
        ("valid_data", ctypes.c_bool),
        ("source_timestamp", ctypes.c_int64),
        ("instance_handle", ctypes.c_uint64),
        ("publication_handle", ctypes.c_uint64),
        ("counts_and_ranks", ctypes.c_uint32 * 5),
    )


class MatchedStatus(ctypes.Structure):
    """``dds_publication_matched_status_t``, and the same for subscriptions."""

    _fields_ = (
        ("total_count", ctypes.c_uint32),
        ("total_count_change", ctypes.c_int32),
        ("current_count", ctypes.c_uint32),
        ("current_count_change", ctypes.c_int32),
        ("last_handle", ctypes.c_uint64),
    )


_ENTITY, _POINTER = ctypes.c_int32, ctypes.c_void_p
_SIGNATURES = {
    "dds_create_domain": (_ENTITY, [ctypes.c_uint32, ctypes.c_char_p]),
    "dds_create_participant": (_ENTITY, [ctypes.c_uint32, _POINTER, _POINTER]),
    "dds_create_topic": (
        _ENTITY,
        [_ENTITY, ctypes.POINTER(TopicDescriptor), ctypes.c_char_p, _POINTER, _POINTER],
    ),
    "dds_create_writer": (_ENTITY, [_ENTITY, _ENTITY, _POINTER, _POINTER]),
    "dds_create_reader": (_ENTITY, [_ENTITY, _ENTITY, _POINTER, _POINTER]),
    "dds_create_qos": (_POINTER, []),
    "dds_delete_qos": (None, [_POINTER]),
    "dds_qset_history": (None, [_POINTER, ctypes.c_int, ctypes.c_int32]),
    "dds_qset_reliability": (None, [_POINTER, ctypes.c_int, ctypes.c_int64]),
    "dds_qset_ignorelocal": (None, [_POINTER, ctypes.c_int]),
    "dds_write": (ctypes.c_int32, [_ENTITY, _POINTER]),
    "dds_take": (
        ctypes.c_int32,
        [_ENTITY, ctypes.POINTER(_POINTER), ctypes.POINTER(SampleInfo), ctypes.c_size_t, ctypes.c_uint32],
    ),
    "dds_sample_free": (None, [_POINTER, ctypes.POINTER(TopicDescriptor), ctypes.c_int]),
    "dds_get_publication_matched_status": (ctypes.c_int32, [_ENTITY, ctypes.POINTER(MatchedStatus)]),
    "dds_get_subscription_matched_status": (ctypes.c_int32, [_ENTITY, ctypes.POINTER(MatchedStatus)]),
    "dds_get_matched_publication_data": (_POINTER, [_ENTITY, ctypes.c_uint64]),
    "dds_builtintopic_free_endpoint": (None, [_POINTER]),
    "dds_read": (
        ctypes.c_int32,
        [_ENTITY, ctypes.POINTER(_POINTER), ctypes.POINTER(SampleInfo), ctypes.c_size_t, ctypes.c_uint32],
    ),
    "dds_qget_prop": (ctypes.c_bool, [_POINTER, ctypes.c_char_p, ctypes.POINTER(_POINTER)]),
    "dds_free": (None, [_POINTER]),
    "dds_delete": (ctypes.c_int32, [_ENTITY]),
    "dds_strretcode": (ctypes.c_char_p, [ctypes.c_int32]),
}


def load_library() -> ctypes.CDLL:
    """Load the library; the same again when it is loaded.

    Raises:
        SurefootError: If the package is missing or of an untried version, or a version of ``cyclonedds`` is installed
            that crashes the robot's.
    """
    global _loaded
    refuse_harmful_cyclonedds()
    if _loaded is None:
        _loaded = _load()
    return _loaded


_loaded: Optional[ctypes.CDLL] = None


def refuse_harmful_cyclonedds() -> None:
    """Refuse an environment with a ``cyclonedds`` of version 11 or newer.

    Participants that run 0.10.2, as Unitree's robots do, end with a segmentation fault when one of version 11 describes
    its types to them. It is refused where it is merely installed: any program of this environment could start it.

    Raises:
        SurefootError: If there is one.
    """
    try:
        version = importlib.metadata.version("cyclonedds")
    except importlib.metadata.PackageNotFoundError:
        if importlib.util.find_spec("cyclonedds") is None:
            return
        version = "unknown"
    major = version.split(".")[0]
    if not major.isdigit() or int(major) >= 11:
        raise SurefootError(
            f"The package cyclonedds {version} is installed in this environment ({sys.prefix}). Version 11 crashes "
            "robots and programs that run 0.10.2, so it must not come near a robot's network. Remove it with "
            "`pip uninstall cyclonedds`, or use an environment without it; cyclonedds 0.10.x may stay."
        )


def _load() -> ctypes.CDLL:
    if sys.byteorder != "little" or ctypes.sizeof(ctypes.c_void_p) != 8:
        raise SurefootError("Unitree's messages are little-endian, for 64-bit processors; this one is another.")
    try:
        version = importlib.metadata.version("far-unitree-sdk")
    except importlib.metadata.PackageNotFoundError as error:
        raise SurefootError(
            f"The package far-unitree-sdk, which carries the robot's DDS, is missing. {_REMEDY}"
        ) from error
    if version not in TESTED_VERSIONS:
        raise SurefootError(
            f"far-unitree-sdk is {version}; tried and accepted: {', '.join(TESTED_VERSIONS)}. Install the pinned one: "
            "pip install 'surefoot-bridge[unitree]'."
        )
    # Found, not imported: importing it would load its own copy and its Python side.
    spec = importlib.util.find_spec("unitree_interface")
    folders = [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []
    files = [file for folder in folders for file in (folder / "libddsc.so.0", folder / "libddsc.so") if file.is_file()]
    if not files:
        raise SurefootError(f"far-unitree-sdk {version} has lost its libddsc.so. Install it again. {_REMEDY}")
    try:
        library = ctypes.CDLL(str(files[0]))
    except OSError as error:
        raise SurefootError(f"{files[0]} cannot be loaded by this computer's system. {_REMEDY}") from error
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
