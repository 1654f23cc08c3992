"""Robots on a network come from packages: those of this one through the same door as a team's own."""

import ast
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from bundles import write_bundle
from contracts import small_contract
from transport_packages import install, install_dingo
from unitree_peer import unitree_contract

import surefoot_bridge
from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.clock import MonotonicClock
from surefoot_bridge.command_line import main
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import Damper, NetworkRobot, Transport
from surefoot_bridge.robots.choice import parse_place
from surefoot_bridge.robots.model import robot_model
from surefoot_bridge.robots.transports import known_caps, names, offer_of, transport_errors, transport_of

FOLDER = Path(surefoot_bridge.__file__).parent
VENDOR = re.compile(r"unitree|go2|g1", re.IGNORECASE)
ON_CABLE = ("--interface", "eth0", "--stage", "tethered", "--log", "logs", "--unsigned", "UNSIGNED")


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """A folder for packages, on the path."""
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    return tmp_path / "packages"


def test_the_robots_of_this_package_come_through_the_same_door():
    assert names()[:2] == ("g1", "go2")
    assert offer_of("go2").package == "surefoot-bridge"
    assert transport_of("go2").robot == "unitree_go2"
    assert known_caps("unitree_g1").joint_names == unitree_contract("unitree_g1").robot.sdk_joint_names


def test_a_robot_of_another_package_is_known_by_its_name_and_keeps_bundles_within_what_it_bears(packages, tmp_path):
    install_dingo(packages)
    assert "dingo" in names()
    assert known_caps("made_up").torque_nm == (24.0, 24.0, 24.0)
    contract = small_contract()
    strong = replace(contract.safety, torque_limit_nm=(25.0, 20.0, 20.0))
    write_bundle(tmp_path / "bundle", contract=replace(contract, safety=strong))
    with pytest.raises(SurefootError, match=r"safety.torque_limit_nm of a is 25; the robot bears 24\."):
        load_bundle(tmp_path / "bundle", runtime="numpy")


def test_a_package_that_cannot_be_imported_is_named_and_the_others_keep_working(packages):
    install_dingo(packages)
    install(packages, "bad-robot", {"bad": "bad_robot:ROBOT"}, bad_robot="import no_such_library\n")
    with pytest.raises(SurefootError) as refusal:
        transport_of("bad")
    assert str(refusal.value) == (
        "The transport 'bad_robot:ROBOT' of the package 'bad-robot' cannot be used: ModuleNotFoundError: No module "
        "named 'no_such_library'. Correct bad_robot, or take it away: pip uninstall bad-robot."
    )
    assert transport_errors() == (str(refusal.value),)
    assert known_caps("made_up").robot == "made_up"
    assert transport_of("g1").robot == "unitree_g1"


def test_a_transport_that_lacks_its_caps_and_what_is_no_transport_are_named(packages):
    install(
        packages,
        "bare-robot",
        {"bare": "bare_robot:ROBOT", "none": "bare_robot:NONE", "missing": "bare_robot:GONE"},
        bare_robot=(
            "from surefoot_bridge.robots.transport import Transport\n"
            "class Bare(Transport):\n    open = damper = None\n"
            "ROBOT, NONE = Bare(), 7\n"
        ),
    )
    for name, why in (
        (
            "bare",
            "The transport 'bare_robot:ROBOT' of the package 'bare-robot' cannot be used: it lacks `caps`, which ",
        ),
        ("none", "The transport 'bare_robot:NONE' of the package 'bare-robot' cannot be used: it is a int and no sure"),
        ("missing", "The transport 'bare_robot:GONE' of the package 'bare-robot' cannot be used: AttributeError"),
    ):
        with pytest.raises(SurefootError, match=f"^{why}.*pip uninstall bare-robot"):
            transport_of(name)


def test_a_name_that_two_packages_take_is_refused_with_both(packages):
    install_dingo(packages)
    install(packages, "other-dingo", {"dingo": "dingo_robot:ROBOT", "pack": "dingo_robot:ROBOT"})
    with pytest.raises(SurefootError) as refusal:
        transport_of("dingo")
    assert str(refusal.value) == (
        "The packages 'dingo-robot' and 'other-dingo' offer a transport 'dingo' each; rename one, or take it away: pip "
        "uninstall other-dingo."
    )
    assert transport_of("pack").robot == "made_up"
    assert transport_of("go2").robot == "unitree_go2"


def test_nobody_takes_the_name_of_one_of_our_transports(packages):
    install(packages, "a-thief", {"go2": "a_thief:ROBOT"}, a_thief="")
    assert (offer_of("go2").package, transport_of("go2").robot) == ("surefoot-bridge", "unitree_go2")
    assert transport_errors() == (
        "The package 'a-thief' offers a transport 'go2', a name that 'surefoot-bridge' has; give it another name, in "
        "its entry point of the group surefoot_bridge.robots and wherever it names itself.",
    )


def test_a_name_that_is_the_bridges_own_is_not_taken(packages):
    install(packages, "sly-robot", {"mujoco": "sly_robot:ROBOT"}, sly_robot="")
    assert names() == ("g1", "go2")
    assert parse_place("mujoco", interface=None, domain=None).kind == "mujoco"
    (error,) = transport_errors()
    assert error.startswith("The package 'sly-robot' offers a transport 'mujoco', a name that is the bridge's own;")


def test_an_installation_that_is_older_than_the_code_is_refused_with_the_remedy(packages, monkeypatch):
    install_dingo(packages)
    monkeypatch.setattr(sys, "path", [str(packages)])
    with pytest.raises(SurefootError, match=r"What is installed of surefoot-bridge names no robots .*Install it again"):
        names()


# A robot without a transport


@pytest.fixture
def bundle(tmp_path):
    write_bundle(tmp_path / "bundle")
    return str(tmp_path / "bundle")


def test_a_robot_whose_contract_no_transport_is_for_is_refused_on_hardware_with_those_that_are_there(bundle, capsys):
    place = parse_place("go2", interface="eth0", domain=None)
    with pytest.raises(SurefootError) as refusal:
        place.open(small_contract(), MonotonicClock(), timeout_s=0.1)
    assert str(refusal.value).startswith(
        "No installed transport is for made_up; installed: g1 (unitree_g1), go2 (unitree_go2)"
    )
    assert "install that, or write one (see docs/bridge/transports.md); --robot mujoco and replay" in str(refusal.value)
    assert main(["run", bundle, "--robot", "made_up", *ON_CABLE]) == 2
    told = capsys.readouterr().err
    assert told.startswith("surefoot-bridge: Unknown robot 'made_up'; valid: ")
    assert "A robot on a network needs a package with its transport: install that" in told
    assert told.count("\n") == 1


def test_a_transport_without_an_emulator_says_so(packages, capsys):
    install_dingo(packages)
    assert main(["emulate", "--robot", "dingo"]) == 2
    assert "The transport of made_up has no emulator. Rehearse in this process" in capsys.readouterr().err
    assert main(["emulate", "--robot", "dingoo"]) == 2
    assert "Unknown robot 'dingoo'; valid: dingo, " in capsys.readouterr().err
    assert main(["emulate", "--help"]) == 0
    assert re.search(r"which robot: g1, go2.*dingo", capsys.readouterr().out)


def test_the_page_for_writers_of_transports_leaves_out_no_part_that_they_may_write():
    page = (Path(__file__).parents[3] / "docs/bridge/transports.md").read_text()
    written = {name for of in (Transport, NetworkRobot, Damper) for name in vars(of) if not name.startswith("_")}
    inherited = {"address", "robot", "taken_from"}  # what follows from the others, or is set when it is opened
    assert {name for name in written - inherited if f"`{name}`" not in page and f".{name}`" not in page} == set()


# What may know a vendor, and what a guardian imports


def test_a_guardian_imports_its_own_transport_and_asks_nothing_of_what_is_installed(packages):
    install_dingo(packages)
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; import surefoot_bridge.guardian.process as guardian; "
        "guardian.load_transport('dingo_robot:ROBOT'); "
        "print([name for name in ('importlib.metadata', 'surefoot_bridge.unitree', 'surefoot_bridge.bundle', "
        "'surefoot_bridge.runtime.loop', 'argparse') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_no_module_but_a_transport_names_a_vendor():
    """Nowhere but in docstrings, where a vendor may be the source of a number."""
    paths = [path for path in FOLDER.rglob("*.py") if path.relative_to(FOLDER).parts[0] != "unitree"]
    assert len(paths) > 100
    assert {path.name: found for path in paths for found in [vendors_named(path)] if found} == {}


def vendors_named(path):
    """The names and strings of a module that are a vendor's, but for its docstrings."""
    tree = ast.parse(path.read_text())
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    docstrings = {id(node.value) for node in statements if isinstance(node.value, ast.Constant)}
    values = [value for node in ast.walk(tree) if id(node) not in docstrings for value in vars(node).values()]
    return [value for value in values if isinstance(value, str) and VENDOR.search(value)]


# Offers of robots, which this package reads and does not describe


def test_what_is_offered_as_a_robot_and_lacks_a_field_is_named_with_its_package(packages):
    install(packages, "half-robot", {}, half_robot="class SPEC:\n    name = 'half'\n    sdk_joint_names = ()\n")
    (metadata,) = packages.glob("half_robot-*.dist-info")
    (metadata / "entry_points.txt").write_text("[surefoot.robots]\nhalf = half_robot:SPEC\n")
    with pytest.raises(SurefootError) as refusal:
        robot_model("half")
    assert str(refusal.value) == (
        "The robot 'half' of the package 'half-robot' cannot be used: half_robot:SPEC is no RobotSpec: type object "
        "'SPEC' has no attribute 'handling'. Correct half_robot, or take it away: pip uninstall half-robot."
    )
