"""Terms of rewards on an environment's state, and an environment that lacks what a term reads."""

import inspect
from types import SimpleNamespace

import pytest
import torch
import warp as wp
from isaaclab.managers import RewardTermCfg
from isaaclab.utils.string import callable_to_string, string_to_callable

import surefoot_rewards
from surefoot.envs.env import SurefootEnv
from surefoot.envs.fused.inputs import parameters_of
from surefoot.envs.mdp import rewards
from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot


@wp.func
def forward_speed(lin_vel_b: wp.vec3f, velocity_limit_rad_s: wp.array(dtype=float), scale: float) -> float:
    """Reward forward speed, as somebody's new function might."""
    return scale * lin_vel_b[0] + velocity_limit_rad_s[0]


@wp.func
def asks_for_the_moon(phase_of_the_moon: wp.vec3f) -> float:
    """Ask for what no robot has."""
    return phase_of_the_moon[0]


@pytest.fixture
def new_term(monkeypatch):
    """The term of a function that a family of rewards has gained."""
    for function in (forward_speed, asks_for_the_moon):
        monkeypatch.setitem(surefoot_rewards.TERMS, function.key, function)
    yield rewards.forward_speed
    rewards._term_of.cache_clear()


GO2 = get_robot("unitree_go2")


def test_a_new_reward_is_a_function_and_a_line_of_configuration(new_term):
    env = SimpleNamespace(
        robot_spec=GO2,
        device="cpu",
        num_envs=2,
        locomotion=SimpleNamespace(base_lin_vel_b=torch.tensor([[0.5, 9.0, 9.0], [-1.0, 9.0, 9.0]])),
    )
    line = RewardTermCfg(func=rewards.forward_speed, weight=1.0, params={"scale": 2.0})
    limit = GO2.joint_values("velocity_limit_rad_s")[0]
    value = new_term(line, env)(env, **line.params)
    assert value.tolist() == pytest.approx([1.0 + limit, -2.0 + limit])


def test_a_term_asks_for_the_parameters_that_neither_state_nor_robot_gives(new_term):
    assert list(inspect.signature(new_term.__call__).parameters) == ["self", "env", "scale"]
    assert list(inspect.signature(rewards.foot_slip.__call__).parameters) == ["self", "env"]
    selecting = inspect.signature(rewards.joint_deviation_l1.__call__).parameters
    assert list(selecting) == ["self", "env", "joint_pattern", "num_joints"]


def test_a_term_that_asks_for_what_there_is_not_is_refused_with_what_there_is(new_term):
    line = RewardTermCfg(func=rewards.asks_for_the_moon, weight=1.0)
    with pytest.raises(SurefootError, match=r"^The term 'asks_for_the_moon' asks for 'phase_of_the_moon', .* action, "):
        rewards.asks_for_the_moon(line, SimpleNamespace(robot_spec=GO2, device="cpu", num_envs=1))


def test_a_record_of_the_configuration_names_a_term_by_what_finds_it_again(new_term):
    assert callable_to_string(new_term) == "surefoot.envs.mdp.rewards:forward_speed"
    assert string_to_callable("surefoot.envs.mdp.rewards:forward_speed") is new_term


def test_every_term_of_the_velocity_task_has_the_parameters_of_its_function():
    from surefoot_tasks.velocity.rewards_cfg import make_rewards_cfg

    for name, cfg in vars(make_rewards_cfg(GO2)).items():
        given = set(cfg.params) - {"joint_pattern", "num_joints"}
        assert given == set(parameters_of(cfg.func.function)), name


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
