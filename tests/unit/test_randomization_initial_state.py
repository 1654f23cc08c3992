"""Episodes begin where the table says, in the environments that reset and in no other."""

import numpy as np
import pytest
import warp as wp
from scipy.spatial.transform import Rotation

from surefoot.randomization.adaptive.bounds import adaptive_parameters
from surefoot.randomization.initial_state import INITIAL_STATE, InitialStateColumns, place_robots
from surefoot.randomization.parameter import absolute
from surefoot.randomization.presets import PRESETS
from surefoot.randomization.randomization import make_layout
from surefoot.randomization.randomization_cfg import RandomizationCfg
from surefoot_robots import get_robot

NUM_ENVS, NUM_JOINTS = 5, 2
FIRST = {name: 3 * index for index, name in enumerate(INITIAL_STATE)}
ENV_IDS = np.array([4, 0, 2], dtype=np.int32)
MASK = np.isin(np.arange(NUM_ENVS), ENV_IDS)
RANGES = {name: absolute(-0.1, 0.1) for name in INITIAL_STATE}


def columns():
    packed = InitialStateColumns()
    for name, first in FIRST.items():
        setattr(packed, name, first)
    return packed


def random_table(seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (NUM_ENVS, 3 * len(INITIAL_STATE))).astype(np.float32)


def of(table, name, width=3):
    return table[ENV_IDS, FIRST[name] : FIRST[name] + width]


def place(table, origins, default_pose, default_joint_pos, limits):
    """Return pose, velocity, joint positions and joint velocities of :data:`ENV_IDS`."""
    outputs = [wp.zeros(NUM_ENVS, dtype=dtype, device="cpu") for dtype in (wp.transformf, wp.spatial_vectorf)]
    outputs += [wp.zeros((NUM_ENVS, NUM_JOINTS), dtype=wp.float32, device="cpu") for _ in range(2)]
    inputs = [wp.array(MASK, dtype=wp.bool), wp.array(table, dtype=wp.float32), columns()]
    inputs += [wp.array(origins, dtype=wp.vec3f), wp.array(default_pose, dtype=wp.transformf)]
    inputs += [wp.array(default_joint_pos, dtype=wp.float32), wp.array(limits, dtype=wp.vec2f)]
    wp.launch(place_robots, dim=(NUM_ENVS, NUM_JOINTS), inputs=inputs, outputs=outputs, device="cpu")
    assert not any(output.numpy()[~MASK].any() for output in outputs)
    return [output.numpy()[ENV_IDS] for output in outputs]


NO_JOINTS = np.zeros((NUM_ENVS, NUM_JOINTS)), np.zeros((NUM_ENVS, NUM_JOINTS, 2))


def test_a_base_begins_where_scipy_puts_it():
    wp.init()
    table, rng = random_table(), np.random.default_rng(1)
    origins = rng.normal(size=(NUM_ENVS, 3)).astype(np.float32)
    tilted = Rotation.from_euler("xyz", rng.normal(size=(NUM_ENVS, 3)))
    default = np.concatenate([rng.normal(size=(NUM_ENVS, 3)), tilted.as_quat()], axis=1).astype(np.float32)
    found, velocity, _, _ = place(table, origins, default, *NO_JOINTS)

    expected = origins[ENV_IDS] + default[ENV_IDS, :3] + of(table, "initial_position")
    np.testing.assert_allclose(found[:, :3], expected, atol=1e-6)
    turned = Rotation.from_euler("xyz", of(table, "initial_orientation")) * tilted[ENV_IDS]
    assert (Rotation.from_quat(found[:, 3:]) * turned.inv()).magnitude().max() < 1e-6
    expected = np.concatenate([of(table, "initial_lin_vel"), of(table, "initial_ang_vel")], axis=1)
    np.testing.assert_array_equal(velocity, expected)


def test_joints_begin_beside_their_default_position_and_within_their_limits():
    wp.init()
    table = random_table()
    default = np.full((NUM_ENVS, NUM_JOINTS), 0.5, dtype=np.float32)
    limits = np.tile(np.array([0.0, 0.8], dtype=np.float32), (NUM_ENVS, NUM_JOINTS, 1))
    _, _, position, velocity = place(table, np.zeros((NUM_ENVS, 3)), np.zeros((NUM_ENVS, 7)), default, limits)

    expected = np.clip(0.5 + of(table, "initial_joint_offset", NUM_JOINTS), 0.0, 0.8)
    np.testing.assert_allclose(position, expected, atol=1e-7)
    assert (expected == 0.0).any()
    assert (expected == np.float32(0.8)).any()
    np.testing.assert_array_equal(velocity, of(table, "initial_joint_vel", NUM_JOINTS))


@pytest.mark.parametrize("preset", PRESETS)
def test_the_initial_state_is_the_tasks_whatever_the_preset(preset):
    spec = get_robot("unitree_go2")
    layout = make_layout(RandomizationCfg(preset=preset), spec, "ovphysx", initial_state=RANGES)

    assert all(layout.is_random(name) for name in INITIAL_STATE)
    assert not any(item.acts_on == "initial_state" for item, _ in adaptive_parameters(layout).values())


def test_a_range_that_is_asked_for_by_name_takes_the_place_of_the_tasks():
    cfg = RandomizationCfg(ranges={"initial_position": None, "initial_lin_vel": absolute(0.0, 1.0)})
    layout = make_layout(cfg, get_robot("unitree_go2"), "ovphysx", initial_state=RANGES)

    assert not layout.is_random("initial_position")
    assert layout.range_of("initial_lin_vel").high == (1.0, 1.0, 1.0)
