"""What an action does to the policy's last outputs and to the targets, and what is left of it in a new episode."""

import numpy as np
import pytest
import torch
import warp as wp

from surefoot.actuators.state_kernels import ActionArrays, forget_actions, take_actions

NUM_ENVS, NUM_JOINTS, CLIP = 3, 2, 4.0


@pytest.fixture
def tensors() -> dict[str, torch.Tensor]:
    wp.init()
    torch.manual_seed(0)
    names = ("default_joint_pos", "action", "previous_action", "second_previous_action", "target")
    return {"scale": torch.tensor([0.25, 0.5]), **{name: torch.randn(NUM_ENVS, NUM_JOINTS) for name in names}}


def launch(kernel, inputs, tensors: dict[str, torch.Tensor]) -> None:
    arrays = ActionArrays()
    for name, tensor in tensors.items():
        setattr(arrays, name, wp.from_torch(tensor))
    wp.launch(kernel, dim=(NUM_ENVS, NUM_JOINTS), inputs=[*inputs, arrays], device="cpu")


def test_an_action_is_clipped_shifts_the_history_and_sets_the_targets(tensors):
    given = torch.tensor([[1.0, -9.0], [9.0, 0.5], [-1.0, 4.0]])
    before = {name: tensor.clone() for name, tensor in tensors.items()}
    launch(take_actions, [wp.from_torch(given), CLIP], tensors)
    assert tensors["action"].tolist() == [[1.0, -4.0], [4.0, 0.5], [-1.0, 4.0]]
    assert torch.equal(tensors["previous_action"], before["action"])
    assert torch.equal(tensors["second_previous_action"], before["previous_action"])
    expected = before["default_joint_pos"] + tensors["action"] * before["scale"]
    torch.testing.assert_close(tensors["target"], expected, rtol=0, atol=1e-6)


def test_an_action_that_is_no_number_stays_one_that_is_none(tensors):
    launch(take_actions, [wp.from_torch(torch.full((NUM_ENVS, NUM_JOINTS), torch.nan)), CLIP], tensors)
    assert tensors["action"].isnan().all()
    assert tensors["target"].isnan().all()


def test_a_new_episode_has_no_actions_and_aims_at_the_default_pose(tensors):
    before = {name: tensor.clone() for name, tensor in tensors.items()}
    launch(forget_actions, [wp.array(np.array([False, True, False]), dtype=wp.bool, device="cpu")], tensors)
    for name in ("action", "previous_action", "second_previous_action"):
        assert tensors[name][1].tolist() == [0.0, 0.0]
        assert torch.equal(tensors[name][[0, 2]], before[name][[0, 2]])
    assert torch.equal(tensors["target"][1], before["default_joint_pos"][1])
    assert torch.equal(tensors["target"][[0, 2]], before["target"][[0, 2]])
