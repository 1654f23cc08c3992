"""Files are whole or not there."""

import json
import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.files import atomic_write, write_json
from surefoot_bridge.errors import SurefootError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_content_replaces_the_old_file_when_the_block_ends(tmp_path):
    target = tmp_path / "deep" / "model.pt"
    with atomic_write(target) as file:
        file.write(b"first")
    with atomic_write(target) as file:
        file.write(b"second")
        file.flush()
        assert target.read_bytes() == b"first"
    assert target.read_bytes() == b"second"
    assert names(target.parent) == ["model.pt"]


def test_an_error_in_the_block_keeps_the_old_file_and_leaves_no_scrap(tmp_path):
    target = tmp_path / "run.json"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), atomic_write(target, "w") as file:
        file.write("half of the ne")
        _ = 1 / 0
    assert target.read_text() == "old"
    assert names(tmp_path) == ["run.json"]


def test_a_full_disk_is_one_clear_error_and_keeps_the_old_file(tmp_path):
    target = tmp_path / "model.pt"
    target.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))  # the kernel refuses the write as a full disk would
    try:
        with (
            pytest.raises(SurefootError, match=r"model\.pt cannot be written: .*has room"),
            atomic_write(target) as file,
        ):
            file.write(bytes(100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == ["model.pt"]


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path):
    (tmp_path / "runs").write_text("a file where a folder should be")
    with (
        pytest.raises(SurefootError, match=r"runs/a/run\.json cannot be written: "),
        atomic_write(tmp_path / "runs" / "a" / "run.json"),
    ):
        pass


def test_a_process_killed_while_writing_leaves_the_old_file(tmp_path):
    target = tmp_path / "model.pt"
    target.write_bytes(b"old")
    program = (
        "import os, signal, sys\n"
        "from surefoot.files import atomic_write\n"
        "with atomic_write(sys.argv[1]) as file:\n"
        "    file.write(b'new'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", program, str(target)], check=False).returncode == -9
    assert target.read_bytes() == b"old"


def test_the_result_has_the_permissions_of_an_ordinary_new_file(tmp_path):
    mask = os.umask(0o027)
    try:
        with atomic_write(tmp_path / "a", "w") as file:
            file.write("x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_json_round_trips_at_full_precision(tmp_path):
    write_json(tmp_path / "a.json", {"rate_hz": 0.1 + 0.2, "n": 3, "missing": None})
    assert json.loads((tmp_path / "a.json").read_text()) == {"rate_hz": 0.30000000000000004, "n": 3, "missing": None}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_json_refuses_numbers_that_other_readers_do_not_know(tmp_path, value):
    with pytest.raises(SurefootError, match="Put null where there is no number"):
        write_json(tmp_path / "a.json", {"loss": value})
    assert names(tmp_path) == []
