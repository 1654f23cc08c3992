import numpy as np
import pytest

from surefoot.evaluation.trials.latency import CommandLatency
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import JointCommand

TICK_S = 0.002


def commands(value: float, robots: int) -> JointCommand:
    """All parts of a command of all robots, told apart by their hundreds."""
    return JointCommand(*(np.full((robots, 2), value + 100.0 * part) for part in range(5)))


def parts(command: JointCommand) -> np.ndarray:
    """Return one number of each part of each robot, (5, robots)."""
    return np.array([part[:, 0] for part in vars(command).values()])


def test_each_robot_gets_every_part_of_a_command_after_its_own_latency():
    latency = CommandLatency(np.array([0.0, 0.004, 0.02]), TICK_S, commands(-1.0, 3))
    seen = np.array([parts(latency(commands(float(tick), 3))) for tick in range(15)])  # (ticks, 5, robots)
    for robot, late in enumerate((0, 2, 10)):
        expected = np.array([max(tick - late, -1) for tick in range(15)])
        for part in range(5):
            np.testing.assert_array_equal(seen[:, part, robot], expected + 100.0 * part)


def test_a_latency_between_two_ticks_counts_as_the_longer():
    latency = CommandLatency(np.array([0.0041, 0.006]), TICK_S, commands(-1.0, 2))
    seen = [parts(latency(commands(float(tick), 2)))[0].tolist() for tick in range(5)]
    assert seen == [[-1.0, -1.0], [-1.0, -1.0], [-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]]


def test_without_any_latency_the_command_itself_is_handed_on():
    command = commands(3.0, 2)
    assert CommandLatency(np.zeros(2), TICK_S, commands(0.0, 2))(command) is command


def test_what_was_handed_on_stays_as_it_was():
    latency = CommandLatency(np.array([0.002]), TICK_S, commands(-1.0, 1))
    latency(commands(0.0, 1))
    seen = latency(commands(1.0, 1))
    latency(commands(2.0, 1))
    latency(commands(3.0, 1))
    assert parts(seen)[0].tolist() == [0.0]


@pytest.mark.parametrize("wrong", [-0.001, np.nan, np.inf])
def test_a_latency_that_is_no_time_is_refused_by_name(wrong):
    with pytest.raises(SurefootError, match=r"Command latencies of .*; each must be a number >= 0"):
        CommandLatency(np.array([0.0, wrong]), TICK_S, commands(0.0, 2))
