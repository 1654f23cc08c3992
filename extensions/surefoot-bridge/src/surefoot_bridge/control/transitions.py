"""From mode to mode: what a request leads to, what safety makes of it, and when a motion ends and the next begins."""

from typing import Tuple

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.safety import Response
from surefoot_bridge.state import Mode, RobotState, by_policy, tilt
from surefoot_bridge.state.batch import some
from surefoot_bridge.state.modes import REFUSED, descents, obeyed

from .machine_state import MachineState

RAMP_S = 0.4
"""In which time the velocity that a stopping robot is asked for falls to 0 [s]: one stride; from 1 m/s at 2.5 m/s^2 on
average, a quarter of gravity. Assumption."""

STOP_S = 1.5
"""How long the policy has to bring a level robot to rest [s]; then it is caught in a crouch. From 1 m/s a Go2 takes
0.86 to 1.0 s (MuJoCo)."""

TILTED_STOP_S = 0.8
"""How long it has for one that leans [s]: two strides. A policy of flat ground takes a robot that slides down a slope
for one at rest, and lets it tip over its front feet: of 200 Go2 that were stopped down 10 degrees 81 fell with 1.5 s,
43 with 1 s, and of 100 none with 0.8 s (MuJoCo)."""

LEVEL_RAD = 0.1
"""Tilt of the base up to which a robot counts as level [rad]. With it none of 100 Go2 each that were stopped at 0.3 m/s
up and down 3, 5, 6 and 7 degrees fell (MuJoCo); the table of falls has 10 degrees."""

CROUCHED_S = 1.0
"""How long a robot crouches at most until it stands up [s], at rest or not. Assumption."""

LOWERED_S = 1.0
"""How long a robot stays damped at least until a release makes it limp [s]: from a stand of 0.3 m it sinks within that
time. Assumption."""

DAMPED_S = 3.0
"""How long it stays damped at most then [s], at rest or not: one that is carried, or whose sensors are broken, never
is. Assumption."""

QUIET_S = 0.2
"""How long joints and base must have been quiet until a robot has come to rest [s]: half a stride, in which a robot
that steps on the spot lifts a leg. Assumption."""

QUIET_JOINT_RAD_S = 1.0
"""Speed below which a joint is quiet [rad/s]; that of a leg in the air is several times as large. Assumption."""

QUIET_BASE_RAD_S = 0.5
"""Angular velocity below which the base is quiet [rad/s]. Assumption."""

# Comparisons with a member of an enumeration take twice as long as those with its code.
_PASSIVE, _STAND, _WALK = np.int8(Mode.PASSIVE), np.int8(Mode.STAND), np.int8(Mode.WALK)
_STOP, _CROUCH, _DAMPED = np.int8(Mode.STOP), np.int8(Mode.CROUCH), np.int8(Mode.DAMPED)
_ANSWER_STOP, _ANSWER_HOLD, _ANSWER_STAND = (np.int8(r) for r in (Response.STOP, Response.HOLD, Response.STAND))
_DAMP, _ZERO = np.int8(Response.DAMP), np.int8(Response.ZERO)


class Transitions:
    """When a contract's robot goes from one mode to another, for any batch shape. It holds no state of its own.

    A robot that is asked to stand, sit or be passive gets there on the way walk, stop, crouch, stand, sit, passive, and
    each mode on the way waits for the motion of the one before it: legs of a walking robot come to the ground first,
    and a robot becomes limp only when it has sat down, or when the damping has lowered it. One that its policy has
    brought to rest need not crouch. Where safety stops a walking robot, it stands until it is asked to walk; one that
    needs a gantry goes on balancing by its policy.

    Args:
        contract: The contract.
    """

    def __init__(self, contract: Contract) -> None:
        self._first, self._last = obeyed()
        self._descent = descents()
        self._rest = _STAND if contract.handling.rests_without_gantry else _STOP

    def step(
        self, state: MachineState, report: RobotState, request: np.ndarray, response: np.ndarray, passed_s: np.ndarray
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return what drives each robot from now on.

        Args:
            state: The state after the last step.
            report: The robot's last report.
            request: What the operator asks for, (...,).
            response: The last response of safety, (...,).
            passed_s: Time since the last step [s], (...,).

        Returns:
            The mode and the mode to which it is on the way, (...,), int8 each; whether the request was refused, (...,),
            bool; for how long a stopping robot has been quiet [s], (...,).
        """
        mode, last = state.mode, self._last[state.mode, request]
        first = np.asarray(self._first[mode, request])
        moved = state.moved_s >= state.motion_s
        starts = (first == _WALK) & (mode != _WALK)
        may_start = (response < _ANSWER_STOP) & ((mode == _STOP) | moved)
        refused = (first == REFUSED) | (starts & ~may_start)
        stays = refused | (request == 0)
        asked, wanted = np.where(stays, mode, first), np.where(stays, state.wanted, last)

        quiet_s = quiet_time(state, report, passed_s)
        below = self._descent[mode]
        stopping, crouches, damped = mode == _STOP, mode == _CROUCH, mode == _DAMPED
        if some(stopping | crouches):
            at_rest = (quiet_s >= QUIET_S) & (state.moved_s >= np.where(stopping, RAMP_S, state.motion_s))
            longest_s = np.where(tilt(report.imu_quat_wxyz) <= LEVEL_RAD, STOP_S, TILTED_STOP_S)
            moved = np.where(stopping, at_rest | (state.moved_s >= longest_s), moved)
            moved = np.where(crouches, at_rest | (state.moved_s >= CROUCHED_S), moved)
            below = np.where(stopping & at_rest, _STAND, below)
        if some(damped):  # it has sunk down where nothing moves any more
            lowered = (state.moved_s >= LOWERED_S) & _quiet(report)
            moved = np.where(damped, lowered | (state.moved_s >= DAMPED_S), moved)
        goes_down = (asked == mode) & (wanted != mode) & moved & (response != _ANSWER_HOLD)
        asked = np.where(goes_down, below, asked)

        stops = (response == _ANSWER_STOP) & (asked == _WALK)
        stands = (response == _ANSWER_STAND) & by_policy(asked)
        if some(stops | stands):
            rest = np.where(stands, _STAND, self._rest)
            asked = np.where(stands, _CROUCH, np.where(stops, _STOP, asked))
            wanted = np.where((stops | stands) & by_policy(wanted), rest, wanted)
        if some(response >= _DAMP):
            zero = response == _ZERO
            stays_damped = (response == _DAMP) | (zero & damped)
            mode_now = np.where(stays_damped, _DAMPED, np.where(zero, _PASSIVE, asked))
            releases = stays_damped & (mode == _DAMPED) & (last == _PASSIVE)
            refused = refused | ((request != 0) & ((mode_now != asked) | releases))
            wanted = np.where(stays_damped | zero, mode_now, wanted)
            asked = mode_now
        return asked.astype(np.int8)[()], wanted.astype(np.int8)[()], np.asarray(refused)[()], np.asarray(quiet_s)[()]


def quiet_time(state: MachineState, report: RobotState, passed_s: np.ndarray) -> np.ndarray:
    """Return for how long a robot that stops or crouches has been quiet [s], (...,); of any other what it was.

    Args:
        state: The state after the last step.
        report: The robot's last report.
        passed_s: Time since the last step [s], (...,).
    """
    slows = (state.mode == _STOP) | (state.mode == _CROUCH)
    if not some(slows):
        return state.quiet_s
    return np.where(slows, np.where(_quiet(report), state.quiet_s + passed_s, 0.0), state.quiet_s)[()]


def velocity_share(state: MachineState) -> np.ndarray:
    """Return the share of the velocity command that the policy is asked for: it falls to 0 while a robot stops, (...,).

    Args:
        state: The state after the last step.
    """
    left = np.maximum(1.0 - state.moved_s / RAMP_S, 0.0)
    return np.where(state.mode == _STOP, left, 1.0)


def _quiet(report: RobotState) -> np.ndarray:
    """Return where neither joints nor base move much, (...,), bool; what is not a number is not quiet."""
    joints = np.logical_and.reduce(np.abs(report.joint_vel_rad_s) < QUIET_JOINT_RAD_S, axis=-1)
    return joints & np.logical_and.reduce(np.abs(report.imu_ang_vel_rad_s) < QUIET_BASE_RAD_S, axis=-1)
