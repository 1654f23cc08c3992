"""The robot's side of the network: what a robot's own computer says and obeys, for an emulated robot.

It does only what is documented: reports at the robot's rate with tick and checksum, commands that count only with a
right checksum and header, the motion switcher that says which controller is active and switches it on and off, and that
controller's own service (:mod:`~surefoot_bridge.unitree.emulation.stand_controller`). The last command stays in force
until another comes: that a firmware lets go of the motors when commands stay away is nowhere documented for low-level
control, so no time-out is modelled, and nothing here may be relied on to stop a robot.
"""

import ctypes
import json
from dataclasses import dataclass
from typing import Dict, FrozenSet, List, Tuple

import numpy as np

from surefoot_bridge.robots import RobotAddress
from surefoot_bridge.state import JointCommand, RobotState, roll_pitch_yaw
from surefoot_bridge.unitree.dds.checksum import checksum
from surefoot_bridge.unitree.dds.messages import HG_BATTERY, REQUEST, RESPONSE
from surefoot_bridge.unitree.dds.participant import Participant, Publisher, Subscriber
from surefoot_bridge.unitree.handover import SPORT
from surefoot_bridge.unitree.kinds import (
    BATTERY_TOPIC,
    COMMAND_TOPIC,
    EMULATED,
    GO_HEAD,
    GO_LOW_LEVEL,
    KINDS,
    MOTOR_ENABLED,
    REPORT_TOPIC,
    TICKS_PER_S,
)
from surefoot_bridge.unitree.motion_switcher import CHECK_MODE, MOTION_SWITCHER, RELEASE_MODE, SELECT_MODE
from surefoot_bridge.unitree.remote import REMOTE_BYTES
from surefoot_bridge.unitree.service import request_topic, response_topic, text_at

from .stand_controller import StandController

_DEPTH = 32
_BATTERY_PERIOD_S = 1.0
_UNKNOWN_API = 3203  # RPC_ERR_SERVER_API_NOT_IMPL of the SDK
_UNKNOWN_MODE = 7004  # of the motion switcher: "unsupported mode name"

OWN_CONTROLLERS = ("mcf", "normal", "ai", "advanced")
"""Names that a motion switcher knows: those of Unitree's documentation for the Go2; a G1 has ``ai``."""


@dataclass
class CommandCounts:
    """What has become of the commands that came.

    Attributes:
        obeyed: Commands that counted.
        wrong_checksum: Commands that were ignored for their checksum.
        wrong_header: Commands that were ignored for their header (Go2) or their kind of machine (G1).
    """

    obeyed: int = 0
    wrong_checksum: int = 0
    wrong_header: int = 0


class Firmware:
    """A robot's own computer.

    Args:
        address: Where the robot is.
        own_controller: Name of its own controller that is active; empty for none.
        mode_machine: What a G1 calls its kind.

    Attributes:
        counts: What has become of commands.
        own: Its own controller.
        corrupt_reports: How many of the next reports leave with a wrong checksum.
        remote: What its remote says in reports, 40 bytes; see :mod:`~surefoot_bridge.unitree.remote`.
        lacks: What its reports lack, as those of simulators do: ``checksum``, ``tick``, ``battery``.
    """

    def __init__(self, address: RobotAddress, *, own_controller: str = "", mode_machine: int = 5) -> None:
        self.kind = KINDS[address.robot]
        self.participant = Participant(address.interface, address.domain)
        self.counts = CommandCounts()
        self.own = StandController(self.kind, own_controller)
        self.corrupt_reports = 0
        self.remote = bytes(REMOTE_BYTES)
        self.lacks: FrozenSet[str] = frozenset()
        self._mode_machine = mode_machine
        self._commands = Subscriber(self.participant, COMMAND_TOPIC, self.kind.command, depth=_DEPTH)
        self._reports = Publisher(self.participant, REPORT_TOPIC, self.kind.report)
        self._services = {
            name: (
                Subscriber(self.participant, request_topic(name), REQUEST, depth=_DEPTH, reliable=True),
                Publisher(self.participant, response_topic(name), RESPONSE),
            )
            for name in (MOTION_SWITCHER, SPORT)
        }
        self._is_go = bool(self.kind.foot_names)
        self._battery = None if self._is_go else Publisher(self.participant, BATTERY_TOPIC, HG_BATTERY)
        self._battery_due_s = 0.0
        self._begin_report()

    def commands(self) -> List[JointCommand]:
        """Return the commands that count among those that came, oldest first, joints in the order of the motors."""
        return [command for _, command in self.dated_commands()]

    def dated_commands(self) -> List[Tuple[float, JointCommand]]:
        """Return the same, each with the time at which it was sent, on the sender's clock [s, UTC]."""
        taken = self._commands.take()
        dated = [(sent_s, taken[i : i + 1]) for i, sent_s in enumerate(self._commands.sent_s())]
        return [(sent_s, self._joints(sample[0])) for sent_s, sample in dated if self._counts_for(sample)]

    def report(self, state: RobotState) -> None:
        """Report what the robot measures.

        Args:
            state: Its state, joints in the order of the motors and feet in that of the kind; its time becomes the tick.
        """
        report, n = self._reports.message[0], len(self.kind.joint_names)
        motors, imu = report["motor_state"], report["imu_state"]
        motors["q"][:n], motors["dq"][:n] = state.joint_pos_rad, state.joint_vel_rad_s
        motors["tau_est"][:n] = state.joint_torque_nm
        temperatures = np.rint(state.motor_temperature_c)
        motors["temperature"][:n] = temperatures if self._is_go else temperatures[:, None]
        imu["quaternion"], imu["gyroscope"] = state.imu_quat_wxyz, state.imu_ang_vel_rad_s
        imu["accelerometer"], imu["rpy"] = state.imu_lin_acc_m_s2, roll_pitch_yaw(state.imu_quat_wxyz)
        report["tick"] = 0 if "tick" in self.lacks else round(float(state.time_s) * TICKS_PER_S) % 2**32
        report["wireless_remote"] = np.frombuffer(self.remote, np.uint8)
        share = 0 if "battery" in self.lacks else round(100.0 * float(state.battery_share))
        if self._is_go:
            report["foot_force"] = np.clip(np.rint(state.foot_force_n), -32768, 32767)
            report["bms_state"]["soc"] = share
        elif float(state.time_s) >= self._battery_due_s:
            self._report_battery(share)
            self._battery_due_s = float(state.time_s) + _BATTERY_PERIOD_S
        message = self._reports.message
        message["crc"] = 0 if "checksum" in self.lacks else checksum(message)
        if self.corrupt_reports:
            self.corrupt_reports -= 1
            message["crc"] ^= 1
        self._reports.publish()

    def repeat_report(self) -> None:
        """Send the last report once more, as it was."""
        self._reports.publish()

    @property
    def own_controller(self) -> str:
        """Name of its own controller that is active; empty for none."""
        return self.own.name

    @own_controller.setter
    def own_controller(self, name: str) -> None:
        self.own.name = name

    def answer(self) -> None:
        """Answer requests to the motion switcher and to the own controller."""
        for name, (requests, responses) in self._services.items():
            taken = requests.take()
            if not len(taken):
                continue
            for request in taken:
                api_id, parameter = int(request["api_id"]), text_at(int(request["parameter"]["pointer"]))
                answer = self._asked_of(name, api_id, parameter)
                _respond(responses, int(request["id"]), api_id, *answer)
            requests.free_contents()

    def close(self) -> None:
        """Leave the network."""
        self.participant.close()

    def _begin_report(self) -> None:
        report = self._reports.message[0]
        report["motor_state"]["mode"][: len(self.kind.joint_names)] = MOTOR_ENABLED
        if self._is_go:
            report["reserve"] = EMULATED
            report["head"], report["level_flag"] = GO_HEAD, GO_LOW_LEVEL
        else:
            report["reserve"][0] = EMULATED
            report["mode_machine"] = self._mode_machine

    def _counts_for(self, sample: np.ndarray) -> bool:
        if checksum(sample) != int(sample[0]["crc"]):
            self.counts.wrong_checksum += 1
            return False
        if self._is_go:
            right = tuple(sample[0]["head"]) == GO_HEAD and sample[0]["level_flag"] == GO_LOW_LEVEL
        else:
            right = sample[0]["mode_machine"] == self._mode_machine
        if not right:
            self.counts.wrong_header += 1
            return False
        self.counts.obeyed += 1
        return True

    def _joints(self, sample: np.ndarray) -> JointCommand:
        motors = sample["motor_cmd"][: len(self.kind.joint_names)]
        enabled = motors["mode"] == MOTOR_ENABLED

        def column(name: str) -> np.ndarray:
            return np.where(enabled, motors[name].astype(np.float64), 0.0)

        return JointCommand(column("q"), column("dq"), column("kp"), column("kd"), column("tau"))

    def _report_battery(self, share: int) -> None:
        if self._battery is not None:
            self._battery.message["soc"] = share
            self._battery.publish()

    def _asked_of(self, service: str, api_id: int, parameter: str) -> Tuple[int, Dict[str, str]]:
        """Do what a service is asked for; return the code and content of the answer."""
        if service == SPORT:
            return self.own.ask(api_id, parameter), {}
        if api_id == CHECK_MODE:
            return 0, {"form": "0", "name": self.own_controller}
        if api_id == RELEASE_MODE:
            self.own.release()
            return 0, {}
        if api_id == SELECT_MODE:
            name = json.loads(parameter).get("name")
            if name not in OWN_CONTROLLERS:
                return _UNKNOWN_MODE, {}
            self.own.select(name)
            return 0, {}
        return _UNKNOWN_API, {}


def _respond(responses: Publisher, number: int, api_id: int, code: int, content: Dict[str, str]) -> None:
    text = ctypes.create_string_buffer(json.dumps(content).encode())
    response = responses.message[0]
    response["id"], response["api_id"], response["code"] = number, api_id, code
    response["data"]["pointer"] = ctypes.addressof(text)
    responses.publish()
