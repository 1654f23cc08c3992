"""Actuator networks: a learnt map from joint motion to torque in the place of the PD law.

Hwangbo et al., "Learning agile and dynamic motor skills for legged robots", Science Robotics 4 (2019), section
"Modeling the actuation": the torque of a joint from its position errors and velocities now and a few hundredths of a
second ago. A recurrent network needs no such history (Rudin et al., "Learning to walk in minutes using massively
parallel deep reinforcement learning", CoRL 2021).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import warp as wp
from isaaclab.utils.array import index_fill_

from surefoot_bridge.errors import SurefootError


class ActuatorNetwork:
    """One TorchScript network that computes the torque of every joint of every environment.

    The file holds a module whose ``forward`` has one of two forms; a module with a submodule ``lstm`` has the second.
    ``rows`` are environments times joints, all joints share the network, and scales belong into the module.

    * ``forward(input) -> torque [N.m]``: input (rows, 2 * ages), position errors [rad] of all ages in the order of
      ``history_steps``, then velocities [rad/s]; torque (rows, 1) or (rows,).
    * ``forward(input, (hidden, cell)) -> torque, (hidden, cell)``: input (rows, 1, 2) of position error and velocity,
      states (layers, rows, hidden size).

    Buffers are allocated once; what TorchScript allocates inside comes from Torch's cache.
    """

    def __init__(
        self, file: str | Path, *, num_envs: int, num_joints: int, history_steps: tuple[int, ...], device: str
    ) -> None:
        """Load the network.

        Args:
            file: TorchScript file.
            num_envs: Number of environments.
            num_joints: Joints per environment.
            history_steps: Ages of the inputs [physics substeps]; without effect on a recurrent network.
            device: Torch and Warp device.

        Raises:
            SurefootError: The file is missing, or is not such a network.
        """
        if not Path(file).is_file():
            raise SurefootError(
                f"Actuator network {str(file)!r} does not exist. Set network_file to a TorchScript file."
            )
        self._file = str(file)
        self._module: Any = torch.jit.load(self._file, map_location=device).eval()
        self._is_recurrent = hasattr(self._module, "lstm")
        self.history_steps = (0,) if self._is_recurrent else tuple(history_steps)
        if not self.history_steps or min(self.history_steps) < 0:
            raise SurefootError(f"Actuator network: history_steps are {history_steps}; give ages >= 0, newest first.")
        rows, ages = num_envs * num_joints, len(self.history_steps)
        self.history = torch.zeros(num_envs, max(self.history_steps) + 1, num_joints, 2, device=device)
        """(position error [rad], velocity [rad/s]) by age in substeps, (num_envs, num_slots, num_joints, 2)."""
        self.input = torch.zeros(rows, 2 * ages, device=device)
        """Input of the network, (num_envs * num_joints, 2 * ages)."""
        self._hidden, self._cell = self._recurrent_state(rows, device)
        self._per_env = [
            state.view(state.shape[0], num_envs, num_joints, state.shape[2]) for state in (self._hidden, self._cell)
        ]
        self.arrays = (
            wp.array(self.history_steps, dtype=wp.int32, device=device),
            wp.from_torch(self.history, dtype=wp.vec2f),
            wp.from_torch(self.input),
        )
        """Ages, history and input as the kernel takes them."""
        self._check_output(torch.zeros(num_envs, num_joints, device=device))

    def evaluate(self, out: torch.Tensor) -> None:
        """Compute torques [N.m] from :attr:`input` into ``out``, (num_envs, num_joints), and keep recurrent state."""
        with torch.no_grad():
            if self._is_recurrent:
                torque, (hidden, cell) = self._module(self.input.unsqueeze(1), (self._hidden, self._cell))
                self._hidden.copy_(hidden)
                self._cell.copy_(cell)
            else:
                torque = self._module(self.input)
            out.copy_(torque.view_as(out))

    def reset(self, env_ids: torch.Tensor | slice) -> None:
        """Forget the past of the given environments."""
        index_fill_(self.history, env_ids, 0.0)  # assigning a number by index would wait for the device
        for state in self._per_env:
            index_fill_(state, env_ids, 0.0, dim=1)

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Everything that the next torque depends on beside the joints' state."""
        return {"history": self.history.clone(), "hidden": self._hidden.clone(), "cell": self._cell.clone()}

    def load_state_dict(self, state: dict[str, torch.Tensor]) -> None:
        """Restore what :meth:`state_dict` returned."""
        own = {"history": self.history, "hidden": self._hidden, "cell": self._cell}
        for name, value in own.items():
            if name not in state or state[name].shape != value.shape:
                raise SurefootError(
                    f"The saved state of the actuator network has no {name!r} of shape {tuple(value.shape)}. "
                    "Resume with the network and the number of environments of the saved run."
                )
            value.copy_(state[name])

    def _recurrent_state(self, rows: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
        if not self._is_recurrent:
            return torch.zeros(0, rows, 0, device=device), torch.zeros(0, rows, 0, device=device)
        weights = self._module.lstm.state_dict()
        layers = sum(name.startswith("weight_hh_l") for name in weights)
        size = weights["weight_hh_l0"].shape[1]
        return torch.zeros(layers, rows, size, device=device), torch.zeros(layers, rows, size, device=device)

    def _check_output(self, out: torch.Tensor) -> None:
        """Run the network once at rest, so that a file that does not fit is refused before the first step."""
        try:
            self.evaluate(out)
        except (RuntimeError, TypeError, ValueError) as error:
            raise SurefootError(
                f"Actuator network {self._file!r} does not take inputs of shape {tuple(self.input.shape)} or gives no "
                f"torque per joint: {error}"
            ) from error
        if not torch.isfinite(out).all():
            raise SurefootError(f"Actuator network {self._file!r} gives torques that are not finite at rest.")
        self.reset(slice(None))
