"""rsl_rl's PPO with a guard on gradients, checkpoints that know their task, and a fused optimiser step."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from rsl_rl.algorithms import PPO
from rsl_rl.env import VecEnv
from rsl_rl.extensions import Symmetry
from rsl_rl.models import MLPModel
from rsl_rl.storage import RolloutStorage
from tensordict import TensorDict

from surefoot.learning.checkpoint import SCHEMA, check_schema
from surefoot.learning.fault_guard import TrainingFaultError
from surefoot.learning.network_signature import check_signature, network_signature, signature_part

FAULTY_UPDATES_IN_A_ROW = 10
"""Iterations in a row with a non-finite gradient after which training stops: the network is lost, not disturbed."""


class SurefootPPO(PPO):
    """PPO that skips an optimiser step whose gradient is not finite, and refuses another robot's checkpoint.

    Named by ``class_name="surefoot.learning.ppo:SurefootPPO"`` in the agent's configuration, so that every way to train
    with rsl_rl uses it. Losses gain ``skipped_updates``, the number of optimiser steps left out in the iteration.
    """

    signature: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if type(self.optimizer) is torch.optim.Adam:
            # One kernel for all parameters; it also skips a step by itself when told so, without a read by the host.
            parameters = self.optimizer.param_groups[0]["params"]
            self.optimizer = torch.optim.Adam(parameters, lr=self.learning_rate, fused=True)
        self.optimizer.register_step_pre_hook(self._guard_step)
        if self.symmetry is not None and self.symmetry.use_data_augmentation and not self.symmetry.use_mirror_loss:
            self.symmetry.compute_loss = partial(_symmetry_error, self.symmetry)  # type: ignore[method-assign]
        self._skipped = torch.zeros((), device=self.device)
        self.faulty_updates_in_a_row = 0
        """Iterations in a row, up to the last one, with a gradient that was not finite."""

    @staticmethod
    def construct_algorithm(obs: TensorDict, env: VecEnv, cfg: dict, device: str) -> PPO:
        """Build networks, storage and algorithm from an rsl_rl configuration."""
        algorithm = PPO.construct_algorithm(obs, env, cfg, device)
        algorithm.signature = network_signature(env, cfg["obs_groups"])  # type: ignore[attr-defined]
        return algorithm

    def update(self) -> dict[str, float]:
        """Run one PPO update over the collected steps.

        Returns:
            Mean losses, and ``skipped_updates``.

        Raises:
            TrainingFaultError: If gradients were not finite in many iterations in a row.
        """
        losses = super().update()
        skipped = int(self._skipped.item())
        self._skipped.zero_()
        self.faulty_updates_in_a_row = self.faulty_updates_in_a_row + 1 if skipped else 0
        if self.faulty_updates_in_a_row >= FAULTY_UPDATES_IN_A_ROW:
            raise TrainingFaultError(
                f"The gradient was NaN or infinite in {self.faulty_updates_in_a_row} iterations in a row; "
                "the parameters were left as they were before. Lower the learning rate or the reward weights."
            )
        return {**losses, "skipped_updates": float(skipped)}

    def save(self) -> dict[str, Any]:
        """Return networks, normalisers, optimiser and signature."""
        # The key is that of the first checkpoints, which are still read.
        return {**super().save(), "schema": SCHEMA, "contract": self.signature}

    def load(self, loaded_dict: dict, load_cfg: dict | None, strict: bool) -> bool:
        """Load what :meth:`save` returned.

        Raises:
            CheckpointError: If the content is no checkpoint of this version.
            SignatureMismatchError: If it was trained for another robot or task.
        """
        check_schema(loaded_dict, "The checkpoint")
        check_signature(loaded_dict["contract"], self.signature)
        return super().load(loaded_dict, load_cfg, strict)

    def begin_with(self, weights: dict[str, Any]) -> list[str]:
        """Take the networks of another run's checkpoint: the actor, and the critic where it sees the same here.

        What a critic may see grows with the randomization, and it learns in a few iterations what returns to expect.

        Returns:
            Names of the networks that were taken.

        Raises:
            CheckpointError: If the content is no checkpoint of this version.
            SignatureMismatchError: If its actor was trained for another robot or task.
        """
        check_schema(weights, "The checkpoint")
        saved = weights["contract"]
        check_signature(signature_part("actor", saved), signature_part("actor", self.signature))
        is_same_critic = signature_part("critic", saved) == signature_part("critic", self.signature)
        super().load(weights, {"actor": True, "critic": is_same_critic}, strict=True)
        return ["actor", "critic"] if is_same_critic else ["actor"]

    def _guard_step(self, optimizer: torch.optim.Optimizer, args: tuple, kwargs: dict) -> None:  # noqa: ARG002
        """Make the optimiser leave its parameters and moments alone when a gradient is NaN or infinite."""
        gradients = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        faulty = ~torch.isfinite(torch.nn.utils.get_total_norm(gradients))
        self._skipped += faulty
        if getattr(optimizer, "defaults", {}).get("fused"):
            optimizer.found_inf = faulty.float()  # type: ignore[attr-defined] - torch's fused step reads it
        elif bool(faulty):
            optimizer.zero_grad(set_to_none=True)  # parameters without a gradient are left out of the step


def _symmetry_error(
    symmetry: Symmetry,
    actor: MLPModel,
    batch: RolloutStorage.Batch,  # noqa: ARG001 - rsl_rl's signature
    original_batch_size: int,
) -> torch.Tensor:
    """Mean squared difference between actions on mirrored observations and mirrored actions, for the log.

    rsl_rl runs the actor once more for it. The actor has just seen the augmented batch, so its means are at hand.
    """
    with torch.no_grad():
        means = actor.output_mean  # (2 * original_batch_size, num_actions): originals first, then their mirror images
        _, mirrored = symmetry.data_augmentation_func(env=symmetry.env, obs=None, actions=means[:original_batch_size])
        return torch.nn.functional.mse_loss(means[original_batch_size:], mirrored[original_batch_size:])
