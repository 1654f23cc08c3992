"""A contract says everything or is refused with what is right."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from contracts import quadruped_contract, small_contract

import surefoot_bridge
from surefoot_bridge import contract as c
from surefoot_bridge.contract import contract_schema, read_contract, write_contract
from surefoot_bridge.contract.strict_json import from_data, to_json
from surefoot_bridge.errors import SurefootError

PUBLISHED = Path(surefoot_bridge.__file__).with_name("contract.schema.json")


def changed(*path, value):
    """Return the JSON of a contract in which one field has another value; a field that is None is taken out."""
    data = json.loads(write_contract(quadruped_contract()))
    place = data
    for name in path[:-1]:
        place = place[name]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(data)


def fields(data, path=()):
    """Every field of a contract, at any depth, with its place; of a list, the first entry's."""
    for name, value in data.items():
        yield (*path, name)
        inner, place = value, (*path, name)
        if isinstance(inner, list) and inner:
            inner, place = inner[0], (*place, 0)
        if isinstance(inner, dict) and name not in ("versions", "ranges", "figures", "trained_noise"):
            yield from fields(inner, place)


FIELDS = list(fields(json.loads(write_contract(quadruped_contract()))))


def test_a_contract_comes_back_with_every_digit():
    contract = replace(
        small_contract(), gains=c.GainPart((0.1 + 0.2, 1e-300 + 1.0, 1 / 3), (0.0, 5e-324, 0.1), 1.0000000000000002)
    )
    text = write_contract(contract)
    assert read_contract(text, where="here") == contract
    assert write_contract(read_contract(text, where="here")) == text


@pytest.mark.parametrize("path", FIELDS, ids=lambda path: ".".join(map(str, path)))
def test_no_field_has_a_default(path):
    name = ".".join(str(part) for part in path if part != 0)
    with pytest.raises(SurefootError, match="is missing; it has no default") as refusal:
        read_contract(changed(*path, value=None), where="here")
    assert name.split(".")[-1] in str(refusal.value)


@pytest.mark.parametrize("path", FIELDS, ids=lambda path: ".".join(map(str, path)))
def test_a_field_of_another_type_is_refused(path):
    with pytest.raises(SurefootError):
        read_contract(changed(*path, value={"not": ["this"]}), where="here")


def test_an_unknown_field_is_refused_with_the_one_that_was_meant():
    with pytest.raises(
        SurefootError, match=r"action\.clip_att is unknown \(did you mean clip_at\?\); valid: kind, scale_rad"
    ):
        read_contract(changed("action", "clip_att", value=1.0), where="here")


def test_all_mistakes_are_named_at_once():
    data = json.loads(write_contract(quadruped_contract()))
    del data["gains"]["handover_s"]
    data["action"]["clip_at"] = "3"
    data["observation"]["layout"] = "step_major"
    with pytest.raises(SurefootError) as refusal:
        read_contract(json.dumps(data), where="/bundle/contract.json")
    text = str(refusal.value)
    assert text.startswith("The contract /bundle/contract.json is refused:")
    assert "gains.handover_s is missing" in text
    assert "action.clip_at is '3'; it must be a number" in text
    assert "observation.layout is 'step_major'; valid: term_major_oldest_first" in text


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("robot", "joint_names", 0), "nose", "sdk_joint_names is no reordering of robot.joint_names: FL_hip, nose"),
        (("robot", "sdk_joint_names", 0), "FL_hip", "sdk_joint_names is no reordering"),
        (
            ("robot", "default_joint_pos_rad", 3),
            3.0,
            "robot.default_joint_pos_rad has FR_hip at 3.0; its range is -2.0 to 2.0",
        ),
        (("handling", "sit_rad", 3), -2.5, "handling.sit_rad has FR_hip at -2.5; its range is -2.0 to 2.0"),
        (("handling", "stand_s"), 0.0, "handling.stand_s is 0.0; it must be > 0"),
        (("handling", "damped_nms_per_rad", 0), -1.0, "handling.damped_nms_per_rad is .*; it must be >= 0"),
        (("handling", "stiffness_nm_per_rad"), [60.0], "handling.stiffness_nm_per_rad has 1 entries for 12 joints"),
        (("robot", "mirror_foot_names"), ["left", "left"], "mirror_foot_names is left, left; it must pair the feet"),
        (
            ("robot", "mirror_foot_names"),
            ["left", "right"],
            "robot.mirror_foot_names pairs left, right with itself; a foot's partner is another foot.",
        ),
        (
            ("robot", "diagonal_foot_names"),
            ["left", "right"],
            "robot.diagonal_foot_names pairs left, right with itself; a foot's partner is another foot.",
        ),
        (
            ("robot", "diagonal_foot_names"),
            ["right"],
            "diagonal_foot_names is right; it must pair the feet left, right",
        ),
        (("robot", "imu", "pos_m"), [0.0, 0.0], "robot.imu.pos_m has 2 entries; it must have 3"),
        (("robot", "imu", "quat_wxyz"), [1.0, 1.0, 0.0, 0.0], "must be a unit quaternion, scalar first"),
        (("gains", "stiffness_nm_per_rad"), [1.0], "gains.stiffness_nm_per_rad has 1 entries for 12 joints"),
        (("action", "scale_rad", 0), 0.0, "action.scale_rad is .* it must be > 0"),
        (("timing", "control_period_s"), -0.02, "timing.control_period_s is -0.02; it must be > 0"),
        (
            ("timing", "low_level_hz"),
            49.0,
            "timing.low_level_hz is 49.0; with a control period of 0.02 s it must be at least 50",
        ),
        (("observation", "terms", 0, "dim"), 4, "term base_ang_vel has dim 4; gyro of this robot has 3"),
        (("observation", "terms", 0, "frame"), "base", "term base_ang_vel is in frame base; gyro is in imu"),
        (("observation", "terms", 6, "history"), 2, "term velocity_command has history 2; valid: 1"),
        (("observation", "terms", 2, "history"), 2, "network.observation_dim is .*; the terms make up"),
        (("observation", "terms", 1, "name"), "base_ang_vel", "observation.terms share the names base_ang_vel"),
        (("command", "trained", 0, "low"), 5.0, "a range from 5.0 to 1.0 is inverted"),
        (("network", "weights_sha256"), "abc", "must be 64 hexadecimal digits"),
        (("network", "action_dim"), 11, "network.action_dim is 11 for 12 joints"),
    ],
)
def test_parts_that_do_not_fit_each_other_are_refused(path, value, message):
    with pytest.raises(SurefootError, match=message):
        read_contract(changed(*path, value=value), where="here")


def test_a_newer_schema_asks_for_a_newer_bridge_and_an_older_one_for_the_command_that_exports_again():
    with pytest.raises(SurefootError, match=r"is of schema 3; this surefoot-bridge reads 2\. Install a newer"):
        read_contract(changed("schema", value=3), where="here")
    with pytest.raises(
        SurefootError, match=r"is of schema 1; this surefoot-bridge reads 2, .*surefoot export RUN -o B"
    ):
        read_contract(changed("schema", value=1), where="here")


@pytest.mark.parametrize(
    ("path", "name", "shown"),
    [
        (("robot", "joint_names", 0), "F\u0406_hip", "'F\\u0406_hip'"),  # a Cyrillic I beside eleven Latin names
        (("robot", "name"), "unitree_g\u043e2", "'unitree_g\\u043e2'"),
        (("robot", "foot_names", 0), "left\u200b", "'left\\u200b'"),
        (("command", "names", 0), "lin vel", "'lin vel'"),
        (("observation", "terms", 0, "name"), "", "''"),
    ],
)
def test_a_name_that_could_look_like_another_is_refused_with_its_letters_spelt_out(path, name, shown):
    with pytest.raises(SurefootError) as refusal:
        read_contract(changed(*path, value=name), where="here")
    assert f" has {shown}; a name is of printable ASCII without spaces" in str(refusal.value)


PHASE = {"period_s": 0.5, "offsets": [0.0, 0.5], "stance_share": 0.6, "standing": "runs"}
CORRECTED = {"name": "trot", "version": "1", "parameters": {"period_s": 0.5}}


def with_parts(**parts):
    """The JSON of a contract with parts that are null otherwise."""
    data = json.loads(write_contract(quadruped_contract()))
    data.update(parts)
    if "base_controller" in parts:
        data["action"]["kind"] = "joint_position_residual"
    return json.dumps(data)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("phase", PHASE),
        ("estimate", {"names": ["v"], "terms": ["joint_pos"], "file": "e.npz", "weights_sha256": "0" * 64}),
        ("base_controller", CORRECTED),
    ],
)
def test_a_part_that_cannot_be_obeyed_is_refused_in_one_line(part, value):
    with pytest.raises(SurefootError) as refusal:
        read_contract(with_parts(**{part: value}), where="here")
    assert str(refusal.value) == (
        f"The contract here has {part}, which this surefoot-bridge cannot obey. Install a newer surefoot-bridge."
    )


def test_a_policy_sees_a_clock_only_if_the_contract_has_one():
    contract = small_contract()
    clock = c.ObservationTerm("clock", "phase", "feet", 4, 1.0, None, 1, {})
    parts = {
        "observation": replace(contract.observation, terms=(clock,)),
        "network": replace(contract.network, observation_dim=4),  # sine and cosine of two feet
    }
    with pytest.raises(SurefootError, match="observation term clock has dim 4; phase of this robot has 0"):
        replace(contract, **parts)
    made = replace(contract, **parts, phase=c.PhasePart(0.5, (0.0, 0.5), 0.6, "held"))
    assert made.phase.offsets == (0.0, 0.5)
    with pytest.raises(SurefootError, match=r"phase\.offsets has 1 entries for 2 feet"):
        replace(contract, **parts, phase=c.PhasePart(0.5, (0.0,), 0.6, "held"))


def test_a_residual_and_its_base_controller_come_together():
    contract = small_contract()
    with pytest.raises(SurefootError, match="a residual has one, and only it"):
        replace(contract, base_controller=c.BaseControllerPart("trot", "1", {}))
    with pytest.raises(SurefootError, match="a residual has one, and only it"):
        replace(contract, action=replace(contract.action, kind="joint_position_residual"))


@pytest.mark.parametrize("text", ["", "{", '{"schema": NaN}', '{"schema": 1, "schema": 1}', "[" * 100_000])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(SurefootError, match="no JSON that can be read"):
        read_contract(text, where="here")


@pytest.mark.parametrize("text", ["[]", "1", "null", '"contract"'])
def test_json_that_is_no_object_is_refused(text):
    with pytest.raises(SurefootError, match="it must be an object"):
        read_contract(text, where="here")


def test_a_number_that_is_too_large_for_a_float_is_refused():
    with pytest.raises(SurefootError, match=r"gains\.handover_s is a whole number of 1329 bits; the largest is 2\^53"):
        read_contract(changed("gains", "handover_s", value=10**400), where="here")


def test_a_number_that_is_not_finite_is_never_written():
    with pytest.raises(SurefootError, match="not finite, which JSON has no word for"):
        to_json(c.Interval(0.0, float("inf")))


def test_true_is_no_number_and_one_is_no_truth():
    with pytest.raises(SurefootError, match="low is True; it must be a number"):
        from_data(c.Interval, {"low": True, "high": 2.0}, what="a range")


def test_orders_are_inverse_to_each_other():
    contract = small_contract()  # policy a, b, c; interface c, a, b
    assert contract.sdk_order == (2, 0, 1)
    assert contract.policy_order == (1, 2, 0)


def test_the_published_schema_is_that_of_the_code():
    """Where it differs: python -m surefoot_bridge.contract.serialization > contract.schema.json."""
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == contract_schema()


def test_the_schema_describes_every_field():
    for name, definition in contract_schema()["$defs"].items():
        assert definition["description"], name
        for field, described in definition["properties"].items():
            assert len(described["description"].split()) > 1, f"{name}.{field}"


@pytest.mark.parametrize(
    ("part", "field", "sentence"),
    [
        ("RobotPart", "default_joint_pos_rad", "Actions and observed joint positions are offsets from it."),
        ("RobotPart", "joint_names", "Every list in this contract with one number for each joint is in this order"),
        ("RobotPart", "sdk_joint_names", "`report.*` and `joints.*` in `golden.npz` are in this order"),
        ("ObservationTerm", "source", "unit vector that points down, (0, 0, -1) for a level robot"),
        ("ObservationTerm", "source", "the policy's last output, clipped"),
        ("ActionPart", "", "The clip comes before the scale."),
        ("ActionPart", "clamped_to_limits", "Whether training clamped targets"),
        ("GainPart", "handover_s", "pass from what the joint was told last"),
        ("ImuPart", "axes", "right-handed axes of the base"),
        ("SensorError", "law", "`gaussian_std`: standard deviation of Gaussian noise"),
        ("NetworkPart", "", "None follows the last, whatever its name says."),
        ("CommandPart", "names", "The columns of `command` in `golden.npz` are in this order."),
    ],
)
def test_the_schema_says_what_a_third_party_could_not_know(part, field, sentence):
    definition = contract_schema()["$defs"][part]
    assert sentence in (definition["properties"][field] if field else definition)["description"]
