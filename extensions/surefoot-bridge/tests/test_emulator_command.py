"""`surefoot-bridge emulate`: what it takes, what it writes, and what it refuses."""

import json
import os
import subprocess
import sys

import pytest
from emulation import needs_emulator
from unitree_peer import DOMAIN, needs_dds

from surefoot_bridge.clock import SimulatedClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots.model import robot_model
from surefoot_bridge.robots.mujoco_robot import MujocoRobot
from surefoot_bridge.unitree.emulation.emulator import main
from surefoot_bridge.unitree.emulation.watchers import Gantry, Recorder, Truth, Window

pytestmark = [needs_dds, needs_emulator]


def emulate(*options):
    return main(["--robot", "go2", "--domain", str(DOMAIN), "--duration", "0.5", *options])


def test_it_ends_after_its_time_and_writes_where_the_robot_really_was(tmp_path, capsys):
    assert emulate("--json", str(tmp_path / "e.json")) == 0
    told = json.loads((tmp_path / "e.json").read_text())
    assert told["ok"] is True
    assert told["provenance"]["robot"] == "unitree_go2"
    assert told["figures"]["obeyed"] == 0
    assert told["figures"]["reports"] > 10
    assert all(0.0 < row["z_m"] < 0.2 and row["tilt_rad"] < 0.3 for row in told["rows"])  # it lies there
    out = capsys.readouterr().out
    assert out.startswith(f"Emulating unitree_go2 on interface lo, domain {DOMAIN}. Ctrl-C ends it.\n")
    assert "commands: 0 obeyed, 0 with a wrong checksum and 0 with a wrong header ignored" in out


def test_a_half_of_the_pair_that_chooses_how_is_drawn_still_gives_a_film(tmp_path):
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; from pathlib import Path; "
        "from surefoot_bridge.unitree.emulation.watchers import Recorder, draw_without_display; "
        "draw_without_display(); "
        "from surefoot_bridge.clock import SimulatedClock; from surefoot_bridge.robots.model import robot_model; "
        "from surefoot_bridge.robots.mujoco_robot import MujocoRobot; "
        "recorder = Recorder(MujocoRobot(robot_model('unitree_go2'), clock=SimulatedClock()), Path(sys.argv[1])); "
        "[recorder(0.05 * i) for i in range(3)]; recorder.__exit__()"
    )
    environment = {name: value for name, value in os.environ.items() if name not in ("MUJOCO_GL", "DISPLAY")}
    command, film = [sys.executable, "-c", code, str(tmp_path / "film.mp4")], tmp_path / "film.mp4"
    for half in ({"PYOPENGL_PLATFORM": "egl"}, {"MUJOCO_GL": "osmesa", "PYOPENGL_PLATFORM": "egl"}):
        ran = subprocess.run(command, env={**environment, **half}, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        assert film.stat().st_size > 1000
        film.unlink()


def test_without_a_display_there_is_no_window(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    robot = MujocoRobot(robot_model("unitree_go2"), clock=SimulatedClock())
    with pytest.raises(SurefootError, match="--view: there is no display"):
        Window(robot)


def test_a_robot_hangs_until_it_is_let_down():
    clock = SimulatedClock()
    robot = MujocoRobot(robot_model("unitree_go2"), clock=clock)
    lying_m = robot.data.qpos[2]
    gantry = Gantry(robot, release_s=1.0)
    clock.sleep_until(0.9)
    gantry(clock.now())
    assert robot.data.qpos[2] == pytest.approx(lying_m + 0.15, abs=0.01)
    gantry(1.0)
    clock.sleep_until(8.0)  # for a while it rests on its stretched legs
    assert robot.data.qpos[2] < lying_m + 0.05


def test_the_truth_is_noted_as_often_as_a_film_has_pictures():
    clock = SimulatedClock()
    truth = Truth(MujocoRobot(robot_model("unitree_go2"), clock=clock))
    for i in range(500):
        truth(0.002 * i)
    assert len(truth.rows) == 25
    assert truth.rows[0]["tilt_rad"] == pytest.approx(0.0, abs=1e-6)


def test_pictures_that_a_pause_has_missed_are_not_made_up_for(tmp_path):
    recorder = Recorder(MujocoRobot(robot_model("unitree_go2"), clock=SimulatedClock()), tmp_path / "film.mp4")
    for time_s in (0.0, 0.01, 0.04, 5.0, 5.001, 5.041):
        recorder(time_s)
    assert len(recorder._poses) == 4
