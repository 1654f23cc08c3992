"""The live page: shapes as in the model, controls as the visitor sets them, and a picture in a real browser."""

import base64
import io
import json
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

import mujoco
import numpy as np
import pytest
from PIL import Image

from surefoot.playing import viewer
from surefoot.playing.schedule import PRESETS
from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot

ROBOT = "unitree_go2"
BROWSER = shutil.which("chromium")


@pytest.fixture(scope="module")
def page():
    page = viewer.LivePage(get_robot(ROBOT), title="a task", command=(0.5, 0.0, -0.2), host="localhost", port=8931)
    yield page
    page.close()


def test_the_page_is_for_this_machine_alone_unless_it_is_opened(page):
    listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines() if " 0A " in line]
    assert [place for place in listening if place.endswith(f":{page.port:04X}")] == [f"0100007F:{page.port:04X}"]


@pytest.mark.parametrize(
    ("kind", "size", "half_extent", "volume"),
    [
        ("BOX", (0.1, 0.2, 0.3), (0.1, 0.2, 0.3), 8 * 0.1 * 0.2 * 0.3),
        ("SPHERE", (0.2, 0.0, 0.0), (0.2, 0.2, 0.2), 4 / 3 * np.pi * 0.2**3),
        ("CYLINDER", (0.1, 0.3, 0.0), (0.1, 0.1, 0.3), np.pi * 0.1**2 * 0.6),
        ("CAPSULE", (0.1, 0.3, 0.0), (0.1, 0.1, 0.4), np.pi * 0.1**2 * 0.6 + 4 / 3 * np.pi * 0.1**3),
    ],
)
def test_a_shape_has_the_extent_and_volume_of_the_models(kind, size, half_extent, volume):
    shape = viewer.make_shape(getattr(mujoco.mjtGeom, f"mjGEOM_{kind}"), np.array(size))
    assert np.allclose(shape.bounds, [-np.array(half_extent), half_extent], atol=2e-3)
    assert shape.volume == pytest.approx(volume, rel=0.03)  # facets lie inside the round surface


def test_a_shape_that_cannot_be_drawn_is_refused():
    with pytest.raises(SurefootError, match="mjGEOM_MESH; valid: box, sphere, cylinder, capsule"):
        viewer.make_shape(mujoco.mjtGeom.mjGEOM_MESH, np.ones(3))


def test_the_command_is_the_one_it_starts_with_until_a_preset_is_chosen(page):
    assert page.command == (0.5, 0.0, -0.2)
    page.set_command(PRESETS["turn"])
    assert page.command == PRESETS["turn"]


def test_a_pressed_button_counts_once(page):
    page.pushes.set()
    assert page.push_wanted()
    assert not page.push_wanted()
    assert not page.reset_wanted()


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="needs the browser chromium (apt-get install chromium)")
def test_a_browser_shows_the_robot_moving_beside_the_controls(page, tmp_path):
    spec = get_robot(ROBOT)
    joints = np.array(spec.joint_values("default_joint_pos"))

    def show(height: float) -> None:
        page.show(np.array([0.0, 0.0, height]), np.array([1.0, 0.0, 0.0, 0.0]), joints, np.zeros(3), "a note")

    show(spec.base_height_m)
    with _Browser(f"http://localhost:{page.port}", tmp_path) as browser:
        standing = browser.picture_once(_shows_dark_shape)
        show(spec.base_height_m + 0.2)
        browser.picture_once(lambda picture: np.abs(picture - standing)[:, : picture.shape[1] // 2].mean() > 1.0)
        assert "a note" in browser.evaluate("document.body.innerText")
        assert "forward vx" in browser.evaluate("document.body.innerText")


def _shows_dark_shape(picture: np.ndarray) -> bool:
    """The background is white: a robot in the middle of the left two thirds darkens more than a hundredth of them."""
    middle = picture[200:600, 200:800].mean(axis=-1)
    return bool((middle < 140).mean() > 0.01)


class _Browser:
    """Chromium without a window, spoken to over its debugging protocol."""

    def __init__(self, url, profile):
        from websockets.sync.client import connect

        flags = (
            f"--headless=new --no-sandbox --user-data-dir={profile} --remote-debugging-port=0 --window-size=1280,800"
        )
        flags += " --use-angle=swiftshader --enable-unsafe-swiftshader --disable-quic --no-first-run"
        flags += " --disable-background-networking --disable-component-update --disable-sync"
        self._process = subprocess.Popen([BROWSER, *flags.split(), url], stderr=subprocess.DEVNULL)
        port = self._wait_for(lambda: (profile / "DevToolsActivePort").read_text().split()[0])
        tabs = self._wait_for(lambda: json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json")))
        address = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
        self._socket = connect(address, max_size=None)
        self._count = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()
        self._process.terminate()
        self._process.wait()

    def picture_once(self, condition) -> np.ndarray:
        """Return the first picture (height, width, 3) that meets a condition."""

        def look():
            content = self._call("Page.captureScreenshot", format="png")["data"]
            picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(content))).convert("RGB"), dtype=float)
            return picture if condition(picture) else None

        return self._wait_for(look)

    def evaluate(self, expression) -> str:
        return self._call("Runtime.evaluate", expression=expression)["result"]["value"]

    def _call(self, method, **parameters):
        self._count += 1
        self._socket.send(json.dumps({"id": self._count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=60))
            if message.get("id") == self._count:
                return message["result"]

    @staticmethod
    def _wait_for(attempt, timeout_s=90):
        until = time.monotonic() + timeout_s
        while True:
            try:
                if (result := attempt()) is not None:
                    return result
            except OSError:
                pass
            assert time.monotonic() < until, "the browser did not show it in time"
            time.sleep(0.5)
