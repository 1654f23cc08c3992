"""Suites that come with the package are whole; what is wrong in a file is named with its line and the remedy."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fixtures.shipped import GO2_BUNDLE

from surefoot.evaluation.engines.choice import ENGINES, allocate
from surefoot.evaluation.measure_catalogue import MEASURES
from surefoot.evaluation.named import SUITES
from surefoot.evaluation.scenarios import files as scenario_files
from surefoot.evaluation.scenarios.files import load_suite
from surefoot.evaluation.scenarios.scenario import VARIED, Bound, Suite
from surefoot.evaluation.scenarios.schema import scenario_schema
from surefoot.evaluation.statistics import fewest_successes
from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.contract import Interval
from surefoot_bridge.errors import SurefootError

PUBLISHED = Path(scenario_files.__file__).with_name("scenario.schema.json")

SCENARIO = """\
name: walk
description: Walks.
commands:
  - {at_s: 0.0, velocity: [0.5, 0, 0]}
length_s: 5.0
"""


@pytest.fixture(scope="module")
def contract():
    return load_bundle(GO2_BUNDLE, runtime="numpy").contract


@pytest.fixture
def file(tmp_path):
    return tmp_path / "walk.yaml"


def refusal(file: Path, text: str, contract=None) -> str:
    file.write_text(text)
    with pytest.raises(SurefootError) as caught:
        load_suite(file, contract)
    return str(caught.value).replace(str(file), "FILE")


# Suites that come with the package


@pytest.mark.parametrize("name", SUITES)
def test_a_built_in_suite_suits_the_policy_that_comes_with_the_package(name, contract):
    suite = load_suite(name, contract)
    assert suite.name == name
    assert suite == load_suite(name, None)


def test_the_standard_suite_holds_what_it_must(contract):
    suite = {scenario.name: scenario for scenario in load_suite("standard", contract).scenarios}
    velocities = {name: [command.velocity for command in item.commands] for name, item in suite.items()}
    assert (1.0, 0.0, 0.0) in velocities["flat_forward"]
    assert (0.0, 0.0, 0.5) in velocities["flat_turn"]
    assert (0.3, 0.0, 0.0) in velocities["crawl"]
    assert all(vx <= 0.0 for vx, _, _ in velocities["backward"])
    assert {vy for _, vy, _ in velocities["sideways"]} == {0.0, 0.3, -0.3}
    assert suite["stand"].length_s == 600.0
    assert suite["stand"].slow_engines_length_s == 60.0
    assert suite["rough_forward"].terrain.kind == "rough"
    assert {
        (suite[f"slope_{way}"].terrain.grade_deg, suite[f"slope_{way}"].terrain.direction) for way in ("up", "down")
    } == {
        (15.0, "up"),
        (15.0, "down"),
    }
    assert suite["stairs_up"].terrain.step_height_m == suite["stairs_down"].terrain.step_height_m == 0.15
    for force in (30.0, 50.0):
        pushes = suite[f"push_{force:.0f}n"].pushes
        assert [(push.force_n.low, push.direction_deg.low) for push in pushes] == [(force, 90.0), (force, -90.0)]
    assert suite["carpet"].robot.friction.low >= 1.0
    assert suite["wet_floor"].robot.friction.high == 0.3
    assert suite["payload"].robot.payload_kg.low == 3.0
    assert suite["cold_motors"].robot.cold_friction.low > 1.0
    assert suite["battery_sag"].robot.battery_sag_per_s.low > 0.0
    assert suite["sensor_noise"].robot.sensor_noise.low == 1.0
    assert suite["latency_20ms"].robot.command_latency_s.low == 0.02
    assert suite["tilt_5deg"].robot.tilt_deg.low == 5.0
    assert suite["largest_push"].largest_push is not None
    turned = sum(
        yaw_rate * (after.at_s - command.at_s)
        for command, after in zip(suite["turn_180"].commands, suite["turn_180"].commands[1:], strict=False)
        for yaw_rate in (command.velocity[2],)
    )
    assert turned == pytest.approx(3.14159, abs=1e-4)
    assert all(scenario.trials >= 100 for scenario in suite.values())


def test_slow_walks_and_turns_on_gripping_feet_are_asked_for_within_15_percent(contract):
    suite = {scenario.name: scenario for scenario in load_suite("standard", contract).scenarios}
    for name, speed in (("crawl_10", 0.1), ("crawl_20", 0.2), ("crawl", 0.3)):
        assert suite[name].commands[-1].velocity == (speed, 0.0, 0.0)
        assert suite[name].success["command_share"] == Bound(min=0.85, max=1.15)
    for name, rate in (("gripping_turn", 0.5), ("gripping_turn_fast", 1.0)):
        scenario = suite[name]
        assert {abs(command.velocity[2]) for command in scenario.commands} == {0.0, rate}
        assert scenario.success["turn_share"] == Bound(min=0.85, max=1.15)
        assert scenario.success["rms_yaw_rate_error"].max == 0.15
        assert (scenario.robot.torsional_friction_m.low, scenario.robot.rolling_friction_m.low) == (0.02, 0.01)


def test_standing_is_ten_minutes_on_all_feet_within_10_cm_and_cool(contract):
    suite = {scenario.name: scenario for scenario in load_suite("standard", contract).scenarios}
    stand = suite["stand"]
    assert stand.length_s == 600.0
    assert stand.success["distance_m"].max == stand.success["motor_heat_max"].max == 0.1
    assert stand.success["feet_down_share"].min == 0.99
    whole = {engine: allocate(engine, "cpu", processes=1).whole_length for engine in ENGINES}
    assert whole == {"mujoco": True, "ovphysx": True, "newton_mjwarp": False}


def test_flat_ground_asks_for_90_percent_and_all_else_for_85(contract):
    flat = {"flat_forward", "flat_turn", "turn_180", "crawl", "backward", "sideways", "start_stop", "stand"}
    flat |= {"crawl_20", "crawl_10"}
    for scenario in load_suite("standard", contract).scenarios:
        assert scenario.threshold == (0.90 if scenario.name in flat else 0.85), scenario.name


def test_the_quick_suite_is_quick_and_its_gate_within_reach(contract):
    suite = load_suite("quick", contract)
    assert len(suite.scenarios) == 6
    for scenario in suite.scenarios:
        assert scenario.length_s <= 6.0
        assert fewest_successes(scenario.trials, scenario.threshold) <= scenario.trials == 40


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_says_the_same_after_a_trip_through_json(name):
    suite = load_suite(name, None)
    assert Suite.model_validate(json.loads(json.dumps(suite.model_dump(mode="json"), allow_nan=False))) == suite


# The published schema


def test_the_published_schema_is_that_of_the_code():
    """Where it differs: python -m surefoot.evaluation.scenarios.schema > scenario.schema.json."""
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == scenario_schema()


def test_the_schema_takes_the_built_in_suites_and_single_scenarios():
    jsonschema = pytest.importorskip("jsonschema")
    yaml = pytest.importorskip("yaml")
    validator = jsonschema.Draft202012Validator(scenario_schema())
    for name in SUITES:
        data = yaml.safe_load(PUBLISHED.with_name("suites").joinpath(f"{name}.yaml").read_text())
        validator.validate(data)
        for scenario in data["scenarios"]:
            validator.validate(scenario)
    assert not validator.is_valid({**data, "scenario": 1})
    data["scenarios"][0]["robot"] = {"friction": "any"}
    assert not validator.is_valid(data)


def test_every_number_that_is_drawn_has_a_possible_range():
    properties = scenario_schema()["$defs"]["RobotVariation"]["properties"]
    assert set(properties) == set(VARIED)


# Files and folders of one's own


def test_a_file_may_hold_a_single_scenario(file, contract):
    file.write_text(SCENARIO)
    suite = load_suite(file, contract)
    assert (suite.name, suite.seed, [scenario.name for scenario in suite.scenarios]) == ("walk", 0, ["walk"])


def test_a_number_may_be_a_span(file):
    file.write_text(SCENARIO + "robot: {friction: [0.4, 0.6], payload_kg: 2, yaw_deg: {low: -5, high: 5}}\n")
    robot = load_suite(file, None).scenarios[0].robot
    assert [(span.low, span.high) for span in (robot.friction, robot.payload_kg, robot.yaw_deg)] == [
        (0.4, 0.6),
        (2.0, 2.0),
        (-5.0, 5.0),
    ]


def test_a_folder_is_the_suite_of_its_files_in_the_order_of_their_names(tmp_path, contract):
    folder = tmp_path / "My Scenarios"
    folder.mkdir()
    (folder / "b.yml").write_text(SCENARIO)
    (folder / "a.yaml").write_text(SCENARIO.replace("walk", "run"))
    (folder / "notes.txt").write_text("no scenario")
    suite = load_suite(folder, contract)
    assert suite.name == "my_scenarios"
    assert [scenario.name for scenario in suite.scenarios] == ["run", "walk"]


def test_all_wrong_files_of_a_folder_are_named(tmp_path):
    (tmp_path / "a.yaml").write_text(SCENARIO.replace("0.5, 0, 0", "fast"))
    (tmp_path / "b.yaml").write_text(SCENARIO)
    (tmp_path / "c.yaml").write_text(SCENARIO)
    (tmp_path / "d.yaml").write_text("version: 1\nscenarios: []\n")
    with pytest.raises(SurefootError) as caught:
        load_suite(tmp_path, None)
    message = str(caught.value)
    assert (
        f"{tmp_path}/a.yaml is refused:\n  line 4: commands[0].velocity[0] is 'fast'; it must be a valid number"
        in message
    )
    assert f"{tmp_path}/c.yaml names its scenario 'walk', as does {tmp_path}/b.yaml; rename one." in message
    assert f"{tmp_path}/d.yaml is a suite; a folder holds single scenarios. Name the file itself." in message


# What is refused

STAIRS = "terrain: {kind: stairs, "
MISTAKES = {
    # form
    "length_m: 5.0": "line 6: length_m is unknown (did you mean length_s?); valid: name, description, terrain, com",
    "terrain: {kind: gras}": (
        "line 6: terrain.kind is 'gras'; it must be 'flat', 'rough', 'slope', 'stairs', 'obstacles', 'bars', 'gaps', "
        "'stones', 'waves' or 'mixed'."
    ),
    "trials: 0": "line 6: trials is 0; it must be greater than or equal to 1.",
    "trials: many": "line 6: trials is 'many'; it must be a valid integer",
    "trials: yes": "line 6: trials is yes, a truth value to YAML; give a number or text (in quotes).",
    "length_s: 6.0": "line 1: it has the key 'length_s' twice, again in line 6; keep one.",
    "robot: {friction: wet}": "line 6: robot.friction is 'wet'; it must be a number or [low, high].",
    "robot: {friction: [0.5, 0.3]}": "line 6: robot.friction is [0.5, 0.3]: [0.5, 0.3] is empty: give the lower end",
    "robot: {friction: .nan}": "line 6: robot.friction is nan; it must be a finite number.",
    "robot:\n  frction: 0.3": "line 7: robot.frction is unknown (did you mean friction?); valid: friction",
    "pushes: [{at_s: 2, force_n: 9, direction_deg: up}]": (
        "line 6: pushes[0].direction_deg is 'up'; it must be a number or [low, high], or 'any'."
    ),
    "pushes:\n  - {at_s: 2}": "line 7: pushes[0].force_n is missing; it has no default.",
    "success: {fell: {most: 0}}": "line 6: success.fell.most is unknown; valid: min, max.",
    "threshold: 1.0": "line 6: threshold is 1.0; it must be less than 1.",
    "terrain: !!python/object:os.system {}": "FILE is no YAML: line 6, column 10: could not determine a constructor",
    "robot: &robot {friction: *robot}": "line 6: robot.friction holds itself through an anchor; write it out.",
    "robot: [": "FILE is no YAML: line 7, column 1: expected the node content",
    # content
    "terrain: {step_height_m: 0.2}": "line 6: terrain.step_height_m is of stairs, but kind is flat; leave one out.",
    "terrain: {kind: rough, direction: up}": "line 6: terrain.direction is of slope and stairs, but kind is rough; ",
    "terrain: {kind: flat, place: around}": (
        "line 6: terrain.place is of slope, stairs, obstacles, bars, gaps, stones, waves and mixed, but kind is flat; "
    ),
    "terrain: {kind: gaps, gap_m: 2}": "line 6: terrain.gap_m is 2; it must be less than or equal to 1.",
    "terrain: {kind: waves, wave_height_m: 0.5, wave_length_m: 1}": (
        "line 6: terrain.wave_height_m is 0.5: waves 1 m long would be as steep as 58 degrees; valid: up to 45, a "
        "height of 0.32 m."
    ),
    "terrain: {kind: slope, grade_deg: 20}\nrobot: {friction: 0.3}": (
        "line 6: terrain.grade_deg is 20, on which everything slides at a friction of 0.3: it must be above "
        "tan(20 deg) = 0.36."
    ),
    "pushes: [{at_s: [4, 4.9], force_n: 9}]": (
        "line 6: pushes[0].at_s is [4, 4.9]; the push of 0.2 s must lie within length_s, 5."
    ),
    "pushes: [{at_s: 2, force_n: -9}]": "line 6: pushes[0].force_n is -9, below 0; turn direction_deg for the other",
    "largest_push: {at_s: 4.9}": "line 6: largest_push.at_s is 4.9; the push must end before 5 s.",
    "largest_push: {at_s: 2, low_n: 9, high_n: 9}": "line 6: largest_push.low_n is 9, not below high_n, 9.",
    "largest_push: {at_s: 2, direction_deg: []}": "line 6: largest_push.direction_deg is empty; give at least one",
    "largest_push: {at_s: 2}\npushes: [{at_s: 2, force_n: 9}]": (
        "line 7: pushes and largest_push exclude each other: a search is for one push."
    ),
    "slow_engines_length_s: 6": (
        "line 6: slow_engines_length_s is 6; it must be after the last command and push, 0, and at most 5."
    ),
    "slow_engines_length_s: 3\npushes: [{at_s: 3, force_n: 9}]": (
        "line 6: slow_engines_length_s is 3; it must be after the last command and push, 3.2, and at most 5."
    ),
    "robot: {friction: 0}": "line 6: robot.friction is 0; it must be from 0.01 to 3.",
    "robot: {payload_kg: [-1, 2]}": "line 6: robot.payload_kg is [-1, 2]; it must be from 0 to 1000.",
    "robot: {command_latency_s: 20}": "line 6: robot.command_latency_s is 20; it must be from 0 to 0.5.",
    "success: {rms_vx_eror: {max: 1}}": (
        f"line 6: success.rms_vx_eror is no measure (did you mean rms_vx_error?); valid: {', '.join(MEASURES)}."
    ),
    "success: {fell: {}}": "line 6: success.fell has neither min nor max; give one of them.",
    "success: {climb_m: {min: 2, max: 1}}": "line 6: success.climb_m has min 2 and max 1, which nothing meets.",
    "success: {climb_m: {min: .nan}}": "line 6: success.climb_m has min nan and max inf, which nothing meets.",
    "success: {time_to_fall_s: {min: 2}}": "line 6: success.time_to_fall_s is of trials that fell, which are no succ",
    "success: {recovery_s: {max: 2}}": "line 6: success.recovery_s is of scenarios that push, but there are no pushes",
    "success: {largest_push_n: {min: 2}}": "line 6: success.largest_push_n is of scenarios that search for it; add ",
    "settle_s: 5\nsuccess: {steady_vx_error: {max: 1}}": (
        "line 7: success.steady_vx_error has no time to be judged in: 5 s of settle_s follow each command and push."
    ),
    "trials: 21": (
        "line 6: trials leaves a threshold of 0.85 out of reach: if all 21 trials succeed, the lower bound is 0.845. "
        "Take at least 22 trials."
    ),
    "threshold: 0.97": "line 6: threshold leaves a threshold of 0.97 out of reach: if all 100 trials succeed",
}
MISFITS = {
    "terrain: {kind: stairs, step_height_m: 0.33}": (
        "line 6: terrain.step_height_m is 0.33; unitree_go2 stands 0.3235 m high and cannot set a foot above its hips."
    ),
    "terrain: {kind: rough, roughness_m: 0.2}": (
        "line 6: terrain.roughness_m is 0.2, 0.4 m from lowest to highest; unitree_go2 stands 0.3235 m high."
    ),
    "terrain: {kind: obstacles, obstacle_height_m: 0.4}": (
        "line 6: terrain.obstacle_height_m is 0.4; unitree_go2 stands 0.3235 m high and cannot set a foot above its "
    ),
    "terrain: {kind: gaps, gap_m: 0.4}": (
        "line 6: terrain.gap_m is 0.4; unitree_go2 has legs of 0.3235 m and cannot step farther than that."
    ),
    "terrain: {kind: stones, stone_gap_m: 0.35}": "line 6: terrain.stone_gap_m is 0.35; unitree_go2 has legs of 0.3235",
    "terrain: {kind: mixed, obstacle_height_m: 0.4}": "line 6: terrain.obstacle_height_m is 0.4; unitree_go2 stands",
    "robot: {tilt_deg: 60}": (
        "line 6: robot.tilt_deg is 60; the contract takes a robot that tilts by 57.3 for fallen."
    ),
    "robot: {payload_kg: 20}": "line 6: robot.payload_kg is 20; unitree_go2 itself weighs 15.2 kg.",
    "robot: {motor_heat: [0.5, 0.9]}": (
        "line 6: robot.motor_heat is [0.5, 0.9], motors of 74.5 degrees Celsius; the safety layer ends walking at 70: "
        "ask for less than 0.82."
    ),
    "robot: {joint_offset_rad: 0.9}": (
        "line 6: robot.joint_offset_rad is 0.9; as unitree_go2 stands, it has from -0.947 to 0.662."
    ),
}


@pytest.mark.parametrize(("line", "message"), MISTAKES.items())
def test_a_mistake_is_named_with_its_line_and_what_is_right(file, line, message):
    assert message in refusal(file, f"{SCENARIO}{line}\n")


@pytest.mark.parametrize(("line", "message"), MISFITS.items())
def test_what_the_robot_does_not_fit_is_refused_once_the_contract_is_known(file, contract, line, message):
    file.write_text(f"{SCENARIO}{line}\n")
    load_suite(file, None)
    assert message in refusal(file, f"{SCENARIO}{line}\n", contract)


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        ("[]", "line 3: commands is empty; give at least one command, or a target to walk to."),
        ("[{at_s: 0, velocity: [1, 0]}]", "line 3: commands[0].velocity[2] is missing; it has no default."),
        (
            "[{at_s: 1, velocity: [1, 0, 0]}]",
            "line 3: commands[0].at_s is 1; the first command is in force from 0 s on.",
        ),
        (
            "".join(f"\n  - {{at_s: {at_s}, velocity: [1, 0, 0]}}" for at_s in (0, 2, 2)),
            "line 6: commands[2].at_s is 2, not after the 2 s of the command before it.",
        ),
        (
            "[{at_s: 0, velocity: [1, 0, 0]}, {at_s: 5, velocity: [0, 0, 0]}]",
            "line 3: commands[1].at_s is 5, when the scenario is over: length_s is 5.",
        ),
    ],
)
def test_a_wrong_timeline_is_refused(file, commands, message):
    text = f"name: walk\ndescription: Walks.\ncommands: {commands}\nlength_s: 5.0\n"
    assert refusal(file, text) == f"FILE is refused: {message}"


def test_a_command_beyond_the_contract_is_refused(file, contract):
    message = refusal(file, SCENARIO.replace("0.5, 0, 0", "1.2, 0, -1.5"), contract)
    assert message == (
        "FILE is refused:\n"
        "  line 4: commands[0].velocity[0] is 1.2, beyond what the policy was trained with: "
        "lin_vel_x_m_s from -1 to 1. Ask for less, or train it with more.\n"
        "  line 4: commands[0].velocity[2] is -1.5, beyond what the policy was trained with: "
        "ang_vel_z_rad_s from -1 to 1. Ask for less, or train it with more."
    )


def test_a_built_in_suite_is_refused_where_it_asks_for_more_than_the_policy_was_trained_with(contract):
    slow = replace(contract, command=replace(contract.command, trained=(Interval(-0.4, 0.4),) * 3))
    with pytest.raises(
        SurefootError, match=r"quick.yaml is refused:\n  line \d+: scenarios\[0\].commands\[1\].velocity"
    ):
        load_suite("quick", slow)


def test_noise_that_the_contract_does_not_name_is_refused(file, contract):
    terms = tuple(replace(term, trained_noise={}) for term in contract.observation.terms)
    noiseless = replace(contract, observation=replace(contract.observation, terms=terms))
    message = refusal(file, SCENARIO + "robot: {sensor_noise: 1}\n", noiseless)
    assert "line 6: robot.sensor_noise multiplies the noise that the contract names, but it names none." in message


def test_steps_shorter_than_a_sole_are_refused(file, contract):
    humanoid = replace(contract, robot=replace(contract.robot, name="unitree_g1"))
    message = refusal(file, SCENARIO + "terrain: {kind: stairs, step_depth_m: 0.15}\n", humanoid)
    assert "line 6: terrain.step_depth_m is 0.15; a sole of unitree_g1 is 0.19 m long." in message


def test_two_scenarios_of_one_name_are_refused(file):
    indented = "".join(f"    {line}\n" for line in SCENARIO.splitlines()).replace("    name", "  - name", 1)
    text = f"version: 1\nname: own\ndescription: Own.\nscenarios:\n{indented}{indented}"
    assert "line 10: scenarios[1].name is 'walk', as is that of scenarios[0]; rename one." in refusal(file, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "FILE is empty; a built-in suite shows what such a file holds."),
        ("- 1", "FILE is refused: line 1: it is [1]; it must be a mapping of keys to values."),
        ("version: 2\nname: own", "line 1: version is 2; it must be 1."),
        ("version: 1\nname: My own", "line 2: name is 'My own'; it must match ^[a-z0-9_-]{1,48}$."),
    ],
)
def test_what_is_no_suite_at_all_is_refused(file, text, message):
    assert message in refusal(file, text)


def test_a_file_that_is_no_text_is_refused(file):
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SurefootError, match=r"Cannot read .*: it is no text"):
        load_suite(file, None)
