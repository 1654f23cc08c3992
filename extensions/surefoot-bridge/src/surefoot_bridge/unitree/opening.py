"""Opening a robot: it must be there, be alone, and be what it is said to be, or it is said why not."""

import time
from typing import Dict, Type

from surefoot_bridge.clock import Clock
from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import RobotAddress

from .kinds import TICKS_PER_S
from .robots import UnitreeG1, UnitreeGo2
from .unitree_robot import UnitreeRobot

_CLASSES: Dict[str, Type[UnitreeRobot]] = {"unitree_go2": UnitreeGo2, "unitree_g1": UnitreeG1}

_POLL_S = 0.005
_TICKS_OVER_S = 1.0  # in which 0.4 % are 4 ms, which can be told from noise
_TICKS_WITHIN_S = 5.0  # at most, for a computer or a link that stands still now and then
_TICKS_TOLERANCE = 0.5  # half and double are told apart from a clock in microseconds; a busy computer is let pass

CHECKLIST = (
    "Unitree's app is closed, and no other program commands the robot from any computer.",
    "The network cable is strained nowhere and long enough for everything the robot may do, falls included.",
)
"""What an operator acknowledges before a Unitree robot is taken control of, on top of any other robot's checklist."""


def open_robot(address: RobotAddress, contract: Contract, *, clock: Clock, timeout_s: float = 5.0) -> UnitreeRobot:
    """Open a robot and wait for its first report. Nothing is sent to it: that begins with its ``take_control``.

    Args:
        address: Where it is.
        contract: The contract, in whose order of joints and feet reports come and commands go.
        clock: The control loop's clock.
        timeout_s: How long to wait for it [s].

    Raises:
        SurefootError: If the interface does not exist or is down, the DDS library is missing or must be refused,
            another bridge has the robot, no report comes, or reports are not as expected; with the likely causes.
    """
    robot = _CLASSES[address.robot](address, contract, clock=clock)
    try:
        _await_reports(robot, timeout_s)
        robot.require_variant()
        _require_tick_rate(robot)
    except BaseException:
        robot.close()
        raise
    return robot


def _await_reports(robot: UnitreeRobot, timeout_s: float) -> None:
    until = time.monotonic() + timeout_s
    while True:
        reading = robot.read()
        if reading is not None and not reading.wrong_crc and robot.battery_known:
            return
        if time.monotonic() > until:
            break
        time.sleep(_POLL_S)
    if reading is None:
        raise SurefootError(_no_report(robot, timeout_s))
    if not reading.wrong_crc and robot.do_without_battery():
        return
    if reading.wrong_crc and robot.reports.without_checksum:
        raise SurefootError(
            f"{robot.address}: reports come, but their checksum is 0: the sender computes none, as simulators do. That "
            "is accepted on the loopback only, where no real robot can be: --interface lo."
        )
    if reading.wrong_crc:
        raise SurefootError(
            f"{robot.address}: reports come, but the last one's checksum is wrong. Likely: another firmware's layout "
            "of messages, or a broken link. Compare the robot's firmware with the SDK's version."
        )
    raise SurefootError(
        f"{robot.address}: reports come, but nothing of the battery in {timeout_s:.0f} s (topic rt/lf/bmsstate). "
        "Likely: a firmware that does not publish it. Without the battery's charge a robot must not walk."
    )


def _no_report(robot: UnitreeRobot, timeout_s: float) -> str:
    address = robot.address
    if robot.reports.num_publishers:
        causes = (
            "somebody publishes rt/lowstate, but nothing arrives: a firewall on this computer that blocks UDP "
            "(see `nft list ruleset`), or a robot that has not finished starting"
        )
    else:
        causes = (
            "nobody publishes rt/lowstate of this robot: it is off or still starting (it takes about a minute); the "
            f"cable is on another interface than {address.interface}, or this computer has no address in the robot's "
            "network (192.168.123.x; see `ip addr`); the domain is another one (Unitree's robots are on 0, an emulated "
            "one where it was started); the robot is of another kind; or a firewall blocks UDP and multicast (see "
            "`nft list ruleset`)"
        )
    return f"No report of {address} in {timeout_s:.1f} s. Likely: {causes}."


def _require_tick_rate(robot: UnitreeRobot) -> None:
    """Refuse a robot whose clock does not tick in milliseconds.

    Ticks are held against this computer's clock and against the stamps of sending. A computer that stands still looks
    at reports late, and a clock that is set makes stamps jump: either is wrong alone, the ticks of another firmware
    fit neither.
    """
    robot.read()
    reports, begin_s = robot.reports, time.monotonic()
    first_s, first_sent_s = reports.measured_s, reports.sent_s
    while abs(reports.sent_s - first_sent_s) < _TICKS_OVER_S:
        if time.monotonic() - begin_s > _TICKS_WITHIN_S:
            raise SurefootError(
                f"{robot.address}: its reports of the last {_TICKS_WITHIN_S:g} s span only "
                f"{reports.sent_s - first_sent_s:.2f} s. Likely: this computer is too busy, or the robot or its link "
                "stood still. End what else runs here, look at the cable, and try again."
            )
        time.sleep(_POLL_S)
        robot.read()
    ticked_s, passed_s = reports.measured_s - first_s, time.monotonic() - begin_s
    fits = [
        abs(ticked_s - clock_s) <= _TICKS_TOLERANCE * clock_s for clock_s in (passed_s, reports.sent_s - first_sent_s)
    ]
    if not any(fits):
        raise SurefootError(
            f"{robot.address}: its clock ticked {ticked_s * TICKS_PER_S:.0f} times in {passed_s:.2f} s; "
            f"expected {TICKS_PER_S:.0f} per second. Likely: another firmware, or a robot that "
            "repeats a report."
        )
    try:
        reports.require_usual_clock()
    except SurefootError as error:
        raise SurefootError(f"{robot.address}: {error}") from None
