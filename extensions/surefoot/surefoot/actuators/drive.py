"""How the actuator kernel reaches an engine: the shortest way that each one has.

Isaac Lab's way (:class:`LabDrive`) works in every engine: ``write_data_to_sim`` computes the actuator models between
two reorderings of joints and writes their result. On OvPhysX the kernel reads and writes the engine's own joint order,
which saves the reorderings; on Newton it runs inside the engine's step, which then holds all substeps of a control step
and, on CUDA, is one captured graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import warp as wp

from surefoot_bridge.actuators.parameters import ControlTiming

from .actuator import JointActuator

if TYPE_CHECKING:
    from isaaclab.assets import Articulation


class Drive(Protocol):
    """Sends joint efforts to the engine."""

    def apply(self) -> None:
        """Compute and write the efforts of the next physics step."""


def make_drive(robot: Articulation, physics: Any, decimation: int) -> Drive:
    """Start the actuator of an articulation whose only group is a :class:`JointActuator`, and choose its drive.

    Call it after the simulation has started, after the table of parameters is bound, and before the first step. An
    actuator network runs outside Newton's step, which may be a captured graph: a network's allocations do not fit in.

    Args:
        robot: The articulation.
        physics: The running engine's ``PhysicsManager`` class.
        decimation: Physics steps per control step.
    """
    (actuator,) = robot.actuators.values()
    assert isinstance(actuator, JointActuator)
    actuator.start(ControlTiming(physics.get_physics_dt(), decimation))
    match robot.data.__backend_name__:
        case "ovphysx":
            return OvPhysxDrive(robot, actuator)
        case "newton" if actuator.network is None:
            return NewtonDrive(robot, actuator, physics, decimation)
        case _:
            return LabDrive(robot)


class LabDrive:
    """Isaac Lab's own way, for engines without a shorter one."""

    def __init__(self, robot: Articulation) -> None:
        self._robot = robot

    def apply(self) -> None:
        """Let Isaac Lab compute the actuator model and write the efforts."""
        self._robot.write_data_to_sim()


class OvPhysxDrive:
    """Two reads, one launch and one write per physics step, all in the engine's joint order.

    Reads go through the buffers in that order which Isaac Lab 3.0.0's articulation data keeps without a public name:
    their time stamps tell whether the engine has moved on, which it has not at the first step after observations.
    """

    def __init__(self, robot: Articulation, actuator: JointActuator) -> None:
        self._robot = robot
        self._view = robot.root_view
        self._data: Any = robot.data
        self._joint_pos = self._data._joint_pos_backend or self._data._joint_pos_buf
        self._joint_vel = self._data._joint_vel_backend or self._data._joint_vel_buf
        self._joint_effort = wp.zeros_like(self._joint_pos.data)
        engine_joint = actuator.engine_joint(robot.backend_joint_names)
        self._launch = actuator.record(self._joint_pos.data, self._joint_vel.data, engine_joint, out=self._joint_effort)

    def apply(self) -> None:
        """Compute and write the efforts; under external wrenches in Isaac Lab's way, which writes those too."""
        if self._robot.instantaneous_wrench_composer.active or self._robot.permanent_wrench_composer.active:
            self._robot.write_data_to_sim()
            return
        for attribute, buffer in (
            ("articulation_dof_position", self._joint_pos),
            ("articulation_dof_velocity", self._joint_vel),
        ):
            if buffer.timestamp < self._data._sim_timestamp:
                self._view.read_into(attribute, buffer.data)
                buffer.timestamp = self._data._sim_timestamp
        self._launch.launch()
        self._view.set_attribute("articulation_dof_actuation_force", self._joint_effort)


class NewtonDrive:
    """The kernel as a callback inside Newton's step, ahead of every substep's solver.

    Reaches for the views of joint state and effort that Isaac Lab 3.0.0's articulation data binds to Newton's arrays:
    there is no public name for them. The views stay valid because the MuJoCo Warp solver steps in place.
    """

    def __init__(self, robot: Articulation, actuator: JointActuator, physics: Any, decimation: int) -> None:
        self._robot = robot
        data: Any = robot.data
        engine_joint = actuator.engine_joint(robot.backend_joint_names)
        launch = actuator.record(
            data._sim_bind_joint_pos, data._sim_bind_joint_vel, engine_joint, out=data._sim_bind_joint_effort
        )
        # Isaac Lab's way of writing external wrenches computes actuator models as well.
        actuator.leave_launching_to_engine()
        physics.activate_newton_actuator_path()
        physics.register_post_actuator_callback(launch.launch)
        physics.set_decimation(decimation)

    def apply(self) -> None:
        """Nothing but external wrenches, which Isaac Lab writes: the engine's step launches the kernel."""
        if self._robot.instantaneous_wrench_composer.active or self._robot.permanent_wrench_composer.active:
            self._robot.write_data_to_sim()
