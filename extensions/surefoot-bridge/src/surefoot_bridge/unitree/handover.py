"""How a robot passes from its own controller to a bridge, and back.

A Go2 is told to lie down before its controller is switched off, as Unitree's ``go2_stand_example.py`` does
(``StandDown``, ``ReleaseMode`` until ``CheckMode`` names none); that example does not wait for the motion, so a robot
that stands when its controller ends falls onto its belly. Here its reports must show that it lies. A G1 has no such
motion: Unitree's ``g1_low_level_example.py`` only releases, with the robot on its gantry; here it is told to be damped
first (``Damp`` of ``LocoClient``), so that it is not let go of from stiff joints. Back again it is ``SelectMode`` with
the name that ``CheckMode`` gave before: a Go2 stands up then, a G1 has no torque until its remote or app tells it
something.
"""

import time
from dataclasses import dataclass
from typing import Callable, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import OwnControllerFacts, RobotAddress

from .dds.participant import Participant
from .motion_switcher import MotionSwitcher
from .service import Service, ServiceError

SPORT = "sport"
"""Service of a robot's own controller. That of a G1 is called ``loco`` before version 8.2 of its ``ai_sport``; such a
robot does not answer, and is released as in Unitree's example."""

STAND_DOWN, SET_FSM = 1005, 7101
DAMP = {"data": 1}

_ANSWER_S = 2.0
_LIE_DOWN_S, _STILL_S = 10.0, 0.5
_STILL_RAD_S = 0.3
_AGAIN_S = 0.2
_BUSY = 7002  # of the motion switcher: "service busy, retry"
_SELECT_S = 15.0  # a controller is a program that must start

BY_HAND = "Switch it off by hand (Go2: Unitree's app; G1: debug mode, L2+R2 on its remote)."


@dataclass(frozen=True)
class Rest:
    """How a robot is brought to rest by its own controller.

    Attributes:
        api_id: What its service is asked for.
        parameter: With what.
        folded_below_rad: Ends of joints' names, and below which angle they are when the robot lies [rad]; none for one
            that hangs.
        facts: What that is called, what must hold before, and what the robot does afterwards, for the checklist.
    """

    api_id: int
    parameter: Mapping[str, int]
    folded_below_rad: Tuple[Tuple[str, float], ...]
    facts: OwnControllerFacts


RESTS = {
    "unitree_go2": Rest(
        api_id=STAND_DOWN,
        parameter={},
        # The vendor's example folds calves to -2.65 rad and stands with -1.3; half way between.
        folded_below_rad=(("_calf_joint", -2.0),),
        facts=OwnControllerFacts(
            needs="The Go2 stands or lies on flat ground with a metre free around it",
            rest="StandDown",
            back="stands up by itself",
        ),
    ),
    "unitree_g1": Rest(
        api_id=SET_FSM,
        parameter=DAMP,
        folded_below_rad=(),
        facts=OwnControllerFacts(
            needs="The G1 hangs from its gantry with its feet off the ground",
            rest="Damp",
            back="has no torque until its remote or its app tells it what to do: the gantry carries it",
        ),
    ),
}


class Joints(NamedTuple):
    """What a robot's newest report says of its joints, in the order of its motors.

    Attributes:
        pos_rad: Positions [rad].
        vel_rad_s: Velocities [rad/s].
    """

    pos_rad: np.ndarray
    vel_rad_s: np.ndarray


class Handover:
    """Takes a robot from its own controller, and gives it back.

    Args:
        participant: Who asks.
        address: Where the robot is.
        joint_names: Its joints in the order of its motors.
        switcher: Its motion switcher.
        joints: Says what its newest report says.
    """

    def __init__(
        self,
        participant: Participant,
        address: RobotAddress,
        joint_names: Tuple[str, ...],
        switcher: MotionSwitcher,
        joints: Callable[[], Joints],
    ) -> None:
        self._address, self._switcher, self._joints = address, switcher, joints
        self._sport = Service(participant, SPORT)
        self._rest = RESTS[address.robot]
        self._folded = [
            (i, limit)
            for i, name in enumerate(joint_names)
            for end, limit in self._rest.folded_below_rad
            if name.endswith(end)
        ]

    def take(self, timeout_s: float, *, without_switcher: bool = False) -> Optional[str]:
        """Bring the robot to rest by its own controller, and switch that off.

        Args:
            timeout_s: How long it may take to be switched off [s].
            without_switcher: Whether to go on where the robot does not say which controller is active.

        Returns:
            The name of the controller that was active, empty for none; None where the robot does not say.

        Raises:
            SurefootError: If the robot does not answer or come to rest, or its controller stays on.
        """
        taken = name = self._active(without_switcher)
        if name:
            self._bring_to_rest(name)
        until = time.monotonic() + timeout_s
        while name:
            if time.monotonic() > until:
                raise SurefootError(
                    f"{self._address}: its own controller {name!r} stays on after {timeout_s:.0f} s. {BY_HAND}"
                )
            self._switcher.release(timeout_s=1.0)
            time.sleep(_AGAIN_S)
            name = self._active(without_switcher)
        return taken

    def give_back(self, name: str) -> str:
        """Switch the robot's own controller on again. Nobody must command the robot any more.

        Returns:
            Why it is not on, for a person; empty where it is.
        """
        until, why = time.monotonic() + _SELECT_S, "it does not answer"
        while time.monotonic() < until:
            try:
                self._switcher.select(name, timeout_s=1.0)
                active = self._switcher.active(timeout_s=1.0)
            except ServiceError as error:
                if error.code != _BUSY:
                    return str(error)
                active, why = None, str(error)
            except SurefootError as error:
                return str(error)
            if active == name:
                return ""
            time.sleep(_AGAIN_S)
        return f"{why} within {_SELECT_S:.0f} s"

    def _active(self, without_switcher: bool) -> Optional[str]:
        name = self._switcher.active(timeout_s=1.0)
        if name is None and not without_switcher:
            raise SurefootError(
                f"{self._address} does not say which controller of its own is active (no answer on "
                "rt/api/motion_switcher). Switch it off by hand (Go2: Unitree's app, motion service off; G1: debug "
                "mode, L2+R2 on its remote), then start with --without-switcher; a simulator has none: give it too."
            )
        return name

    def _bring_to_rest(self, name: str) -> None:
        rest = self._rest
        if self._folded and self._lies():
            return
        try:
            answered = self._sport.call(rest.api_id, rest.parameter, timeout_s=_ANSWER_S) is not None
            why = "" if answered else "it does not answer"
        except ServiceError as error:
            why = str(error)
        if not self._folded:  # it hangs, which was confirmed
            time.sleep(_STILL_S)
            return
        until, since = time.monotonic() + _LIE_DOWN_S, time.monotonic()
        while time.monotonic() - since < _STILL_S:
            if time.monotonic() > until:
                raise SurefootError(
                    f"{self._address} does not lie down by its own controller {name!r} ({rest.facts.rest}"
                    f"{': ' + why if why else ''}) within {_LIE_DOWN_S:.0f} s, and is not let fall. Let it lie down by "
                    "its remote or app, then start again."
                )
            time.sleep(_AGAIN_S / 10.0)
            if not self._lies():
                since = time.monotonic()

    def _lies(self) -> bool:
        joints = self._joints()
        folded = all(joints.pos_rad[i] < limit for i, limit in self._folded)
        return folded and bool(np.max(np.abs(joints.vel_rad_s)) < _STILL_RAD_S)
