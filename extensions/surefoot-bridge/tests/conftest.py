"""What tests of several files are given."""

import shutil
from pathlib import Path

import pytest
from bundles import write_bundle

from surefoot_bridge.bundle import new_key
from surefoot_bridge.unitree import opening
from surefoot_bridge.unitree.emulation.watchers import draw_without_display

draw_without_display()  # before a test imports MuJoCo


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """A bundle of a perceptron, without exported forms."""
    folder = tmp_path_factory.mktemp("written") / "bundle"
    write_bundle(folder)
    return folder


@pytest.fixture
def folder(written, tmp_path):
    """A copy of it, to be changed."""
    return Path(shutil.copytree(written, tmp_path / "bundle"))


@pytest.fixture
def keys():
    """A private key and its public one."""
    pytest.importorskip("cryptography", reason="cryptography is not installed")
    return new_key()


@pytest.fixture
def quick_opening(monkeypatch):
    """Watch the clock of a robot that is opened for a tenth of a second: long enough to tell half from whole.

    For tests of something else. How fast a clock runs to a percent is told from the whole second only.
    """
    monkeypatch.setattr(opening, "_TICKS_OVER_S", 0.1)
