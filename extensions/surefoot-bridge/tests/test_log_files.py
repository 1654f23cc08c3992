"""Logs are split into files that nothing overwrites, and end where the disk does."""

import json
import os
import shutil
import sys
import threading

import numpy as np
import pytest
from log_rig import await_that, begin_log, needs_mcap, small_log, write_ticks

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log import read_log
from surefoot_bridge.log.rotation import first_free, stamp

pytestmark = needs_mcap


def rotated_log(folder, num_files=3):
    """Write a log of several files, each begun when the one before had 20 kB; returns its files."""
    with begin_log(folder, rotate_bytes=20_000, flush_s=0.02) as log:
        log.mode(100.0, "walk")
        written = 0
        while len(list(log.folder.glob("*.mcap"))) < num_files:
            write_ticks(log, 20, start_s=100.0 + written * 0.002)
            written += 20
            assert written < 20_000
    files = sorted(log.folder.glob("*.mcap"))
    assert len(files) >= num_files
    return files, written


def test_a_log_in_several_files_is_read_as_one(tmp_path):
    files, written = rotated_log(tmp_path)
    read = read_log(files[0].parent)
    assert read.paths == tuple(files)
    assert (read.finished, read.notes) == (True, ())
    np.testing.assert_array_equal(
        read["/robot_state"].time_s,
        np.concatenate([100.0 + start * 0.002 + 0.002 * np.arange(20) for start in range(0, written, 20)]),
    )
    assert read["/mode"]["mode"].tolist() == ["walk"]  # each file says it, the log once
    assert read_log(files[::-1])["/robot_state"].time_s.tolist() == read["/robot_state"].time_s.tolist()


def test_each_file_of_a_log_can_be_read_alone(tmp_path):
    files, written = rotated_log(tmp_path)
    parts = [read_log(file) for file in files]
    assert sum(len(part["/robot_state"]) for part in parts) == written
    assert {part.session for part in parts} == {parts[0].session}
    assert [part["/mode"]["mode"].tolist() for part in parts] == [["walk"]] * len(parts)

    def absent(*present):
        missing = [str(i) for i in range(len(files)) if i not in present]
        return f"Parts {', '.join(missing)} of {len(files)} of the log (the first is 0) are not among the files."

    assert parts[0].notes == (absent(0),)
    assert parts[1].notes == (absent(1),)
    assert read_log([files[0], files[2]]).notes == (absent(0, 2),)
    assert read_log([files[0], files[0]]).notes == ("A file was given twice.", absent(0))


@pytest.mark.parametrize("which", [0, 1, -1])
def test_a_part_that_is_missing_is_said_even_if_it_is_the_last(tmp_path, which):
    files, _ = rotated_log(tmp_path)
    files[which].unlink()
    (note,) = read_log(files[0].parent).notes
    assert note.startswith(f"Parts {which % len(files)} of {len(files)} of the log")


def test_without_a_seal_the_parts_before_the_last_are_counted_all_the_same(tmp_path):
    files, _ = rotated_log(tmp_path)
    (files[0].parent / "seal.json").unlink()
    assert read_log(files[0].parent).notes == ()
    files[0].unlink()
    assert "Parts 0 of the log (the first is 0)" in read_log(files[1].parent).notes[0]


def test_a_log_is_split_by_time_too(tmp_path):
    with begin_log(tmp_path, rotate_s=0.2, flush_s=0.05) as log:
        write_ticks(log, 5)
        await_that(lambda: len(list(log.folder.glob("*.mcap"))) >= 3, "the third file")
        write_ticks(log, 5, start_s=200.0)
    assert len(read_log(log.folder)["/robot_state"]) == 10


def test_files_are_named_by_the_time_of_their_start(tmp_path):
    before = stamp()
    files, _ = rotated_log(tmp_path)
    names = [file.name for file in files]
    assert names == sorted(names)
    assert before <= names[0][: -len(".mcap")] <= names[-1][: -len(".mcap")] <= stamp()
    assert files[0].parent.name.endswith("_made_up")


def test_logs_that_begin_at_the_same_moment_do_not_share_a_file(tmp_path):
    ready, folders = threading.Barrier(4), []

    def run():
        ready.wait()
        folders.append(small_log(tmp_path, 10))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(folders)) == 4
    assert all(len(read_log(folder)["/robot_state"]) == 10 for folder in folders)


def test_a_name_that_is_taken_gets_a_number(tmp_path):
    def make(name):
        (tmp_path / name).mkdir()
        return name

    assert [first_free(make, "20261128T181705.123456Z_made-up") for _ in range(3)] == [
        "20261128T181705.123456Z_made-up",
        "20261128T181705.123456Z_made-up-2",
        "20261128T181705.123456Z_made-up-3",
    ]


def test_a_file_that_is_there_is_left_as_it_is(tmp_path):
    from surefoot_bridge.log.mcap_file import McapFile

    path = tmp_path / "a.mcap"
    path.write_bytes(b"precious")
    with pytest.raises(FileExistsError):
        McapFile(path, {})
    assert path.read_bytes() == b"precious"


def test_files_of_two_logs_are_not_read_as_one(tmp_path):
    paths = [next(small_log(tmp_path, 5).glob("*.mcap")) for _ in range(2)]
    with pytest.raises(SurefootError, match="has files of 2 logs; give those of one"):
        read_log(paths)
    with pytest.raises(SurefootError, match=rf"is a folder of 2 logs; give one of them: {paths[1].parent.name}, "):
        read_log(tmp_path)


def test_a_place_without_a_log_is_refused(tmp_path):
    with pytest.raises(SurefootError, match=r"There is no log .*nowhere"):
        read_log(tmp_path / "nowhere")
    with pytest.raises(SurefootError, match=r"holds no log: no \*\.mcap is in it"):
        read_log(tmp_path)
    with pytest.raises(SurefootError, match="No file of a log was given"):
        read_log([])


def test_a_folder_that_cannot_be_made_is_refused_before_the_robot_moves(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SurefootError, match=r"No log can be begun in .*file.*Choose a folder that you may write"):
        begin_log(tmp_path / "file")


def test_a_disk_that_is_nearly_full_is_refused_before_the_robot_moves(tmp_path):
    with pytest.raises(
        SurefootError, match=r"No log can be begun in .*: \d+ MiB are free on the disk of .* must be left"
    ):
        begin_log(tmp_path, min_free_bytes=1 << 62)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="takes space in the way of Linux")
def test_logging_stops_with_one_event_when_the_disk_is_nearly_full_and_the_loop_goes_on(tmp_path):
    ballast = 256 << 20
    if shutil.disk_usage(tmp_path).free < 4 * ballast:
        pytest.skip("the disk of the tests is nearly full")
    with begin_log(tmp_path, min_free_bytes=shutil.disk_usage(tmp_path).free - ballast // 2, flush_s=0.05) as log:
        write_ticks(log, 50)
        await_that(lambda: log.status().written_messages == 1 + 5 * 50, "the flush of all topics")
        with (tmp_path / "ballast").open("wb") as file:  # another program takes the space
            os.posix_fallocate(file.fileno(), 0, ballast)
        await_that(lambda: log.status().state == "disk_full", "the end of logging")
        (tmp_path / "ballast").unlink()
        assert not log.write(300.0, action=np.zeros(3, np.float32))
        stop = log.take_stop()
        assert stop is not None
        assert "has stopped: " in stop
        assert "MiB must be left" in stop
        assert log.take_stop() is None
    read = read_log(log.folder)
    assert read.finished
    assert len(read["/robot_state"]) == 50
    assert read["/safety"]["name"].tolist() == ["log_stopped"]


@pytest.mark.skipif(sys.platform != "linux", reason="limits the files of a real process")
def test_a_disk_that_takes_nothing_more_ends_the_log_and_not_the_loop(tmp_path):
    import resource

    with begin_log(tmp_path, flush_s=0.05) as log:
        write_ticks(log, 50)
        await_that(lambda: log.status().written_messages == 1 + 5 * 50, "the flush of all topics")
        size = log.status().written_bytes
        # The system refuses every byte beyond; to the writer that is a full disk.
        resource.prlimit(log.writer_pid, resource.RLIMIT_FSIZE, (size + 1000, size + 1000))
        for i in range(200):
            log.write(200.0 + i, action=np.full(3, i, np.float32))
        await_that(lambda: log.status().state == "disk_full", "the end of logging")
        stop = log.take_stop()
        assert stop is not None
        assert "File too large" in stop
    read = read_log(log.folder)
    assert not read.finished
    assert len(read["/robot_state"]) == 50
    assert 0 < read.lost_bytes <= 1000


def test_every_file_is_of_the_version_that_this_package_reads(tmp_path):
    files, _ = rotated_log(tmp_path)
    from mcap.reader import make_reader

    for part, path in enumerate(files):
        with path.open("rb") as file:
            heads = [json.loads(message.data) for _, _, message in make_reader(file).iter_messages(["/contract"])]
        assert [(head["log_schema"], head["part"]) for head in heads] == [(1, part)]
