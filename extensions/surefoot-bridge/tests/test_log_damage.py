"""Files that are cut off, damaged, foreign or of another version: what is whole is read, or the file is refused."""

import json
import os
import struct
import time

import numpy as np
import pytest
from log_rig import begin_log, needs_mcap, small_log, write_ticks

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log import read_log
from surefoot_bridge.log.mcap_file import McapFile

pytestmark = needs_mcap


@pytest.fixture(scope="module")
def log_file(tmp_path_factory):
    """A log of several chunks."""
    with begin_log(tmp_path_factory.mktemp("log"), flush_s=0.02) as log:
        for i in range(10):
            write_ticks(log, 20, start_s=100.0 + 0.04 * i)
            flushed = log.status().written_messages
            while log.status().written_messages == flushed:
                pass
    (path,) = log.folder.glob("*.mcap")
    return path


@pytest.fixture(scope="module")
def five_ticks(tmp_path_factory):
    """Folder of a log of five ticks, to which a test adds a last part."""
    return small_log(tmp_path_factory.mktemp("small"), 5)


@pytest.fixture
def remade(log_file, tmp_path):
    """Write other bytes as a log file."""

    def write(data):
        path = tmp_path / "remade.mcap"
        path.write_bytes(data)
        return path

    return write


def test_wherever_a_log_is_cut_off_what_is_whole_is_read_or_the_file_is_refused(log_file, remade):
    data = log_file.read_bytes()
    times = read_log(log_file)["/robot_state"].time_s
    found, refusals, path = [], [], log_file
    for length in [*range(40), *np.linspace(40, len(data) - 1, 60).astype(int)]:
        path = remade(data[:length])
        try:
            read = read_log(path)
        except SurefootError as error:
            refusals.append(str(error))
            continue
        assert not read.finished
        assert read.lost_bytes < length
        found.append(len(read["/robot_state"]))
        np.testing.assert_array_equal(read["/robot_state"].time_s, times[: found[-1]])
        if read.lost_bytes:
            assert f"the last {read.lost_bytes} of {length} bytes are cut off or damaged" in "".join(read.notes)
    assert refusals
    assert all(str(path) in refusal for refusal in refusals)
    assert found == sorted(found)
    assert found[0] == 0
    assert found[-1] == len(times) == 200
    assert len(set(found)) > 5


def test_zeros_that_a_loss_of_power_leaves_at_the_end_are_told_and_nothing_else(log_file, remade):
    data = log_file.read_bytes()
    data = data[: len(data) // 2]
    half = read_log(remade(data))
    whole = data[: len(data) - half.lost_bytes]
    read = read_log(remade(whole + bytes(5000)))
    assert (read.lost_bytes, read.damaged_bytes) == (5000, 0)
    assert 0 < len(read["/robot_state"]) == len(half["/robot_state"]) < 200


def test_a_chunk_with_a_wrong_bit_is_left_out_and_told(log_file, remade):
    data = bytearray(log_file.read_bytes())
    data[len(data) // 3] ^= 0x10
    read = read_log(remade(bytes(data)))
    assert read.damaged_bytes > 0
    assert 100 <= len(read["/robot_state"]) < 200
    assert read["/robot_state"].time_s[-1] == 100.0 + 0.04 * 9 + 0.002 * 19
    assert f"{read.damaged_bytes} bytes do not fit their checksum and are left out" in "".join(read.notes)


def test_what_stands_behind_the_end_of_a_log_is_told(log_file, remade):
    read = read_log(remade(log_file.read_bytes() + b"more"))
    assert (read.finished, read.lost_bytes) == (True, 4)


@pytest.mark.parametrize("data", [b"PK\x03\x04 a zip file", b"\x89MCAP1\r\n" * 9, b"\0\0a"])
def test_what_is_no_mcap_file_is_refused(remade, data):
    with pytest.raises(SurefootError, match="is no MCAP file: it begins with b"):
        read_log(remade(data))


@pytest.mark.parametrize("data", [b"", b"\x89MCAP0\r", bytes(1000)])
def test_a_part_of_which_a_loss_of_power_left_nothing_is_no_log_alone(remade, data):
    with pytest.raises(
        SurefootError, match=f"no whole message of /contract.* {len(data)} bytes at the end are cut off"
    ):
        read_log(remade(data))


def record_ends(data):
    """Return where each record ends, from the first on, in the order of the file."""
    ends, at = [8], 8
    while at + 9 <= len(data) - 8:
        at += 9 + struct.unpack_from("<Q", data, at + 1)[0]
        ends.append(at)
    assert at == len(data) - 8
    return ends


def test_cut_at_every_record_boundary_with_a_tail_of_zeros_all_whole_messages_are_read_and_the_loss_is_said(
    log_file, tmp_path
):
    data = log_file.read_bytes()
    times = read_log(log_file)["/robot_state"].time_s
    first_chunk_end = next(end for begin, end in zip(record_ends(data), record_ends(data)[1:]) if data[begin] == 6)
    found = []
    for end in record_ends(data):
        path = tmp_path / "99991231T000000.000000Z.mcap"
        path.write_bytes(data[:end] + bytes(len(data) - end))
        if end < first_chunk_end:
            with pytest.raises(SurefootError, match=f"{len(data) - end} bytes at the end are cut off"):
                read_log(path)
            continue
        read = read_log(path)
        whole = len(read["/robot_state"])
        np.testing.assert_array_equal(read["/robot_state"].time_s, times[:whole])
        assert (read.lost_bytes, read.damaged_bytes) == (len(data) - end, 0)
        assert f"the last {len(data) - end} of {len(data)} bytes are cut off or damaged" in "".join(read.notes)
        found.append(whole)
    assert found == sorted(found)
    assert (found[0], found[-1]) == (0, 200)
    assert len(set(found)) > 8


@pytest.mark.parametrize("last", [b"", b"\x89MCAP0", bytes(5000), b"\x89MCAP0\r\n" + bytes(5000)])
def test_a_last_part_of_which_a_loss_of_power_left_nothing_does_not_hide_the_others(five_ticks, last):
    (five_ticks / "99991231T000000.000000Z.mcap").write_bytes(last)
    read = read_log(five_ticks)
    assert len(read["/robot_state"]) == 5
    assert "99991231T000000.000000Z.mcap holds no whole message." in read.notes


def bomb(size, declared, compression="zstd"):
    """Return a tiny MCAP file of one chunk that unpacks to ``size`` zeros and says that it is ``declared`` bytes."""
    import lz4.frame
    import zstandard

    pieces = [bytes(1 << 24)] * (size >> 24)
    if compression == "zstd":
        packer = zstandard.ZstdCompressor().compressobj()
        packed = b"".join(map(packer.compress, pieces)) + packer.flush()
    else:
        packed = lz4.frame.compress(b"".join(pieces))
    name = compression.encode()
    chunk = struct.pack("<QQQII", 0, 0, declared, 0, len(name)) + name + struct.pack("<Q", len(packed)) + packed
    return b"\x89MCAP0\r\n" + struct.pack("<BQ", 6, len(chunk)) + chunk


@pytest.mark.parametrize(
    ("size", "declared", "compression"),
    [(2 << 30, 2 << 30, "zstd"), (2 << 30, 1000, "zstd"), (1 << 27, 1 << 27, "lz4"), (1 << 27, 1000, "lz4")],
)
def test_a_tiny_archive_that_unpacks_to_gigabytes_is_refused_at_once(remade, size, declared, compression):
    path = remade(bomb(size, declared, compression))
    begun_s = time.monotonic()
    with pytest.raises(SurefootError, match="a chunk would unpack to more than 16777216 bytes, which is more than a"):
        read_log(path)
    assert time.monotonic() - begun_s < 5.0


def test_many_chunks_that_together_unpack_to_gigabytes_are_refused_too(remade):
    chunk = bomb(16 << 20, 16 << 20)[8:]
    path = remade(b"\x89MCAP0\r\n" + chunk * 100)
    with pytest.raises(SurefootError, match=r"the \d+ bytes would unpack to more than \d+ bytes"):
        read_log(path)


def test_a_pipe_among_the_parts_of_a_log_is_refused_and_not_waited_for(tmp_path):
    folder = small_log(tmp_path, 5)
    os.mkfifo(folder / "99991231T000000.000000Z.mcap")
    with pytest.raises(SurefootError, match=r"Z\.mcap is a pipe; give a plain file"):
        read_log(folder)


def test_noise_behind_the_right_beginning_is_refused(remade):
    rng = np.random.default_rng(0)
    for _ in range(200):
        noise = rng.integers(0, 256, size=rng.integers(0, 400), dtype=np.uint8).tobytes()
        with pytest.raises(SurefootError, match="holds no log of surefoot-bridge"):
            read_log(remade(b"\x89MCAP0\r\n" + noise))


def head_of(log_file):
    from mcap.reader import make_reader

    with log_file.open("rb") as file:
        ((_, _, message),) = make_reader(file).iter_messages(["/contract"])
    return json.loads(message.data)


def forged(folder, messages, channels=("/contract", "/action")):
    """Write a file of messages as they are given."""
    path = folder / "forged.mcap"
    file = McapFile(path, {topic: {} for topic in channels})
    for topic, message in messages:
        file.add(topic, 1, message if isinstance(message, bytes) else json.dumps(message).encode())
    file.finish()
    return path


def test_a_log_of_a_newer_version_is_refused(log_file, tmp_path):
    path = forged(tmp_path, [("/contract", {"log_schema": 2, "anything": "else"})])
    with pytest.raises(SurefootError, match=r"is of schema 2; this surefoot-bridge reads 1\. Read it with the version"):
        read_log(path)


def test_topics_of_a_newer_version_are_refused(log_file, tmp_path, monkeypatch):
    monkeypatch.setattr("surefoot_bridge.log.mcap_file.schema_name", lambda topic: f"surefoot.{topic[1:]}.v2")
    path = forged(tmp_path, [("/contract", head_of(log_file))])
    with pytest.raises(
        SurefootError, match=r"/contract is of schema 'surefoot.contract.v2' as 'json'; this surefoot-b"
    ):
        read_log(path)


def test_a_contract_that_was_altered_is_refused(log_file, tmp_path):
    head = head_of(log_file)
    head["contract"] = head["contract"].replace("23.7", "99.9", 1)
    with pytest.raises(SurefootError, match="is not the one of its SHA-256: the log was altered"):
        read_log(forged(tmp_path, [("/contract", head)]))


@pytest.mark.parametrize(
    ("message", "refusal"),
    [
        ({"time_s": 1.0}, "a message of /action has time_s; it must have time_s, action."),
        ({"time_s": 1.0, "action": [0, 0, 0], "x": 1}, "has time_s, action, x; it must have time_s, action."),
        ({"time_s": 1.0, "action": ["a", 0, 0]}, "action of /action cannot be stacked as float32"),
        ({"time_s": 1.0, "action": None}, "action of /action"),
        ({"time_s": [1.0], "action": [0, 0, 0]}, "time_s of /action has 1 dimensions"),
        ({"time_s": 1.0, "action": [0, 0]}, "action of /action has 2 entries; by the contract it must have 3"),
        ([1.0], "a message of /action is .* it must be an object"),
        (b"{", "a message of /action is no JSON"),
    ],
)
def test_a_message_that_is_not_as_it_must_be_is_refused(log_file, tmp_path, message, refusal):
    with pytest.raises(SurefootError, match=refusal):
        read_log(forged(tmp_path, [("/contract", head_of(log_file)), ("/action", message)]))


def test_lists_that_change_their_length_are_refused(log_file, tmp_path):
    messages = [("/action", {"time_s": 1.0, "action": [0.0] * size}) for size in (3, 2)]
    with pytest.raises(SurefootError, match="action of /action cannot be stacked as float32"):
        read_log(forged(tmp_path, [("/contract", head_of(log_file)), *messages]))


def test_an_mcap_file_of_another_program_is_refused(tmp_path):
    from mcap.writer import Writer

    path = tmp_path / "foreign.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        channel = writer.register_channel("/tf", "json", 0)
        writer.add_message(channel, 1, b"{}", 1)
        writer.finish()
    with pytest.raises(SurefootError, match="holds no log of surefoot-bridge: it has no whole message of /contract"):
        read_log(path)


def test_topics_of_other_programs_in_a_log_are_passed_over_and_told(log_file, tmp_path, monkeypatch):
    monkeypatch.setattr("surefoot_bridge.log.mcap_file.json_schema", lambda topic: {"type": "object", "properties": {}})
    path = forged(tmp_path, [("/contract", head_of(log_file)), ("/tf", {})], channels=("/contract", "/tf"))
    assert read_log(path).notes == ("forged.mcap: topics of other programs were passed over: /tf.",)


def test_a_file_of_a_log_without_a_whole_message_does_not_hide_the_others(tmp_path):
    folder = small_log(tmp_path, 10)
    (folder / "99991231T000000.000000Z.mcap").write_bytes(b"\x89MCAP0\r\n\x01")
    read = read_log(folder)
    assert len(read["/robot_state"]) == 10
    assert (read.finished, read.lost_bytes) == (False, 1)
    assert "99991231T000000.000000Z.mcap holds no whole message." in read.notes
