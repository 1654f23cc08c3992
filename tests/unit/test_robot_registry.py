"""Robots through the entry-point group: ours, a team's, and offers that cannot be kept."""

import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from tests.fixtures.outside import offering

from surefoot.commands import robots as command
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.offers import ROBOTS
from surefoot_robots import get_robot, list_robots
from surefoot_robots.registry import refused_robots

OURS = (
    "anymal_c",
    "anymal_d",
    "berkeley_humanoid",
    "booster_t1",
    "cassie",
    "digit",
    "spot",
    "unitree_a1",
    "unitree_g1",
    "unitree_go2",
    "unitree_h1",
)

RENAMED = "from dataclasses import replace\nfrom surefoot_robots.unitree_go2.spec import SPEC as GO2\n"


@pytest.fixture
def offer(tmp_path):
    """Make a package visible that offers a robot: its name, the robot's name, and the source of its module."""
    with offering(tmp_path) as visible:
        yield lambda package, robot, source: visible(
            package, {ROBOTS.group: {robot: f"{package.replace('-', '_')}:SPEC"}}, source
        )


def refusal(name: str) -> str:
    with pytest.raises(SurefootError) as error:
        get_robot(name)
    return str(error.value)


def test_our_own_robots_come_through_the_same_door_as_any_other():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    declared = project["entry-points"][ROBOTS.group]
    installed = distribution("surefoot").entry_points.select(group=ROBOTS.group)
    assert {point.name: point.value for point in installed} == declared, "run: make bootstrap"
    assert (tuple(sorted(declared)), list_robots()) == (OURS, OURS)
    assert refused_robots() == ()


def test_a_robot_of_another_package_is_found_by_its_name(offer):
    offer("team-robots", "team_dog", RENAMED + "SPEC = replace(GO2, name='team_dog', label='TeamDog')")
    assert list_robots() == tuple(sorted(("team_dog", *OURS)))
    assert get_robot("team_dog").label == "TeamDog"
    assert get_robot("team_dog") is get_robot("team_dog")


BROKEN = [
    ("import no_such_library", "ModuleNotFoundError: No module named 'no_such_library'"),
    ("ROBOT = None", "AttributeError: module 'broken_dog' has no attribute 'SPEC'"),
    ("SPEC = {'name': 'broken_dog'}", "broken_dog:SPEC is no RobotSpec but dict"),
    (
        RENAMED + "SPEC = replace(GO2, label='BrokenDog')",
        "its RobotSpec is named 'unitree_go2', and its entry point must be too",
    ),
    (
        RENAMED + "SPEC = replace(GO2, name='broken_dog', base_body='torso')",
        "Unknown body of unitree_go2.xml 'torso'; valid: ",
    ),
    (
        "from surefoot_robots import TaskTuning\nSPEC = TaskTuning(swing_height_m=0.1)",
        "missing 8 required keyword-only arguments: 'rest_group', ",
    ),
]


@pytest.mark.parametrize(("source", "reason"), BROKEN)
def test_a_package_that_cannot_keep_its_offer_is_named_and_the_other_robots_stay(offer, source, reason):
    offer("broken-dog", "broken_dog", source)
    message = refusal("broken_dog")
    assert message.startswith("The robot 'broken_dog' of the package 'broken-dog' cannot be used: ")
    assert reason in message
    assert message.endswith(". Correct broken_dog, or take it away: pip uninstall broken-dog.")
    assert list_robots() == OURS
    assert refused_robots() == (message,)
    unknown = refusal("unitree_g2")
    assert unknown.startswith("Unknown robot 'unitree_g2'; valid: unitree_go2, unitree_g1")
    assert unknown.endswith(". Others cannot be used, see: surefoot robots list.")


def test_nobody_takes_the_name_of_one_of_our_robots(offer):
    offer("a-thief", "unitree_go2", RENAMED + "SPEC = replace(GO2, revision='stolen')")
    assert get_robot("unitree_go2").revision == "2"
    assert list_robots() == OURS
    assert refused_robots() == (
        "The package 'a-thief' offers a robot 'unitree_go2', a name that 'surefoot' has; give it another name, in its "
        "entry point of the group surefoot.robots and wherever it names itself.",
    )


def test_a_name_that_two_teams_give_is_refused_and_not_guessed(offer):
    for package in ("team-b", "team-a"):
        offer(package, "dog", RENAMED + "SPEC = replace(GO2, name='dog', label='Dog')")
    assert refusal("dog") == (
        "The packages 'team-a' and 'team-b' offer a robot 'dog' each; rename one, or take it away: pip uninstall "
        "team-b."
    )
    assert list_robots() == OURS


def test_a_label_that_is_taken_would_take_another_robots_tasks(offer):
    offer("copy-cat", "a_copy", RENAMED + "SPEC = replace(GO2, name='a_copy')")
    assert list_robots() == OURS
    assert refused_robots() == (
        "The robot 'a_copy' of the package 'copy-cat' cannot be used: its label is that of 'unitree_go2'. Correct "
        "copy_cat, or take it away: pip uninstall copy-cat.",
    )


def test_the_list_of_robots_ends_with_what_cannot_be_used(offer, capsys):
    offer("broken-dog", "broken_dog", "import no_such_library")
    command._print_robots()
    shown = capsys.readouterr()
    assert all(name in shown.out for name in OURS)
    assert shown.err.startswith("The robot 'broken_dog' of the package 'broken-dog' cannot be used: ")
