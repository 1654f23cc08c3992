"""PhysX and Newton through Isaac Lab as engines of trials: the environment of the policy's own task as the plant.

A tick is a physics step of training. The robots of all trials stand on the tile of their scenario's terrain, at the
same place: environments do not collide with each other. One engine serves scenario after scenario.

How far results can be repeated: with the same number of robots on the same kind of processor, the same sequence of
:meth:`~IsaacTrialEngine.begin` and steps gives the same numbers, bit by bit, and a robot's do not depend on what the
others are told. PhysX moves and rounds the frames of a base's joints whenever the base is given another payload: trials
that come after others with payload differ from those that come first by some 1e-6 after a control step, and go on from
there as a robot does that was nudged by that much.
"""

# Modules of the simulator are imported where they are needed: choosing an engine must be quick.

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.engines import Physics
from surefoot.evaluation.trials.batch import TrialBatch
from surefoot.evaluation.trials.engine import TrialEngine, Truth
from surefoot.evaluation.trials.rotations import from_angles
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import JointCommand, RobotState, flat

if TYPE_CHECKING:
    from surefoot.terrains.isaac_ground import IsaacGround


class IsaacTrialEngine(TrialEngine):
    """Trials in PhysX or Newton. A process holds one at most, and cannot start another once it is closed.

    Args:
        physics: ``ovphysx`` or ``newton_mjwarp``; check it by :func:`surefoot.engines.check_physics`.
        contract: What the policy was trained with: its task is the plant.
        num_trials: Number of robots; a batch with fewer trials leaves the others unread.
        ground: Terrains of all scenarios to come; None for flat ground alone.
        device: The device, checked.
        turning_friction: Whether feet are to have torsional or rolling friction in some trials; Newton alone has both.

    Raises:
        SurefootError: If the task is not there or does not fit the contract.

    Attributes:
        env: The environment.
    """

    def __init__(
        self,
        physics: Physics,
        contract: Contract,
        *,
        num_trials: int,
        ground: IsaacGround | None,
        device: str,
        turning_friction: bool = False,
    ) -> None:
        from .isaac_readings import IsaacReadings
        from .isaac_scene import opened
        from .isaac_variation import VariationWriter

        self.name = physics
        self.num_trials = num_trials
        self._ground, self._policy_order = ground, np.array(contract.policy_order)
        self._stand_rad = np.array(contract.handling.stand_rad)  # in the policy's order
        self._stack = ExitStack()
        self.env = self._stack.enter_context(
            opened(
                physics,
                contract,
                num_trials=num_trials,
                ground=ground,
                device=device,
                turning_friction=turning_friction,
            )
        )
        self.tick_s = self.env.step_dt
        self._readings = IsaacReadings(self.env, contract)
        self._variation = VariationWriter(self.env, self._policy_order)
        self._rows = np.zeros(num_trials, dtype=np.intp)
        self._pushed = False

    def begin(self, batch: TrialBatch) -> None:
        """See :meth:`TrialEngine.begin`."""
        if not 1 <= batch.num_trials <= self.num_trials:
            raise SurefootError(
                f"A batch has {batch.num_trials} trials; this engine was opened for 1 to {self.num_trials}. Open it "
                "for the largest batch."
            )
        self._rows = np.minimum(np.arange(self.num_trials), batch.num_trials - 1)
        env, origin_w = self.env, self._origin_w(batch)
        self._push(None)
        env.reset()  # what sensors, managers and solvers keep of the past
        self._variation.write(batch.variation, self._rows)  # masses before poses, which PhysX rounds otherwise
        self._place(batch, origin_w)
        env.actuator.reset(None)
        env.locomotion.reset(slice(None))
        env.sim.forward()
        env.locomotion.update()
        self._readings.begin(batch.num_trials, origin_w)

    def report(self) -> RobotState:
        """See :meth:`TrialEngine.report`."""
        return self._readings.report()

    def truth(self) -> Truth:
        """See :meth:`TrialEngine.truth`."""
        return self._readings.truth()

    def step(self, command: JointCommand, push_force_w: np.ndarray | None) -> None:
        """See :meth:`TrialEngine.step`."""
        parts = flat(command).reshape(len(command.joint_pos_rad), -1, len(self._policy_order))  # (N, 5, num_joints)
        action = parts[..., self._policy_order].reshape(len(parts), -1)[self._rows]
        self._push(push_force_w)
        self.env.simulate(self._tensor(action))
        self._readings.step()

    def close(self) -> None:
        """See :meth:`TrialEngine.close`."""
        self._stack.close()

    def _origin_w(self, batch: TrialBatch) -> np.ndarray:
        if self._ground is not None:
            return self._ground.tile(batch.scenario.terrain).origin_w
        if batch.scenario.terrain.kind != "flat":
            raise SurefootError(
                f"Scenario {batch.scenario.name!r} is on {batch.scenario.terrain.kind} ground; this engine was opened "
                "for flat ground alone. Open it with the ground of all its scenarios."
            )
        return np.zeros(3)

    def _place(self, batch: TrialBatch, origin_w: np.ndarray) -> None:
        """Put the robots at rest onto the tile's origin in their standing pose, the lowest sole on the ground."""
        from .standing import standing_height_m

        robot, variation, spec = self.env.robot, batch.variation, self.env.robot_spec
        joint_pos = self._stand_rad + variation.joint_offset_rad[:, self._policy_order]
        joint_pos = np.clip(joint_pos, spec.joint_values("lower_limit_rad"), spec.joint_values("upper_limit_rad"))
        quat_wxyz = from_angles(variation.tilt_rad[:, 0], variation.tilt_rad[:, 1], variation.yaw_rad)
        pos_w = np.tile(origin_w, (batch.num_trials, 1))
        pos_w[:, 2] += standing_height_m(spec, joint_pos, quat_wxyz)
        pose = np.concatenate([pos_w, quat_wxyz[:, [1, 2, 3, 0]]], axis=1)[self._rows]
        still = self._tensor(np.zeros((self.num_trials, 6)))
        joints = self._tensor(joint_pos[self._rows])
        robot.write_root_link_pose_to_sim_index(root_pose=self._tensor(pose))
        robot.write_root_com_velocity_to_sim_index(root_velocity=still)
        robot.write_joint_position_to_sim_index(position=joints)
        robot.write_joint_velocity_to_sim_index(velocity=joints.new_zeros(joints.shape))

    def _push(self, force_w: np.ndarray | None) -> None:
        """Push the bases at their centres of mass in the coming physics step; an engine may keep a force until told."""
        import warp as wp

        if force_w is None and not self._pushed:
            return
        self._pushed = force_w is not None
        forces = np.zeros((self.num_trials, 3)) if force_w is None else force_w[self._rows]
        data = self.env.robot.data
        base = list(self.env.robot.body_names).index(self.env.robot_spec.base_body)
        points = data.body_com_pos_w.torch[:, base].contiguous()
        self.env.randomization.applier.push(
            wp.from_torch(self._tensor(forces), dtype=wp.vec3f), wp.from_torch(points, dtype=wp.vec3f)
        )

    def _tensor(self, values: np.ndarray) -> Any:
        import torch

        return torch.as_tensor(np.ascontiguousarray(values, dtype=np.float32), device=self.env.device)
