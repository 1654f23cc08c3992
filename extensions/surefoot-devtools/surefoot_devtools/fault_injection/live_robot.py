"""The receiving side of a live trial: the emulated robot, which judges every command that comes over the network."""

import contextlib
import json
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from surefoot_bridge.bundle import load_bundle
from surefoot_bridge.clock import MonotonicClock, SimulatedClock, boot_time_s
from surefoot_bridge.contract import Contract
from surefoot_bridge.robots import LOOPBACK, RobotAddress
from surefoot_bridge.robots.model import RobotModel, robot_model
from surefoot_bridge.robots.mujoco_robot import MujocoRobot
from surefoot_bridge.safety import StageLimits
from surefoot_bridge.stages import stage_of
from surefoot_bridge.state import JointCommand, RobotState
from surefoot_bridge.unitree.emulation.emulated_robot import EmulatedRobot
from surefoot_bridge.unitree.emulation.paced_clock import PacedClock

from .catalogue import LIVE_FAULTS
from .live_process import read_order, say
from .timeline import Injection
from .wire import WireFaults
from .witness import Witness

_MOST_AT_ONCE_S = 0.01  # that physics makes up for between two reports
_LONGEST_S = 60.0  # of a trial, should nobody end it
# Messages carry numbers of 24 bits: a target of 3 rad is right to 2e-7, which at 80 N m/rad are 1.5e-5 N m.
_ROUNDING = 1e-5
_MOST_LAGS = 10_000
_PRIORITY = 40  # of real-time processes: below the bridge's, above all else

BEFORE_S = 1.0
"""From how long before the fault on it is told when commands came [s]."""


def is_damped(command: JointCommand) -> bool:
    """Return whether a command lets all joints follow, against damping only."""
    pulls = (command.stiffness_nm_per_rad, command.joint_vel_rad_s, command.torque_nm)
    return not any(part.any() for part in pulls) and bool(command.damping_nms_per_rad.any())


class LiveWitness(Witness):
    """Judges commands that come over a network: by the time at which they were sent, and by what was reported then.

    Which report the bridge knew when it sent a command, nobody can say from outside: one of those of the last
    ``report_age_s``, older ones it does not trust. So the torque must be within its limit at one of them; it is not
    judged where there is none, or where the fault spoils reports on the bridge's side. A command that only damps is the
    safe state itself: its torque is not judged, nor its target where none is meant, which without stiffness matters
    not (the guardian, which does not know where the joints are, sends zeros). A command leaves some time after it was
    checked, not always the same: for the move of targets, times may differ by half a low-level period.

    Attributes:
        spoilt_from_s: When reports begin not to be what the bridge knows; infinity for never [s].
        spoilt_until_s: When they are again what it knows [s].
    """

    def __init__(self, robot: MujocoRobot, contract: Contract, limits: StageLimits) -> None:
        self._message_clock = SimulatedClock()
        super().__init__(
            robot,
            contract,
            limits,
            clock=self._message_clock,
            knows_state=lambda: True,
            rounding=_ROUNDING,
            jitter_s=0.5 / contract.timing.low_level_hz,
        )
        self._age_s = limits.report_age_s
        self._reported: deque[tuple[float, RobotState]] = deque(maxlen=256)
        self.spoilt_from_s = self.spoilt_until_s = np.inf
        self._damps = False

    def reported(self, time_s: float, state: RobotState) -> None:
        """Take what was reported at a time [s]."""
        self._reported.append((time_s, state))

    def receive(self, sent_s: float, command: JointCommand) -> None:
        """Judge a command that was sent at a time [s], and hand it on."""
        self._message_clock.sleep_until(sent_s)
        self._damps = is_damped(command)
        if self._damps and self.last is not None:
            moved = self._moved
            if any("target" in what for what in self._judge(command)):
                command = replace(command, joint_pos_rad=self.last.joint_pos_rad)
            self._moved = moved  # it was but a look
        self.write(command)

    def _known(self) -> Sequence[RobotState]:
        now_s = self._message_clock.now()
        if self._damps or self.spoilt_from_s <= now_s < self.spoilt_until_s + self._age_s:
            return []
        return [state for time_s, state in self._reported if now_s - self._age_s <= time_s <= now_s]


class LiveRobot(EmulatedRobot):
    """An emulated robot with a witness, which may have faults of its messages.

    Args:
        address: Where it is to be.
        witness: Stands before the simulated robot.
        model: Its model.
        clock: The computer's clock.
        robot_clock: The simulated robot's clock.

    Attributes:
        wire: Faults of its messages; None before it is known when they begin.
        arrivals: Of each command that was obeyed: when it was sent and when it came [s], and whether it only damped.
    """

    def __init__(
        self,
        address: RobotAddress,
        witness: LiveWitness,
        model: RobotModel,
        *,
        clock: MonotonicClock,
        robot_clock: PacedClock,
    ) -> None:
        super().__init__(
            address,
            witness,
            joint_names=model.joint_names,
            foot_names=model.foot_names,
            clock=clock,
            robot_clock=robot_clock,
        )
        self._witness = witness
        self.wire: WireFaults | None = None
        self.arrivals: list[tuple[float, float, bool]] = []

    def obey(self) -> None:
        """Judge and obey all commands that came, in their order."""
        to_monotonic_s = boot_time_s() - time.time()
        for sent_utc_s, command in self.firmware.dated_commands():
            sent_s, came_s = sent_utc_s + to_monotonic_s, boot_time_s()
            if self.wire is not None and self.wire.loses_command(came_s):
                continue
            self._witness.receive(sent_s, self._own(command))
            self.arrivals.append((sent_s, came_s, is_damped(command)))

    def report(self, state: RobotState) -> None:
        """Report what the robot measures, as far as the fault lets it."""
        now_s = boot_time_s()
        told = [state] if self.wire is None else self.wire.reports(self.firmware, state, now_s)
        if self.wire is None:
            self.firmware.report(state)
        for each in told:
            own = (getattr(each, name)[self._from_kind] for name in ("joint_pos_rad", "joint_vel_rad_s"))
            position, velocity = (part.astype(np.float32).astype(np.float64) for part in own)
            self._witness.reported(now_s, replace(each, joint_pos_rad=position, joint_vel_rad_s=velocity))


def main() -> None:
    """Be the robot of one trial, as the order on standard input says, until that ends; then say what came."""
    order = read_order()
    contract = load_bundle(Path(order.bundle), runtime="numpy").contract
    limits, model = stage_of(order.stage).limits(contract), robot_model(order.robot)
    clock = MonotonicClock()
    robot_clock = PacedClock(clock, _MOST_AT_ONCE_S)
    robot = MujocoRobot(model, clock=robot_clock, seed=order.seed)
    witness = LiveWitness(robot, contract, limits)
    _have_the_computer()
    ended = threading.Event()
    told: list[dict[str, Any]] = []

    def listen() -> None:
        told.extend(json.loads(line) for line in sys.stdin)
        ended.set()

    address = RobotAddress(order.robot, LOOPBACK, order.domain)
    live = LiveRobot(address, witness, model, clock=clock, robot_clock=robot_clock)
    with live:
        threading.Thread(target=listen, daemon=True).start()
        watch = _Watch(live, robot, robot_clock, witness, contract.safety.tilt_limit_rad, told)
        say("ready")
        report = live.run(ended.is_set, duration_s=_LONGEST_S, watchers=[watch])
    say(
        "robot",
        commands=witness.commands,
        outside=witness.outside,
        notes=witness.notes,
        ignored=report.counts.wrong_checksum + report.counts.wrong_header,
        arrivals=[row for row in live.arrivals if row[1] >= watch.start_s - BEFORE_S],
        tilted_s=watch.tilted_s,
        lagged=watch.lagged,
    )


def _have_the_computer() -> None:
    """Run before others, threads that are started from now on too: a robot has a computer of its own."""
    with contextlib.suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))


class _Watch:
    """Looks after each step whether it is known when the fault begins, is time to tip the robot over, and it fell."""

    def __init__(
        self,
        live: LiveRobot,
        robot: MujocoRobot,
        robot_clock: PacedClock,
        witness: LiveWitness,
        tilt_limit_rad: float,
        told: list[dict[str, Any]],
    ) -> None:
        self._robot_clock = robot_clock
        self._live, self._robot, self._witness, self._told = live, robot, witness, told
        self._cos_limit = np.cos(tilt_limit_rad)
        self.start_s = np.inf
        self.tilted_s: float | None = None
        self.lagged: list[float] = []
        self._lost_s = robot_clock.lost_s

    def __call__(self, time_s: float) -> None:
        if self._told and self._live.wire is None:
            told = self._told[0]
            self.start_s = told["start_s"]
            injection = Injection(LIVE_FAULTS[told["fault"]], self.start_s, told["seed"])
            self._live.wire = WireFaults(injection, self._robot)
            if injection.fault.where == "robot" and not self._live.wire.here:
                self._witness.spoilt_from_s = self.start_s
                self._witness.spoilt_until_s = self.start_s + injection.fault.duration_s
        if self._live.wire is not None:
            self._live.wire.tip(time_s)
        if self._robot_clock.lost_s > self._lost_s and len(self.lagged) < _MOST_LAGS:
            self._lost_s = self._robot_clock.lost_s
            self.lagged.append(boot_time_s())
        x, y = self._robot.data.qpos[4:6]
        if self.tilted_s is None and 1.0 - 2.0 * (x * x + y * y) < self._cos_limit:
            self.tilted_s = boot_time_s()
