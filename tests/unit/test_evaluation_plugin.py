"""``pytest --surefoot-bundle DIR`` makes a test of each scenario."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.fixtures.shipped import GO2_BUNDLE
from tests.unit.evaluation_rig import TINY_SUITE


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "tiny.yaml").write_text(TINY_SUITE)
    (tmp_path / "test_other.py").write_text("def test_other():\n    pass\n")
    return tmp_path


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider"]
    arguments = tuple(argument.replace("BUNDLE", str(GO2_BUNDLE)) for argument in arguments)
    done = subprocess.run([*command, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_each_scenario_is_a_test_that_passes_or_says_why_not(folder):
    status, text = run(folder, "--surefoot-bundle", "BUNDLE", "--surefoot-suite", "tiny.yaml")
    assert status == 1
    assert "test_scenario[ahead-mujoco] PASSED" in text
    assert "test_scenario[shoved-mujoco] FAILED" in text
    assert "shoved in mujoco fails: 0 of" in text
    assert "test_other" not in text


def test_tests_that_are_named_run_besides_and_without_a_bundle_there_are_no_scenarios(folder):
    scenarios = ("--surefoot-bundle", "BUNDLE", "--surefoot-suite", "tiny.yaml", "-k", "other or ahead")
    status, text = run(folder, "test_other.py", *scenarios)
    assert status == 0
    assert "test_other PASSED" in text
    assert "test_scenario[ahead-mujoco] PASSED" in text
    status, text = run(folder)
    assert status == 0
    assert "1 passed" in text


def test_a_bundle_that_is_refused_is_an_error_of_usage_with_the_reason(folder):
    status, text = run(folder, "--surefoot-bundle", "nowhere")
    assert status == 4 or "nowhere" in text
    assert "nowhere" in text
