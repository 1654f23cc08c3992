"""All observations of a group in one launch, on a task without a simulator."""

from types import SimpleNamespace

import pytest
import torch
from isaaclab.managers import ObservationGroupCfg, ObservationTermCfg
from isaaclab.utils import configclass

from surefoot.envs.fused.observations import FusedObservationManager
from surefoot.envs.mdp import observations
from surefoot_devtools.benchmarking.counting import count_launches
from surefoot_robots import get_robot

NUM_ENVS, GO2 = 5, get_robot("unitree_go2")
JOINTS, FEET = GO2.num_joints, len(GO2.foot_bodies)
COLUMNS = [7, 2, 3]


def stand_in() -> SimpleNamespace:
    """What observation terms see of an environment, drawn at random."""
    torch.manual_seed(0)
    shapes = dict.fromkeys(("base_lin_vel_b", "base_ang_vel_b", "projected_gravity_b"), (3,))
    shapes |= dict.fromkeys(("joint_pos", "joint_vel", "motor_torque_nm"), (JOINTS,))
    shapes |= dict.fromkeys(("sole_height_m", "air_time_s"), (FEET,))
    state = {name: torch.randn(NUM_ENVS, *shape) for name, shape in shapes.items()}
    state |= {"foot_contact": torch.rand(NUM_ENVS, FEET) < 0.5, "base_height_m": torch.randn(NUM_ENVS, 3)[:, 2]}
    slices = {"friction": slice(7, 8), "gains": slice(2, 4)}
    randomization = SimpleNamespace(
        layout=SimpleNamespace(column_slice=slices.get),
        privileged=[SimpleNamespace(name=name) for name in slices],
        table=SimpleNamespace(normalised=torch.randn(NUM_ENVS, 9)),
    )
    return SimpleNamespace(
        robot_spec=GO2,
        device="cpu",
        num_envs=NUM_ENVS,
        sim=SimpleNamespace(is_playing=lambda: True),
        scene=SimpleNamespace(),
        locomotion=SimpleNamespace(**state),
        joint_target=SimpleNamespace(raw_actions=torch.randn(NUM_ENVS, JOINTS)),
        command=torch.randn(NUM_ENVS, 3),
        randomization=randomization,
    )


def of_torch(env) -> torch.Tensor:
    """A term that a user wrote."""
    return env.locomotion.base_height_m[:, None] * 2.0


REFERENCE = {
    "base_ang_vel": lambda env: env.locomotion.base_ang_vel_b,
    "projected_gravity": lambda env: env.locomotion.projected_gravity_b,
    "joint_position": lambda env: env.locomotion.joint_pos - torch.tensor(GO2.joint_values("default_joint_pos")),
    "joint_velocity": lambda env: env.locomotion.joint_vel,
    "last_action": lambda env: env.joint_target.raw_actions,
    "velocity_command": lambda env: env.command,
    "base_lin_vel": lambda env: env.locomotion.base_lin_vel_b,
    "base_height": lambda env: env.locomotion.base_height_m[:, None],
    "foot_contact": lambda env: env.locomotion.foot_contact.float(),
    "foot_air_time": lambda env: env.locomotion.air_time_s,
    "sole_height": lambda env: env.locomotion.sole_height_m,
    "motor_torque": lambda env: env.locomotion.motor_torque_nm,
    "randomized": lambda env: env.randomization.table.normalised[:, COLUMNS],
    "of_torch": of_torch,
}
NAMES = [name for name in REFERENCE if name != "of_torch"]


def group(names, **changes) -> ObservationGroupCfg:
    """A group of the critic's terms, maybe with one that a user wrote."""

    @configclass
    class Group(ObservationGroupCfg):
        def __post_init__(self):
            self.enable_corruption = False

    cfg = Group()
    for name in names:
        func = of_torch if name == "of_torch" else getattr(observations, name)
        setattr(cfg, name, ObservationTermCfg(func=func, **changes.get(name, {})))
    return cfg


def expected(env, names) -> torch.Tensor:
    return torch.cat([REFERENCE[name](env) for name in names], dim=1)


def test_a_group_is_its_terms_side_by_side():
    env = stand_in()
    names = [*NAMES, "of_torch"]
    manager = FusedObservationManager({"critic": group(names)}, env)
    assert manager.group_obs_term_dim["critic"] == [tuple(REFERENCE[name](env).shape[1:]) for name in names]
    first = manager.compute()["critic"]
    torch.testing.assert_close(first, expected(env, names), rtol=1e-6, atol=1e-6)
    kept = first.clone()
    env.locomotion.joint_pos.add_(1.0)
    env.command = -env.command
    torch.testing.assert_close(manager.compute()["critic"], expected(env, names), rtol=1e-6, atol=1e-6)
    assert torch.equal(first, kept), "what was handed over is not written again"


def test_a_group_of_our_terms_is_one_launch():
    manager = FusedObservationManager({"critic": group(NAMES)}, stand_in())
    manager.compute()
    seen = count_launches(manager.compute)
    assert (seen.total, seen.waits.total(), seen.allocations) == (1, 0, {"aten.empty": 1})


@pytest.mark.parametrize("change", [{"scale": 3.0}, {"clip": (-0.1, 0.1)}, {"history_length": 2}])
def test_a_group_with_a_modified_term_is_isaac_labs(change):
    env = stand_in()
    manager = FusedObservationManager({"critic": group(["base_height", "last_action"], base_height=change)}, env)
    seen = manager.compute(update_history=True)["critic"]
    height = REFERENCE["base_height"](env)
    if "scale" in change:
        height = 3.0 * height
    elif "clip" in change:
        height = height.clip(-0.1, 0.1)
    else:
        height = height.repeat(1, 2)
    torch.testing.assert_close(seen, torch.cat([height, env.joint_target.raw_actions], dim=1))


def test_without_randomization_the_critic_sees_none():
    env = stand_in()
    env.randomization.privileged = []
    manager = FusedObservationManager({"critic": group(["randomized", "base_height"])}, env)
    assert manager.group_obs_term_dim["critic"] == [(0,), (1,)]
    torch.testing.assert_close(manager.compute()["critic"], REFERENCE["base_height"](env))
