"""The actuator kernel against hand calculations and against its NumPy reference."""

import numpy as np
import pytest
import warp as wp

from surefoot.actuators import kernels, reference
from surefoot.actuators.reference import JointParameters
from surefoot_robots import get_robot


def one_joint(**changes: float) -> JointParameters:
    """A joint with round numbers: 10 N.m at rest, no torque at 20 rad/s, limit 8 N.m, no friction."""
    values = {
        "stiffness": 20.0,
        "damping": 1.0,
        "effort_limit": 8.0,
        "saturation_effort": 10.0,
        "velocity_limit": 20.0,
        "friction": 0.0,
        "viscous": 0.0,
    }
    return JointParameters(**{name: np.array([value], np.float32) for name, value in {**values, **changes}.items()})


def launch(
    parameters: JointParameters,
    joint_pos: np.ndarray,
    joint_vel: np.ndarray,
    target: np.ndarray,
    source_joint: list[int] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Run the kernel on the CPU; returns computed, motor and joint efforts, each (num_envs, num_joints)."""
    num_envs, num_joints = joint_pos.shape
    outputs = [wp.zeros((num_envs, num_joints), dtype=wp.float32, device="cpu") for _ in range(3)]
    arrays = [wp.array(value, dtype=wp.float32, device="cpu") for value in (joint_pos, joint_vel, target)]
    values = (
        parameters.stiffness,
        parameters.damping,
        parameters.effort_limit,
        parameters.saturation_effort,
        parameters.velocity_limit,
        parameters.friction,
        parameters.viscous,
    )
    arrays += [wp.array(value, dtype=wp.float32, device="cpu") for value in values]
    arrays.append(wp.array(source_joint or list(range(num_joints)), dtype=wp.int32, device="cpu"))
    wp.launch(kernels.compute_joint_efforts, dim=(num_envs, num_joints), inputs=arrays, outputs=outputs, device="cpu")
    computed, motor, joint = (output.numpy() for output in outputs)
    return computed, motor, joint


@pytest.mark.parametrize(
    ("joint_pos", "joint_vel", "target", "computed", "motor"),
    [
        (0.0, 0.0, 0.1, 2.0, 2.0),  # 20 * 0.1, inside every limit
        (0.0, 2.0, 0.1, 0.0, 0.0),  # 20 * 0.1 - 1 * 2
        (0.0, 0.0, 1.0, 20.0, 8.0),  # at rest the effort limit clamps
        (0.0, 10.0, 1.0, 10.0, 5.0),  # at half the no-load speed half the stall torque is left
        (0.0, 20.0, 2.0, 20.0, 0.0),  # at the no-load speed nothing is left
        (0.0, 30.0, 3.0, 30.0, -5.0),  # beyond it the motor brakes
        (0.0, -10.0, -1.0, -10.0, -5.0),  # and all of it with the other sign
        (0.0, -10.0, 1.0, 30.0, 8.0),  # braking a reverse motion: more than stall is there, the limit holds
    ],
)
def test_one_joint_gives_the_torque_worked_by_hand(
    joint_pos: float, joint_vel: float, target: float, computed: float, motor: float
) -> None:
    state = [np.array([[value]], np.float32) for value in (joint_pos, joint_vel, target)]
    got_computed, got_motor, got_joint = launch(one_joint(), *state)
    assert got_computed.item() == pytest.approx(computed, abs=1e-5)
    assert got_motor.item() == pytest.approx(motor, abs=1e-5)
    assert got_joint.item() == pytest.approx(motor, abs=1e-5)


def test_friction_opposes_motion_and_is_absent_at_rest() -> None:
    parameters = one_joint(stiffness=1e-6, damping=0.0, friction=0.2, viscous=0.01)
    joint_vel = np.array([[0.0], [5.0], [-5.0]], np.float32)
    rest = np.zeros_like(joint_vel)
    _, motor, joint = launch(parameters, rest, joint_vel, rest)
    # At 5 rad/s the smoothed Coulomb friction is saturated: 0.2 + 0.01 * 5 = 0.25 N.m.
    np.testing.assert_allclose(motor - joint, [[0.0], [0.25], [-0.25]], atol=1e-6)


def test_the_kernel_equals_its_reference_on_random_states() -> None:
    spec = get_robot("unitree_go2")
    parameters = JointParameters.from_spec(spec)
    rng = np.random.default_rng(1)
    joint_pos, target = rng.normal(0.0, 1.0, (2, 257, spec.num_joints)).astype(np.float32)
    joint_vel = rng.normal(0.0, 20.0, (257, spec.num_joints)).astype(np.float32)
    expected = reference.compute_joint_efforts(parameters, joint_pos, joint_vel, target)
    computed, motor, joint = launch(parameters, joint_pos, joint_vel, target)
    np.testing.assert_allclose(computed, expected.computed, rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(motor, expected.motor, rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(joint, expected.joint, rtol=1e-6, atol=1e-4)
    assert np.any(np.abs(computed) > np.abs(motor)), "no state reached a limit: the comparison would prove little"


def test_joints_in_another_order_receive_the_torques_of_their_names() -> None:
    spec = get_robot("unitree_go2")
    parameters = JointParameters.from_spec(spec)
    rng = np.random.default_rng(2)
    engine_of_policy = rng.permutation(spec.num_joints)  # engine column of each policy joint
    joint_pos, joint_vel, target = rng.normal(0.0, 0.5, (3, 5, spec.num_joints)).astype(np.float32)
    _, _, straight = launch(parameters, joint_pos, joint_vel, target)
    shuffled_pos, shuffled_vel = np.empty_like(joint_pos), np.empty_like(joint_vel)
    shuffled_pos[:, engine_of_policy], shuffled_vel[:, engine_of_policy] = joint_pos, joint_vel
    _, _, shuffled = launch(parameters, shuffled_pos, shuffled_vel, target, engine_of_policy.tolist())
    np.testing.assert_array_equal(shuffled[:, engine_of_policy], straight)


def test_kernel_and_reference_smooth_friction_over_the_same_velocity() -> None:
    assert float(kernels.FRICTION_VELOCITY) == reference.FRICTION_VELOCITY
