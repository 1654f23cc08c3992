"""The own controller of an emulated robot: what holds it while no bridge does.

That of a Go2 stands, and lies down when it is told to (``StandDown``); switched on, it stands up. Its poses, gains and
times are those of Unitree's ``go2_stand_example.py``. That of a G1 gives no torque when it is switched on, and damps
when it is told to (``Damp``): it does not balance.
"""

import json
from typing import Any, Optional

import numpy as np

from surefoot_bridge.state import JointCommand
from surefoot_bridge.unitree.handover import SET_FSM, STAND_DOWN
from surefoot_bridge.unitree.kinds import RobotKind

_STAND_RAD = (0.0, 0.67, -1.3) * 4  # _targetPos_2
_LIE_RAD = (-0.35, 1.36, -2.65, 0.35, 1.36, -2.65, -0.5, 1.36, -2.65, 0.5, 1.36, -2.65)  # _targetPos_3
_STIFFNESS, _DAMPING = 60.0, 5.0
_MOTION_S = 1.8  # duration_4: 900 ticks of 2 ms
_G1_DAMPING = 3.0  # Assumption: as a bridge damps it
_OK, _NOT_IMPLEMENTED, _BAD_PARAMETER = 0, 3203, 3204  # RPC_ERR_* of the SDK


class StandController:
    """The own controller of an emulated robot. Joints are in the order of the motors.

    Args:
        kind: Kind of the robot.
        name: Its name if it is on at first; empty otherwise.

    Attributes:
        name: Its name while it is on; empty while it is off.
    """

    def __init__(self, kind: RobotKind, name: str = "") -> None:
        self._num_joints, self._legged = len(kind.joint_names), bool(kind.foot_names)
        self.name, self._was = name, ""
        self._goal_rad = np.array(_STAND_RAD)
        self._damps = False
        self._from_rad: Optional[np.ndarray] = None
        self._begun_s = 0.0

    def select(self, name: str) -> None:
        """Switch it on; a Go2 stands up. Harmless when it is on."""
        if name != self.name:
            self.name, self._damps = name, False
            self._move_to(_STAND_RAD)

    def release(self) -> None:
        """Switch it off; the joints go limp."""
        self.name = ""

    def ask(self, api_id: int, parameter: str) -> int:
        """Do what its service is asked for; return the code of the answer."""
        if not self.name:
            return _NOT_IMPLEMENTED
        if self._legged and api_id == STAND_DOWN:
            if self._goal_rad.tolist() != list(_LIE_RAD):  # asked for again it goes on as it does
                self._move_to(_LIE_RAD)
            return _OK
        if not self._legged and api_id == SET_FSM:
            state = _field(parameter, "data")
            if state not in (0, 1):
                return _BAD_PARAMETER
            self._damps = state == 1
            return _OK
        return _NOT_IMPLEMENTED

    def command(self, time_s: float, pos_rad: np.ndarray) -> Optional[JointCommand]:
        """Return what it tells the joints now; None while it is off. Once it is switched off, they go limp.

        Args:
            time_s: The time [s].
            pos_rad: Where the joints are [rad], (num_joints,).
        """
        was, self._was = self._was, self.name
        zeros = np.zeros(self._num_joints)
        if not self.name:
            return JointCommand(zeros, zeros, zeros, zeros, zeros) if was else None
        if not self._legged:
            damping = np.full(self._num_joints, _G1_DAMPING if self._damps else 0.0)
            return JointCommand(zeros, zeros, zeros, damping, zeros)
        if self._from_rad is None:
            self._from_rad, self._begun_s = np.array(pos_rad, dtype=np.float64), time_s
        share = min((time_s - self._begun_s) / _MOTION_S, 1.0)
        target = self._from_rad + share * (self._goal_rad - self._from_rad)
        stiffness, damping = np.full(self._num_joints, _STIFFNESS), np.full(self._num_joints, _DAMPING)
        return JointCommand(target, zeros, stiffness, damping, zeros)

    def _move_to(self, pose_rad: Any) -> None:
        self._goal_rad, self._from_rad = np.array(pose_rad), None


def _field(parameter: str, name: str) -> Any:
    try:
        return json.loads(parameter).get(name)
    except (ValueError, AttributeError):
        return None
