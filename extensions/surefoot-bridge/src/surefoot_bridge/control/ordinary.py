"""The ordinary tick of a single robot by the compiled core: nobody asks for anything, and nothing is wrong.

It is what :class:`~surefoot_bridge.control.Controller` does with NumPy, to the bit: one copy of
all that comes in, one call, one copy of what comes out. Whatever is not ordinary, and whatever is not of the shape and
kind that the loop gives, is left to NumPy, which judges it or says what is wrong with it.
"""

import ctypes
import struct
from operator import attrgetter
from typing import Optional, Tuple

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.core import AnswerArguments, CalmArguments, Frame, GlanceArguments
from surefoot_bridge.policy import Memory, Observations, ObservationState, Targets, TargetState
from surefoot_bridge.safety import Safety, SafetyVerdict
from surefoot_bridge.safety.frozen_sensors import TRAVEL_RAD, FrozenSensors, FrozenState
from surefoot_bridge.safety.measures import Seen
from surefoot_bridge.safety.row import measured, positions_and_velocities
from surefoot_bridge.state import Mode, RobotState, by_policy

from .controller_state import ControllerState, TickInputs
from .goals import POSED
from .machine_state import MachineState
from .state_machine import Machine

_BY_POLICY, _POSED, _AT_ONCE = 1, 2, 4  # kinds of modes in core.c
_PLAIN = frozenset((bool, int, float, np.bool_, np.float64))
_NO = np.bool_(False)
_NOT_FRESH = np.zeros((), dtype=bool)
_NOT_FRESH.flags.writeable = False

_shape = attrgetter("shape")


def _shapes(*arrays: np.ndarray) -> Tuple[Tuple[int, ...], ...]:
    return tuple(map(_shape, arrays))


class OrdinaryCommand:
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
        self._numbers = np.zeros(
            row.shapes[-1][0] + 4
        )  # the single ones at the end of the row, and the times behind it
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
        now = np.float64(inputs.time_s)
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
        if _shapes(*row, report.time_s, report.battery_share, report.sequence) != self._shapes:
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
            machine.quiet_s,
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


class OrdinaryObservation:
    """What a controller shows its policy within an episode, and of which reports. It holds no state of its own.

    Args:
        core: The core's functions.
        contract: The contract.
        observations: What the policy sees.
        safety: The safety layer.
        frozen: What watches the sensors.
        tolerance: How far the length of the IMU's quaternion may be from 1.
    """

    def __init__(
        self,
        core: ctypes.PyDLL,
        contract: Contract,
        observations: Observations,
        safety: Safety,
        frozen: FrozenSensors,
        *,
        tolerance: float,
    ) -> None:
        self._core, self._dim = core, observations.dim
        n, feet, components = (
            len(contract.robot.joint_names),
            len(contract.robot.foot_names),
            len(contract.command.names),
        )
        joints = {"target": n, "same_s": 1 + n, "travel_rad": n}
        widths = {"measured": 10 + 2 * n, "foot_force": feet, **joints, "velocity": components, "action": n}
        widths = {**widths, "before": 10 + 2 * n, "target_before": n}
        made = {"gravity": 3, "contact": feet}
        frame = Frame(**widths, **made)
        self._at = frame.at
        self._report = frame.numbers[: frame.at["foot_force"].stop]
        self._given = frame.numbers[: frame.at["target_before"].stop]
        self._kept = frame.numbers[: frame.at["travel_rad"].stop]
        self._n, self._shapes = n, ((4,), (3,), (3,), (n,), (n,), (feet,))
        self._other_shapes = ((components,), (self._dim,), (n,))
        # A robot that does not feel its feet shows none; where its policy looks at them, NumPy says so.
        self._no_feet = None if "foot_contact" in observations.sources else np.zeros(feet)
        now = len(observations.scale)
        self._shown, self._next = np.zeros(self._dim + now, np.float32), np.zeros(self._dim, np.float32)
        self._frozen, self._none_frozen = np.zeros(1 + n, np.uint8), np.zeros(1 + n, dtype=bool)
        self._none_frozen.flags.writeable = False
        starts = {"gyro": 4, "joint_pos": 10, "joint_vel": 10 + n, "last_action": self._at["action"].start}
        starts.update(command=self._at["velocity"].start, gravity=self._at["gravity"].start)
        starts.update(foot_contact=self._at["contact"].start)
        self._arguments = GlanceArguments(
            n=n,
            feet=feet,
            components=components,
            dim=self._dim,
            now=now,
            contact_n=observations.contact_force_n,
            control_s=frozen.control_s,
            travelled_rad=TRAVEL_RAD,
            tolerance=tolerance,
            velocity_low=safety.bounds.velocity_low,
            velocity_high=safety.bounds.velocity_high,
            origin=observations.default,
            scale=observations.scale,
            low=observations.low,
            high=observations.high,
            column=observations.columns(starts),
            shift=observations.shift.astype(np.int64),
            least_s=frozen.least_s,
            row=frame.numbers,
            **{name: frame[name] for name in (*widths, *made) if name != "action"},
            shown=self._shown,
            next=self._next,
            frozen=self._frozen,
        )

    def showable(self, report: RobotState) -> Optional[bool]:
        """Return whether a report can be shown, its checksum aside; None where NumPy has to find it out."""
        arrays = self._arrays(report)
        if _shapes(*arrays) != self._shapes:
            return None
        np.concatenate(arrays, out=self._report)
        return bool(self._core.showable(self._arguments.address))

    def __call__(self, state: ControllerState, report: RobotState, velocity: np.ndarray) -> Optional[ControllerState]:
        """Return what :meth:`Controller.observe` returns within an episode; None where that has to find it out.

        Args:
            state: The state after the last tick.
            report: A report that can be shown.
            velocity: The velocity command, (num_components,).
        """
        arrays, frozen, at = self._arrays(report), state.frozen, self._at
        shown, action = state.observation.shown, state.last_action
        if _shapes(*arrays) != self._shapes or _shapes(velocity, shown, action) != self._other_shapes:
            return None
        sent_rad = state.machine.sent[: self._n]
        now = (sent_rad, frozen.same_s, frozen.travel_rad, velocity, action, frozen.measured, frozen.target_rad)
        np.concatenate((*arrays, *now), out=self._given)
        self._shown[: self._dim] = shown
        some = self._core.glance(self._arguments.address, bool(by_policy(state.machine.mode)))
        kept = self._kept.copy()
        watched = FrozenState(
            kept[at["measured"]],
            kept[at["target"]],
            kept[at["same_s"]],
            kept[at["travel_rad"]],
            self._frozen.astype(bool) if some else self._none_frozen,
        )
        return ControllerState(
            ObservationState(self._next.copy(), _NOT_FRESH),
            state.memory,
            state.target,
            state.machine,
            state.safety,
            self._next.copy(),
            state.action,
            action,
            state.policy_command,
            watched,
            state.released,
        )

    def _arrays(self, report: RobotState) -> Tuple[np.ndarray, ...]:
        feet = report.foot_force_n
        if self._no_feet is not None and feet.shape == (0,):
            feet = self._no_feet
        imu = (report.imu_quat_wxyz, report.imu_ang_vel_rad_s, report.imu_lin_acc_m_s2)
        return (*imu, report.joint_pos_rad, report.joint_vel_rad_s, feet)


class OrdinaryAnswer:
    """What becomes of a policy's answer that is finite. It holds no state of its own.

    Args:
        core: The core's functions.
        targets: What the actions mean.
    """

    def __init__(self, core: ctypes.PyDLL, targets: Targets) -> None:
        n = len(targets.order)
        self._call, self._shape, self._filters = core.answer, (n,), targets.share is not None
        frame = Frame(command=5 * n, target=n, action=n, before=n)
        self._given = frame.numbers[6 * n :]
        self._kept, self._n = frame.numbers[: 6 * n], n
        frame["command"][:] = targets.command
        low, high = (np.full(n, -np.inf), np.full(n, np.inf)) if targets.limits is None else targets.limits
        self._arguments = AnswerArguments(
            n=n,
            share=targets.share or 0.0,
            order=targets.order.astype(np.int64),
            origin=targets.default,
            scale=targets.scale,
            least=targets.low,
            most=targets.high,
            low=low,
            high=high,
            action=frame["action"],
            before=frame["before"],
            target=frame["target"],
        )

    def __call__(self, state: ControllerState, action: np.ndarray, memory: Memory) -> Optional[ControllerState]:
        """Return what :meth:`Controller.infer` returns; None where that has to find it out.

        Args:
            state: The state after :meth:`Controller.observe`.
            action: The policy's answer, (num_joints,).
            memory: Its memory after it.
        """
        before, n = state.target, self._n
        if action.shape != self._shape or before.joint_pos_rad.shape != self._shape:
            return None
        np.concatenate((action, before.joint_pos_rad), out=self._given)
        if not self._call(self._arguments.address, self._filters and not before.fresh):
            return None
        kept = self._kept.copy()
        command, target = kept[: 5 * n], kept[5 * n :]
        command[:n] = target
        return ControllerState(
            state.observation,
            memory,
            TargetState(target, _NOT_FRESH),
            state.machine,
            state.safety,
            state.shown,
            action,
            action,
            command,
            state.frozen,
            state.released,
        )
