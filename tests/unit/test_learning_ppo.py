"""PPO leaves out a step whose gradient is not finite, and otherwise learns exactly as rsl_rl's."""

import copy
from typing import Any

import pytest
import torch
from rsl_rl.algorithms import PPO
from tests.unit.tiny_learning import TinyEnv, tiny_config

from surefoot.learning.fault_guard import TrainingFaultError
from surefoot.learning.network_signature import SignatureMismatchError
from surefoot.learning.ppo import FAULTY_UPDATES_IN_A_ROW, SurefootPPO
from surefoot_devtools.benchmarking.counting import Tally


def build(algorithm=SurefootPPO, *, normalized=False, **options) -> tuple[TinyEnv, Any]:
    torch.manual_seed(0)
    env, cfg = TinyEnv(), {**tiny_config(**options), "multi_gpu": None}
    for network in ("actor", "critic"):
        cfg[network]["obs_normalization"] = normalized
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


def test_what_acting_was_given_may_be_written_over_at_once():
    env, ppo = build()
    obs = env.get_observations()
    with torch.inference_mode():
        actions = ppo.act(obs)
        expected = obs["policy"].clone()
        obs["policy"].zero_()
        assert torch.equal(ppo.storage.observations[0]["policy"], expected)
        assert torch.equal(ppo.storage.actions[0], actions)


STORED = (
    *("actions", "values", "actions_log_prob", "distribution_params", "rewards", "dones"),
    *("returns", "advantages"),
)


@pytest.mark.parametrize(
    "options",
    [
        {"desired_kl": 1e-6},  # lowers the learning rate
        {"desired_kl": 1.0},  # raises it
        {"schedule": "fixed", "normalize_advantage_per_mini_batch": True, "use_clipped_value_loss": False},
        {"symmetry_cfg": {"data_augmentation_func": reflect, "use_mirror_loss": True, "mirror_loss_coeff": 2.0}},
    ],
)
def test_iterations_are_rsl_rls_own(options):
    runs = []
    for algorithm in (PPO, SurefootPPO):
        env, ppo = build(algorithm, normalized=True, **options)
        rows = []
        for _ in range(3):
            collect(env, ppo)
            stored = {name: copy.deepcopy(getattr(ppo.storage, name)) for name in STORED}
            stored["observations"] = ppo.storage.observations["policy"].clone()
            rows.append((stored, ppo.update(), ppo.learning_rate, parameters(ppo), ppo.actor.obs_normalizer.std))
        runs.append(rows)
    for (stored, losses, rate, weights, std), (ours, our_losses, our_rate, our_weights, our_std) in zip(
        *runs, strict=True
    ):
        for name, values in stored.items():
            torch.testing.assert_close(list(ours[name]), list(values), rtol=1e-4, atol=1e-5)
        assert our_rate == pytest.approx(rate, rel=1e-6)
        assert {**losses, "skipped_updates": 0.0} == pytest.approx(our_losses, rel=1e-3, abs=1e-5)
        torch.testing.assert_close(our_weights, weights, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(our_std, std)


def addresses(ppo):
    """Where everything lies that a graph reads or writes."""
    storage = ppo.storage
    tensors = [*ppo.actor.state_dict().values(), *ppo.critic.state_dict().values()]
    tensors += [value for state in ppo.optimizer.state.values() for value in state.values()]
    tensors += [group["lr"] for group in ppo.optimizer.param_groups]
    tensors += [*storage.observations.values(), *storage.distribution_params, *ppo._observed.values()]
    tensors += [getattr(storage, name) for name in ("actions", "values", "actions_log_prob", "returns", "advantages")]
    return [tensor.data_ptr() for tensor in (*tensors, ppo._rate, ppo._chosen, ppo._step, ppo._loss_sums, ppo._skipped)]


def test_nothing_that_a_graph_reads_moves_in_training_or_by_saving():
    env, ppo = build(normalized=True)
    collect(env, ppo)
    ppo.update()  # makes the optimiser's moments
    before = addresses(ppo)
    for _ in range(2):
        collect(env, ppo)
        ppo.update()
        ppo.save()
    assert addresses(ppo) == before


def test_a_loaded_checkpoint_whose_moments_lie_elsewhere_drops_the_graphs(monkeypatch):
    _, ppo = build()
    forgotten = []
    for region in ppo.regions:
        monkeypatch.setattr(region, "forget", lambda name=region.name: forgotten.append(name))
    ppo.load(ppo.save(), None, strict=True)
    assert forgotten == ["Acting", "Learning"]


def test_nothing_in_training_waits_for_the_device_but_one_read_of_the_losses_and_one_of_faults():
    env, ppo = build(normalized=True)
    collect(env, ppo)
    ppo.update()
    tally = Tally()
    obs = env.get_observations()
    with torch.inference_mode(), tally.opened():
        for _ in range(4):
            with tally.scope("training"):
                actions = ppo.act(obs)
            obs, rewards, dones, extras = env.step(actions)
            with tally.scope("training"):
                ppo.process_env_step(obs, rewards, dones, extras)
        with tally.scope("training"):
            ppo.compute_returns(obs)
    with tally.opened(), tally.scope("update"):
        ppo.update()
    assert not tally.of["training",].waits
    waits = tally.of["update",].waits
    uploads = 2  # of the number of samples, by each normaliser
    assert waits.total() <= 2 + uploads, waits
