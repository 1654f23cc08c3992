"""The ordinary control step of a single robot by the compiled core: what its policy is shown, and what it answers.

As in :mod:`.ordinary_tick`, it is what the controller does with NumPy, to the bit, and all else is left to NumPy.
"""

import ctypes
from typing import Dict, Optional, Tuple

import numpy as np

from surefoot_bridge.contract import Contract, Source
from surefoot_bridge.core import AnswerArguments, Frame, GlanceArguments
from surefoot_bridge.policy import Memory, Observations, ObservationState, Targets, TargetState
from surefoot_bridge.safety import Safety
from surefoot_bridge.safety.frozen_sensors import TRAVEL_RAD, FrozenSensors, FrozenState
from surefoot_bridge.state import RobotState, by_policy
from surefoot_bridge.state.batch import shapes

from .controller_state import ControllerState

_NOT_FRESH = np.zeros((), dtype=bool)
_NOT_FRESH.flags.writeable = False


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
        robot, components = contract.robot, len(contract.command.names)
        n, feet = len(robot.joint_names), len(robot.foot_names)
        kept = {"measured": 10 + 2 * n, "foot_force": feet, "target": n, "same_s": 1 + n, "travel_rad": n}
        given = {"velocity": components, "action": n, "before": 10 + 2 * n, "target_before": n}
        widths = {**kept, **given, "gravity": 3, "contact": feet}
        frame = Frame(**widths)
        at = self._at = frame.at
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
        starts: Dict[Source, int] = {
            "gyro": 4,
            "joint_pos": 10,
            "joint_vel": 10 + n,
            "command": at["velocity"].start,
            "last_action": at["action"].start,
            "gravity": at["gravity"].start,
            "foot_contact": at["contact"].start,
        }
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
            **{name: frame[name] for name in widths if name != "action"},
            shown=self._shown,
            next=self._next,
            frozen=self._frozen,
        )

    def showable(self, report: RobotState) -> Optional[bool]:
        """Return whether a report can be shown, its checksum aside; None where NumPy has to find it out."""
        arrays = self._arrays(report)
        if shapes(*arrays) != self._shapes:
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
        if shapes(*arrays) != self._shapes or shapes(velocity, shown, action) != self._other_shapes:
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
