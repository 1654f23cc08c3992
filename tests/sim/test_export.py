"""A policy exported from each engine: the bundle replays, and the bridge sees what Isaac Lab's observation shows."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from tests.sim.children import TASK, surefoot, train_once

from surefoot.exporting.trace import CLIP_STEPS, EPISODE_STEPS, SWEEP_STEPS
from surefoot_bridge.bundle import load_bundle, read_golden
from surefoot_bridge.bundle.golden_replay import replay
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import tilt

pytestmark = pytest.mark.sim


@pytest.fixture(scope="module")
def g1_run(tmp_path_factory) -> str:
    """Run directory of a G1 that has learnt for one iteration without a logger."""
    return str(train_once(tmp_path_factory.mktemp("g1"), task="Surefoot-Velocity-Flat-G1"))


def export(what: tuple[str, ...], physics: str, folder: Path) -> Path:
    report = folder.parent / f"{folder.name}.json"
    where = ("-o", folder, "--physics", physics, "--device", "cpu", "--json", report)
    assert f"Wrote {folder}" in surefoot("export", *what, *where).stdout
    assert max(json.loads(report.read_text())["figures"].values()) <= 1e-5
    return folder


@pytest.fixture(scope="module")
def go2_in_physx(tmp_path_factory) -> Path:
    """Bundle of the policy that came with the package."""
    return export(("--pretrained", TASK), "ovphysx", tmp_path_factory.mktemp("bundles") / "go2")


@pytest.fixture(scope="module")
def go2_in_newton(tmp_path_factory) -> Path:
    """The same policy, recorded in the other engine."""
    return export(("--pretrained", TASK), "newton_mjwarp", tmp_path_factory.mktemp("bundles") / "go2")


@pytest.fixture(scope="module")
def g1_in_physx(g1_run, tmp_path_factory) -> Path:
    """Bundle of a humanoid that has learnt next to nothing."""
    return export((g1_run,), "ovphysx", tmp_path_factory.mktemp("bundles") / "g1")


@pytest.fixture(scope="module")
def g1_in_newton(g1_run, tmp_path_factory) -> Path:
    """The same humanoid, recorded in the other engine."""
    return export((g1_run,), "newton_mjwarp", tmp_path_factory.mktemp("bundles") / "g1")


@pytest.fixture(params=["go2_in_physx", "go2_in_newton", "g1_in_physx", "g1_in_newton"])
def bundle_folder(request) -> Path:
    """Each of the bundles."""
    return request.getfixturevalue(request.param)


def test_the_bridge_sees_moves_and_tells_the_joints_what_the_engine_recorded(bundle_folder):
    bundle = load_bundle(bundle_folder, runtime="numpy")
    assert bundle.deviations.observation <= 1e-5
    assert bundle.deviations.action <= 1e-5
    assert bundle.deviations.joint_command <= 1e-5


def test_the_trace_holds_two_walks_a_fall_a_sweep_of_the_commands_and_actions_beyond_the_clip(bundle_folder):
    golden = read_golden((bundle_folder / "golden.npz").read_bytes(), "golden.npz")
    contract = load_bundle(bundle_folder, runtime="numpy").contract
    begins = np.flatnonzero(golden.begins)
    assert list(begins[:2]) == [0, EPISODE_STEPS]
    assert list(np.diff([*begins[2:], golden.num_steps])) == [SWEEP_STEPS, CLIP_STEPS]
    assert tilt(golden.report.imu_quat_wxyz[: begins[2]]).max() > 1.0
    trained = contract.command.trained
    walked = golden.command[: begins[2]]
    np.testing.assert_allclose(walked.min(axis=0), [ends.low for ends in trained], rtol=1e-6)
    np.testing.assert_allclose(walked.max(axis=0), [ends.high for ends in trained], rtol=1e-6)
    # A command in every hundredth of each component's range.
    for values, ends in zip(golden.command.T, trained, strict=True):
        assert np.histogram(values, bins=100, range=(ends.low, ends.high))[0].min() >= 1
    own = (golden.applied_action == golden.action).all(axis=1)
    assert own[: begins[3]].all()
    assert not own[begins[3] :].any()
    clip = contract.action.clip_at
    assert golden.applied_action.max(axis=0).min() > clip
    assert golden.applied_action.min(axis=0).max() < -clip


def test_gravity_without_motion_is_what_the_accelerometer_feels(bundle_folder):
    """At the start of an episode the specific force is the opposite of gravity, in the frame of the IMU."""
    golden = read_golden((bundle_folder / "golden.npz").read_bytes(), "golden.npz")
    force = golden.report.imu_lin_acc_m_s2[golden.begins]
    assert np.linalg.norm(force, axis=1) == pytest.approx(np.full(4, 9.81), abs=1e-4)
    upwards = force / np.linalg.norm(force, axis=1, keepdims=True)
    assert np.arccos(upwards[:, 2]) == pytest.approx(tilt(golden.report.imu_quat_wxyz[golden.begins]), abs=1e-3)


def test_a_trace_of_another_pose_is_refused_with_the_term(bundle_folder):
    bundle = load_bundle(bundle_folder, runtime="numpy")
    golden = read_golden((bundle_folder / "golden.npz").read_bytes(), "golden.npz")
    moved = dataclasses.replace(golden.report, joint_pos_rad=golden.report.joint_pos_rad + 0.001)
    with pytest.raises(SurefootError, match="step 0, observation term joint_pos"):
        replay(
            dataclasses.replace(golden, report=moved),
            bundle.contract,
            bundle.policy,
            bundle.observations,
            bundle.targets,
        )


def test_a_repeated_export_is_the_same_to_the_last_bit(go2_in_physx, tmp_path):
    again = export(("--pretrained", TASK), "ovphysx", tmp_path / "again")
    files = sorted(path.name for path in go2_in_physx.iterdir())
    assert files == ["contract.json", "golden.npz", "manifest.json", "policy.npz", "policy.onnx", "policy.pt"]
    assert {name: (again / name).read_bytes() == (go2_in_physx / name).read_bytes() for name in files} == dict.fromkeys(
        files, True
    )
