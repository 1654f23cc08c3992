"""`surefoot-bridge run` with the shipped bundle on a robot in MuJoCo, and what it refuses before anything moves."""

import json
import os
import signal
from pathlib import Path

import pytest
from log_rig import needs_mcap
from run_rig import BUNDLE, WALK, Running, needs_bundle, needs_robot

from surefoot_bridge.bundle import identity, read_files
from surefoot_bridge.command_line import main
from surefoot_bridge.log import read_log, summarise
from surefoot_bridge.log.measures import mode_bands
from surefoot_bridge.stages.verdict import judge


def modes(log):
    return [band.mode for band in mode_bands(log)]


def way(log):
    """Modes but the crouch, which a policy that brings its robot to rest makes needless."""
    return [mode for mode in modes(log) if mode != "crouch"]


def largest_tilt(log):
    found = summarise(log).tilt_rad
    assert found is not None
    return found


SCRIPT = f"{WALK}5 velocity 0 0 0\n6 stand\n10 sit\n12.2 passive\n12.5 end\n"


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """A run of the script that has ended, what it has shown, and the file of its report."""
    folder = tmp_path_factory.mktemp("walked")
    running = Running(folder, SCRIPT, "--json", str(folder / "run.json"))
    return running, running.end(), folder / "run.json"


@needs_mcap
@needs_robot
def test_the_shipped_policy_stands_walks_and_sits_by_a_script(walked):
    running, shown, report = walked
    assert running.process.returncode == 0, shown
    assert "Stage tethered: unitree_go2 in MuJoCo (a rehearsal: no real robot moves)" in shown
    assert "Ended because its 12.5 s are over. It was told to end, and the robot rests." in shown
    log = running.log
    assert way(log) == ["stand", "walk", "stop", "stand", "sit", "passive"]
    assert log.stage == "tethered (rehearsal)"
    assert log.finished
    summary = summarise(log)
    assert summary.duration_s == pytest.approx(12.5, abs=0.1)
    assert summary.commands[0].highest == 0.3
    assert largest_tilt(log) < 0.3
    content = json.loads(report.read_text())
    assert content["ok"] is True
    assert content["figures"]["in_order"] == 1.0
    assert content["figures"]["events_damp"] == content["figures"]["events_zero"] == 0
    assert [row["name"] for row in content["rows"] if row["kind"] == "mode"] == modes(log)
    verdict = judge(log.paths[0].parent, identity(read_files(BUNDLE)[0]))
    assert (verdict.counts, verdict.passed) == (False, False)
    assert "rehearsal" in verdict.reason


@needs_mcap
@needs_robot
def test_the_log_of_a_run_can_be_run_again_as_a_robot(walked, tmp_path):
    first, logs = walked[0], tmp_path / "again"
    again = Running(tmp_path, SCRIPT, "--robot", f"replay:{first.log.paths[0].parent}", "--log", str(logs))
    shown = again.end()
    assert again.process.returncode == 0, shown
    assert "Stage tethered: unitree_go2 replayed from" in shown
    (folder,) = logs.iterdir()
    assert modes(read_log(folder)) == modes(first.log)


@needs_mcap
@needs_robot
def test_a_signal_brings_a_walking_robot_to_rest_in_order_and_closes_the_log(tmp_path):
    running = Running(tmp_path, f"{WALK}170 end\n")
    running.await_mode("walk")
    running.process.send_signal(signal.SIGINT)
    shown = running.end()
    assert running.process.returncode == 130, shown
    assert "Ended because SIGINT came. It was told to end, and the robot rests." in shown
    log = running.log
    assert way(log) == ["stand", "walk", "stop", "stand", "sit", "passive"]
    assert (log.finished, log.lost_bytes, log.damaged_bytes) == (True, 0, 0)
    last = log.joint_commands()
    assert not last.stiffness_nm_per_rad[-1].any()
    assert largest_tilt(log) < 0.3


@needs_mcap
@needs_robot
def test_a_second_signal_damps_the_robot_at_once(tmp_path):
    running = Running(tmp_path, f"{WALK}170 end\n")
    running.await_mode("walk")
    running.process.send_signal(signal.SIGTERM)
    running.process.send_signal(signal.SIGINT)  # two of a kind could come as one
    shown = running.end()
    assert running.process.returncode == 1, shown
    assert "Ended because SIGTERM came." in shown or "Ended because SIGINT came." in shown
    assert "It was told to end at once." in shown
    assert running.log.finished
    assert "passive" not in modes(running.log)


@needs_mcap
@needs_robot
def test_a_stop_file_damps_a_walking_robot(tmp_path):
    running = Running(tmp_path, f"{WALK}10 end\n", "--stop-file", str(tmp_path / "stop"))
    running.await_mode("walk")
    (tmp_path / "stop").touch()
    shown = running.end()
    assert running.process.returncode == 1, shown
    assert "operator_stop (damp) once" in shown
    log = running.log
    assert way(log) == ["stand", "walk", "damped"]
    last = log.joint_commands()
    assert not last.stiffness_nm_per_rad[-1].any()
    assert (last.damping_nms_per_rad[-1] == 3.0).all()


def refused(capsys, *options):
    assert main(["run", *options]) == 2
    return capsys.readouterr().err


@needs_bundle
def test_a_stage_that_is_not_open_is_refused_before_the_robot_is_looked_for(capsys, tmp_path):
    message = refused(
        capsys,
        *(str(BUNDLE), "--robot", "go2", "--interface", "nowhere0", "--stage", "indoor"),
        *("--log", str(tmp_path), "--runtime", "numpy", "--unsigned", "UNSIGNED"),
    )
    assert f"The stage indoor is not open to bundle {identity(read_files(BUNDLE)[0])}: No log of the stage" in message


def test_an_emulated_robot_has_no_simulated_clock_which_is_said_before_the_bundle_is_loaded(capsys, tmp_path):
    where = ("--robot", "go2", "--interface", "lo", "--stage", "tethered")
    (tmp_path / "manifest.json").touch()
    message = refused(capsys, str(tmp_path), *where, "--simulated-clock", "--operator", "script:s")
    assert "live in real time" in message


@needs_bundle
@needs_mcap
def test_every_remedy_is_followed_and_works_and_no_later_refusal_takes_one_back(capsys, tmp_path):
    key, seal = tmp_path / "key", tmp_path / "seal"
    key.write_text("no key")
    key.chmod(0o644)
    typed = [str(BUNDLE), "--robot", "go2", "--stage", "tethered", "--runtime", "numpy", "--seal-key", str(key)]
    assert "--robot go2 needs --interface" in refused(capsys, *typed)
    typed += ["--interface", "none0"]
    assert "Give --log DIR" in refused(capsys, *typed)
    typed += ["--log", str(tmp_path / "logs")]
    assert "--unsigned UNSIGNED" in refused(capsys, *typed)
    typed += ["--unsigned", "UNSIGNED"]
    assert f"chmod 600 {key}" in refused(capsys, *typed)
    key.chmod(0o600)
    assert "Make one: surefoot-bridge key seal FILE" in refused(capsys, *typed)
    assert main(["key", "seal", str(seal)]) == 0
    typed[typed.index(str(key))] = str(seal)
    assert "Unknown network interface 'none0'; valid: " in refused(capsys, *typed)


@needs_robot
def test_nobody_at_a_terminal_is_a_checklist_that_is_not_acknowledged(capsys, monkeypatch):
    with Path(os.devnull).open() as nobody:
        monkeypatch.setattr("sys.stdin", nobody)
        message = refused(capsys, str(BUNDLE), "--robot", "mujoco", "--stage", "tethered", "--runtime", "numpy")
    assert "Nobody can acknowledge the checklist" in message
    assert "or give --acknowledge ready." in message
