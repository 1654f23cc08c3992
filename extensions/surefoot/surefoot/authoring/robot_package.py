"""A package with a robot of one's own, from its URDF or MJCF: what the file says, and proposals for the rest."""

from collections.abc import Sequence
from pathlib import Path

from .built_model import build_model
from .package_files import camel_case, render
from .proposals import describe
from .source_model import check_inertias, read_source


def make_robot_package(name: str, source_path: Path, *, feet: Sequence[str] = ()) -> dict[str, str]:
    """Return the files of a package with the robot, path below its folder -> text.

    Args:
        name: Name of the robot.
        source_path: Its URDF or MJCF.
        feet: Its feet, where they are not what its geometry suggests.

    Raises:
        SurefootError: If the file holds no robot that Surefoot can use.
    """
    source = read_source(source_path)
    check_inertias(source)
    built = build_model(name, source, feet)
    context = {"name": name, "package": f"{name}_robot", "source": source_path.name, **describe(source, built)}
    context["label"] = camel_case(name)
    package = context["package"]
    base = f'<body name="{built.anatomy.base}"'
    xml = built.xml.replace(base, f'{base} pos="0 0 {context["height_m"]}"', 1)
    made_from = source_path.name.replace("--", "__")  # two dashes end no comment in XML
    head = (
        f"<!-- {name} of primitive shapes, without ground or actuators, made by surefoot new robot from {made_from}.\n"
        "     The robot collides with the ground only; joint friction acts in the actuator model (spec.py). -->\n"
    )
    return {
        "pyproject.toml": render("robot/pyproject.toml.jinja", context),
        f"{package}/__init__.py": render("robot/init.py.jinja", context),
        f"{package}/spec.py": render("robot/spec.py.jinja", context),
        f"{package}/{name}.xml": head + xml,
        f"tests/test_{name}.py": render("robot/test.py.jinja", context),
    }
