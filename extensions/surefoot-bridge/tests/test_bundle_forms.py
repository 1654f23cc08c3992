"""Every form of a bundle's network is the one network of its plain weights, and does the same on every computer."""

import hashlib
import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from bundles import (
    change_contract,
    random_network,
    read_bundle_golden,
    refused,
    write_bundle,
)
from bundles import write_files as write
from contracts import small_contract

from surefoot_bridge.bundle import save_golden
from surefoot_bridge.bundle.agreement import check_agreement, spread_commands
from surefoot_bridge.contract import Interval
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import NumpyPolicy, Observations
from surefoot_bridge.policy.forms import policy_files
from surefoot_bridge.policy.npz import write_zip

FORMS = ("policy.onnx", "policy.pt")


@pytest.fixture
def folder(tmp_path):
    """A bundle in every form; no runtime but NumPy is needed to write one, nor to check it."""
    _, network = write_bundle(tmp_path / "bundle")
    write(tmp_path / "bundle", policy_files(network))
    return tmp_path / "bundle"


@pytest.mark.parametrize(
    ("cell", "onnx", "torchscript"),
    [
        (None, "e2c04e22bfe14777", "a7306d6e3ecf8de6"),
        ("gru", "a19e040788258e57", "aaf975d816655129"),
        ("lstm", "abd42847205f3d90", "e5d9027d0a699d83"),
    ],
)
def test_a_network_is_written_in_the_same_bytes_by_every_python_and_numpy(cell, onnx, torchscript):
    # Numbers that every version of NumPy makes alike, unlike those of its generators.
    network = random_network(5, 2, hidden=(4,), cell=cell, cells=(2, 3))
    files = policy_files(_counted(network))
    digests = [hashlib.sha256(files[name]).hexdigest()[:16] for name in FORMS]
    assert digests == [onnx, torchscript]


def _counted(network):
    def count(array):
        return (np.arange(array.size, dtype=np.float32) / 64 + np.float32(0.5)).reshape(array.shape)

    def counted(layer):
        return replace(layer, **{name: count(array) for name, array in vars(layer).items()})

    return replace(
        network,
        mean=count(network.mean),
        std=count(network.std),
        layers=tuple(counted(layer) for layer in network.layers),
        recurrent_layers=tuple(counted(layer) for layer in network.recurrent_layers),
    )


@pytest.mark.parametrize("file", FORMS)
@pytest.mark.parametrize("cell", [None, "gru", "lstm"])
def test_another_network_in_one_form_is_refused_by_whatever_runtime_the_bundle_is_loaded(tmp_path, file, cell):
    _, network = write_bundle(tmp_path / "bundle", cell=cell)
    last = network.layers[-1]
    little = replace(last, bias=np.nextafter(last.bias, np.float32(9.0)))  # the least that can be changed
    changed = replace(network, layers=(*network.layers[:-1], little))
    write(tmp_path / "bundle", {**policy_files(network), file: policy_files(changed)[file]})
    refused(tmp_path / "bundle", f"{file} is not the network of policy.npz", "export the policy again", runtime="numpy")


def test_code_of_somebody_else_with_the_same_parameters_is_refused_without_being_opened(folder):
    with zipfile.ZipFile(io.BytesIO((folder / "policy.pt").read_bytes())) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = "policy/code/__torch__/surefoot.py"
    members[name] = members[name].replace(b"return x", b"return torch.neg(x)")
    write(folder, {"policy.pt": write_zip(members)})
    refused(folder, "policy.pt is not the network of policy.npz")


@pytest.mark.parametrize("cell", [None, "gru", "lstm"])
def test_a_runtime_that_computes_something_else_where_nothing_was_recorded_is_refused(tmp_path, cell):
    contract, network = write_bundle(tmp_path / "bundle", cell=cell)
    golden = read_bundle_golden(tmp_path / "bundle")
    observations = Observations(contract)

    class Faulty(NumpyPolicy):
        """Wrong where the forward command, the third number from the end, is in a hundredth of its range."""

        def __call__(self, observation, memory):
            action, memory = super().__call__(observation, memory)
            inside = np.abs(observation[..., -3] - 0.85) < 0.01
            return action + np.where(inside[..., None], np.float32(0.01), np.float32(0.0)), memory

    arguments = (network, contract, observations, golden)
    assert check_agreement(NumpyPolicy(network), *arguments, where="b") == 0.0
    with pytest.raises(
        SurefootError, match=r"the plain weights give joint a the actions .* under a command of the trai"
    ):
        check_agreement(Faulty(network), *arguments, where="b")


def test_commands_are_spread_over_the_corners_and_every_hundredth_of_each_component():
    commands = spread_commands((Interval(-1.0, 3.0), Interval(0.5, 0.5), Interval(-2.0, 2.0)), 256)
    assert commands.shape == (256, 3)
    assert {tuple(corner) for corner in commands[:8]} == {(x, 0.5, z) for x in (-1.0, 3.0) for z in (-2.0, 2.0)}
    for column, (low, high) in ((0, (-1.0, 3.0)), (2, (-2.0, 2.0))):
        filled = np.histogram(commands[:, column], bins=100, range=(low, high))[0]
        assert filled.min() >= 1
    np.testing.assert_array_equal(
        commands, spread_commands((Interval(-1.0, 3.0), Interval(0.5, 0.5), Interval(-2.0, 2.0)), 256)
    )


def test_a_trace_that_was_not_at_both_ends_of_the_command_is_refused(folder):
    golden = read_bundle_golden(folder)
    command = golden.command.copy()
    command[:, 0] = np.minimum(command[:, 0], 0.8)  # 1.0 is trained
    write(folder, {"golden.npz": save_golden(replace(golden, command=command))})
    refused(folder, "recorded with lin_vel_x_m_s from -1 to 0.8; the contract's command goes from -1 to 1")


def test_a_trace_whose_actions_stay_within_the_clip_is_refused(folder):
    golden = read_bundle_golden(folder)
    applied = golden.applied_action.copy()
    applied[:, 1] = np.minimum(applied[:, 1], 10.0)
    write(folder, {"golden.npz": save_golden(replace(golden, applied_action=applied))})
    refused(folder, "to joint b; they must go beyond the clip of the contract, 10, to both sides")


def test_a_trace_that_does_not_reach_the_clip_of_a_measurement_is_refused(tmp_path):
    write_bundle(tmp_path / "reached", contract=small_contract(clip_at=5.0))  # ten times what a joint does
    refused_at = tmp_path / "not_reached"
    write_bundle(refused_at, contract=small_contract(clip_at=500.0))
    refused(refused_at, "it must reach the clip of the contract, 500")


@pytest.mark.parametrize("clip_at", [9.9, 10.1])
def test_a_clip_of_the_actions_that_is_another_one_is_found_where_the_trace_goes_beyond_it(folder, clip_at):
    golden = read_bundle_golden(folder)
    assert np.abs(golden.action).max() < 9.0  # as no policy does
    change_contract(folder, {"action.clip_at": clip_at}, golden_too=True)
    refused(folder, "golden.npz, step 50", "joint_pos_rad that joint")  # the last episode begins with step 500
