"""Messages as they are on the wire: takes the bytes that the DDS library sends, and sends bytes that somebody recorded.

It calls functions of Cyclone DDS 0.10.2 that the package itself does without.
"""

import ctypes
import time

from surefoot_bridge.unitree.dds.library import SampleInfo
from surefoot_bridge.unitree.dds.participant import Publisher, Subscriber

_DATA = 2  # SDK_DATA of enum ddsi_serdata_kind
_TYPE = 24  # where a serdata points to its type: behind its operations, hash, count of references and kind
_ALL = 0  # DDS_ANY_STATE for a mask
_MOST = 8


class _Bytes(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


class Wire:
    """One topic of a participant, in bytes with the four of their encapsulation."""

    def __init__(self, participant, topic, message):
        self.publisher = Publisher(participant, topic, message)
        self._subscriber = Subscriber(participant, topic, message, depth=_MOST, reliable=True)
        library = self._library = participant.library
        library.dds_takecdr.argtypes = [
            ctypes.c_int32,
            ctypes.c_void_p,
            ctypes.c_uint32,
            ctypes.c_void_p,
            ctypes.c_uint32,
        ]
        library.ddsi_serdata_size.restype = ctypes.c_uint32
        library.ddsi_serdata_size.argtypes = [ctypes.c_void_p]
        library.ddsi_serdata_to_ser.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
        library.ddsi_serdata_from_ser_iov.restype = ctypes.c_void_p
        library.ddsi_serdata_from_ser_iov.argtypes = [
            *(ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t)
        ]
        library.ddsi_serdata_unref.argtypes = [ctypes.c_void_p]
        library.dds_writecdr.argtypes = [ctypes.c_int32, ctypes.c_void_p]

    def sent(self):
        """The bytes of the message that the publisher holds, as it is sent."""
        self.publisher.publish()
        until = time.monotonic() + 5.0
        while time.monotonic() < until:
            taken = self.taken()
            if taken:
                return taken[-1]
            time.sleep(0.002)
        raise AssertionError("nothing came")

    def taken(self):
        """The bytes of the messages that have come since the last call, oldest first."""
        return [self._bytes(serdata) for serdata in self._take()]

    def send(self, data):
        """Send bytes as they are, after an empty message that shows the library's type."""
        self.publisher.publish()
        examples = []
        while not examples:
            examples = self._take()
        kind = ctypes.c_void_p.from_address(examples[0] + _TYPE).value
        kept = ctypes.create_string_buffer(data, len(data))
        part = _Bytes(ctypes.addressof(kept), len(data))
        serdata = self._library.ddsi_serdata_from_ser_iov(kind, _DATA, 1, ctypes.byref(part), len(data))
        assert serdata, "the DDS library does not understand these bytes"
        code = self._library.dds_writecdr(self.publisher._writer, serdata)
        for example in examples:
            self._library.ddsi_serdata_unref(example)
        assert code == 0, code

    def _bytes(self, serdata):
        size = self._library.ddsi_serdata_size(serdata)
        data = ctypes.create_string_buffer(size)
        self._library.ddsi_serdata_to_ser(serdata, 0, size, data)
        self._library.ddsi_serdata_unref(serdata)
        return data.raw

    def _take(self):
        serdata, information = (ctypes.c_void_p * _MOST)(), (SampleInfo * _MOST)()
        count = self._library.dds_takecdr(self._subscriber.handle, serdata, _MOST, information, _ALL)
        assert count >= 0, count
        return serdata[:count]
