"""What a container does with folders and processes, and what is said and done about it."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from surefoot_bridge import containers
from surefoot_bridge.arguments import OUTPUT_FOLDER
from surefoot_bridge.errors import SurefootError

LAYER = "612 480 0:45 / / rw,relatime master:210 - overlay overlay rw,lowerdir=/l/A:/l/B,upperdir=/u,workdir=/w\n"
"""The root of a container's mounts as /proc/self/mountinfo has it under Docker's overlay2."""

VFS = "612 480 254:1 /var/lib/docker/vfs/dir/1f2e / rw,relatime - ext4 /dev/vda1 rw\n"
MACHINE = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"  # one that was made from an image, mark and all
NAMELESS = 54321


def mount(root, point="/workspace/runs"):
    return f"640 612 254:1 {root} {point} rw,relatime master:1 - ext4 /dev/vda1 rw\n"


@pytest.fixture
def container(monkeypatch):
    """Return what sets the mounts of a container that this process takes itself to be in."""
    with tempfile.TemporaryDirectory(prefix="container-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)  # every user looks at it
        (folder / "mark").touch()
        monkeypatch.setattr(containers, "_CONTAINER_MARKS", (folder / "mark",))
        monkeypatch.setattr(containers, "_MOUNTS", folder / "mountinfo")
        monkeypatch.setattr(containers, "_USER_NUMBERS", folder / "uid_map")

        def be(mounts, users="0 0 4294967295"):
            (folder / "mountinfo").write_text(mounts)
            (folder / "uid_map").write_text(users)
            return folder

        yield be


@pytest.mark.parametrize(
    ("mounts", "users", "user"),
    [
        (LAYER, "0 0 4294967295", '"$(id -u):0"'),
        (VFS, "0 0 4294967295", '"$(id -u):0"'),
        (LAYER + mount(f"/var/lib/docker/volumes/{'0f' * 32}/_data"), "0 0 4294967295", '"$(id -u):0"'),
        (LAYER, "0 1000 1\n1 100000 65536", "0:0"),
    ],
    ids=["overlay", "vfs", "nameless volume", "rootless"],
)
def test_of_a_folder_that_goes_with_its_container_it_is_said_what_keeps_it_and_that_does(
    container, capsys, mounts, users, user
):
    container(mounts, users)
    containers.warn_if_lost(Path("/workspace/runs"))
    assert capsys.readouterr().err == (
        "Note: /workspace/runs is this container's own and is deleted with it, by --rm as soon as it ends. To keep "
        f'what is written there: mkdir -p runs && docker run --user {user} -v "$PWD/runs:/workspace/runs" ...\n'
    )
    container(mounts + mount("/srv/me/runs"), users)  # as that command makes it
    containers.warn_if_lost(Path("/workspace/runs"))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "mounts",
    [
        MACHINE,
        LAYER + mount("/srv/me/my\\040runs"),
        LAYER + mount("/var/lib/docker/volumes/surefoot_runs/_data"),
        LAYER + mount("/data", "/workspace/ru") + mount("/srv/me", "/workspace"),
    ],
    ids=["a machine", "bind mount", "named volume", "mount above"],
)
def test_of_a_folder_that_stays_nothing_is_said(container, capsys, mounts):
    container(mounts)
    containers.warn_if_lost(Path("/workspace/runs"))
    assert capsys.readouterr().err == ""


def test_outside_of_a_container_nothing_is_said_whatever_the_root_is(container, capsys):
    (container(LAYER) / "mark").unlink()
    containers.warn_if_lost(Path("/workspace/runs"))
    assert capsys.readouterr().err == ""


def refused(path, user):
    """Return with which words a user is refused a folder to write to; none if it is not."""
    os.seteuid(user)
    try:
        OUTPUT_FOLDER.check("--output", path)
    except SurefootError as error:
        return str(error)
    finally:
        os.seteuid(0)
    return ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_folder_that_docker_made_is_refused_with_what_opens_it_and_that_does(container):
    folder = container(LAYER)
    runs = folder / "runs"
    runs.mkdir(mode=0o755)
    assert "Permission denied. Give a file" in refused(runs, NAMELESS)  # the container's own: no mount
    container(LAYER + mount("/srv/me/runs", str(runs)))
    words = refused(runs / "new", NAMELESS)
    assert words.startswith(
        f"--output {runs}/new cannot be written: {runs} belongs to root, as what Docker makes for a mount does, and "
        f"this is user {NAMELESS}. Give it to that one on the host (sudo chown {NAMELESS} "
    )
    assert words.endswith(
        'next time mkdir it first and start with --user "$(id -u):0" (compose: SUREFOOT_UID=$(id -u)).'
    )
    os.chown(runs, int(re.search(r"chown (\d+)", words)[1]), 0)
    assert refused(runs / "new", NAMELESS) == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize(("owner", "users"), [(1000, "0 0 4294967295"), (0, "0 1000 1")], ids=["another", "rootless"])
def test_a_folder_of_another_user_is_refused_with_that_user_who_may_write_it(container, owner, users):
    folder = container(LAYER)
    runs = folder / "runs"
    runs.mkdir(mode=0o755)
    os.chown(runs, owner, 0)
    container(LAYER + mount("/srv/me/runs", str(runs)), users)
    words = refused(runs, NAMELESS)
    assert words == (
        f"--output {runs} cannot be written: {runs} belongs to user {owner}, and this is user {NAMELESS}. Start the "
        f"container as that one: --user {owner}:0 (compose: SUREFOOT_UID={owner})."
    )
    assert refused(runs, int(re.search(r"--user (\d+):0", words)[1])) == ""


FIRST = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child")


@pytest.mark.skipif(
    subprocess.run([*FIRST, "true"], check=False, capture_output=True).returncode != 0,
    reason="this system lets nobody have a first process of their own",
)
@pytest.mark.parametrize(
    ("ends", "status"),
    [("os.kill(os.getpid(), 9)", 137), ("while True: os.kill(1, 15); time.sleep(0.05)", 143), ("return 1", 1)],
    ids=["killed", "docker stop", "ended"],
)
def test_a_guardian_outlives_a_bridge_that_was_a_containers_first_process(tmp_path, ends, status):
    code = (
        f"import os, subprocess, sys, time; sys.path[:] = {sys.path!r}; from surefoot_bridge import command_line\n"
        "def work(name, rest):\n"
        f"    subprocess.Popen(['sh', '-c', 'sleep 0.3; echo damped >guardian'], cwd={str(tmp_path)!r})\n"
        f"    {ends}\n"
        "command_line._run = work; sys.exit(command_line.main(['check']))"
    )
    ran = subprocess.run([*FIRST, sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    assert (ran.returncode, ran.stderr) == (status, "")
    assert (tmp_path / "guardian").read_text() == "damped\n"
