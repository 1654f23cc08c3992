"""The pupil: the policy's network, fitted to what the teacher would have done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch

if TYPE_CHECKING:
    from rsl_rl.models import MLPModel

BATCH = 8192
LEARNING_RATE, LAST_LEARNING_RATE = 1e-3, 2e-5
"""Of Adam, at the beginning and, after a straight line, at the end."""

HELD_OUT = 50
"""One sample in so many is held out of the fit, and judges it."""


class Experience(NamedTuple):
    """What teachers saw and did.

    Attributes:
        seen: Observations, (M, num_observations), 16-bit floats.
        told: Actions, (M, num_joints), 16-bit floats.
        command: Where the velocity command stands in an observation.
    """

    seen: torch.Tensor
    told: torch.Tensor
    command: slice


def read_experience(files: Sequence[Path]) -> Experience:
    """Return the experience of all files."""
    parts = [torch.load(file, weights_only=True) for file in files]
    seen, told = (torch.cat([part[name] for part in parts]) for name in ("observation", "action"))
    return Experience(seen, told, slice(*parts[0]["command"]))


GATE_SLOPE, GATE_BIAS, GATE_GAIN = 20.0, 1.5, 2.0
"""With ELU the gate is 1.5 at rest, -0.5 at 0.1 m/s, and -1 from 0.2 m/s on."""


@torch.no_grad()
def add_rest_unit(actor: MLPModel, seen: torch.Tensor, command: slice) -> None:
    """Give a network a unit in its second hidden layer that tells a command of zero from all others.

    A network that was trained to walk changes little with a small command, and least squares find it easier to tell
    from still joints that a robot stands: it would then never begin to walk slowly. The unit computes
    ``elu(GATE_BIAS - GATE_GAIN sum_i (elu(k c_i) + elu(-k c_i)))`` of the command's components ``c_i`` with
    ``k = GATE_SLOPE``. It takes the places of the units that matter least, whose mean goes into the next biases, and
    nothing reads it yet.

    Args:
        actor: The network; changed. One with fewer than two hidden layers, narrow ones or no ELU stays as it is.
        seen: Observations to tell by what matters, (M, num_observations).
        command: Where the command stands in them.
    """
    layers = [layer for layer in actor.mlp if isinstance(layer, torch.nn.Linear)]
    components = list(range(seen.shape[1]))[command]
    narrow = len(layers) < 3 or layers[0].out_features < 8 * len(components) or layers[1].out_features < 8
    if narrow or not isinstance(actor.mlp[1], torch.nn.ELU):
        return
    normalizer = actor.obs_normalizer
    zero = torch.zeros(1, seen.shape[1], device=layers[0].weight.device)
    offset, scale = normalizer(zero)[0], (normalizer(zero + 1.0) - normalizer(zero))[0]  # it is affine
    hidden = normalizer(seen.float().to(zero.device))
    freed = []
    for (layer, following), count in zip(pairwise(layers[:3]), (2 * len(components), 1), strict=True):
        hidden = torch.nn.functional.elu(layer(hidden))
        units = (hidden.std(dim=0) * following.weight.norm(dim=0)).argsort()[:count]
        following.bias.add_(following.weight[:, units] @ hidden[:, units].mean(dim=0))
        following.weight[:, units] = 0.0
        layer.weight[units], layer.bias[units] = 0.0, 0.0
        freed.append(units)
    first, (gate,) = freed[0], freed[1].tolist()
    for unit, (column, sign) in zip(first, ((c, s) for c in components for s in (1.0, -1.0)), strict=True):
        layers[0].weight[unit, column] = sign * GATE_SLOPE / scale[column]
        layers[0].bias[unit] = -sign * GATE_SLOPE * offset[column] / scale[column]
    layers[1].weight[gate, first] = -GATE_GAIN
    layers[1].bias[gate] = GATE_BIAS


def fit(
    actor: MLPModel,
    seen: torch.Tensor,
    told: torch.Tensor,
    *,
    epochs: int,
    seed: int,
    progress: Callable[[int, float], None],
) -> float:
    """Fit a network to pairs of observation and action by least squares; its normaliser stays.

    Args:
        actor: The network; changed.
        seen: Observations, (M, num_observations).
        told: Actions, (M, num_joints).
        epochs: Number of passes.
        seed: Seed of the order.
        progress: Called after each pass with its number from 1 and the present error.

    Returns:
        Root mean square error over the samples that were held out, in units of the action.
    """
    from tensordict import TensorDict

    device = next(actor.parameters()).device
    generator = torch.Generator().manual_seed(seed)
    held_out = torch.arange(len(seen)) % HELD_OUT == 0
    train, judged = (~held_out).nonzero()[:, 0], held_out.nonzero()[:, 0]
    batches = max(len(train) // BATCH, 1)

    def error(chosen: torch.Tensor) -> torch.Tensor:
        view = TensorDict({"policy": seen[chosen].float().to(device)}, batch_size=[len(chosen)])
        return (actor(view) - told[chosen].float().to(device)).square().mean()

    optimizer = torch.optim.Adam(list(actor.mlp.parameters()), lr=LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.LinearLR(
        optimizer, 1.0, LAST_LEARNING_RATE / LEARNING_RATE, total_iters=epochs * batches
    )
    result = float("nan")
    for epoch in range(1, epochs + 1):
        order = train[torch.randperm(len(train), generator=generator)]
        for batch in order.tensor_split(batches):
            optimizer.zero_grad()
            error(batch).backward()
            optimizer.step()
            schedule.step()
        with torch.inference_mode():
            parts = judged.split(BATCH)
            total = sum(float(error(part)) * len(part) for part in parts)
        result = (total / len(judged)) ** 0.5
        progress(epoch, result)
    return result
