"""Short films of trials, small enough to stand in a page.

MuJoCo binds its OpenGL library when it is first imported, so that a child process draws, as for
:mod:`surefoot.playing.video`.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot.evaluation.trials.recording import Recording
from surefoot.playing import video
from surefoot.playing.recording import EpisodeRecording
from surefoot.playing.video import draw_in_child, encode
from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot

from .engine_style import style_of
from .figure import moving, period_s
from .words import THIN, title

FRAMES_PER_SECOND = 10
"""Of the films in a page: two for each stance of a trot; drawing them at 25 a second would hold a report up."""
LENGTH_S = 3.2
"""Ten strides of a trot or so, or a push and what follows."""

_RATE_FACTOR = 38
"""x264's constant rate factor: the robot's legs and the ground stay clear, at some 80 kB a film."""

_STILL_SIZE, _STILL_QUALITY = (640, 360), 45

_TOUCH_N = 1.0
"""Force from which a foot is on the ground [N], as for the contacts of ``surefoot play``."""

LONGEST_WHOLE_S = 60.0
"""Length of a film of a whole trial [s]: drawing takes about as long as the film plays, without a GPU longer."""

_WORK = "scenarios.json"

FilmKey = tuple[str, str, str]
"""Scenario, engine and role."""


class Drawn(NamedTuple):
    """A film and a picture of its most telling moment, each as a URL that holds it."""

    film: str
    still: str


def films(recordings: Mapping[FilmKey, Recording], scenarios: Mapping[str, Scenario]) -> dict[FilmKey, Drawn]:
    """Draw the telling seconds of some trials.

    Args:
        recordings: The trials.
        scenarios: Their scenarios by name, for the ground.

    Returns:
        A film of each.

    Raises:
        SurefootError: If there is no way to draw here.
    """
    with tempfile.TemporaryDirectory(prefix="surefoot-film-") as folder:
        work = []
        for index, (key, recording) in enumerate(recordings.items()):
            recording.save(Path(folder) / f"{index}.npz")
            work.append(scenarios[key[0]].model_dump_json())
        (Path(folder) / _WORK).write_text(json.dumps(work), encoding="utf-8")
        draw_in_child("Films", "surefoot.evaluation.report.film", folder, without="--no-pages")
        return {
            key: Drawn(
                _url("video/mp4", Path(folder) / f"{index}.mp4"), _url("image/jpeg", Path(folder) / f"{index}.jpg")
            )
            for index, key in enumerate(recordings)
        }


def whole_film(recording: Recording, scenario: Scenario, path: Path) -> None:
    """Draw a trial from its beginning to its end, or the last minute of it.

    Args:
        recording: The trial.
        scenario: Its scenario, for the ground.
        path: The film to write, ``.mp4``; whole or not at all.

    Raises:
        SurefootError: If there is no way to draw here, or the file cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix="surefoot-film-") as folder:
        recording.save(Path(folder) / "0.npz")
        (Path(folder) / _WORK).write_text(json.dumps([scenario.model_dump_json()]), encoding="utf-8")
        arguments = (folder, "--whole", str(path.absolute()))
        draw_in_child("The film", "surefoot.evaluation.report.film", *arguments, without="--no-video")


def as_episode(recording: Recording) -> EpisodeRecording:
    """Return a trial in the form of an episode of ``surefoot play``, to be drawn as one."""
    spec, name = get_robot(recording.robot), title(recording.scenario).replace(THIN, " ")
    policy_order = [spec.sdk_joint_names.index(joint) for joint in spec.joint_names]
    fell = np.zeros(recording.num_steps, dtype=bool)
    fell[-1] = recording.reason == "fell"
    return EpisodeRecording(
        robot=recording.robot,
        task=f"{name}, {style_of(recording.engine).label}, trial {recording.number}",
        step_dt=period_s(recording),
        base_pos=recording.base_pos_w.astype(float),
        base_quat_wxyz=recording.base_quat_wxyz.astype(float),
        joint_pos=recording.joint_pos_rad[:, policy_order],
        command=recording.command,
        velocity=np.column_stack([recording.base_lin_vel_b[:, :2], recording.base_ang_vel_b[:, 2]]),
        push=recording.push_force_w[:, :2].astype(float),
        foot_contact=recording.foot_force_n > _TOUCH_N,
        fell=fell,
        push_unit="N",
    )


def telling_window(recording: Recording) -> tuple[float, float]:
    """Return from when to when a trial is shown [s]: its end if it failed, else a push or its walk."""
    time_s = recording.time_s
    pushed = np.flatnonzero(np.any(recording.push_force_w != 0.0, axis=1))
    walking = np.flatnonzero(moving(recording.command))
    over = float(time_s[-1])
    if not recording.success:
        start = over - LENGTH_S
    elif pushed.size:
        start = float(time_s[pushed[-1]]) - 0.3 * LENGTH_S
    else:
        start = float(time_s[walking[len(walking) // 2]] if walking.size else time_s[len(time_s) // 2]) - LENGTH_S / 2
    start = min(max(start, 0.0), max(0.0, over - LENGTH_S))
    return start, min(over, start + LENGTH_S)


def film_rows(recording: Recording) -> list[int]:
    """Return the rows of a recording that become frames; the last one stays for half a second where a trial failed."""
    return _rows(recording, *telling_window(recording), FRAMES_PER_SECOND)


def _rows(recording: Recording, start: float, stop: float, frames_per_second: int) -> list[int]:
    wanted = np.arange(start, stop, 1.0 / frames_per_second)
    rows = np.searchsorted(recording.time_s, wanted).clip(0, recording.num_steps - 1).tolist()
    if not recording.success:
        rows += [recording.num_steps - 1] * (frames_per_second // 2)
    return rows or [recording.num_steps - 1]


def _url(kind: str, path: Path) -> str:
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


def _save_still(frame: np.ndarray, path: Path) -> None:
    from PIL import Image

    Image.fromarray(frame).resize(_STILL_SIZE).save(path, quality=_STILL_QUALITY, optimize=True)


def _draw_telling(recording: Recording, scenario: Scenario, path: Path) -> None:
    """Draw the telling seconds of a trial, and a still of them beside the film."""
    rows = film_rows(recording)
    # A failure shows at its end, anything else as well in the middle as anywhere.
    shown = len(rows) // 2 if recording.success else len(rows) - 1

    def frames() -> Iterator[np.ndarray]:
        for place, frame in enumerate(_frames(recording, scenario, rows)):
            if place == shown:
                _save_still(frame, path.with_suffix(".jpg"))
            yield frame

    encode(frames(), path, frames_per_second=FRAMES_PER_SECOND, rate_factor=_RATE_FACTOR)


def _draw_whole(recording: Recording, scenario: Scenario, path: Path) -> None:
    over = float(recording.time_s[-1])
    rows = _rows(recording, max(0.0, over - LONGEST_WHOLE_S), over, video.FRAMES_PER_SECOND)
    encode(video.with_progress(_frames(recording, scenario, rows), len(rows)), path)


def _frames(recording: Recording, scenario: Scenario, rows: list[int]) -> Iterator[np.ndarray]:
    """Draw rows of a trial as `surefoot play` draws an episode."""
    from surefoot.evaluation.scenarios.ground import scenario_grid
    from surefoot.playing.frames import render_frames

    return render_frames(as_episode(recording), rows, grid=scenario_grid(scenario))


def main() -> int:
    """Draw in this process; :func:`films` and :func:`whole_film` call it in a child."""
    parser = argparse.ArgumentParser(prog="python -m surefoot.evaluation.report.film")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--whole", type=Path)
    args = parser.parse_args()
    try:
        for index, text in enumerate(json.loads((args.folder / _WORK).read_text(encoding="utf-8"))):
            recording = Recording.load(args.folder / f"{index}.npz")
            scenario = Scenario.model_validate_json(text)
            if args.whole is not None:
                _draw_whole(recording, scenario, args.whole)
            else:
                _draw_telling(recording, scenario, args.folder / f"{index}.mp4")
    except SurefootError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
