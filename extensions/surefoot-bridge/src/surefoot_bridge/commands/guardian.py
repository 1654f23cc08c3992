"""``surefoot-bridge guardian list|end|damp``: which guardians there are, and what a person does about them.

``list`` shows the guardians of this computer: which robots they watch or damp, since when and why, and what those say
in their reports. ``end`` ends one that damps, once somebody has seen to the robot; where the reports do not show that
the robot is damped, that is asked for. ``damp`` damps a robot that nobody commands any more, until its reports show it:
when bridge and guardian were both killed, for example.
"""

import argparse
import math
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Optional, Sequence

from surefoot_bridge.arguments import OUTPUT, Parser, domain, seconds, subcommand
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.words import SEEN, network_robots

if TYPE_CHECKING:
    from surefoot_bridge.guardian.registry import Announced
    from surefoot_bridge.robots.choice import RobotPlace

_COMMANDS = {
    "list": "show the guardians of this computer",
    "end": "end a guardian that damps, once somebody has seen to its robot",
    "damp": "damp a robot that nobody commands, until its reports show it",
}


def main(argv: Sequence[str]) -> int:
    """Run ``guardian``: 0 if it did what was asked for, 1 if there is none to end, or the damping is not shown."""
    purpose = "Show, end or be a guardian: what damps a robot without a bridge."
    name, rest = subcommand("surefoot-bridge guardian", purpose, _COMMANDS, argv)
    return 0 if name is None else {"list": _list, "end": _end, "damp": _damp}[name](rest)


def _list(argv: Sequence[str]) -> int:
    parser = _parser("list")
    parser.add_argument("--json", type=OUTPUT, metavar="FILE", help="also write them")
    path = parser.values(argv).json
    from surefoot_bridge.guardian.registry import guardians

    from .report import write_report

    found = guardians()
    for each in found:
        print(each.describe())
    if not found:
        print("There is no guardian on this computer.")
    if path is not None:
        write_report(path, ok=True, figures={"damping": sum(each.damping for each in found)}, rows=found)
    return 0


def _end(argv: Sequence[str]) -> int:
    parser = _parser("end", robot_required=False)
    parser.add_argument("--acknowledge", metavar="WORD", help=f"say beforehand that the robot was seen to: {SEEN}")
    arguments = parser.values(argv)
    address = None if arguments.robot is None else _place(arguments).address
    from surefoot_bridge.guardian.registry import end_guardian, guardians

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
        _require_seen(guardian, arguments.acknowledge)
    pid = end_guardian(guardian.address)
    print(f"Ended guardian {pid or guardian.pid}. Nobody commands {guardian.address} now.")
    return 0


def _require_seen(guardian: "Announced", acknowledged: Optional[str]) -> None:
    """Have it said by a person that nothing moves when nobody damps the robot any more."""
    word = acknowledged or ""
    if acknowledged is None:
        if not sys.stdin.isatty():
            raise SurefootError(
                f"The reports of {guardian.address} do not show that it is damped. Switch it off or see that nothing "
                f"can happen, then run this in a terminal, or give --acknowledge {SEEN}."
            )
        print(
            "The robot's reports do not show that it is damped: it may hold its last position with all its gains. "
            f"Switch it off, or see that nothing can happen.\nType {SEEN!r} and Enter when that is done: ",
            end="",
            flush=True,
        )
        word = sys.stdin.readline()
    if word.strip().lower() != SEEN:
        raise SurefootError(f"{word.strip()!r} is not {SEEN!r}. The guardian goes on.")


def _damp(argv: Sequence[str]) -> int:
    """Damp a robot until its reports show it, or somebody ends this."""
    parser = _parser("damp", robot_required=True)
    parser.add_argument(
        "--duration", type=seconds, default=math.inf, metavar="S", help="give up after this time; never by default"
    )
    arguments = parser.values(argv)
    place, duration_s = _place(arguments), arguments.duration
    from surefoot_bridge.robots import RobotLock
    from surefoot_bridge.robots.address import require_interface

    address = place.address
    assert address is not None
    require_interface(address.interface)  # before a lock file is named after it
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


def _place(arguments: argparse.Namespace) -> "RobotPlace":
    from surefoot_bridge.robots.choice import network_place

    return network_place(arguments.robot, interface=arguments.interface, domain=arguments.domain)


def _parser(name: str, *, robot_required: Optional[bool] = None) -> Parser:
    parser = Parser(f"surefoot-bridge guardian {name}", f"{_COMMANDS[name].capitalize()}.")
    if robot_required is not None:
        robots = ", ".join(network_robots())
        parser.add_argument("--robot", required=robot_required, metavar="ROBOT", help=f"which robot: {robots}")
        parser.add_argument("--interface", metavar="IF", help="its network interface")
        parser.add_argument("--domain", type=domain, metavar="N", help="which network of that interface; 0 by default")
    return parser
