"""A disk that stalls costs ticks of the log, never time of the control loop."""

import os
import signal
import sys
import time

import numpy as np
import pytest
from contracts import small_contract
from log_rig import begin_log, needs_mcap, random_tick, write_ticks

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log import LogOptions, read_log
from surefoot_bridge.log.ring import Ring, shared_file

CAPACITY = 200  # ticks: one second at 200 Hz, the rate of the small robot


@needs_mcap
@pytest.mark.skipif(sys.platform != "linux", reason="stops a real process")
def test_while_the_writer_stands_still_ticks_are_dropped_and_counted_and_nobody_waits(tmp_path):
    tick = random_tick(np.random.default_rng(0), small_contract())
    taken, waits, busy = [], [], []
    with begin_log(tmp_path, queue_s=1.0) as log:
        write_ticks(log, 10)
        os.kill(log.writer_pid, signal.SIGSTOP)
        try:
            for i in range(2000):
                wall_s, own_s = time.perf_counter(), time.thread_time()
                taken.append(log.write(200.0 + i, **tick))
                waits.append(time.perf_counter() - wall_s)
                busy.append(time.thread_time() - own_s)
            # The places that ticks leave free are for what matters more.
            assert log.event(3000.0, "tilt", "Tilted.", response="damp")
            assert log.take_stop() is None
            dropped = log.status().dropped
        finally:
            os.kill(log.writer_pid, signal.SIGCONT)
    assert taken[: CAPACITY - 10] == [True] * (CAPACITY - 10)
    assert not any(taken[CAPACITY + 10 :])
    assert dropped == taken.count(False) > 1700
    # Other programs of the machine may take the processor away, for much longer than a millisecond; that is no waiting.
    assert max(busy) < 1e-3
    assert np.percentile(waits, 90) < 1e-3
    read = read_log(log.folder)
    assert len(read["/robot_state"]) == 10 + taken.count(True)
    names = read["/safety"]["name"].tolist()
    assert sorted(names) == ["log_dropped", "tilt"]
    assert read["/safety"]["value"][names.index("log_dropped")] == dropped


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"flush_s": 0.6}, r"flush_s is 0.6; it must be in \(0, 0.5\]"),
        ({"flush_s": 0.0}, r"flush_s is 0.0"),
        ({"queue_s": 0.0}, r"queue_s is 0.0; it must be > 0"),
        ({"rotate_s": float("nan")}, r"rotate_s is nan; it must be > 0"),
        ({"rotate_bytes": -1}, r"rotate_bytes is -1; it must be > 0"),
        ({"min_free_bytes": -1}, r"min_free_bytes is -1; it must be >= 0"),
    ],
)
def test_options_that_cannot_be_kept_are_refused(options, message):
    with pytest.raises(SurefootError, match=message):
        LogOptions(**options)


def two_ends(num_slots, content_words):
    """The loop's end and the writer's end of one ring."""
    descriptor = shared_file()
    try:
        loop = Ring(descriptor, num_slots, content_words, begin=True)
        return loop, Ring(descriptor, num_slots, content_words, begin=False)
    finally:
        os.close(descriptor)


def put(ring, number):
    content = ring.begin()
    if content is None:
        return False
    length = 1 + number % 4
    content[:length] = number
    ring.commit(number, length, 10 * number, 0.5 * number)
    return True


def test_a_ring_hands_everything_over_in_its_order_lap_after_lap():
    loop, writer = two_ends(num_slots=3, content_words=4)
    for number in range(20):
        assert writer.take() is None
        assert put(loop, number)
        slot = writer.take()
        assert slot is not None
        assert (slot.kinds, slot.utc_offset_ns, slot.time_s) == (number, 10 * number, 0.5 * number)
        assert slot.content.tolist() == [number] * (1 + number % 4)


def test_a_full_ring_refuses_and_counts_and_keeps_what_it_has():
    loop, writer = two_ends(num_slots=3, content_words=4)
    assert [put(loop, number) for number in range(5)] == [True, True, True, False, False]
    assert (loop.queued, loop.dropped) == (3, 2)
    assert [slot.kinds for slot in iter(writer.take, None)] == [0, 1, 2]
    assert loop.queued == 0
    assert put(loop, 7)


def test_places_can_be_kept_free_for_others():
    loop, _ = two_ends(num_slots=3, content_words=4)
    assert loop.begin(keep_free=2) is not None
    assert put(loop, 0)
    assert loop.begin(keep_free=2) is None
    assert loop.begin() is not None


def test_a_slot_of_which_not_all_is_visible_is_not_taken_yet():
    loop, writer = two_ends(num_slots=2, content_words=4)
    for number in range(2):
        put(loop, number)
        assert writer.take() is not None
    content = loop.begin()
    assert content is not None
    content[:3] = 1.0
    loop.commit(2, 3, 0, 0.0)
    content[1] = -1.0  # as if the other core saw an older store
    assert writer.take() is None
    content[1] = 1.0
    slot = writer.take()
    assert slot is not None
    assert slot.content.tolist() == [1.0, 1.0, 1.0]


def test_the_number_of_a_slot_is_not_believed_without_its_content():
    loop, writer = two_ends(num_slots=1, content_words=4)
    put(loop, 0)
    assert writer.take() is not None
    # The number of the next lap over the content of this one, which fits its own checksum.
    loop._words[0] = 2
    assert writer.take() is None


def test_the_writer_tells_the_loop_why_it_stopped():
    loop, writer = two_ends(num_slots=1, content_words=1)
    assert not loop.accepting
    writer.set_state(1)
    assert loop.accepting
    writer.set_state(3, "the disk is full: " + "ä" * 1000)
    assert not loop.accepting
    assert loop.reason.startswith("the disk is full: ää")
