"""Adaptive ranges: the randomization grows where the policy copes and shrinks where it does not.

Automatic domain randomization (OpenAI, "Solving Rubik's Cube with a Robot Hand", arXiv 1910.07113, section 5 and
algorithm 1): with a probability, an episode sits at one bound of one parameter, all others being drawn from the ranges
in use. A bound whose episodes succeed at least as often as one threshold widens by a step, at most as often as another
narrows.

The algorithm is written for one episode after another. Here thousands run at once and one that fails ends sooner than
one that succeeds, so that the first results of a bound are mostly failures, and the last ones are of where the bound
was before. A decision therefore takes the episodes that *began* since the last one, no more once there are enough,
and waits until all of them have ended. Episodes at a bound go to those bounds that still need some.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import warp as wp

from surefoot.env_mask import EnvIds
from surefoot.randomization.table import WARP_WORD, RandomizationTable
from surefoot_bridge.errors import SurefootError

from . import kernels
from .bounds import AdaptiveCfg, adaptive_bounds, adaptive_parameters, check_ceiling, declared_ranges


class AdaptiveRanges:
    """Moves the table's shares by the success of episodes; all on the device, the host reads nothing.

    With several processes each records its own episodes, sums :attr:`counts` over all processes and updates, equally
    often. Increments and pooled counts are kept apart, so that nothing is summed twice, and all decide alike.
    """

    def __init__(self, cfg: AdaptiveCfg, table: RandomizationTable, *, seed: int, rank: int = 0) -> None:
        """Set the shares that the run starts with and draw the table again, so that its first episode has them.

        Args:
            cfg: How ranges adapt.
            table: The table whose ``share`` and ``boundary`` this object writes.
            seed: Seed of the run, below 2^32.
            rank: Number of the process.

        Raises:
            SurefootError: If nothing can adapt, or values at the ceiling do not exist.
        """
        if not (0 <= seed < WARP_WORD and 0 <= rank < WARP_WORD):
            raise SurefootError(f"Seed {seed} and rank {rank} must be in [0, {WARP_WORD - 1}].")
        cfg.check()
        check_ceiling(cfg, table.layout)
        self.cfg = cfg
        self.bounds = adaptive_bounds(table.layout, cfg.scheme)
        """What is decided about, in the order of the rows of :attr:`counts` and :attr:`pooled`."""
        self.declared = declared_ranges(table.layout)
        """Declared ranges of the parameters that adapt, by name."""
        if not self.bounds or not self.declared:
            raise SurefootError(
                "Adaptive ranges need a parameter that is drawn at a reset from a range with more than its nominal "
                "value. Choose a preset or ranges, or leave adaptive ranges out."
            )
        self._table, self._places = table, list(adaptive_parameters(table.layout))

        def zeros(*shape: int) -> torch.Tensor:
            return torch.zeros(shape, dtype=torch.int32, device=table.device)

        self.counts = zeros(len(self.bounds) + 1, 3)
        """Episodes begun, ended and succeeded since the last update, by bound, and in the last row all of them; int32.
        What several processes sum before :meth:`update`."""
        self.pooled = zeros(len(self.bounds), 3)
        """The same since the last decision of each bound, of all processes, up to the last update."""
        self.measured = zeros(table.num_envs) - 1
        """Bound whose next decision each environment's episode counts for, -1 for none, (num_envs,)."""
        self.latest = zeros(3)
        """Episodes begun, ended and succeeded between the last two updates."""
        table.share[self._places] = cfg.initial_share
        self._bind((seed, rank))
        self._draw_everyone()

    def record(self, envs: EnvIds, success: torch.Tensor) -> None:
        """Count the episodes that have ended and choose where the next ones sit; one launch.

        Call it before the table draws those environments. An environment that is drawn again without it repeats the
        episode that it had.

        Args:
            envs: Environments whose episode has ended.
            success: Whether it succeeded, bool, by environment, (num_envs,).

        Raises:
            SurefootError: If ``success`` is not by environment.
        """
        if tuple(success.shape) != (self._table.num_envs,):
            raise SurefootError(
                f"Success has shape {tuple(success.shape)}; it must be by environment, ({self._table.num_envs},)."
            )
        wp.launch(
            kernels.record_and_choose,
            dim=self._table.num_envs,
            inputs=[self._table.mask_of(envs), wp.from_torch(success), *self._choice],
            outputs=[*self._records],
            device=self._table.device,
        )

    def update(self) -> None:
        """Take in :attr:`counts` and move the ends whose episodes have all ended; one launch."""
        wp.launch(
            kernels.decide,
            dim=len(self.bounds) + 1,
            inputs=self._decision,
            outputs=self._moved,
            device=self._table.device,
        )

    def ranges_in_use(self) -> dict[str, tuple[float, float]]:
        """Return the smallest and largest draw of each parameter that adapts, by name, in the units of `declared`.

        Reads the device: for logging.
        """
        shares = self._table.share[self._places].tolist()  # (num_adaptive, 2)
        return {
            name: declared.in_use(*share) for share, (name, declared) in zip(shares, self.declared.items(), strict=True)
        }

    def history_row(self) -> dict[str, float]:
        """Return what an iteration's metrics hold: each range in use, and the success rate of the episodes that ended.

        Reads the device. The success rate is NaN when no episode ended before the last update.
        """
        ranges = self.ranges_in_use()
        row = {
            f"Randomization/{name}/{end}": value
            for name, ends in ranges.items()
            for end, value in zip(("low", "high"), ends, strict=True)
        }
        _, ended, succeeded = self.latest.tolist()
        return {**row, "Randomization/success_rate": succeeded / ended if ended else float("nan")}

    def state_dict(self) -> dict[str, Any]:
        """Everything that later decisions depend on beside the table's state."""
        return {
            **self.share_state(),
            **{name: getattr(self, name).clone() for name in self._STATE},
        }

    def share_state(self) -> dict[str, Any]:
        """The part of :meth:`state_dict` that depends neither on environments nor on processes."""
        return {**self._names(), "share": self._table.share[self._places]}  # indexing copies

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state_dict` returned; restore the table's own state too.

        Raises:
            SurefootError: If it is of other bounds or another number of environments.
        """
        self._check_names(state)
        if state["measured"].shape != self.measured.shape:
            raise SurefootError(
                f"The saved adaptive ranges are of {len(state['measured'])} environments, these of "
                f"{len(self.measured)}. Take over the shares alone, or train with as many."
            )
        self._table.share[self._places] = state["share"].to(self._table.share.device)
        for name in self._STATE:
            getattr(self, name).copy_(state[name])

    def load_shares(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`share_state` returned, and begin new episodes with it.

        For a run that goes on with other environments, or another number of processes, than it was saved with.

        Raises:
            SurefootError: If it is of other bounds.
        """
        self._check_names(state)
        self._table.share[self._places] = state["share"].to(self._table.share.device)
        for tensor in (self.counts, self.pooled, self.latest):
            tensor.zero_()
        for tensor in (self.measured, self._table.boundary):
            tensor.fill_(-1)
        self._draw_everyone()

    _STATE = ("counts", "pooled", "measured", "latest")

    def _names(self) -> dict[str, list[str]]:
        return {"bounds": [bound.name for bound in self.bounds], "parameters": list(self.declared)}

    def _check_names(self, state: dict[str, Any]) -> None:
        for kind, names in self._names().items():
            if state[kind] != names:
                raise SurefootError(f"The saved adaptive ranges have {kind} {state[kind]}, these have {names}.")

    def _draw_everyone(self) -> None:
        self._table.draw(None)

    def _bind(self, key: tuple[int, int]) -> None:
        """Make the kernels' arguments, which stay where they are."""
        cfg, table = self.cfg, self._table

        def array(values: Any) -> wp.array:
            return wp.array(np.asarray(values), dtype=wp.int32, device=table.device)

        by_all = cfg.scheme == "all"
        rule = kernels.Rule()
        for field in ("episodes_per_decision", "widen_above", "narrow_below", "floor", "ceiling"):
            setattr(rule, field, getattr(cfg, field))
        for name, change in (("widen", cfg.rate), ("narrow", -cfg.rate)):
            setattr(rule, f"{name}_factor", 1.0 + change if by_all else 1.0)
            setattr(rule, f"{name}_step", 0.0 if by_all else change)
        measured, counts, pooled = (wp.from_torch(each) for each in (self.measured, self.counts, self.pooled))
        first_end = np.cumsum([0, *(len(bound.ends) for bound in self.bounds)])
        self._choice = [
            wp.from_torch(table.episode),
            array([bound.boundary for bound in self.bounds]),
            pooled,
            cfg.episodes_per_decision,
            1.0 if by_all else cfg.boundary_share,
            *(wp.uint32(word) for word in key),
        ]
        self._records = [measured, counts, wp.from_torch(table.boundary)]
        self._decision = [array(first_end), array([end for bound in self.bounds for end in bound.ends]), rule]
        self._moved = [counts, pooled, wp.from_torch(table.share), wp.from_torch(self.latest)]
