"""Actors of rsl_rl with random weights and a normaliser that has seen data, for the tests of the export."""

import torch
from rsl_rl.utils import resolve_class
from tensordict import TensorDict

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
