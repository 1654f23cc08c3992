"""rsl_rl's PPO with a guard on gradients, checkpoints that know their task, and graphs of what it asks of a GPU."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
import warp as wp
from rsl_rl.algorithms import PPO
from rsl_rl.env import VecEnv
from rsl_rl.extensions import Symmetry
from rsl_rl.models import MLPModel
from rsl_rl.storage import RolloutStorage
from tensordict import TensorDict

from surefoot.learning.checkpoint import SCHEMA, check_schema
from surefoot.learning.fault_guard import TrainingFaultError
from surefoot.learning.graph_region import GraphRegion
from surefoot.learning.network_signature import check_signature, network_signature, signature_part
from surefoot.learning.return_kernels import estimate_advantages

FAULTY_UPDATES_IN_A_ROW = 10
"""Iterations in a row with a non-finite gradient after which training stops: the network is lost, not disturbed."""

LEARNING_RATES = (1e-5, 1e-2)
"""Least and largest learning rate of the adaptive schedule, rsl_rl's."""

LEARNING_RATE_FACTOR = 1.5
"""What the adaptive schedule multiplies it by, or divides, rsl_rl's."""


class SurefootPPO(PPO):
    """PPO that skips an optimiser step whose gradient is not finite, and refuses another robot's checkpoint.

    Named by ``class_name="surefoot.learning.ppo:SurefootPPO"`` in the agent's configuration, so that every way to train
    with rsl_rl uses it. Losses gain ``skipped_updates``, the number of optimiser steps left out in the iteration.

    Networks without memory that Adam optimises, with neither RND nor mixed precision, learn what they learn in rsl_rl
    without a wait for the device: to act, and to learn from a mini-batch, is a region (:attr:`regions`) that a GPU
    launches as one graph. Others are trained by rsl_rl's own code.
    """

    signature: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        is_adam = type(self.optimizer) is torch.optim.Adam
        if is_adam:
            # One kernel for all parameters; it also skips a step by itself when told so, without a read by the host.
            parameters = self.optimizer.param_groups[0]["params"]
            self.optimizer = torch.optim.Adam(parameters, lr=self.learning_rate, fused=True)
        self.optimizer.register_step_pre_hook(self._guard_step)
        if self.symmetry is not None and self.symmetry.use_data_augmentation and not self.symmetry.use_mirror_loss:
            self.symmetry.compute_loss = partial(_symmetry_error, self.symmetry)  # type: ignore[method-assign]
        self._skipped = torch.zeros((), device=self.device)
        self.faulty_updates_in_a_row = 0
        """Iterations in a row, up to the last one, with a gradient that was not finite."""

        wp.init()
        has_memory = self.actor.is_recurrent or self.critic.is_recurrent
        self._is_plain = is_adam and not has_memory and self.rnd is None and not self.use_mixed_precision
        self._rate = torch.zeros((), device=self.device)
        samples = self.storage.num_envs * self.storage.num_transitions_per_env
        self._chosen = torch.zeros(samples // self.num_mini_batches, dtype=torch.long, device=self.device)
        self._loss_sums = torch.zeros(3 if self.symmetry is None else 4, device=self.device)
        self._step = torch.zeros(1, dtype=torch.long, device=self.device)
        self._observed = self.storage.observations[0].clone()
        may_record = not self.is_multi_gpu
        self.regions = (
            GraphRegion("Acting", self._act_on_observed, self.device),
            GraphRegion("Learning", self._learn_from_chosen, self.device, may_record=may_record),
        )
        """What is launched as a graph on a GPU: to act and store it, and to learn from a mini-batch."""
        self._keep_learning_rate_on_device()

    @staticmethod
    def construct_algorithm(obs: TensorDict, env: VecEnv, cfg: dict, device: str) -> PPO:
        """Build networks, storage and algorithm from an rsl_rl configuration."""
        algorithm = PPO.construct_algorithm(obs, env, cfg, device)
        algorithm.signature = network_signature(env, cfg["obs_groups"])  # type: ignore[attr-defined]
        return algorithm

    def act(self, obs: TensorDict) -> torch.Tensor:
        """Sample actions for observations, store both, and return the actions, (num_envs, num_actions)."""
        if not self._is_plain:
            return super().act(obs)
        for name, group in self._observed.items():
            group.copy_(obs[name])
        self._step.fill_(self.storage.step)
        acting, _ = self.regions
        acting.run()
        return self.storage.actions[self.storage.step]

    def process_env_step(
        self, obs: TensorDict, rewards: torch.Tensor, dones: torch.Tensor, extras: dict[str, torch.Tensor]
    ) -> None:
        """Store what came of the actions; where the time of an episode was over, with the value of what was left."""
        if not self._is_plain:
            super().process_env_step(obs, rewards, dones, extras)
            return
        storage, step = self.storage, self.storage.step
        storage.dones[step].copy_(dones[:, None])
        if "time_outs" in extras:
            time_outs = extras["time_outs"].to(self.device)[:, None]
            torch.addcmul(
                rewards[:, None], storage.values[step], time_outs, value=self.gamma, out=storage.rewards[step]
            )
        else:
            storage.rewards[step].copy_(rewards[:, None])
        storage.step += 1

    def compute_returns(self, obs: TensorDict) -> None:
        """Estimate returns and advantages of what is stored.

        Args:
            obs: Observations after the last step.
        """
        if not self._is_plain:
            super().compute_returns(obs)
            return
        storage = self.storage
        last_values = self.critic(obs).detach()
        inputs = [storage.rewards, storage.dones, storage.values]  # each (steps, num_envs, 1)
        wp.launch(
            estimate_advantages,
            dim=storage.num_envs,
            inputs=[*map(_array, inputs), wp.from_torch(last_values.flatten()), self.gamma, self.lam],
            outputs=[_array(storage.returns), _array(storage.advantages)],
            device=str(self.device),
        )
        if not self.normalize_advantage_per_mini_batch:
            _standardize(storage.advantages)

    def update(self) -> dict[str, float]:
        """Run one PPO update over the collected steps.

        Returns:
            Mean losses, and ``skipped_updates``.

        Raises:
            TrainingFaultError: If gradients were not finite in many iterations in a row.
        """
        losses = self._update() if self._is_plain else super().update()
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
        content = super().save()
        for group in content["optimizer_state_dict"]["param_groups"]:
            group.update(lr=float(group["lr"]), capturable=False)  # as they are on any device
        # The key is that of the first checkpoints, which are still read.
        return {**content, "schema": SCHEMA, "contract": self.signature}

    def load(self, loaded_dict: dict, load_cfg: dict | None, strict: bool) -> bool:
        """Load what :meth:`save` returned.

        Raises:
            CheckpointError: If the content is no checkpoint of this version.
            SignatureMismatchError: If it was trained for another robot or task.
        """
        check_schema(loaded_dict, "The checkpoint")
        check_signature(loaded_dict["contract"], self.signature)
        has_iteration = super().load(loaded_dict, load_cfg, strict)
        self._keep_learning_rate_on_device()
        return has_iteration

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

    def _keep_learning_rate_on_device(self) -> None:
        """Let the optimiser read its learning rate where it is adapted, and forget graphs that know its old moments."""
        if not self._is_plain:
            return
        self._rate.fill_(self.learning_rate)
        for group in self.optimizer.param_groups:
            group.update(lr=self._rate, capturable=self._rate.is_cuda)
        for region in self.regions:
            region.forget()

    def _act_on_observed(self) -> None:
        """Sample actions and values for what was observed, and store them in the place of this step."""
        storage, observed = self.storage, self._observed
        actions = self.actor(observed, stochastic_output=True)
        values = self.critic(observed)
        log_prob = self.actor.get_output_log_prob(actions)
        parameters = self.actor.output_distribution_params
        if storage.distribution_params is None:
            with torch.inference_mode(mode=False):  # it is read where gradients are taken
                shapes = [(storage.num_transitions_per_env, *parameter.shape) for parameter in parameters]
                storage.distribution_params = tuple(torch.zeros(shape, device=self.device) for shape in shapes)
        places = (storage.actions, storage.values, storage.actions_log_prob, *storage.distribution_params)
        for place, value in zip(places, (actions, values, log_prob[:, None], *parameters), strict=True):
            place.index_copy_(0, self._step, value.detach()[None])
        for name, group in observed.items():
            storage.observations[name].index_copy_(0, self._step, group[None])

    def _update(self) -> dict[str, float]:
        """Learn from each mini-batch of what is stored; returns mean losses, by the one wait for the device."""
        _, learning = self.regions
        count, size = self.num_mini_batches, len(self._chosen)
        order = torch.randperm(count * size, device=self.device)
        self._loss_sums.zero_()
        for _ in range(self.num_learning_epochs):
            for chosen in order.split(size):
                self._chosen.copy_(chosen)
                learning.run()
        observations = self.storage.observations.flatten(0, 1)
        for network in (self.actor, self.critic):
            _update_normalization(network, observations)
        self.storage.clear()
        self.learning_rate, *sums = torch.cat((self._rate[None], self._loss_sums)).tolist()
        names = ("value", "surrogate", "entropy", "symmetry")
        return {name: total / (self.num_learning_epochs * count) for name, total in zip(names, sums, strict=False)}

    def _learn_from_chosen(self) -> None:
        """Take one step of the optimiser on the chosen samples: rsl_rl's losses, of Schulman et al. (2017)."""
        storage = self.storage
        columns = (storage.actions, storage.values, storage.advantages, storage.returns, storage.actions_log_prob)
        stored = [*columns, *(storage.distribution_params or ())]
        actions, values, advantages, returns, log_prob, *parameters = (
            column.flatten(0, 1)[self._chosen] for column in stored
        )
        observations = storage.observations.flatten(0, 1)[self._chosen]
        size = len(self._chosen)
        if self.normalize_advantage_per_mini_batch:
            _standardize(advantages)
        batch: Any = RolloutStorage.Batch(
            observations, actions, values, advantages, returns, log_prob, tuple(parameters)
        )
        if self.symmetry is not None:
            self.symmetry.augment_batch(batch, size)

        self.actor(batch.observations, stochastic_output=True)  # makes the distribution that is asked below
        new_log_prob = self.actor.get_output_log_prob(batch.actions)
        new_values = self.critic(batch.observations)
        new_parameters = tuple(parameter[:size] for parameter in self.actor.output_distribution_params)
        entropy = self.actor.output_entropy[:size].mean()
        if self.desired_kl is not None and self.schedule == "adaptive":
            with torch.no_grad():
                self._adapt_learning_rate(self.actor.get_kl_divergence(tuple(parameters), new_parameters).mean())

        ratio = torch.exp(new_log_prob - batch.old_actions_log_prob.squeeze(1))
        clipped = ratio.clamp(1.0 - self.clip_param, 1.0 + self.clip_param)
        gains = batch.advantages.squeeze(1)
        surrogate_loss = torch.max(-gains * ratio, -gains * clipped).mean()
        errors = (new_values - batch.returns).pow(2)
        if self.use_clipped_value_loss:
            near = batch.values + (new_values - batch.values).clamp(-self.clip_param, self.clip_param)
            errors = torch.max(errors, (near - batch.returns).pow(2))
        value_loss = errors.mean()
        loss = surrogate_loss + self.value_loss_coef * value_loss - self.entropy_coef * entropy
        losses = [value_loss, surrogate_loss, entropy]
        if self.symmetry is not None:
            losses.append(self.symmetry.compute_loss(self.actor, batch, size))
            if self.symmetry.use_mirror_loss:
                loss = loss + self.symmetry.mirror_loss_coeff * losses[-1]

        self.optimizer.zero_grad()
        loss.backward()
        if self.is_multi_gpu:
            self.reduce_parameters()
        for network in (self.actor, self.critic):
            torch.nn.utils.clip_grad_norm_(network.parameters(), self.max_grad_norm)
        self.optimizer.step()
        self._loss_sums += torch.stack(losses).detach()

    def _adapt_learning_rate(self, divergence: torch.Tensor) -> None:
        """Let the learning rate follow the mean KL divergence of the policies before and after, as rsl_rl's does."""
        if self.is_multi_gpu:
            torch.distributed.all_reduce(divergence)
            divergence /= self.gpu_world_size
        least, largest = LEARNING_RATES
        slower = (self._rate / LEARNING_RATE_FACTOR).clamp(min=least)
        faster = (self._rate * LEARNING_RATE_FACTOR).clamp(max=largest)
        is_small = (divergence < self.desired_kl / 2.0) & (divergence > 0.0)
        unless_large = torch.where(is_small, faster, self._rate)
        self._rate.copy_(torch.where(divergence > self.desired_kl * 2.0, slower, unless_large))

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


def _standardize(advantages: torch.Tensor) -> None:
    """Give advantages, (..., 1), a mean of 0 and a standard deviation of 1, where they lie."""
    advantages.sub_(advantages.mean()).div_(advantages.std() + 1e-8)


def _update_normalization(network: MLPModel, observations: TensorDict) -> None:
    """Let a network's normaliser take in observations, (samples, ...), and keep its numbers where graphs read them."""
    before = dict(network.obs_normalizer.named_buffers())
    network.update_normalization(observations)
    for name, buffer in network.obs_normalizer.named_buffers():
        if buffer is not before[name]:
            setattr(network.obs_normalizer, name, before[name].copy_(buffer))


def _array(column: torch.Tensor) -> wp.array:
    """Return a column of the storage, (steps, num_envs, 1), as Warp has it, (steps, num_envs)."""
    return wp.from_torch(column.squeeze(2))
