"""Faults of randomization that only a running engine shows, in the quickest run that shows them.

`test_randomization_prove.py` has the same checks, of every parameter; these are for scripts/mutate_randomization.py.
"""

import pytest
from tests.sim.children import ask

pytestmark = [pytest.mark.sim, pytest.mark.slow]


def test_newtons_robots_move_as_robots_of_the_masses_that_were_drawn(tmp_path):
    seen = ask("known_faults_probe", "newton_mjwarp", tmp_path / "log", "link_mass")
    assert seen["failed"] == []
    assert {"link_mass: the engine holds the value", "link_mass: moves as MuJoCo C does"} <= set(seen["done"])


def test_a_push_in_physx_moves_the_base_by_velocity_times_time(tmp_path):
    seen = ask("known_faults_probe", "ovphysx", tmp_path / "log", "push_velocity")
    assert seen["failed"] == []
    assert "push_velocity: effect" in seen["done"]
