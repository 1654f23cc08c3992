"""The cache of converted robots: one whole result, however many processes ask and wherever they are killed."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot, list_robots, mjcf
from surefoot_robots.usd import usd_path

GO2 = get_robot("unitree_go2")
CONVERT = "from surefoot_robots import *; from surefoot_robots.usd import *; print(usd_path(get_robot('unitree_go2')))"

READ = """
import json, sys
from pxr import Usd, UsdPhysics
stage = Usd.Stage.Open(sys.argv[1])  # prims end with it
prims = list(stage.Traverse())
bodies = [prim.GetName() for prim in prims if prim.HasAPI(UsdPhysics.RigidBodyAPI)]
joints = [prim.GetName() for prim in prims if prim.IsA(UsdPhysics.RevoluteJoint)]
print(json.dumps([bodies, joints, any(prim.GetTypeName() == "Mesh" for prim in prims)]))
"""
"""Names of bodies and hinges in a USD file, and whether it has meshes, in a process of their own."""


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("SUREFOOT_CACHE_DIR", str(tmp_path))
    return tmp_path / "usd"


def start() -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", CONVERT], stdout=subprocess.PIPE, text=True, start_new_session=True)


def finished(cache: Path) -> list[Path]:
    return [path for path in cache.iterdir() if not path.name.startswith(".")]


def test_a_robot_is_converted_once_and_then_taken_from_the_cache(cache):
    path = usd_path(GO2)
    assert path.parent.parent == cache
    assert path.read_bytes().startswith(b"PXR-USDC")
    written = path.stat().st_mtime_ns
    assert usd_path(GO2) == path
    assert path.stat().st_mtime_ns == written
    assert list(cache.iterdir()) == [path.parent]


def test_processes_that_start_at_once_share_one_whole_result(cache):
    processes = [start() for _ in range(4)]
    paths = {process.communicate(timeout=120)[0].strip() for process in processes}
    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    assert paths == {str(usd_path(GO2))}
    assert [path.name for path in cache.iterdir()] == [usd_path(GO2).parent.name]


def test_a_conversion_that_is_killed_leaves_nothing_half_written(cache):
    process = start()
    deadline = time.monotonic() + 60.0
    while not (cache.is_dir() and any(cache.iterdir())):
        assert time.monotonic() < deadline
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert finished(cache) == []
    assert usd_path(GO2).read_bytes().startswith(b"PXR-USDC")


def test_a_changed_model_gets_a_file_of_its_own(cache, tmp_path):
    changed = tmp_path / GO2.mjcf_path.name
    changed.write_text(GO2.mjcf_path.read_text().replace('mass="6.921"', 'mass="7.921"'))
    assert usd_path(replace(GO2, mjcf_path=changed)) != usd_path(GO2)


def test_a_model_named_unlike_its_file_is_refused(cache, tmp_path):
    renamed = tmp_path / "dog.xml"
    renamed.write_bytes(GO2.mjcf_path.read_bytes())
    with pytest.raises(SurefootError, match=r"dog\.xml must be named 'dog', like its file\.$"):
        usd_path(replace(GO2, mjcf_path=renamed))
    assert finished(cache) == []


def test_a_cache_that_cannot_be_written_is_named_with_the_remedy(cache):
    cache.write_text("a file where the directory should be")
    with pytest.raises(SurefootError) as error:
        usd_path(GO2)
    assert str(error.value).startswith(f"The USD cache {cache} cannot be written: ")
    assert str(error.value).endswith("Set SUREFOOT_CACHE_DIR to a writable directory.")


@pytest.mark.parametrize("name", list_robots())
def test_bodies_and_joints_of_every_robot_keep_their_names_and_its_shapes_are_primitives(name):
    spec = get_robot(name)
    command = [sys.executable, "-c", READ, str(usd_path(spec))]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    bodies, joints, has_meshes = json.loads(done.stdout.splitlines()[-1])
    assert (sorted(bodies), sorted(joints)) == (
        sorted(mjcf.read_names(spec.mjcf_path).bodies),
        sorted(spec.joint_names),
    )
    assert not has_meshes
