"""Two bridges on one robot are refused, and a lock ends with its holder."""

import os
import signal
import subprocess
import sys

import pytest
from unitree_peer import unitree_contract

from surefoot_bridge.clock import MonotonicClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import RobotAddress, RobotLock, lock
from surefoot_bridge.robots.lock import lock_path
from surefoot_bridge.unitree import UnitreeGo2

GO2 = RobotAddress("unitree_go2", "lo", 3)

HOLD = (
    "import sys; sys.path[:] = {path!r}\n"
    "from pathlib import Path\n"
    "from surefoot_bridge.unitree import RobotAddress, RobotLock\n"
    "lock = RobotLock(RobotAddress('unitree_go2', 'lo', 3), folder=Path({folder!r}))\n"
    "print('held', flush=True); sys.stdin.read()\n"
)


def hold(folder):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD.format(path=sys.path, folder=str(folder))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    return process


def end(process):
    process.kill()
    process.communicate()


def test_a_second_bridge_is_refused_and_told_who_holds_the_robot(tmp_path):
    process = hold(tmp_path)
    try:
        with pytest.raises(SurefootError) as refusal:
            RobotLock(GO2, folder=tmp_path)
    finally:
        end(process)
    assert str(refusal.value) == (
        f"Another bridge has unitree_go2 on interface lo, domain 3: process {process.pid} (-c). Two would fight over "
        "its joints. End that one first."
    )


def test_the_lock_of_a_killed_bridge_is_free(tmp_path):
    process = hold(tmp_path)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    RobotLock(GO2, folder=tmp_path).release()


def test_a_robot_can_be_had_again_once_it_was_given_back(tmp_path):
    for _ in range(2):
        lock = RobotLock(GO2, folder=tmp_path)
        lock.release()
        lock.release()
    with pytest.raises(SurefootError, match="was given back"):
        _ = lock.descriptor


@pytest.mark.parametrize(
    "other",
    [RobotAddress("unitree_g1", "lo", 3), RobotAddress("unitree_go2", "lo", 4), RobotAddress("unitree_go2", "eth0", 3)],
)
def test_another_robot_may_be_had_at_the_same_time(tmp_path, other):
    first, second = RobotLock(GO2, folder=tmp_path), RobotLock(other, folder=tmp_path)
    first.release()
    second.release()


def test_a_process_that_inherits_the_lock_holds_it_as_well(tmp_path):
    lock = RobotLock(GO2, folder=tmp_path)
    heir = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=[lock.descriptor])
    lock.release()
    try:
        with pytest.raises(SurefootError, match="Another bridge has"):
            RobotLock(GO2, folder=tmp_path)
    finally:
        end(heir)
    RobotLock(GO2, folder=tmp_path).release()


def test_all_users_lock_in_one_place_whatever_each_of_them_may_write_to(tmp_path, monkeypatch):
    """The system's folder is root's alone here, as on some systems: root must not lock where others cannot look."""
    for name, mode in (("system", 0o755), ("all", 0o1777)):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(mode)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "system"))
    monkeypatch.setattr(lock, "_SHARED", (tmp_path / "system", tmp_path / "all"))
    assert lock.lock_folder() == tmp_path / "all"
    (tmp_path / "all").chmod(0o755)
    with pytest.raises(SurefootError, match=rf"None of .*system and .*all .* chmod 1777 {tmp_path / 'all'}\.$"):
        RobotLock(GO2)
    (tmp_path / "all").chmod(0o1777)  # as the refusal says
    RobotLock(GO2).release()


def test_a_link_in_the_place_of_the_lock_is_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "surefoot-bridge-unitree_go2-lo-3.lock").symlink_to(victim)
    with pytest.raises(SurefootError, match="cannot be opened"):
        RobotLock(GO2, folder=tmp_path)
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("name", ["", "../../etc/x", "eth0/..", "..", "a b", "eth0:1", "e" * 16, 'x"/><y', "eth0\n"])
def test_what_is_no_name_of_an_interface_is_refused_before_any_path_is_made_of_it(name):
    with pytest.raises(SurefootError, match=r"is no name of a network interface: at most 15 letters.* There are: lo"):
        RobotAddress("unitree_go2", name)


def test_an_interface_that_is_not_there_leaves_no_lock_file():
    address = RobotAddress("unitree_go2", "none0", 3)
    with pytest.raises(SurefootError, match="Unknown network interface 'none0'"):
        UnitreeGo2(address, unitree_contract("unitree_go2"), clock=MonotonicClock())
    assert not lock_path(address, purpose="bridge").exists()
