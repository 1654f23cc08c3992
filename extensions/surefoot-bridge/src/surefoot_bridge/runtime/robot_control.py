"""Taking a robot on the network from its own controller with a guardian beside, and giving it back after the run."""

from typing import NamedTuple, Optional, Tuple

from surefoot_bridge.guardian import Guardian, start_guardian
from surefoot_bridge.robots import NetworkRobot, Robot
from surefoot_bridge.robots.choice import RobotPlace

from .outcome import Rest

GUARDIAN_TIMEOUT_S = 0.1
"""How long the loop may be silent until the guardian damps the robot [s]: as long as safety lets a robot be without a
new report."""


class Plan(NamedTuple):
    """What will become of a robot's own controller, for the checklist.

    Attributes:
        notes: What the operator must know, one sentence each.
        confirmations: What people must have seen to.
    """

    notes: Tuple[str, ...]
    confirmations: Tuple[str, ...]


def plan_of(robot: Robot, place: RobotPlace, *, hand_back: bool) -> Plan:
    """Return what will become of a robot's own controller; nothing for robots that are not on the network.

    Args:
        robot: The robot.
        place: Where it is.
        hand_back: Whether its controller is switched on again after the run.
    """
    if place.address is None:
        return Plan((), ())
    assert isinstance(robot, NetworkRobot)
    transport = place.transport
    own = transport.own_controller
    if own is None:
        return Plan((), transport.confirmations)
    active = robot.own_controller
    needs = f"{own.needs}: its own controller is switched off before the first command, and its joints go limp."
    if not active:
        where = "it does not say whether a controller of its own is on" if active is None else "none of its own is on"
        return Plan((f"Controller: {where}.",), (needs, *transport.confirmations))
    told = f"Controller: its own, {active!r}, brings it to rest ({own.rest}) and is switched off"
    if not hand_back:
        return Plan((f"{told}. It stays off after the run.",), (needs, *transport.confirmations))
    after = f"when the run has ended in order, {active!r} is switched on again, and the robot {own.back}"
    return Plan((f"{told}; {after}.",), (needs, f"Nobody is within reach: {after}.", *transport.confirmations))


def take_control(robot: Robot, place: RobotPlace, *, without_switcher: bool) -> Optional[Guardian]:
    """Take control of a robot on the network, with a guardian beside; others are controlled by whoever has them.

    Args:
        robot: The robot.
        place: Where it is.
        without_switcher: Whether to go on where it does not say which controller of its own is active.

    Raises:
        SurefootError: If control cannot be taken, or there is no guardian. Nothing was commanded then.
    """
    if place.address is None:
        return None
    assert isinstance(robot, NetworkRobot)
    guardian = start_guardian(
        place.address,
        timeout_s=GUARDIAN_TIMEOUT_S,
        lock=robot.lock,
        command=robot.guardian_command(),
        transport=place.name,
    )
    try:
        robot.take_control(without_switcher=without_switcher)
    except BaseException:
        guardian.release()
        raise
    return guardian


def let_go(robot: Robot, guardian: Optional[Guardian], *, in_order: bool, hand_back: bool) -> Optional[Rest]:
    """Give a robot back to its own controller where that was asked for and it is safe, and say what is known of it.

    Args:
        robot: The robot.
        guardian: Its guardian, which has been released; None for robots that are not on the network.
        in_order: Whether the run ended in order: the robot rests.
        hand_back: Whether its own controller is to be switched on again.
    """
    if guardian is None:
        return None
    assert isinstance(robot, NetworkRobot)
    known, words, name = not guardian.doubt, guardian.last_words, robot.taken_from
    if not name or not hand_back:
        return Rest(known, words)
    if not in_order or guardian.goes_on:
        why = "the run did not end in order" if known else "it is not known that the robot is damped"
    else:
        why = robot.release()
    if not why:
        return Rest(known, f"{words} Its own controller {name!r} is on again.")
    return Rest(known, f"{words} Its own controller {name!r} stays off ({why}): see to the robot, then switch it on.")
