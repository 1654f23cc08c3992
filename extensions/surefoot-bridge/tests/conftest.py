"""What tests of several files are given."""

import shutil
from pathlib import Path

import pytest
from bundles import write_bundle


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
