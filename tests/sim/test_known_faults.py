"""Faults of randomization that only a running engine shows, in the quickest run that shows them.

`test_randomization_prove.py` has the same checks, of every parameter; these are for scripts/mutate_randomization.py.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.sim, pytest.mark.slow]


def prove(physics: str, parameter: str, folder: Path) -> dict:
    command = [sys.executable, Path(__file__).with_name("known_faults_probe.py"), physics, folder / "log", parameter]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-3000:]
    return json.loads(result.stdout.strip().splitlines()[-1])


def test_newtons_robots_move_as_robots_of_the_masses_that_were_drawn(tmp_path):
    seen = prove("newton_mjwarp", "link_mass", tmp_path)
    assert seen["failed"] == []
    assert {"link_mass: the engine holds the value", "link_mass: moves as MuJoCo C does"} <= set(seen["done"])


def test_a_push_in_physx_moves_the_base_by_velocity_times_time(tmp_path):
    seen = prove("ovphysx", "push_velocity", tmp_path)
    assert seen["failed"] == []
    assert "push_velocity: effect" in seen["done"]
