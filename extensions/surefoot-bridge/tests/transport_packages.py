"""Packages outside the tree that offer transports, for tests: folders as pip leaves them behind."""

from pathlib import Path

UDP_ROBOT = Path(__file__).with_name("udp_robot.py").read_text()


def install(folder, package, points, **modules):
    """Put a package into a folder: its entry points ``name = module:object``, and its modules by their names."""
    metadata = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {where}" for name, where in points.items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[surefoot_bridge.robots]", *lines, ""]))
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def install_dingo(folder, more=""):
    """The robot of `udp_robot`, in a module that is nowhere in the tree, with more text at its end."""
    return install(folder, "dingo-robot", {"dingo": "dingo_robot:ROBOT"}, dingo_robot=UDP_ROBOT + more)
