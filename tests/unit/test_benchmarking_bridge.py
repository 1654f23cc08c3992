"""The benchmark of the bridge measures the loop that runs on the robot, while its policy acts."""

from tests.fixtures.shipped import GO2_BUNDLE

from surefoot_devtools.benchmarking.bridge_ticks import WALK_S, TickRequest, measure


def test_ticks_are_measured_while_the_robot_walks():
    result = measure(TickRequest(str(GO2_BUNDLE), "numpy", seconds=WALK_S + 1.0))
    assert result.robot == "unitree_go2"
    for phase in ("read", "observe", "infer", "check", "write", "log"):
        assert 0.0 < result.figures[f"{phase}_us_median"] <= result.figures[f"{phase}_us_p99"]
    assert result.figures["control_tick_us_median"] > result.figures["infer_us_median"]
