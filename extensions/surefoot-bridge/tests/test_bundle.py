"""A bundle is loaded whole and proven, or refused with the reason; whatever was changed in it is found."""

import json
from dataclasses import replace

import numpy as np
import pytest
from bundles import add_exports, change_contract, random_network, read_bundle_golden, refused, write_bundle, write_files
from contracts import quadruped_contract

from surefoot_bridge.bundle import bundle as bundle_module
from surefoot_bridge.bundle import identity, load_bundle, read_files, save_golden
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import save_weights
from surefoot_bridge.policy.weights import digest

CELLS = (None, "gru", "lstm")


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("runtime", ["numpy", "torchscript", "onnx"])
def test_a_whole_bundle_is_loaded_and_was_replayed(tmp_path, cell, runtime):
    contract, network = write_bundle(tmp_path / "bundle", cell=cell, contract=quadruped_contract())
    if runtime != "numpy":
        add_exports(tmp_path / "bundle", network, runtime)
    bundle = load_bundle(tmp_path / "bundle", runtime=runtime)
    assert bundle.contract == contract
    assert bundle.policy.runtime == runtime
    assert bundle.identity == identity(read_files(tmp_path / "bundle")[0])
    assert bundle.signed_by is None
    assert bundle.deviations.observation == 0.0
    assert bundle.deviations.action <= (0.0 if runtime == "numpy" else 1e-5)
    action, _ = bundle.policy(np.zeros((4, contract.network.observation_dim), np.float32), bundle.policy.initial((4,)))
    assert action.shape == (4, 12)


def test_without_a_preference_the_first_runtime_that_can_is_taken(folder):
    assert load_bundle(folder).policy.runtime == "numpy"  # it has no exports


@pytest.mark.parametrize("missing", ["contract.json", "policy.npz", "golden.npz"])
def test_a_bundle_without_one_of_its_parts_is_refused(folder, missing):
    (folder / missing).unlink()
    refused(folder, f"{missing} is missing.")
    write_files(folder, {})
    refused(folder, f"does not list {missing}")


def test_files_are_checked_before_anything_is_read_of_them(folder):
    for name in ("contract.json", "policy.npz", "golden.npz"):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(b"x" + data[1:])
        refused(folder, f"{name} has SHA-256", "expected")
        (folder / name).write_bytes(data[:-1])
        refused(folder, f"{name} is truncated")
        (folder / name).write_bytes(data)
    load_bundle(folder, runtime="numpy")


def test_a_contract_that_misses_a_field_is_refused(folder):
    data = json.loads((folder / "contract.json").read_text())
    del data["action"]["scale_rad"]
    write_files(folder, {"contract.json": json.dumps(data).encode()})
    refused(folder, "contract.json", "action.scale_rad is missing; it has no default.")


def test_damaged_parts_with_a_manifest_of_their_own_are_refused_by_name(folder):
    kept = {name: (folder / name).read_bytes() for name in ("contract.json", "policy.npz", "golden.npz")}
    for name, data in kept.items():
        write_files(folder, {**kept, name: data[: len(data) // 2]})
        refused(folder, f"{folder / name}")
        write_files(folder, {**kept, name: b"\xff"})
        refused(folder, f"{folder / name}")


def test_only_the_network_is_replaced(folder):
    other = random_network(37, 3, seed=1)
    write_files(folder, {"policy.npz": save_weights(other)})
    refused(folder, "policy.npz has weights_sha256", digest(other), "do not belong together")


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (random_network(36, 3), "policy.npz has observation_dim 36; contract.json was written for 37"),
        (random_network(37, 4), "policy.npz has action_dim 4; contract.json was written for 3"),
        (random_network(37, 3, cell="gru"), "policy.npz has recurrent RecurrentPart(kind='gru'"),
    ],
)
def test_a_network_of_another_shape_is_refused(folder, network, message):
    write_files(folder, {"policy.npz": save_weights(network)})
    refused(folder, message)


def test_network_and_contract_replaced_without_the_trace_are_refused(folder):
    other = random_network(37, 3, seed=1)
    write_files(folder, {"policy.npz": save_weights(other)})
    change_contract(folder, {"network.weights_sha256": digest(other)}, golden_too=False)
    refused(folder, "golden.npz was recorded with a contract of SHA-256", "The contract was changed after the export")
    change_contract(folder, {"network.weights_sha256": digest(other)}, golden_too=True)
    refused(folder, "golden.npz, step 0, action of joint a by numpy")


CHANGES = [
    ({"robot.joint_names": ["b", "a", "c"]}, "step 0, observation term joint_pos (b, 1 step ago)"),
    ({"robot.sdk_joint_names": ["a", "c", "b"]}, "recorded with the joints c, a, b; the contract has a, c, b"),
    # Two joints, the feet, or the components of the command under each other's name: no number of the replay changes.
    (
        {"robot.joint_names": ["b", "a", "c"], "robot.sdk_joint_names": ["c", "b", "a"]},
        "recorded with the joints c, a, b; the contract has c, b, a",
    ),
    (
        {"robot.foot_names": ["right", "left"], "robot.mirror_foot_names": ["left", "right"]},
        "recorded with the feet left, right; the contract has right, left",
    ),
    (
        {"command.names": ["lin_vel_y_m_s", "lin_vel_x_m_s", "ang_vel_z_rad_s"]},
        "recorded with the components of the command lin_vel_x_m_s, lin_vel_y_m_s, ang_vel_z_rad_s; the contract has",
    ),
    ({"robot.default_joint_pos_rad": [0.1, 0.25, 0.3]}, "step 0, observation term joint_pos (b, 1 step ago)"),
    ({"observation.terms.3.scale": 0.05}, "step 0, observation term joint_vel (a, 1 step ago)"),
    ({"observation.terms.3.clip_at": 0.5}, "step 0, observation term joint_vel (a, 1 step ago)"),
    ({"observation.foot_contact_force_n": 40.0}, "step 0, observation term foot_contact (right, 1 step ago)"),
    (
        {"observation.terms.0.history": 1, "observation.terms.1.history": 3},
        "step 0, observation term projected_gravity (x, 2 steps ago)",
    ),
    ({"action.scale_rad": [0.25, 0.26, 0.3]}, "step 0, joint_pos_rad that joint c is told"),
    ({"action.clip_at": 0.01}, "step 0, joint_pos_rad that joint"),
    ({"action.low_pass_hz": 5.0}, "step 1, joint_pos_rad that joint c is told"),
    ({"gains.stiffness_nm_per_rad": [20.0, 21.0, 23.0]}, "step 0, stiffness_nm_per_rad that joint c is told"),
    ({"gains.damping_nms_per_rad": [0.5, 0.52, 0.52]}, "step 0, damping_nms_per_rad that joint b is told"),
    ({"timing.control_period_s": 0.01}, "step 1: time_s is 7.52, 0.02 s after the step before"),
]


@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_a_changed_contract_is_refused_even_when_manifest_and_trace_were_made_to_agree_with_it(folder, change, message):
    change_contract(folder, change, golden_too=False)
    refused(folder, "golden.npz was recorded with a contract of SHA-256")
    change_contract(folder, change, golden_too=True)
    refused(folder, "golden.npz", message)


def test_a_longer_history_is_refused(folder):
    change = {"observation.terms.0.history": 3, "network.observation_dim": 40}
    change_contract(folder, change, golden_too=True)
    refused(folder, "policy.npz has observation_dim 37; contract.json was written for 40")


def test_terms_in_another_order_are_refused(folder):
    data = json.loads((folder / "contract.json").read_text())
    first, second, *others = data["observation"]["terms"]
    change_contract(folder, {"observation.terms": [second, first, *others]}, golden_too=True)
    refused(folder, "step 0, observation term projected_gravity (x, 1 step ago)")


def test_a_trace_in_which_only_the_last_action_differs_is_refused(folder):
    golden = read_bundle_golden(folder)
    action = golden.action.copy()
    action[-1, 2] += 0.1
    write_files(folder, {"golden.npz": save_golden(replace(golden, action=action))})
    refused(folder, "golden.npz, step 519, action of joint c by numpy")


def test_no_policy_comes_out_when_the_replay_fails(folder, monkeypatch):
    def fail(*args, **kwargs):
        raise SurefootError("the replay failed")

    monkeypatch.setattr(bundle_module, "replay", fail)
    refused(folder, "the replay failed")
