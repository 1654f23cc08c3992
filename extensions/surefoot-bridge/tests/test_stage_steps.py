"""What tells a robot that walks from one that moves its legs in the air: in MuJoCo, with the shipped policy."""

import pytest
from log_rig import needs_mcap
from run_rig import BUNDLE, needs_robot

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.log import read_log
from surefoot_bridge.operators.choice import parse_operator
from surefoot_bridge.robots.choice import parse_place
from surefoot_bridge.runtime import Run, run_bridge
from surefoot_bridge.runtime.bridge_run import FaultHooks
from surefoot_bridge.stages import STAGES
from surefoot_bridge.stages.verdict import findings

pytestmark = [needs_robot, needs_mcap]

SCRIPT = "0 stand\n2.5 walk\n3 velocity 0.3 0 0\n6 end\n"


class Gantry(FaultHooks):
    """Hangs the robot with its feet off the ground."""

    def parts(self, robot, operator, clock):
        robot.data.qpos[2] += 0.6
        robot.gantry = True
        return robot, operator, clock


@pytest.mark.parametrize(("hooks", "least_s", "most_s"), [(FaultHooks(), 3.0, 4.5), (Gantry(), 0.0, 0.0)])
def test_a_robot_that_hangs_on_a_gantry_does_not_count_as_walking(tmp_path, hooks, least_s, most_s):
    (tmp_path / "script").write_text(SCRIPT)
    run = Run(
        place=parse_place("mujoco", interface=None, domain=None),
        stage=STAGES["tethered"],
        operator=parse_operator(f"script:{tmp_path / 'script'}"),
        logs=tmp_path / "logs",
        word="ready",
        simulated_clock=True,
    )
    outcome = run_bridge(load_bundle(BUNDLE, runtime="numpy"), run, hooks=hooks)
    assert outcome.log is not None
    found = {item.name: item.value for item in findings(read_log(outcome.log), STAGES["tethered"])}
    assert found["walked_s"] > 3.0
    assert least_s <= found["stepped_s"] <= most_s
