"""What a scenario asks of its robots over time."""

from __future__ import annotations

import numpy as np

from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError

COMPONENTS = ("lin_vel_x_m_s", "lin_vel_y_m_s", "ang_vel_z_rad_s")
"""Components of a scenario's commands, by their names in a contract."""

_ROUNDING = 1e-6  # of quotients of times


def command_schedule(scenario: Scenario, control_period_s: float) -> np.ndarray:
    """Return what is asked of a robot in each control period, (num_steps, 3); 0 before the first command.

    A command that falls within a control period counts from the next one on.

    Args:
        scenario: The scenario.
        control_period_s: Control period [s].
    """
    ordered = sorted(scenario.commands, key=lambda item: item.at_s)
    table = np.array([(0.0, 0.0, 0.0), *[item.velocity for item in ordered]])
    from_step = [np.ceil(item.at_s / control_period_s - _ROUNDING) for item in ordered]
    steps = np.arange(max(1, round(scenario.length_s / control_period_s)))
    return table[np.searchsorted(from_step, steps, side="right")]


def component_order(contract: Contract) -> list[int]:
    """Return where each component of a contract's command is in a scenario's.

    Raises:
        SurefootError: If the policy is commanded by something else than velocities.
    """
    names = contract.command.names
    if sorted(names) != sorted(COMPONENTS):
        raise SurefootError(
            f"The policy is commanded by {', '.join(names)}; scenarios command {', '.join(COMPONENTS)}."
        )
    return [COMPONENTS.index(name) for name in names]
