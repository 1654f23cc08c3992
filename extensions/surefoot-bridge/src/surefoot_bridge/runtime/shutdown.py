"""How a robot comes to rest when a run ends: it stops, stands, sits and is passive, or balances for a gantry."""

import math
from typing import Tuple

from surefoot_bridge.contract import Contract
from surefoot_bridge.control.transitions import CROUCHED_S, STOP_S
from surefoot_bridge.state import Mode, Request

HANG_UP_S = 120.0
"""How long a robot that needs a gantry balances by its policy for somebody to hang it up [s]. Assumption."""

_SPARE_S = 3.0  # on top of all motions: hand-overs, and holds that end


class OrderlyEnd:
    """What is asked of the state machine while a run ends.

    A robot that rests by itself is asked to be passive; the state machine brings it there motion by motion. One that
    needs a gantry and walks is asked for nothing but velocity 0: it balances by its policy until its operator, who has
    hung it up, asks it to stand, sit or be passive, or until :data:`HANG_UP_S` are over. If it does not walk it hangs
    already, and is asked to be passive.
    """

    def __init__(self, contract: Contract) -> None:
        held = contract.handling
        self._rests = held.rests_without_gantry
        motions_s = STOP_S + CROUCHED_S + held.stand_s + held.sit_s + 3.0 * contract.gains.handover_s
        self._longest_s = motions_s + _SPARE_S + (0.0 if self._rests else HANG_UP_S)
        self._begun_s = math.nan
        self._asked_at = Mode.DAMPED  # mode in which the robot was asked last

    def step(self, mode: Mode, time_s: float, request: Request) -> Request:
        """Return what to ask of the state machine.

        Args:
            mode: Its mode after the last tick.
            time_s: The loop's clock [s].
            request: What the operator asks for.
        """
        if math.isnan(self._begun_s):
            self._begun_s = time_s
        if self.balances(mode):
            return request if request in (Request.STAND, Request.SIT, Request.PASSIVE) else Request.KEEP
        if mode == self._asked_at or self.done(mode):
            return Request.KEEP
        self._asked_at = mode
        return Request.PASSIVE

    def balances(self, mode: Mode) -> bool:
        """Return whether a robot that ends in this mode balances by its policy and waits for a gantry."""
        return not self._rests and mode in (Mode.WALK, Mode.STOP)

    def done(self, mode: Mode) -> bool:
        """Return whether the robot rests, or is damped."""
        return mode in (Mode.PASSIVE, Mode.DAMPED)

    def too_long(self, mode: Mode, time_s: float) -> bool:
        """Return whether it has taken longer than all motions take, or nobody has hung it up."""
        longest_s = HANG_UP_S if self.balances(mode) else self._longest_s
        return time_s - self._begun_s > longest_s


def describe_end(contract: Contract) -> str:
    """Return how a run of a contract's robot ends, for the checklist."""
    if contract.handling.rests_without_gantry:
        return "then it stops, stands, sits and becomes passive"
    return (
        f"then it balances by its policy for {HANG_UP_S:g} s at most: hang it up and ask for passive, "
        "or it is damped and falls"
    )


def end_confirmations(contract: Contract) -> Tuple[str, ...]:
    """Return what must be seen to before a run of a contract's robot begins, so that it can end, in every stage."""
    if contract.handling.rests_without_gantry:
        return ()
    return (
        "A gantry is at hand that carries the robot, and somebody who hangs it up within "
        f"{HANG_UP_S:g} s once the run ends (its time is over, Ctrl-C, nobody is there): without its policy it falls.",
    )
