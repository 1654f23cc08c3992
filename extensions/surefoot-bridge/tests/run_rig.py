"""`surefoot-bridge run` in processes of its own for tests, with the shipped bundle."""

import contextlib
import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log import read_log

BUNDLE = Path(__file__).parents[3] / "tasks/surefoot_tasks/velocity/bundles/Surefoot-Velocity-Flat-Go2"


def obstacle():
    """Why no robot can be run here; empty if one can."""
    if not BUNDLE.is_dir():
        return "the shipped bundles are not beside this package"
    try:
        import mujoco  # noqa: F401

        from surefoot_bridge.robots.model import robot_model

        robot_model("unitree_go2")
    except (ImportError, SurefootError) as error:
        return str(error)
    return ""


needs_robot = pytest.mark.skipif(bool(obstacle()), reason=obstacle() or "none")
needs_bundle = pytest.mark.skipif(not BUNDLE.is_dir(), reason="the shipped bundles are not beside this package")

WALK = "0 stand\n2.2 walk\n3 velocity 0.3 0 0\n"
REHEARSE = ("--robot", "mujoco", "--stage", "tethered", "--runtime", "numpy", "--acknowledge", "ready")


LONGEST_S = 600.0  # for a busy computer; 15 s is what the longest takes on an idle one


class Running:
    """The command in a process of its own, on a simulated clock, with its log."""

    def __init__(self, folder, script, *options):
        (folder / "script").write_text(script)
        self.logs = folder / "logs"
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; from surefoot_bridge.command_line import main; sys.exit(main())"
        )
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-c", code, "run", str(BUNDLE), *REHEARSE, "--simulated-clock"),
                *("--operator", f"script:{folder / 'script'}", "--log", str(self.logs), *options),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )

    @property
    def log(self):
        (folder,) = self.logs.iterdir()
        return read_log(folder)

    def await_mode(self, mode):
        """Wait until a mode is in the log, which is written all the while."""
        until = time.monotonic() + LONGEST_S
        while time.monotonic() < until and self.process.poll() is None:
            with contextlib.suppress(SurefootError, OSError, ValueError):  # it may not have begun
                (folder,) = self.logs.iterdir()
                if mode in read_log(folder, topics=("/mode",))["/mode"]["mode"]:
                    return
            time.sleep(0.05)
        raise AssertionError(f"The robot was never in the mode {mode}: {self.end()}")

    def end(self, timeout_s=LONGEST_S):
        try:
            return self.process.communicate(timeout=timeout_s)[0]
        finally:
            self.process.kill()


class Terminal:
    """The command in a terminal of its own, in real time, with somebody at the keys."""

    def __init__(self, *options):
        self.keys, self.screen = pty.openpty()
        self.before = termios.tcgetattr(self.screen)
        self.shown = ""
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; from surefoot_bridge.command_line import main; sys.exit(main())"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, "run", str(BUNDLE), *options],
            stdin=self.screen,
            stdout=self.screen,
            stderr=self.screen,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )

    def await_text(self, text):
        until = time.monotonic() + LONGEST_S
        while text not in self.shown:
            assert time.monotonic() < until, self.shown
            self.look(0.1)

    def look(self, longest_s):
        """Take what is shown, as soon as there is something."""
        if select.select([self.keys], [], [], longest_s)[0]:
            self.shown += os.read(self.keys, 65536).decode()

    def type(self, keys):
        os.write(self.keys, keys.encode())

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.keys)
        os.close(self.screen)
