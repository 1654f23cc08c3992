"""The key that seals logs: a user's own, made by itself, or one in a file."""

import stat

import pytest

from surefoot_bridge.command_line import main
from surefoot_bridge.errors import SurefootError
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
