"""TorchScript, ONNX Runtime and NumPy run the same network to the same actions, and which one is chosen openly."""

import time
from importlib.util import find_spec

import numpy as np
import pytest
from bundles import NEEDS, random_network

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.policy import NumpyPolicy, fastest, load_policy, pick_runtimes, runtimes, save_weights
from surefoot_bridge.policy.forms import policy_files
from surefoot_bridge.policy.weights import describe

CELLS = (None, "gru", "lstm")
ALL = {"policy.pt": b"", "policy.onnx": b"", "policy.npz": b""}


def exported(runtime, network):
    """Content of the runtime's file; skips the test where the runtime is missing."""
    pytest.importorskip(NEEDS[runtime], reason=f"{NEEDS[runtime]} is not installed")
    return policy_files(network)[runtimes.RUNTIMES[runtime][0]]


def policies(runtime, network):
    """The network as exported, and by NumPy."""
    files = {runtimes.RUNTIMES[runtime][0]: exported(runtime, network), "policy.npz": save_weights(network)}
    part = describe(network)
    return load_policy(runtime, files, part, where="b"), load_policy("numpy", files, part, where="b")


@pytest.mark.parametrize("runtime", ["torchscript", "onnx"])
@pytest.mark.parametrize("cell", CELLS)
def test_the_runtimes_agree_for_one_robot_and_for_many_over_a_reset(runtime, cell):
    exported_policy, numpy_policy = policies(runtime, random_network(20, 4, cell=cell))
    assert (exported_policy.runtime, numpy_policy.runtime) == (runtime, "numpy")
    generator = np.random.default_rng(2)
    for batch_shape in ((), (5,), (2, 3)):
        memories = [policy.initial(batch_shape) for policy in (exported_policy, numpy_policy)]
        for step in range(50):
            if step == 25:
                mask = np.asarray(generator.random(batch_shape) < 0.5) if batch_shape else np.array(True)
                memories = [exported_policy.reset(memories[0], mask), numpy_policy.reset(memories[1], mask)]
            observation = generator.standard_normal((*batch_shape, 20)).astype(np.float32)
            action, memories[0] = exported_policy(observation, memories[0])
            expected, memories[1] = numpy_policy(observation, memories[1])
            assert action.shape == (*batch_shape, 4)
            assert action.dtype == np.float32
            np.testing.assert_allclose(action, expected, atol=1e-5)
            for found, array in zip(memories[0].arrays, memories[1].arrays):
                np.testing.assert_allclose(found, array, atol=1e-5)


@pytest.mark.parametrize("runtime", ["torchscript", "onnx"])
def test_a_file_that_is_none_is_refused_by_name(runtime):
    pytest.importorskip(NEEDS[runtime], reason=f"{NEEDS[runtime]} is not installed")
    file = runtimes.RUNTIMES[runtime][0]
    with pytest.raises(SurefootError, match=f"b/{file} cannot be opened as") as refusal:
        load_policy(runtime, {file: b"nothing"}, describe(random_network(7, 3)), where="b")
    assert str(refusal.value).endswith(". Export the policy again, or take another --runtime.")  # ours, no library's


@pytest.mark.parametrize("runtime", ["torchscript", "onnx"])
@pytest.mark.parametrize(
    ("in_file", "in_contract"),
    [
        (random_network(7, 3), random_network(7, 4)),
        (random_network(7, 3), random_network(8, 3)),
        (random_network(7, 3), random_network(7, 3, cell="gru")),
        (random_network(7, 3, cell="gru"), random_network(7, 3, cell="lstm")),
        (random_network(7, 3, cell="lstm"), random_network(7, 3, cell="gru")),
        (random_network(7, 3, cell="gru"), random_network(7, 3)),
    ],
)
def test_a_file_of_another_network_is_refused_at_the_latest_when_it_is_run(runtime, in_file, in_contract):
    name = runtimes.RUNTIMES[runtime][0]
    data, part = exported(runtime, in_file), describe(in_contract)

    def load_and_run():
        policy = load_policy(runtime, {name: data}, part, where="b")
        policy(np.zeros((1, part.observation_dim), np.float32), policy.initial((1,)))

    with pytest.raises(SurefootError, match=f"b/{name} (returned|has the|cannot be run)"):
        load_and_run()


def test_torchscript_leaves_the_number_of_threads_as_it_was():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    policy, _ = policies("torchscript", random_network(7, 3))
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        policy(np.zeros(7, np.float32), policy.initial(()))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("installed", "files", "expected"),
    [
        ({"torch", "onnxruntime", "numpy"}, ALL, ("numpy", "onnx")),
        ({"torch", "numpy"}, ALL, ("numpy",)),
        ({"torch", "onnxruntime", "numpy"}, {"policy.npz": b""}, ("numpy",)),
    ],
)
def test_numpy_and_onnx_are_compared_as_far_as_they_are_there(monkeypatch, installed, files, expected):
    monkeypatch.setattr(runtimes, "find_spec", lambda name: find_spec("json") if name in installed else None)
    assert pick_runtimes(files) == expected
    assert pick_runtimes(files, "numpy") == ("numpy",)


class Slow(NumpyPolicy):
    """Takes a millisecond longer for an answer, but for the first ones: long enough on any computer."""

    asked = 0

    def __call__(self, observation, memory):
        self.asked += 1
        time.sleep(0.001 if self.asked > 3 else 0.0)
        return super().__call__(observation, memory)


def test_the_policy_that_answers_soonest_is_taken_wherever_it_stands():
    network = random_network(7, 3)
    fast, slow = NumpyPolicy(network), Slow(network)
    assert fastest([slow, fast]) is fast
    assert fastest([fast, slow]) is fast
    assert fastest([slow]) is slow


def test_a_preferred_runtime_is_never_replaced_by_another(monkeypatch):
    monkeypatch.setattr(runtimes, "find_spec", lambda name: None if name == "onnxruntime" else find_spec("json"))
    with pytest.raises(SurefootError, match=r"pip install 'surefoot-bridge\[onnx\]'"):
        pick_runtimes(ALL, "onnx")
    with pytest.raises(SurefootError, match=r"torchscript: the bundle has no policy\.pt"):
        pick_runtimes({"policy.npz": b""}, "torchscript")
    with pytest.raises(SurefootError, match="Unknown runtime 'onx'; valid: onnx, torchscript, numpy"):
        pick_runtimes(ALL, "onx")
