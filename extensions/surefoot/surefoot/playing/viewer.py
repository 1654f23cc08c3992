"""A live page in the browser: the robot as it moves, and controls to command, push, pause and reset it."""

from __future__ import annotations

import threading

import mujoco
import numpy as np
import trimesh
import viser

from surefoot.playing.scene import RobotScene
from surefoot.playing.schedule import COMMAND_LOWER, COMMAND_UPPER, PRESETS
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots.mujoco_scene import GROUND
from surefoot_robots import RobotSpec

_CELL_M = 0.5
_COMMAND_NAMES = ("forward vx [m/s]", "sideways vy [m/s]", "yaw rate [rad/s]")


class LivePage:
    """Serves the page; all its methods are called from the simulation's thread.

    The robot stays in the middle and the floor moves under it, so that it never walks out of the picture and the
    camera is the visitor's alone.

    Args:
        spec: The robot to draw.
        title: Heading of the controls.
        command: Where the sliders start: vx, vy [m/s], yaw rate [rad/s].
        host: Address that it is served on.
        port: Port of the page; the next free one is taken where it is in use.

    Raises:
        SurefootError: If the robot has a shape that the page cannot draw.
    """

    def __init__(
        self, spec: RobotSpec, *, title: str, command: tuple[float, float, float], host: str, port: int
    ) -> None:
        self._scene = RobotScene(spec)
        self._server = viser.ViserServer(host=host, port=port, verbose=False)
        self.pushes, self.resets = threading.Event(), threading.Event()  # set by the buttons
        self._add_controls(title, command)
        self._floor = self._server.scene.add_grid(
            "/floor", infinite_grid=True, cell_size=_CELL_M, section_size=_CELL_M, fade_distance=15.0
        )
        self._bodies = self._add_robot()
        self._server.scene.configure_default_lights(cast_shadow=True)
        distance = 0.7 + 1.8 * spec.base_height_m
        self._server.initial_camera.position = (0.75 * distance, -0.75 * distance, 0.3 + spec.base_height_m)
        self._server.initial_camera.look_at = (0.0, 0.0, 0.7 * spec.base_height_m)
        # Commands typed on the command line may lie outside the sliders; they hold until a slider is moved.
        self._command = command

    @property
    def port(self) -> int:
        """Port that the page is served on."""
        return self._server.get_port()

    @property
    def command(self) -> tuple[float, float, float]:
        """Commanded vx, vy [m/s] and yaw rate [rad/s]."""
        return self._command

    def set_command(self, command: tuple[float, float, float]) -> None:
        """Command vx, vy [m/s] and yaw rate [rad/s], and move the sliders there."""
        for slider, value in zip(self._sliders, command, strict=True):
            slider.value = value
        self._command = command

    @property
    def paused(self) -> bool:
        """Whether the visitor stopped the time."""
        return self._pause.value

    def push_wanted(self) -> bool:
        """Return whether the push button was pressed since the last call."""
        return _taken(self.pushes)

    def reset_wanted(self) -> bool:
        """Return whether the reset button was pressed since the last call."""
        return _taken(self.resets)

    def show(
        self, base_pos: np.ndarray, base_quat_wxyz: np.ndarray, joint_pos: np.ndarray, velocity: np.ndarray, note: str
    ) -> None:
        """Draw a state.

        Args:
            base_pos: Position of the base [m], shape (3,).
            base_quat_wxyz: Orientation of the base, shape (4,).
            joint_pos: Joint positions in policy order [rad], shape (num_joints,).
            velocity: Measured vx, vy [m/s] and yaw rate [rad/s], shape (3,).
            note: One more line of text.
        """
        self._scene.pose([0.0, 0.0, base_pos[2]], base_quat_wxyz, joint_pos)
        with self._server.atomic():
            self._floor.position = (-(base_pos[0] % _CELL_M), -(base_pos[1] % _CELL_M), 0.0)
            for body, frame in self._bodies.items():
                frame.position = self._scene.data.xpos[body]
                frame.wxyz = self._scene.data.xquat[body]
            self._text.content = "\n".join(
                [
                    "| | command | measured |",
                    "|:--|--:|--:|",
                    *(
                        f"| {name} | {asked:+.2f} | {measured:+.2f} |"
                        for name, asked, measured in zip(_COMMAND_NAMES, self.command, velocity, strict=True)
                    ),
                    "",
                    note,
                ]
            )

    def close(self) -> None:
        """Stop serving."""
        self._server.stop()

    def _add_controls(self, title: str, command: tuple[float, float, float]) -> None:
        gui = self._server.gui
        gui.configure_theme(show_logo=False, show_share_button=False)
        gui.main_panel.dock_right()
        gui.add_markdown(f"## {title}")
        self._sliders = [
            gui.add_slider(name, min=lower, max=upper, step=0.05, initial_value=float(np.clip(value, lower, upper)))
            for name, lower, upper, value in zip(_COMMAND_NAMES, COMMAND_LOWER, COMMAND_UPPER, command, strict=True)
        ]
        for slider in self._sliders:
            slider.on_update(lambda _: self._read_sliders())
        presets = gui.add_button_group("preset", tuple(PRESETS))
        presets.on_click(lambda event: self.set_command(PRESETS[event.target.value]))
        self._pause = gui.add_checkbox("pause", initial_value=False)
        gui.add_button("push", color="red").on_click(lambda _: self.pushes.set())
        gui.add_button("reset").on_click(lambda _: self.resets.set())
        self._text = gui.add_markdown("")

    def _read_sliders(self) -> None:
        vx, vy, yaw_rate = (float(slider.value) for slider in self._sliders)
        self._command = (vx, vy, yaw_rate)

    def _add_robot(self) -> dict[int, viser.FrameHandle]:
        """Add a frame for each body with its shapes below it; returns body id -> frame."""
        model, scene = self._scene.model, self._server.scene
        frames = {}
        for geom in range(model.ngeom):
            if model.geom(geom).name == GROUND:
                continue
            body = int(model.geom_bodyid[geom])
            path = f"/robot/{model.body(body).name}"
            if body not in frames:
                frames[body] = scene.add_frame(path, show_axes=False)
            shape = make_shape(model.geom_type[geom], model.geom_size[geom])
            shade = 0.25 + 0.75 * model.geom_rgba[geom, :3]  # black feet would have no form on the page
            scene.add_mesh_simple(
                f"{path}/{geom}",
                np.asarray(shape.vertices, dtype=np.float32),
                np.asarray(shape.faces),
                color=(255 * shade).astype(np.uint8),
                flat_shading=model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX,
                position=model.geom_pos[geom],
                wxyz=model.geom_quat[geom],
            )
        return frames


def make_shape(kind: int, size: np.ndarray) -> trimesh.Trimesh:
    """Build the surface of a MuJoCo primitive in its own frame; `size` is MuJoCo's: radii and half-lengths."""
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return trimesh.creation.box(2 * size)
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return trimesh.creation.icosphere(subdivisions=3, radius=size[0])
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return trimesh.creation.cylinder(radius=size[0], height=2 * size[1], sections=32)
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        capsule = trimesh.creation.capsule(radius=size[0], height=2 * size[1], count=(24, 24))
        return capsule.apply_translation(-capsule.bounds.mean(axis=0))
    raise SurefootError(
        f"The live page cannot draw a shape of kind {mujoco.mjtGeom(kind).name}; "
        "valid: box, sphere, cylinder, capsule. Robots are modelled with these."
    )


def _taken(event: threading.Event) -> bool:
    was_set = event.is_set()
    event.clear()
    return was_set
