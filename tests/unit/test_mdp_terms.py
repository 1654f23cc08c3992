"""Terms of rewards on an environment's state, and an environment that lacks what a term reads."""

import inspect
from types import SimpleNamespace

import pytest
import torch
from isaaclab.managers import RewardTermCfg
from isaaclab.utils.string import callable_to_string, string_to_callable

import surefoot_rewards
from surefoot.envs.env import SurefootEnv
from surefoot.envs.mdp import rewards
from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot


def forward_speed(lin_vel_b, velocity_limit_rad_s, *, scale: float):
    """Reward forward speed, as somebody's new function might."""
    return scale * lin_vel_b[:, 0] + velocity_limit_rad_s.max()


@pytest.fixture
def new_term(monkeypatch):
    """The term of a function that a family of rewards has gained."""
    monkeypatch.setitem(surefoot_rewards.TERMS, "forward_speed", forward_speed)
    yield rewards.forward_speed
    rewards._term_of.cache_clear()


def test_a_new_reward_is_a_function_and_a_line_of_configuration(new_term):
    go2 = get_robot("unitree_go2")
    env = SimpleNamespace(
        robot_spec=go2,
        device="cpu",
        num_envs=2,
        locomotion=SimpleNamespace(base_lin_vel_b=torch.tensor([[0.5, 9.0, 9.0], [-1.0, 9.0, 9.0]])),
    )
    line = RewardTermCfg(func=rewards.forward_speed, weight=1.0, params={"scale": 2.0})
    fastest = max(go2.joint_values("velocity_limit_rad_s"))
    value = new_term(line, env)(env, **line.params)
    assert value.tolist() == pytest.approx([1.0 + fastest, -2.0 + fastest])


def test_a_term_asks_for_the_parameters_that_neither_state_nor_robot_gives(new_term):
    assert list(inspect.signature(new_term.__call__).parameters) == ["self", "env", "scale"]
    assert list(inspect.signature(rewards.foot_slip.__call__).parameters) == ["self", "env"]


def test_a_record_of_the_configuration_names_a_term_by_what_finds_it_again(new_term):
    assert callable_to_string(new_term) == "surefoot.envs.mdp.rewards:forward_speed"
    assert string_to_callable("surefoot.envs.mdp.rewards:forward_speed") is new_term


def test_all_but_two_functions_of_the_library_need_numbers_only():
    # A clock and a tolerance for each joint are no part of the state; PeriodicGait brings the one.
    known = rewards.STATE.keys() | rewards.ROBOT.keys()
    unknown = {
        (name, argument.name)
        for name, function in surefoot_rewards.TERMS.items()
        for argument in inspect.signature(function).parameters.values()
        if argument.name not in known and "float" not in str(argument.annotation)
    }
    assert unknown == {("periodic_gait", "phase"), ("pose_exp", "std_standing"), ("pose_exp", "std_moving")}


def test_a_term_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(AttributeError, match="has no term 'foot_slips'; its functions are action_rate_l2, "):
        _ = rewards.foot_slips


@pytest.mark.parametrize(
    ("read", "manager", "message"),
    [
        ("command", "command_manager", "This task has no command term 'base_velocity', which one of its terms reads"),
        ("joint_target", "action_manager", "This task has no action term 'joint_target', which one of its terms reads"),
    ],
)
def test_a_term_that_reads_what_its_task_does_not_declare_is_refused_with_the_remedy(read, manager, message):
    env = SimpleNamespace(**{manager: SimpleNamespace(active_terms=["pose"])})
    with pytest.raises(SurefootError, match=message + r"; it has: pose. Declare it in the task's \w+s, or leave"):
        getattr(SurefootEnv, read).fget(env)
