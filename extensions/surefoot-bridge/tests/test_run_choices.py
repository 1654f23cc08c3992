"""What `run` understands of `--robot` and `--operator`, and what it refuses before anything is loaded."""

from pathlib import Path

import numpy as np
import pytest
from contracts import small_contract

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.operators.choice import OperatorChoice, open_operator, parse_operator
from surefoot_bridge.operators.remote import help_of
from surefoot_bridge.robots import RobotAddress
from surefoot_bridge.robots.choice import RobotPlace, parse_place
from surefoot_bridge.stages import STAGES
from surefoot_bridge.state import Request
from surefoot_bridge.unitree.remote import REMOTE

CONTRACT = small_contract()


def place(robot, interface=None, domain=None):
    return parse_place(robot, interface=interface, domain=domain)


def test_a_robot_on_the_network_needs_an_interface():
    assert place("go2", "eth0").address == RobotAddress("unitree_go2", "eth0", 0)
    assert place("g1", "lo", 7).address == RobotAddress("unitree_g1", "lo", 7)
    with pytest.raises(
        SurefootError, match=r"--robot go2 needs --interface: .* lo for one that `surefoot-bridge emulate`"
    ):
        place("go2")


def test_only_a_robot_on_the_loopback_is_an_emulated_one():
    assert place("go2", "eth0").on_hardware
    assert not place("go2", "lo").on_hardware
    assert not place("mujoco").on_hardware
    assert not place("replay:logs/x").on_hardware


def test_every_place_says_where_it_is():
    assert place("go2", "eth0").describe("unitree_go2") == "unitree_go2 on interface eth0, domain 0"
    assert place("go2", "lo", 1).describe("unitree_go2") == "emulated unitree_go2 on interface lo, domain 1"
    assert place("mujoco").describe("unitree_g1") == "unitree_g1 in MuJoCo"
    assert place("replay:logs/x").describe("unitree_g1") == "unitree_g1 replayed from logs/x"


def test_a_log_is_replayed_by_its_path():
    assert place("replay:logs/x") == RobotPlace("replay", log=Path("logs/x"))


@pytest.mark.parametrize("robot", ["go3", "replay:", "mujoko", ""])
def test_an_unknown_robot_is_refused_with_the_known_ones(robot):
    with pytest.raises(SurefootError, match=r"Unknown robot '.*'; valid: .*replay:LOG"):
        place(robot)


def test_operators_are_understood():
    assert parse_operator("keyboard") == OperatorChoice("keyboard")
    assert parse_operator("joystick") == OperatorChoice("joystick")
    assert parse_operator("joystick:/dev/input/js1") == OperatorChoice("joystick", Path("/dev/input/js1"))
    assert parse_operator("script:a:b.txt") == OperatorChoice("script", Path("a:b.txt"))
    assert "space  STOP" in parse_operator("keyboard").help()
    assert "B  STOP" in parse_operator("joystick").help()
    assert parse_operator("remote") == OperatorChoice("remote")
    assert "L2+B or select  STOP" in help_of(REMOTE)


@pytest.mark.parametrize("text", ["script", "script:", "joystick:", "keyboard:x", "mouse", ""])
def test_an_unknown_operator_is_refused_with_the_known_ones(text):
    with pytest.raises(SurefootError, match=r"Unknown operator '.*'; valid: .*script:FILE"):
        parse_operator(text)


def script(path, text, *, watched=False):
    path.write_text(text)
    choice = OperatorChoice("script", path)
    return open_operator(choice, CONTRACT, STAGES["tethered"], time_s=0.0, watched=watched)


def test_a_script_ends_where_it_says_or_when_its_last_motion_is_over(tmp_path):
    assert script(tmp_path / "s", "0 stand\n9 end\n").duration_s == 9.0
    assert script(tmp_path / "s", "0 stand\n9 sit\n").duration_s == 12.0
    command = script(tmp_path / "s", "0 stand\n0 velocity 9 0 0\n").operator.read(5.0)
    assert command.request is Request.STAND
    command = script(tmp_path / "s", "0 velocity 9 0 0\n").operator.read(5.0)
    np.testing.assert_array_equal(command.velocity_command, [9.0, 0.0, 0.0])  # safety clamps it, and says so


def test_a_script_for_a_real_robot_needs_a_person_at_a_terminal(tmp_path, monkeypatch):
    with Path("/dev/null").open() as nobody:
        monkeypatch.setattr("sys.stdin", nobody)
        with pytest.raises(SurefootError, match="The standard input is no terminal, so nobody can press a key"):
            script(tmp_path / "s", "0 stand\n", watched=True)
