"""What PhysX and Newton say of a bundle does not depend on how many processes ran it, or on where a run was ended."""

from pathlib import Path

import pytest
from tests.fixtures.shipped import GO2_BUNDLE

from surefoot.evaluation.running.request import VerifyRequest
from surefoot.evaluation.running.verification import verify

SUITE = """
version: 1
name: tiny
description: The first one leaves PhysX with joints' frames that are rounded otherwise.
scenarios:
  - name: loaded
    description: 2 to 4 kg on its back.
    robot: {payload_kg: [2.0, 4.0]}
    commands: [{at_s: 0.0, velocity: [0.5, 0.0, 0.0]}]
    length_s: 1.0
  - name: ahead
    description: 0.5 m/s straight ahead.
    commands: [{at_s: 0.0, velocity: [0.5, 0.0, 0.0]}]
    length_s: 1.0
  - name: turn
    description: 0.5 rad/s on the spot.
    commands: [{at_s: 0.0, velocity: [0.0, 0.0, 0.5]}]
    length_s: 1.0
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["physx", "newton"])
def test_one_process_or_two_or_a_run_that_was_ended_give_the_same_file_to_the_last_byte(engine, tmp_path):
    suite = tmp_path / "tiny.yaml"
    suite.write_text(SUITE)

    def evaluation(folder: Path, **changes) -> bytes:
        asked = {
            "bundle": GO2_BUNDLE,
            "suite": str(suite),
            "engines": engine,
            "gate": None,
            "pages": False,
            "trials": 4,
        }
        verified = verify(VerifyRequest(**asked, folder=folder, **changes))
        assert not [outcome.error for outcome in verified.evaluation.outcomes if outcome.error]
        return (folder / "evaluation.json").read_bytes()

    one = evaluation(tmp_path / "one", processes=1)
    assert evaluation(tmp_path / "two", processes=2) == one
    evaluation(tmp_path / "ended", processes=1, scenarios=("turn",))
    assert evaluation(tmp_path / "ended", processes=1) == one
