"""The Go2 and the G1."""

import numpy as np

from surefoot_bridge.robot import Reading

from .kinds import BATTERY_TOPIC, KINDS
from .messages import HG_BATTERY
from .participant import Subscriber
from .unitree_robot import UnitreeRobot


class UnitreeGo2(UnitreeRobot):
    """A Go2.

    The SDK gives no unit for ``foot_force``; its whole numbers are handed on as newtons. Calibrate the sensors before a
    policy that was trained with foot contacts relies on them.
    """

    kind = KINDS["unitree_go2"]

    def _temperatures(self, measured: np.ndarray) -> np.ndarray:
        return measured.astype(np.float64)

    def _forces(self) -> np.ndarray:
        return self._report[0]["foot_force"][self._feet].astype(np.float64)

    def _battery_share(self) -> float:
        return float(self._report[0]["bms_state"]["soc"]) / 100.0


class UnitreeG1(UnitreeRobot):
    """A G1 with 29 joints.

    Its commands repeat the ``mode_machine`` of its reports. Of the two temperatures of a motor the higher one counts.
    Its battery reports apart, about once a second.
    """

    kind = KINDS["unitree_g1"]

    def _connect(self) -> None:
        super()._connect()
        self._battery = Subscriber(self.participant, BATTERY_TOPIC, HG_BATTERY, depth=1)
        self._share = float("nan")

    def _read(self, taken: int) -> Reading:
        reading = super()._read(taken)
        if not reading.wrong_crc:
            self._command.mode_machine = int(self._report[0]["mode_machine"])
        return reading

    def _temperatures(self, measured: np.ndarray) -> np.ndarray:
        return measured.max(axis=-1).astype(np.float64)

    def _forces(self) -> np.ndarray:
        return np.zeros(0)

    def _battery_share(self) -> float:
        batteries = self._battery.take()
        if len(batteries):
            self._share = float(batteries[-1]["soc"]) / 100.0
        return self._share

    @property
    def mode_machine(self) -> int:
        """What the robot calls its kind in reports, and expects in commands."""
        return self._command.mode_machine
