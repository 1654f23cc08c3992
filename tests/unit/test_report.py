"""A report holds the verdict, the figures and where they come from."""

import json
import subprocess
import sys
from datetime import datetime, timedelta
from importlib.metadata import version

import pytest

from surefoot import report
from surefoot_bridge.errors import SurefootError


def test_a_report_holds_exactly_the_agreed_fields(tmp_path):
    path = tmp_path / "a.json"
    report.write_report(
        path,
        ok=False,
        figures={"success_rate": 0.5},
        rows=[{"episode": 0, "fell": True}],
        provenance={"seed": 7},
    )
    assert json.loads(path.read_text()) == {
        "ok": False,
        "figures": {"success_rate": 0.5},
        "rows": [{"episode": 0, "fell": True}],
        "provenance": {"seed": 7},
    }


def test_rows_are_left_out_when_there_are_none(tmp_path):
    report.write_report(tmp_path / "a.json", ok=True, figures={}, provenance={})
    assert list(json.loads((tmp_path / "a.json").read_text())) == ["ok", "figures", "provenance"]


def test_a_figure_that_is_not_a_number_is_refused(tmp_path):
    with pytest.raises(SurefootError, match=r"Cannot write .*a\.json"):
        report.write_report(tmp_path / "a.json", ok=True, figures={"error_m": float("nan")}, provenance={})
    assert not (tmp_path / "a.json").exists()


def test_provenance_names_command_versions_seed_engine_device_and_date(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/somewhere/bin/surefoot", "play", "--name", "two words"])
    found = report.provenance(seed=3, engine="ovphysx", device="cpu")
    assert found["command"] == "surefoot play --name 'two words'"
    assert (found["seed"], found["engine"], found["device"]) == (3, "ovphysx", "cpu")
    assert found["versions"]["isaaclab"] == version("isaaclab") == "3.0.0"
    assert found["versions"]["torch"] == version("torch")
    assert datetime.now().astimezone() - datetime.fromisoformat(found["date"]) < timedelta(minutes=1)
    assert " cores, " in found["machine"]


def test_an_image_says_which_commit_it_was_built_from(monkeypatch):
    monkeypatch.setenv("SUREFOOT_COMMIT", "0123abc")
    assert report.commit() == "0123abc"


def test_the_commit_is_that_of_the_checkout_whatever_folder_the_user_is_in(monkeypatch, tmp_path, request):
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=request.config.rootpath, capture_output=True, text=True, check=False
    )
    if head.returncode:
        pytest.skip("the tests do not run from a git checkout")
    monkeypatch.delenv("SUREFOOT_COMMIT", raising=False)
    monkeypatch.chdir(tmp_path)
    assert report.commit().removesuffix("-dirty") == head.stdout.strip()


def test_there_is_no_commit_where_there_is_no_git(monkeypatch):
    monkeypatch.delenv("SUREFOOT_COMMIT", raising=False)
    monkeypatch.setenv("PATH", "")
    assert report.commit() is None


def test_the_smallest_limit_of_all_groups_counts_in_both_versions(tmp_path):
    own, root = tmp_path / "cgroup", tmp_path / "fs"
    own.write_text("5:devices:/\n4:cpu,memory:/a/b\n0::/c/d\n")
    for folder, limit, used in (
        ("memory", "9223372036854771712", "7"),
        ("memory/a", "4000", "3"),
        ("memory/a/b", "5000", "2"),
    ):
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / "memory.limit_in_bytes").write_text(f"{limit}\n")
        (root / folder / "memory.usage_in_bytes").write_text(f"{used}\n")
    for folder, limit in (("c", "3000"), ("c/d", "max")):
        (root / folder).mkdir()
        (root / folder / "memory.max").write_text(f"{limit}\n")
        (root / folder / "memory.current").write_text("1\n")
    assert report.control_groups(str(own), str(root)) == [(5000, 2), (4000, 3), (9223372036854771712, 7), (3000, 1)]
