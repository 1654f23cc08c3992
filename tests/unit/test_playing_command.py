"""What `surefoot play` accepts, refuses and judges; no engine is started."""

import dataclasses
import json
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from tests.fixtures.shipped import GO2_BUNDLE

from surefoot import cli
from surefoot.commands import export, play
from surefoot.learning import training
from surefoot.learning.checkpoint import write_checkpoint
from surefoot.learning.run_directory import RunDirectory, RunSettings
from surefoot.playing import run_files
from surefoot.playing.acceptance import bounds_of, fell_short
from surefoot.playing.actor import load_actor
from surefoot.playing.run_files import find_policy, find_pretrained
from surefoot_bridge.errors import SurefootError

TASK = "Surefoot-Velocity-Flat-Go2"

WALKS = {
    "success_rate": 0.95,
    "rms_lin_vel_error": 0.25,
    "rms_yaw_rate_error": 0.25,
    "mean_swing_clearance_m": 0.03,
}


@pytest.fixture
def run_folder(tmp_path):
    """A run directory with three checkpoints."""
    (tmp_path / "checkpoints").mkdir()
    for iteration in (9, 100, 20):
        (tmp_path / f"checkpoints/model_{iteration:06d}.pt").write_bytes(b"")
    _write_record(tmp_path, TASK)
    return tmp_path


def _write_record(folder, task):
    settings = RunSettings(
        task=task,
        robot="unitree_go2",
        physics="ovphysx",
        device="cpu",
        num_envs=8,
        seed=1,
        iterations=100,
        overrides=(),
    )
    (folder / "run.json").write_text(json.dumps(dataclasses.asdict(settings)))


def test_a_run_directory_stands_for_its_latest_checkpoint(run_folder):
    found = find_policy(run_folder)
    assert found.checkpoint.name == "model_000100.pt"
    assert found.settings.task == TASK
    assert found.output == run_folder


def test_a_checkpoint_stands_for_itself(run_folder):
    found = find_policy(run_folder / "checkpoints/model_000009.pt")
    assert found.checkpoint.name == "model_000009.pt"
    assert found.output == run_folder


def test_a_pretrained_policy_is_found_beside_its_task(run_folder, monkeypatch):
    root = run_folder.parent
    run_folder.rename(root / TASK)
    monkeypatch.setattr(run_files, "_pretrained_roots", lambda: [root])
    found = find_pretrained(TASK)
    assert found.checkpoint.is_relative_to(root / TASK)
    assert not found.output.is_absolute(), "what playing leaves belongs into the user's folder, not into the package"


def test_a_task_without_a_pretrained_policy_is_refused(monkeypatch):
    monkeypatch.setattr(run_files, "_pretrained_roots", list)
    with pytest.raises(SurefootError, match=f"Train one with: surefoot train --task {TASK}"):
        find_pretrained(TASK)


def test_a_policy_on_its_bounds_holds_them():
    assert fell_short(WALKS, bounds_of(must_step=True, randomized=False)) == []


@pytest.mark.parametrize("name", WALKS)
def test_a_figure_beyond_its_bound_falls_short(name):
    worse = 0.9 * WALKS[name] if name in ("success_rate", "mean_swing_clearance_m") else 1.1 * WALKS[name]
    assert fell_short(WALKS | {name: worse}, bounds_of(must_step=True, randomized=False)) == [name]


def test_nine_of_ten_robots_drawn_from_a_preset_are_enough():
    bounds = bounds_of(must_step=True, randomized=True)
    assert fell_short(WALKS | {"success_rate": 0.90}, bounds) == []
    assert fell_short(WALKS | {"success_rate": 0.89}, bounds) == ["success_rate"]


def test_a_figure_that_could_not_be_measured_falls_short_unless_nothing_asked_for_it():
    unmeasured = {name: value for name, value in WALKS.items() if name != "mean_swing_clearance_m"}
    assert fell_short(unmeasured, bounds_of(must_step=True, randomized=False)) == ["mean_swing_clearance_m"]
    assert fell_short(unmeasured, bounds_of(must_step=False, randomized=False)) == []


AGENT = {
    "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
    "actor": {
        "class_name": "MLPModel",
        "hidden_dims": [8],
        "activation": "elu",
        "obs_normalization": True,
        "distribution_cfg": {"class_name": "GaussianDistribution", "init_std": 1.0},
    },
}


def _actor_weights(num_observations):
    from rsl_rl.models import MLPModel

    torch.manual_seed(0)
    actor_cfg = {name: value for name, value in AGENT["actor"].items() if name != "class_name"}
    actor = MLPModel(_observations(num_observations), {"actor": ["policy"]}, "actor", 2, **actor_cfg)
    weights = actor.state_dict()
    weights["obs_normalizer._mean"].fill_(1.0)
    return weights


def _observations(size, value=0.0):
    from tensordict import TensorDict

    return TensorDict({"policy": torch.full((3, size), value)}, batch_size=[3])


def test_an_actor_comes_back_with_its_normaliser_and_acts_without_noise(tmp_path):
    weights = _actor_weights(4)
    write_checkpoint(tmp_path / "model_000007.pt", {"actor_state_dict": weights})
    actor = load_actor(tmp_path / "model_000007.pt", AGENT, _observations(4), 2, "cpu")
    # Observations at the normaliser's mean become zero: what is left of a one-layer ELU network are its biases.
    hidden = torch.nn.functional.elu(weights["mlp.0.bias"])
    expected = weights["mlp.2.weight"] @ hidden + weights["mlp.2.bias"]
    actions = actor(_observations(4, value=1.0))
    assert torch.allclose(actions, expected.expand(3, 2), atol=1e-6)
    assert torch.equal(actions, actor(_observations(4, value=1.0)))


def test_a_checkpoint_of_another_network_is_refused(tmp_path):
    write_checkpoint(tmp_path / "model_000000.pt", {"actor_state_dict": _actor_weights(4)})
    with pytest.raises(SurefootError, match=r"another network .* size mismatch for mlp\.0\.weight"):
        load_actor(tmp_path / "model_000000.pt", AGENT, _observations(5), 2, "cpu")


PLAN = SimpleNamespace(
    task=TASK,
    trained=SimpleNamespace(
        checkpoint=Path("p/model_9.pt"), output=Path("runs/a"), settings=SimpleNamespace(iterations=300)
    ),
)


@pytest.mark.parametrize(
    ("run", "pretrained", "short", "step"),
    [
        ("runs/a", None, False, "surefoot export runs/a -o bundle"),
        ("runs/a", None, True, "surefoot train --resume runs/a --iterations 600"),
        (None, TASK, False, f"surefoot export --pretrained {TASK} -o bundle"),
        (None, TASK, True, f"surefoot train --task {TASK} --weights p/model_9.pt"),
    ],
)
def test_a_policy_that_falls_short_is_trained_on_and_one_that_walks_is_exported(run, pretrained, short, step):
    assert play._next_step(SimpleNamespace(run=run, pretrained=pretrained), PLAN, fell_short=short) == step


@pytest.mark.parametrize(("iterations", "episodes"), [(3, 3), (50, 50), (300, 50)])
def test_a_short_run_is_played_in_proportion(tmp_path, monkeypatch, iterations, episodes):
    typed = []
    monkeypatch.setattr(
        training.subprocess, "run", lambda words, check: typed.extend(words) or SimpleNamespace(returncode=1)
    )
    assert training.play_at_end(RunDirectory(tmp_path), tmp_path / "model_3.pt", iterations) == 1
    assert typed[typed.index("--episodes") + 1] == str(episodes)


def test_a_bundle_of_another_task_or_a_signed_one_is_replaced_only_where_that_is_asked_for(tmp_path):
    trained = SimpleNamespace(settings=SimpleNamespace(robot="unitree_go2", task=TASK))
    theirs = tmp_path / "bundle"
    shutil.copytree(GO2_BUNDLE, theirs)
    export._check_place(theirs, trained, replace=False)
    (theirs / "manifest.json.sig").write_text("a signature")
    with pytest.raises(SurefootError, match=r"holds a bundle of unitree_go2 for .*, signed, not a bundle .* --replace"):
        export._check_place(theirs, trained, replace=False)
    (theirs / "contract.json").write_text("{")
    with pytest.raises(SurefootError, match=r"holds a bundle that cannot be read, not .* --replace\."):
        export._check_place(theirs, trained, replace=False)
    export._check_place(tmp_path / "new", trained, replace=False)


def test_an_export_says_why_the_robot_fell_and_what_comes_next(capsys):
    off = {"policy.pt": 1e-7}
    exported = SimpleNamespace(
        bundle=SimpleNamespace(
            identity="4711", deviations=SimpleNamespace(observation=1e-7, action=1e-6, joint_command=1e-7)
        ),
        parity={"golden": SimpleNamespace(largest=off), "random": SimpleNamespace(largest=off)},
        fell_at=583,
    )
    export._report(exported, Path("bundle"), signed=False)
    said = capsys.readouterr().out
    assert "the robot was pushed over on purpose and lay at step 583: a trace holds a fall as well." in said
    assert re.search(r"Next: (\S*/)?surefoot verify bundle$", said.strip())


def test_the_remedy_of_a_run_of_another_machine_is_taken(capsys, tmp_path):
    """Up to a mistake that is found after all that the remedy names."""
    shutil.copytree(find_pretrained(TASK).checkpoint.parent, tmp_path / "checkpoints")
    _write_record(tmp_path, TASK)
    record = json.loads((tmp_path / "run.json").read_text()) | {"device": "cuda:7", "physics": "newton_mjwarp"}
    (tmp_path / "run.json").write_text(json.dumps(record))
    assert cli.main(["train", "--resume", str(tmp_path)]) == 2
    _, _, remedy = capsys.readouterr().err.partition("begin a new run here: ")
    words = remedy.split()[1:]
    assert words[:3] == ["train", "--task", TASK]
    how = ["--device", "cpu", "--num-envs", "32", "--processes", "3", "--output", str(tmp_path / "runs")]
    assert cli.main([*words, *how]) == 2
    assert "--processes 3 cannot share 32 environments evenly" in capsys.readouterr().err


def test_the_list_of_robots_keeps_its_unit(capsys):
    assert cli.main(["robots", "list"]) == 0
    assert "[m]" in capsys.readouterr().out
