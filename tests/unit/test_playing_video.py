"""Recordings, and the pictures made of them without a display or a GPU."""

import ctypes.util
import itertools
import re
import subprocess
from pathlib import Path

import imageio_ffmpeg
import mujoco
import numpy as np
import pytest
from PIL import Image

from surefoot.motion_recording import stretches
from surefoot.playing import gait_diagram, overlay, video
from surefoot.playing.recording import EpisodeRecording
from surefoot.playing.scene import RobotScene
from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot

ROBOT = "unitree_go2"

needs_osmesa = pytest.mark.skipif(
    ctypes.util.find_library("OSMesa") is None, reason="drawing on a CPU needs libosmesa6 (apt-get install libosmesa6)"
)


def make_recording(num_steps=100, speed=1.0):
    """A robot that glides forwards in its default pose, stepping with diagonal feet, and is pushed once."""
    spec = get_robot(ROBOT)
    time_s = 0.02 * (np.arange(num_steps) + 1)
    diagonal = (time_s % 0.5 < 0.25)[:, None]
    command = np.tile([speed, 0.0, 0.0], (num_steps, 1))
    push = np.zeros((num_steps, 2))
    push[num_steps // 2] = (0.3, -0.4)
    return EpisodeRecording(
        robot=ROBOT,
        task="Surefoot-Velocity-Flat-Go2",
        step_dt=0.02,
        base_pos=np.stack([speed * time_s, 0 * time_s, np.full(num_steps, spec.base_height_m)], axis=1),
        base_quat_wxyz=np.tile([1.0, 0.0, 0.0, 0.0], (num_steps, 1)),
        joint_pos=np.tile(spec.joint_values("default_joint_pos"), (num_steps, 1)),
        command=command,
        velocity=command + 0.1,
        push=push,
        foot_contact=np.concatenate([diagonal, ~diagonal, ~diagonal, diagonal], axis=1),
        fell=np.zeros(num_steps, dtype=bool),
    )


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """One second of film and its contact sheet."""
    folder = tmp_path_factory.mktemp("film")
    video.render_video(make_recording(50), folder / "film.mp4", folder / "sheet.png")
    return folder


def test_a_saved_recording_comes_back_equal(tmp_path):
    recording = make_recording(5)
    recording.save(tmp_path / "motion.npz")
    loaded = EpisodeRecording.load(tmp_path / "motion.npz")
    for name, value in vars(recording).items():
        assert np.array_equal(getattr(loaded, name), value), name


def test_a_file_that_is_no_recording_is_refused(tmp_path):
    (tmp_path / "motion.npz").write_text("no archive")
    with pytest.raises(SurefootError, match="is no recording made by surefoot play"):
        EpisodeRecording.load(tmp_path / "motion.npz")


def test_arrays_of_different_lengths_are_refused():
    values = vars(make_recording(5)) | {"push": np.zeros((4, 2))}
    with pytest.raises(SurefootError, match="arrays of one length"):
        EpisodeRecording(**values)


def test_the_film_has_25_frames_for_each_second():
    assert len(video.video_steps(make_recording(100))) == 50
    assert video.video_steps(make_recording(100))[:4] == [0, 2, 4, 6]


def test_the_contact_sheet_begins_a_second_into_the_fastest_command():
    recording = make_recording(1000, speed=0.2)
    recording.command[500:750, 0] = 0.9
    assert video.sheet_steps(recording) == list(range(550, 550 + 12 * 4, 4))


def test_the_contact_sheet_of_a_short_recording_stays_inside_it():
    assert max(video.sheet_steps(make_recording(20))) == 19


def read_film(path):
    """Return the frames (num_frames, 720, 1280, 3) of a film, and what ffmpeg says of it."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    result = subprocess.run(command, capture_output=True, check=True)
    return np.frombuffer(result.stdout, np.uint8).reshape(-1, 720, 1280, 3), result.stderr.decode()


@needs_osmesa
def test_frames_are_neither_black_nor_constant(film):
    frames, _ = read_film(film / "film.mp4")
    assert frames.shape == (25, 720, 1280, 3)
    brightness = frames.mean(axis=(1, 2, 3))
    assert brightness.min() > 50
    assert frames.std(axis=(1, 2, 3)).min() > 20
    change = np.abs(np.diff(frames.astype(int), axis=0)).mean(axis=(1, 2, 3))
    assert change.min() > 0.1, "the robot moves 4 cm between frames: each must differ from the one before"


@needs_osmesa
def test_the_robot_is_darker_than_its_ground_and_its_feet_have_a_colour_of_their_own(film):
    frame = read_film(film / "film.mp4")[0][12].astype(int)
    red, green, blue = np.moveaxis(frame[150:600, 300:1100], -1, 0)  # without the panels
    robot, feet = (red < 80) & (green < 90) & (blue < 110), (red > 150) & (green < 160) & (blue < 100)
    assert robot.mean() > 0.04
    assert 300 < feet.sum() < 6000
    ground = frame[560:600, 100:300]  # beside the robot
    assert ground.mean(axis=-1).min() > 130


def test_each_foot_is_joined_to_its_calf():
    scene = RobotScene(get_robot(ROBOT))
    model = scene.model
    for foot in get_robot(ROBOT).foot_bodies:
        body = model.body(foot).id
        shapes = [np.flatnonzero(model.geom_bodyid == place) for place in (body, model.body_parentid[body])]
        gaps_m = [mujoco.mj_geomDistance(model, scene.data, *pair, 1.0, None) for pair in itertools.product(*shapes)]
        assert min(gaps_m) <= 0.0, foot


@needs_osmesa
def test_the_film_is_h264_in_colours_that_browsers_play(film):
    _, header = read_film(film / "film.mp4")
    assert re.search(r"Video: h264 .* yuv420p.* 1280x720.* 25 fps", header)


@needs_osmesa
def test_the_contact_sheet_shows_four_by_three_frames(film):
    assert np.asarray(Image.open(film / "sheet.png")).shape == (3 * 360, 4 * 640, 3)


@needs_osmesa
def test_nothing_is_left_of_a_film_that_cannot_be_drawn(tmp_path):
    recording = make_recording(5)
    unknown = EpisodeRecording(**vars(recording) | {"robot": "unitree_go3"})
    with pytest.raises(SurefootError, match=r"could not be drawn .*Unknown robot 'unitree_go3'"):
        video.render_video(unknown, tmp_path / "film.mp4")
    assert list(tmp_path.iterdir()) == []


def test_a_film_that_breaks_off_leaves_the_old_one(tmp_path):
    def break_off():
        yield np.zeros((48, 64, 3), dtype=np.uint8)
        raise RuntimeError("driver lost")

    (tmp_path / "film.mp4").write_bytes(b"old")
    with pytest.raises(RuntimeError, match="driver lost"):
        video.encode(break_off(), tmp_path / "film.mp4", size=(64, 48), frames_per_second=25)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"old"]


def test_without_osmesa_the_error_names_the_package(monkeypatch):
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: None)
    with pytest.raises(SurefootError, match="apt-get install libosmesa6"):
        video.gl_backend()


@pytest.mark.parametrize(("libraries", "drawn_by"), [("EGL EGL_nvidia OSMesa", "egl"), ("EGL OSMesa", "osmesa")])
def test_a_driver_that_was_given_for_computing_alone_draws_nothing(monkeypatch, libraries, drawn_by):
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: name if name in libraries.split() else None)
    monkeypatch.setattr(Path, "exists", lambda path: str(path) == "/proc/driver/nvidia/version")
    assert video.gl_backend() == drawn_by


def test_a_library_that_was_chosen_is_taken(monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "egl")
    assert video.gl_backend() == "egl"


def test_the_gait_diagram_is_a_picture_with_dark_stance_bars(tmp_path):
    gait_diagram.write_gait_diagram(make_recording(), tmp_path / "gait.png")
    picture = np.asarray(Image.open(tmp_path / "gait.png"))[..., :3]
    assert picture.shape == (1000, 1400, 3)
    # Half of the time, 0.8 of the rows, 2.4 of 5.4 of the picture's height: 0.18, less the margins.
    assert 0.07 < (picture.max(axis=-1) < 60).mean() < 0.2


def test_the_gait_diagram_shows_two_seconds_of_the_fastest_command_by_themselves():
    recording = make_recording(1000, speed=0.2)
    recording.command[500:750, 0] = 0.9
    zoom, whole, *_ = gait_diagram.gait_diagram(recording).axes
    assert zoom.get_xlim() == pytest.approx((11.0, 13.0))  # a second into the command that begins at 10 s
    assert whole.get_xlim() == pytest.approx((0.0, 20.0))
    # A stance every half second; bars of the whole are there as well, and are cut off.
    assert len(zoom.collections) == 4


def test_runs_are_the_stretches_of_true():
    assert stretches(np.array([1, 1, 0, 1, 0, 0, 1], dtype=bool)) == [(0, 2), (3, 4), (6, 7)]
    assert stretches(np.zeros(3, dtype=bool)) == []


def test_the_overlay_changes_the_panels_and_nothing_else():
    recording = make_recording()
    frame = np.full((480, 640, 3), 100, dtype=np.uint8)
    drawn = overlay.Overlay(recording, ("FL", "FR", "RL", "RR")).draw(frame, 60)
    assert (drawn[10:30, 10:300] != 100).any()
    assert (drawn[440:470, 10:630] != 100).any()
    assert (drawn[150:380] == 100).all()
    assert (frame == 100).all(), "the frame that was handed in is left alone"
