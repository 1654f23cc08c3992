"""Without the mcap package the log says what to install, and nothing else of this package asks for it."""

import subprocess
import sys

import pytest
from contracts import small_contract

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log import open_log, read_log


@pytest.fixture
def no_mcap(monkeypatch):
    """Hide the package."""
    monkeypatch.setitem(sys.modules, "mcap", None)


MISSING = r"Logs need the package mcap\. Install it: pip install 'surefoot-bridge\[log\]'\."


def test_writing_says_what_to_install(no_mcap, tmp_path):
    with pytest.raises(SurefootError, match=MISSING):
        open_log(tmp_path, small_contract(), bundle="", stage="", phases=())
    assert list(tmp_path.iterdir()) == []


def test_reading_says_what_to_install(no_mcap, tmp_path):
    (tmp_path / "a.mcap").write_bytes(b"")
    with pytest.raises(SurefootError, match=MISSING):
        read_log(tmp_path)


def test_the_package_is_imported_with_numpy_alone():
    code = (
        "import sys, surefoot_bridge.log\n"
        "print([name for name in ('mcap', 'zstandard', 'lz4', 'matplotlib') if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "[]\n"
