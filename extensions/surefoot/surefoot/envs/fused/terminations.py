"""All terminations of a task in one launch: terms, what ended an episode last, and the mask of states that are NaN.

A term of torch stands beside those of Warp: it is called first, and the kernel adds what it gave.
"""

# A kernel is compiled by Warp, whose types do what their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false
# pyright: reportInvalidTypeForm=false, reportReturnType=false, reportGeneralTypeIssues=false
# pyright: reportAttributeAccessIssue=false

from functools import cache
from typing import Any

import torch
import warp as wp
from isaaclab.managers import TerminationManager

from surefoot.envs.kernels import CONTACT_FORCE_N

from .dispatch import TermTable, make_dispatch
from .faults import FaultArrays, sum_is_finite
from .inputs import BoundInputs, RobotInputs
from .term import Launch, RobotTerm, Terms, functions_of_terms, with_others

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without


@wp.func
def time_out(episode_steps: wp.int64, max_episode_steps: int) -> bool:
    """The episode has its full length."""
    return episode_steps >= wp.int64(max_episode_steps)


@wp.func
def fall_contact(fall_force_n: float) -> bool:
    """A body that must not touch the ground does."""
    return fall_force_n > CONTACT_FORCE_N


@wp.func
def tilt(projected_gravity_b: wp.vec3f, limit_rad: float) -> bool:
    """The base's z axis is further from the vertical than the limit."""
    return projected_gravity_b[2] > -wp.cos(limit_rad)


@wp.func
def left_field(root_pose_w: wp.transformf, field_bounds_w: wp.array(dtype=float)) -> bool:
    """The base is no longer above the tiles of the field."""
    place = wp.transform_get_translation(root_pose_w)
    outside_x = place[0] < field_bounds_w[0] or place[0] > field_bounds_w[1]
    return outside_x or place[1] < field_bounds_w[2] or place[1] > field_bounds_w[3]


@wp.func
def not_finite(
    root_pose_w: wp.transformf,
    root_vel_w: wp.spatial_vectorf,
    joint_pos: wp.array(dtype=float),
    joint_vel: wp.array(dtype=float),
) -> bool:
    """The state of the robot is NaN or infinite. The kernel adds what the guard wants to be reset."""
    total = wp.float32(0.0)
    for index in range(7):
        total += root_pose_w[index]
    for index in range(6):
        total += root_vel_w[index]
    return not (wp.isfinite(total) and sum_is_finite(joint_pos) and sum_is_finite(joint_vel))


@wp.func
def note_state(inputs: RobotInputs, faults: FaultArrays, env: int) -> None:
    """Count a state that is not finite, and keep it as evidence."""
    wp.atomic_add(faults.counts, 0, 1)
    faults.seen[env] = True
    faults.in_state[env] = True
    joints = inputs.joint_pos.shape[1]
    for index in range(7):
        faults.state[env, index] = inputs.root_pose_w[env][index]
    for index in range(6):
        faults.state[env, 7 + index] = inputs.root_vel_w[env][index]
    for joint in range(joints):
        faults.state[env, 13 + joint] = inputs.joint_pos[env, joint]
        faults.state[env, 13 + joints + joint] = inputs.joint_vel[env, joint]


LIBRARY: tuple[Any, ...] = (not_finite, time_out, fall_contact, tilt, left_field)

_NOT_FINITE = wp.constant(0)
"""Kind of :func:`not_finite`."""


@cache
def make_termination_kernel(functions: tuple[wp.Function, ...]) -> wp.Kernel:
    """Make the kernel that computes terms by these functions, of which it compiles all."""
    ends_episode = make_dispatch("ends_episode", functions, returns="False", write=lambda call: [f"return {call}"])

    @wp.kernel(module="unique", enable_backward=False)
    def compute_terminations(
        inputs: RobotInputs,
        table: TermTable,
        is_time_out: wp.array(dtype=bool),
        faults: FaultArrays,
        # in and out
        term_dones: wp.array2d(dtype=bool),
        last_episode_dones: wp.array2d(dtype=bool),
        # outputs
        truncated: wp.array(dtype=bool),
        terminated: wp.array(dtype=bool),
        dones: wp.array(dtype=bool),
        succeeded: wp.array(dtype=bool),
    ) -> None:
        """One thread per environment: which terms end its episode, and of which sort they are.

        A column of ``term_dones`` that belongs to a term of torch holds what it gave.
        """
        env = wp.tid()
        is_truncated = wp.bool(False)
        is_terminated = wp.bool(False)
        for term in range(table.kind.shape[0]):
            kind = table.kind[term]
            done = term_dones[env, term]
            if kind >= 0:
                done = ends_episode(kind, inputs, table, env, term)
                if kind == _NOT_FINITE:
                    if done:
                        note_state(inputs, faults, env)
                    done = done or faults.wants_reset[env]
                    faults.wants_reset[env] = False
                term_dones[env, term] = done
            if done and is_time_out[term]:
                is_truncated = True
            elif done:
                is_terminated = True
        truncated[env] = is_truncated
        terminated[env] = is_terminated
        dones[env] = is_truncated or is_terminated
        succeeded[env] = is_truncated and not is_terminated
        if is_truncated or is_terminated:
            for term in range(table.kind.shape[0]):
                last_episode_dones[env, term] = term_dones[env, term]

    return compute_terminations


compute_terminations = make_termination_kernel(LIBRARY)
"""The kernel of the terms of this module."""


class FusedTerminationManager(TerminationManager):
    """Isaac Lab's termination manager, with one launch for all terms that are Warp functions of one robot."""

    def __init__(self, cfg: object, env: Any) -> None:
        super().__init__(cfg, env)
        of_terms = functions_of_terms(self._term_cfgs)
        self._of_torch = [index for index, function in enumerate(of_terms) if function is None]
        self._dones = torch.zeros_like(self._truncated_buf)
        self.succeeded = torch.zeros_like(self._truncated_buf)
        """Which episodes ended because their time was over and for no other reason, (num_envs,), bool."""
        functions = with_others(LIBRARY, of_terms)
        device = str(self.device)
        buffers = [self._term_dones, self._last_episode_dones, self._truncated_buf, self._terminated_buf, self._dones]
        buffers.append(self.succeeded)
        is_time_out = wp.array([term.time_out for term in self._term_cfgs], dtype=bool, device=device)
        self._launch = Launch(
            make_termination_kernel(functions),
            self.num_envs,
            BoundInputs.of(env, [function for function in of_terms if function is not None]),
            Terms(self._term_names, self._term_cfgs, of_terms, functions, env.robot_spec, device),
            [is_time_out, env.faults.struct, *map(wp.from_torch, buffers)],
            device,
        )

    def upload(self) -> bool:
        """Upload weights and parameters of terms that have changed; returns whether any has."""
        return self._launch.upload()

    @property
    def dones(self) -> torch.Tensor:
        """Which episodes end, (num_envs,), bool; the same tensor in every step."""
        return self._dones

    def compute(self) -> torch.Tensor:
        """Compute which episodes end; returns it, (num_envs,), bool, until the next call.

        Raises:
            SurefootError: If a term reads what the task does not declare.
        """
        for index in self._of_torch:
            cfg = self._term_cfgs[index]
            self._term_dones[:, index] = cfg.func(self._env, **cfg.params)
        self._launch.run()
        return self._dones


class TerminationTerm(RobotTerm):
    """A termination that is a Warp function of one robot, of a manager that computes all of them in one kernel."""

    def __call__(self, env: Any, **params: Any) -> torch.Tensor:  # noqa: ARG002
        """Refuse to be called: no manager but :class:`FusedTerminationManager` has the kernel."""
        raise TypeError(f"{type(self).__name__} is computed by the kernel of FusedTerminationManager and not called.")
