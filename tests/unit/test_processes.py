"""What every process begins with, on machines that lack what others have; and how one starts another."""

import os
import subprocess
import sys

import pytest

from surefoot import processes
from surefoot.playing import video
from surefoot_bridge.errors import SurefootError

NAMELESS = 54321
"""A user id without a name, as a container may have."""

CACHES = ("XDG_CACHE_HOME", "WARP_CACHE_PATH", "TORCHINDUCTOR_CACHE_DIR", "MPLCONFIGDIR")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
def test_a_nameless_user_with_a_home_that_cannot_be_written_has_caches_and_a_name(tmp_path):
    program = (
        f"import getpass, os, sys; sys.path[:] = {sys.path}; from pathlib import Path\n"
        f"from surefoot.processes import prepare_environment; os.setgid({NAMELESS}); os.setuid({NAMELESS})\n"
        "prepare_environment(); print(getpass.getuser(), Path.home())\n"
        f"for name in {CACHES}:\n"
        "    folder = Path(os.environ[name]); folder.mkdir(parents=True, exist_ok=True); (folder / 'a').touch()"
    )
    unset = (*CACHES, "USER", "LOGNAME", "HOME")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    for home in ({}, {"HOME": "/nonexistent"}, {"HOME": "/root"}):
        command = [sys.executable, "-c", program]
        run = subprocess.run(command, env={**environment, **home}, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert run.stdout.split()[0] == f"user{NAMELESS}"


def test_a_file_of_the_working_folder_is_not_taken_for_a_standard_module(tmp_path):
    (tmp_path / "random.py").write_text("raise SystemExit('the wrong module')\n")
    environment = {**os.environ, "PYTHONPATH": ""}  # which may name the working folder itself
    command = processes.module_command("tempfile")
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_both_variables_of_opengl_are_set_whichever_was(monkeypatch):
    seen = {}

    def run(command, env, **options):
        seen.update(env)
        return subprocess.CompletedProcess(command, 1, stderr="no context\n")

    monkeypatch.setattr(video.subprocess, "run", run)
    monkeypatch.setenv("PYOPENGL_PLATFORM", "egl")
    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    with pytest.raises(SurefootError, match=r"MUJOCO_GL=osmesa: no context Choose .* MUJOCO_GL=egl, or"):
        video.draw_in_child("A film", "a.module", without="--no-video")
    assert (seen["MUJOCO_GL"], seen["PYOPENGL_PLATFORM"]) == ("osmesa", "osmesa")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_cache_of_somebody_else_is_not_used(tmp_path):
    os.chown(tmp_path, NAMELESS, NAMELESS)
    with pytest.raises(SurefootError, match=r"is another user's\. Set HOME"):
        processes._claim(tmp_path)
