"""Configurations of getting up and of standing still, without a simulator."""

import math
from typing import Any

import pytest
from tests.unit.test_velocity_task_cfg import MEASURED, term_names

from surefoot_robots import get_robot, list_robots, mjcf


def make(kind: str, robot: str = "unitree_go2"):
    """Build the environment's configuration of a robot."""
    from surefoot_tasks.standing import tasks

    return getattr(tasks, f"{robot}_{kind.lower()}_env_cfg")()


both = pytest.mark.parametrize("kind", ["Recovery", "Stand"])


@both
@pytest.mark.parametrize("robot", list_robots())
def test_every_robot_has_both_tasks_from_its_specification(robot: str, kind: str) -> None:
    from surefoot_tasks.standing import tasks

    cfg, spec = make(kind, robot), get_robot(robot)
    assert cfg.robot_name == robot
    assert list(cfg.actions.joint_target.scale) == list(spec.joint_names)
    assert cfg.rewards.standing.params["target_m"] == spec.base_height_m
    for terms in (cfg.rewards, cfg.terminations, cfg.observations):
        terms.validate()
    agent = getattr(tasks, f"{robot}_{kind.lower()}_agent_cfg")()
    assert agent.experiment_name == f"Surefoot-{kind}-{spec.label}"


@both
def test_nobody_sees_a_command_and_the_robot_is_asked_to_stand(kind: str) -> None:
    cfg = make(kind)
    assert {term.name for term in cfg.proprioception} == MEASURED - {"velocity_command"}
    assert "velocity_command" not in term_names(cfg.observations.critic)
    assert not hasattr(cfg.commands, "base_velocity")
    assert cfg.asks_for_motion is False


@both
def test_building_it_leaves_the_velocity_task_as_it_was(kind: str) -> None:
    from surefoot_tasks.velocity.env_cfg import make_velocity_env_cfg

    make(kind)
    walk: Any = make_velocity_env_cfg(get_robot("unitree_go2"))
    assert walk.observations.critic.velocity_command is not None
    assert walk.actions.joint_target.scale == dict(get_robot("unitree_go2").action_scale_rad)
    assert walk.asks_for_motion is True
    assert walk.fall is None


def test_a_fall_ends_standing_and_is_where_getting_up_begins() -> None:
    stand, recovery = make("Stand"), make("Recovery")
    assert {"fall_contact", "tilt"} <= set(vars(stand.terminations))
    assert not {"fall_contact", "tilt"} & set(vars(recovery.terminations))
    assert stand.fall is None
    assert recovery.fall.drops == 4
    recovery.play_mode()
    assert recovery.fall.drops == 1


def test_standing_is_pushed_and_getting_up_is_not() -> None:
    from surefoot.randomization.randomization import make_layout

    spec = get_robot("unitree_go2")
    for kind, pushed in (("Stand", True), ("Recovery", False)):
        cfg = make(kind)
        layout = make_layout(cfg.randomization, spec, "ovphysx", initial_state=cfg.initial_state)
        assert layout.is_random("push_velocity") is pushed


@pytest.mark.parametrize("robot", list_robots())
def test_robots_are_dropped_in_any_pose_from_where_none_of_them_touches_the_ground(robot: str) -> None:
    spec, state = get_robot(robot), make("Recovery", robot).initial_state
    assert state["initial_position"].low == state["initial_position"].high
    assert spec.base_height_m + state["initial_position"].low[2] == pytest.approx(mjcf.reach(spec.mjcf_path))
    assert state["initial_orientation"].high == (math.pi, math.pi / 2, math.pi)
    offsets = zip(state["initial_joint_offset"].low, state["initial_joint_offset"].high, strict=True)
    for (low, high), joint in zip(offsets, spec.joint_names, strict=True):
        default = spec.default_joint_pos[joint]
        assert (default + low, default + high) == pytest.approx(spec.joint_limits_rad[joint])


def test_a_go2_reaches_as_far_as_its_links_are_long_together_and_its_foot_thick() -> None:
    # Hip at (0.1934, 0.0465), thigh 0.0955 beside it, calf 0.213 below, foot (-0.002, -0.213) below that, 0.022 thick.
    expected = math.hypot(0.1934, 0.0465) + 0.0955 + 0.213 + math.hypot(0.002, 0.213) + 0.022
    assert mjcf.reach(get_robot("unitree_go2").mjcf_path) == pytest.approx(expected)
