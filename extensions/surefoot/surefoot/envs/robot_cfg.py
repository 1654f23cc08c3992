"""Isaac Lab's configuration of a robot: the one that is trained with is the one that is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surefoot_robots import RobotSpec
from surefoot_robots.usd import usd_path

if TYPE_CHECKING:
    from isaaclab.actuators import ActuatorBaseCfg
    from isaaclab.assets import ArticulationCfg


def make_robot_cfg(spec: RobotSpec, actuator: ActuatorBaseCfg) -> ArticulationCfg:
    """Articulation of a robot in its default pose, with joints in the policy's order and one actuator group.

    Bodies have no damping of their own, which PhysX would add (0.05 1/s on rotation) and MuJoCo does not. Solver
    iterations are those of Isaac Lab's stock quadrupeds.

    Args:
        spec: The robot.
        actuator: Actuator model of all joints.
    """
    from isaaclab.assets import ArticulationCfg
    from isaaclab.sim import UsdFileCfg
    from isaaclab_newton.sim.schemas import NewtonArticulationCfg
    from isaaclab_physx.sim.schemas import PhysxArticulationCfg, PhysxRigidBodyCfg

    return ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=UsdFileCfg(
            usd_path=str(usd_path(spec)),
            activate_contact_sensors=True,
            rigid_props={"/.*": [PhysxRigidBodyCfg(linear_damping=0.0, angular_damping=0.0)]},
            articulation_props={
                "/.*": [
                    PhysxArticulationCfg(
                        enabled_self_collisions=False,
                        solver_position_iteration_count=4,
                        solver_velocity_iteration_count=0,
                    ),
                    NewtonArticulationCfg(self_collision_enabled=False),
                ]
            },
        ),
        init_state=ArticulationCfg.InitialStateCfg(
            pos=(0.0, 0.0, spec.base_height_m), joint_pos=dict(spec.default_joint_pos)
        ),
        joint_ordering=list(spec.joint_names),
        actuators={"joints": actuator},
    )
