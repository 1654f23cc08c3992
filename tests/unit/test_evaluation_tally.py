"""How long a verification will still take is told from what its parts took, engine by engine."""

import pytest

from surefoot.evaluation.running.live_progress import LiveProgress
from surefoot.evaluation.running.progress import ASSUMED_COST, EngineTally, Tally


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tally(clock) -> Tally:
    engines = {"mujoco": EngineTally("mujoco", 2, 1000.0), "ovphysx": EngineTally("ovphysx", 1, 300.0)}
    return Tally(engines={**engines, "newton_mjwarp": EngineTally("newton_mjwarp", 1, 100.0)}, clock=clock)


def test_before_anything_ran_a_cost_is_assumed_and_the_slower_of_the_engines_side_by_side_counts(tally):
    assert tally.left_s() == pytest.approx(1000.0 * ASSUMED_COST["mujoco"] / 2 + 300.0 * 0.1)


def test_what_was_measured_counts_from_then_on(tally, clock):
    tally.begin("mujoco", 0, "stand in mujoco", 500.0)
    clock.now_s += 50.0
    tally.finish("mujoco", 0, trials=50, spent_s={"physics_s": 40.0})
    assert tally.done_s == 500.0
    assert tally.trials == 50
    assert tally.left_s() == pytest.approx(500.0 * 0.1 / 2 + 30.0)


def test_half_a_request_counts_as_half(tally, clock):
    tally.begin("ovphysx", 0, "stand in ovphysx", 300.0)
    clock.now_s += 60.0
    tally.advance("ovphysx", 0, 0.5)
    assert tally.left_s() == pytest.approx(10.0 + 60.0)  # as much again as it took
    assert tally.running() == "stand in ovphysx"


def test_nothing_is_left_when_all_is_done(tally, clock):
    for engine, item in tally.engines.items():
        tally.begin(engine, 0, "stand", item.work_s)
        clock.now_s += 1.0
        tally.finish(engine, 0, trials=1, spent_s={})
    assert tally.left_s() == 0.0
    assert tally.running() == ""


def test_the_line_says_how_much_is_done_how_long_it_will_take_and_what_runs(tally, clock, capsys):
    tally.begin("ovphysx", 0, "stand in ovphysx", 300.0)
    with LiveProgress() as shown:
        shown.show(tally)
    assert capsys.readouterr().out == "  0 %  0 trials  about 40 s left  stand in ovphysx\n"
