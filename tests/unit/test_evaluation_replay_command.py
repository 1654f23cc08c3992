"""One trial of a verification can be run again by itself, and is the same."""

import json
from dataclasses import asdict
from pathlib import Path

import imageio_ffmpeg
import pytest
from tests.fixtures.shipped import GO2_BUNDLE
from tests.unit.evaluation_rig import TINY_SUITE

from surefoot.cli import main
from surefoot.evaluation.running.request import VerifyRequest
from surefoot.evaluation.running.verification import verify
from surefoot.evaluation.trials.recording import Recording


@pytest.fixture
def suite(tmp_path) -> Path:
    file = tmp_path / "tiny.yaml"
    file.write_text(TINY_SUITE.replace("trials: 30", "trials: 60"))  # more than run side by side
    return file


def run(suite: Path, folder: Path, scenario: str, number: int, *more: str) -> int:
    arguments = [str(GO2_BUNDLE), scenario, str(number), "--suite", str(suite), "-o", str(folder)]
    return main(["replay", *arguments, *more])


def test_a_trial_is_to_the_last_digit_what_it_was_among_all(suite, tmp_path):
    verified = verify(
        VerifyRequest(
            bundle=GO2_BUNDLE,
            suite=str(suite),
            engines="mujoco",
            gate=None,
            folder=tmp_path / "verify",
            scenarios=("ahead",),
            pages=False,
        )
    )
    ahead = verified.evaluation.of("ahead", "mujoco")
    assert run(suite, tmp_path / "again", "ahead", 57, "--no-video") == 0
    again = json.loads((tmp_path / "again" / "trial.json").read_text())
    assert again.pop("trial").startswith("trial 57 of ahead in mujoco of the suite 'tiny', bundle ")
    assert again == asdict(ahead.outcomes[57])
    assert Recording.load(tmp_path / "again" / "motion.npz").number == 57


def test_a_failed_trial_is_said_to_have_failed_and_is_filmed_from_its_beginning_to_its_end(suite, tmp_path, capsys):
    assert run(suite, tmp_path, "shoved", 3) == 1
    assert "shoved, trial 3 (seed " in (said := capsys.readouterr().out)
    assert ": fell" in said
    motion = Recording.load(tmp_path / "motion.npz")
    frames = imageio_ffmpeg.count_frames_and_secs(tmp_path / "trial.mp4")[0]
    assert frames == pytest.approx(25 * motion.time_s[-1] + 12, abs=2)  # half a second of the end stays
