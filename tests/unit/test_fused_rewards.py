"""All rewards of a task in one launch, on a task without a simulator."""

from types import SimpleNamespace

import pytest
import torch
from isaaclab.managers import RewardManager, RewardTermCfg

from surefoot.envs.fused.rewards import FusedRewardManager
from surefoot.envs.mdp import rewards
from surefoot_bridge.errors import SurefootError
from surefoot_devtools.benchmarking.counting import count_launches
from surefoot_robots import get_robot

NUM_ENVS, GO2, DT = 5, get_robot("unitree_go2"), 0.02


def stand_in(device: str = "cpu") -> SimpleNamespace:
    """What reward terms see of an environment of the velocity task, drawn at random."""
    torch.manual_seed(0)
    feet, joints = len(GO2.foot_bodies), GO2.num_joints
    shapes = dict.fromkeys(("base_lin_vel_b", "base_ang_vel_b", "projected_gravity_b"), (3,))
    shapes |= dict.fromkeys(("joint_pos", "joint_vel", "joint_acc", "motor_torque_nm"), (joints,))
    times = ("air_time_s", "contact_time_s", "last_air_time_s", "last_contact_time_s")
    shapes |= dict.fromkeys(("sole_height_m", "swing_peak_m", "foot_force_n", *times), (feet,))
    state = {name: torch.randn(NUM_ENVS, *shape) for name, shape in shapes.items()}
    state |= {"foot_vel_w": torch.randn(NUM_ENVS, feet, 3), "base_height_m": torch.randn(NUM_ENVS, 3)[:, 2]}
    state |= {name: torch.rand(NUM_ENVS, feet) < 0.5 for name in ("foot_contact", "touchdown")}
    state = {name: value.to(device) for name, value in state.items()}
    names = ("raw_actions", "previous_actions", "second_previous_actions")
    actions = {name: torch.randn(NUM_ENVS, joints).to(device) for name in names}
    terminated = torch.tensor([False, True, False, False, True], device=device)
    return SimpleNamespace(
        robot_spec=GO2,
        device=device,
        num_envs=NUM_ENVS,
        step_dt=DT,
        max_episode_length_s=20.0,
        sim=SimpleNamespace(is_playing=lambda: True),
        scene=SimpleNamespace(),
        locomotion=SimpleNamespace(**state),
        joint_target=SimpleNamespace(**actions),
        command=torch.randn(NUM_ENVS, 3).to(device),
        moving=torch.tensor([True, False, True, True, False], device=device),
        termination_manager=SimpleNamespace(terminated=terminated),
        episode_length_buf=torch.tensor([0, 3, 500, 7, 999], device=device),
    )


def of_torch(env) -> torch.Tensor:
    """A term that a user wrote."""
    return env.locomotion.base_height_m * 2.0


def terms_of_the_task() -> dict[str, RewardTermCfg]:
    from surefoot_tasks.velocity.rewards_cfg import make_rewards_cfg

    terms = {name: value for name, value in vars(make_rewards_cfg(GO2)).items() if value is not None}
    return {**terms, "of_torch": RewardTermCfg(func=of_torch, weight=-0.5)}


def test_a_step_gives_what_isaac_labs_manager_gives_term_by_term():
    env = stand_in()
    managers = [cls(terms_of_the_task(), env) for cls in (RewardManager, FusedRewardManager)]
    for _ in range(3):
        theirs, ours = (manager.compute(DT).clone() for manager in managers)
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)
        env.locomotion.base_lin_vel_b.mul_(0.9)
    theirs, ours = managers
    assert len(ours.active_terms) == 25
    for name in ("_step_reward", "_episode_sum_buf"):
        torch.testing.assert_close(getattr(ours, name), getattr(theirs, name), rtol=1e-5, atol=1e-5)
    assert ours.get_active_iterable_terms(2)[0][0] == "track_lin_vel_xy"


def test_a_step_is_one_launch_beside_the_operations_of_terms_in_torch():
    env, terms = stand_in(), terms_of_the_task()
    manager = FusedRewardManager(terms, env)
    manager.compute(DT)
    seen = count_launches(lambda: manager.compute(DT))
    assert (seen.kernels.total(), seen.torch_operations) == (1, {"aten.mul": 2})
    assert seen.waits.total() == 0
    del terms["of_torch"]
    alone = FusedRewardManager(terms, stand_in())
    alone.compute(DT)
    seen = count_launches(lambda: alone.compute(DT))
    assert (seen.total, seen.waits.total(), seen.allocations.total()) == (1, 0, 0)


def test_weights_and_parameters_that_a_curriculum_changes_hold_from_the_next_step_on():
    env = stand_in()
    terms = {"height": RewardTermCfg(func=rewards.base_height_l2, weight=-1.0, params={"target_m": 0.0})}
    manager = FusedRewardManager(terms, env)
    line, height = manager.get_term_cfg("height"), env.locomotion.base_height_m
    torch.testing.assert_close(manager.compute(DT), -DT * height**2)
    line.weight, line.params["target_m"] = -3.0, 0.5
    torch.testing.assert_close(manager.compute(DT), -3.0 * DT * (height - 0.5) ** 2)
    line.weight = 0.0
    assert manager.compute(DT).tolist() == [0.0] * NUM_ENVS
    line.weight, line.params["target_m"] = 2.0, 0.0
    torch.testing.assert_close(manager.compute(DT), 2.0 * DT * height**2)


def test_state_that_moves_to_other_memory_is_followed():
    env = stand_in()
    manager = FusedRewardManager({"height": RewardTermCfg(func=rewards.alive, weight=1.0)}, env)
    assert manager.compute(DT).tolist() == pytest.approx([DT, 0.0, DT, DT, 0.0])
    env.termination_manager.terminated = ~env.termination_manager.terminated
    assert manager.compute(2.0).tolist() == [0.0, 2.0, 0.0, 0.0, 2.0]


def test_what_a_term_that_is_switched_off_reads_need_not_be_there():
    env = stand_in()
    terms = {"alive": RewardTermCfg(func=rewards.alive, weight=1.0)}
    terms["tracking"] = RewardTermCfg(func=rewards.track_yaw_rate_exp, weight=0.0, params={"std": 0.5})
    del env.command
    manager = FusedRewardManager(terms, env)
    manager.compute(DT)
    manager.get_term_cfg("tracking").weight = 1.0
    with pytest.raises(AttributeError, match="command"):  # an environment's own message says more
        manager.compute(DT)


def test_a_parameter_that_would_make_nan_is_refused_by_the_terms_name():
    line = RewardTermCfg(func=rewards.track_yaw_rate_exp, weight=1.0, params={"std": 0.0})
    manager = FusedRewardManager({"turning": line}, stand_in())
    with pytest.raises(SurefootError, match=r"^The term 'turning' cannot be computed: std must be positive, got 0.0: "):
        manager.compute(DT)


def test_a_task_may_have_no_terms():
    assert FusedRewardManager({}, stand_in()).compute(DT).tolist() == [0.0] * NUM_ENVS
