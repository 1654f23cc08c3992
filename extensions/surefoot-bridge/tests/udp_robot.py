"""A made-up robot over UDP: its transport, as a package outside the tree brings it, and the robot itself.

Everything is a datagram of JSON. A program that says ``{"listen": true}`` gets reports; a command counts if it carries
the session's number, which stands in every report. The domain of the address is the robot's port.
"""

import contextlib
import json
import os
import socket
import threading
import time

import numpy as np

from surefoot_bridge.contract import Interval
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import Damper, HardwareCaps, NetworkRobot, Reading, RobotLock, Transport
from surefoot_bridge.robots.address import require_interface
from surefoot_bridge.state import RobotState

PERIOD_S = 0.005
DAMPING = 3.0
SHOWN_S = 0.2


class UdpLink:
    """A program's side of the network."""

    def __init__(self, port):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.connect(("127.0.0.1", port))
        self._socket.setblocking(False)
        self.send({"listen": True})

    def send(self, what):
        try:
            self._socket.send(json.dumps({**what, "pid": os.getpid()}).encode())
        except OSError as error:
            raise SurefootError(f"the robot cannot be sent to: {error}") from error

    def command(self, session, stiffness, damping, position):
        self.send({"session": session, "kp": list(stiffness), "kd": list(damping), "q": list(position)})

    def newest(self):
        """The newest report, None if none came."""
        report = None
        with contextlib.suppress(OSError):  # once there is none
            while True:
                report = json.loads(self._socket.recv(65536))
        return report

    def close(self):
        self._socket.close()


class UdpRobot(NetworkRobot):
    name, num_foot_sensors = "made_up", 2

    def __init__(self, address, caps, *, clock):
        self.address, self.caps, self._clock = address, caps, clock
        require_interface(address.interface)
        self.lock = RobotLock(address)
        self._link, self._reading, self._report, self._in_control = UdpLink(address.domain), None, None, False

    def read(self):
        report = self._link.newest()
        if report is not None:
            self._report = report
            state = RobotState(
                time_s=np.array(report["time_s"]),
                sequence=np.array(report["sequence"]),
                joint_pos_rad=np.array(report["q"]),
                joint_vel_rad_s=np.zeros(3),
                joint_torque_nm=np.zeros(3),
                motor_temperature_c=np.full(3, 30.0),
                imu_quat_wxyz=np.array([1.0, 0.0, 0.0, 0.0]),
                imu_ang_vel_rad_s=np.array(report["gyro"]),
                imu_lin_acc_m_s2=np.array([0.0, 0.0, 9.81]),
                foot_force_n=np.full(2, 50.0),
                battery_share=np.array(0.9),
            )
            self._reading = Reading(state, self._clock.now(), wrong_crc=False)
        return self._reading

    def write(self, command):
        if not self._in_control:
            raise SurefootError("It was not taken control of.")
        self._send(command.stiffness_nm_per_rad, command.damping_nms_per_rad, command.joint_pos_rad)

    def stop(self):
        if self._in_control:
            self._send(np.zeros(3), np.full(3, DAMPING), self._report["q"])

    def close(self):
        self.stop()
        self._in_control = False
        self._link.close()
        self.lock.release()

    def take_control(self, *, without_switcher=False):
        self._in_control = True

    def guardian_command(self):
        return {"session": self._report["session"]}

    def _send(self, stiffness, damping, position):
        self._link.command(self._report["session"], stiffness, damping, position)


class UdpDamper(Damper):
    shown, finding = False, "it has not been looked at"

    def __init__(self, address, session):
        self._link, self._session = UdpLink(address.domain), session
        self._since_s = None

    def look(self):
        report = self._link.newest()
        if report is None:
            return
        self._session = report["session"] if self._session is None else self._session
        now_s = time.monotonic()
        if any(report["kp"]):
            self._since_s, self.shown, self.finding = None, False, "its reports show stiffness"
            return
        self._since_s = now_s if self._since_s is None else self._since_s
        self.shown = now_s - self._since_s > SHOWN_S
        self.finding = f"its reports show no stiffness for {now_s - self._since_s:.1f} s"

    def begin(self):
        self._since_s, self.shown = None, False

    def step(self):
        try:
            self._link.command(self._session, np.zeros(3), np.full(3, DAMPING), np.zeros(3))
        finally:
            self.look()
            time.sleep(PERIOD_S)


class UdpTransport(Transport):
    caps = HardwareCaps(
        robot="made_up",
        joint_names=("c", "a", "b"),
        foot_names=("left", "right"),
        joint_pos_rad=(Interval(-2.0, 2.0),) * 3,
        joint_vel_rad_s=(31.0,) * 3,
        torque_nm=(24.0,) * 3,
        motor_temperature_c=90.0,
        low_level_hz=200.0,
    )
    confirmations = ("Nobody leans on the made-up robot.",)

    def open(self, address, contract, *, clock, timeout_s):
        return UdpRobot(address, self.caps, clock=clock)

    def damper(self, address, command):
        return UdpDamper(address, command.get("session"))


ROBOT = UdpTransport()


class Server:
    """The robot itself: its joints are where they were last told to be, and its commands are kept."""

    SESSION = 4711

    def __init__(self):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.settimeout(PERIOD_S)
        self.port = self._socket.getsockname()[1]
        self.commands = []
        self._listeners, self._ended = set(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        last = {"q": [0.0, 0.0, 0.0], "kp": [0.0, 0.0, 0.0]}
        begin_s, sequence, due_s = time.monotonic(), 0, 0.0
        generator = np.random.default_rng(0)
        while not self._ended.is_set():
            try:
                said, where = self._socket.recvfrom(65536)
                said = json.loads(said)
                self._listeners.add(where)
                if said.get("session") == self.SESSION:
                    last = said
                    self.commands.append((time.monotonic(), said))
            except OSError:  # nothing came
                pass
            if time.monotonic() >= due_s:
                due_s, sequence = time.monotonic() + PERIOD_S, sequence + 1
                report = {"time_s": time.monotonic() - begin_s, "sequence": sequence, "session": self.SESSION}
                report.update(q=last["q"], kp=last["kp"], gyro=generator.normal(0.0, 0.01, 3).tolist())
                for where in self._listeners:
                    self._socket.sendto(json.dumps(report).encode(), where)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._ended.set()
        self._thread.join()
        self._socket.close()
