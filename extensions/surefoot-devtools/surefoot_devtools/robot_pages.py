"""A page for each robot in the docs: its picture, its numbers, their sources and the decisions where these disagree.

Everything is read from the robot's specification, its MJCF and its ``sources.md``; nothing is written twice.
"""

from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np
from PIL import Image

from surefoot.playing.scene import RobotScene
from surefoot_bridge.robots.transports import known_caps
from surefoot_robots import RobotSpec, get_robot, mjcf
from surefoot_tasks.velocity import task_id

SIZE = (640, 480)
"""Width and height of a picture [pixels]."""

INDEX = "index.md"
"""The page of all robots."""


def draw(spec: RobotSpec) -> Image.Image:
    """Return a picture of the robot in its default pose, from ahead and to its left."""
    scene = RobotScene(spec, size=SIZE)
    robot = np.flatnonzero(scene.model.geom_bodyid > 0)
    low, high = scene.data.geom_xpos[robot].min(axis=0), scene.data.geom_xpos[robot].max(axis=0)
    camera = mujoco.MjvCamera()
    camera.azimuth, camera.elevation = 145.0, -14.0
    camera.lookat[:] = 0.5 * (low + high)
    camera.distance = 0.3 + 1.3 * float(np.linalg.norm(high - low))
    with mujoco.Renderer(scene.model, height=SIZE[1], width=SIZE[0]) as renderer:
        renderer.update_scene(scene.data, camera)
        return Image.fromarray(renderer.render())


def robot_page(spec: RobotSpec) -> str:
    """Return the page of a robot."""
    sources = spec.mjcf_path.with_name("sources.md").read_text(encoding="utf-8").split("\n\n", 1)
    parts = [
        f"# {_shown(spec.name)}",
        f"![{_shown(spec.name)} in its default pose, of primitive shapes]({spec.name}.webp)",
        _summary(spec),
        "## Numbers",
        _table(("what", "value"), _facts(spec)),
        "## Joints",
        "Ranges and positions in rad, torques in N m, speeds in rad/s, gains in N m/rad and N m s/rad, rotors (seen\n"
        "at the joint) in kg m^2. Of joints on both sides, one is shown; its partner is its mirror image.",
        _table(
            ("joint", "range", "default", "torque", "speed", "stiffness", "damping", "rotor", "friction"), _joints(spec)
        ),
        "## Sources and decisions",
        sources[1].strip(),
    ]
    return "\n\n".join(parts) + "\n"


def index_page(names: Sequence[str]) -> str:
    """Return the page of all robots, a line for each."""
    rows = [
        (
            f"[{_shown(spec.name)}]({spec.name}.md)",
            f"`{spec.name}`",
            spec.kind,
            spec.num_joints,
            f"{mjcf.total_mass(spec.mjcf_path):.1f}",
            f"{spec.base_height_m:.2f}",
            _transport(spec),
        )
        for spec in map(get_robot, names)
    ]
    parts = [
        "# Robots",
        "Each robot is one specification and one MJCF of primitive shapes; tasks, checks and the bridge's emulation\n"
        "come from them by the robot's name. A robot of your own: [add-a-robot.md](../add-a-robot.md).",
        _table(("robot", "name", "kind", "joints", "mass [kg]", "height [m]", "commanded through"), rows),
    ]
    return "\n\n".join(parts) + "\n"


def write_pages(folder: Path, names: Sequence[str], *, pictures: bool) -> None:
    """Write the pages.

    Args:
        folder: Where they go.
        names: Robots.
        pictures: Whether to draw the robots too.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / INDEX).write_text(index_page(names), encoding="utf-8")
    for spec in map(get_robot, names):
        (folder / f"{spec.name}.md").write_text(robot_page(spec), encoding="utf-8")
        if pictures:
            draw(spec).save(folder / f"{spec.name}.webp", quality=80, method=6)


def _summary(spec: RobotSpec) -> str:
    feet = len(spec.foot_bodies)
    return (
        f"A {spec.kind} with {spec.num_joints} joints and {feet} feet, by the name `{spec.name}`; its velocity task is "
        f"`{task_id(spec.label)}`. It is commanded through: {_transport(spec)}. "
        f"[Specification](../../robots/surefoot_robots/{spec.name}/spec.py), "
        f"[model](../../robots/surefoot_robots/{spec.name}/{spec.mjcf_path.name})."
    )


def _transport(spec: RobotSpec) -> str:
    return "MuJoCo and replay only" if known_caps(spec.name) is None else "its own interface, MuJoCo and replay"


def _facts(spec: RobotSpec) -> list[tuple[str, object]]:
    tuning, handling = spec.tuning, spec.handling
    command = f"{tuning.lin_vel_x_m_s:g} forward, {tuning.lin_vel_y_m_s:g} sideways, {tuning.ang_vel_z_rad_s:g} turning"
    rests = handling.passive_needs
    return [
        ("mass", f"{mjcf.total_mass(spec.mjcf_path):.6g} kg"),
        ("height of the base, standing", f"{spec.base_height_m:.4g} m"),
        ("joints of a leg", len(spec.leg_joints(spec.foot_bodies[0]))),
        ("feet", ", ".join(f"`{foot}`" for foot in spec.foot_bodies)),
        ("bodies whose contact is a fall", ", ".join(f"`{body}`" for body in spec.fall_bodies)),
        ("IMU", f"on `{spec.imu.body}` at ({', '.join(f'{x:g}' for x in spec.imu.pos_m)}) m"),
        ("sensors", ", ".join(spec.interface.sensors)),
        ("rate of joint commands", f"{spec.interface.low_level_hz:g} Hz"),
        ("fastest commands on flat ground", f"{command} [m/s, rad/s]"),
        ("swing height of a foot", f"{tuning.swing_height_m:g} m"),
        ("may become passive when", rests),
        ("revision of the model", spec.revision),
    ]


def _joints(spec: RobotSpec) -> list[tuple[object, ...]]:
    rows, shown = [], set()
    for joint in spec.joint_names:
        if spec.joint_mirror[joint][0] in shown:
            continue
        shown.add(joint)
        (lower, upper), group = spec.joint_limits_rad[joint], spec.group_of(joint)
        numbers = (group.effort_limit_nm, group.velocity_limit_rad_s, group.stiffness, group.damping)
        rest = (group.armature_kgm2, group.friction_nm)
        default = f"{spec.default_joint_pos[joint]:.4g}"
        rows.append((f"`{joint}`", f"{lower:.4g} to {upper:.4g}", default, *(f"{n:.4g}" for n in (*numbers, *rest))))
    return rows


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _shown(name: str) -> str:
    """Return a robot's name for people: "Unitree Go2" for "unitree_go2"."""
    return {"anymal_c": "ANYmal-C", "anymal_d": "ANYmal-D"}.get(name, name.replace("_", " ").title())
