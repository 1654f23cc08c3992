"""Robots mean the same in PhysX, Newton and MuJoCo."""

import pytest

from surefoot.robot_checks.check import DEFAULT_ENGINES, check_robot
from surefoot_robots import get_robot, list_robots

OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in list_robots() if name != "unitree_go2"]

pytestmark = pytest.mark.sim


@pytest.mark.parametrize("name", ["unitree_go2", *OTHERS])
def test_a_robot_passes_every_check_in_every_engine(name):
    rows = check_robot(get_robot(name))
    assert {row.engine for row in rows} == {"model", *DEFAULT_ENGINES}
    assert [row for row in rows if not row.ok] == []
