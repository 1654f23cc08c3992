"""What trials' robots differ in, written into the environment's table of parameters and from there into the engine.

The table is that of :mod:`surefoot.randomization`, whose values ``surefoot randomization prove`` shows to act: bodies
and contacts are written into the engine, motors, joints and battery are read from it by the actuator model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from surefoot.evaluation.scenarios.scenario import VARIED
from surefoot.randomization.catalogue import NEVER_S
from surefoot.randomization.layout import EVENTS

from .payload import payload_position_b

if TYPE_CHECKING:
    from surefoot.envs.env import SurefootEnv
    from surefoot.evaluation.trials.batch import Variation


class VariationWriter:
    """Gives every robot of an environment its variation.

    Args:
        env: The environment; its table stays its own, but all values in it are written here.
        policy_order: Place in the order of the robot's interface of each joint of the table.
    """

    def __init__(self, env: SurefootEnv, policy_order: np.ndarray) -> None:
        self._randomization = env.randomization
        self._table, self._policy_order = env.randomization.table, policy_order
        layout = env.randomization.layout
        self._nominal = torch.tensor(layout.per_column()["nominal"], device=self._table.device)
        self._position = np.array(payload_position_b(env.robot_spec))

    def write(self, variation: Variation, rows: np.ndarray) -> None:
        """Write values in force; what a variation does not name is nominal.

        Motors take their heat, and the battery its voltage, when the actuators are reset.

        Args:
            variation: Of N trials.
            rows: Trial of each environment, (num_envs,).
        """
        self._table.values.copy_(self._nominal.expand_as(self._table.values))
        for event in EVENTS:
            self._table.view(f"{event}_interval").fill_(NEVER_S)
        for name, values in self._values(variation).items():
            view = self._table.view(name)  # (num_envs, num_elements)
            given = torch.as_tensor(values[rows], dtype=view.dtype, device=view.device)
            view.copy_(given if given.ndim == 2 else given[:, None].expand_as(view))
        self._randomization.apply()

    def _values(self, variation: Variation) -> dict[str, np.ndarray]:
        """Return values by parameter, (N,) for all of its elements or (N, num_elements)."""
        layout = self._randomization.layout
        values = {"payload_position": np.broadcast_to(self._position, (len(variation.payload_kg), 3))}
        for name, item in VARIED.items():
            for parameter in item.sets:
                drawn = getattr(variation, name)
                if item.each != "trial":
                    drawn = drawn[:, self._policy_order]
                values[parameter] = drawn[:, None] * layout.parameter(parameter).nominal if item.factor else drawn
        return values
