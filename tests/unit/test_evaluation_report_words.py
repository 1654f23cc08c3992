"""Words, numbers and lines of a report."""

import re

import numpy as np
import pytest

from surefoot.evaluation.report import words
from surefoot.evaluation.report.svg import Axes, steps, thinned, ticks


def test_why_a_trial_failed_is_said_with_the_measures_name_and_unit():
    assert words.why("distance_m above 0.5") == "distance above 0.5\u202fm"
    assert words.why("climb_m below -0.75") == "climb below \u22120.75\u202fm"
    assert words.why("command_share below 0.5") == "share of the commanded velocity below 0.5"
    assert words.why("rms_vx_error above 0.25") == "RMS error of forward speed above 0.25\u202fm/s"
    assert words.why("fell") == "fell"
    assert words.why("stopped by safety: tilt") == "stopped by safety: tilt"


@pytest.mark.parametrize(
    ("name", "words_of_it"),
    [
        ("stairs_up", "Stairs up"),
        ("push_30n", "Push 30\u202fN"),
        ("latency_20ms", "Latency 20\u202fms"),
        ("tilt_5deg", "Tilt 5\u00b0"),
        ("turn_180", "Turn 180"),
        ("ramp_2nd", "Ramp 2nd"),
    ],
)
def test_quantities_in_a_scenarios_name_are_written_as_such(name, words_of_it):
    assert words.title(name) == words_of_it


def test_a_share_that_is_neither_none_nor_all_is_never_written_as_such():
    assert [words.percent(share).replace("\u202f", "") for share in (0.0, 0.0001, 0.004, 0.5, 0.996, 0.99999, 1.0)] == [
        "0%", "< 0.1%", "0.4%", "50%", "99.6%", "> 99.9%", "100%",
    ]  # fmt: skip


def test_both_ends_of_an_interval_have_as_many_decimals():
    assert words.interval(0.0009, 0.0123) == f"0.0009{words.DASH}0.0123"
    assert words.interval(-3.65, 0.5) == "\u22123.65 to\u202f0.50"
    assert words.number(12345.678) == "12\u202f346"


def test_ticks_are_round_and_within_the_range():
    assert ticks(0.0, 1.0) == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert ticks(-0.7, 0.7, 3) == pytest.approx([-0.5, 0.0, 0.5])


def test_a_thinned_line_keeps_its_peaks():
    y = np.zeros(5000)
    y[1234], y[4321] = 7.0, -3.0
    x, kept = thinned(np.arange(5000.0), y)
    assert len(kept) <= 200
    assert x[np.argmax(kept)] == 1234.0
    assert x[np.argmin(kept)] == 4321.0


def test_a_command_changes_at_once():
    x, y = steps(np.arange(4.0), np.array([0.0, 0.0, 1.0, 1.0]))
    assert (x.tolist(), y.tolist()) == ([0.0, 2.0, 2.0, 3.0], [0.0, 0.0, 1.0, 1.0])


def test_steps_between_rounded_places_add_up_to_the_last_place():
    axes = Axes(x=(0.0, 1.0), y=(0.0, 1.0))
    values = np.linspace(0.0, 1.0, 173)
    path = axes.path(values, values**2)
    start, moves = path.removeprefix("M").split("l0 0")
    numbers = [float(item) for item in re.findall(r"-?[\d.]+", moves)]
    x, y = (float(item) for item in start.split())
    assert (x + sum(numbers[::2]), y + sum(numbers[1::2])) == pytest.approx(axes.at(1.0, 1.0), abs=0.06)
