"""``surefoot-bridge guardian list|end|damp``: which guardians there are, and what a person does about them.

``list`` shows the guardians of this computer: which robots they watch or damp, since when and why, and what those say
in their reports. ``end`` ends one that damps, once somebody has seen to the robot; where the reports do not show that
the robot is damped, that is asked for. ``damp`` damps a robot that nobody commands any more, until its reports show it:
when bridge and guardian were both killed, for example.
"""

import argparse
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Optional, Sequence

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.guardian.registry import Announced, end_guardian, guardians
from surefoot_bridge.robots import RobotAddress, RobotLock
from surefoot_bridge.robots.choice import RobotPlace, network_place
from surefoot_bridge.robots.transports import names

from .report import write_report

WORD = "seen"
"""What an operator types who has seen to a robot."""


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run ``guardian``: 0 if it did what was asked for, 1 if there is none to end, or the damping is not shown."""
    arguments = _parser().parse_args(argv)
    if arguments.guardian_command == "list":
        return _list(arguments.json)
    place = None
    if arguments.robot is not None:
        place = network_place(arguments.robot, interface=arguments.interface, domain=arguments.domain)
    if arguments.guardian_command == "end":
        return _end(None if place is None else place.address, arguments.acknowledge)
    assert place is not None
    return _damp(place, arguments.duration)


def _list(path: Optional[Path]) -> int:
    found = guardians()
    for each in found:
        print(each.describe())
    if not found:
        print("There is no guardian on this computer.")
    if path is not None:
        write_report(path, ok=True, figures={"damping": sum(each.damping for each in found)}, rows=found)
    return 0


def _end(address: Optional[RobotAddress], word: Optional[str]) -> int:
    found = [each for each in guardians() if address in (None, each.address)]
    damping = [each for each in found if each.damping]
    for each in found:
        print(each.describe())
    if not damping:
        print(
            "None of them damps a robot; one that watches ends with its run."
            if found
            else "There is no guardian to end."
        )
        return 1
    if len(damping) > 1:
        raise SurefootError("Several guardians damp robots. Say which one ends: --robot, --interface, --domain.")
    (guardian,) = damping
    if not guardian.shown:
        _require_seen(guardian, word)
    pid = end_guardian(guardian.address)
    print(f"Ended guardian {pid or guardian.pid}. Nobody commands {guardian.address} now.")
    return 0


def _require_seen(guardian: Announced, acknowledged: Optional[str]) -> None:
    """Have it said by a person that nothing moves when nobody damps the robot any more."""
    word = acknowledged or ""
    if acknowledged is None:
        if not sys.stdin.isatty():
            raise SurefootError(
                f"The reports of {guardian.address} do not show that it is damped. Switch it off or see that nothing "
                f"can happen, then run this in a terminal, or give --acknowledge {WORD}."
            )
        print(
            "The robot's reports do not show that it is damped: it may hold its last position with all its gains. "
            f"Switch it off, or see that nothing can happen.\nType {WORD!r} and Enter when that is done: ",
            end="",
            flush=True,
        )
        word = sys.stdin.readline()
    if word.strip().lower() != WORD:
        raise SurefootError(f"{word.strip()!r} is not {WORD!r}. The guardian goes on.")


def _damp(place: RobotPlace, duration_s: float) -> int:
    """Damp a robot until its reports show it, or somebody ends this."""
    address = place.address
    assert address is not None
    lock = RobotLock(address)  # refused while a bridge or a guardian has the robot
    try:
        damper = place.transport.damper(address, {})
        print(f"Damping {address} until its reports show it. Ctrl-C ends it.", flush=True)
        until_s, say_s = time.monotonic() + duration_s, time.monotonic() + 1.0
        damper.begin()
        while not damper.shown and time.monotonic() < until_s:
            with suppress(SurefootError):  # the network may come back
                damper.step()
            if time.monotonic() >= say_s:
                say_s += 1.0
                print(f"Not known to be damped: {damper.finding}", flush=True)
    finally:
        lock.release()
    shown = damper.shown
    print(f"{'Damped' if shown else 'IT IS NOT KNOWN WHETHER IT IS DAMPED'}: {damper.finding}.")
    return 0 if shown else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="surefoot-bridge guardian", description="Show, end or be a guardian: what damps a robot without a bridge."
    )
    commands = parser.add_subparsers(dest="guardian_command", required=True)
    listed = commands.add_parser("list", help="show the guardians of this computer")
    listed.add_argument("--json", type=Path, metavar="FILE", help="also write them")
    end = commands.add_parser("end", help="end a guardian that damps, once somebody has seen to its robot")
    end.add_argument("--acknowledge", metavar="WORD", help=f"say beforehand that the robot was seen to: {WORD}")
    damp = commands.add_parser("damp", help="damp a robot that nobody commands, until its reports show it")
    damp.add_argument(
        "--duration", type=float, default=float("inf"), metavar="S", help="give up after this time; never by default"
    )
    for command, required in ((end, False), (damp, True)):
        command.add_argument("--robot", required=required, metavar="ROBOT", help=f"which robot: {', '.join(names())}")
        command.add_argument("--interface", metavar="IF", help="its network interface")
        command.add_argument("--domain", type=int, metavar="N", help="which network of that interface; 0 by default")
    return parser
