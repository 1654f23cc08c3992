"""What a log is worth, and which stages the logs of a bundle open."""

import json

import pytest
from bundles import write_bundle
from log_rig import needs_mcap
from stage_rig import BUNDLE, walk_log

from surefoot_bridge.command_line import main
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.manifest import identity, read_files
from surefoot_bridge.stage_standing import require_open, standings, verdicts
from surefoot_bridge.stage_verdict import judge

pytestmark = needs_mcap


def failed(verdict):
    """Names of the criteria that were not met."""
    return [finding.name for finding in verdict.findings if not finding.passed]


def opened(folder, bundle=BUNDLE):
    """Names of the stages that are open."""
    return [item.stage for item in standings(list(verdicts(folder, bundle))) if item.is_open]


def opener(folder):
    """Name of the log that has opened the second stage."""
    verdict = require_open("indoor", folder, BUNDLE)
    assert verdict is not None
    return verdict.log


def test_a_good_log_passes_and_opens_the_next_stage_only(tmp_path):
    log = walk_log(tmp_path)
    verdict = judge(log.folder, BUNDLE)
    assert verdict.passed, verdict.reason
    assert (verdict.stage, verdict.bundle, verdict.reason) == ("tethered", BUNDLE, "")
    figures = {finding.name: finding.value for finding in verdict.findings}
    assert figures["walked_s"] == pytest.approx(61.0, abs=1e-6)
    assert figures["asked_s"] == pytest.approx(61.0, abs=0.15)
    assert figures["temperature_c"] == 40.0
    assert opened(tmp_path) == ["tethered", "indoor"]
    assert opener(tmp_path) == log.folder.name
    with pytest.raises(SurefootError, match="outdoor is not open to bundle 0123456789ab: No log of the stage indoor"):
        require_open("outdoor", tmp_path, BUNDLE)


@pytest.mark.parametrize(
    ("fault", "criterion", "message"),
    [
        ({"seconds": 59.0}, "walked_s", r"walked for 59\.0 s; 60 s are needed"),
        ({"speed": 0.2}, "asked_s", r"lin_vel_x_m_s of 0\.24 or more was asked for over 0\.0 s"),
        ({"seconds": 90.0, "modes": [(62.0, "stand")], "fast_from": 62.5}, "asked_s", r"over 0\.0 s of walking"),
        ({"late": [500]}, "missed_share", r"0\.16% of the ticks missed their deadline; at most 0\.10%"),
        ({"events": [(30.0, "tilt", "damp")]}, "damped", r"damped or switched off 1 times \(tilt\)"),
        ({"events": [(30.0, "fallen", "zero")]}, "damped", r"\(fallen\)"),
        ({"modes": [(61.5, "damped")]}, "damped", r"damped or switched off 1 times\."),
        ({"events": [(10.0 + i, "report_stale", "hold") for i in range(3)]}, "holds_per_min", r"3\.0 holds a minute"),
        ({"tilted_rad": 1.01}, "tilt_rad", r"tilted by 1\.01 rad; from 1 on"),
        ({"temperature_c": 76.0}, "temperature_c", r"reached 76 degrees Celsius; at most 75"),
    ],
)
def test_a_log_that_falls_short_in_one_thing_is_said_to_and_opens_nothing(tmp_path, fault, criterion, message):
    verdict = judge(walk_log(tmp_path, **fault).folder, BUNDLE)
    assert verdict.counts
    assert failed(verdict) == [criterion]
    assert opened(tmp_path) == ["tethered"]
    with pytest.raises(SurefootError, match=message):
        require_open("indoor", tmp_path, BUNDLE)


def test_two_holds_a_minute_and_four_fifths_of_the_speed_pass(tmp_path):
    log = walk_log(tmp_path, speed=0.24, events=[(10.0, "report_stale", "hold"), (50.0, "report_stale", "hold")])
    assert judge(log.folder, BUNDLE).passed


def test_a_log_of_another_bundle_does_not_count_and_is_named(tmp_path):
    walk_log(tmp_path, bundle="ffffffffffff")
    (verdict,) = verdicts(tmp_path, BUNDLE)
    assert (verdict.counts, verdict.reason) == (False, "it is of another bundle, ffffffffffff.")
    assert opened(tmp_path) == ["tethered"]
    assert opened(tmp_path, "ffffffffffff") == ["tethered", "indoor"]


def test_a_rehearsal_does_not_count(tmp_path):
    verdict = judge(walk_log(tmp_path, stage="tethered (rehearsal)").folder, BUNDLE)
    assert (verdict.counts, verdict.passed) == (False, False)
    assert "it is a rehearsal" in verdict.reason


def test_a_log_that_is_still_written_does_not_count(tmp_path):
    log = walk_log(tmp_path, finish=False)
    try:
        verdict = judge(log.folder, BUNDLE)
    finally:
        log.close()
    assert not verdict.counts
    assert "not finished" in verdict.reason or "cut off" in verdict.reason
    assert judge(log.folder, BUNDLE).passed


def test_a_damaged_log_does_not_count(tmp_path):
    (path,) = walk_log(tmp_path).folder.glob("*.mcap")
    data = bytearray(path.read_bytes())
    data[data.rindex(b"\x28\xb5\x2f\xfd") + 100] ^= 0x10  # within what Zstandard has made of the last chunk
    path.write_bytes(data)
    verdict = judge(path.parent, BUNDLE)
    assert not verdict.counts
    assert "damaged" in verdict.reason or "cut off" in verdict.reason


def test_what_is_no_log_is_named_and_does_not_stop_the_others(tmp_path):
    walk_log(tmp_path)
    (tmp_path / "zzz").mkdir()
    (tmp_path / "zzz" / "a.mcap").write_bytes(b"nothing")
    first, second = verdicts(tmp_path, BUNDLE)
    assert first.log == "zzz"
    assert "cannot be read" in first.reason
    assert second.passed


def test_an_older_log_that_passed_keeps_a_stage_open(tmp_path):
    good = walk_log(tmp_path)
    walk_log(tmp_path, seconds=5.0)
    assert opener(tmp_path) == good.folder.name


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SurefootError, match="is no folder; give the folder in which the logs of all runs are"):
        require_open("indoor", tmp_path / "file", BUNDLE)


def test_the_command_shows_where_a_bundle_stands(tmp_path, capsys):
    write_bundle(tmp_path / "bundle")
    bundle = identity(read_files(tmp_path / "bundle")[0])
    logs = tmp_path / "logs"
    good = walk_log(logs, bundle=bundle)
    walk_log(logs, bundle="ffffffffffff", seconds=1.0)
    report = tmp_path / "stages.json"
    command = ["stages", str(tmp_path / "bundle"), "--logs", str(logs), "--json", str(report)]
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
    assert main(["stages", str(tmp_path / "bundle"), "--logs", str(tmp_path / "none")]) == 0
    shown = capsys.readouterr().out
    assert "There is no log in" in shown
    assert "No log of the stage tethered with this bundle counts." in shown
