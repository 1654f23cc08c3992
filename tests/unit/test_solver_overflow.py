"""What is counted of a solver that had no room, on one that keeps flags as MuJoCo Warp does."""

from types import SimpleNamespace
from typing import Any

import pytest
import warp as wp
from mujoco_warp import OverflowType

from surefoot.engines.solver_overflow import SolverOverflow, words


@pytest.fixture
def solver() -> Any:
    """A solver of four worlds whose flags are those of the last steps."""
    wp.init()
    flags = [OverflowType.NEFC, OverflowType.NEFC | OverflowType.HFIELD, OverflowType.ITERATIONS, 0]
    overflow = wp.array([int(flag) for flag in flags], dtype=wp.int32, device="cpu")
    return SimpleNamespace(
        mjw_data=SimpleNamespace(overflow=overflow),
        mjw_model=SimpleNamespace(opt=SimpleNamespace(warn_overflow=True)),
    )


def simulation_of(solver: Any) -> Any:
    return SimpleNamespace(sim=SimpleNamespace(physics_manager=SimpleNamespace(_solver=solver)))


def test_environments_are_counted_by_what_was_dropped_since_the_last_time(solver: Any) -> None:
    overflow = SolverOverflow(simulation_of(solver))
    assert overflow.take() == {"constraints": 2, "contacts_of_one_body": 1}
    assert overflow.take() == {}
    solver.mjw_data.overflow.fill_(int(OverflowType.NARROWPHASE))
    assert overflow.take() == {"contacts": 4}


def test_the_solver_says_nothing_itself_where_it_is_counted(solver: Any) -> None:
    SolverOverflow(simulation_of(solver))
    assert not solver.mjw_model.opt.warn_overflow


@pytest.mark.parametrize("simulation", [SimpleNamespace(), simulation_of(None), simulation_of(SimpleNamespace())])
def test_other_engines_drop_nothing(simulation: Any) -> None:
    assert SolverOverflow(simulation).take() == {}


def test_what_was_dropped_is_said_with_what_to_raise() -> None:
    assert words("contacts", 3, 64) == (
        "the solver dropped contacts in 3 of 64 environments: raise env.sim.physics.solver_cfg.nconmax"
    )
