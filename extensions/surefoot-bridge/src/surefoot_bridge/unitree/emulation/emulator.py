"""``surefoot-bridge emulate --robot go2|g1``: a robot on the DDS network, to which the bridge talks as to a real one.

Behind the messages of the SDK is MuJoCo with the actuator model of the robot's specification, in real time.
"""

import argparse
import signal
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Iterator, Optional, Sequence

from surefoot_bridge.arguments import FILE, OUTPUT, Parser, Place, one_of, seconds, whole
from surefoot_bridge.robots import LOOPBACK
from surefoot_bridge.robots.address import require_interface
from surefoot_bridge.unitree.address import LARGEST_DOMAIN, unitree_address

if TYPE_CHECKING:
    from surefoot_bridge.robots.mujoco_robot import MujocoRobot

    from .emulated_robot import EmulationReport
    from .watchers import Watcher

SHORT_NAMES = {"go2": "unitree_go2", "g1": "unitree_g1"}
"""Robots by the names that the command line takes."""

_MOST_AT_ONCE_S = 0.01  # that physics makes up for between two reports


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Emulate a robot until it is told to end: 0.

    Raises:
        SurefootError: If it cannot be emulated.
    """
    arguments = _parser().values(argv)
    address = unitree_address(SHORT_NAMES[arguments.robot], arguments.interface, arguments.domain)
    require_interface(address.interface)
    from surefoot_bridge.clock import MonotonicClock
    from surefoot_bridge.commands.report import write_report
    from surefoot_bridge.robots.model import robot_model
    from surefoot_bridge.robots.mujoco_robot import MujocoRobot

    from .emulated_robot import EmulatedRobot
    from .paced_clock import PacedClock
    from .remote_script import PlayedRemote, read_remote_script
    from .watchers import Gantry, Truth, draw_without_display

    played = [] if arguments.remote is None else read_remote_script(arguments.remote)
    if arguments.record is not None:
        draw_without_display()
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    clock = MonotonicClock()
    model = robot_model(address.robot)
    robot_clock = PacedClock(clock, _MOST_AT_ONCE_S)
    robot = MujocoRobot(model, clock=robot_clock, seed=arguments.seed)
    looking = list(_looking(arguments, robot))
    with EmulatedRobot(
        address,
        robot,
        joint_names=model.joint_names,
        foot_names=model.foot_names,
        clock=clock,
        robot_clock=robot_clock,
        own_controller=arguments.own_controller,
    ) as emulated:
        print(f"Emulating {address}. Ctrl-C ends it.", flush=True)
        truth, remote = Truth(robot), PlayedRemote(emulated.firmware, played)
        hung = [] if arguments.gantry is None else [Gantry(robot, clock.now() + arguments.gantry)]
        with ExitStack() as shown:
            watchers = [shown.enter_context(watcher) for watcher in (truth, remote, *hung, *looking)]
            report = emulated.run(ended.is_set, duration_s=arguments.duration, watchers=watchers)
    print(_described(report))
    if arguments.json is not None:
        figures = {**vars(report.counts), **{name: value for name, value in vars(report).items() if name != "counts"}}
        of = {"robot": address.robot, "interface": address.interface, "domain": address.domain, "seed": arguments.seed}
        write_report(arguments.json, ok=True, figures=figures, rows=truth.rows, of=of)
    return 0


def _looking(arguments: argparse.Namespace, robot: "MujocoRobot") -> Iterator["Watcher"]:
    from .watchers import Recorder, Window

    if arguments.view:
        yield Window(robot)
    if arguments.record is not None:
        yield Recorder(robot, arguments.record)


def _described(report: "EmulationReport") -> str:
    counts = report.counts
    return (
        f"{report.duration_s:.1f} s, {report.reports} reports; commands: {counts.obeyed} obeyed, "
        f"{counts.wrong_checksum} with a wrong checksum and {counts.wrong_header} with a wrong header ignored; "
        f"longest pause between two reports {report.longest_pause_s * 1e3:.1f} ms; "
        f"physics fell behind by {report.lost_s:.2f} s in all."
    )


def _parser() -> Parser:
    parser = Parser(
        "surefoot-bridge emulate",
        "Emulate a robot on the network: MuJoCo behind the messages of Unitree's SDK, in real time.",
    )
    add = parser.add_argument
    add("--robot", required=True, type=one_of("robot", SHORT_NAMES), metavar="ROBOT", help="which robot")
    add("--interface", default=LOOPBACK, metavar="IF", help=f"network interface; {LOOPBACK} by default")
    add(
        "--domain",
        type=whole("a DDS domain", 0, LARGEST_DOMAIN),
        default=0,
        metavar="N",
        help="DDS domain; 0, that of Unitree's robots, by default",
    )
    add("--own-controller", default="", metavar="NAME", help="a controller of its own that is active at first")
    add("--seed", type=whole("a seed", 0, 2**32 - 1), default=0, metavar="N", help="seed of its sensors' noise")
    add(
        "--gantry",
        type=seconds,
        metavar="S",
        help="hang it with its feet off the ground and let it down after this time; it lies or stands there by default",
    )
    add("--remote", type=FILE, metavar="FILE", help="play its remote: lines such as 5.0 L1 X ly=0.5")
    add("--json", type=OUTPUT, metavar="FILE", help="also write how it went, and where the robot really was")
    add("--view", action="store_true", help="show it in a window")
    add("--record", type=Place("file to write", (".mp4",)), metavar="FILE", help="record it as a video, .mp4")
    add("--duration", type=seconds, metavar="S", help="end after this time; it goes on until it is ended by default")
    return parser
