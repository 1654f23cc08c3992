"""The bundles that came with the package are whole, and hold the policies that came with it as checkpoints."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.fixtures.shipped import BUNDLES, TASKS

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.policy import load_weights
from surefoot_robots import get_robot


@pytest.fixture(params=sorted(BUNDLES.iterdir()), ids=lambda folder: folder.name)
def folder(request) -> Path:
    return request.param


@pytest.mark.parametrize("runtime", ["torchscript", "onnx", "numpy"])
def test_it_replays_its_golden_trace_in_every_form(folder, runtime):
    bundle = load_bundle(folder, runtime=runtime)
    assert bundle.contract.training.task == folder.name
    assert bundle.deviations.observation <= 1e-5


def test_it_was_exported_from_a_commit_without_a_change_of_its_own(folder):
    commit = load_bundle(folder, runtime="numpy").contract.training.commit
    assert re.fullmatch("[0-9a-f]{40}", commit), commit  # "-dirty" stands behind any other


def test_its_robot_is_the_one_that_we_have(folder):
    robot = load_bundle(folder, runtime="numpy").contract.robot
    spec = get_robot(robot.name)
    assert robot.revision == spec.revision
    assert robot.joint_names == spec.joint_names
    assert robot.sdk_joint_names == spec.sdk_joint_names
    assert robot.default_joint_pos_rad == spec.joint_values("default_joint_pos")


def test_its_network_is_that_of_the_newest_checkpoint(folder):
    checkpoint = max((TASKS / "pretrained" / folder.name / "checkpoints").glob("model_*.pt"))
    actor = torch.load(checkpoint, map_location="cpu", weights_only=False)["actor_state_dict"]
    network = load_weights((folder / "policy.npz").read_bytes(), "policy.npz")
    weights = [name for name in actor if name.startswith("mlp.") and name.endswith(".weight")]
    assert len(weights) == len(network.layers)
    for name, layer in zip(weights, network.layers, strict=True):
        assert np.array_equal(actor[name].numpy(), layer.weight)
    assert np.array_equal(actor["obs_normalizer._mean"][0].numpy(), network.mean)
    assert (
        int(checkpoint.stem.removeprefix("model_")) == load_bundle(folder, runtime="numpy").contract.training.iterations
    )
