"""What a contract says of the training: ranges as they had grown, scores as they were measured, sensors that exist."""

import json
from types import SimpleNamespace

import pytest

from surefoot.exporting.contract import check_sensed, interval, randomized_ranges, value_range
from surefoot.exporting.provenance import grown_shares, scores
from surefoot.learning.run_directory import RunDirectory
from surefoot.randomization.layout import TableLayout
from surefoot.randomization.parameter import Parameter, scale
from surefoot.sensors.layout import ObservationLayout, ProprioceptionTerm, standard_terms
from surefoot.sensors.observation import FusedProprioception
from surefoot_bridge.contract import Interval
from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot


def parameter(name: str, *nominal: float) -> Parameter:
    elements = tuple(str(index) for index in range(len(nominal)))
    return Parameter(
        name=name,
        unit="N.m",
        description="",
        over="joint",
        elements=elements,
        nominal=nominal,
        acts_on="joint",
        mirror="scalar",
    )


@pytest.fixture
def layout() -> TableLayout:
    parameters = [parameter("stiffness", 20.0, 40.0), parameter("armature", 0.01), parameter("still", 1.0)]
    ranges = {
        "stiffness": scale(0.9, 1.2),
        "armature": scale(0.25, 4.0, distribution="log_uniform"),
    }
    return TableLayout.build(parameters, ranges)


def run_with(tmp_path, *metrics: dict) -> RunDirectory:
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in metrics))
    return RunDirectory(tmp_path)


def test_ranges_are_values_of_each_column_in_the_parameters_unit(layout):
    assert value_range(layout, "stiffness") == ((18.0, 36.0), (24.0, 48.0))
    assert interval(layout, "stiffness") == Interval(18.0, 48.0)
    assert interval(layout, "still") == Interval(1.0, 1.0)


def test_ranges_that_a_mirror_of_the_nominal_turns_round_are_not_inverted():
    layout = TableLayout.build([parameter("offset", -2.0)], {"offset": scale(0.5, 1.5)})
    assert value_range(layout, "offset") == ((-3.0,), (-1.0,))


def test_only_what_was_random_is_listed_with_how_far_it_had_grown(layout):
    ranges = randomized_ranges(layout, {"armature": Interval(0.5, 1.0)})
    assert list(ranges) == ["stiffness", "armature"]
    assert ranges["stiffness"].share == Interval(1.0, 1.0)
    assert ranges["armature"].share == Interval(0.5, 1.0)
    assert ranges["armature"].distribution == "log_uniform"


def test_shares_are_those_of_the_checkpoints_iteration(layout, tmp_path):
    ends = {"Randomization/stiffness/low": 0.95, "Randomization/stiffness/high": 1.2}
    logarithmic = {
        "Randomization/armature/low": 0.5,
        "Randomization/armature/high": 2.0,
    }  # half of the way to 1/4 and 4
    run = run_with(tmp_path, {"iteration": 1}, {"iteration": 2, **ends, **logarithmic}, {"iteration": 3})
    shares = grown_shares(run, layout, 2)
    assert shares["stiffness"].low == pytest.approx(0.5)
    assert shares["stiffness"].high == pytest.approx(1.0)
    assert shares["armature"].low == pytest.approx(0.5)
    assert shares["armature"].high == pytest.approx(0.5)
    assert grown_shares(run, layout, 3) == {}


def test_a_run_without_the_checkpoints_iteration_is_refused(layout, tmp_path):
    with pytest.raises(SurefootError, match=r"has no iteration 7, which the checkpoint has completed"):
        grown_shares(run_with(tmp_path, {"iteration": 1}), layout, 7)


def test_scores_name_engine_preset_and_episodes(tmp_path):
    for name, more in (("play", ""), ("play_standard", " --randomization standard")):
        report = {
            "figures": {"success_rate": 0.99, "falls": None, "episodes": 200.0},
            "provenance": {"engine": "ovphysx", "command": f"surefoot play RUN{more}"},
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(report))
    nominal, standard = scores(tmp_path)
    assert (nominal.preset, nominal.episodes, nominal.figures) == ("none", 200, {"success_rate": 0.99})
    assert (standard.preset, standard.engine) == ("standard", "ovphysx")


def environment(robot: str, terms=None, **observations):
    """What `check_sensed` asks of an environment whose actor sees the group ``policy``."""
    spec = get_robot(robot)
    layout = ObservationLayout(terms or standard_terms(2), num_joints=spec.num_joints, num_feet=len(spec.foot_bodies))
    group = {"proprioception": SimpleNamespace(func=FusedProprioception), **observations}
    return SimpleNamespace(
        robot_spec=spec,
        observation_manager=SimpleNamespace(active_terms={"policy": list(group), "critic": []}),
        cfg=SimpleNamespace(observations=SimpleNamespace(policy=SimpleNamespace(**group))),
        proprioception=SimpleNamespace(layout=layout),
    )


@pytest.mark.parametrize("name", ["base_lin_vel", "height_scan"])
def test_an_actor_that_sees_what_no_sensor_measures_is_refused(name):
    env = environment("unitree_go2", **{name: SimpleNamespace(func=lambda env: None)})
    with pytest.raises(SurefootError, match=f"'{name}' of observation group 'policy', which no sensor of unitree_go2"):
        check_sensed(env, ["policy"])  # type: ignore[arg-type]


def test_an_actor_that_sees_feet_is_refused_on_a_robot_without_foot_sensors():
    terms = (*standard_terms(1), ProprioceptionTerm("contact", "foot_contact"))
    check_sensed(environment("unitree_go2", terms), ["policy"])  # type: ignore[arg-type]
    with pytest.raises(SurefootError, match="'foot_contact' in term 'contact', which unitree_g1 does not measure"):
        check_sensed(environment("unitree_g1", terms), ["policy"])  # type: ignore[arg-type]


def test_an_actor_of_two_groups_is_refused():
    with pytest.raises(SurefootError, match="sees the groups policy, critic"):
        check_sensed(environment("unitree_go2"), ["policy", "critic"])  # type: ignore[arg-type]
