"""Tasks of other packages: those that work are listed, those that do not are named, and the others stay."""

import gymnasium
import pytest
from tests.fixtures.outside import offering

from surefoot.cli import main
from surefoot.task_registry import TASKS, check_task, refused_tasks, task_ids
from surefoot_bridge.errors import SurefootError

GO2 = "Surefoot-Velocity-Flat-Go2"
REGISTER = "import gymnasium\ngymnasium.register(id={task!r}, entry_point={place!r}, disable_env_checker=True)\n"


@pytest.fixture
def offer(tmp_path):
    """Make a package visible that registers tasks: its name, and the source of its module."""
    task_ids()  # ours are there before
    known = dict(gymnasium.registry)
    with offering(tmp_path) as visible:
        yield lambda package, source: visible(
            package, {TASKS.group: dict.fromkeys([package.replace("-", "_")], package.replace("-", "_"))}, source
        )
    for task in set(gymnasium.registry) - set(known):
        del gymnasium.registry[task]


def test_a_task_with_an_environment_of_its_own_is_listed(offer):
    offer("my-tasks", REGISTER.format(task="Mine-v0", place="my_tasks.env:MyEnv"))
    assert check_task("Mine-v0") == "Mine-v0"
    assert refused_tasks() == ()


def test_a_task_that_is_nobodys_who_offers_tasks_is_not(offer):
    offer("my-tasks", REGISTER.format(task="Other-v0", place="gymnasium.envs.classic_control:CartPoleEnv"))
    assert "Other-v0" not in task_ids()


def test_a_package_that_cannot_be_imported_is_named_and_the_other_tasks_stay(offer, capsys):
    offer("bad-tasks", "import no_such_library\n")
    offer("my-tasks", REGISTER.format(task="Mine-v0", place="my_tasks.env:MyEnv"))
    assert {GO2, "Mine-v0"} <= set(task_ids())
    (line,) = refused_tasks()
    assert line == (
        "The task package 'bad_tasks' of the package 'bad-tasks' cannot be used: ModuleNotFoundError: No module named "
        "'no_such_library'. Correct bad_tasks, or take it away: pip uninstall bad-tasks."
    )
    assert main(["tasks", "list"]) == 0
    shown = capsys.readouterr()
    assert GO2 in shown.out.split()
    assert shown.err == f"{line}\n"
    with pytest.raises(
        SurefootError, match=r"^Unknown task 'Bad-v0'; valid: .*See: surefoot tasks list. The task pack"
    ):
        check_task("Bad-v0")


def test_nobody_takes_the_id_of_another_task(offer):
    before = gymnasium.registry[GO2]
    offer("a-thief", REGISTER.format(task=GO2, place="a_thief.env:Env"))
    assert GO2 in task_ids()
    assert gymnasium.registry[GO2] is before
    assert refused_tasks() == (
        f"The package 'a-thief' registers a task '{GO2}', an id that another has; give it another in a_thief, or "
        "take it away: pip uninstall a-thief.",
    )
