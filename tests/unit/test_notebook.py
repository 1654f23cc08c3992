"""What `import surefoot` offers, and that it costs nothing until it is asked for."""

import subprocess
import sys

import pytest
from tests.fixtures.shipped import GO2_BUNDLE

import surefoot
from surefoot import notebook
from surefoot.cli import COMMANDS
from surefoot_bridge.errors import SurefootError

OFFERED = {
    *("RobotSpec", "Scenario", "export", "get_robot", "list_robots", "make_velocity_env_cfg", "play", "train"),
    "verify",
}
HEAVY = {"torch", "warp", "isaaclab", "mujoco", "numpy", "newton", "pxr", "ovphysx", "gymnasium"}


def modules_after(statement: str) -> set[str]:
    """Names of the top modules that a fresh process has loaded after a statement."""
    program = f"{statement}; import sys; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_importing_surefoot_loads_no_simulator_and_nothing_heavy():
    loaded = modules_after("import surefoot; dir(surefoot)")
    assert "surefoot" in loaded
    assert not HEAVY & loaded


def test_commands_and_robots_are_at_hand_without_a_simulator():
    loaded = modules_after("from surefoot import RobotSpec, export, play, train, verify")
    assert not (HEAVY - {"numpy"}) & loaded


def test_its_names_are_listed_and_each_can_be_had():
    assert set(dir(surefoot)) >= OFFERED
    assert all(callable(getattr(surefoot, name)) for name in OFFERED)
    with pytest.raises(AttributeError, match="has no attribute 'trian'; it offers RobotSpec, Scenario, export"):
        surefoot.trian  # noqa: B018


def test_the_terms_that_tasks_are_made_of_are_at_hand():
    assert "mdp" in dir(surefoot)
    assert surefoot.mdp.rewards.foot_slip.__module__ == "surefoot.envs.mdp.rewards"


def test_a_scenario_and_a_robot_are_the_ones_of_their_packages():
    from surefoot.evaluation.scenarios.scenario import Scenario
    from surefoot_robots import RobotSpec

    assert (surefoot.Scenario, surefoot.RobotSpec) == (Scenario, RobotSpec)
    assert surefoot.get_robot("unitree_go2").label == "Go2"


def test_export_stays_a_function_when_the_package_behind_it_is_imported():
    from surefoot.exporting.contract import robot_part

    assert surefoot.exporting.contract.robot_part is robot_part
    assert surefoot.export is surefoot.notebook.export
    with pytest.raises(SurefootError, match="Something is missing: -o/--output"):
        surefoot.export("runs/lost")


@pytest.mark.parametrize(
    ("name", "call", "expected"),
    [
        (
            "train",
            lambda: surefoot.train("env.decimation=2", task="T", num_envs=8, video=False, max_minutes=0.5),
            {"task": "T", "num_envs": 8, "video": False, "max_minutes": 0.5, "overrides": ["env.decimation=2"]},
        ),
        (
            "play",
            lambda: surefoot.play("runs/a", command=(-0.5, 0.0, 1.0), no_video=True, noise=True, port=None),
            {"run": "runs/a", "command": [-0.5, 0.0, 1.0], "no_video": True, "noise": True, "port": 8080},
        ),
        (
            "verify",
            lambda: surefoot.verify(str(GO2_BUNDLE), scenario=["x", "y"], stop_early=False, trials=3),
            {"scenario": ["x", "y"], "stop_early": False, "trials": 3, "suite": "quick"},
        ),
    ],
)
def test_keywords_say_what_the_options_of_the_command_line_say(monkeypatch, name, call, expected):
    taken = []
    monkeypatch.setattr(f"{COMMANDS[name].module}.run", lambda arguments: taken.append(vars(arguments)) or 0)
    assert call() == 0
    assert {key: taken[0][key] for key in expected} == expected


def test_an_option_that_a_command_does_not_have_is_refused_by_name():
    with pytest.raises(SurefootError, match=r"^Unknown option of surefoot train 'num_env'; valid: num_envs, "):
        notebook.train(task="T", num_env=None)
    with pytest.raises(SurefootError, match="--num-envs is 'many'; valid: a number of environments from 1 to 1048576"):
        notebook.train(task="T", num_envs="many")
