"""The ordinary tick of a single robot by the compiled core: nobody asks for anything, and nothing is wrong.

It is what :class:`~surefoot_bridge.control.Controller` does with NumPy, to the bit: one copy of all that comes in, one
call, one copy of what comes out. Whatever is not ordinary, or not of the shape and kind that the loop gives, is left to
NumPy, which judges it or says what is wrong with it.
"""

import ctypes
import struct
from typing import Any, Optional, Tuple

import numpy as np

from surefoot_bridge.core import CalmArguments, Frame
from surefoot_bridge.safety import Safety, SafetyVerdict
from surefoot_bridge.safety.measures import Seen
from surefoot_bridge.safety.row import measured, positions_and_velocities
from surefoot_bridge.state import Mode, RobotState, by_policy
from surefoot_bridge.state.batch import shapes

from .controller_state import ControllerState, TickInputs
from .goals import POSED
from .machine_state import MachineState
from .state_machine import Machine
from .transitions import quiet_time

_BY_POLICY, _POSED, _AT_ONCE = 1, 2, 4  # kinds of modes in core.c
_PLAIN = frozenset((bool, int, float, np.bool_, np.float64))
_NO: Any = np.bool_(False)  # a scalar, as single robots have them


class OrdinaryTick:
    """The step of a machine and the check of a safety layer in which nothing happens. It holds no state of its own.

    Args:
        core: The core's functions.
        machine: The state machine.
        safety: The safety layer.
    """

    def __init__(self, core: ctypes.PyDLL, machine: Machine, safety: Safety) -> None:
        self._call, self._safety, self._longest_step_s = core.calm, safety, machine.longest_step_s
        row, check, n = safety.row, safety.fast_check, safety.bounds.num_joints
        self._shapes, self._no_feet = (*row.shapes[:-1], (), (), ()), row.no_feet
        widths = {"moved": n, "seen_s": 2, "seen": 5 * n, "sent": 5 * n, "start": n, "source": 5 * n}
        frame = self._frame = Frame(row=row.width, times_s=4, **widths)
        self._numbers = np.zeros(row.shapes[-1][0] + 4)  # the row's single ones, and the times behind it
        self._pack = struct.Struct(f"{len(self._numbers)}d").pack_into
        modes = np.array(list(Mode))
        kinds = _BY_POLICY * by_policy(modes) + _POSED * POSED + _AT_ONCE * np.isin(modes, (Mode.PASSIVE, Mode.DAMPED))
        self._kinds = kinds.tolist()
        in_row = {"q": "report.joint_pos_rad", "dq": "report.joint_vel_rad_s", "told": "command"}
        self._q, self._dq, self._told = (row.at[name] for name in in_row.values())
        self._clocks = row.between("time_s", "report.time_s")
        self._row, self._moved, self._kept = frame.at["row"], frame.at["moved"], frame.numbers[: frame.at["moved"].stop]
        self._arguments = CalmArguments(
            n=n,
            width=row.width,
            period_s=safety.bounds.control_period_s,
            fixed=machine.goals.fixed,
            low=check.low,
            high=check.high,
            rate_rad_s=safety.bounds.rate_rad_s,
            attitude=check.attitude,
            row=frame["row"],
            **{name: frame["row"][row.at[entry]] for name, entry in in_row.items()},
            clocks_s=frame["row"][self._clocks],
            squared=frame["row"][row.between("report.imu_quat_wxyz", "report.imu_lin_acc_m_s2")],
            times_s=frame["times_s"],
            **{name: frame[name] for name in widths},
        )

    def __call__(
        self, state: ControllerState, report: RobotState, inputs: TickInputs
    ) -> Optional[Tuple[SafetyVerdict, ControllerState]]:
        """Return what :meth:`Controller.command` returns; None where that has to find it out."""
        machine, safety, request = state.machine, state.safety, inputs.request
        single = (
            inputs.time_s,
            report.time_s,
            report.battery_share,
            inputs.report_age_s,
            inputs.lateness_s,
            inputs.operator_age_s,
            inputs.wrong_crc,
            inputs.policy_failed,
            inputs.operator_stop,
        )
        if machine.mode.ndim or type(request) is not np.int8 or not _PLAIN.issuperset(map(type, single[3:])):
            return None
        asked = request or inputs.operator_release or state.released or safety.response
        if asked or machine.held or machine.wanted != machine.mode or type(inputs.time_s) is not float:
            return None
        now: Any = np.float64(inputs.time_s)
        passed = now - machine.time_s
        if not (0.0 <= passed <= self._longest_step_s and int(report.sequence) > int(safety.seen.sequence)):
            return None
        feet = report.foot_force_n
        row = (
            *positions_and_velocities(report),
            inputs.velocity_command,
            state.policy_command,
            *measured(report),
            feet if feet.shape != (0,) else self._no_feet,
            state.action,
            state.frozen.frozen,
            inputs.alarms,
        )
        if shapes(*row, report.time_s, report.battery_share, report.sequence) != self._shapes:
            return None
        moved_s, blended_s, seen = machine.moved_s + passed, machine.blended_s + passed, safety.seen
        self._pack(self._numbers, 0, *single, moved_s, machine.motion_s, blended_s, machine.handover_s)
        before = (seen.moved_rad, seen.time_s, seen.command, machine.sent, machine.start_rad, machine.source)
        np.concatenate((*row, self._numbers, *before), out=self._frame.numbers)
        mode = int(machine.mode)
        if not self._call(self._arguments.address, mode, self._kinds[mode]):
            return None
        kept = self._kept.copy()
        told = kept[self._told]
        left = Seen(kept[self._clocks], report.sequence, kept[self._q], kept[self._dq], told, kept[self._moved])
        verdict = self._safety.content(safety, left, kept[self._row], _NO, inputs.time_s)
        going = MachineState(
            machine.mode[()],
            machine.wanted[()],
            quiet_time(machine, report, passed),
            machine.held,
            machine.held,
            now,
            moved_s,
            machine.motion_s,
            machine.start_rad,
            blended_s,
            machine.handover_s,
            machine.unfinished_s,
            machine.source,
            told,
        )
        following = ControllerState(
            state.observation,
            state.memory,
            state.target,
            going,
            verdict.state,
            state.shown,
            state.action,
            state.last_action,
            state.policy_command,
            state.frozen,
            _NO,
        )
        return verdict, following
