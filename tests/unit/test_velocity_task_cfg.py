"""Configurations of the velocity tasks, without a simulator."""

from types import SimpleNamespace

import pytest

from surefoot.task_config import resolve_task
from surefoot.task_registry import check_task
from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot

MEASURED = {"base_ang_vel", "projected_gravity", "joint_pos", "joint_vel", "last_action", "velocity_command"}
"""Terms that a gyroscope, an attitude filter, encoders and the controller's own memory can fill."""


@pytest.fixture(scope="module", params=["unitree_go2", "unitree_g1"])
def built(request: pytest.FixtureRequest) -> tuple:
    """A robot's specification and its environment's configuration."""
    from surefoot_tasks.velocity.env_cfg import make_velocity_env_cfg

    spec = get_robot(request.param)
    return spec, make_velocity_env_cfg(spec)


def term_names(group: object) -> set[str]:
    """Names of the observation terms of a group."""
    return {name for name, value in vars(group).items() if type(value).__name__ == "ObservationTermCfg"}


def test_the_actor_sees_only_what_the_robots_sensors_measure(built: tuple) -> None:
    cfg = built[1]
    assert term_names(cfg.observations.policy) == {"proprioception"}
    assert {term.name for term in cfg.proprioception} == MEASURED


def test_every_observation_term_knows_its_mirror_image(built: tuple) -> None:
    cfg = built[1]
    names = {term.name for term in cfg.proprioception} | term_names(cfg.observations.critic)
    assert names - {"randomized"} <= set(cfg.mirror_kinds)  # parameters know their own


def test_the_action_scales_are_in_the_policys_joint_order(built: tuple) -> None:
    spec, cfg = built
    assert list(cfg.actions.joint_target.scale) == list(spec.joint_names)
    assert cfg.scene.robot.joint_ordering == list(spec.joint_names)


def test_the_engines_own_joint_friction_is_zero(built: tuple) -> None:
    actuator = built[1].scene.robot.actuators["joints"]
    assert (actuator.friction, actuator.dynamic_friction, actuator.viscous_friction) == (0.0, 0.0, 0.0)


def test_isaac_lab_finds_nothing_missing_in_the_terms(built: tuple) -> None:
    cfg = built[1]
    for terms in (cfg.rewards, cfg.terminations, cfg.observations):
        terms.validate()


def test_policies_run_at_fifty_hertz(built: tuple) -> None:
    cfg = built[1]
    assert cfg.sim.dt * cfg.decimation == pytest.approx(0.02)


def test_building_one_robots_task_leaves_the_others_targets_alone() -> None:
    from surefoot_tasks.velocity.rewards_cfg import make_rewards_cfg

    go2, g1 = get_robot("unitree_go2"), get_robot("unitree_g1")
    first = make_rewards_cfg(go2)
    second = make_rewards_cfg(g1)
    assert first.base_height.params["target_m"] == go2.base_height_m
    assert second.base_height.params["target_m"] == g1.base_height_m
    assert second.trot is None
    assert first.trot is not None


def test_impacts_count_above_twice_the_load_of_a_stance_foot() -> None:
    from surefoot_tasks.velocity.rewards_cfg import make_rewards_cfg

    # Go2: 15.206408 kg on two feet, 149.17 N; G1: 33.341142 kg on one foot, twice 327.08 N.
    go2 = make_rewards_cfg(get_robot("unitree_go2")).foot_impact.params["threshold_n"]
    g1 = make_rewards_cfg(get_robot("unitree_g1")).foot_impact.params["threshold_n"]
    assert go2 == pytest.approx(149.1749, abs=1e-3)
    assert g1 == pytest.approx(654.1532, abs=1e-3)


def test_ground_that_the_task_cannot_be_trained_on_is_refused_by_what_it_is() -> None:
    from surefoot.terrains.terrain import Terrain
    from surefoot_tasks.velocity.env_cfg import make_velocity_env_cfg

    with pytest.raises(
        SurefootError, match=r"on ground that is stairs up, steps 15 cm high.* Valid: flat.*Surefoot-Velocity-Rough"
    ):
        make_velocity_env_cfg(get_robot("unitree_go2"), terrain=Terrain(kind="stairs"))


@pytest.fixture(scope="module", params=[False, True], ids=["Rough", "RoughScan"])
def on_the_field(request: pytest.FixtureRequest) -> tuple:
    """Whether the actor sees a height scan, and the configuration on a field of ground."""
    from surefoot_tasks.velocity.rough_env_cfg import make_rough_env_cfg

    return request.param, make_rough_env_cfg(get_robot("unitree_go2"), actor_scans=request.param)


def test_on_the_field_the_critic_sees_a_height_scan_and_the_actor_where_it_is_asked_for(on_the_field: tuple) -> None:
    actor_scans, cfg = on_the_field
    flat = make_flat()
    scan = {"height_scan"}
    assert term_names(cfg.observations.critic) == term_names(flat.observations.critic) | scan
    assert term_names(cfg.observations.policy) == term_names(flat.observations.policy) | (
        scan if actor_scans else set()
    )
    assert cfg.proprioception == flat.proprioception
    assert cfg.mirror_kinds["height_scan"] == "height_scan"
    assert cfg.observations.policy.enable_corruption is actor_scans
    assert cfg.observations.critic.enable_corruption is False


def test_the_field_adds_to_the_task_on_flat_ground_and_leaves_that_as_it_was(on_the_field: tuple) -> None:
    cfg, flat = on_the_field[1], make_flat()
    assert cfg.rewards == flat.rewards
    assert cfg.initial_state == flat.initial_state
    assert (cfg.field.levels, sum(cfg.field.columns.values())) == (10, 20)
    assert flat.field is None
    assert flat.observations.critic.height_scan is None
    assert flat.curriculum.terrain_levels is None
    assert flat.terminations.left_field is None
    assert cfg.terminations.left_field.time_out


def test_what_rises_with_success_on_the_field_are_phases_levels_commands_and_randomization(on_the_field: tuple) -> None:
    cfg = on_the_field[1]
    assert list(cfg.field.phases) == ["stand", "flat", "rough", "slopes", "stairs", "mixed"]
    assert cfg.randomization.adaptive.scheme == "bounds"
    assert cfg.curriculum.command_range is not None
    assert make_flat().randomization.adaptive.scheme == "none"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"randomization": "none", "adaptive": None}, ("none", "none")),
        ({"randomization": "standard", "adaptive": None}, ("standard", "bounds")),
        ({"randomization": None, "adaptive": "none"}, ("mild", "none")),
    ],
)
def test_options_of_the_randomization_take_the_place_of_the_tasks(options: dict, expected: tuple) -> None:
    from surefoot.commands.train import _randomization

    task = check_task("Surefoot-Velocity-Rough-Go2")
    cfg = resolve_task(task, "ovphysx", _randomization(SimpleNamespace(**options)))[0]
    assert (cfg.randomization.preset, cfg.randomization.adaptive.scheme) == expected


def test_a_policy_is_played_on_all_levels_which_do_not_change(on_the_field: tuple) -> None:
    cfg = on_the_field[1].copy()
    cfg.play_mode()
    assert cfg.curriculum.terrain_levels is None
    assert on_the_field[1].curriculum.terrain_levels is not None


def test_every_robot_has_its_tasks_on_each_ground() -> None:
    from surefoot_tasks.velocity import KINDS, tasks

    for ground in KINDS:
        assert getattr(tasks, f"unitree_g1_{ground.lower()}_env_cfg")().robot_name == "unitree_g1"
        agent = getattr(tasks, f"unitree_g1_{ground.lower()}_agent_cfg")()
        assert agent.experiment_name == f"Surefoot-Velocity-{ground}-G1"
    assert tasks.unitree_go2_flat_agent_cfg().max_iterations == 300
    assert tasks.unitree_go2_rough_agent_cfg().max_iterations == 1500


def make_flat() -> object:
    from surefoot_tasks.velocity.env_cfg import make_velocity_env_cfg

    return make_velocity_env_cfg(get_robot("unitree_go2"))
