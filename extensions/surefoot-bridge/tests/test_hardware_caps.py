"""What a robot is and bears comes from its transport: no bundle can raise, rename or reorder it."""

from dataclasses import dataclass, field, replace

import pytest
from bundles import write_bundle
from contracts import small_contract
from unitree_peer import unitree_contract

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.command_line import main
from surefoot_bridge.contract import Contract, Interval
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.operators.choice import parse_operator
from surefoot_bridge.robots import Robot
from surefoot_bridge.robots.choice import RobotPlace
from surefoot_bridge.robots.transports import known_caps
from surefoot_bridge.runtime import Run, run_bridge
from surefoot_bridge.stages import stage_of
from surefoot_bridge.unitree.kinds import KINDS

ROBOTS = ("unitree_go2", "unitree_g1")
GO2 = "unitree_go2"
EXCHANGED = {"FL": "FR", "FR": "FL", "RL": "RR", "RR": "RL"}


def raised(contract: Contract, place: int, **numbers: float) -> Contract:
    """The contract in which a joint, by its place in the robot's interface, has other limits."""
    in_policy, safety = contract.sdk_order[place], contract.safety
    changed = {}
    for name, number in numbers.items():
        values = list(getattr(safety, name))
        values[in_policy] = number
        changed[name] = tuple(values)
    return replace(contract, safety=replace(safety, **changed))


def refusal(contract: Contract) -> str:
    with pytest.raises(SurefootError) as error:
        KINDS[contract.robot.name].caps.require(contract)
    return str(error.value)


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_contract_with_the_robots_own_limits_is_taken(robot):
    KINDS[robot].caps.require(unitree_contract(robot))


def test_a_torque_of_a_million_is_refused_with_what_the_robot_bears():
    contract = raised(unitree_contract(GO2), 2, torque_limit_nm=1e6)
    assert "safety.torque_limit_nm of FR_calf_joint is 1e+06; the robot bears 45.43." in refusal(contract)


@pytest.mark.parametrize(
    ("field", "number", "message"),
    [
        ("torque_limit_nm", 23.71, "safety.torque_limit_nm of FR_hip_joint is 23.71; the robot bears 23.7."),
        ("joint_vel_limit_rad_s", 31.0, "safety.joint_vel_limit_rad_s of FR_hip_joint is 31; the robot bears 30.1."),
        (
            "joint_pos_limit_rad",
            Interval(-1.0472, 1.05),
            "safety.joint_pos_limit_rad of FR_hip_joint is -1.0472 to 1.05; the robot has -1.0472 to 1.0472.",
        ),
        (
            "joint_pos_limit_rad",
            Interval(-1.05, 1.0472),
            "safety.joint_pos_limit_rad of FR_hip_joint is -1.05 to 1.0472; the robot has -1.0472 to 1.0472.",
        ),
    ],
)
def test_a_limit_beyond_the_robots_is_refused_naming_both_numbers(field, number, message):
    assert message in refusal(raised(unitree_contract(GO2), 0, **{field: number}))


def test_a_lower_limit_than_the_robots_is_taken():
    contract = raised(unitree_contract(GO2), 0, torque_limit_nm=10.0, joint_pos_limit_rad=Interval(-0.5, 0.5))
    KINDS[GO2].caps.require(contract)


def test_hotter_motors_and_faster_commands_than_the_robots_are_refused():
    contract = unitree_contract(GO2)
    hot = replace(contract.safety, motor_temperature_limit_c=120.0)
    contract = replace(contract, safety=hot, timing=replace(contract.timing, low_level_hz=1000.0))
    assert "safety.motor_temperature_limit_c is 120; the robot bears 80." in refusal(contract)
    assert "timing.low_level_hz is 1000; the robot bears 500." in refusal(contract)


def exchanged(names):
    return tuple(EXCHANGED[name[:2]] + name[2:] for name in names)


def test_left_and_right_legs_exchanged_in_both_lists_are_refused():
    contract = unitree_contract(GO2)
    robot = contract.robot
    crossed = replace(
        contract,
        robot=replace(
            robot, joint_names=exchanged(robot.joint_names), sdk_joint_names=exchanged(robot.sdk_joint_names)
        ),
    )
    assert "the list of joints has FL_hip_joint where the robot has FR_hip_joint" in refusal(crossed)


def test_feet_in_another_order_are_refused():
    contract = unitree_contract(GO2)
    feet = exchanged(contract.robot.foot_names)
    crossed = replace(contract, robot=replace(contract.robot, foot_names=feet, mirror_foot_names=exchanged(feet)))
    assert "the list of feet has FR_foot where the robot has FL_foot" in refusal(crossed)


def test_nothing_is_known_of_another_makers_robot():
    assert known_caps("made_up") is None


# What check and run do


@pytest.fixture
def crossed(tmp_path):
    """A bundle whose hashes and golden trace fit, with left and right exchanged throughout."""
    contract = unitree_contract(GO2)
    robot = contract.robot
    names = {field: exchanged(getattr(robot, field)) for field in ("joint_names", "sdk_joint_names")}
    write_bundle(tmp_path / "bundle", contract=replace(contract, robot=replace(robot, **names)))
    return tmp_path / "bundle"


def test_check_refuses_crossed_legs_though_all_hashes_fit(crossed, capsys):
    assert main(["check", str(crossed), "--runtime", "numpy"]) == 2
    told = capsys.readouterr().err
    assert "The contract is not for unitree_go2 as it is:" in told
    assert "the list of joints has FL_hip_joint where the robot has FR_hip_joint" in told


def test_check_says_whether_anything_is_known_of_the_robot(tmp_path, capsys):
    write_bundle(tmp_path / "known", contract=unitree_contract(GO2))
    write_bundle(tmp_path / "unknown", contract=small_contract())
    for name, said in (("known", "are within the robot's"), ("unknown", "nothing is known of this robot's")):
        assert main(["check", str(tmp_path / name), "--runtime", "numpy"]) == 0
        assert said in capsys.readouterr().out


def test_run_refuses_crossed_legs_before_anything_is_opened(crossed, tmp_path, capsys):
    (tmp_path / "script").write_text("0 stand\n")
    said = ["--robot", "mujoco", "--stage", "tethered", "--operator", f"script:{tmp_path / 'script'}"]
    assert main(["run", str(crossed), "--runtime", "numpy", "--acknowledge", "ready", *said]) == 2
    assert "the list of joints has FL_hip_joint where the robot has FR_hip_joint" in capsys.readouterr().err


class SilentRobot(Robot):
    """A robot of another maker, whose transport says nothing of its hardware."""

    name, num_foot_sensors = "made_up", 0

    def __init__(self):
        self.sent = 0

    def read(self):
        return None

    def write(self, command):
        self.sent += 1

    def stop(self):
        self.sent += 1

    def close(self):
        """There is nothing to let go of."""


@dataclass(frozen=True)
class OtherPlace(RobotPlace):
    robot: Robot = field(default_factory=SilentRobot)

    @property
    def on_hardware(self):
        return True

    def open(self, contract, clock, *, timeout_s):
        return self.robot


def test_a_transport_that_knows_no_hardware_moves_none(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))  # where the key is made that seals logs
    write_bundle(tmp_path / "bundle")
    bundle = load_bundle(tmp_path / "bundle", runtime="numpy")
    (tmp_path / "script").write_text("0 stand\n")
    place = OtherPlace("network")
    operator = parse_operator(f"script:{tmp_path / 'script'}")
    run = Run(place, stage_of("tethered"), operator, logs=tmp_path / "logs")
    with pytest.raises(SurefootError, match="made_up: its transport does not say what its hardware bears"):
        run_bridge(bundle, run)
    assert place.robot.sent == 0


def test_the_table_of_caps_is_for_all_joints_of_the_robots():
    assert [len(KINDS[robot].joint_names) for robot in ROBOTS] == [12, 29]
    go2, g1 = (KINDS[robot].caps for robot in ROBOTS)
    assert go2.joint_names[:3] == ("FR_hip_joint", "FR_thigh_joint", "FR_calf_joint")
    assert (go2.torque_nm[2], go2.joint_vel_rad_s[2], go2.joint_pos_rad[2]) == (
        45.43,
        15.7,
        Interval(-2.7227, -0.83776),
    )
    knee = g1.joint_names.index("right_knee_joint")
    assert (g1.torque_nm[knee], g1.joint_vel_rad_s[knee]) == (139.0, 20.0)
    roll = g1.joint_names.index("right_shoulder_roll_joint")
    assert g1.joint_pos_rad[roll] == Interval(-2.2515, 1.5882)
    assert g1.joint_names[12:15] == ("waist_yaw_joint", "waist_roll_joint", "waist_pitch_joint")
