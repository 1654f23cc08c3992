"""The pupil: the policy's network, fitted to what the teacher would have done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from rsl_rl.models import MLPModel

BATCH = 8192
LEARNING_RATE, LAST_LEARNING_RATE = 1e-3, 2e-5
"""Of Adam, at the beginning and, after a straight line, at the end."""

HELD_OUT = 50
"""One sample in so many is held out of the fit, and judges it."""


def read_experience(files: Sequence[Path]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return all observations (M, num_observations) and actions (M, num_joints), as 16-bit floats."""
    parts = [torch.load(file, weights_only=True) for file in files]
    return torch.cat([part["observation"] for part in parts]), torch.cat([part["action"] for part in parts])


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
