"""Checkpoints are whole, few, safe to read, and refused with a way out when they are not good."""

import re

import pytest
import torch

from surefoot.learning.checkpoint import (
    KEPT,
    SCHEMA,
    CheckpointError,
    CheckpointFolder,
    read_checkpoint,
    write_checkpoint,
)
from surefoot.learning.network_signature import SignatureMismatchError, check_signature
from surefoot_bridge.errors import SurefootError

CONTENT = {"actor_state_dict": {"weight": torch.ones(2)}}


def test_only_the_last_few_and_the_best_stay(tmp_path):
    folder = CheckpointFolder(tmp_path)
    write_checkpoint(folder.best, CONTENT)
    for iterations in (1, 2, 10, 100):
        folder.save(CONTENT, iterations)
    assert KEPT == 3
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["model_000002.pt", "model_000010.pt", "model_000100.pt", "model_best.pt"]


def test_a_failed_save_leaves_the_earlier_checkpoints_and_no_rest(tmp_path, monkeypatch):
    folder = CheckpointFolder(tmp_path)
    folder.save(CONTENT, 1)

    def disk_is_full(content, file):
        file.write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", disk_is_full)
    with pytest.raises(SurefootError, match="No space left on device"):
        folder.save(CONTENT, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["model_000001.pt"]
    assert read_checkpoint(folder.numbered()[0])["actor_state_dict"]["weight"].tolist() == [1.0, 1.0]


def test_a_damaged_checkpoint_is_refused_and_the_last_good_one_is_named(tmp_path):
    folder = CheckpointFolder(tmp_path)
    good = folder.save(CONTENT, 1)
    bad = folder.save(CONTENT, 2)
    bad.write_bytes(bad.read_bytes()[:100])
    with pytest.raises(
        CheckpointError,
        match=rf"(?s){re.escape(str(bad))} is no checkpoint, or a damaged.*The last good one is {re.escape(str(good))}",
    ):
        folder.load_latest()


def test_a_folder_without_checkpoints_says_so(tmp_path):
    with pytest.raises(CheckpointError, match="holds no checkpoint"):
        CheckpointFolder(tmp_path).load_latest()


def test_a_checkpoint_of_another_layout_is_refused_with_both_versions(tmp_path):
    path = tmp_path / "model_000001.pt"
    torch.save({**CONTENT, "schema": SCHEMA + 1}, path)
    with pytest.raises(CheckpointError, match=f"layout version {SCHEMA + 1}, this version of Surefoot reads {SCHEMA}"):
        read_checkpoint(path)


def test_a_file_of_rsl_rl_without_a_schema_is_refused(tmp_path):
    path = tmp_path / "model_1.pt"
    torch.save(CONTENT, path)
    with pytest.raises(CheckpointError, match="layout version None"):
        read_checkpoint(path)


def test_code_in_a_checkpoint_is_not_run(tmp_path):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    path = tmp_path / "model_000001.pt"
    torch.save({**CONTENT, "trap": Trap()}, path)
    with pytest.raises(CheckpointError, match="is no checkpoint, or a damaged one"):
        read_checkpoint(path)
    assert not (tmp_path / "sprung").exists()


def test_another_robots_contract_is_refused_part_by_part():
    saved = {"robot": "unitree_go2", "joints": {"robot": ["a", "b"]}, "actions": [["joint_target", 2]]}
    here = {**saved, "joints": {"robot": ["b", "a"]}}
    check_signature(saved, dict(saved))
    with pytest.raises(
        SignatureMismatchError, match=r"joints: saved \{'robot': \['a', 'b'\]\}, here \{'robot': \['b', 'a'\]\}"
    ) as error:
        check_signature(saved, here)
    assert "actions" not in str(error.value)
