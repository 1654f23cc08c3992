"""A run that ends while the network interface is down, in a network of its own: to be run by `unshare --net`.

The robot, the bridge and its guardian are there; the bridge ends in order while nothing reaches the robot.
"""

import fcntl
import json
import os
import socket
import struct
import sys
import time

import unitree_peer
from test_guardian import Bridge, damps, guardians, walks
from unitree_peer import Peer, await_true

_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1


def set_interface(up):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        name = b"lo".ljust(16, b"\0")
        flags = struct.unpack("16sh14x", fcntl.ioctl(sock, _GET_FLAGS, struct.pack("16sh14x", name, 0)))[1]
        wanted = flags | _UP if up else flags & ~_UP
        fcntl.ioctl(sock, _SET_FLAGS, struct.pack("16sh14x", name, wanted))


def main(robot, down_s):
    set_interface(True)
    with Peer(robot) as peer, Bridge(robot, duration_s=1.5, domain=unitree_peer.DOMAIN) as bridge:
        assert await_true(lambda: len(peer.commands) > 50, timeout_s=20.0)
        set_interface(False)
        down_at_s = time.monotonic()
        told = bridge.report()
        time.sleep(max(down_at_s + down_s - time.monotonic(), 0.0))
        kept_while_down = walks(peer.commands[-1][1])
        listed_while_down = [each.describe() for each in guardians()]
        set_interface(True)
        up_s = time.monotonic()
        damped = await_true(lambda: damps(peer.commands[-1][1]), timeout_s=10.0)
        damped_after_s = time.monotonic() - up_s
        ended = await_true(lambda: not guardians(), timeout_s=5.0)
    print(
        json.dumps(
            {
                "told": told,
                "kept_while_down": kept_while_down,
                "listed_while_down": listed_while_down,
                "damped": damped,
                "damped_after_s": damped_after_s,
                "guardian": bridge.guardian,
                "guardian_ended": ended,
            }
        ),
        flush=True,
    )
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
