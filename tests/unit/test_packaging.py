"""The packages install, import without a simulator, and say which versions they were proven with."""

import ast
import importlib
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import warp as wp

from surefoot_bridge.errors import SurefootError
from surefoot_devtools import kernels_check

PACKAGES = ("surefoot", "surefoot_bridge", "surefoot_devtools", "surefoot_robots", "surefoot_rewards", "surefoot_tasks")
# What makes an import slow, or starts a simulator.
HEAVY = ("isaaclab.envs", "isaaclab.sim", "newton", "mujoco", "mujoco_warp", "ovphysx", "isaacsim", "omni", "pxr")


@pytest.fixture(scope="module")
def root(request) -> Path:
    return request.config.rootpath


def pins(root: Path) -> dict[str, str]:
    return dict(line.split("==") for line in (root / "constraints.txt").read_text().splitlines())


def test_importing_every_package_and_the_command_line_loads_no_simulator():
    program = (
        f"import sys, {', '.join(PACKAGES)}, surefoot.cli\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_is_typed(package):
    module = importlib.import_module(package)
    assert (Path(module.__file__).parent / "py.typed").is_file()


def test_the_command_is_called_surefoot_and_nothing_shorter():
    scripts = importlib.metadata.distribution("surefoot").entry_points.select(group="console_scripts")
    assert [(script.name, script.value) for script in scripts] == [("surefoot", "surefoot.cli:main")]


def test_isaac_lab_finds_the_tasks_through_its_entry_point_group():
    assert "surefoot_tasks" in [entry.value for entry in importlib.metadata.entry_points(group="isaaclab.tasks")]


def test_constraints_hold_names_and_versions_only_and_leave_our_own_packages_out(root):
    lines = (root / "constraints.txt").read_text().splitlines()
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.+!]*", line)] == []
    assert not {"surefoot", "surefoot-bridge", "surefoot-devtools"} & pins(root).keys()


def test_what_is_installed_is_what_the_constraints_say(root):
    installed = {dist.name.lower().replace("_", "-"): dist.version for dist in importlib.metadata.distributions()}
    different = {
        name: (version, installed[name.lower().replace("_", "-")])
        for name, version in pins(root).items()
        if installed.get(name.lower().replace("_", "-"), version) != version
    }
    assert different == {}


def test_versions_agree_between_the_distributions_the_extension_and_the_changelog(root):
    version = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    others = [tomllib.loads(path.read_text()) for path in root.glob("extensions/surefoot-*/pyproject.toml")]
    extension = tomllib.loads((root / "extensions/surefoot/config/extension.toml").read_text())["package"]["version"]
    newest = re.search(r"^## \[(\d[^\]]*)\]", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert {*(other["project"]["version"] for other in others), extension, newest and newest[1]} == {version}


def test_fault_injection_mutation_and_benchmarks_are_in_no_wheel_that_users_install(root):
    wheels = set()
    for project in (root, root / "extensions/surefoot-bridge"):
        build = tomllib.loads((project / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
        wheels |= {project / package for package in build["targets"]["wheel"]["packages"]}
    assert len(wheels) == 5
    tools = {"benchmarking", "fault_injection", "faults", "kernels_check.py", "mutation"}
    assert {path for wheel in wheels for path in wheel.rglob("*") if path.name in tools} == set()


def test_the_extension_names_files_that_exist(root):
    folder = root / "extensions/surefoot"
    package = tomllib.loads((folder / "config/extension.toml").read_text())
    assert (folder / package["package"]["readme"]).is_file()
    assert (folder / package["package"]["changelog"]).is_file()
    assert all((folder / module["name"] / "__init__.py").is_file() for module in package["python"]["module"])


def test_the_bridge_is_written_in_the_grammar_of_python_3_8(root):
    for path in (root / "extensions/surefoot-bridge/src").rglob("*.py"):
        ast.parse(path.read_text(), filename=str(path), feature_version=(3, 8))


def test_a_kernel_is_counted_wherever_it_stands_and_a_mention_of_one_is_not(tmp_path, monkeypatch):
    package = tmp_path / "sample_kernels"
    (package / "deep").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "deep" / "__init__.py").write_text("@wp.kernel\ndef a(): ...\n")
    (package / "b.py").write_text(
        "# @wp.kernel\n@warp.kernel(enable_backward=False)\ndef b(): ...\n@wp.kernel\ndef c(): ...\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert kernels_check.kernel_modules(["sample_kernels"]) == {"sample_kernels.b": 2, "sample_kernels.deep": 1}


def test_no_kernel_of_ours_is_built_for_gradients():
    # A CPU's compiler then puts whole kernels into one piece: drawing the table takes less than half the time.
    for name in kernels_check.kernel_modules():
        importlib.import_module(name)
        assert wp.get_module(name).options["enable_backward"] is False, name


def test_an_uninstalled_package_is_refused():
    with pytest.raises(SurefootError, match="'surefoot_nowhere' is not installed"):
        kernels_check.kernel_modules(["surefoot_nowhere"])


def test_a_kernel_that_does_not_compile_is_named_with_its_architecture(tmp_path, monkeypatch):
    (tmp_path / "broken_kernel.py").write_text(
        "import warp as wp\n"
        "@wp.kernel\n"
        "def doubles(x: wp.array(dtype=float)):\n"
        "    x[wp.tid()] = 2.0 * nowhere(x[wp.tid()])\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    (failure,) = kernels_check.compile_kernels("broken_kernel", 1, [90])
    assert (failure.module, failure.kernels, failure.arch) == ("broken_kernel", ("doubles",), 90)
    assert "nowhere" in failure.reason


def test_a_kernel_hidden_in_a_function_is_refused(tmp_path, monkeypatch):
    (tmp_path / "hidden_kernel.py").write_text("def make():\n    @wp.kernel\n    def inner(): ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SurefootError, match="declares 1 kernels but holds 0 at module scope"):
        kernels_check.compile_kernels("hidden_kernel", 1)
