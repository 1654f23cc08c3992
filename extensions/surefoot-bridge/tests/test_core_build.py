"""The core is compiled where there is a compiler, and done without where it cannot be had; which it is, is said."""

import shutil

import pytest

from surefoot_bridge.core import build, library, load_core

HAS_COMPILER = shutil.which("cc") is not None


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """A package without a library of its own, and an empty cache."""
    monkeypatch.setattr(library, "SOURCE", tmp_path / "core.c")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CC", raising=False)
    return tmp_path / "cache" / "surefoot-bridge"


def load():
    return load_core.__wrapped__()


@pytest.mark.skipif(not HAS_COMPILER, reason="there is no C compiler")
def test_where_there_is_a_compiler_there_is_a_core_which_is_compiled_once(alone, monkeypatch):
    found = load()
    assert found.functions is not None
    assert found.note == f"compiled, {alone / build.library_name()}"
    assert [item.name for item in alone.iterdir()] == [build.library_name()]
    monkeypatch.setenv("CC", "false")
    assert load().functions is not None
    assert load_core().functions is not None


@pytest.mark.skipif(not HAS_COMPILER, reason="there is no C compiler")
def test_another_source_has_another_library(alone, monkeypatch, tmp_path):
    first = build.library_name()
    (tmp_path / "core.c").write_text(build.SOURCE.read_text() + "\n/* another */\n")
    monkeypatch.setattr(build, "SOURCE", tmp_path / "core.c")
    assert load().functions is not None
    assert build.library_name() != first
    assert [item.name for item in alone.iterdir()] == [build.library_name()]


def test_without_a_compiler_numpy_does_the_work(alone, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert load() == (None, "NumPy, for there is no C compiler (cc)")


def test_a_compiler_that_fails_is_quoted(alone, monkeypatch, tmp_path):
    compiler = tmp_path / "broken"
    compiler.write_text("#!/bin/sh\necho 'core.c:1: no room' >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    assert load() == (None, f"NumPy, for {compiler} failed: core.c:1: no room")


def test_a_library_that_cannot_be_loaded_is_done_without(alone):
    alone.mkdir(parents=True)
    (alone / build.library_name()).write_text("no library")
    found = load()
    assert found.functions is None
    assert found.note.startswith("NumPy, for the compiled core cannot be loaded (")


def test_a_cache_that_cannot_be_written_is_done_without(alone, tmp_path):
    (tmp_path / "cache").write_text("a file")
    found = load()
    assert found.functions is None
    assert found.note.startswith("NumPy, for it could not be compiled (")
