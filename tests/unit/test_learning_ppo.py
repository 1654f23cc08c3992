"""PPO leaves out a step whose gradient is not finite, and otherwise learns exactly as rsl_rl's."""

import copy
from typing import Any

import pytest
import torch
from rsl_rl.algorithms import PPO
from rsl_rl.storage import RolloutStorage
from tests.unit.tiny_learning import TinyEnv, tiny_config

from surefoot.learning.fault_guard import TrainingFaultError
from surefoot.learning.network_signature import SignatureMismatchError
from surefoot.learning.ppo import FAULTY_UPDATES_IN_A_ROW, SurefootPPO


def build(algorithm=SurefootPPO, **options) -> tuple[TinyEnv, Any]:
    torch.manual_seed(0)
    env, cfg = TinyEnv(), {**tiny_config(**options), "multi_gpu": None}
    if algorithm is PPO:
        cfg["algorithm"]["class_name"] = "PPO"
    return env, algorithm.construct_algorithm(env.get_observations(), env, cfg, "cpu")


def collect(env, ppo, bad_return=None):
    torch.manual_seed(1)
    obs = env.get_observations()
    with torch.inference_mode():
        for _ in range(4):
            obs, rewards, dones, extras = env.step(ppo.act(obs))
            ppo.process_env_step(obs, rewards, dones, extras)
        ppo.compute_returns(obs)
    if bad_return is not None:
        ppo.storage.returns[0, 0] = bad_return


def parameters(ppo):
    return torch.cat([p.detach().flatten().clone() for p in (*ppo.actor.parameters(), *ppo.critic.parameters())])


def test_one_update_equals_rsl_rls_own():
    results = []
    for algorithm in (PPO, SurefootPPO):
        env, ppo = build(algorithm)
        collect(env, ppo)
        losses = ppo.update()
        results.append((parameters(ppo), losses))
    # The fused step sums in another order than the stock one.
    torch.testing.assert_close(results[0][0], results[1][0], rtol=1e-5, atol=1e-6)
    assert results[1][1].pop("skipped_updates") == 0.0
    assert results[1][1] == pytest.approx(results[0][1], rel=1e-5)


def reflect(env, obs, actions):
    both_obs = None if obs is None else torch.cat([obs, obs.apply(torch.neg)])
    return both_obs, None if actions is None else torch.cat([actions, -actions])


def test_the_symmetry_error_is_rsl_rls_without_its_extra_pass_of_the_actor():
    results = []
    for algorithm in (PPO, SurefootPPO):
        symmetry = {"data_augmentation_func": reflect, "use_data_augmentation": True, "use_mirror_loss": False}
        env, ppo = build(algorithm, symmetry_cfg=symmetry)
        passes = []
        ppo.actor.mlp.register_forward_hook(lambda *_, passes=passes: passes.append(1))
        collect(env, ppo)
        passes.clear()
        results.append((ppo.update()["symmetry"], parameters(ppo), len(passes)))
    assert results[1][0] == pytest.approx(results[0][0], rel=1e-5)
    torch.testing.assert_close(results[0][1], results[1][1], rtol=1e-5, atol=1e-6)
    assert [result[2] for result in results] == [8, 4]  # two epochs of two mini-batches


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_step_with_a_non_finite_gradient_is_left_out_and_counted(optimizer, bad):
    env, ppo = build(optimizer=optimizer)
    collect(env, ppo, bad_return=bad)
    before = parameters(ppo)
    losses = ppo.update()
    # The bad sample is in one of two mini-batches in each of two epochs; the other one is learnt from.
    assert losses["skipped_updates"] == 2.0
    after = parameters(ppo)
    assert torch.isfinite(after).all()
    assert not torch.equal(before, after)


def test_nothing_moves_when_every_gradient_is_bad():
    env, ppo = build(num_mini_batches=1)
    collect(env, ppo)
    ppo.update()  # fills Adam's moments, which would move the parameters even with gradients of zero
    collect(env, ppo, bad_return=float("nan"))
    before = parameters(ppo)
    assert ppo.update()["skipped_updates"] == 2.0
    assert torch.equal(parameters(ppo), before)


def test_training_stops_after_many_faulty_iterations_in_a_row():
    env, ppo = build()
    for _ in range(FAULTY_UPDATES_IN_A_ROW - 1):
        collect(env, ppo, bad_return=float("nan"))
        ppo.update()
    collect(env, ppo, bad_return=float("nan"))
    with pytest.raises(TrainingFaultError, match="NaN or infinite in 10 iterations in a row"):
        ppo.update()


def test_a_saved_algorithm_continues_bit_by_bit_in_another():
    env, ppo = build()
    collect(env, ppo)
    ppo.update()
    saved = copy.deepcopy(ppo.save())  # as a file would be
    _, other = build()
    other.load(saved, None, strict=True)
    assert other.learning_rate == ppo.learning_rate
    results = []
    for algorithm in (ppo, other):
        env.episode_length_buf.zero_()
        collect(env, algorithm)
        losses = algorithm.update()
        results.append((losses, parameters(algorithm)))
    assert results[0][0] == results[1][0]
    assert torch.equal(results[0][1], results[1][1])


def test_a_checkpoint_of_another_robot_is_refused():
    _, ppo = build()
    saved = ppo.save()
    saved["contract"] = {**saved["contract"], "robot": "other"}
    with pytest.raises(SignatureMismatchError, match="robot: saved other, here tiny"):
        ppo.load(saved, None, strict=True)


def with_critic_that_sees(group, contract):
    observations = {"policy": [["pose", [3]]], "privileged": [["friction", [4]]]}
    return {
        **contract,
        "observation_sets": {"actor": ["policy"], "critic": [group]},
        "observations": {"policy": observations["policy"], group: observations[group]},
    }


def test_a_run_begins_with_both_networks_of_a_checkpoint_when_they_see_the_same():
    _, other = build()
    _, ppo = build()
    assert ppo.begin_with(other.save()) == ["actor", "critic"]
    assert torch.equal(parameters(ppo), parameters(other))


def test_a_run_begins_with_the_actor_alone_when_the_critic_sees_something_else():
    _, other = build()
    _, ppo = build()
    own_critic = copy.deepcopy(ppo.critic.state_dict())
    saved = other.save()
    saved["contract"] = with_critic_that_sees("privileged", saved["contract"])
    ppo.signature = with_critic_that_sees("policy", ppo.signature)
    assert ppo.begin_with(saved) == ["actor"]
    for name, value in other.actor.state_dict().items():
        assert torch.equal(ppo.actor.state_dict()[name], value)
    for name, value in own_critic.items():
        assert torch.equal(ppo.critic.state_dict()[name], value)


def test_a_run_does_not_begin_with_the_actor_of_another_robot():
    _, ppo = build()
    saved = ppo.save()
    saved["contract"] = {**saved["contract"], "robot": "other"}
    with pytest.raises(SignatureMismatchError, match="robot: saved other, here tiny"):
        ppo.begin_with(saved)


def test_the_storage_copies_what_it_is_given():
    # The runner hands over new tensors; rsl_rl keeps a reference to an observation until the step is over.
    env, ppo = build()
    assert isinstance(ppo.storage, RolloutStorage)
    obs = env.get_observations()
    with torch.inference_mode():
        ppo.act(obs)
        assert ppo.transition.observations is obs
