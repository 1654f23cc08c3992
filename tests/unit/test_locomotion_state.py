"""The shared state of legged environments on trajectories worked by hand."""

from types import SimpleNamespace

import pytest
import torch

from surefoot.envs.locomotion_state import LocomotionState
from surefoot_robots import get_robot

DT = 0.02
SPEC = get_robot("unitree_go2")
FEET = len(SPEC.foot_bodies)


class Proxy:
    """Stands in for Isaac Lab's array that is read as ``.torch``."""

    def __init__(self, value: torch.Tensor) -> None:
        self.torch = value


class FakeRobot:
    """A robot whose state the test sets; one environment, feet are its only bodies."""

    device, num_instances, num_joints = "cpu", 1, 12

    def __init__(self) -> None:
        pose = torch.zeros(1, FEET, 7)
        pose[..., 6] = 1.0  # identity quaternion x, y, z, w
        self.data = SimpleNamespace(joint_vel=Proxy(torch.zeros(1, 12)), body_link_pose_w=Proxy(pose))
        self.actuators = {"joints": SimpleNamespace(applied_effort=torch.zeros(1, 12))}
        self.body_names = list(SPEC.foot_bodies)


@pytest.fixture
def scene() -> SimpleNamespace:
    """Robot, contact sensor and state under test."""
    robot = FakeRobot()
    bodies = [*SPEC.fall_bodies, *SPEC.foot_bodies]
    force = torch.zeros(1, len(bodies), 3)
    contacts = SimpleNamespace(body_names=bodies, data=SimpleNamespace(net_normal_forces_w=Proxy(force)))
    state = LocomotionState(robot, contacts, SPEC, DT)
    return SimpleNamespace(robot=robot, force=force, state=state, first_foot=len(SPEC.fall_bodies))


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


def test_a_fall_force_is_the_largest_on_any_body_that_must_not_touch(scene: SimpleNamespace) -> None:
    scene.force[0, 0] = torch.tensor([3.0, 0.0, 4.0])
    scene.state.update()
    assert scene.state.fall_force_n.tolist() == [5.0]


def test_the_lowest_sole_point_of_a_tilted_foot_counts() -> None:
    spec = get_robot("unitree_g1")
    state = LocomotionState.__new__(LocomotionState)
    state._sole_offsets = torch.tensor([[[0.1, 0.0, -0.03], [-0.05, 0.0, -0.03]]])  # one foot, toe and heel
    pitch = 0.2  # toe down: a rotation about y takes x to x cos - ..., z of the toe falls by 0.1 sin(pitch)
    quat = torch.tensor([[[0.0, torch.sin(torch.tensor(pitch / 2)), 0.0, torch.cos(torch.tensor(pitch / 2))]]])
    drop = state._sole_drop(quat).item()
    assert drop == pytest.approx(-0.1 * 0.19866933 - 0.03 * 0.98006658, abs=1e-6)
    assert len(spec.foot_bodies) == 2


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
    scene.state.reset(torch.tensor([0]))
    scene.robot.data.joint_vel = Proxy(torch.zeros(1, 12))
    set_foot(scene, SPEC.sole_radius_m, 50.0)
    assert all(bool(torch.isfinite(value.float()).all()) for value in scene.state.state_dict().values())
