"""A log in numbers worked by hand, as a page and a picture, and by the command line."""

import json
import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from contracts import small_contract
from log_rig import BUNDLE, begin_log, needs_matplotlib, needs_mcap, small_log
from reports import REPORT

from surefoot_bridge.command_line import main
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log import plot, read_log, summarise
from surefoot_bridge.log.measures import mode_bands
from surefoot_bridge.log.panels import attitude, thinned
from surefoot_bridge.log.summary import CommandRange, EventCount, ModeBand, Spread
from surefoot_bridge.state import JointCommand

pytestmark = needs_mcap

about: Any = pytest.approx  # stands where a number does

STARTS_S = (10.0, 10.25, 10.5, 11.0)  # periods 0.25, 0.25, 0.5: the median is 0.25, one is 0.25 off
LATE_S = (0.0, 0.001, 0.002, 0.003)
# By joint c, a, b of the interface. The contract's limits for a, b, c are 23.7, 23.71, 23.72 N m.
TORQUES = ((1.0, -2.0, 3.0), (-11.86, 0.0, 0.0), (0.0, 4.74, math.nan), (2.0, 1.0, 1.0))
TEMPERATURES = ((30.0, 40.0, 50.0), (31.0, 41.0, 51.0), (61.0, 39.0, 20.0), (30.0, 30.0, 30.0))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A log of four ticks."""
    contract = small_contract()
    with begin_log(tmp_path_factory.mktemp("log")) as log:
        log.mode(9.5, "stand", reason="start")
        for i, (start_s, late_s, torque, temperature) in enumerate(zip(STARTS_S, LATE_S, TORQUES, TEMPERATURES)):
            state = replace(
                REPORT,
                joint_torque_nm=np.array(torque),
                motor_temperature_c=np.array(temperature),
                imu_quat_wxyz=np.array([math.cos(0.1 * i), math.sin(0.1 * i), 0.0, 0.0]),  # rolled by 0.2 rad more each
                battery_share=np.array(0.9 - 0.1 * i),
            )
            log.write(
                start_s,
                state=state,
                command=np.array([0.1 * i, -0.5, 0.0]),
                observation=np.zeros(contract.network.observation_dim, np.float32),
                joint_command=JointCommand(*(np.full(3, 0.1 * i) for _ in range(5))),
                lateness_s=late_s,
                phase_s=np.array([1e-4, 2e-4, 3e-4 * i]),
            )
            if i == 1:
                log.mode(10.5, "walk", previous="stand", reason="asked")
                log.event(10.5, "tilt", "Tilted by 1.1.", response="hold")
        log.event(10.6, "tilt", "Tilted by 1.2.", response="damp")
        log.event(10.9, "stale", "No report.", response="damp")
    return log.folder


def test_timing_is_that_of_the_ticks(folder):
    facts = summarise(folder)
    assert facts.duration_s == 1.0
    assert facts.period_s == Spread(0.25, about(0.495), 0.5)
    assert facts.jitter_s == Spread(0.0, about(0.245), 0.25)
    assert facts.lateness_s == Spread(0.0015, about(0.00297), 0.003)
    assert list(facts.phases_s) == ["read", "observe", "send"]
    assert facts.phases_s["send"].highest == about(9e-4)
    assert facts.messages["/robot_state"] == 4
    assert facts.messages["/action"] == 0


def test_peaks_are_those_of_the_right_joint_against_its_own_limit(folder):
    c, a, b = summarise(folder).joints
    assert [c.name, a.name, b.name] == ["c", "a", "b"]
    assert (c.torque_nm, c.torque_share, c.torque_at_s) == (11.86, about(0.5), 0.25)
    assert (a.torque_nm, a.torque_share, a.torque_at_s) == (4.74, about(0.2), 0.5)
    assert (b.torque_nm, b.torque_at_s) == (3.0, 0.0)  # its NaN is no peak
    assert [joint.temperature_c for joint in (c, a, b)] == [61.0, 41.0, 51.0]
    assert (c.speed_rad_s, c.lowest_rad, c.highest_rad) == (30.0, 3.3, 3.3)


def test_modes_events_commands_and_extremes_are_told(folder):
    facts = summarise(read_log(folder))
    # The robot stood before the first tick; a log begins with that.
    assert facts.modes == (ModeBand("stand", 0.0, 0.5, "start"), ModeBand("walk", 0.5, 1.0, "asked"))
    assert facts.mode_s == {"stand": 0.5, "walk": 0.5}
    assert facts.events == (
        EventCount("tilt", "damp", 2, 0.5, about(0.6), "Tilted by 1.1."),
        EventCount("stale", "damp", 1, about(0.9), about(0.9), "No report."),
    )
    assert facts.commands == (
        CommandRange("lin_vel_x_m_s", 0.0, about(0.3), -1.0, 1.0),
        CommandRange("lin_vel_y_m_s", -0.5, -0.5, -0.5, 0.5),
        CommandRange("ang_vel_z_rad_s", 0.0, 0.0, -1.0, 1.0),
    )
    assert facts.tilt_rad == about(0.6)
    assert facts.battery_share == about(0.6)
    assert (facts.bundle, facts.stage, facts.dropped, facts.finished) == (BUNDLE, "tethered", 0, True)


def test_a_log_without_a_tick_has_a_summary_and_no_picture(tmp_path):
    with begin_log(tmp_path) as log:
        log.mode(5.0, "passive", reason="start")
    facts = summarise(log.folder)
    assert (facts.duration_s, facts.period_s, facts.tilt_rad, facts.phases_s) == (0.0, None, None, {})
    assert facts.modes == (ModeBand("passive", 0.0, 0.0, "start"),)
    assert facts.joints[0].torque_nm is None
    assert main(["log", "info", str(log.folder)]) == 0


def test_bands_follow_each_other_without_a_gap(folder):
    bands = mode_bands(read_log(folder))
    assert [band.start_s for band in bands[1:]] == [band.end_s for band in bands[:-1]]


def test_a_long_curve_keeps_its_peaks_when_it_is_thinned():
    time_s = np.arange(100_001) * 0.002
    values = np.sin(time_s)
    values[77_777], values[5] = 9.0, -9.0
    thin_s, thin = thinned(time_s, values)
    assert len(thin_s) == len(thin) == 3000
    assert (thin.max(), thin.min()) == (9.0, -9.0)
    assert abs(thin_s[np.argmax(thin)] - time_s[77_777]) < 0.2
    assert np.all(np.diff(thin_s) >= 0)
    assert (thin_s[0], thin_s[-1]) == (time_s[0], time_s[-1])


def test_attitude_is_roll_pitch_and_a_yaw_that_does_not_jump():
    half = math.sqrt(0.5)
    turns = np.linspace(0.0, 4 * math.pi, 50)
    yawed = np.stack([np.cos(turns / 2), 0 * turns, 0 * turns, np.sin(turns / 2)], axis=-1)
    np.testing.assert_allclose(attitude(yawed)[:, 2], turns, atol=1e-9)
    found = attitude(np.array([[half, half, 0, 0], [half, 0, half, 0], [math.nan] * 4, [half, 0, 0, half]]))
    np.testing.assert_allclose(found[0], [math.pi / 2, 0, 0], atol=1e-7)
    np.testing.assert_allclose(found[1, 1], math.pi / 2, atol=1e-7)
    np.testing.assert_allclose(found[3], [0, 0, math.pi / 2], atol=1e-7)


@needs_matplotlib
@pytest.mark.filterwarnings("error")
def test_a_log_is_drawn_as_a_picture_and_as_a_page_of_one_file(folder, tmp_path):
    picture = plot(folder, tmp_path / "log.png")
    assert picture.read_bytes().startswith(b"\x89PNG\r\n")
    text = plot(read_log(folder), tmp_path / "log.html").read_text()
    assert "<td>tilt</td><td>damp</td><td>2</td>" in text
    assert 'src="data:image/png;base64,iVBOR' in text
    assert "http" not in text


@needs_matplotlib
def test_the_page_fits_a_phone_and_names_units(folder, tmp_path):
    """Whatever may be wider than 420 px scrolls by itself: tables, and the picture, which stays 1100 px wide."""
    text = plot(folder, tmp_path / "log.html").read_text()
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in text
    assert ".wide { overflow-x: auto; }" in text
    assert text.count("<table>") == text.count('<div class="wide"><table>') == text.count("</table></div>") == 6
    assert text.count("<img ") == text.count('<div class="wide"><img ') == 1
    for quantity in ("lin_vel_x [m/s]", "ang_vel_z [rad/s]", "motor [deg C]", "torque [N m]", "first [s]"):
        assert f">{quantity}<" in text


@needs_matplotlib
def test_every_joint_and_every_topic_has_its_curve(folder):
    from surefoot_bridge.log.picture import draw

    figure = draw(read_log(folder))
    titles = [axes.get_title() for axes in figure.axes]
    for name, off in (("c", 3.3), ("a", 1.1), ("b", 2.2)):
        # The joints stand still while the targets are 0, 0.1, 0.2 and 0.3.
        rms = math.sqrt(np.mean((off - 0.1 * np.arange(4)) ** 2))
        assert f"{name} [rad], {rms:.3f} off its target (rms)" in titles
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert {"attitude of the IMU [deg]", "yaw [deg]", "command", "torque [% of limit]", "ticks"} <= set(labels)


@needs_matplotlib
def test_what_cannot_be_drawn_is_refused(folder, tmp_path):
    with pytest.raises(SurefootError, match=r"ends in '.svg'; a log can be drawn as .png or .html"):
        plot(folder, tmp_path / "log.svg")
    with pytest.raises(
        SurefootError, match=r"nowhere/log.png cannot be written: No such file or directory. Give a file in a folder"
    ):
        plot(folder, tmp_path / "nowhere" / "log.png")
    with begin_log(tmp_path) as log:
        pass
    with pytest.raises(SurefootError, match="there is nothing to draw"):
        plot(log.folder, tmp_path / "log.png")


def test_without_matplotlib_drawing_says_what_to_install(folder, tmp_path, monkeypatch):
    for name in ("matplotlib", "matplotlib.figure"):  # the second where the first was imported before
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SurefootError, match=r"Drawing a log needs matplotlib\. Install it: pip install matplotlib"):
        plot(folder, tmp_path / "log.png")


def test_the_command_prints_the_figures_and_writes_them(folder, tmp_path, capsys):
    assert main(["log", "info", str(folder), "--json", str(tmp_path / "log.json")]) == 0
    printed = capsys.readouterr().out
    assert "  tilt   damp      2      0.50       0.60      Tilted by 1.1." in printed
    assert "  c      11.86         50%       0.25    30.00          61             3.30" in printed
    report = json.loads((tmp_path / "log.json").read_text())
    assert report["ok"] is True
    assert report["figures"]["torque_share"] == about(0.5)
    assert report["figures"]["period_median_s"] == 0.25
    assert report["figures"]["mode_walk_s"] == 0.5
    assert [row["name"] for row in report["rows"]] == ["c", "a", "b"]
    assert report["summary"]["events"][0]["name"] == "tilt"
    assert set(report) == {"ok", "figures", "rows", "provenance", "summary"}


def test_the_command_says_2_where_it_can_read_or_write_nothing(folder, tmp_path, capsys):
    (tmp_path / "noise.mcap").write_bytes(b"noise")
    for arguments in (
        [str(tmp_path / "nowhere")],
        [str(tmp_path / "noise.mcap")],
        [str(folder), "--json", str(tmp_path / "nowhere" / "log.json")],
    ):
        assert main(["log", "info", *arguments]) == 2
        assert capsys.readouterr().err.startswith("surefoot-bridge: ")


def test_the_command_reads_a_log_that_was_cut_off_and_says_so(tmp_path, capsys):
    (path,) = small_log(tmp_path, 200, flush_s=0.01).glob("*.mcap")
    path.write_bytes(path.read_bytes()[:-1000])
    assert main(["log", "info", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "not finished by its writer" in printed
    assert "bytes are cut off or damaged." in printed
