"""Proofs run one after the other, and go on where they stopped."""

import runpy
from pathlib import Path

import pytest

from surefoot_bridge.errors import SurefootError

SCRIPT = Path(__file__).parents[2] / "scripts" / "proofs.py"


@pytest.fixture
def proofs():
    return runpy.run_path(str(SCRIPT), run_name="proofs")


@pytest.fixture
def run(proofs):
    """What runs is told; "slow" is interrupted the first time and "wrong" falls short."""
    ran = []

    def part(name):
        ran.append(name)
        if name == "slow" and ran.count(name) == 1:
            raise KeyboardInterrupt
        return 1 if name == "wrong" and ran.count(name) == 1 else 0

    proofs["ALL"].clear()
    proofs["ALL"].update({name: lambda name=name: part(name) for name in ("first", "wrong", "slow")})
    return ran


def test_all_proofs_go_on_with_those_that_have_not_held_until_all_have(proofs, run, tmp_path, capsys):
    kept = tmp_path / "cache" / "kept.json"
    with pytest.raises(KeyboardInterrupt):
        proofs["main"]([], kept)
    assert run == ["first", "wrong", "slow"]
    assert proofs["main"]([], kept) == 0
    assert run == ["first", "wrong", "slow", "wrong", "slow"]
    told = capsys.readouterr().out
    assert "1 of 3 proofs held at this commit already" in told
    assert "All proofs held, in 0:00:00 together." in told
    assert not kept.exists()


def test_proofs_by_name_run_whatever_held_before_and_are_not_said_to_be_all(proofs, run, tmp_path, capsys):
    assert proofs["main"](["first", "wrong", "first"], tmp_path / "kept.json") == 1
    assert run == ["first", "wrong", "first"]
    assert "Fell short: wrong." in capsys.readouterr().out
    assert proofs["main"](["first"], tmp_path / "kept.json") == 0
    assert capsys.readouterr().out.endswith("\nfirst held, in 0:00:00 together.\n")
    assert not list(tmp_path.iterdir())


def test_an_unknown_proof_is_refused_before_any_runs(proofs, run, tmp_path):
    with pytest.raises(SurefootError, match="Unknown proof 'third'; valid: "):
        proofs["main"](["wrong", "third"], tmp_path / "kept.json")
    assert run == []
