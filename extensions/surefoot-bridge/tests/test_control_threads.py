"""The threads that receive reports are scheduled as the loop that waits for them, and those of a guardian above."""

import os
import signal
from pathlib import Path

import pytest
from test_guardian import Bridge, await_walking
from unitree_peer import DOMAIN, Peer, await_true, needs_dds

from surefoot_bridge.realtime import PRIORITY, realtime
from surefoot_bridge.unitree.dds.participant import Participant

pytestmark = needs_dds

FIFO = os.SCHED_FIFO
RECEIVING = ("recv", "recvUC", "tev", "dq.user", "dq.builtins")


def scheduling(pid="self"):
    """Name, policy and priority of each thread of a process."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        thread, name = int(task.name), (task / "comm").read_text().strip()
        policy = os.sched_getscheduler(thread) & ~os.SCHED_RESET_ON_FORK
        found[thread] = (name, policy, os.sched_getparam(thread).sched_priority)
    return found


def test_while_a_loop_is_punctual_the_threads_that_receive_for_it_are_too_and_no_other():
    participant = Participant("lo", DOMAIN)
    # Each names itself, some time after it was started.
    assert await_true(lambda: {*RECEIVING, "gc"} <= {name for name, _, _ in scheduling().values()})
    before = scheduling()
    with realtime() as granted:
        if not granted.scheduled:
            pytest.skip(granted.notes[0])
        during = scheduling()
    by_name = {name: (policy, priority) for name, policy, priority in during.values()}
    for name in RECEIVING:
        assert by_name[name] == (FIFO, PRIORITY), name
    assert during[os.getpid()][1:] == (FIFO, PRIORITY)
    assert scheduling() == before
    participant.close()


def test_every_thread_of_a_guardian_goes_before_every_loop():
    with realtime() as granted:
        if not granted.scheduled:
            pytest.skip(granted.notes[0])
    with Peer("unitree_go2") as peer, Bridge() as bridge:
        await_walking(peer)
        threads = scheduling(bridge.guardian)
        bridge.signal(signal.SIGKILL)
    assert {"recv", "recvUC", "tev"} <= {name for name, _, _ in threads.values()}
    assert {(policy, priority) for _, policy, priority in threads.values()} == {(FIFO, 90)}
