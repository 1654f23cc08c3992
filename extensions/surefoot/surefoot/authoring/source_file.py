"""What can be told of the file of a robot without MuJoCo."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

from surefoot_bridge.errors import SurefootError, reason


def root_of(path: Path) -> ElementTree.Element:
    """Return the root of a URDF or an MJCF.

    Raises:
        SurefootError: If the file is missing or is neither.
    """
    try:
        root = ElementTree.parse(path).getroot()
    except FileNotFoundError:
        raise SurefootError(f"{path} does not exist; give the URDF or the MJCF of a robot.") from None
    except (OSError, ElementTree.ParseError) as error:
        raise SurefootError(
            f"{path} is not readable XML ({reason(error)}); give the URDF or the MJCF of a robot."
        ) from error
    if root.tag not in ("robot", "mujoco"):
        raise SurefootError(f"{path} begins with <{root.tag}>; a URDF begins with <robot>, an MJCF with <mujoco>.")
    return root
