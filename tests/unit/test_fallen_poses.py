"""The pool of fallen poses: what is drawn from it, and what it writes into an engine."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
import warp as wp

from surefoot.envs.fallen_poses import FallenPoses
from surefoot.snapshot import StateMismatchError

NUM_ENVS, NUM_JOINTS, DROPS = 4, 3, 2


class Robot:
    """What a pool reads of an articulation, and what was written to it last."""

    num_instances, num_joints, device = NUM_ENVS, NUM_JOINTS, "cpu"

    def __init__(self) -> None:
        self.written: dict[str, torch.Tensor] = {}
        self.lie(0.0)

    def lie(self, first: float) -> None:
        """Let robot i lie at a height and with joints of first + i."""
        number = first + torch.arange(NUM_ENVS, dtype=torch.float32)
        pose = torch.zeros(NUM_ENVS, 7)
        pose[:, 0], pose[:, 2], pose[:, 3] = 50.0, number, 1.0
        joints = number[:, None].repeat(1, NUM_JOINTS)
        self.data = SimpleNamespace(
            __backend_name__="ovphysx",
            root_link_pose_w=SimpleNamespace(torch=pose),
            joint_pos=SimpleNamespace(torch=joints),
        )

    def __getattr__(self, name: str):
        if not name.startswith("write_"):
            raise AttributeError(name)

        def write(*, env_mask: wp.array, skip_forward: bool = False, **values: wp.array) -> None:
            assert skip_forward == (name != "write_joint_position_to_sim_mask")  # the last one
            (array,) = values.values()
            self.written[name] = wp.to_torch(array)[wp.to_torch(env_mask)]

        return write


@pytest.fixture
def robot() -> Any:
    wp.init()
    return Robot()


def filled(robot: Any, seed: int = 1) -> FallenPoses:
    poses = FallenPoses(DROPS, robot, seed=seed, rank=0)
    for drop in range(DROPS):
        robot.lie(10.0 * drop)
        poses.keep(drop)
    return poses


def draw(poses: FallenPoses, robot: Robot, envs: list[int], episode: int) -> dict[str, torch.Tensor]:
    origins = torch.tensor([[float(env), -1.0, 0.5] for env in range(NUM_ENVS)])
    mask = torch.zeros(NUM_ENVS, dtype=torch.bool)
    mask[envs] = True
    poses.write(wp.from_torch(mask), torch.full((NUM_ENVS,), episode, dtype=torch.int32), origins)
    return robot.written


def test_each_drop_keeps_the_pose_of_every_robot(robot: Any) -> None:
    assert filled(robot).joint_pos[:, 0].tolist() == [0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0]


def test_a_state_that_is_not_finite_does_not_get_into_the_pool(robot: Any) -> None:
    poses = FallenPoses(1, robot, seed=1, rank=0)
    robot.data.root_link_pose_w.torch[0, 2] = torch.nan
    robot.data.joint_pos.torch[2, 1] = torch.inf
    poses.keep(0)
    assert poses.joint_pos[:, 0].tolist() == poses.root_pose[:, 2].tolist() == [1.0, 1.0, 1.0, 3.0]
    assert poses.joint_pos.isfinite().all()


def test_a_robot_lies_at_its_origin_at_rest_in_a_pose_of_the_pool(robot: Any) -> None:
    written = draw(filled(robot), robot, [0, 2], episode=1)
    pose, joints = written["write_root_link_pose_to_sim_mask"], written["write_joint_position_to_sim_mask"]
    assert pose[:, :2].tolist() == [[0.0, -1.0], [2.0, -1.0]]
    torch.testing.assert_close(pose[:, 2], 0.5 + joints[:, 0])  # one pose gives both
    assert pose[:, 3:].tolist() == [[1.0, 0.0, 0.0, 0.0]] * 2
    assert set(joints[:, 0].tolist()) <= {0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0}
    for name in ("write_root_com_velocity_to_sim_mask", "write_joint_velocity_to_sim_mask"):
        assert not written[name].any()


def test_draws_are_of_environment_episode_and_seed_and_reach_the_whole_pool(robot: Any) -> None:
    def joints(poses: FallenPoses, episodes: range, envs: list[int]) -> list[float]:
        return [
            value
            for episode in episodes
            for value in draw(poses, robot, envs, episode)["write_joint_position_to_sim_mask"][:, 0].tolist()
        ]

    poses = filled(robot)
    first = joints(poses, range(50), [0, 1, 2, 3])
    assert set(first) == {0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0}
    assert joints(poses, range(50), [0, 1, 2, 3]) == first
    assert joints(poses, range(50), [3]) == first[3::4]
    assert joints(filled(robot, seed=2), range(50), [0, 1, 2, 3]) != first


def test_a_checkpoint_restores_the_pool_and_one_of_another_size_is_refused(robot: Any) -> None:
    poses, other = filled(robot), FallenPoses(DROPS, robot, seed=1, rank=0)
    other.load_state_dict(poses.state_dict())
    assert torch.equal(other.joint_pos, poses.joint_pos)
    assert torch.equal(other.root_pose, poses.root_pose)
    with pytest.raises(StateMismatchError, match=r"has 8 fallen poses, here are 4. Resume with .* env\.fall\.drops"):
        FallenPoses(1, robot, seed=1, rank=0).load_state_dict(poses.state_dict())
