"""Phases of training on a field: which columns belong to each, and which environments it keeps.

Phases open one after another and never close. Environments stand in a row, of which each phase keeps a part. The newest
open phase has the parts of those that are still shut as well, so that no environment of an earlier phase moves when a
later one opens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot_bridge.errors import SurefootError, unknown_name

from .field import ground_names

if TYPE_CHECKING:
    from .field_cfg import FieldCfg, PhaseCfg

FEWEST_EPISODES, MOST_EPISODES = 20, 100
"""Episodes over which the success of a phase is measured: as many as it has environments, within these."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PhasePlan:
    """How environments are spread over phases and columns. Without phases there is one, of all columns.

    Attributes:
        phases: The phases in the order in which they open; none if all ground is open.
        first_open: Phases that are open when training begins.
        home: Last phase of each environment, (num_envs,), int32.
        columns: Column of each environment in each phase, -1 in those after its last one, (phases, num_envs), int32.
        episodes: Episodes over which success is measured, of each phase that is the newest and of one that is not,
            (phases, 2), int32.
    """

    phases: Mapping[str, PhaseCfg]
    first_open: int
    home: np.ndarray
    columns: np.ndarray
    episodes: np.ndarray

    def per_phase(self, name: str, default: float) -> np.ndarray:
        """Return a number of each phase, (phases,), float32; ``default`` where there are no phases."""
        return np.array([getattr(phase, name) for phase in self.phases.values()] or [default], dtype=np.float32)

    def record(self) -> dict[str, dict[str, Any]]:
        """Return what tells it from others, for a checkpoint."""
        return {name: {**asdict(phase), "ground": list(phase.ground)} for name, phase in self.phases.items()}


def plan_phases(cfg: FieldCfg, columns: Sequence[str], num_envs: int) -> PhasePlan:
    """Spread environments over the phases of a field's configuration, and over the columns of each.

    Args:
        cfg: The configuration.
        columns: What each column of the field is made of.
        num_envs: Environments of this process.

    Raises:
        SurefootError: If a phase or its ground is unknown, a size is impossible, ground belongs to no phase, or there
            are fewer environments than phases.
    """
    phases = {name: phase for name, phase in (cfg.phases or {}).items() if phase is not None}
    _check(phases, columns, cfg.levels)
    if phases and cfg.first_phase and cfg.first_phase not in phases:
        raise unknown_name("phase", cfg.first_phase, phases)
    count = max(1, len(phases))
    if num_envs < count:
        raise SurefootError(
            f"{num_envs} environments are too few for the {count} phases {', '.join(phases)}; valid: {count} up in "
            "each process. Ask for more with --num-envs, or leave phases out, for example with env.field.phases={}."
        )
    # Each phase has an environment at least, which measures it.
    weights = np.array([phase.weight for phase in phases.values()] or [1.0])
    shares = np.concatenate(([0.0], np.cumsum(weights) / weights.sum()))
    begins = (np.arange(count + 1) + np.rint((num_envs - count) * shares)).astype(int)
    sizes = np.stack((num_envs - begins[:-1], np.diff(begins)), axis=1)  # of the newest phase, and kept
    home = np.repeat(np.arange(count, dtype=np.int32), sizes[:, 1])
    of_phase = np.full((count, num_envs), -1, dtype=np.int32)
    for number, phase in enumerate(phases.values() or [None]):
        own = [place for place, name in enumerate(columns) if phase is None or name in phase.ground]
        for first, last in ((begins[number], begins[number + 1]), (begins[number + 1], num_envs)):
            places = np.arange(last - first) * len(own) // max(1, last - first)
            of_phase[number, first:last] = np.array(own)[places]
    return PhasePlan(
        phases=phases,
        first_open=list(phases).index(cfg.first_phase) + 1 if phases and cfg.first_phase else 1,
        home=home,
        columns=of_phase,
        episodes=np.clip(sizes, FEWEST_EPISODES, MOST_EPISODES).astype(np.int32),
    )


def _check(phases: Mapping[str, PhaseCfg], columns: Sequence[str], levels: int) -> None:
    """Refuse unknown ground, sizes that cannot be, and what would never be trained on."""
    for name, phase in phases.items():
        for ground in phase.ground:
            if ground not in ground_names():
                raise unknown_name(f"kind of ground of phase {name}", ground, ground_names())
        if not set(phase.ground) & set(columns):
            raise SurefootError(
                f"Phase {name} has no column: the field has none of {', '.join(phase.ground) or 'no ground'}; it has "
                f"{', '.join(dict.fromkeys(columns))}. Give it one with env.field.columns.KIND=1, or leave the phase "
                f"out with env.field.phases.{name}=null."
            )
        for field, is_kept, rule in (
            ("weight", 0.0 < phase.weight < float("inf"), "above 0 and finite"),
            ("commands", 0.0 <= phase.commands <= 1.0, "from 0, to stand, to 1"),
            ("success", 0.0 < phase.success <= 1.0, "in (0, 1], it is a share of episodes"),
            ("level", 0.0 <= phase.level <= levels - 1, f"from 0 to {levels - 1}, the field's levels"),
        ):
            if not is_kept:
                raise SurefootError(f"Phase {name}: {field} is {getattr(phase, field)}; valid: {rule}.")
    # Where robots only stand nothing is learnt of what is around the platforms.
    walked_on = (phase.ground for phase in phases.values() if phase.commands > 0.0)
    unused = set(columns).difference(*walked_on) if phases else set()
    if unused:
        raise SurefootError(
            f"No phase walks on the field's columns of {', '.join(sorted(unused))}. Add them to the ground of a phase "
            f"({', '.join(phases)}), or leave the columns out, for example with env.field.columns.{min(unused)}=0."
        )
