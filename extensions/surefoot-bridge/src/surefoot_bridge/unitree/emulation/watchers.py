"""What may watch an emulated robot while it lives: a window, a video, and the gantry that lets it down."""

import os
import subprocess
import sys
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots.mujoco_robot import MujocoRobot
from surefoot_bridge.robots.mujoco_scene import add_plane, begin_scene, dress, light, load_mujoco, offscreen_library
from surefoot_bridge.state import heading, tilt

_FRAMES_PER_S = 25.0
_WIDTH, _HEIGHT = 1280, 720
_HANGS_M = 0.15  # above where it would stand: more than the legs of a G1 stretch from sitting to standing
_DISTANCE_M, _ELEVATION_DEG, _AZIMUTH_DEG = 2.5, -20.0, 135.0


class Watcher(ABC):
    """Something that is called after each step of an emulation."""

    @abstractmethod
    def __call__(self, time_s: float) -> None:
        """Look at the robot at a time [s]."""

    def __enter__(self) -> "Watcher":
        return self

    def __exit__(self, *unused: object) -> None:  # noqa: B027  (most have nothing to let go of)
        """End."""


class _Frames:
    """Says when the next picture is due; those that a pause has missed are not made up for."""

    def __init__(self) -> None:
        self._due_s = 0.0

    def due(self, time_s: float) -> bool:
        if time_s < self._due_s:
            return False
        self._due_s += 1.0 / _FRAMES_PER_S
        if self._due_s < time_s:
            self._due_s = time_s + 1.0 / _FRAMES_PER_S
        return True


class Gantry(Watcher):
    """Hangs the robot's base above where it is, and lets it down.

    Args:
        robot: The robot.
        release_s: When to let it down, on the emulation's clock [s].
    """

    def __init__(self, robot: MujocoRobot, release_s: float) -> None:
        self._robot, self._release_s = robot, release_s
        robot.data.qpos[2] += _HANGS_M
        robot.gantry = True

    def __call__(self, time_s: float) -> None:
        """Let it down when it is time."""
        if time_s >= self._release_s and self._robot.gantry:
            self._robot.gantry = False


class Truth(Watcher):
    """Notes where the robot really is, which none of its sensors measures.

    Attributes:
        rows: Time on the emulation's clock [s], place of the base in the world [m], and its tilt [rad].
    """

    def __init__(self, robot: MujocoRobot) -> None:
        self._robot = robot
        self._frames = _Frames()
        self.rows: list[dict[str, float]] = []

    def __call__(self, time_s: float) -> None:
        """Note it, as often as a video has frames."""
        if not self._frames.due(time_s):
            return
        (x, y, z), quat = self._robot.data.qpos[:3].tolist(), self._robot.data.qpos[3:7]
        turned = {"yaw_rad": float(heading(quat)), "tilt_rad": float(tilt(quat))}
        self.rows.append({"time_s": time_s, "x_m": x, "y_m": y, "z_m": z, **turned})


class Window(Watcher):
    """Shows the robot in a window. Closing it does not end the emulation.

    Raises:
        SurefootError: If there is no display.
    """

    def __init__(self, robot: MujocoRobot) -> None:
        if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            raise SurefootError("--view: there is no display. Use --record FILE instead.")  # MuJoCo would end us
        import mujoco.viewer

        self._viewer: Any = mujoco.viewer.launch_passive(robot.physics, robot.data)
        self._frames = _Frames()

    def __call__(self, time_s: float) -> None:
        """Show it as it is now, as often as a person sees."""
        if self._frames.due(time_s) and self._viewer.is_running():
            self._viewer.sync()

    def __exit__(self, *unused: object) -> None:
        self._viewer.close()


class Recorder(Watcher):
    """Records poses while the robot lives, and draws the video from them when it ends: drawing would hold it up.

    Args:
        robot: The robot.
        path: The video, ``.mp4``.

    Raises:
        SurefootError: If there is no ffmpeg, or nothing can be drawn.
    """

    def __init__(self, robot: MujocoRobot, path: Path) -> None:
        self._robot, self._path, self._ffmpeg = robot, path, _ffmpeg()
        self._drawn = _drawn(robot)
        try:
            self._renderer().close()  # tried before the robot lives, and not when all of it is over
        except Exception as error:  # each library of OpenGL has errors of its own
            raise SurefootError(
                f"--record: nothing can be drawn here with MUJOCO_GL={os.environ.get('MUJOCO_GL', '')}. Install OSMesa "
                "(apt-get install libosmesa6) and set MUJOCO_GL=osmesa, or leave --record out."
            ) from error
        self._poses: list[np.ndarray] = []
        self._frames = _Frames()

    def __call__(self, time_s: float) -> None:
        """Keep the pose, as often as the video has frames."""
        if self._frames.due(time_s):
            self._poses.append(self._robot.data.qpos.copy())

    def __exit__(self, *unused: object) -> None:
        if self._poses:
            self._draw()
            print(f"Recorded: {self._path}")

    def _renderer(self) -> Any:
        import mujoco

        return mujoco.Renderer(self._drawn, _HEIGHT, _WIDTH)

    def _draw(self) -> None:
        import mujoco

        data = mujoco.MjData(self._drawn)
        camera = mujoco.MjvCamera()
        camera.distance, camera.elevation, camera.azimuth = _DISTANCE_M, _ELEVATION_DEG, _AZIMUTH_DEG
        size = f"{_WIDTH}x{_HEIGHT}"
        command = [self._ffmpeg, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size]
        command += ["-r", str(_FRAMES_PER_S), "-i", "-", "-pix_fmt", "yuv420p", "-preset", "veryfast", str(self._path)]
        with self._renderer() as renderer:
            encoder = subprocess.Popen(command, stdin=subprocess.PIPE)
            assert encoder.stdin is not None
            with suppress(BrokenPipeError), encoder.stdin as pipe:  # how ffmpeg ended is asked below
                for pose in self._poses:
                    data.qpos[:] = pose
                    mujoco.mj_forward(self._drawn, data)
                    camera.lookat[:] = pose[:3]
                    renderer.update_scene(data, camera)
                    pipe.write(renderer.render().tobytes())
            if encoder.wait() != 0:
                raise SurefootError(f"ffmpeg could not write {self._path}; what it said is above.")


def _drawn(robot: MujocoRobot) -> Any:
    """Return the robot as films show it; its poses are those of the robot that lives."""
    mujoco, model = load_mujoco(), robot.robot_model
    scene = begin_scene(mujoco, model.mjcf_path, model.physics_dt_s)
    dress(mujoco, scene, model.foot_names)
    add_plane(mujoco, scene, model.ground_friction)
    light(mujoco, scene, (_WIDTH, _HEIGHT))
    return scene.compile()


def draw_without_display() -> None:
    """Choose the library that draws where there is no display; MuJoCo reads the choice when it is imported.

    Two variables of the environment say the same thing to MuJoCo and to PyOpenGL: a half of the pair, or another one,
    would make them disagree.
    """
    if "MUJOCO_GL" not in os.environ and not os.environ.get("DISPLAY"):
        os.environ["MUJOCO_GL"] = offscreen_library()
    if os.environ.get("MUJOCO_GL") in ("egl", "osmesa"):
        os.environ["PYOPENGL_PLATFORM"] = os.environ["MUJOCO_GL"]


def _ffmpeg() -> str:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise SurefootError("--record needs ffmpeg: pip install imageio-ffmpeg.") from error
    return imageio_ffmpeg.get_ffmpeg_exe()
