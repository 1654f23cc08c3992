"""The set-up script finds a Python 3.12 that runs, does its work once, and starts afresh after it was cut short.

Python, pip and uv are shell scripts here, which record how they were called; pip cannot fetch uv.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

TOOLS = (
    *("bash", "cat", "cut", "dirname", "find", "flock", "grep", "head", "mkdir", "rm", "sed", "sha256sum", "sleep"),
    *("tail", "touch", "wc"),
)

PYTHON = """#!/bin/sh
case "$1 $2" in
  "-c "*) echo "(3, 12)" ;;
  "-m venv") mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; cp "{pip}" "$3/bin/pip"; echo venv >>"{calls}" ;;
esac
"""

PIP = """#!/bin/sh
case "$*" in
  "config list") echo "global.extra-index-url='https://ours/simple https://theirs/simple'"; exit ;;
  *" uv") exit 1 ;;
esac
echo "pip $*" >>"{calls}"
exit {status}
"""


class Checkout:
    """A folder with the script, and nothing on the PATH but what the script itself calls."""

    def __init__(self, root: Path, source: Path) -> None:
        self.root = root / "checkout"
        self.bin = root / "bin"
        self.pyenv = root / "pyenv"
        self.calls = root / "calls"
        self.bin.mkdir()
        self.calls.touch()
        for name in (*TOOLS, "cp"):
            found = shutil.which(name)
            assert found, f"{name} is not installed"
            (self.bin / name).symlink_to(found)
        for name in (
            "scripts/bootstrap.sh",
            "pyproject.toml",
            "constraints.txt",
            "extensions/surefoot-bridge/pyproject.toml",
            "extensions/surefoot-devtools/pyproject.toml",
        ):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, self.root / name)

    def script(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def install_python(self, path: Path, *, pip_status: int = 0) -> None:
        pip = self.root.parent / "pip"
        self.script(pip, PIP.format(calls=self.calls, status=pip_status))
        self.script(path, PYTHON.format(pip=pip, calls=self.calls))

    def bootstrap(self, **environment: str) -> subprocess.CompletedProcess:
        base = {"PATH": str(self.bin), "HOME": str(self.root.parent), "PYENV_ROOT": str(self.pyenv)}
        return subprocess.run(
            [self.root / "scripts/bootstrap.sh"],
            env=base | environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def recorded(self) -> list[str]:
        return self.calls.read_text().splitlines()


@pytest.fixture
def checkout(tmp_path, request) -> Checkout:
    return Checkout(tmp_path, request.config.rootpath)


def test_without_python_3_12_it_says_what_to_do_and_exits_2(checkout):
    done = checkout.bootstrap()
    assert done.returncode == 2
    assert "Surefoot needs Python 3.12" in done.stderr
    assert "pyenv install 3.12" in done.stderr
    assert not (checkout.root / ".venv").exists()


def test_a_shim_that_fails_is_passed_over_for_pyenvs_own_python(checkout):
    checkout.script(checkout.bin / "python3.12", "#!/bin/sh\nexit 127\n")
    checkout.install_python(checkout.pyenv / "versions/3.12.1/bin/python3.12")
    done = checkout.bootstrap()
    assert done.returncode == 0, done.stderr
    assert f"Making .venv with {checkout.pyenv}/versions/3.12.1/bin/python3.12" in done.stdout


def test_a_python_named_by_the_user_is_taken_or_refused_never_replaced(checkout):
    checkout.install_python(checkout.bin / "python3.12")
    done = checkout.bootstrap(PYTHON="/nowhere/python")
    assert (done.returncode, "/nowhere/python is none" in done.stderr) == (2, True)
    assert checkout.recorded() == []


def test_the_second_run_does_nothing_whatever_sources_change_until_a_pinned_version_does(checkout):
    checkout.install_python(checkout.bin / "python3.12")
    done = checkout.bootstrap()
    assert done.returncode == 0
    assert re.search(r"^Installing \d{3} pinned packages \(about 9 GB\)$", done.stdout, re.MULTILINE)
    assert re.search(r"^\.venv is ready after \d+ s$", done.stdout, re.MULTILINE)
    first = checkout.recorded()
    assert [call.split()[0] for call in first] == ["venv", "pip"]
    assert (
        "--constraint constraints.txt -e extensions/surefoot-bridge -e .[dev] -e extensions/surefoot-devtools"
        in first[1]
    )

    checkout.script(checkout.root / "extensions/surefoot/surefoot/cli.py", "print('another source')")
    assert checkout.bootstrap().stdout == ""
    assert checkout.recorded() == first

    with (checkout.root / "constraints.txt").open("a") as constraints:
        constraints.write("one-more==1.0\n")
    assert checkout.bootstrap().returncode == 0
    assert checkout.recorded() == [*first, first[1]]


def test_uv_installs_the_same_from_where_pip_would_and_pip_where_uv_cannot(checkout):
    checkout.install_python(checkout.bin / "python3.12")
    uv = '#!/bin/sh\necho "uv $*" >>"{calls}"\nexit {status}\n'
    checkout.script(checkout.bin / "uv", uv.format(calls=checkout.calls, status=1))
    done = checkout.bootstrap()
    assert (done.returncode, "uv could not install them; pip does" in done.stdout) == (0, True)
    by_uv, by_pip = checkout.recorded()[1:]
    assert "--index https://ours/simple --index https://theirs/simple --constraint" in by_uv
    assert by_uv.partition("--constraint")[2] == by_pip.partition("--constraint")[2]

    checkout.script(checkout.bin / "uv", uv.format(calls=checkout.calls, status=0))
    with (checkout.root / "constraints.txt").open("a") as constraints:
        constraints.write("one-more==1.0\n")
    assert checkout.bootstrap().returncode == 0
    assert checkout.recorded()[3:] == [by_uv]


def test_an_environment_whose_making_failed_is_made_afresh(checkout):
    checkout.install_python(checkout.bin / "python3.12", pip_status=1)
    failed = checkout.bootstrap()
    assert (failed.returncode, "Installing failed" in failed.stderr) == (2, True)
    checkout.install_python(checkout.bin / "python3.12")
    assert checkout.bootstrap().returncode == 0
    assert [call.split()[0] for call in checkout.recorded()] == ["venv", "pip", "venv", "pip"]


def test_an_environment_that_someone_else_made_is_completed_not_replaced(checkout):
    checkout.install_python(checkout.bin / "python3.12")
    checkout.install_python(checkout.root / ".venv/bin/python")
    shutil.copy(checkout.root.parent / "pip", checkout.root / ".venv/bin/pip")
    (checkout.root / ".venv/mine").touch()
    assert checkout.bootstrap().returncode == 0
    assert [call.split()[0] for call in checkout.recorded()] == ["pip"]
    assert (checkout.root / ".venv/mine").exists()
