"""A G1 on its gantry in the emulator: it stands up, is handed over to a policy without a jump, and comes back.

No trained G1 policy is shipped; the one here is made up and asks for the default pose, give or take a hundredth.
"""

from dataclasses import replace

import numpy as np
import pytest
from bundles import write_bundle
from emulation import MODES, Emulator, needs_emulator, run_script
from unitree_peer import needs_dds, unitree_contract

from surefoot_bridge import contract as c
from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.clock import SimulatedClock
from surefoot_bridge.robot_handling import handling_of, hold_of
from surefoot_bridge.robot_model import robot_model

pytestmark = [needs_dds, needs_emulator]

G1 = "unitree_g1"
HANDOVER_S = 0.5
SCRIPT = """
0.5  stand
5    walk
8    stand
10   sit
14   passive
"""


def g1_contract():
    """The made-up contract with the limits, gains and default pose of the real robot."""
    from surefoot_bridge.mujoco_robot import MujocoRobot

    model = robot_model(G1)
    robot = MujocoRobot(model, clock=SimulatedClock())
    made = unitree_contract(G1)
    order = [model.joint_names.index(name) for name in made.robot.joint_names]

    def each(numbers):
        return tuple(float(np.broadcast_to(numbers, (29,))[i]) for i in order)

    ranges = robot.physics.jnt_range[[robot.physics.joint(name).id for name in made.robot.joint_names]].tolist()
    return replace(
        made,
        robot=replace(made.robot, default_joint_pos_rad=each(model.default_joint_pos_rad)),
        gains=c.GainPart(each(model.parameters.stiffness), each(model.parameters.damping), HANDOVER_S),
        action=replace(made.action, scale_rad=(0.01,) * 29, clip_at=1.0),
        timing=c.TimingPart(0.02, model.low_level_hz),
        safety=replace(
            made.safety,
            joint_pos_limit_rad=tuple(c.Interval(low, high) for low, high in ranges),
            joint_vel_limit_rad_s=each(model.parameters.no_load_speed),
            torque_limit_nm=each(model.motors.effort_limit),
            target_rate_limit_rad_s=(20.0,) * 29,
        ),
    )


@pytest.fixture(scope="module")
def hung(tmp_path_factory):
    folder = tmp_path_factory.mktemp("g1")
    write_bundle(folder / "bundle", contract=g1_contract())
    bundle = load_bundle(folder / "bundle", runtime="numpy")
    with Emulator("g1", folder, "--gantry", "1000") as emulator:
        report, sent = run_script(bundle, SCRIPT, 15.0)
    return bundle.contract, report, sent, emulator


def largest_step(sent, begin_s, end_s, name):
    """Largest change of a part of the command from one command to the next in a time."""
    kept = [getattr(command, name) for time_s, command in sent if begin_s <= time_s <= end_s]
    return max(np.abs(after - before).max() for before, after in zip(kept, kept[1:]))


def test_it_goes_through_all_modes_and_ends_in_order(hung):
    _, report, _, emulator = hung
    assert [change.mode for change in report.modes] == MODES
    assert report.in_order, report.ended_by
    assert (emulator.figures["wrong_checksum"], emulator.figures["wrong_header"]) == (0, 0)
    assert emulator.figures["obeyed"] > 1000


def test_it_stands_on_its_targets(hung):
    contract, report, sent, _ = hung
    stand = handling_of(G1).stand_rad
    told = [command for time_s, command in sent if time_s < report.modes[2].time_s][-1]
    wanted = [stand[name] for name in contract.robot.sdk_joint_names]
    assert told.joint_pos_rad == pytest.approx(np.array(wanted), abs=1e-6)


@pytest.mark.parametrize("change", [2, 3])
def test_targets_and_gains_are_handed_over_without_a_jump(hung, change):
    contract, report, sent, _ = hung
    hold, policy = hold_of(contract), contract.gains
    begin_s, end_s = report.modes[change].time_s - 0.1, report.modes[change].time_s + HANDOVER_S
    distances = {
        "joint_pos_rad": np.subtract(hold.poses.stand_rad, contract.robot.default_joint_pos_rad),
        "stiffness_nm_per_rad": np.subtract(hold.gains.stiffness_nm_per_rad, policy.stiffness_nm_per_rad),
        "damping_nms_per_rad": np.subtract(hold.gains.damping_nms_per_rad, policy.damping_nms_per_rad),
    }
    for name, distance in distances.items():
        # A jump would be the whole of it. A quiet computer goes 0.6 % at a time; a busy one leaves ticks out.
        policy_itself = 0.02 if name == "joint_pos_rad" else 0.0
        assert largest_step(sent, begin_s, end_s, name) < 0.4 * np.abs(distance).max() + policy_itself, name


def test_the_gantry_carries_it(hung):
    _, _, _, emulator = hung
    first = emulator.rows[0]
    for row in emulator.rows:
        assert row["tilt_rad"] < 0.1
        assert abs(row["z_m"] - first["z_m"]) < 0.02
