"""Write the pages of all robots in docs/robots: ``python scripts/robot_pages.py``.

With ``--pictures`` the robots are drawn too, by MuJoCo; without a screen set ``MUJOCO_GL=osmesa``.
"""

import argparse
import sys
from pathlib import Path

from surefoot_bridge.command_line import ended
from surefoot_devtools.robot_pages import write_pages
from surefoot_robots import list_robots

PAGES = Path(__file__).resolve().parents[1] / "docs/robots"


def main() -> int:
    """Write the pages; 0 when they are written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", action="store_true", help="draw the robots too")
    write_pages(PAGES, list_robots(), pictures=parser.parse_args().pictures)
    return 0


if __name__ == "__main__":
    sys.exit(ended("robot_pages.py", main))
