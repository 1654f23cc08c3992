"""A robot that cannot be opened: it is said why, and what to look at."""

import importlib.metadata
import os
import subprocess
import sys
import time

import pytest
from unitree_peer import DOMAIN, Peer, address, needs_dds, unitree_contract

from surefoot_bridge.clock import MonotonicClock
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import RobotAddress
from surefoot_bridge.robots.address import interfaces
from surefoot_bridge.unitree import open_robot, opening, robots, unitree_robot
from surefoot_bridge.unitree.address import unitree_address
from surefoot_bridge.unitree.dds import library as dds_library
from surefoot_bridge.unitree.dds.participant import Participant

GO2, G1 = "unitree_go2", "unitree_g1"


def refusal(where=None, contract=None, timeout_s=0.3):
    with pytest.raises(SurefootError) as error:
        open_robot(
            where or address(GO2), contract or unitree_contract(GO2), clock=MonotonicClock(), timeout_s=timeout_s
        )
    return str(error.value)


def test_an_interface_that_does_not_exist_is_refused_with_those_that_do():
    told = refusal(RobotAddress(GO2, "eth77", 0))
    assert told.startswith("Unknown network interface 'eth77'; valid: ")
    assert "lo" in told


def test_an_interface_that_is_down_is_refused():
    down = [name for name, up in interfaces().items() if not up]
    if not down:
        pytest.skip("every network interface of this computer is up")
    assert refusal(RobotAddress(GO2, down[0], 0)).startswith(f"Network interface {down[0]} is down; up: ")


def test_the_loopback_is_up():
    assert interfaces()["lo"]


def test_a_robot_that_nobody_knows_is_refused():
    with pytest.raises(SurefootError, match=r"Unknown robot 'unitree_go'; valid: unitree_go2, unitree_g1\."):
        unitree_address("unitree_go", "lo", 0)


@pytest.mark.parametrize("domain", [-1, 231])
def test_a_domain_that_does_not_exist_is_refused(domain):
    with pytest.raises(SurefootError, match=f"domain is {domain}; valid: 0 to 230"):
        unitree_address(GO2, "lo", domain)


@needs_dds
def test_a_robot_that_is_not_there_is_waited_for_in_bounds_and_likely_causes_are_named():
    begin_s = time.monotonic()
    told = refusal(timeout_s=0.5)
    assert time.monotonic() - begin_s < 5.0
    assert told.startswith(
        f"No report of unitree_go2 on interface lo, domain {DOMAIN} in 0.5 s. Likely: nobody publishes"
    )
    for cause in ("it is off", "another interface", "the domain is another one", "of another kind", "a firewall"):
        assert cause in told


@needs_dds
def test_a_robot_that_has_said_nothing_yet_is_told_from_one_that_is_not_there():
    with Peer(GO2, reporting=False):
        assert "somebody publishes rt/lowstate, but nothing arrives" in refusal(timeout_s=1.0)


@needs_dds
def test_a_robot_of_another_kind_is_not_mistaken_for_this_one():
    with Peer(G1):
        assert "No report of unitree_go2" in refusal(timeout_s=1.0)


@needs_dds
def test_a_robot_whose_checksums_are_all_wrong_is_refused():
    with Peer(GO2) as peer:
        peer.firmware.corrupt_reports = 10**6
        assert "reports come, but the last one's checksum is wrong" in refusal(timeout_s=1.0)


@needs_dds
@pytest.mark.parametrize("factor", [0.0, 1000.0])
def test_a_robot_whose_clock_does_not_tick_in_milliseconds_is_refused(factor, monkeypatch):
    with Peer(GO2) as peer:
        begin_s = time.monotonic()
        report = peer.firmware.report

        def other_ticks(state):
            state.time_s[...] = 5.0 + factor * (time.monotonic() - begin_s)
            report(state)

        monkeypatch.setattr(peer.firmware, "report", other_ticks)
        assert "expected 1000 per second" in refusal(timeout_s=2.0)


def once_variant_is_known(monkeypatch, what):
    """Have something happen between a robot's first reports and the look at its clock."""
    require = robots.UnitreeGo2.require_variant
    monkeypatch.setattr(robots.UnitreeGo2, "require_variant", lambda robot: (require(robot), what())[0])


@needs_dds
def test_a_computer_that_stands_still_at_the_look_at_the_clock_is_not_taken_for_another_firmware(monkeypatch):
    read, pauses_s = robots.UnitreeGo2.read, []

    def slow_read(robot):
        reading = read(robot)
        time.sleep(pauses_s.pop() if pauses_s else 0.0)
        return reading

    monkeypatch.setattr(robots.UnitreeGo2, "read", slow_read)
    once_variant_is_known(monkeypatch, lambda: pauses_s.append(3.0))  # after the look at the first report
    with Peer(GO2), open_robot(address(GO2), unitree_contract(GO2), clock=MonotonicClock(), timeout_s=10.0):
        assert not pauses_s


@needs_dds
def test_a_robot_that_falls_silent_is_not_taken_for_another_firmware(monkeypatch):
    monkeypatch.setattr(opening, "_TICKS_WITHIN_S", 0.5)
    with Peer(GO2) as peer:
        once_variant_is_known(monkeypatch, lambda: setattr(peer, "reporting", False))
        told = refusal(timeout_s=10.0)
    assert "its reports of the last 0.5 s span only 0.0" in told
    assert "this computer is too busy, or the robot or its link stood still" in told
    assert "firmware" not in told


@needs_dds
def test_a_g1_whose_battery_is_not_known_is_refused(monkeypatch):
    monkeypatch.setattr(unitree_robot, "LOOPBACK", "none")  # as if it were a real one
    with Peer(G1) as peer:
        monkeypatch.setattr(peer.firmware, "_report_battery", lambda share: None)
        told = refusal(address(G1), unitree_contract(G1), timeout_s=1.0)
    assert "nothing of the battery in 1 s (topic rt/lf/bmsstate)" in told


@needs_dds
def test_a_second_bridge_is_refused_before_it_takes_part():
    with Peer(GO2), open_robot(address(GO2), unitree_contract(GO2), clock=MonotonicClock(), timeout_s=10.0):
        assert f"Another bridge has {address(GO2)}: process {os.getpid()}" in refusal()


@needs_dds
def test_a_robot_can_be_opened_again_once_it_was_closed():
    with Peer(GO2):
        for _ in range(2):
            with open_robot(address(GO2), unitree_contract(GO2), clock=MonotonicClock(), timeout_s=10.0) as robot:
                assert robot.read() is not None


@needs_dds
def test_a_refused_robot_leaves_no_lock_behind():
    refusal()
    with Peer(GO2), open_robot(address(GO2), unitree_contract(GO2), clock=MonotonicClock(), timeout_s=10.0):
        pass


def test_a_contract_for_another_robot_is_refused():
    assert refusal(contract=unitree_contract(G1)).startswith(
        "The bundle was trained for unitree_g1, and --robot leads to unitree_go2"
    )


def test_a_contract_with_other_joints_than_the_robots_is_refused_before_the_network_is_looked_at():
    joints = unitree_contract(GO2).robot.sdk_joint_names
    told = refusal(contract=unitree_contract(GO2, joints=("tail_joint", *joints[1:])))
    assert "the list of joints lacks FR_hip_joint and adds tail_joint; the robot's, in its order: FR_hip_joint" in told
    told = refusal(contract=unitree_contract(GO2, joints=joints[:-1]))
    assert "the list of joints lacks RL_calf_joint; the robot's" in told
    told = refusal(contract=unitree_contract(GO2, joints=(joints[1], joints[0], *joints[2:])))
    assert "the list of joints has FR_thigh_joint where the robot has FR_hip_joint" in told


@needs_dds
def test_one_process_is_in_a_domain_on_one_interface_only():
    other = next((name for name, up in interfaces().items() if up and name != "lo"), None)
    if other is None:
        pytest.skip("this computer has no other interface that is up")
    Participant("lo", DOMAIN).close()
    assert f"is in domain {DOMAIN} on interface lo; it cannot be there on {other}" in refusal(
        RobotAddress(GO2, other, DOMAIN)
    )


def test_cyclonedds_11_is_refused_where_it_is_installed(tmp_path, monkeypatch):
    installed(tmp_path, monkeypatch, "cyclonedds", "11.0.1")
    told = refusal()
    assert told.startswith("The package cyclonedds 11.0.1 is installed in this environment (")
    assert "must not come near a robot's network. Remove it with `pip uninstall cyclonedds`" in told


def test_cyclonedds_of_which_no_version_is_known_is_refused(tmp_path, monkeypatch):
    (tmp_path / "cyclonedds").mkdir()
    (tmp_path / "cyclonedds" / "__init__.py").touch()
    hide(monkeypatch, "cyclonedds")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "cyclonedds unknown is installed" in refusal()


def test_cyclonedds_of_the_robots_own_version_may_stay(tmp_path, monkeypatch):
    installed(tmp_path, monkeypatch, "cyclonedds", "0.10.2")
    dds_library.refuse_harmful_cyclonedds()


def test_a_missing_library_is_named_with_the_extra_that_brings_it(monkeypatch):
    hide(monkeypatch, "far-unitree-sdk")
    monkeypatch.setattr(dds_library, "_loaded", None)
    assert "pip install 'surefoot-bridge[unitree]' (Python 3.8 to 3.12 on Linux" in refusal()


def test_a_version_of_the_library_that_was_not_tried_is_refused(tmp_path, monkeypatch):
    installed(tmp_path, monkeypatch, "far-unitree-sdk", "0.2.0")
    monkeypatch.setattr(dds_library, "_loaded", None)
    assert refusal().startswith("far-unitree-sdk is 0.2.0; tried and accepted: 0.1.8.")


def test_the_package_is_imported_without_the_library():
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; import surefoot_bridge.unitree, surefoot_bridge.guardian\n"
        "print([name for name in ('unitree_interface', 'cyclonedds', 'mujoco') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def installed(folder, monkeypatch, name, version):
    """Put the metadata of a package in front of everything."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    monkeypatch.syspath_prepend(str(folder))


def hide(monkeypatch, name):
    """Make as if a package were not installed."""
    original = importlib.metadata.version

    def version(asked):
        if asked == name:
            raise importlib.metadata.PackageNotFoundError(asked)
        return original(asked)

    monkeypatch.setattr(importlib.metadata, "version", version)
