"""The checks of robots, against models that are sound and against models that are broken in a known way."""

import json
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from surefoot.cli import main
from surefoot.commands.robots import _print_rows
from surefoot.robot_checks.check import check_robot
from surefoot.robot_checks.engine import stack, standing_state
from surefoot.robot_checks.model_checks import check_model, check_readback
from surefoot.robot_checks.motion_checks import check_agreement, check_motion
from surefoot.robot_checks.mujoco_engine import MujocoEngine
from surefoot.robot_checks.recording import EngineRecord
from surefoot.robot_checks.referee import Referee
from surefoot.robot_checks.row import CheckRow
from surefoot.robot_checks.scenarios import record
from surefoot_robots import get_robot, list_robots

GO2 = get_robot("unitree_go2")


@pytest.fixture(scope="module")
def sound() -> EngineRecord:
    return record(MujocoEngine(GO2), GO2)


def failures(engine: MujocoEngine, sound: EngineRecord) -> set[str]:
    """Names of the checks that fail for an engine that should be the referee's MuJoCo."""
    referee = Referee(GO2)
    recording = record(engine, GO2)
    rows = check_readback(GO2, "broken", recording.model, sound.model)
    rows += check_motion(GO2, "broken", recording, referee) + check_agreement(GO2, "broken", recording, sound, referee)
    return {row.check for row in rows if not row.ok}


@pytest.mark.parametrize("name", list_robots())
def test_every_robot_passes_in_mujoco(name):
    rows = check_robot(get_robot(name), ["mujoco"])
    assert [row for row in rows if not row.ok] == []
    assert len(rows) >= 20


def test_an_engine_that_is_mujoco_passes_every_check(sound):
    assert failures(MujocoEngine(GO2), sound) == set()


def set_pyramidal_cone(model):
    model.opt.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL


def let_friction_yield_like_contact(model):
    model.opt.impratio = 1.0


def take_the_larger_friction(model):
    model.geom_priority[:] = 0


def hide_joint_damping(model):
    model.dof_damping[6:] = 2.0


def scale_armature(model):
    model.dof_armature[6:] *= 1.1


def shift_centre_of_mass(model):
    model.body("base").ipos[0] += 0.01


def swap_left_and_right_limits(model):
    model.joint("FL_thigh_joint").range[1] = 4.5379


def soften_contact(model):
    model.geom_solref[:] = (0.1, 1.0)


def halve_gravity(model):
    model.opt.gravity[2] = -4.905


@pytest.mark.parametrize(
    ("fault", "found_by"),
    [
        (set_pyramidal_cone, "friction of sliding feet, diagonal"),
        (let_friction_yield_like_contact, "zero-command drift of the feet"),
        (take_the_larger_friction, "friction of sliding feet, forward"),
        (hide_joint_damping, "swing in the air: joint angles against MuJoCo"),
        (scale_armature, "joint accelerations for unit torques"),
        (shift_centre_of_mass, "centre of mass"),
        (swap_left_and_right_limits, "joint limits"),
        (soften_contact, "hold: penetration of the feet at the end"),
        (halve_gravity, "swing in the air: base position against MuJoCo"),
    ],
)
def test_a_model_that_differs_between_engines_fails(fault, found_by, sound):
    engine = MujocoEngine(GO2)
    fault(engine.model)
    assert found_by in failures(engine, sound)


def test_an_engine_that_mixes_up_two_joints_fails(sound):
    engine = MujocoEngine(GO2)
    engine._dof[[0, 3]] = engine._dof[[3, 0]]
    assert "joint accelerations for unit torques" in failures(engine, sound)


def test_the_friction_of_a_live_contact_is_read_and_not_that_of_the_model():
    # The larger of 0.8 (foot) and 1.0 (ground) counts when neither has priority; the model still says 0.8.
    referee = Referee(GO2)
    referee.model.geom_priority[:] = 0
    hold = record(MujocoEngine(GO2), GO2).trajectories["hold"]
    assert referee.foot_friction == 0.8
    assert set(referee.live_foot_friction(hold)) == {1.0}


def rest_row(sound: EngineRecord, *, higher_m: float) -> CheckRow:
    """The row of an engine in which the robot's passive drop ends higher than in MuJoCo, by itself."""
    drop = sound.trajectories["drop"]
    moved = replace(drop, base_pos_w=drop.base_pos_w + np.array([0.0, 0.0, higher_m]))
    rows = check_agreement(
        GO2, "physx", replace(sound, trajectories={**sound.trajectories, "drop": moved}), sound, Referee(GO2)
    )
    return next(row for row in rows if row.check.startswith("passive drop"))


def test_a_robot_that_comes_to_rest_otherwise_is_said_with_both_heights_and_tilts_and_does_not_fail(sound, capsys):
    row = rest_row(sound, higher_m=0.07)
    assert row.ok
    assert row.record()["limit"] is None
    # MuJoCo's Go2 lies on its trunk at 0.079 m, tilted by acos(0.993) = 0.12 rad.
    assert row.reason.startswith(
        "At rest in physx: base at 0.149 m, tilted by 0.12 rad, 0.070 m above the ground; in MuJoCo: base at 0.079 m, "
        "tilted by 0.12 rad, 0.000 m above the ground. It does not lie on its trunk alike in both"
    )
    _print_rows("unitree_go2", [row])
    shown = " ".join(capsys.readouterr().out.split())
    assert "physx: passive drop: base height at rest against MuJoCo: 0.07 m, not judged. At rest in physx: " in shown
    assert shown.endswith("0 of 0 checks held.")


def test_a_trunk_that_sinks_into_the_ground_fails(sound):
    row = rest_row(sound, higher_m=-0.03)
    assert (row.ok, row.value) == (False, pytest.approx(0.03))
    assert rest_row(sound, higher_m=0.0).judged


def test_a_heavier_left_side_is_an_asymmetry():
    referee = Referee(GO2)
    referee.model.body("FL_thigh").mass[0] *= 1.1
    mujoco.mj_setConst(referee.model, referee.engine.data)
    rows = {row.check: row for row in check_model(GO2, referee)}
    assert not rows["left-right asymmetry of the mass matrix"].ok


def test_an_inertia_that_no_body_can_have_is_found():
    referee = Referee(GO2)
    referee.model.body("FL_thigh").inertia[:] = (0.01, 0.001, 0.001)
    rows = {row.check: row for row in check_model(GO2, referee)}
    assert rows["bodies with impossible mass or inertia"].value == 1


def test_the_referee_s_motion_of_a_fall_is_that_of_the_textbook():
    # One step of semi-implicit Euler from rest: v = -g dt, dz = -g dt^2, so m (v^2 / 2 + g z) changes by -m v^2 / 2.
    referee, engine = Referee(GO2), MujocoEngine(GO2)
    engine.reset(standing_state(GO2, height_above_stand_m=1.0))
    states = [engine.read()]
    engine.step(np.zeros(12))
    states.append(engine.read())
    motion = referee.motion(stack(states))
    assert motion.com_vel_w[1] == pytest.approx([0.0, 0.0, -9.81 * 0.005], abs=1e-9)
    assert motion.sole_height_m[1, 0] - motion.sole_height_m[0, 0] == pytest.approx(-9.81 * 0.005**2, abs=1e-9)
    assert motion.sole_height_m[0].min() == pytest.approx(1.0, abs=1e-5)
    assert motion.energy_j[1] - motion.energy_j[0] == pytest.approx(-15.206408 * (9.81 * 0.005) ** 2 / 2, rel=1e-6)
    assert motion.penetration_m.tolist() == [0.0, 0.0]


def test_a_recording_comes_back_as_it_was_saved(sound, tmp_path):
    sound.save(tmp_path / "recording.npz")
    loaded = EngineRecord.load(tmp_path / "recording.npz")
    assert loaded.model.joint_names == GO2.joint_names
    assert loaded.trajectories.keys() == sound.trajectories.keys()
    assert (loaded.trajectories["hold"].joint_pos == sound.trajectories["hold"].joint_pos).all()


def test_a_value_that_is_no_number_never_passes():
    row = CheckRow("friction", "mujoco", float("nan"), 1.0, "", "")
    assert not row.ok
    assert row.record()["value"] is None


def test_the_command_writes_one_row_per_check_and_engine(tmp_path, capsys):
    report = tmp_path / "go2.json"
    assert main(["robots", "check", "unitree_go2", "--engines", "mujoco", "--json", str(report)]) == 0
    content = json.loads(report.read_text())
    assert content["ok"] is True
    assert content["figures"]["num_failed"] == 0
    assert content["figures"]["num_checks"] == len(content["rows"])
    keys = [(row["check"], row["engine"]) for row in content["rows"]]
    assert len(set(keys)) == len(keys)
    assert "checks held." in capsys.readouterr().out


def test_the_command_lists_every_robot(capsys):
    assert main(["robots", "list"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in list_robots())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["unitree_g01"], "Unknown robot 'unitree_g01'; valid: unitree_g1"),
        (["unitree_go2", "--engines", "mujocco"], "Unknown engine 'mujocco'; valid: mujoco, "),
        (
            ["unitree_go2", "--engines", "isaacsim_physx"],
            "Engine 'isaacsim' needs the Python package 'isaacsim'",
        ),
    ],
)
def test_bad_arguments_are_one_clear_error(arguments, message, capsys):
    assert main(["robots", "check", *arguments]) == 2
    assert message in capsys.readouterr().err
