"""Runs the policy of a bundle with TorchScript, ONNX Runtime or NumPy, whichever is installed.

An exported policy takes ``observation`` (batch, observation_dim) and, where it is recurrent, PyTorch's ``h`` and for an
LSTM ``c`` (num_layers, batch, hidden_dim), and returns the action (batch, action_dim) and the new state in the same
order.
"""

import io
import statistics
import time
import warnings
from abc import abstractmethod
from importlib.util import find_spec
from typing import Any, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from surefoot_bridge.contract import NetworkPart
from surefoot_bridge.errors import SurefootError, reason, unknown_name
from surefoot_bridge.words import RUNTIMES, RuntimeName

from .numpy_policy import NumpyPolicy
from .policy import Memory, Policy
from .weights import load_weights

_ELSE = "Export the policy again, or take another --runtime."
_FAST: Tuple[RuntimeName, ...] = ("numpy", "onnx")  # TorchScript takes twice the time of either, and seconds to import
_ROUNDS, _FIRST_ROUNDS = 15, 3
_SWEPT_WORDS = 1 << 20  # 8 MB, more than the caches that a core has for itself


def pick_runtimes(names: Mapping[str, object], prefer: Optional[str] = None) -> Tuple[RuntimeName, ...]:
    """Return the runtimes that may run a bundle's policy here: those whose file is there and whose module is installed.

    Args:
        names: Files of the bundle by name.
        prefer: The one that it must be; None for NumPy and ONNX Runtime, as far as they can run.

    Raises:
        SurefootError: If the one that is preferred is unknown, or cannot run here.
    """
    if prefer is None:
        return tuple(name for name in _FAST if name == "numpy" or _obstacle(name, names) is None)
    for name in RUNTIMES:
        if name == prefer:
            obstacle = _obstacle(name, names)
            if obstacle is not None:
                raise SurefootError(f"--runtime {name}: {obstacle}")
            return (name,)
    raise unknown_name("runtime", prefer, RUNTIMES)


def fastest(policies: Sequence[Policy]) -> Policy:
    """Return the policy that answers a single robot soonest on this computer, the first of those that are alike.

    They are asked in turns, each time after the caches were swept: a control loop that sleeps between its ticks finds
    its memory cold, and which policy is the fastest of those that are asked over and over says little of it.
    """
    if len(policies) == 1:
        return policies[0]
    swept, durations_s = np.zeros(_SWEPT_WORDS), [[] for _ in policies]
    observation = np.zeros(policies[0].observation_dim, np.float32)
    memories = [policy.initial(()) for policy in policies]
    for _ in range(_FIRST_ROUNDS + _ROUNDS):
        for policy, memory, durations in zip(policies, memories, durations_s):
            swept += 1.0
            began_s = time.perf_counter()
            policy(observation, memory)
            durations.append(time.perf_counter() - began_s)
    medians = [statistics.median(durations[_FIRST_ROUNDS:]) for durations in durations_s]
    return policies[medians.index(min(medians))]


def load_policy(runtime: RuntimeName, files: Mapping[str, bytes], network: NetworkPart, *, where: str) -> Policy:
    """Open the policy of a bundle.

    TorchScript is code: its file must have been checked before it comes here.

    Args:
        runtime: By what to run it.
        files: Content of the bundle's files by name.
        network: What the contract says of it.
        where: The bundle, for messages.

    Raises:
        SurefootError: If the file cannot be opened, or is of another network.
    """
    name = RUNTIMES[runtime][0]
    where = f"{where}/{name}"
    if runtime == "numpy":
        return NumpyPolicy(load_weights(files[name], where))
    if runtime == "onnx":
        return OnnxPolicy(files[name], network, where=where)
    return TorchScriptPolicy(files[name], network, where=where)


class _ExportedPolicy(Policy):
    """A policy whose file takes a flat batch, and states with their layers first."""

    def __init__(self, network: NetworkPart, where: str) -> None:
        super().__init__(network)
        self._where = where

    def __call__(self, observation: np.ndarray, memory: Memory) -> Tuple[np.ndarray, Memory]:
        """Return action and memory; see :meth:`Policy.__call__`."""
        batch_shape = self.batch_shape(observation, memory)
        # Copies, because a module may write to what it is given.
        inputs = [np.array(observation.reshape(-1, self.observation_dim))]  # (batch, observation_dim)
        for array in memory.arrays:  # (..., num_layers, hidden_dim) to (num_layers, batch, hidden_dim)
            flat = array.reshape(-1, *array.shape[-2:])
            inputs.append(np.array(np.moveaxis(flat, 1, 0), order="C"))
        outputs = self._run(inputs)
        expected = [(len(inputs[0]), self.action_dim), *(array.shape for array in inputs[1:])]
        found = [array.shape for array in outputs]
        if found != expected or any(array.dtype != np.float32 for array in outputs):
            kinds = ", ".join(f"{array.dtype} {array.shape}" for array in outputs)
            raise SurefootError(f"{self._where} returned {kinds}; it must return float32 of {expected}.")
        arrays = (np.moveaxis(array, 0, 1).reshape(*batch_shape, *array.shape[::2]) for array in outputs[1:])
        return outputs[0].reshape(*batch_shape, self.action_dim), Memory(tuple(arrays))

    @abstractmethod
    def _run(self, inputs: List[np.ndarray]) -> List[np.ndarray]:
        """Return action and new states for observation and states."""


class TorchScriptPolicy(_ExportedPolicy):
    """A policy from ``policy.pt``, run by PyTorch in one thread."""

    runtime = "torchscript"

    def __init__(self, data: bytes, network: NetworkPart, *, where: str) -> None:
        super().__init__(network, where)
        self._torch = _module("torchscript")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # PyTorch announces TorchScript's end with every call
                self._module = self._torch.jit.load(io.BytesIO(data), map_location="cpu").eval()
        except Exception as error:
            raise SurefootError(f"{where} cannot be opened as TorchScript. {_ELSE}") from error

    def _run(self, inputs: List[np.ndarray]) -> List[np.ndarray]:
        torch = self._torch
        threads = torch.get_num_threads()
        if threads != 1:  # a setting of the whole process, which others may want back
            torch.set_num_threads(1)
        try:
            with torch.inference_mode():
                outputs = self._module(*(torch.from_numpy(array) for array in inputs))
                return [item.numpy() for item in (outputs if isinstance(outputs, tuple) else (outputs,))]
        except Exception as error:  # of every kind that a compiled function can raise
            shapes = [array.shape for array in inputs]
            raise SurefootError(
                f"{self._where} cannot be run with inputs of {shapes} ({reason(error)}). {_ELSE}"
            ) from error
        finally:
            if threads != 1:
                torch.set_num_threads(threads)


class OnnxPolicy(_ExportedPolicy):
    """A policy from ``policy.onnx``, run by ONNX Runtime in one thread on the processor."""

    runtime = "onnx"

    def __init__(self, data: bytes, network: NetworkPart, *, where: str) -> None:
        super().__init__(network, where)
        runtime = _module("onnx")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            self._session = runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise SurefootError(f"{where} cannot be opened as ONNX. {_ELSE}") from error
        states = ["h", "c"] if self.recurrent and self.recurrent.kind == "lstm" else ["h"] if self.recurrent else []
        names = [item.name for item in self._session.get_inputs()]
        self._names = ["observation", *states]
        if sorted(names) != sorted(self._names):
            raise SurefootError(f"{where} has the inputs {', '.join(names)}; it must have {', '.join(self._names)}.")
        first = self._session.get_outputs()[0].name
        if first != "action":
            raise SurefootError(f"{where} has the first output {first}; it must be action.")

    def _run(self, inputs: List[np.ndarray]) -> List[np.ndarray]:
        try:
            return self._session.run(None, dict(zip(self._names, inputs)))
        except Exception as error:
            shapes = [array.shape for array in inputs]
            raise SurefootError(
                f"{self._where} cannot be run with inputs of {shapes} ({reason(error)}). {_ELSE}"
            ) from error


def _obstacle(runtime: RuntimeName, names: Mapping[str, object]) -> Optional[str]:
    """Say why a runtime cannot be used; None where it can."""
    file, module, extra = RUNTIMES[runtime]
    if file not in names:
        return f"the bundle has no {file}. Take another one, or export the policy with it."
    if find_spec(module) is None:
        return f"{module} is not installed. Run pip install 'surefoot-bridge[{extra}]', or take another one."
    return None


def _module(runtime: RuntimeName) -> Any:
    _, module, extra = RUNTIMES[runtime]
    try:
        return __import__(module)
    except ImportError as error:
        raise SurefootError(
            f"--runtime {runtime} needs {module}, which cannot be imported. Run pip install "
            f"'surefoot-bridge[{extra}]', or take another one."
        ) from error
