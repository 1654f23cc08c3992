"""What comes into a tick of the control loop: the robot's report and the operator's wish, whatever raises there."""

from dataclasses import replace
from typing import Optional

import numpy as np

from surefoot_bridge.operators import Operator, OperatorInput
from surefoot_bridge.robots import Reading, Robot
from surefoot_bridge.state import Mode, Request

from .report import Record
from .shutdown import OrderlyEnd


class LoopInputs:
    """Reads robot and operator.

    Args:
        robot: The robot.
        operator: The operator.
        record: Receives exceptions, each kind once until it is cleared.
        end: What is asked instead of the operator's requests while a run ends.
        num_components: Number of components of the velocity command.
    """

    def __init__(self, robot: Robot, operator: Operator, record: Record, end: OrderlyEnd, num_components: int) -> None:
        self._robot, self._operator, self._record, self._end = robot, operator, record, end
        self._last = OperatorInput(np.zeros(num_components), Request.KEEP, False, False, 0.0)
        self._reading: Optional[Reading] = None
        self._walk_asked = False

    def read(self, now: float) -> Optional[Reading]:
        """Return the newest report; the one before where it cannot be read, which is one that did not come.

        Args:
            now: The loop's clock [s].
        """
        try:
            self._reading = self._robot.read()
            self._record.error_cleared("robot_read")
        except Exception as error:  # the loop must outlive it: safety acts on its absence
            self._record.error_began(now, "robot_read", error)
        return self._reading

    def wish(self, now: float, mode: Optional[Mode], *, ending: bool) -> OperatorInput:
        """Return what the operator wants; one who cannot be read is one who is not there.

        Args:
            now: The loop's clock now [s]; a pause since the last look is how an operator knows what was typed in it.
            mode: Mode after the last tick; None before the first.
            ending: Whether the run ends: then the velocity is 0, and what is asked leads to rest.
        """
        try:
            wish = self._operator.read(now)
            self._last = wish
            self._record.error_cleared("operator_read")
        except Exception as error:  # the loop must outlive it: safety acts on the silence
            self._record.error_began(now, "operator_read", error)
            wish = replace(self._last, request=Request.KEEP, release=False)
        if ending and mode is not None:
            still = np.zeros(len(wish.velocity_command))
            request = self._end.step(mode, now, wish.request)
            wish = replace(wish, velocity_command=still, request=request, release=False)
        return wish

    def request(self, request: Request, *, due: bool) -> Request:
        """Return what is asked of the state machine now: walking begins where the policy can be asked.

        Args:
            request: What the operator asks for.
            due: Whether a control period begins with a report that can be shown to the policy.
        """
        if request != Request.KEEP:
            self._walk_asked = request == Request.WALK
        if not self._walk_asked:
            return request
        self._walk_asked = not due
        return Request.WALK if due else Request.KEEP
