"""A contract says everything or is refused with what is right."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from contracts import quadruped_contract, small_contract

import surefoot_bridge
from surefoot_bridge import contract as c
from surefoot_bridge.contract import contract_schema, read_contract, write_contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.strict_json import from_data, to_json

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
            "default position 3.0 of FR_hip is outside its limits -2.0 to 2.0",
        ),
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


def test_a_newer_schema_asks_for_a_newer_bridge_and_an_older_one_for_a_new_export():
    with pytest.raises(SurefootError, match=r"is of schema 2; this surefoot-bridge reads 1\. Install a newer"):
        read_contract(changed("schema", value=2), where="here")
    with pytest.raises(SurefootError, match=r"is of schema 0, which cannot be brought to 1\. Export the policy again"):
        read_contract(changed("schema", value=0), where="here")


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
    """Where it differs: python -m surefoot_bridge.contract > contract.schema.json."""
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == contract_schema()
