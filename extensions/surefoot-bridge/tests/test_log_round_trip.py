"""What a control loop logs is what a reader gets, to the last bit, and what other readers of MCAP get."""

import json
import time
from dataclasses import fields, replace

import numpy as np
import pytest
from contracts import quadruped_contract, small_contract
from log_rig import BUNDLE, PHASES, begin_log, needs_mcap, random_tick, small_log, write_ticks

from surefoot_bridge.contract import write_contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log import read_log
from surefoot_bridge.log.topics import TOPICS, json_schema
from surefoot_bridge.state import JointCommand, each

pytestmark = needs_mcap

# The ends of both formats, what lies between two decimal digits, and a zero with a sign.
DOUBLES = np.array([5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 1 / 3, -0.0, 2.0**53 + 2])
SINGLES = np.array([1e-45, 1.1754944e-38, 3.4028235e38, 0.1, 1 / 3, -0.0, 16777217], dtype=np.float32)


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def test_every_number_of_every_tick_reads_back_bit_for_bit(tmp_path):
    contract = quadruped_contract()
    with begin_log(tmp_path, contract) as log:
        ticks = write_ticks(log, 200, contract=contract)
    read = read_log(log.folder)
    states, commands = read.robot_states(), read.joint_commands()
    for i, tick in enumerate(ticks):
        for item in fields(tick["state"]):
            assert same_bits(getattr(states, item.name)[i], getattr(tick["state"], item.name)), item.name
        for item in fields(JointCommand):
            assert same_bits(getattr(commands, item.name)[i], getattr(tick["joint_command"], item.name)), item.name
        assert same_bits(read["/observation"]["observation"][i], tick["observation"])
        assert same_bits(read["/observation"]["command"][i], tick["command"])
        assert same_bits(read["/action"]["action"][i], tick["action"])
        assert same_bits(read["/timing"]["phase_s"][i], tick["phase_s"])
        assert read["/timing"]["lateness_s"][i] == tick["lateness_s"]
    assert same_bits(read["/robot_state"].time_s, 100.0 + 0.002 * np.arange(200))
    assert read.finished
    assert (read.lost_bytes, read.damaged_bytes, read.notes) == (0, 0, ())


def test_the_ends_of_the_formats_read_back_bit_for_bit(tmp_path):
    contract = small_contract()
    rng = np.random.default_rng(0)
    with begin_log(tmp_path) as log:
        for double, single in zip(DOUBLES, SINGLES):
            tick = random_tick(rng, contract)
            state = replace(tick["state"], joint_pos_rad=np.full(3, double))
            assert log.write(1.0, **{**tick, "state": state, "action": np.full(3, single)})
    read = read_log(log.folder)
    assert same_bits(read.robot_states().joint_pos_rad, np.repeat(DOUBLES[:, None], 3, axis=1))
    assert same_bits(read["/action"]["action"], np.repeat(SINGLES[:, None], 3, axis=1))


def test_numbers_that_are_not_finite_come_back_and_the_file_stays_json(tmp_path):
    from mcap.reader import make_reader

    odd = np.array([np.nan, np.inf, -np.inf])
    tick = random_tick(np.random.default_rng(0), small_contract())
    with begin_log(tmp_path) as log:
        log.write(1.0, action=odd.astype(np.float32), state=replace(tick["state"], joint_pos_rad=odd))
    read = read_log(log.folder)
    np.testing.assert_array_equal(read["/action"]["action"][0], odd.astype(np.float32))
    np.testing.assert_array_equal(read.robot_states().joint_pos_rad[0], odd)

    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    with read.paths[0].open("rb") as file:
        for _, _, message in make_reader(file).iter_messages(topics=["/action"]):
            assert json.loads(message.data, parse_constant=refuse)["action"] == ["NaN", "Infinity", "-Infinity"]


def test_the_head_of_a_log_says_what_it_belongs_to(tmp_path):
    read = read_log(small_log(tmp_path))
    assert (read.robot, read.stage, read.bundle, read.phases) == ("made_up", "tethered", BUNDLE, PHASES)
    assert write_contract(read.contract) == write_contract(small_contract())


def test_events_and_modes_read_back_in_their_order(tmp_path):
    with begin_log(tmp_path) as log:
        log.mode(1.0, "stand", reason="start")
        log.event(1.5, "tilt", "Tilted by 1.2 rad, limit 1.", response="damp", value=1.2, limit=1.0)
        log.mode(1.5, "damped", previous="stand", reason="tilt")
        log.event(2.0, "operator", "Größe ± „Text“\n")
    read = read_log(log.folder)
    assert read["/mode"]["mode"].tolist() == ["stand", "damped"]
    assert read["/mode"]["previous"].tolist() == ["", "stand"]
    assert read["/safety"]["message"].tolist() == ["Tilted by 1.2 rad, limit 1.", "Größe ± „Text“\n"]
    assert read["/safety"]["value"].tolist()[0] == 1.2
    assert np.isnan(read["/safety"]["limit"][1])
    assert read["/safety"].time_s.tolist() == [1.5, 2.0]


def test_a_text_that_is_too_long_is_cut_and_the_event_kept(tmp_path):
    with begin_log(tmp_path) as log:
        assert log.event(1.0, "n" * 1000, "\U0001f9be" * 5000, component="\ud83e" * 1000)
    event = read_log(log.folder)["/safety"]
    assert event["message"][0] == "\U0001f9be" * 397 + "..."
    assert event["component"][0] == "\ud83e" * 61 + "..."  # half of a character is kept as it is


def test_times_are_utc_however_the_clock_of_the_loop_counts(tmp_path):
    before = time.time_ns()
    with begin_log(tmp_path) as log:
        write_ticks(log, 5, start_s=7.0, period_s=0.5)
    topic = read_log(log.folder)["/robot_state"]
    assert before <= topic.log_time_ns[0] <= time.time_ns()
    np.testing.assert_array_equal(np.diff(topic.log_time_ns), 500_000_000)


def test_a_robot_without_foot_sensors_is_logged_without_them(tmp_path):
    contract = small_contract()
    tick = random_tick(np.random.default_rng(0), contract)
    bare = type(tick["state"])(**{**vars(tick["state"]), "foot_force_n": np.empty(0)})
    with begin_log(tmp_path, num_foot_sensors=0) as log:
        assert log.write(1.0, state=bare)
        assert log.write(1.1, state=bare)
    assert read_log(log.folder).robot_states().foot_force_n.shape == (2, 0)


def test_topics_without_messages_are_there_and_empty(tmp_path):
    with begin_log(tmp_path):
        pass
    read = read_log(next(tmp_path.iterdir()))
    assert {name: len(topic) for name, topic in read.topics.items()} == {
        name: 0 for name in TOPICS if name != "/contract"
    }
    assert read.robot_states().joint_pos_rad.shape == (0, 3)


def test_only_the_topics_that_are_asked_for_are_read(tmp_path):
    folder = small_log(tmp_path, 10)
    read = read_log(folder, topics=["/action"])
    assert len(read["/action"]) == 10
    assert len(read["/robot_state"]) == 0
    with pytest.raises(SurefootError, match="Unknown topic '/actions'; valid: /action, "):
        read_log(folder, topics=["/actions"])


def test_the_stock_reader_gets_every_message_with_a_schema_that_it_fits(tmp_path):
    from mcap.reader import make_reader

    (path,) = small_log(tmp_path, 20).glob("*.mcap")
    found = dict.fromkeys(TOPICS, 0)
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        for schema, channel, message in reader.iter_messages():
            found[channel.topic] += 1
            assert schema is not None
            assert (schema.encoding, channel.message_encoding) == ("jsonschema", "json")
            assert json.loads(schema.data) == json_schema(channel.topic)
            assert sorted(json.loads(message.data)) == sorted(json.loads(schema.data)["required"])
    ticks = ("/robot_state", "/observation", "/action", "/joint_command", "/timing")
    assert found == {"/contract": 1, "/safety": 0, "/mode": 1, **dict.fromkeys(ticks, 20)}
    assert summary is not None
    assert summary.statistics is not None
    assert summary.statistics.message_count == sum(found.values())
    names = {channel.topic: channel.metadata for channel in summary.channels.values()}
    assert names["/robot_state"] == {"joints": "c,a,b", "foot_sensors": "left,right"}
    assert names["/action"] == {"action": "a,b,c"}


def test_schemas_use_only_the_words_that_foxglove_reads():
    # Its reader knows these types, lists of plain values, and no list of lists.
    for topic in TOPICS:
        for name, item in json_schema(topic)["properties"].items():
            plain = item["items"] if item["type"] == "array" else item
            assert plain["type"] in ("number", "integer", "string"), (topic, name)


def test_arrays_that_do_not_fit_the_contract_are_refused_by_name(tmp_path):
    tick = random_tick(np.random.default_rng(0), small_contract())
    with begin_log(tmp_path) as log:
        with pytest.raises(SurefootError, match=r"action of /action has shape \(4,\), it must be \(3,\)"):
            log.write(1.0, state=tick["state"], action=np.zeros(4, np.float32))
        with pytest.raises(SurefootError, match=r"joint_pos_rad of /robot_state has shape \(1, 3\), it must be \(3,\)"):
            log.write(1.0, state=each(tick["state"], lambda array: array[None]))
        with pytest.raises(SurefootError, match="observation and command go together"):
            log.write(1.0, observation=tick["observation"])
        with pytest.raises(SurefootError, match="lateness_s and phase_s go together"):
            log.write(1.0, lateness_s=0.0)
        with pytest.raises(SurefootError, match="time_s is nan"):
            log.write(np.nan, **tick)
        assert log.write(1.0, **tick)
    assert len(read_log(log.folder)["/robot_state"]) == 1


def test_nothing_is_taken_after_the_end(tmp_path):
    with begin_log(tmp_path) as log:
        pass
    assert not log.write(1.0, action=np.zeros(3, np.float32))
    assert not log.event(1.0, "tilt", "Too late.")
    assert log.take_stop() is None
