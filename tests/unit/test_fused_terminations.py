"""All terminations of a task in one launch, on a task without a simulator."""

import math
from types import SimpleNamespace

import pytest
import torch
from isaaclab.managers import TerminationManager, TerminationTermCfg

from surefoot.envs.fused.faults import Faults
from surefoot.envs.fused.terminations import FusedTerminationManager
from surefoot.envs.mdp import terminations
from surefoot_devtools.benchmarking.counting import count_launches
from surefoot_robots import get_robot

NUM_ENVS, GO2 = 6, get_robot("unitree_go2")
NAN = float("nan")


def stand_in() -> SimpleNamespace:
    """What terminations see of an environment: one robot each of which falls, leans, is out of time, and is broken."""

    def array(*shape):
        return SimpleNamespace(torch=torch.ones(NUM_ENVS, *shape))

    data = SimpleNamespace(root_link_pose_w=array(7), root_com_vel_w=array(6))
    joints = torch.zeros(NUM_ENVS, GO2.num_joints)
    gravity = torch.tensor([0.0, 0.0, -1.0]).repeat(NUM_ENVS, 1)
    state = {"projected_gravity_b": gravity, "joint_pos": joints, "joint_vel": joints.clone()}
    env = SimpleNamespace(
        robot_spec=GO2,
        device="cpu",
        num_envs=NUM_ENVS,
        max_episode_length=1000,
        sim=SimpleNamespace(is_playing=lambda: True),
        scene=SimpleNamespace(),
        robot=SimpleNamespace(data=data),
        locomotion=SimpleNamespace(fall_force_n=torch.zeros(NUM_ENVS), **state),
        episode_length_buf=torch.full((NUM_ENVS,), 5),
        faults=Faults(NUM_ENVS, 13 + 2 * GO2.num_joints, "cpu"),
    )
    env.locomotion.fall_force_n[0] = 50.0
    env.locomotion.projected_gravity_b[1] = torch.tensor([math.sin(1.1), 0.0, -math.cos(1.1)])
    env.episode_length_buf[2] = 1000
    env.locomotion.joint_vel[3, 7] = NAN
    env.user = torch.tensor([False, False, False, False, True, False])
    return env


def user(env) -> torch.Tensor:
    """A term that a user wrote."""
    return env.user


TORCH = {
    "time_out": lambda env: env.episode_length_buf >= env.max_episode_length,
    "fall_contact": lambda env: env.locomotion.fall_force_n > 1.0,
    "tilt": lambda env: env.locomotion.projected_gravity_b[:, 2] > -math.cos(1.0),
    "not_finite": lambda env: ~torch.isfinite(env.locomotion.joint_vel).all(dim=1),
}


def terms(*, of_torch: bool, with_user: bool = True) -> dict[str, TerminationTermCfg]:
    """The terms of the velocity task, and one that a user wrote."""
    func = TORCH if of_torch else {name: getattr(terminations, name) for name in TORCH}
    made = {name: TerminationTermCfg(func=func[name], time_out=name == "time_out") for name in TORCH}
    if not of_torch:
        made["tilt"].params["limit_rad"] = 1.0
    return {**made, "user": TerminationTermCfg(func=user)} if with_user else made


def test_a_step_gives_what_isaac_labs_manager_gives_term_by_term():
    env = stand_in()
    theirs, ours = TerminationManager(terms(of_torch=True), env), FusedTerminationManager(terms(of_torch=False), env)
    for _ in range(2):
        assert torch.equal(ours.compute(), theirs.compute())
        for name in ("_term_dones", "_last_episode_dones", "_truncated_buf", "_terminated_buf"):
            assert torch.equal(getattr(ours, name), getattr(theirs, name)), name
        assert torch.equal(ours.dones, theirs.dones)
        env.locomotion.fall_force_n[:] = torch.tensor([0.0, 0.0, 0.0, 0.0, 0.0, 9.0])
        env.user = torch.zeros(NUM_ENVS, dtype=torch.bool)  # the last terms of the others stay what they were
    assert ours.terminated.tolist() == [False, True, False, True, False, True]
    assert ours.time_outs.tolist() == [False, False, True, False, False, False]
    assert ours.succeeded.tolist() == [False, False, True, False, False, False]
    assert ours.get_term("tilt").tolist() == [False, True, False, False, False, False]


def test_a_step_is_one_launch_and_allocates_nothing():
    env = stand_in()
    manager = FusedTerminationManager(terms(of_torch=False, with_user=False), env)
    manager.compute()
    seen = count_launches(manager.compute)
    assert (seen.total, seen.waits.total(), seen.allocations.total()) == (1, 0, 0)


@pytest.mark.parametrize("broken", ["root_link_pose_w", "root_com_vel_w", "joint_pos", "joint_vel"])
@pytest.mark.parametrize("value", [NAN, math.inf, -math.inf])
def test_a_state_that_is_not_finite_ends_the_episode_and_leaves_its_row_as_evidence(broken, value):
    env = stand_in()
    env.locomotion.joint_vel[3, 7] = 0.0
    robot, state = env.robot.data, env.locomotion
    parts = [robot.root_link_pose_w.torch, robot.root_com_vel_w.torch, state.joint_pos, state.joint_vel]
    names = ["root_link_pose_w", "root_com_vel_w", "joint_pos", "joint_vel"]
    parts[names.index(broken)][5, 2] = value
    manager = FusedTerminationManager({"not_finite": terms(of_torch=False)["not_finite"]}, env)
    assert manager.compute().nonzero().flatten().tolist() == [5]
    assert env.faults.counts.tolist() == [1, 0, 0, 0]
    assert env.faults.seen.nonzero().flatten().tolist() == env.faults.in_state.nonzero().flatten().tolist() == [5]
    torch.testing.assert_close(env.faults.state[5], torch.cat([part[5] for part in parts]), equal_nan=True)
    assert not env.faults.state[:5].any()


def test_what_the_guard_wants_is_reset_once():
    env = stand_in()
    manager = FusedTerminationManager({"not_finite": terms(of_torch=False)["not_finite"]}, env)
    env.locomotion.joint_vel[3, 7] = 0.0
    env.faults.wants_reset[4] = True
    assert manager.compute().nonzero().flatten().tolist() == [4]
    assert manager.compute().sum() == 0
    assert env.faults.counts.sum() == 0, "it was counted where it was found"


def test_the_length_of_an_episode_may_change():
    env = stand_in()
    manager = FusedTerminationManager({"time_out": terms(of_torch=False)["time_out"]}, env)
    assert manager.compute().sum() == 1
    env.max_episode_length = 5
    assert manager.compute().all()


def test_a_task_may_have_no_terms():
    env = stand_in()
    assert FusedTerminationManager({}, env).compute().tolist() == [False] * NUM_ENVS


def test_a_base_that_is_no_longer_above_the_tiles_has_left_the_field():
    env = stand_in()
    env.field = SimpleNamespace(bounds_w=(-3.0, 21.0, 97.0, 115.0))
    places = [(0.0, 100.0), (-3.1, 100.0), (21.1, 100.0), (0.0, 96.9), (0.0, 115.1), (NAN, 100.0)]
    env.robot.data.root_link_pose_w.torch[:, :2] = torch.tensor(places)
    manager = FusedTerminationManager({"left_field": TerminationTermCfg(func=terminations.left_field)}, env)
    assert manager.compute().tolist() == [False, True, True, True, True, False]
