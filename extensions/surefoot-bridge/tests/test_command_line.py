"""The command line: what its subcommands say, and how they end."""

import base64
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from bundles import write_bundle

from surefoot_bridge.command_line import COMMANDS, ended, main

PROGRAM = (
    *(sys.executable, "-c"),
    f"import sys; sys.path[:] = {sys.path!r}; from surefoot_bridge.command_line import main; sys.exit(main())",
)


def run(*arguments, **options):
    """Run the command line in a process of its own."""
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=60, **options)


def test_help_lists_all_subcommands_without_importing_numpy():
    code = (
        "import sys; from surefoot_bridge.command_line import main; status = main(['--help']); "
        "found = [name for name in sys.modules if name == 'numpy' or name.startswith('surefoot_bridge.')]; "
        "print(found); sys.exit(status)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    for name, summary in COMMANDS.items():
        assert f"  {name.ljust(10)}{summary}" in ran.stdout
    assert ran.stdout.rstrip().endswith(
        "['surefoot_bridge.errors', 'surefoot_bridge.files', 'surefoot_bridge.arguments', "
        "'surefoot_bridge.command_line']"
    )


def test_every_subcommand_that_is_listed_can_be_imported_by_itself():
    for name in COMMANDS:
        ran = run(name, "--help")
        assert ran.returncode == 0, (name, ran.stderr)
        assert f"usage: surefoot-bridge {name}" in ran.stdout


def test_a_refusal_is_one_message_without_a_traceback(tmp_path, capsys):
    assert main(["check", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err == (
        f"surefoot-bridge: BUNDLE {tmp_path / 'none'}: there is no such folder. Nothing like it is in {tmp_path}; give "
        "one that is there.\n"
    )


def test_what_a_library_said_is_told_behind_verbose_only(tmp_path):
    (tmp_path / "text.txt").write_text("no key")
    found = [run("key", "new", str(tmp_path / "gone" / "k"), *more).stderr for more in ((), ("--verbose",))]
    assert "Errno" not in found[0]
    assert "FileNotFoundError: [Errno 2] No such file or directory" in found[1]
    assert found[1].endswith(found[0])


def test_a_reader_that_goes_away_ends_it_without_a_word(tmp_path):
    write_bundle(tmp_path / "bundle")
    reader, writer = os.pipe()
    os.close(reader)
    for command in (("--help",), ("check", str(tmp_path / "bundle"), "--runtime", "numpy"), ("run", "--help")):
        ran = subprocess.run([*PROGRAM, *command], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
        assert ran.stderr == ""
        assert ran.returncode in (0, 130)
    os.close(writer)


def test_an_output_without_room_is_a_refusal():
    with open("/dev/full", "w") as full:  # noqa: PTH123  (a device)
        ran = subprocess.run([*PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr == "surefoot-bridge: The output cannot be written: No space left on device. Send it elsewhere.\n"


def test_a_path_that_no_character_set_has_is_shown_all_the_same(tmp_path):
    folder = os.fsencode(tmp_path) + b"/b\xff"
    write_bundle(Path(os.fsdecode(folder)))
    ran = run("check", folder, "--runtime", "numpy")
    assert ran.returncode == 0, ran.stderr
    assert "b\\udcff" in ran.stdout


def test_a_bundle_is_checked_and_described(tmp_path, capsys):
    contract, _ = write_bundle(tmp_path / "bundle")
    report = tmp_path / "check.json"
    assert main(["check", str(tmp_path / "bundle"), "--runtime", "numpy", "--json", str(report)]) == 0
    shown = capsys.readouterr().out
    assert "robot            made_up, revision 1, 3 joints" in shown
    assert f"network          {contract.network.observation_dim} to 3 numbers, no memory, run by numpy" in shown
    assert "not asked for (--public-key KEY)" in shown
    content = json.loads(report.read_text())
    identity = content["provenance"]["bundle"]
    assert f"bundle           {tmp_path / 'bundle'}, identity {identity}\n" in shown
    assert content["ok"] is True
    assert set(content["figures"]) == {"observation_deviation", "action_deviation", "joint_command_deviation"}
    assert all(value <= 1e-5 for value in content["figures"].values())
    assert content["rows"] == [
        {"engine": "ovphysx", "preset": "none", "episodes": 200, "figures": {"success_rate": 1.0}}
    ]
    assert content["provenance"]["runtime"] == "numpy"


def test_a_changed_bundle_is_refused(tmp_path, capsys):
    write_bundle(tmp_path / "bundle")
    with (tmp_path / "bundle" / "contract.json").open("a") as file:
        file.write(" ")
    assert main(["check", str(tmp_path / "bundle")]) == 2
    assert "contract.json is longer than its" in capsys.readouterr().err


def test_a_new_key_is_readable_by_its_owner_alone_and_signs(tmp_path, capsys):
    pytest.importorskip("cryptography", reason="cryptography is not installed")
    from surefoot_bridge.bundle import sign_bundle

    path = tmp_path / "key"
    umask = os.umask(0)
    try:
        assert main(["key", "new", str(path)]) == 0
    finally:
        os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    shown = capsys.readouterr().out
    public = shown.split("Public key:")[1].split()[0]
    assert len(base64.b64decode(public, validate=True)) == 32
    private = path.read_text().strip()
    assert private not in shown
    write_bundle(tmp_path / "bundle")
    sign_bundle(tmp_path / "bundle", private)
    assert main(["check", str(tmp_path / "bundle"), "--runtime", "numpy", "--public-key", public]) == 0
    assert f"signature        by {public}" in capsys.readouterr().out


def test_a_key_that_is_there_is_never_overwritten(tmp_path, capsys):
    pytest.importorskip("cryptography", reason="cryptography is not installed")
    path = tmp_path / "key"
    path.write_text("precious")
    assert main(["key", "new", str(path)]) == 2
    assert "exists already. A key that is overwritten is lost" in capsys.readouterr().err
    assert path.read_text() == "precious"
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert main(["key", "new", str(tmp_path / "link")]) == 2
    assert not (tmp_path / "elsewhere").exists()
    assert main(["key", "new", str(tmp_path / "none" / "key")]) == 2
    assert "cannot be written: No such file or directory" in capsys.readouterr().err


def test_a_result_that_cannot_be_written_is_an_error(tmp_path, capsys):
    write_bundle(tmp_path / "bundle")
    command = ["check", str(tmp_path / "bundle"), "--runtime", "numpy", "--json", str(tmp_path / "none" / "x.json")]
    assert main(command) == 2
    assert "x.json cannot be written: No such file or directory. Give a file in a folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    "error", [BrokenPipeError(32, "Broken pipe"), ConnectionRefusedError(111, "Connection refused")]
)
def test_a_pipe_of_a_child_or_a_connection_that_breaks_is_not_taken_for_the_output(error, capsys):
    def work():
        raise error

    assert ended("probe", work) == 2
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert said.splitlines()[-1].startswith(f"probe: {type(error).__name__}: {error}")
