"""The implementer's guide: the program on its page runs a bundle without any of our packages."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fixtures.shipped import GO2_BUNDLE

from surefoot.randomization.catalogue import DECLARED
from surefoot_bridge.contract import contract_schema
from surefoot_robots import get_robot

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contract.md").read_text(encoding="utf-8")
GO2 = get_robot("unitree_go2")
GROUND = '<geom name="floor" type="plane" size="0 0 1" contype="1" conaffinity="1"/>'


@pytest.fixture(scope="module")
def harness(tmp_path_factory):
    """The program of the page, in a folder of its own."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    path = tmp_path_factory.mktemp("page") / "harness.py"
    path.write_text(code)
    return path


def run(harness, bundle, model):
    """Run it where none of our packages can be imported."""
    code = (
        "import runpy, sys; sys.modules.update(dict.fromkeys(['surefoot', 'surefoot_bridge', 'surefoot_robots'])); "
        "sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(harness), str(bundle), str(model)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def walked(found):
    forward_m, sideways_m = found["moved_m"]
    return found["fell_at_s"] is None and 3.5 < forward_m < 6.5 and abs(sideways_m) < 1.0


def test_the_harness_replays_the_golden_trace_and_walks_the_go2_in_a_model_given_by_path(harness):
    found = run(harness, GO2_BUNDLE, GO2.mjcf_path)
    assert found["golden_deviation"] < 1e-5
    assert walked(found), found


def test_it_walks_in_a_model_with_a_floor_of_its_own_and_feet_that_resist_turning(harness, tmp_path):
    model = GO2.mjcf_path.read_text().replace("<worldbody>", f"<worldbody>{GROUND}", 1)
    path = tmp_path / "other.xml"
    path.write_text(re.sub(r'condim="\d"', 'condim="6"', model))
    assert walked(run(harness, GO2_BUNDLE, path))


def test_the_page_names_every_array_of_the_golden_trace_and_every_part_that_may_be_null():
    from surefoot_bridge.bundle import read_golden
    from surefoot_bridge.policy.npz import read_npz

    data = (GO2_BUNDLE / "golden.npz").read_bytes()
    assert read_golden(data, "golden.npz").num_steps > 500
    for name in read_npz(data, where="golden.npz"):
        assert f"`{name}`" in PAGE or f"`{name.split('.')[-1]}`" in PAGE, name
    for part, described in contract_schema()["$defs"]["Contract"]["properties"].items():
        if "anyOf" in described:
            assert f"`{part}`" in PAGE, part


def test_every_sensor_error_of_the_training_has_a_law_that_the_schema_describes():
    law = contract_schema()["$defs"]["SensorError"]["properties"]["law"]
    assert {item.law for item in DECLARED.values() if item.errs} == set(law["enum"])
    for name in law["enum"]:
        assert f"`{name}`" in law["description"]
