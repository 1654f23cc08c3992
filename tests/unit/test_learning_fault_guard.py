"""Non-finite values are caught in the stage where they arise, replaced, counted and reported."""

from types import SimpleNamespace

import pytest
import torch
from tensordict import TensorDict

from surefoot.envs.fused.faults import Faults
from surefoot.learning.fault_guard import (
    FAULTY_ITERATIONS_IN_A_ROW,
    KEPT_DUMPS,
    FaultGuard,
    TrainingFaultError,
    faulty_environments,
    rows_not_finite,
)
from surefoot.ranks import Ranks
from surefoot_devtools.benchmarking.counting import count_launches

NUM_ENVS = 100
NAN, INF = float("nan"), float("inf")


def step_result():
    obs = TensorDict({"policy": torch.ones(NUM_ENVS, 3), "critic": torch.ones(NUM_ENVS, 2, 2)}, batch_size=[NUM_ENVS])
    return obs, torch.ones(NUM_ENVS), torch.zeros(NUM_ENVS, dtype=torch.long)


def robot_env(guard, joint_pos):
    def array(*shape):
        return SimpleNamespace(torch=torch.zeros(NUM_ENVS, *shape))

    data = SimpleNamespace(root_link_pose_w=array(7), root_com_vel_w=array(6), joint_vel=array(12))
    data.joint_pos = SimpleNamespace(torch=joint_pos)
    scene = SimpleNamespace(articulations={"robot": SimpleNamespace(data=data)})
    return SimpleNamespace(scene=scene, fault_guard=guard)


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_any_non_finite_value_in_any_tensor_marks_its_row(bad):
    first, second = torch.zeros(4, 2, 2), torch.zeros(4)
    first[1, 0, 1] = bad
    second[3] = bad
    assert rows_not_finite(first, second).tolist() == [False, True, False, True]


def test_opposite_infinities_in_a_row_do_not_cancel():
    assert rows_not_finite(torch.tensor([[INF, -INF], [1.0, -1.0]])).tolist() == [True, False]


def test_a_faulty_observation_becomes_zero_ends_the_episode_and_asks_for_a_reset_in_the_next_step():
    guard = FaultGuard(NUM_ENVS, "cpu")
    obs, rewards, dones = step_result()
    obs["critic"][7, 1, 0] = NAN
    obs, rewards, dones = guard.check_step(obs, rewards, dones)

    assert obs["critic"][7].abs().sum() == 0.0
    assert obs["policy"][7].abs().sum() == 0.0
    assert obs["policy"][8].tolist() == [1.0, 1.0, 1.0]
    assert (dones.sum().item(), dones[7].item()) == (1, 1)
    env = robot_env(guard, torch.zeros(NUM_ENVS, 12))
    assert faulty_environments(env).nonzero().flatten().tolist() == [7]
    assert faulty_environments(env).sum() == 0
    report = guard.close_iteration()
    assert report.counts == {"state": 0, "action": 0, "observation": 1, "reward": 0}
    assert report.environments == (7,)


def test_a_faulty_reward_becomes_zero_and_ends_the_episode():
    guard = FaultGuard(NUM_ENVS, "cpu")
    obs, rewards, dones = step_result()
    rewards[2] = INF
    _, rewards, dones = guard.check_step(obs, rewards, dones)
    assert (rewards[2].item(), rewards[3].item(), dones[2].item()) == (0.0, 1.0, 1)
    assert guard.close_iteration().counts["reward"] == 1


def test_a_faulty_action_becomes_zero_and_is_named():
    guard = FaultGuard(NUM_ENVS, "cpu")
    with torch.inference_mode():  # as experience is collected
        actions = torch.ones(NUM_ENVS, 2)
        actions[4, 1] = NAN
        clean = guard.check_actions(actions)
    assert clean[4].tolist() == [0.0, 0.0]
    assert clean[5].tolist() == [1.0, 1.0]
    assert guard.close_iteration().counts["action"] == 1


def test_a_faulty_state_is_reset_in_the_same_step_and_its_reward_is_not_counted_twice():
    guard = FaultGuard(NUM_ENVS, "cpu")
    joint_pos = torch.zeros(NUM_ENVS, 12)
    joint_pos[9, 3] = NAN
    env = robot_env(guard, joint_pos)
    assert faulty_environments(env).nonzero().flatten().tolist() == [9]

    obs, rewards, dones = step_result()  # the observation is of the state after the reset, the reward of that before
    rewards[9] = NAN
    _, rewards, _ = guard.check_step(obs, rewards, dones)
    assert rewards[9] == 0.0
    joint_pos[9, 3] = 0.0
    assert faulty_environments(env).sum() == 0, "reset already, must not be reset again"
    assert guard.close_iteration().counts == {"state": 1, "action": 0, "observation": 0, "reward": 0}


def test_the_state_is_checked_without_a_guard_too():
    joint_pos = torch.zeros(NUM_ENVS, 12)
    joint_pos[1, 0] = INF
    assert faulty_environments(robot_env(None, joint_pos)).nonzero().flatten().tolist() == [1]


def test_what_is_handed_on_is_not_the_environments_buffer():
    guard = FaultGuard(NUM_ENVS, "cpu")
    obs, rewards, dones = step_result()
    handed, _, _ = guard.check_step(obs, rewards, dones)
    obs["policy"].fill_(5.0)  # an environment that reuses its buffer in the next step
    assert handed["policy"][0].tolist() == [1.0, 1.0, 1.0]


def test_a_step_of_two_groups_is_six_launches_that_wait_for_nothing():
    guard, actions, given = FaultGuard(NUM_ENVS, "cpu"), torch.ones(NUM_ENVS, 2), step_result()

    def step():
        guard.check_actions(actions)
        guard.check_step(*given)

    step()
    seen = count_launches(step)
    assert seen.kernels == {
        "check_actions": 1,
        "find_in_group": 2,
        "check_outcome": 1,
        "clean_group": 2,
    }
    assert (seen.total, seen.waits.total()) == (6, 0)


def test_a_state_that_an_environments_own_kernel_found_is_in_the_report_and_its_row_in_the_dump(tmp_path):
    faults = Faults(NUM_ENVS, 5, "cpu")
    guard = FaultGuard(NUM_ENVS, "cpu", faults=faults)
    faults.counts[0], faults.seen[3], faults.in_state[3], faults.state[3, 2] = 1, True, True, NAN
    obs, rewards, dones = step_result()
    rewards[3] = NAN  # of the state before the reset
    _, rewards, _ = guard.check_step(obs, rewards, dones)
    assert rewards[3] == 0.0
    assert not faults.wants_reset.any(), "reset already, must not be reset again"
    report = guard.close_iteration(tmp_path / "fault_000001.pt")
    assert (report.counts["state"], report.counts["reward"], report.environments) == (1, 0, (3,))
    dump = torch.load(report.dump, weights_only=True)
    assert dump["state"].isnan().tolist() == [[False, False, True, False, False]]
    assert guard.close_iteration() is None


def test_an_iteration_without_faults_reports_nothing():
    guard = FaultGuard(NUM_ENVS, "cpu")
    guard.check_actions(torch.zeros(NUM_ENVS, 2))
    guard.check_step(*step_result())
    assert guard.close_iteration() is None


def test_training_stops_when_more_than_five_percent_are_faulty_with_the_values_in_a_dump(tmp_path):
    guard = FaultGuard(NUM_ENVS, "cpu")
    obs, rewards, dones = step_result()
    obs["policy"][:6, 1] = NAN
    guard.check_step(obs, rewards, dones)
    with pytest.raises(TrainingFaultError, match=r"observation 6\) in 6 environment\(s\): 0, 1, 2, 3, 4, 5.*6% of all"):
        guard.close_iteration(tmp_path / "fault_000001.pt")
    dump = torch.load(tmp_path / "fault_000001.pt", weights_only=True)
    assert dump["environments"] == [0, 1, 2, 3, 4, 5]
    assert dump["observation"].shape == (6, 3 + 4)
    assert dump["observation"][:, 1].isnan().all()


def test_a_single_fault_leaves_its_rows_in_a_dump_and_no_row_of_an_earlier_one(tmp_path):
    guard = FaultGuard(NUM_ENVS, "cpu")
    for iteration, environment in ((1, 4), (2, 9)):
        obs, rewards, dones = step_result()
        obs["policy"][environment, 2] = NAN
        rewards[environment] = INF
        guard.check_step(obs, rewards, dones)
        file = tmp_path / f"fault_{iteration:06d}.pt"
        assert str(guard.close_iteration(file)).endswith(f"Their values are in {file} (torch.load)")
    guard.check_step(*step_result())
    assert guard.close_iteration(tmp_path / "fault_000003.pt") is None
    assert not (tmp_path / "fault_000003.pt").exists()

    dump = torch.load(file, weights_only=True)
    assert (set(dump), dump["environments"]) == ({"environments", "observation", "reward"}, [9])
    assert dump["observation"].isnan().tolist() == [[False, False, True, False, False, False, False]]
    assert dump["reward"].tolist() == [[INF]]


def test_dumps_of_a_fault_now_and_then_do_not_fill_the_disk(tmp_path):
    guard = FaultGuard(NUM_ENVS, "cpu")
    for iteration in range(1, KEPT_DUMPS + 4):
        actions = torch.ones(NUM_ENVS, 2)
        actions[3] = NAN
        guard.check_actions(actions)
        guard.close_iteration(tmp_path / f"fault_{iteration:06d}.pt")
        guard.close_iteration(tmp_path / f"fault_{iteration:06d}.pt")  # an iteration without faults in between
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == [f"fault_{iteration:06d}.pt" for iteration in range(4, KEPT_DUMPS + 4)]


def guard_of_process(rank, folder):
    ranks = Ranks(rank, rank, 2)
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/processes", rank=rank, world_size=2)
    guard = FaultGuard(NUM_ENVS, "cpu", ranks)
    actions = torch.ones(NUM_ENVS, 2)
    if rank == 1:
        actions[7] = NAN
    guard.check_actions(actions)
    report = guard.close_iteration(folder / "fault_000001.pt" if ranks.is_first else None)
    (folder / f"rank{rank}").write_text(str(report))
    actions[: 11 * rank] = NAN  # 11 of 200 are above the limit, in whichever process they are
    guard.check_actions(actions)
    with pytest.raises(TrainingFaultError, match="6% of all environments, 2 iteration"):
        guard.close_iteration()
    torch.distributed.destroy_process_group()


def test_a_fault_in_another_process_is_reported_and_saved_by_the_first_and_both_stop_together(tmp_path):
    torch.multiprocessing.spawn(guard_of_process, (tmp_path,), nprocs=2)
    file = tmp_path / "fault_000001.pt"
    said = "non-finite values (action 1) in 1 environment(s): 107; they were reset"
    assert (tmp_path / "rank0").read_text() == f"{said}. Their values are in {file} (torch.load)"
    dump = torch.load(file, weights_only=True)
    assert dump["environments"] == [107]
    assert dump["action"].isnan().all()


def test_training_stops_when_one_environment_stays_faulty():
    guard = FaultGuard(NUM_ENVS, "cpu")
    for iteration in range(1, FAULTY_ITERATIONS_IN_A_ROW + 1):
        obs, rewards, dones = step_result()
        rewards[0] = NAN
        guard.check_step(obs, rewards, dones)
        if iteration < FAULTY_ITERATIONS_IN_A_ROW:
            guard.close_iteration()
    with pytest.raises(TrainingFaultError, match="20 iteration"):
        guard.close_iteration()


def test_a_clean_iteration_starts_the_count_anew():
    guard = FaultGuard(NUM_ENVS, "cpu")
    for _ in range(3 * FAULTY_ITERATIONS_IN_A_ROW):
        obs, rewards, dones = step_result()
        rewards[0] = NAN
        guard.check_step(obs, rewards, dones)
        guard.close_iteration()
        guard.check_step(*step_result())
        assert guard.close_iteration() is None
