"""Videos and contact sheets of recordings, drawn in a process of their own.

MuJoCo binds its OpenGL library when it is first imported, and the simulator may have imported it long before a video
is wanted. So a child process draws: it can choose the library, its memory is gone when it ends, and a driver that
crashes takes no figures with it.
"""

from __future__ import annotations

import argparse
import ctypes.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from surefoot.files import atomic_write
from surefoot.motion_recording import FILM_SIZE
from surefoot.playing.recording import EpisodeRecording
from surefoot.processes import module_command
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots.mujoco_scene import offscreen_library

FRAMES_PER_SECOND = 25

_SHEET_SIZE = (640, 360)
_SHEET_COLUMNS, _SHEET_ROWS = 4, 3
_SHEET_INTERVAL_S = 0.08
"""Between pictures of a contact sheet; 12 of them show about two strides of a trot."""

_HEADLESS = ("osmesa", "egl")
"""Libraries of OpenGL that need no screen."""


def render_video(recording: EpisodeRecording, video: Path, sheet: Path | None = None) -> None:
    """Draw a recording as an H.264 film, and some of its frames as one picture.

    Needs neither a display nor a GPU. Blocks until both files are there.

    Args:
        recording: The motion.
        video: The film to write, ``.mp4``.
        sheet: A PNG of a few frames around the fastest command, so that the gait can be judged at a glance.

    Raises:
        SurefootError: If there is no way to draw here, or a file cannot be written; no part of a file is left then.
    """
    with tempfile.TemporaryDirectory(prefix="surefoot-video-") as folder:
        recording.save(Path(folder) / "recording.npz")
        arguments = [f"{folder}/recording.npz", str(video.absolute())]
        if sheet is not None:
            arguments += ["--sheet", str(sheet.absolute())]
        draw_in_child("The video", "surefoot.playing.video", *arguments, without="--no-video")


def draw_in_child(what: str, module: str, *arguments: str, without: str) -> None:
    """Run a module that draws in a process of its own, with the OpenGL library that suits this machine.

    Args:
        what: What is drawn, for the message.
        module: The module.
        arguments: Its command line.
        without: The option that leaves out what is drawn, for the message.

    Raises:
        SurefootError: If there is no way to draw here, or it failed; the reason is the last line that it printed.
    """
    backend = gl_backend()
    # OpenGL's package has a choice of its own, which MuJoCo refuses where it differs from the one for MuJoCo.
    platform = {"PYOPENGL_PLATFORM": backend} if backend in _HEADLESS else {}
    environment = os.environ | {"MUJOCO_GL": backend, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | platform
    command = module_command(module, *arguments)
    result = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        reason = result.stderr.strip().splitlines()[-1:] or [f"exit status {result.returncode}"]
        others = " or ".join(f"MUJOCO_GL={name}" for name in _HEADLESS if name != backend)
        raise SurefootError(
            f"{what} could not be drawn with MUJOCO_GL={backend}: {reason[0]} "
            f"Choose another library with {others}, or leave it out with {without}."
        )


def gl_backend() -> str:
    """Return the OpenGL library to draw with: MUJOCO_GL if set, else that of :func:`offscreen_library`.

    Raises:
        SurefootError: If OSMesa is needed and not installed.
    """
    chosen = os.environ.get("MUJOCO_GL")
    if chosen:
        return chosen
    library = offscreen_library()
    if library == "osmesa" and ctypes.util.find_library("OSMesa") is None:
        raise SurefootError(
            "Drawing a video without a GPU needs the library OSMesa, which is not installed. "
            "Install it with: apt-get install libosmesa6. Or leave the video out with --no-video."
        )
    return library


def video_steps(recording: EpisodeRecording) -> list[int]:
    """Return the steps that become frames of the film, at `FRAMES_PER_SECOND` in real time."""
    stride = 1.0 / (FRAMES_PER_SECOND * recording.step_dt)
    count = max(1, round(recording.num_steps / stride))
    return [min(round(index * stride), recording.num_steps - 1) for index in range(count)]


def sheet_steps(recording: EpisodeRecording) -> list[int]:
    """Return the steps of a contact sheet, which begin a second into the fastest command."""
    interval = max(1, round(_SHEET_INTERVAL_S / recording.step_dt))
    count = _SHEET_COLUMNS * _SHEET_ROWS
    start = recording.fastest_start(interval * (count - 1) + 1)
    return [min(start + interval * index, recording.num_steps - 1) for index in range(count)]


def encode(
    frames: Iterable[np.ndarray],
    path: Path,
    *,
    size: tuple[int, int] = FILM_SIZE,
    frames_per_second: int = FRAMES_PER_SECOND,
    rate_factor: int = 23,
) -> None:
    """Write frames as H.264 with 4:2:0 colours, which every browser plays; whole or not at all.

    Args:
        frames: Pictures of shape (height, width, 3), uint8.
        path: The file to write.
        size: Width and height [pixels], both even.
        frames_per_second: Rate of the film.
        rate_factor: x264's constant rate factor, larger for smaller files; 23 is its own.

    Raises:
        SurefootError: If the file cannot be written.
    """
    import imageio_ffmpeg

    with tempfile.TemporaryDirectory(prefix="surefoot-video-") as folder:
        draft = Path(folder) / "draft.mp4"
        writer = imageio_ffmpeg.write_frames(
            str(draft),
            size,
            fps=frames_per_second,
            codec="libx264",
            quality=None,  # pyright: ignore[reportArgumentType] - None leaves it to the parameters below
            macro_block_size=2,
            output_params=[
                # Half of the time that x264's own preset takes; it draws beside us on the same cores.
                *("-crf", str(rate_factor), "-preset", "veryfast"),
                *("-movflags", "+faststart", "-loglevel", "error"),
            ],
        )
        with closing(writer):
            writer.send(None)
            for frame in frames:
                writer.send(np.ascontiguousarray(frame))
        with atomic_write(path) as file:
            file.write(draft.read_bytes())


def write_sheet(frames: Iterable[np.ndarray], path: Path) -> None:
    """Write frames, in reading order, as one PNG."""
    from PIL import Image

    pictures = [Image.fromarray(frame) for frame in frames]
    width, height = pictures[0].size
    sheet = Image.new("RGB", (width * _SHEET_COLUMNS, height * _SHEET_ROWS))
    for index, picture in enumerate(pictures):
        sheet.paste(picture, (index % _SHEET_COLUMNS * width, index // _SHEET_COLUMNS * height))
    with atomic_write(path) as file:
        sheet.save(file, format="PNG")


def with_progress(frames: Iterable[np.ndarray], total: int) -> Iterator[np.ndarray]:
    """Pass frames on and show how many are done, on a terminal only."""
    shown = sys.stdout.isatty()
    for done, frame in enumerate(frames, start=1):
        yield frame
        if shown:
            print(f"\rDrawing the video: frame {done} of {total}", end="\n" if done == total else "", flush=True)


def main() -> int:
    """Draw in this process; `render_video` calls it in a child."""
    parser = argparse.ArgumentParser(prog="python -m surefoot.playing.video")
    parser.add_argument("recording", type=Path)
    parser.add_argument("video", type=Path)
    parser.add_argument("--sheet", type=Path)
    args = parser.parse_args()

    from surefoot.playing.frames import render_frames

    try:
        recording = EpisodeRecording.load(args.recording)
        steps = video_steps(recording)
        encode(with_progress(render_frames(recording, steps), len(steps)), args.video)
        if args.sheet is not None:
            write_sheet(render_frames(recording, sheet_steps(recording), size=_SHEET_SIZE), args.sheet)
    except SurefootError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
