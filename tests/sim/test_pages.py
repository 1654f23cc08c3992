"""The pages on a robot and a task of one's own are followed as they are written, with packages outside the tree."""

import json
import shutil
from pathlib import Path

import pytest
from tests.fixtures.outside import ANYMAL_D
from tests.fixtures.outside_venv import follow, make_environment

pytestmark = pytest.mark.sim

DOCS = Path(__file__).parents[2] / "docs"

# One small iteration and one trial instead of twenty and a suite.
SMALL = "--iterations 1 --num-envs 32 --processes 1 --device cpu --logger none --no-video"
QUICKLY = {"--iterations 20": SMALL}
ROBOT_QUICKLY = {**QUICKLY, "--suite quick": "--scenario flat_forward --trials 1 --no-pages"}


@pytest.fixture
def environment(tmp_path_factory) -> dict[str, str]:
    return make_environment(tmp_path_factory.mktemp("environment") / "venv")  # a package's name is free in a new one


@pytest.mark.parametrize("shorter", [ROBOT_QUICKLY, pytest.param({}, marks=pytest.mark.slow, id="as written")])
def test_the_page_on_a_robot_of_ones_own_holds_from_its_mjcf_to_the_bridge(environment, tmp_path, shorter):
    shutil.copy(ANYMAL_D / "team_anymal_robot" / "anymal_d.xml", tmp_path)
    said = follow(DOCS / "add-a-robot.md", tmp_path, environment, shorter)
    contract = json.loads((tmp_path / "bundle" / "contract.json").read_text())
    assert (contract["robot"]["name"], contract["robot"]["foot_names"][2]) == ("team_anymal", "LH_FOOT")
    assert list((tmp_path / "report").iterdir())
    assert "Modes: stand, sit, passive" in said


@pytest.mark.parametrize("shorter", [QUICKLY, pytest.param({}, marks=pytest.mark.slow, id="as written")])
def test_the_page_on_a_task_of_ones_own_holds_from_its_reward_to_its_training(environment, tmp_path, shorter):
    said = follow(DOCS / "add-a-task.md", tmp_path, environment, shorter)
    assert "\nMyWalk-Go2\n" in said
    (run,) = (tmp_path / "runs" / "MyWalk-Go2").iterdir()
    (metrics, *_) = (json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines())
    assert any("level_base" in name for name in metrics)
