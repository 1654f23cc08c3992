"""Who publishes a message: the program behind it, as the network's own discovery tells it.

Cyclone DDS tells of each participant the process's name, its number and its computer (properties ``__ProcessName``,
``__Pid`` and ``__Hostname`` of the built-in topic ``DCPSParticipant``). Other vendors' need not.
"""

import ctypes
from typing import Dict

from .library import SampleInfo
from .participant import Participant

_PARTICIPANTS = 0x7FFF0001  # DDS_BUILTIN_TOPIC_DCPSPARTICIPANT
_MOST = 64
_PROPERTIES = ("__ProcessName", "__Pid", "__Hostname")


class _Endpoint(ctypes.Structure):
    """``dds_builtintopic_endpoint_t``, as far as it is read."""

    _fields_ = (("key", ctypes.c_ubyte * 16), ("participant_key", ctypes.c_ubyte * 16))


class _Program(ctypes.Structure):
    """``dds_builtintopic_participant_t``."""

    _fields_ = (("key", ctypes.c_ubyte * 16), ("qos", ctypes.c_void_p))


def publisher(participant: Participant, reader: int, handle: int) -> str:
    """Return the program that publishes to a reader, as a person reads it; empty where it has gone or never said.

    Args:
        participant: Who asks.
        reader: The handle of the reader that has received something.
        handle: The publisher's handle, from what was received.
    """
    library = participant.library
    endpoint = library.dds_get_matched_publication_data(reader, handle)
    if not endpoint:
        return ""
    key = bytes(ctypes.cast(endpoint, ctypes.POINTER(_Endpoint)).contents.participant_key)
    library.dds_builtintopic_free_endpoint(endpoint)
    return _programs(participant).get(key, "")


def _programs(participant: Participant) -> Dict[bytes, str]:
    """Return the programs of all participants that are known, by their keys."""
    library, found = participant.library, {}
    reader = library.dds_create_reader(participant.handle, _PARTICIPANTS, None, None)
    if reader < 0:
        return {}
    pointers, information = (ctypes.c_void_p * _MOST)(), (SampleInfo * _MOST)()
    count = library.dds_read(reader, pointers, information, _MOST, _MOST)
    for pointer, item in zip(pointers[: max(count, 0)], information):
        if pointer and item.valid_data:
            program = ctypes.cast(pointer, ctypes.POINTER(_Program)).contents
            name, number, computer = (_property(participant, program.qos, name) for name in _PROPERTIES)
            if name:
                found[bytes(program.key)] = f"{name} (process {number or 'unknown'} on {computer or 'unknown'})"
    library.dds_delete(reader)  # and with it what it had lent
    return found


def _property(participant: Participant, qos: int, name: str) -> str:
    value = ctypes.c_void_p()
    if not qos or not participant.library.dds_qget_prop(qos, name.encode(), ctypes.byref(value)) or not value:
        return ""
    text = ctypes.string_at(value).decode("utf-8", "replace")
    participant.library.dds_free(value)
    return text
