"""What a log is worth, and which stages the logs of a bundle open."""

import json
import re
import shutil
from pathlib import Path

import pytest
from bundles import write_bundle
from log_rig import needs_mcap
from stage_rig import BUNDLE, KEY, walk_log

from surefoot_bridge.bundle import identity, read_files
from surefoot_bridge.command_line import main
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log.seal_key import seal_key, write_seal_key
from surefoot_bridge.stages.progress import require_open, standings, verdicts
from surefoot_bridge.stages.verdict import judge

pytestmark = needs_mcap


@pytest.fixture(scope="module")
def written_logs(tmp_path_factory):
    """Folders of logs that many tests begin with, by what they are like."""
    folder = tmp_path_factory.mktemp("logs")
    kinds = {"good": {}, "short": {"seconds": 1.0}, "in_parts": {"num_parts": 3}}
    return {name: walk_log(folder / name, **options).folder for name, options in kinds.items()}


def copied(written, folder):
    """A log beside which others can be written, which are newer."""
    return Path(shutil.copytree(written, folder / written.name))


@pytest.fixture
def good(written_logs, tmp_path):
    return copied(written_logs["good"], tmp_path)


@pytest.fixture
def short(written_logs, tmp_path):
    return copied(written_logs["short"], tmp_path)


@pytest.fixture
def in_parts(written_logs, tmp_path):
    return copied(written_logs["in_parts"], tmp_path)


def failed(verdict):
    """Names of the criteria that were not met."""
    return [finding.name for finding in verdict.findings if not finding.passed]


def opened(folder, bundle=BUNDLE):
    """Names of the stages that are open."""
    return [item.stage for item in standings(list(verdicts(folder, bundle, KEY))) if item.is_open]


def opener(folder):
    """Name of the log that has opened the second stage."""
    return require_open("indoor", folder, BUNDLE, KEY).log


def test_a_good_log_passes_and_opens_the_next_stage_only(good, tmp_path):
    verdict = judge(good, BUNDLE, KEY)
    assert verdict.passed, verdict.reason
    assert (verdict.stage, verdict.bundle, verdict.reason) == ("tethered", BUNDLE, "")
    figures = {finding.name: finding.value for finding in verdict.findings}
    assert figures["walked_s"] == pytest.approx(61.0, abs=1e-6)
    assert figures["asked_s"] == pytest.approx(61.0, abs=0.15)
    assert figures["stepped_s"] == pytest.approx(61.0, abs=0.5)
    assert figures["temperature_c"] == 40.0
    assert opened(tmp_path) == ["tethered", "indoor"]
    assert opener(tmp_path) == good.name
    with pytest.raises(SurefootError, match="outdoor is not open to bundle 0123456789ab: No log of the stage indoor"):
        require_open("outdoor", tmp_path, BUNDLE, KEY)


@pytest.mark.parametrize(
    ("fault", "criterion", "message"),
    [
        ({"seconds": 59.0}, "walked_s", r"walked for 59\.0 s; 60 s are needed"),
        ({"speed": 0.2}, "asked_s", r"lin_vel_x_m_s of 0\.24 or more was asked for over 0\.0 s"),
        ({"seconds": 90.0, "modes": [(62.0, "stand")], "fast_from": 62.5}, "asked_s", r"over 0\.0 s of walking"),
        (
            {"steps": False},
            "stepped_s",
            r"felt steps for 0\.0 s of walking; 20 s are needed: a robot that hangs does not",
        ),
        ({"late": [500]}, "missed_share", r"0\.16% of the ticks missed their deadline; at most 0\.10%"),
        ({"events": [(30.0, "tilt", "damp")]}, "damped", r"damped or switched off 1 times \(tilt\)"),
        ({"events": [(30.0, "fallen", "zero")]}, "damped", r"\(fallen\)"),
        ({"events": [(61.5, "ended", "none")]}, "damped", r"\(ended\)"),
        ({"modes": [(61.5, "damped")]}, "damped", r"damped or switched off 1 times\."),
        ({"events": [(10.0 + i, "report_stale", "hold") for i in range(3)]}, "holds_per_min", r"3\.0 holds a minute"),
        ({"tilted_rad": 1.01}, "tilt_rad", r"tilted by 1\.01 rad; from 1 on"),
        ({"temperature_c": 76.0}, "temperature_c", r"reached 76 degrees Celsius; at most 75"),
    ],
)
def test_a_log_that_falls_short_in_one_thing_is_said_to_and_opens_nothing(tmp_path, fault, criterion, message):
    verdict = judge(walk_log(tmp_path, **fault).folder, BUNDLE, KEY)
    assert verdict.counts
    assert failed(verdict) == [criterion]
    assert opened(tmp_path) == ["tethered"]
    with pytest.raises(SurefootError, match=message):
        require_open("indoor", tmp_path, BUNDLE, KEY)


def test_two_holds_a_minute_and_four_fifths_of_the_speed_pass(tmp_path):
    log = walk_log(tmp_path, speed=0.24, events=[(10.0, "report_stale", "hold"), (50.0, "report_stale", "hold")])
    assert judge(log.folder, BUNDLE, KEY).passed


def test_a_log_of_another_bundle_does_not_count_and_is_named(tmp_path):
    walk_log(tmp_path, bundle="ffffffffffff")
    (verdict,) = verdicts(tmp_path, BUNDLE, KEY)
    assert (verdict.counts, verdict.reason) == (False, "it is of another bundle, ffffffffffff.")
    assert opened(tmp_path) == ["tethered"]
    assert opened(tmp_path, "ffffffffffff") == ["tethered", "indoor"]


def test_a_rehearsal_does_not_count(tmp_path):
    verdict = judge(walk_log(tmp_path, stage="tethered (rehearsal)").folder, BUNDLE, KEY)
    assert (verdict.counts, verdict.passed) == (False, False)
    assert "it is a rehearsal" in verdict.reason


def test_a_log_that_is_still_written_does_not_count(tmp_path):
    log = walk_log(tmp_path, finish=False)
    try:
        verdict = judge(log.folder, BUNDLE, KEY)
    finally:
        log.close()
    assert not verdict.counts
    assert "not finished" in verdict.reason or "cut off" in verdict.reason
    assert judge(log.folder, BUNDLE, KEY).passed


def test_a_damaged_log_does_not_count(good):
    (path,) = good.glob("*.mcap")
    data = bytearray(path.read_bytes())
    data[data.rindex(b"\x28\xb5\x2f\xfd") + 100] ^= 0x10  # within what Zstandard has made of the last chunk
    path.write_bytes(data)
    verdict = judge(path.parent, BUNDLE, KEY)
    assert not verdict.counts
    assert "damaged" in verdict.reason or "cut off" in verdict.reason


@pytest.mark.usefixtures("good")
def test_what_is_no_log_is_named_and_does_not_stop_the_others(tmp_path):
    (tmp_path / "zzz").mkdir()
    (tmp_path / "zzz" / "a.mcap").write_bytes(b"nothing")
    first, second = verdicts(tmp_path, BUNDLE, KEY)
    assert first.log == "zzz"
    assert "cannot be read" in first.reason
    assert second.passed


@pytest.mark.usefixtures("good")
def test_the_newest_log_wins_over_an_old_pass(tmp_path):
    short = walk_log(tmp_path, seconds=5.0)
    assert opened(tmp_path) == ["tethered"]
    with pytest.raises(
        SurefootError, match=f"The newest log of the stage tethered, {short.folder.name}: The policy walk"
    ):
        require_open("indoor", tmp_path, BUNDLE, KEY)
    again = walk_log(tmp_path)
    assert opener(tmp_path) == again.folder.name


def test_a_log_of_another_name_is_as_old_as_it_says_inside(good, tmp_path):
    walk_log(tmp_path, events=[(30.0, "tilt", "damp")])
    good.rename(tmp_path / "99991231T000000.000000Z_unitree_go2")
    assert opened(tmp_path) == ["tethered"]


@pytest.mark.usefixtures("good")
@pytest.mark.parametrize("name", ["tilt", "report_lost"])
def test_a_fall_in_a_stage_closes_it_until_the_stage_before_is_passed_again(tmp_path, name):
    fall = walk_log(tmp_path, stage="indoor", seconds=5.0, events=[(3.0, name, "damp")])
    with pytest.raises(SurefootError, match=f"In {fall.folder.name}, of this stage: .*Pass the stage tethered again"):
        require_open("indoor", tmp_path, BUNDLE, KEY)
    again = walk_log(tmp_path)
    assert opener(tmp_path) == again.folder.name


def test_a_stop_by_the_operator_in_a_stage_does_not_close_it(good, tmp_path):
    events = [(3.0, "operator_stop", "damp"), (5.0, "ended", "none")]
    walk_log(tmp_path, stage="indoor", seconds=5.0, events=events)
    assert opener(tmp_path) == good.name


def test_a_log_in_which_the_policy_never_walked_says_nothing(good, tmp_path):
    walk_log(tmp_path, seconds=-0.5)
    assert opener(tmp_path) == good.name


@pytest.mark.usefixtures("good")
def test_a_newer_log_that_is_not_whole_may_hold_a_fall_and_closes_a_stage(tmp_path):
    newer = walk_log(tmp_path, seconds=5.0)
    (newer.folder / "seal.json").unlink()
    with pytest.raises(SurefootError, match=f"{newer.folder.name}: it has no seal"):
        require_open("indoor", tmp_path, BUNDLE, KEY)


def edited(path, old, new):
    """Write the one part of a log anew with a text changed to one of the same length; all checksums are right."""
    from mcap.reader import make_reader
    from mcap.writer import Writer

    (part,) = path.glob("*.mcap")
    with part.open("rb") as file:
        messages = list(make_reader(file).iter_messages())
    with part.open("wb") as file:
        writer = Writer(file)
        writer.start(profile="surefoot")
        channels = {}
        for schema, channel, message in messages:
            if channel.topic not in channels:
                number = writer.register_schema(schema.name, schema.encoding, schema.data)
                channels[channel.topic] = writer.register_channel(channel.topic, "json", number)
            data = message.data.replace(old, new)
            writer.add_message(channels[channel.topic], message.log_time, data, message.publish_time)
        writer.finish()


def test_one_edited_string_in_the_log_of_a_simulated_robot_opens_nothing(tmp_path):
    log = walk_log(tmp_path, stage="tethered (rehearsal)", seal_key=None)
    edited(log.folder, b"tethered (rehearsal)", b"tethered")
    verdict = judge(log.folder, BUNDLE, KEY)
    assert (verdict.stage, verdict.counts, verdict.reason) == (
        "tethered", False, "its seal has no key: its robot was not a real one."
    )  # fmt: skip
    assert opened(tmp_path) == ["tethered"]


def test_an_edited_log_of_a_real_robot_opens_nothing(tmp_path):
    log = walk_log(tmp_path, events=[(30.0, "tilt", "damp")])
    (part,) = log.folder.glob("*.mcap")
    edited(log.folder, b'"damp"', b'"hold"')
    assert judge(log.folder, BUNDLE, KEY).reason == f"{part.name} was altered after it was sealed."


def altered(seal, change):
    content = json.loads(seal.read_text())
    change(content)
    seal.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda content: content["parts"].pop(), "its seal was altered."),
        (lambda content: content.update(session="0"), "its seal was altered."),
        (lambda content: content.update(hmac_sha256="0" * 64), "its seal was altered."),
        (lambda content: content.update(hmac_sha256=""), "its seal has no key: its robot was not a real one."),
        (lambda content: content.pop("parts"), "it cannot be read: The seal .* is malformed"),
        (lambda content: content["parts"][0].update(name="../a.mcap"), "it cannot be read: .* is malformed"),
    ],
)
def test_a_seal_that_was_altered_is_found(short, change, reason):
    altered(short / "seal.json", change)
    verdict = judge(short, BUNDLE, KEY)
    assert not verdict.counts
    assert re.match(reason, verdict.reason), verdict.reason


def test_a_seal_of_another_log_or_of_another_key_does_not_hold(short, tmp_path):
    other = walk_log(tmp_path, seconds=1.0)
    assert judge(short, BUNDLE, KEY).counts
    assert "it was sealed with another key" in judge(short, BUNDLE, bytes(32)).reason
    assert "cannot be checked without the key: give --seal-key FILE" in judge(short, BUNDLE, None).reason
    shutil.copy(short / "seal.json", other.folder / "seal.json")
    assert "1 of its 1 parts are missing" in judge(other.folder, BUNDLE, KEY).reason


@pytest.mark.parametrize("which", [0, 1, -1])
def test_a_log_with_a_part_missing_does_not_count(in_parts, which):
    assert judge(in_parts, BUNDLE, KEY).passed
    files = sorted(in_parts.glob("*.mcap"))
    files[which].unlink()
    reason = judge(in_parts, BUNDLE, KEY).reason
    assert f"1 of its {len(files)} parts are missing: {files[which].name}." in reason


def test_a_log_with_a_part_too_many_does_not_count(short):
    (part,) = short.glob("*.mcap")
    shutil.copy(part, part.with_name("b.mcap"))
    assert judge(short, BUNDLE, KEY).reason == "its seal does not know b.mcap."


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SurefootError, match="is no folder; give the folder in which the logs of all runs are"):
        require_open("indoor", tmp_path / "file", BUNDLE, KEY)


def test_the_command_shows_where_a_bundle_stands(tmp_path, capsys):
    write_bundle(tmp_path / "bundle")
    bundle = identity(read_files(tmp_path / "bundle")[0])
    logs = tmp_path / "logs"
    key = tmp_path / "seal.key"
    write_seal_key(key)
    good = walk_log(logs, bundle=bundle, seal_key=seal_key(key))
    walk_log(logs, bundle="ffffffffffff", seconds=1.0)
    report = tmp_path / "stages.json"
    command = ["stages", str(tmp_path / "bundle"), "--logs", str(logs), "--seal-key", str(key), "--json", str(report)]
    assert main([*command, "--stage", "indoor"]) == 0
    shown = capsys.readouterr().out
    assert f"{good.folder.name} passed the stage tethered." in shown
    assert "it is of another bundle, ffffffffffff." in shown
    content = json.loads(report.read_text())
    assert content["ok"] is True
    assert content["figures"] == {
        "tethered_open": 1.0, "indoor_open": 1.0, "outdoor_open": 0.0, "field_open": 0.0, "logs": 2, "logs_passed": 1,
    }  # fmt: skip
    assert [row["kind"] for row in content["rows"]] == ["stage"] * 4 + ["log"] * 2
    assert main([*command, "--stage", "outdoor"]) == 1
    assert json.loads(report.read_text())["ok"] is False


def test_the_command_shows_a_bundle_without_logs(tmp_path, capsys):
    write_bundle(tmp_path / "bundle")
    (tmp_path / "none").mkdir()
    assert main(["stages", str(tmp_path / "bundle"), "--logs", str(tmp_path / "none")]) == 0
    shown = capsys.readouterr().out
    assert "There is no log in" in shown
    assert "No log of the stage tethered with this bundle in which it walked is there." in shown
