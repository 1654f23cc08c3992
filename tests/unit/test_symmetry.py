"""The left-right reflection: worked examples, refusals, and agreement with the physics of a mirrored robot."""

from types import SimpleNamespace

import mujoco
import numpy as np
import pytest
import torch
from tensordict import TensorDict

from surefoot.learning.symmetry import mirror_augmentation
from surefoot.symmetry import (
    ACTION,
    MirrorMap,
    ObservationSlice,
    build_action_mirror_map,
    build_mirror_map,
)
from surefoot_bridge.errors import SurefootError
from surefoot_robots import get_robot, list_robots

GO2 = get_robot("unitree_go2")
every_robot = pytest.mark.parametrize("spec", [get_robot(name) for name in list_robots()], ids=lambda spec: spec.name)


def _proprioception(spec, history=1):
    joints = len(spec.joint_names)
    return [
        ObservationSlice("base_ang_vel", "axial_vector", 3, history),
        ObservationSlice("projected_gravity", "polar_vector", 3, history),
        ObservationSlice("velocity_command", "velocity_command", 3, history),
        ObservationSlice("joint_pos", "joint", joints, history),
        ObservationSlice("joint_vel", "joint", joints, history),
        ObservationSlice("last_action", "joint", joints, history),
    ]


def _mirror(terms, vector, spec=GO2):
    return build_mirror_map(spec, terms).mirror(torch.tensor([vector], dtype=torch.float32))[0].tolist()


# Worked examples


@pytest.mark.parametrize(
    ("kind", "mirrored"),
    [
        ("scalar", [1.0, 2.0, 3.0]),
        ("polar_vector", [1.0, -2.0, 3.0]),
        ("axial_vector", [-1.0, 2.0, -3.0]),
        ("velocity_command", [1.0, -2.0, -3.0]),
    ],
)
def test_each_kind_of_vector_turns_its_own_components(kind, mirrored):
    assert _mirror([ObservationSlice("term", kind, 3)], [1.0, 2.0, 3.0]) == mirrored


def test_the_joints_of_go2_change_sides_and_its_hips_change_sign():
    # Hip, thigh, calf of FL, FR, RL, RR.
    joints = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
    expected = [-4.0, 5.0, 6.0, -1.0, 2.0, 3.0, -10.0, 11.0, 12.0, -7.0, 8.0, 9.0]
    assert _mirror([ObservationSlice("joint_pos", "joint", 12)], joints) == expected


def test_an_unsigned_joint_quantity_only_changes_sides():
    gains = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
    expected = [4.0, 5.0, 6.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 7.0, 8.0, 9.0]
    assert _mirror([ObservationSlice("stiffness", "joint_scalar", 12)], gains) == expected


def test_the_feet_of_go2_change_sides_and_their_vectors_turn_y():
    assert _mirror([ObservationSlice("height", "foot_scalar", 4)], [1.0, 2.0, 3.0, 4.0]) == [2.0, 1.0, 4.0, 3.0]
    velocities = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 7.0, 8.0, 9.0]
    expected = [4.0, -5.0, 6.0, 1.0, -2.0, 3.0, 7.0, -8.0, 9.0, 0.0, 0.0, 0.0]
    assert _mirror([ObservationSlice("velocity", "foot_polar_vector", 12)], velocities) == expected


def test_each_step_of_a_history_is_mirrored_in_its_place_and_terms_follow_each_other():
    terms = [ObservationSlice("ang_vel", "axial_vector", 3, history=2), ObservationSlice("height", "scalar", 1)]
    assert _mirror(terms, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]) == [-1.0, 2.0, -3.0, -4.0, 5.0, -6.0, 7.0]


@every_robot
@pytest.mark.parametrize("history", [1, 5])
def test_mirroring_twice_changes_nothing(spec, history):
    reflection = build_mirror_map(spec, _proprioception(spec, history))
    vectors = torch.randn(8, reflection.dim, generator=torch.Generator().manual_seed(0))
    assert torch.equal(reflection.mirror(reflection.mirror(vectors)), vectors)
    assert not torch.equal(reflection.mirror(vectors), vectors)


@every_robot
def test_the_default_pose_is_its_own_reflection(spec):
    pose = torch.tensor([spec.joint_values("default_joint_pos")])
    torch.testing.assert_close(build_action_mirror_map(spec).mirror(pose), pose)


# Refusals


def test_an_unknown_kind_names_the_nearest_valid_one():
    message = r"kind of observation term 'lin_vel': 'polar_vektor'; valid: polar_vector"
    with pytest.raises(SurefootError, match=message):
        build_mirror_map(GO2, [ObservationSlice("lin_vel", "polar_vektor", 3)])


@pytest.mark.parametrize(
    ("kind", "dim", "expected"),
    [
        ("polar_vector", 4, "3"),
        ("axial_vector", 2, "3"),
        ("velocity_command", 2, "3"),
        ("joint", 11, "12"),
        ("joint_scalar", 13, "12"),
        ("foot_scalar", 2, "4"),
        ("foot_polar_vector", 4, "12"),
        ("scalar", 0, "at least 1"),
    ],
)
def test_a_dimension_that_does_not_fit_the_kind_is_refused(kind, dim, expected):
    with pytest.raises(SurefootError, match=f"'term' of kind '{kind}' has dimension {dim}.*must be {expected}"):
        build_mirror_map(GO2, [ObservationSlice("term", kind, dim)])


def test_a_history_without_steps_is_refused():
    with pytest.raises(SurefootError, match="'gravity' has history 0"):
        build_mirror_map(GO2, [ObservationSlice("gravity", "polar_vector", 3, history=0)])


@pytest.mark.parametrize(
    ("indices", "signs"),
    [
        ([1, 2, 0], [1.0, 1.0, 1.0]),  # a rotation of three entries
        ([0, 0], [1.0, 1.0]),  # one entry twice
        ([1, 0], [1.0, -1.0]),  # a sign that differs on the way back
        ([0], [0.5]),  # no sign
    ],
)
def test_a_map_that_is_no_reflection_is_refused(indices, signs):
    with pytest.raises(SurefootError, match="mirroring twice must change nothing"):
        MirrorMap(torch.tensor(indices), torch.tensor(signs))


# The protocol of rsl_rl


@pytest.fixture
def env():
    maps = {
        "policy": build_mirror_map(GO2, [ObservationSlice("gravity", "polar_vector", 3)]),
        "critic": build_mirror_map(GO2, [ObservationSlice("height", "foot_scalar", 4)]),
        ACTION: build_action_mirror_map(GO2),
    }
    return SimpleNamespace(unwrapped=SimpleNamespace(mirror_maps=maps))


def test_augmentation_appends_the_reflection_of_each_group_and_of_the_actions(env):
    policy, critic, actions = torch.randn(5, 3), torch.randn(5, 4), torch.randn(5, 12)
    obs, mirrored_actions = mirror_augmentation(env, TensorDict({"policy": policy, "critic": critic}, [5]), actions)
    assert obs.batch_size == torch.Size([10])
    assert torch.equal(obs["policy"], torch.cat((policy, policy * torch.tensor([1.0, -1.0, 1.0]))))
    assert torch.equal(obs["critic"], torch.cat((critic, critic[:, [1, 0, 3, 2]])))
    assert torch.equal(mirrored_actions[:5], actions)
    assert torch.equal(mirrored_actions[5:], env.unwrapped.mirror_maps[ACTION].mirror(actions))


def test_what_is_not_given_is_not_made_up(env):
    assert mirror_augmentation(env, None, None) == (None, None)
    assert mirror_augmentation(env, None, torch.zeros(2, 12))[0] is None
    assert mirror_augmentation(env, TensorDict({"policy": torch.zeros(2, 3)}, [2]), None)[1] is None


def test_reduced_precision_is_kept(env):
    actions = torch.randn(5, 12).bfloat16()
    assert mirror_augmentation(env, None, actions)[1].dtype == torch.bfloat16


def test_a_group_without_a_map_and_a_map_of_another_size_are_refused(env):
    with pytest.raises(SurefootError, match=r"group 'polici'; valid: policy"):
        mirror_augmentation(env, TensorDict({"polici": torch.zeros(2, 3)}, [2]))
    with pytest.raises(SurefootError, match=r"'policy' has shape \(2, 4\).* vectors of 3"):
        mirror_augmentation(env, TensorDict({"policy": torch.zeros(2, 4)}, [2]))


@pytest.mark.parametrize("use_data_augmentation", [True, False])
def test_rsl_rl_finds_no_symmetry_loss_in_a_policy_that_is_symmetric(env, use_data_augmentation):
    from rsl_rl.extensions import Symmetry

    class HipsFollowTilt:
        """Left hips follow the sideways gravity, right hips as well: a reflection turns both."""

        def __call__(self, obs):
            return obs["policy"][:, 1:2] * torch.tensor([1.0, 0.0, 0.0]).repeat(4)

    symmetry = Symmetry(env, mirror_augmentation, use_data_augmentation=use_data_augmentation)
    batch = SimpleNamespace(observations=TensorDict({"policy": torch.randn(6, 3)}, [6]), actions=torch.randn(6, 12))
    for name in ("old_actions_log_prob", "values", "advantages", "returns"):
        setattr(batch, name, torch.arange(6.0).unsqueeze(1))
    symmetry.augment_batch(batch, 6)
    assert len(batch.actions) == (12 if use_data_augmentation else 6)
    assert len(batch.values) == len(batch.actions)
    assert symmetry.compute_loss(HipsFollowTilt(), batch, 6).item() == 0.0


# Agreement with physics


def _observe(model, data, spec):
    """Return what the mirror map claims to mirror: base, joints, feet."""
    base = model.body(spec.base_body).id
    rotation = data.xmat[base].reshape(3, 3)  # base to world
    position = data.qpos[[model.joint(name).qposadr[0] for name in spec.joint_names]]
    velocity = data.qvel[[model.joint(name).dofadr[0] for name in spec.joint_names]]
    feet = [model.body(name).id for name in spec.foot_bodies]
    foot_pos_b = (data.xpos[feet] - data.xpos[base]) @ rotation
    return np.concatenate(
        (
            data.qvel[3:6],
            rotation.T @ data.qvel[:3],
            -rotation[2],
            position,
            velocity,
            foot_pos_b.ravel(),
            data.xpos[feet, 2],
        )
    )


def _observation_map(spec):
    joints, feet = len(spec.joint_names), len(spec.foot_bodies)
    terms = [
        ObservationSlice("ang_vel_b", "axial_vector", 3),
        ObservationSlice("lin_vel_b", "polar_vector", 3),
        ObservationSlice("projected_gravity", "polar_vector", 3),
        ObservationSlice("joint_pos", "joint", joints),
        ObservationSlice("joint_vel", "joint", joints),
        ObservationSlice("foot_pos_b", "foot_polar_vector", 3 * feet),
        ObservationSlice("foot_height", "foot_scalar", feet),
    ]
    return build_mirror_map(spec, terms)


def _tumble(spec, pose, torques, *, mirrored):
    """Let the robot fly from a tilted, turning start under joint torques; return its observations, (steps, dim).

    The mirrored run starts from the reflected state and is driven by the reflected torques.
    """
    model = mujoco.MjModel.from_xml_path(str(spec.mjcf_path))
    data = mujoco.MjData(model)
    side = 1.0
    if mirrored:
        side = -1.0
        reflection = build_action_mirror_map(spec)
        indices, signs = reflection.indices.numpy(), reflection.signs.numpy()
        pose, torques = signs * pose[indices], signs * torques[:, indices]
    quaternion_wxyz = np.array([0.97, 0.12 * side, -0.1, 0.15 * side])  # the axis of a rotation is an axial vector
    data.qpos[3:7] = quaternion_wxyz / np.linalg.norm(quaternion_wxyz)
    data.qpos[[model.joint(name).qposadr[0] for name in spec.joint_names]] = pose
    data.qvel[:6] = [0.4, 0.3 * side, 0.1, 0.5 * side, -0.3, 0.7 * side]
    dof = [model.joint(name).dofadr[0] for name in spec.joint_names]
    observations = []
    for torque in torques:
        data.qfrc_applied[dof] = torque
        mujoco.mj_step(model, data)
        observations.append(_observe(model, data, spec))
    return torch.from_numpy(np.array(observations))


@every_robot
def test_a_mirrored_robot_moves_as_the_mirror_map_says(spec):
    rng = np.random.default_rng(0)
    joints = len(spec.joint_names)
    poses = np.array(spec.joint_values("default_joint_pos")) + rng.uniform(-0.3, 0.3, (5, joints))
    torques = rng.uniform(-3.0, 3.0, (5, 60, joints))
    runs = list(zip(poses, torques, strict=True))
    original = torch.cat([_tumble(spec, *run, mirrored=False) for run in runs])
    reflected = torch.cat([_tumble(spec, *run, mirrored=True) for run in runs])
    # The real robots' inertias are not quite even: up to 0.2 % (Go2 trunk) and 3 % (G1 waist) between the sides.
    tolerance = 0.01
    reflection = _observation_map(spec)
    torch.testing.assert_close(reflection.mirror(original), reflected, rtol=0.0, atol=tolerance)
    # Entries that a reflection leaves alone would pass with any map; the others must be far from passing without it.
    turned = (reflection.signs < 0) | (reflection.indices != torch.arange(reflection.dim))
    assert (original - reflected).abs().amax(dim=0)[turned].min() > 3 * tolerance
