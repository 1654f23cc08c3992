"""A robot of a package outside the tree goes through everything that needs no simulator, by names alone."""

import math
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from tests.fixtures.outside import ANYMAL_D, put_in

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import model as bridge_models
from surefoot_robots import RobotSpec, get_robot
from surefoot_robots.gait_pairs import alternating_phases, diagonal_feet, mirror_feet, short_names

SHUFFLED = ("LF_FOOT", "RH_FOOT", "LH_FOOT", "RF_FOOT")


@pytest.fixture(scope="module")
def anymal(tmp_path_factory) -> RobotSpec:
    """The ANYmal-D, found by its entry point."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(put_in(tmp_path_factory.mktemp("outside"), ANYMAL_D))
        yield get_robot("team_anymal")
    for module in [name for name in sys.modules if name.split(".")[0] == "team_anymal_robot"]:
        del sys.modules[module]


@pytest.fixture(scope="module")
def env_cfg(anymal):
    from surefoot_tasks.velocity.env_cfg import make_velocity_env_cfg

    return make_velocity_env_cfg(anymal)


def seen_by(spec: RobotSpec, **state: torch.Tensor) -> SimpleNamespace:
    """What reward terms see of an environment with one robot that is told to walk."""
    return SimpleNamespace(
        robot_spec=spec, device="cpu", num_envs=1, moving=torch.tensor([True]), locomotion=SimpleNamespace(**state)
    )


def test_gait_pairs_follow_names_whatever_the_order_of_the_feet(anymal):
    assert anymal.foot_bodies == ("LF_FOOT", "LH_FOOT", "RF_FOOT", "RH_FOOT")
    assert (mirror_feet(anymal), diagonal_feet(anymal)) == ((2, 3, 0, 1), (3, 2, 1, 0))
    shuffled = replace(anymal, foot_bodies=SHUFFLED)
    assert (mirror_feet(shuffled), diagonal_feet(shuffled)) == ((3, 2, 1, 0), (1, 0, 3, 2))
    assert alternating_phases(shuffled) == (0.0, 0.0, 0.5, 0.5)
    assert short_names(shuffled.foot_bodies) == ("LF", "RH", "LH", "RF")
    assert short_names(("Fuss_vl", "Fuss_hr")) == ("vl", "hr")


def test_the_joints_of_a_leg_are_those_between_the_base_and_its_foot(anymal):
    assert anymal.leg_joints("RH_FOOT") == ("RH_HAA", "RH_HFE", "RH_KFE")


def test_the_task_asks_for_the_robots_own_height_weight_and_joints(anymal, env_cfg):
    rewards = env_cfg.rewards
    assert rewards.pose_deviation.params == {"joint_pattern": ".*_HAA", "num_joints": 4}
    assert rewards.base_height.params["target_m"] == 0.58851
    assert rewards.foot_clearance.params["target_m"] == 0.1
    assert (rewards.torque.weight, rewards.mechanical_power.weight, rewards.trot.weight) == (-3e-6, -1e-4, 1.0)
    # Twice the load of one of two stance feet: the weight, 51.53921 kg * 9.81 m/s^2.
    assert rewards.foot_impact.params["threshold_n"] == pytest.approx(505.59965)
    assert list(env_cfg.actions.joint_target.scale) == list(anymal.joint_names)
    assert env_cfg.scene.contacts.prim_path.endswith(
        ".*(LF_FOOT|LH_FOOT|RF_FOOT|RH_FOOT|base|LF_THIGH|RF_THIGH|LH_THIGH|RH_THIGH)"
    )


def test_a_weight_for_a_term_that_does_not_exist_is_refused_by_name(anymal):
    from surefoot_tasks.velocity.rewards_cfg import make_rewards_cfg

    wrong = replace(anymal, tuning=replace(anymal.tuning, reward_weights={"torques": -1.0}))
    with pytest.raises(SurefootError, match=r"^Unknown reward term in reward_weights of team_anymal 'torques'; valid"):
        make_rewards_cfg(wrong)


def test_only_the_abduction_joints_of_the_robot_are_asked_to_rest(anymal, env_cfg):
    from surefoot.envs.mdp.rewards import joint_deviation_l1

    cfg = env_cfg.rewards.pose_deviation
    away = torch.zeros(1, 12)
    away[0, anymal.joint_names.index("LH_HAA")] = 0.25
    away[0, anymal.joint_names.index("LH_KFE")] = 9.0
    default = torch.tensor([anymal.joint_values("default_joint_pos")])
    env = seen_by(anymal, joint_pos=default + away)
    assert joint_deviation_l1(cfg, env)(env, **cfg.params).tolist() == pytest.approx([0.25])


@pytest.mark.parametrize(
    ("down", "value"),
    [
        ({"LF_FOOT", "RH_FOOT"}, 1.0),  # a trot
        ({"LF_FOOT", "LH_FOOT"}, 0.5),  # a pace: feet across unlike, diagonal ones too
        ({"LF_FOOT", "RF_FOOT"}, 0.0),  # a bound
    ],
)
@pytest.mark.parametrize("feet", [None, SHUFFLED])
def test_a_trot_is_told_from_a_pace_and_a_bound_whatever_the_order_of_the_feet(anymal, env_cfg, feet, down, value):
    from surefoot.envs.mdp.rewards import trot_contacts

    spec = replace(anymal, foot_bodies=feet or anymal.foot_bodies)
    env = seen_by(spec, foot_contact=torch.tensor([[foot in down for foot in spec.foot_bodies]]))
    assert trot_contacts(env_cfg.rewards.trot, env)(env).tolist() == [value]


def test_a_trot_of_a_robot_without_diagonal_pairs_is_refused(anymal, env_cfg):
    from surefoot.envs.fused.inputs import BoundInputs

    with pytest.raises(SurefootError) as error:
        BoundInputs.of(seen_by(replace(anymal, foot_diagonal={})), [env_cfg.rewards.trot.func.function])
    assert str(error.value) == (
        "team_anymal declares no diagonal pairs of feet, which a trot needs; name them in foot_diagonal of its "
        "RobotSpec, or set the reward term 'trot' to None."
    )


def test_pairs_of_feet_that_contradict_each_other_are_refused(anymal):
    twisted = replace(anymal, foot_diagonal=dict(anymal.foot_mirror))
    with pytest.raises(SurefootError, match="RF_FOOT would swing with and against itself; correct its foot_mirror"):
        alternating_phases(twisted)


def test_in_the_mirror_its_left_joints_and_feet_are_its_right_ones(anymal):
    from surefoot.symmetry import ObservationSlice, build_action_mirror_map, build_mirror_map

    action = torch.zeros(1, 12)
    action[0, anymal.joint_names.index("LF_HAA")], action[0, anymal.joint_names.index("LH_KFE")] = 1.0, 2.0
    mirrored = dict(zip(anymal.joint_names, build_action_mirror_map(anymal).mirror(action)[0].tolist(), strict=True))
    assert {joint: value for joint, value in mirrored.items() if value} == {"RF_HAA": -1.0, "RH_KFE": 2.0}
    feet = build_mirror_map(anymal, [ObservationSlice("foot_contact", "foot_scalar", 4)])
    assert feet.mirror(torch.tensor([[1.0, 2.0, 3.0, 4.0]])).tolist() == [[3.0, 4.0, 1.0, 2.0]]


def test_the_contract_says_of_it_what_the_bridge_needs(anymal):
    from surefoot.exporting.contract import handling_part, robot_part

    robot, handling = robot_part(anymal), handling_part(anymal)
    assert (robot.name, robot.kind, robot.joint_names) == ("team_anymal", "quadruped", anymal.joint_names)
    assert robot.mirror_foot_names == ("RF_FOOT", "RH_FOOT", "LF_FOOT", "LH_FOOT")
    assert robot.diagonal_foot_names == ("RH_FOOT", "RF_FOOT", "LH_FOOT", "LF_FOOT")
    assert robot.imu.pos_m == (-0.25565, 0.00255, 0.07672)
    assert handling.stand_rad[6:9] == (0.0, -0.4, 0.8)  # a hind leg
    assert handling.damped_nms_per_rad == (8.0,) * 12


def test_a_robot_without_friction_in_its_joints_can_be_randomized_too(anymal):
    from surefoot.randomization.presets import preset_ranges
    from surefoot.randomization.randomization import make_layout
    from surefoot.randomization.randomization_cfg import RandomizationCfg

    smooth = replace(anymal, actuators=(replace(anymal.actuators[0], friction_nm=0.0),))
    assert "coulomb_friction" in preset_ranges("mild", anymal)
    assert "coulomb_friction" not in preset_ranges("mild", smooth)
    layout = make_layout(RandomizationCfg(preset="mild"), smooth, "ovphysx")
    assert not layout.is_random("coulomb_friction")


def test_a_load_is_drawn_where_the_robot_carries_one(anymal):
    from surefoot.randomization.presets import preset_ranges

    place = preset_ranges("mild", anymal)["payload_position"]
    assert (place.low, place.high) == ((-0.2, -0.1, 0.15), (0.2, 0.1, 0.25))


def test_the_bridges_own_mujoco_knows_it_by_the_same_package(anymal, monkeypatch):
    monkeypatch.syspath_prepend(anymal.mjcf_path.parents[1])
    model = bridge_models.robot_model("team_anymal")
    assert (model.mjcf_path, model.foot_names) == (anymal.mjcf_path, ())
    # 0.05 kg m^2 over 10 N m s/rad is 5 ms: the 2.5 ms of 400 Hz need no division.
    assert (model.physics_steps, model.physics_dt_s) == (1, 0.0025)


def test_it_has_a_task_of_its_own(anymal, monkeypatch):
    monkeypatch.syspath_prepend(anymal.mjcf_path.parents[1])
    from surefoot_tasks.velocity import tasks

    agent = tasks.team_anymal_flat_agent_cfg()
    assert agent.experiment_name == "Surefoot-Velocity-Flat-TeamAnymal"
    assert tasks.team_anymal_flat_env_cfg().robot_name == "team_anymal"
    with pytest.raises(AttributeError, match="nonsense"):
        tasks.nonsense  # noqa: B018


def test_its_model_is_checked_in_mujoco_like_our_own_robots(anymal):
    from surefoot.robot_checks.check import check_robot

    rows = check_robot(anymal, ["mujoco"])
    assert len(rows) == 25
    assert [row for row in rows if not row.ok] == []


def test_its_model_weighs_and_stands_as_its_source_says(anymal):
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(anymal.mjcf_path))
    data = mujoco.MjData(model)
    assert model.body_mass.sum() == pytest.approx(51.53921, abs=1e-6)
    for joint, position in anymal.default_joint_pos.items():
        data.qpos[model.joint(joint).qposadr[0]] = position
    mujoco.mj_forward(model, data)
    lowest = min(float(data.body(foot).xpos[2]) for foot in anymal.foot_bodies) - anymal.sole_radius_m
    assert math.isclose(lowest, 0.0, abs_tol=1e-5)
