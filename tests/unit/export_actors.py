"""Actors of rsl_rl with random weights and a normaliser that has seen data, for the tests of the export."""

import torch
from rsl_rl.utils import resolve_class
from tensordict import TensorDict

from surefoot.exporting.parity import rsl_rl_actor

OBSERVATION_DIM, ACTION_DIM = 7, 3

MLP = {
    "class_name": "MLPModel",
    "hidden_dims": [16, 8],
    "activation": "elu",
    "obs_normalization": True,
    "distribution_cfg": {"class_name": "GaussianDistribution", "init_std": 1.0},
}
LSTM = {**MLP, "class_name": "RNNModel", "rnn_type": "lstm", "rnn_hidden_dim": 12, "rnn_num_layers": 2}
GRU = {**LSTM, "rnn_type": "gru"}
CFGS = {"mlp": MLP, "lstm": LSTM, "gru": GRU}
ACTIVATIONS = ("elu", "relu", "tanh", "swish")


def make_actor(cfg, groups=None, seed=0):
    """An actor whose observation groups have the given sizes; its normaliser has seen data that are far from normal."""
    groups = groups or {"policy": OBSERVATION_DIM}
    generator = torch.Generator().manual_seed(seed)
    data = {name: 5.0 - 3.0 * torch.rand(256, size, generator=generator) for name, size in groups.items()}
    data = TensorDict(data, batch_size=[256])
    torch.manual_seed(seed)
    actor_class, arguments = resolve_class(cfg)
    actor = actor_class(data, {"actor": list(groups)}, "actor", ACTION_DIM, **arguments)
    actor.update_normalization(data)
    return actor.eval()


def observations(steps, batch, dim=OBSERVATION_DIM, seed=1):
    """What robots see, around what the normaliser has seen."""
    return 3.5 + torch.randn(steps, batch, dim, generator=torch.Generator().manual_seed(seed))


def resets(steps, batch):
    """Whether an episode begins: for all at first, for every other robot in the middle."""
    begins = torch.zeros(steps, batch, dtype=torch.bool)
    begins[0] = True
    begins[steps // 2, ::2] = True
    return begins


def assert_alike(actions, actor, seen, begins):
    """Hold what a form of the network answers, (steps, batch, action_dim), against the actor itself."""
    with torch.inference_mode():
        expected = torch.stack([rsl_rl_actor(actor)(*step) for step in zip(seen, begins, strict=True)])
    assert actions.shape == (*seen.shape[:2], ACTION_DIM)
    torch.testing.assert_close(torch.as_tensor(actions), expected, rtol=0.0, atol=1e-6)


def assert_each_alone(run, form, robots=5):
    """Hold what many robots are answered against what each of them is by itself."""
    seen, begins = observations(50, robots), resets(50, robots)
    together = torch.as_tensor(run(form, seen, begins))
    for i in range(robots):
        alone = torch.as_tensor(run(form, seen[:, i : i + 1], begins[:, i : i + 1]))
        torch.testing.assert_close(together[:, i : i + 1], alone, rtol=0.0, atol=1e-6)
