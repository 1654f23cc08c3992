"""What is left of a log when processes are killed while it is written."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from log_rig import await_that, begin_log, needs_mcap, write_ticks

from surefoot_bridge.log import read_log

pytestmark = [needs_mcap, pytest.mark.skipif(sys.platform != "linux", reason="kills real processes through /proc")]

HZ = 500
# A control loop that ticks until it is killed. Its clock is that of the system, to compare with the time of the kill.
LOOP = """
import sys, time
sys.path[:] = {path!r}
import numpy as np
from contracts import small_contract
from log_rig import begin_log, random_tick

log = begin_log({folder!r})
tick = random_tick(np.random.default_rng(0), small_contract())
log.mode(time.time(), "walk")
print(log.writer_pid, flush=True)
due = time.time()
while True:
    log.write(time.time(), **tick)
    due += 1 / {hz}
    time.sleep(max(due - time.time(), 0))
"""


def alive(pid):
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rsplit(")", 1)[1].split()[0] != "Z"


def killed_loop(folder, *, with_writer):
    """Run the loop for two seconds and kill it; returns the log and the time of the kill [s, UTC]."""
    code = LOOP.format(path=[str(Path(__file__).parent), *sys.path], folder=str(folder), hz=HZ)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        writer = int(process.stdout.readline())
        time.sleep(2.0)
        # Stopped first, so that neither can finish anything between the two kills.
        victims = [process.pid, writer] if with_writer else [process.pid]
        for victim in victims:
            os.kill(victim, signal.SIGSTOP)
        at_s = time.time()
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    await_that(lambda: not alive(writer), "the end of the writer")
    return read_log(next(folder.iterdir())), at_s


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A log whose loop and writer were killed at once, and the time of the kill [s, UTC]."""
    return killed_loop(tmp_path_factory.mktemp("killed"), with_writer=True)


def test_a_log_whose_loop_and_writer_are_killed_is_readable_to_less_than_a_second_before(killed, tmp_path):
    missing_s = []
    # A machine that is busy with other programs may keep the writer waiting; a writer that is too slow is so each time.
    while len(missing_s) < 3 and min(missing_s, default=1.0) >= 1.0:
        read, killed_s = killed_loop(tmp_path / str(len(missing_s)), with_writer=True) if missing_s else killed
        topic = read["/robot_state"]
        assert not read.finished
        assert f"{read.paths[0].name} was not finished by its writer." in read.notes
        assert len(topic) > 50
        assert read["/mode"]["mode"].tolist() == ["walk"]
        missing_s.append(killed_s - topic.log_time_ns[-1] * 1e-9)
    assert min(missing_s) < 1.0


def test_a_log_whose_loop_is_killed_is_finished_by_its_writer_to_the_last_tick(tmp_path):
    read, killed_s = killed_loop(tmp_path, with_writer=False)
    assert read.finished
    assert read.notes == ()
    # No tick may be missing but those that the loop itself was late for.
    assert killed_s - read["/robot_state"].log_time_ns[-1] * 1e-9 < 0.5
    assert len(read["/robot_state"]) > 100


def test_a_cut_off_log_is_read_by_the_stock_reader_too(killed):
    from mcap.exceptions import EndOfFile
    from mcap.records import Message
    from mcap.stream_reader import StreamReader

    read, _ = killed
    found = 0
    with read.paths[0].open("rb") as file, pytest.raises(EndOfFile):
        for record in StreamReader(file).records:
            found += isinstance(record, Message)
    assert found == 1 + sum(len(topic) for topic in read.topics.values())


def test_a_loop_whose_writer_is_killed_goes_on_and_hears_of_it_once(tmp_path):
    with begin_log(tmp_path) as log:
        write_ticks(log, 100)
        await_that(lambda: log.status().written_messages == 1 + 5 * 100, "the flush of all topics")
        os.kill(log.writer_pid, signal.SIGKILL)
        await_that(lambda: log.status().state == "died", "news of the death")
        stop = log.take_stop()
        assert stop == (
            f"Logging to {log.folder} has stopped: its process ended with signal 9. "
            "What was written until then is readable."
        )
        assert log.take_stop() is None
        for _ in range(10_000):  # more than the queue holds: refused, never an error
            log.event(1.0, "tilt", "Tilted.")
        assert log.status().dropped > 0
    assert len(read_log(log.folder)["/robot_state"]) == 100


def test_the_priority_of_the_loop_is_not_the_writers(tmp_path):
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError as error:
        pytest.skip(f"real-time scheduling is not allowed here: {error}")
    try:
        with begin_log(tmp_path) as log:
            assert os.sched_getscheduler(log.writer_pid) == os.SCHED_OTHER
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def test_ctrl_c_and_the_end_of_a_service_are_left_to_the_loop(tmp_path):
    with begin_log(tmp_path) as log:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(log.writer_pid, number)
        write_ticks(log, 50)
    assert log.status().state == "closed"
    assert len(read_log(log.folder)["/robot_state"]) == 50
