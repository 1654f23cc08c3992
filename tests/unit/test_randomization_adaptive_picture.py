"""The picture of adaptive ranges shows each parameter's range in its unit."""

import numpy as np
import pytest
from matplotlib.image import imread

from surefoot.randomization.adaptive.bounds import DeclaredRange
from surefoot.randomization.adaptive.picture import draw_range_history, range_history_figure
from surefoot_bridge.errors import SurefootError

DECLARED = {
    "foot_friction": DeclaredRange("absolute", "-", 0.8, 0.1, 1.2),
    "base_com": DeclaredRange("offset", "m", 0.0, -0.05, 0.05),
    "armature": DeclaredRange("scale", "-", 1.0, 0.5, 2.0, "log_uniform"),
}


def rows(*names, count=10):
    return [{"iteration": 0, "Randomization/success_rate": None}] + [
        {"iteration": 1 + index}
        | {
            f"Randomization/{name}/{end}": value
            for name in names
            for end, value in zip(("low", "high"), DECLARED[name].in_use(index / count, index / count), strict=True)
        }
        for index in range(count)
    ]


def test_each_parameter_has_a_panel_with_its_name_unit_and_lines():
    figure = range_history_figure(rows("foot_friction", "base_com"), DECLARED, title="a run")
    friction, com = (axes for axes in figure.axes if axes.axison)

    assert figure.get_suptitle() == "a run"
    assert [axes.get_title(loc="left") for axes in (friction, com)] == ["foot friction", "base com"]
    assert [axes.get_ylabel() for axes in (friction, com)] == ["value [-]", "offset from nominal [m]"]
    assert friction.get_xlabel() == "iteration"
    lines = [line.get_ydata() for line in friction.get_lines()]
    assert [line[0] for line in lines[2:]] == [0.8, 0.1, 1.2]
    # Nine tenths of the way, in the last of ten rows; the row without ranges is left out.
    assert lines[0][-1] == pytest.approx(0.17)
    assert lines[1][-1] == pytest.approx(1.16)
    assert len(lines[0]) == 10
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["range in use", "nominal", "declared range"]


def test_a_log_uniform_range_has_a_logarithmic_axis():
    figure = range_history_figure(rows("armature"), DECLARED)

    assert [axes.get_yscale() for axes in figure.axes] == ["log"]
    assert figure.axes[0].get_ylabel() == "factor of nominal [-]"


def test_the_picture_is_written_and_not_blank(tmp_path):
    history = rows("foot_friction", "base_com")
    picture = draw_range_history(history, DECLARED, tmp_path / "plots" / "ranges.png")
    flat = draw_range_history(history[:2], DECLARED, tmp_path / "first.png")

    pixels, before = imread(picture)[..., :3], imread(flat)[..., :3]
    assert pixels.shape[0] > 300
    assert pixels.shape[1] > 600
    assert pixels.var() > 0.01
    # The grown band covers more than a first iteration does: more pixels are not white.
    assert np.mean(pixels.min(axis=-1) < 0.99) > np.mean(before.min(axis=-1) < 0.99) + 0.03


def test_metrics_without_ranges_are_refused(tmp_path):
    with pytest.raises(SurefootError, match="No row of the metrics holds a range in use"):
        draw_range_history([{"iteration": 1, "Train/mean_reward": 1.0}], DECLARED, tmp_path / "ranges.png")
    assert not (tmp_path / "ranges.png").exists()
