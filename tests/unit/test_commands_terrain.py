"""``surefoot terrain show``."""

from pathlib import Path

import numpy as np
import pytest

from surefoot.cli import main
from surefoot.terrains.kinds import KINDS


def pixels(picture: Path) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(picture).convert("L"))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_has_a_picture(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    picture = tmp_path / "new" / f"{kind}.png"
    assert main(["terrain", "show", kind, "--output", str(picture)]) == 0
    assert capsys.readouterr().out.endswith(f": {picture}\n")
    assert pixels(picture).std() > 20.0


def test_the_field_has_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    picture = tmp_path / "field.png"
    assert main(["terrain", "show", "field", "--output", str(picture)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("field of 10 levels (along x) for unitree_go2; along y flat, rough, slope up, slope down, ")
    assert pixels(picture).std() > 20.0


def test_sizes_come_from_difficulty_and_legs_or_are_as_typed(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    output = ["--output", str(tmp_path / "p.png")]
    for words, said in (
        (["--difficulty", "1"], "stairs up, steps 19.4 cm high, 30 cm deep: "),
        (
            ["--set", "step_height_m=0.1", "--set", "place=around"],
            "stairs up, steps 10 cm high, 35 cm deep, all around: ",
        ),
        (["--robot", "unitree_g1", "--difficulty", "0"], "stairs up, steps 11.4 cm high, 40 cm deep"),
    ):
        assert main(["terrain", "show", "stairs", *words, *output]) == 0
        assert capsys.readouterr().out.startswith(said)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["field", "--difficulty", "0.1"], "The field has all difficulties and their sizes: leave out --set and"),
        (["grass"], "Unknown kind of ground 'grass'; valid: "),
        (
            ["gaps", "--set", "gap_m=0.5"],
            "gap_m is 0.5; unitree_go2 has legs of 0.3235 m and cannot step farther than that.",
        ),
        (["gaps", "--set", "gap_m=5"], "gap_m is '5'; it must be less than or equal to 1."),
        (
            ["gaps", "--set", "gap=5"],
            "gap is unknown (did you mean gap_m?); valid: place, void_depth_m, gap_m, landing_m.",
        ),
        (
            ["gaps", "--set", "wide"],
            "--set is 'wide', no NAME=VALUE; names of gaps: place, void_depth_m, gap_m, landing_m.",
        ),
        (["gaps", "--difficulty", "2"], "--difficulty is '2'; valid: a difficulty from 0 to 1"),
        (["gaps", "--robot", "dog"], "Unknown robot 'dog'; valid: "),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    assert main(["terrain", "show", *words, "--output", str(tmp_path / "p.png")]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not any(tmp_path.iterdir())
