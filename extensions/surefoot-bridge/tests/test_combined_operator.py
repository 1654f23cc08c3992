"""Operators together, a stop by a file, and what ends a run."""

import os
import signal
from typing import Optional

import numpy as np
import pytest

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.operators import Operator, OperatorInput
from surefoot_bridge.operators.combined import CombinedOperator
from surefoot_bridge.operators.script import Entry, ScriptOperator
from surefoot_bridge.operators.stop_file import StopFile
from surefoot_bridge.runtime.end_signals import ABANDONED_S, EndingOperator, ending_signals
from surefoot_bridge.state import Request


class Person(Operator):
    """A person who does what the test says."""

    def __init__(self):
        self.request, self.stop, self.release, self.closed = Request.KEEP, False, False, 0
        self.heartbeat_s: Optional[float] = None  # always there

    def read(self, time_s):
        heartbeat_s = time_s if self.heartbeat_s is None else self.heartbeat_s
        return OperatorInput(np.array([9.0, 9.0, 9.0]), self.request, self.stop, self.release, heartbeat_s)

    def close(self):
        self.closed += 1


def script(*entries):
    return ScriptOperator([Entry(time_s, word, tuple(velocity)) for time_s, word, *velocity in entries], 3)


def test_the_leader_commands_and_the_watchers_velocity_does_not_count():
    combined = CombinedOperator(script((0.0, "velocity", 0.5, 0.0, 0.0), (0.0, "walk")), watchers=[Person()])
    wanted = combined.read(0.0)
    assert wanted.request is Request.WALK
    np.testing.assert_array_equal(wanted.velocity_command, [0.5, 0.0, 0.0])


def test_any_stop_wins_and_nobody_releases_while_it_goes_on(tmp_path):
    person, file = Person(), StopFile(tmp_path / "stop")
    combined = CombinedOperator(script((1.0, "release")), watchers=[person], stops=[file])
    assert not combined.read(0.0).stop
    (tmp_path / "stop").touch()
    assert combined.read(0.5).stop
    released = combined.read(1.0)
    assert (released.stop, released.release, released.request) == (True, False, Request.KEEP)
    (tmp_path / "stop").unlink()
    person.stop = True
    assert combined.read(1.5).stop
    person.stop, person.release, person.request = False, True, Request.RELEASE
    released = combined.read(2.0)
    assert (released.stop, released.release, released.request) == (False, True, Request.RELEASE)


def test_a_watcher_can_make_the_robot_sit_but_not_walk():
    person = Person()
    combined = CombinedOperator(script((0.0, "stand"), (1.0, "stand")), watchers=[person])
    person.request = Request.WALK
    assert combined.read(0.0).request is Request.STAND
    person.request = Request.SIT
    assert combined.read(1.0).request is Request.SIT


def test_the_heartbeat_is_that_of_the_one_who_was_there_last_of_all():
    person = Person()
    combined = CombinedOperator(script((0.0, "stand")), watchers=[person])
    assert combined.read(5.0).heartbeat_s == 5.0
    person.heartbeat_s = 3.0
    assert combined.read(6.0).heartbeat_s == 3.0


def test_all_are_closed():
    leader, watcher = Person(), Person()
    CombinedOperator(leader, watchers=[watcher]).close()
    assert (leader.closed, watcher.closed) == (1, 1)


def test_a_stop_file_is_seen_within_a_fiftieth_of_a_second_and_lasts_while_it_is_there(tmp_path):
    file = StopFile(tmp_path / "stop")
    assert not file(0.0)
    (tmp_path / "stop").symlink_to("nowhere")  # whatever it is, it is there
    assert not file(0.019)
    assert file(0.02)
    assert file(10.0)
    (tmp_path / "stop").unlink()
    assert not file(10.1)


def test_a_stop_file_that_is_there_already_is_refused(tmp_path):
    (tmp_path / "stop").touch()
    with pytest.raises(SurefootError, match=r"The stop file .*stop is there: .* Remove it to go on"):
        StopFile(tmp_path / "stop")


def test_a_stop_file_that_nobody_could_create_is_refused(tmp_path):
    with pytest.raises(SurefootError, match="none is no folder: nobody could create the stop file stop"):
        StopFile(tmp_path / "none" / "stop")


@pytest.mark.skipif(os.getuid() == 0, reason="nothing is hidden from root")
def test_a_stop_file_that_cannot_be_looked_at_stops(tmp_path):
    (tmp_path / "folder").mkdir()
    file = StopFile(tmp_path / "folder" / "stop")
    (tmp_path / "folder").chmod(0)
    try:
        assert file(1.0)
    finally:
        (tmp_path / "folder").chmod(0o700)


def test_a_stop_file_whose_folder_became_a_file_stops(tmp_path):
    (tmp_path / "folder").mkdir()
    file = StopFile(tmp_path / "folder" / "stop")
    (tmp_path / "folder").rmdir()
    (tmp_path / "folder").touch()
    assert file(1.0)


def test_each_signal_asks_for_the_end_and_the_handlers_before_come_back():
    asked, before = [], {name: signal.getsignal(getattr(signal, name)) for name in ("SIGINT", "SIGTERM", "SIGHUP")}
    with ending_signals(asked.append) as came:
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGINT"):
            os.kill(os.getpid(), getattr(signal, name))
    assert came == ["SIGINT", "SIGTERM", "SIGHUP", "SIGINT"]
    assert asked == ["SIGINT came", "SIGTERM came", "SIGHUP came", "SIGINT came"]
    assert {name: signal.getsignal(getattr(signal, name)) for name in before} == before


def ending(operator, duration_s=10.0):
    asked = []
    return EndingOperator(operator, duration_s, lambda: asked.append(True)), asked


def test_a_run_ends_once_after_its_time():
    operator, asked = ending(script((0.0, "stand")))
    assert operator.read(100.0).request is Request.STAND
    operator.read(109.9)
    assert (asked, operator.reason) == ([], "")
    operator.read(110.0)
    operator.read(120.0)
    assert (asked, operator.reason) == ([True], "its 10 s are over")


def test_a_run_ends_when_nobody_is_there_any_more_and_needs_nobody_from_then_on():
    person = Person()
    operator, asked = ending(person, duration_s=1000.0)
    person.heartbeat_s = 5.0
    assert operator.read(5.0 + ABANDONED_S - 0.1).heartbeat_s == 5.0
    assert operator.read(5.0 + ABANDONED_S).heartbeat_s == 5.0 + ABANDONED_S
    assert operator.read(100.0).heartbeat_s == 100.0
    assert (asked, operator.reason) == ([True], "nobody was there for 30 s")


def test_a_second_end_is_handed_on_and_a_stop_still_stops():
    person = Person()
    operator, asked = ending(person)
    operator.end("SIGINT came")
    operator.end("SIGTERM came")
    assert (asked, operator.reason) == ([True, True], "SIGINT came")
    person.stop = True
    assert operator.read(1.0).stop
