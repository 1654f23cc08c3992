"""The pages of robots in the docs are those that their specifications give."""

import pytest
from PIL import Image
from tests.unit.docs_commands import ROOT

from surefoot_devtools.robot_pages import INDEX, SIZE, index_page, robot_page
from surefoot_robots import get_robot, list_robots

FOLDER = ROOT / "docs/robots"
AGAIN = "write it again: python scripts/robot_pages.py"


@pytest.mark.parametrize("name", list_robots())
def test_the_page_of_a_robot_is_what_its_specification_gives(name):
    assert (FOLDER / f"{name}.md").read_text(encoding="utf-8") == robot_page(get_robot(name)), AGAIN


def test_the_page_of_all_robots_lists_each():
    assert (FOLDER / INDEX).read_text(encoding="utf-8") == index_page(list_robots()), AGAIN
    pages = {path.stem for path in FOLDER.glob("*.md")} - {"index"}
    assert pages == set(list_robots()) == {path.stem for path in FOLDER.glob("*.webp")}


@pytest.mark.parametrize("name", list_robots())
def test_a_picture_of_a_robot_is_small_and_shows_something(name):
    path = FOLDER / f"{name}.webp"
    assert path.stat().st_size < 40_000
    with Image.open(path) as picture:
        assert picture.size == SIZE
        colours = picture.convert("RGB").getcolors(maxcolors=SIZE[0] * SIZE[1])
    assert colours is not None
    assert len(colours) > 500


def test_a_page_shows_each_joint_or_its_mirror_image_once():
    page = robot_page(get_robot("unitree_go2"))
    assert "| `FL_hip_joint` | -1.047 to 1.047 | 0.1 | 23.7 | 30.1 | 25 | 0.5 | 0.01 | 0.2 |" in page
    assert "`FR_hip_joint`" not in page
    assert page.count("| effort limit |") == 1
