"""Taking part in a robot's DDS network: publishing and receiving messages that lie in NumPy arrays."""

import ctypes
import threading
from typing import Dict, List, NamedTuple, Tuple

import numpy as np

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.realtime import on_control_path
from surefoot_bridge.robots import LOOPBACK
from surefoot_bridge.robots.address import require_interface

from .library import MatchedStatus, SampleInfo, TopicDescriptor, load_library
from .marshalling import is_fixed_size, operations
from .messages import Message

_FIXED_SIZE = 1 << 4  # DDS_TOPIC_FIXED_SIZE
_KEEP_LAST, _RELIABLE = 0, 1
_IGNORE_OWN_PARTICIPANT = 1
_FREE_CONTENTS = 1 | 2  # DDS_FREE_KEY_BIT and DDS_FREE_CONTENTS_BIT
_MOST_PARTICIPANTS = 30  # of one domain on the loopback: each is asked for by its port, for lack of multicast


class _Domain(NamedTuple):
    handle: int
    interface: str


_domains: Dict[int, _Domain] = {}
_domains_lock = threading.Lock()


class Participant:
    """One participant of a DDS domain.

    Raises:
        SurefootError: If the interface does not exist or is down, this process takes part in the domain on another
            one, or the DDS library cannot be had.
    """

    def __init__(self, interface: str, domain: int) -> None:
        require_interface(interface)
        self.library = load_library()
        with on_control_path():
            _open_domain(self.library, interface, domain)
            participant = self.library.dds_create_participant(domain, None, None)
        self.handle = self.checked(participant, "take part in the domain")
        self._topics: Dict[str, Tuple[int, TopicDescriptor]] = {}
        self._kept: List[np.ndarray] = []

    def checked(self, code: int, what: str) -> int:
        """Return what a call of the library returned.

        Raises:
            SurefootError: If it is an error.
        """
        if code < 0:
            reason = self.library.dds_strretcode(code).decode()
            raise SurefootError(f"DDS cannot {what}: {reason}.")
        return code

    def topic(self, name: str, message: Message) -> Tuple[int, TopicDescriptor]:
        """Return a topic and its description; the same for the same name."""
        if name not in self._topics:
            layout, program = message.layout, operations(message.layout)
            self._kept.append(program)
            descriptor = TopicDescriptor(
                size=layout.itemsize,
                align=layout.alignment,
                flags=_FIXED_SIZE if is_fixed_size(layout) else 0,
                type_name=message.type_name,
                num_operations=len(program),
                operations=program.ctypes.data,
                meta=b"",
            )
            handle = self.library.dds_create_topic(self.handle, ctypes.byref(descriptor), name.encode(), None, None)
            self._topics[name] = (self.checked(handle, f"create the topic {name}"), descriptor)
        return self._topics[name]

    def close(self) -> None:
        """Leave the network. Harmless when done again."""
        if self.handle:
            self.library.dds_delete(self.handle)
            self.handle = 0


class Publisher:
    """Publishes one topic, reliably, keeping only the newest message.

    Attributes:
        message: The message that :meth:`publish` sends, (1,), to be filled in place.
    """

    def __init__(self, participant: Participant, topic: str, message: Message) -> None:
        self._participant, self._name = participant, topic
        handle, _ = participant.topic(topic, message)
        library = participant.library
        self._writer = participant.checked(
            library.dds_create_writer(participant.handle, handle, None, None), f"publish {topic}"
        )
        self.message = np.zeros(1, message.layout)
        self._address = self.message.ctypes.data
        self._write = library.dds_write

    def publish(self) -> None:
        """Send the message.

        Raises:
            SurefootError: If it cannot be sent.
        """
        code = self._write(self._writer, self._address)
        if code < 0:
            self._participant.checked(code, f"publish {self._name}")

    @property
    def num_subscribers(self) -> int:
        """How many subscribers the topic has, as far as they have been discovered."""
        status = MatchedStatus()
        get = self._participant.library.dds_get_publication_matched_status
        self._participant.checked(get(self._writer, ctypes.byref(status)), f"count subscribers of {self._name}")
        return status.current_count


class Subscriber:
    """Receives one topic.

    Args:
        participant: Who receives.
        topic: Name of the topic.
        message: Its type.
        depth: How many messages are kept until they are taken; older ones are lost.
        reliable: Whether lost messages are asked for again; a publisher must offer that.
        ignore_own: Whether messages of the same participant are left out.
    """

    def __init__(
        self,
        participant: Participant,
        topic: str,
        message: Message,
        *,
        depth: int,
        reliable: bool = False,
        ignore_own: bool = False,
    ) -> None:
        self._participant, self._name, self._depth = participant, topic, depth
        library = participant.library
        handle, self._descriptor = participant.topic(topic, message)
        qos = library.dds_create_qos()
        library.dds_qset_history(qos, _KEEP_LAST, depth)
        if reliable:
            library.dds_qset_reliability(qos, _RELIABLE, 0)
        if ignore_own:
            library.dds_qset_ignorelocal(qos, _IGNORE_OWN_PARTICIPANT)
        reader = library.dds_create_reader(participant.handle, handle, qos, None)
        library.dds_delete_qos(qos)
        self._reader = participant.checked(reader, f"receive {topic}")
        self._samples = np.zeros(depth, message.layout)
        pointers = [self._samples[i : i + 1].ctypes.data for i in range(depth)]
        self._pointers = (ctypes.c_void_p * depth)(*pointers)
        self._information = (SampleInfo * depth)()
        self._take = library.dds_take
        self._count = 0

    def take(self) -> np.ndarray:
        """Take what has come, oldest first, (number,); valid until the next call."""
        count = self._take(self._reader, self._pointers, self._information, self._depth, self._depth)
        if count < 0:
            self._participant.checked(count, f"receive {self._name}")
        self._count = count
        valid = [i for i in range(count) if self._information[i].valid_data]  # the others say that a publisher has left
        if len(valid) == count:
            return self._samples[:count]
        rows = self._samples.view(np.uint8).reshape(self._depth, -1)  # as bytes, since padding counts in checksums
        return rows[valid].reshape(-1).view(self._samples.dtype)

    def sent_s(self) -> List[float]:
        """Return when each of the samples that were taken last was sent, on the sender's clock [s, UTC]."""
        information = [self._information[i] for i in range(self._count)]
        return [1e-9 * item.source_timestamp for item in information if item.valid_data]

    @property
    def handle(self) -> int:
        """The reader, as the DDS library knows it."""
        return self._reader

    @property
    def last_publisher(self) -> int:
        """Who published the newest of the samples that were taken last, as the DDS library knows it; 0 for none."""
        return self._information[self._count - 1].publication_handle if self._count else 0

    def free_contents(self) -> None:
        """Free the strings and sequences of the samples that were taken last."""
        for pointer in self._pointers:
            self._participant.library.dds_sample_free(pointer, ctypes.byref(self._descriptor), _FREE_CONTENTS)
        self._samples.view(np.uint8)[...] = 0

    @property
    def num_publishers(self) -> int:
        """How many publishers the topic has, as far as they have been discovered."""
        status = MatchedStatus()
        get = self._participant.library.dds_get_subscription_matched_status
        self._participant.checked(get(self._reader, ctypes.byref(status)), f"count publishers of {self._name}")
        return status.current_count


def _open_domain(library: ctypes.CDLL, interface: str, domain: int) -> None:
    with _domains_lock:
        known = _domains.get(domain)
        if known is None:
            handle = library.dds_create_domain(domain, _configuration(interface).encode())
            if handle < 0:
                reason = library.dds_strretcode(handle).decode()
                raise SurefootError(
                    f"DDS cannot open domain {domain} on interface {interface}: {reason}. What it said is above."
                )
            _domains[domain] = _Domain(handle, interface)
        elif known.interface != interface:
            raise SurefootError(
                f"This process is in domain {domain} on interface {known.interface}; it cannot be there on {interface} "
                "as well. Start another process."
            )


def _configuration(interface: str) -> str:
    """Return the configuration of a domain: that of Unitree's SDK but for two things.

    On the loopback there is no multicast. And it is announced every second who takes part, not every 30: after a cable
    was out for longer than a lease (10 s), the robot is found again within that, and must not be left to itself longer.
    """
    general, peers = "", ""
    if interface == LOOPBACK:
        general = "<AllowMulticast>false</AllowMulticast>"
        peers = (
            "<ParticipantIndex>auto</ParticipantIndex>"
            f"<MaxAutoParticipantIndex>{_MOST_PARTICIPANTS}</MaxAutoParticipantIndex>"
            '<Peers><Peer address="127.0.0.1"/></Peers>'
        )
    discovery = f"<Discovery><SPDPInterval>1s</SPDPInterval>{peers}</Discovery>"
    return (
        f'<CycloneDDS><Domain Id="any"><General><Interfaces><NetworkInterface name="{interface}" priority="default" '
        f'multicast="default"/></Interfaces>{general}</General>{discovery}</Domain></CycloneDDS>'
    )
