"""The key that seals logs: a user's own, made by itself, or one in a file."""

import os
import stat
import subprocess
import sys

import pytest

from surefoot_bridge.command_line import main
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.log.seal import write_seal
from surefoot_bridge.log.seal_key import known_seal_key, own_key_path, seal_key, write_seal_key


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


def test_a_users_own_key_is_made_once_and_is_readable_by_nobody_else():
    assert known_seal_key() is None
    key = seal_key()
    assert len(key) == 32
    assert stat.S_IMODE(own_key_path().stat().st_mode) == 0o600
    assert stat.S_IMODE(own_key_path().parent.stat().st_mode) == 0o700
    assert seal_key() == known_seal_key() == key


def test_the_command_makes_a_key_and_leaves_one_that_is_there(home, capsys):
    file = home / "other.key"
    assert main(["key", "seal", str(file)]) == 0
    assert "readable by you alone. For run and stages: --seal-key" in capsys.readouterr().out
    assert len(seal_key(file)) == 32
    assert main(["key", "seal", str(file)]) == 2
    assert "exists already. A key that is overwritten is lost, and with it every seal" in capsys.readouterr().err


NAMELESS = 54321  # a user id that no password file knows, as containers are run with


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("environment", [{}, {"HOME": "/proc/1"}, {"HOME": "/root"}], ids=str)
def test_a_nameless_user_without_a_home_is_told_to_make_a_key_elsewhere_and_that_works(environment):
    """Once for a home that is nowhere, once for one that cannot be written, once for one that cannot be looked into."""
    code = (
        "import encodings.ascii, locale, os, pwd, tempfile; from pathlib import Path; "
        "from surefoot_bridge.command_line import main; "
        "import surefoot_bridge.commands.key; "  # before that user, who may not read where Python is
        "from surefoot_bridge.log.seal_key import known_seal_key, seal_key; "
        "from surefoot_bridge.errors import SurefootError\n"
        f"os.setgroups([]); os.setgid({NAMELESS}); os.setuid({NAMELESS})\n"
        "assert known_seal_key() is None\n"
        "try: seal_key()\n"
        "except SurefootError as error: print(error)\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    assert main(['key', 'seal', folder + '/k']) == 0; print(len(seal_key(Path(folder, 'k'))))\n"
    )
    environment = {**environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "TMPDIR": "/tmp"}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    first, *_, last = ran.stdout.splitlines() or [ran.stderr]
    assert "Make one elsewhere (surefoot-bridge key seal FILE), and give --seal-key FILE." in first
    assert last == "32", ran.stderr


def test_a_key_that_others_can_read_is_refused(home):
    file = home / "k"
    write_seal_key(file)
    file.chmod(0o640)
    with pytest.raises(SurefootError, match=r"can be used by others \(mode 0640\).* chmod 600 .*/k\. Else"):
        seal_key(file)


@pytest.mark.parametrize("text", ["", "short", "A" * 43, "!" * 44, "A" * 2000])
def test_what_is_no_key_is_refused(home, text):
    file = home / "k"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(SurefootError, match="is no seal key: it must hold 32 bytes in base64"):
        seal_key(file)


def test_a_key_that_is_not_there_is_named(home):
    with pytest.raises(SurefootError, match=r"The seal key .*none cannot be read: No such file"):
        seal_key(home / "none")


def test_a_seal_that_cannot_be_written_keeps_the_systems_error_which_tells_a_full_disk_from_other_faults(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_seal(tmp_path / "gone", "session", (), None)
