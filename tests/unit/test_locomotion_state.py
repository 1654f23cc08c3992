"""The shared state of legged environments on trajectories worked by hand."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import warp as wp

from surefoot.envs.locomotion_state import LocomotionState
from surefoot.terrains.height_grid import HeightGrid
from surefoot_robots import RobotSpec, get_robot

DT = 0.02
SPEC = get_robot("unitree_go2")


class Proxy:
    """Stands in for Isaac Lab's array that is read as ``.torch`` or ``.warp``."""

    def __init__(self, value: torch.Tensor, dtype: type = wp.float32) -> None:
        self.torch = value
        self.warp = wp.from_torch(value, dtype=dtype)


class FakeRobot:
    """A robot whose state the test sets; feet are its only bodies."""

    device = "cpu"

    def __init__(self, spec: RobotSpec, num_envs: int) -> None:
        self.num_instances, self.num_joints = num_envs, spec.num_joints
        pose = torch.zeros(num_envs, len(spec.foot_bodies), 7)
        pose[..., 6] = 1.0  # identity quaternion x, y, z, w
        self.data = SimpleNamespace(
            joint_vel=Proxy(torch.zeros(num_envs, self.num_joints)),
            body_link_pose_w=Proxy(pose, wp.transformf),
            root_link_pose_w=Proxy(pose[:, 0].clone(), wp.transformf),
            root_com_vel_w=Proxy(torch.zeros(num_envs, 6), wp.spatial_vectorf),
            body_com_pos_b=Proxy(torch.zeros(num_envs, len(spec.foot_bodies), 3), wp.vec3f),
            GRAVITY_VEC_W=Proxy(torch.tensor([[0.0, 0.0, -9.81]]).repeat(num_envs, 1), wp.vec3f),
        )
        self.actuators = {"joints": SimpleNamespace(applied_effort=torch.zeros(num_envs, self.num_joints))}
        self.body_names = list(spec.foot_bodies)


def make_scene(spec: RobotSpec, num_envs: int = 1, grid: HeightGrid | None = None) -> SimpleNamespace:
    """Robot, contact sensor and state under test."""
    wp.init()
    robot = FakeRobot(spec, num_envs)
    bodies = [*spec.fall_bodies, *spec.foot_bodies]
    force = torch.zeros(num_envs, len(bodies), 3)
    contacts = SimpleNamespace(body_names=bodies, data=SimpleNamespace(net_normal_forces_w=Proxy(force, wp.vec3f)))
    state = LocomotionState(robot, contacts, spec, DT, grid)
    return SimpleNamespace(robot=robot, force=force, state=state, first_foot=len(spec.fall_bodies))


@pytest.fixture
def scene() -> SimpleNamespace:
    """A quadruped."""
    return make_scene(SPEC)


def set_foot(scene: SimpleNamespace, height_m: float, force_n: float, x_m: float = 0.0) -> None:
    """Place the front left foot and load it, then take a control step."""
    pose = scene.robot.data.body_link_pose_w.torch
    pose[0, 0, 0], pose[0, 0, 2] = x_m, height_m
    scene.force[0, scene.first_foot, 2] = force_n
    scene.state.update()


def test_a_swing_has_its_length_and_peak_at_touchdown(scene: SimpleNamespace) -> None:
    radius = SPEC.sole_radius_m
    set_foot(scene, radius, 50.0)  # stance
    set_foot(scene, radius + 0.03, 0.0)  # three steps in the air
    set_foot(scene, radius + 0.05, 0.0)
    set_foot(scene, radius + 0.02, 0.0)
    assert scene.state.air_time_s[0, 0].item() == pytest.approx(3 * DT)
    assert not scene.state.touchdown.any()
    set_foot(scene, radius, 50.0)
    assert scene.state.touchdown[0, 0]
    assert scene.state.last_air_time_s[0, 0].item() == pytest.approx(3 * DT)
    assert scene.state.swing_peak_m[0, 0].item() == pytest.approx(0.05, abs=1e-6)
    set_foot(scene, radius, 50.0)
    assert not scene.state.touchdown.any()
    assert scene.state.swing_peak_m[0, 0].item() == 0.0
    assert scene.state.contact_time_s[0, 0].item() == pytest.approx(2 * DT)


def test_velocities_and_accelerations_are_differences_over_the_control_step(scene: SimpleNamespace) -> None:
    set_foot(scene, 0.1, 0.0, x_m=0.0)
    scene.robot.data.joint_vel = Proxy(torch.full((1, 12), 0.4))
    set_foot(scene, 0.1, 0.0, x_m=0.01)
    assert scene.state.foot_vel_w[0, 0].tolist() == pytest.approx([0.01 / DT, 0.0, 0.0])
    assert scene.state.joint_acc[0, 0].item() == pytest.approx(0.4 / DT)


def test_the_first_step_after_a_reset_has_no_differences_and_no_timers(scene: SimpleNamespace) -> None:
    for _ in range(3):
        set_foot(scene, 0.1, 0.0)
    scene.state.reset(torch.tensor([0]))
    scene.robot.data.joint_vel = Proxy(torch.ones(1, 12))
    set_foot(scene, 0.4, 0.0, x_m=1.0)
    assert scene.state.foot_vel_w.abs().max().item() == 0.0
    assert scene.state.joint_acc.abs().max().item() == 0.0
    assert scene.state.air_time_s[0, 0].item() == pytest.approx(DT)


def test_an_episode_begins_with_the_engines_new_state_and_nothing_of_the_episode_before() -> None:
    scene = make_scene(SPEC, num_envs=2)
    data, state = scene.robot.data, scene.state
    pose, joint_vel = data.body_link_pose_w.torch, data.joint_vel.torch
    pose[..., 2], joint_vel[:] = float("nan"), float("nan")
    scene.force[:, :, 2] = 50.0  # feet and bodies that must not touch
    state.update()
    state.update()
    before = state.state_dict()
    pose[..., 2], joint_vel[:] = 0.3, 0.4  # what the reset wrote into the engine
    scene.force[:] = 0.0
    state.reset(torch.tensor([1]))

    assert state.sole_height_m[1].tolist() == pytest.approx([0.3 - SPEC.sole_radius_m] * 4)
    assert state.foot_pos_w[1, :, 2].tolist() == pytest.approx([0.3] * 4)
    assert state.joint_vel[1].tolist() == pytest.approx([0.4] * 12)
    zero = set(before) - {"sole_height_m", "foot_pos_w", "joint_vel", "_was_reset"}
    assert {name: getattr(state, name)[1].float().abs().max().item() for name in zero} == dict.fromkeys(zero, 0.0)
    same = {name: torch.equal(getattr(state, name)[0].nan_to_num(), before[name][0].nan_to_num()) for name in before}
    assert all(same.values()), "the other environment goes on"


def test_a_fall_force_is_the_largest_on_any_body_that_must_not_touch(scene: SimpleNamespace) -> None:
    scene.force[0, 0] = torch.tensor([3.0, 0.0, 4.0])
    scene.state.update()
    assert scene.state.fall_force_n.tolist() == [5.0]


def test_the_lowest_sole_point_of_a_tilted_foot_counts() -> None:
    spec = get_robot("unitree_g1")
    scene = make_scene(spec)
    pitch = 0.2  # a rotation about y lowers the toes, 85 mm ahead of the foot's origin, by 0.085 sin(pitch)
    pose = scene.robot.data.body_link_pose_w.torch
    pose[0, :, 2] = 0.05
    pose[0, 0, 3:] = torch.tensor([0.0, math.sin(pitch / 2), 0.0, math.cos(pitch / 2)])
    scene.state.update()
    expected = [0.05 - 0.085 * math.sin(pitch) - spec.sole_radius_m, 0.05 - spec.sole_radius_m]
    assert scene.state.sole_height_m[0].tolist() == pytest.approx(expected, abs=1e-6)


def test_the_base_moves_as_its_origin_does_not_as_its_centre_of_mass(scene: SimpleNamespace) -> None:
    data, half = scene.robot.data, math.sqrt(0.5)
    data.root_link_pose_w.torch[0, 3:] = torch.tensor([0.0, 0.0, half, half])  # a quarter turn to the left
    data.root_com_vel_w.torch[0] = torch.tensor([1.0, 0.0, 0.0, 0.0, 0.0, 2.0])
    data.body_com_pos_b.torch[0, 0] = torch.tensor([0.1, 0.0, 0.0])
    scene.state.update()
    # World x is the base's right: (0, -1, 0); the centre turns about the origin with (0, 0, 2) x (0.1, 0, 0).
    assert scene.state.base_lin_vel_b[0].tolist() == pytest.approx([0.0, -1.2, 0.0], abs=1e-6)
    assert scene.state.base_ang_vel_b[0].tolist() == pytest.approx([0.0, 0.0, 2.0], abs=1e-6)


def test_gravity_in_the_frame_of_a_base_on_its_left_side_points_left(scene: SimpleNamespace) -> None:
    half = math.sqrt(0.5)  # rolled by -90 degrees
    scene.robot.data.root_link_pose_w.torch[0, 3:] = torch.tensor([-half, 0.0, 0.0, half])
    scene.state.update()
    assert scene.state.projected_gravity_b[0].tolist() == pytest.approx([0.0, 1.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("say", ["reset", "base_has_moved", "load_state_dict"])
def test_the_base_is_read_again_after_its_state_was_written(scene: SimpleNamespace, say: str) -> None:
    scene.state.update()
    assert scene.state.base_lin_vel_b[0, 0].item() == 0.0
    scene.robot.data.root_com_vel_w.torch[0, 0] = 1.0
    arguments = {"reset": [torch.tensor([0])], "base_has_moved": [], "load_state_dict": [scene.state.state_dict()]}
    getattr(scene.state, say)(*arguments[say])
    assert scene.state.base_lin_vel_b[0, 0].item() == 1.0


def test_restoring_the_memory_leads_to_the_same_next_step(scene: SimpleNamespace) -> None:
    set_foot(scene, 0.05, 0.0)
    set_foot(scene, 0.08, 0.0, x_m=0.02)
    saved = scene.state.state_dict()
    set_foot(scene, 0.022, 40.0, x_m=0.03)
    after = {name: value.clone() for name, value in scene.state.state_dict().items()}
    scene.state.load_state_dict(saved)
    set_foot(scene, 0.022, 40.0, x_m=0.03)
    assert all(torch.equal(after[name], value) for name, value in scene.state.state_dict().items())


def test_a_memory_with_another_content_is_refused(scene: SimpleNamespace) -> None:
    saved = scene.state.state_dict()
    del saved["air_time_s"]
    with pytest.raises(KeyError, match="locomotion state holds"):
        scene.state.load_state_dict(saved)


def test_a_state_that_was_nan_before_a_reset_leaves_no_trace(scene: SimpleNamespace) -> None:
    scene.robot.data.joint_vel = Proxy(torch.full((1, 12), float("nan")))
    set_foot(scene, float("nan"), 0.0)
    scene.robot.data.body_link_pose_w.torch[0, 0, 2] = SPEC.sole_radius_m
    scene.robot.data.joint_vel = Proxy(torch.zeros(1, 12))
    scene.state.reset(torch.tensor([0]))
    set_foot(scene, SPEC.sole_radius_m, 50.0)
    assert all(bool(torch.isfinite(value.float()).all()) for value in scene.state.state_dict().values())


def test_heights_are_above_the_ground_beneath_each_sole_and_the_base_above_that_of_its_feet() -> None:
    # A step of 10 cm at x = 0, one cell wide: the front left foot is on it, the others are not.
    heights = np.repeat(np.array([0.0, 0.0, 0.1, 0.1])[:, None], 4, axis=1)
    scene = make_scene(SPEC, grid=HeightGrid(heights_m=heights, spacing_m=0.05, origin_xy_m=(-0.1, -0.1)))
    scene.robot.data.root_link_pose_w.torch[0, 2] = 0.4
    pose = scene.robot.data.body_link_pose_w.torch
    pose[0, :, 0], pose[0, 0, 0] = -0.2, 0.2
    set_foot(scene, 0.1 + SPEC.sole_radius_m, 50.0, x_m=0.2)
    assert scene.state.sole_height_m[0].tolist() == pytest.approx([0.0] + [-SPEC.sole_radius_m] * 3, abs=1e-6)
    assert scene.state.foot_ground_m[0].tolist() == pytest.approx([0.1, 0.0, 0.0, 0.0], abs=1e-6)
    assert scene.state.base_height_m.tolist() == pytest.approx([0.4 - 0.025], abs=1e-6)
    assert set(scene.state.state_dict()) - set(make_scene(SPEC).state.state_dict()) == {"foot_ground_m"}
