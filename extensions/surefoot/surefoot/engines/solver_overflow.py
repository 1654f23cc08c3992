"""Counts environments in which MuJoCo Warp, Newton's solver, had no room for a contact or a constraint."""

from __future__ import annotations

from typing import Any

_REMEDIES = {
    "contacts": "raise env.sim.physics.solver_cfg.nconmax",
    "constraints": "raise env.sim.physics.solver_cfg.njmax",
    "contacts_of_one_body": "MuJoCo keeps 50 of one body with a height field, so a robot that lies on it may sink in",
}


class SolverOverflow:
    """Takes the place of the solver's own message, which comes from every environment in every step.

    It asks the device once where it is read, and is empty in other engines.
    """

    def __init__(self, simulation: Any) -> None:
        """Bind the running simulation of an environment and silence its solver's message."""
        self._overflow: Any = None
        manager = getattr(getattr(simulation, "sim", None), "physics_manager", None)
        solver: Any = getattr(manager, "_solver", None)  # there is no public name for it
        if not hasattr(solver, "mjw_data"):
            return
        from mujoco_warp import OverflowType

        solver.mjw_model.opt.warn_overflow = False
        self._overflow = solver.mjw_data.overflow
        self._bits = {
            "contacts": OverflowType.BROADPHASE | OverflowType.NARROWPHASE | OverflowType.CCD,
            "constraints": OverflowType.NEFC | OverflowType.NJMAX_NNZ,
            "contacts_of_one_body": OverflowType.HFIELD,
        }

    def take(self) -> dict[str, int]:
        """Return how many environments have lost each kind since the last call, those that were lost only."""
        if self._overflow is None:
            return {}
        overflow = self._overflow.numpy()  # on a CPU a view, which is to be counted before it is cleared
        counts = {kind: int(((overflow & int(bits)) != 0).sum()) for kind, bits in self._bits.items()}
        self._overflow.zero_()
        return {kind: count for kind, count in counts.items() if count}


def words(kind: str, count: int, num_envs: int) -> str:
    """Return a sentence on what was lost, with what to do."""
    return f"the solver dropped {kind.replace('_', ' ')} in {count} of {num_envs} environments: {_REMEDIES[kind]}"
