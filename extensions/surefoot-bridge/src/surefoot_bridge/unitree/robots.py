"""The Go2 and the G1."""

from typing import Dict, Optional

import numpy as np

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import Reading

from .dds.messages import HG_BATTERY
from .dds.participant import Subscriber
from .kinds import BATTERY_TOPIC, KINDS
from .unitree_robot import UnitreeRobot

_LOST_SHARE = 0.05  # of a motor's messages within a second, from which its link is bad. Assumption.
_LOST_OVER_S = 1.0
_BATTERY_SILENT_S = 5.0  # five reports of a battery that reports once a second


class UnitreeGo2(UnitreeRobot):
    """A Go2.

    The SDK gives no unit for ``foot_force``; its whole numbers are handed on as newtons. Calibrate the sensors before a
    policy that was trained with foot contacts relies on them. It does not explain ``lost`` of a motor either, which is
    taken for the number of messages between computer and motor that were lost since it was switched on.
    """

    kind = KINDS["unitree_go2"]

    def _connect(self) -> None:
        super()._connect()
        self._lost_then: Optional[np.ndarray] = None
        self._lost_then_s, self._link = 0.0, ""

    def require_variant(self) -> None:
        """There is but one."""

    def _health(self, now_s: float) -> Dict[str, str]:
        lost = self._motor["lost"][: len(self.kind.joint_names)]
        if self._lost_then is None:
            self._lost_then, self._lost_then_s = lost.copy(), now_s
        grown = lost - self._lost_then  # unsigned: it wraps as the counter does
        full = now_s - self._lost_then_s >= _LOST_OVER_S
        if full or not self._link:
            self._link = self._lossy(grown)
        if full:
            self._lost_then, self._lost_then_s = lost.copy(), now_s
        return {"motor_link": self._link} if self._link else {}

    def _lossy(self, grown: np.ndarray) -> str:
        limit = _LOST_SHARE * _LOST_OVER_S * self.kind.low_level_hz
        worst = int(np.argmax(np.where(grown < 2**31, grown, 0)))  # a counter that began anew has lost nothing
        if not limit < grown[worst] < 2**31:
            return ""
        return (
            f"{self.kind.joint_names[worst]}: {grown[worst]} messages between computer and motor were lost within a "
            f"second, limit {limit:.0f}. Let it rest, and look at its cables."
        )

    def _temperatures(self, measured: np.ndarray) -> np.ndarray:
        return measured.astype(np.float64)

    def _forces(self) -> np.ndarray:
        return self._report["foot_force"][self._feet].astype(np.float64)

    def _battery_share(self) -> float:
        return float(self._report["bms_state"]["soc"]) / 100.0


class UnitreeG1(UnitreeRobot):
    """A G1 with 29 joints.

    Its commands repeat the ``mode_machine`` of its reports. Of the two temperatures of a motor the higher one counts.
    Its battery reports apart, about once a second. The SDK does not explain ``motorstate``: 0 is all well, and motors
    that are not enabled say something else too, so it counts while the robot walks.
    """

    kind = KINDS["unitree_g1"]

    def _connect(self) -> None:
        super()._connect()
        self._battery = Subscriber(self.participant, BATTERY_TOPIC, HG_BATTERY, depth=1)
        self._share, self._share_s = float("nan"), float("nan")
        self._variant = 0  # what it called its kind before it was taken

    def require_variant(self) -> None:
        """See to it that it is the G1 with 29 joints that the contract knows.

        Raises:
            SurefootError: If it is another: joints are missing or locked, or gears and limits are others.
        """
        told = self.mode_machine
        if told == self.kind.machine:
            return
        if told == 0 and self.simulated:
            self._note("Its reports do not say its variant (mode_machine 0).")
            return
        known = self.kind.machines
        raise SurefootError(
            f"{self.address} is another variant: its mode_machine is {told}: {known.get(told, 'an unknown one')}. The "
            f"contract is for {self.kind.machine}: {known[self.kind.machine]}. Train and export for that variant under "
            "a name of its own."
        )

    def _read(self, now_s: float) -> Reading:
        reading = super()._read(now_s)
        if not reading.wrong_crc:
            told = int(self._report["mode_machine"])
            if not self._in_control:
                self._variant = told
            self._command.mode_machine = told  # also of another one: no other command would be obeyed
        return reading

    def _health(self, now_s: float) -> Dict[str, str]:
        alarms: Dict[str, str] = {}
        told = int(self._report["mode_machine"])
        if self._in_control and told != self._variant and not self.reports.wrong:
            alarms["other_variant"] = (
                f"{self.address} changed its mode_machine from {self._variant} to {told}: its joints are others. Start "
                "the robot and the bridge anew."
            )
        states = self._motor["motorstate"][: len(self.kind.joint_names)]
        if states.any():
            bad = [f"{self.kind.joint_names[i]} {states[i]:#x}" for i in np.flatnonzero(states)]
            more = f" and {len(bad) - 3} more" if len(bad) > 3 else ""
            alarms["motor_fault"] = f"Motors report a fault (motorstate): {', '.join(bad[:3])}{more}."
        silent_s = now_s - self._share_s
        if silent_s > _BATTERY_SILENT_S:
            alarms["battery_silent"] = f"Nothing of the battery for {silent_s:.0f} s; its charge was {self._share:.0%}."
        return alarms

    def _temperatures(self, measured: np.ndarray) -> np.ndarray:
        return measured.max(axis=-1).astype(np.float64)

    def _forces(self) -> np.ndarray:
        return np.zeros(0)

    def _battery_share(self) -> float:
        batteries = self._battery.take()
        if len(batteries):
            self._share, self._share_s = float(batteries[-1]["soc"]) / 100.0, self._clock.now()
        return self._share

    def guardian_command(self) -> Dict[str, int]:
        """Return what the guardian must repeat in its commands."""
        return {"mode_machine": self.mode_machine}

    @property
    def mode_machine(self) -> int:
        """What the robot calls its kind in reports, and expects in commands."""
        return self._command.mode_machine
