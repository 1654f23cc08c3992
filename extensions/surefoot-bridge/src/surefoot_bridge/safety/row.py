"""All that a check is given, side by side in one row, so that most of what rules look at takes no arithmetic."""

from operator import attrgetter
from typing import Any, Dict, Sequence, Tuple

import numpy as np

from surefoot_bridge.contract import Contract
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.robots import ALARMS
from surefoot_bridge.state import COMMAND_PARTS

from .frozen_sensors import sensors_of
from .inputs import SafetyInputs

_JOINTS = ("joint_torque_nm", "motor_temperature_c")
_IMU = {"imu_quat_wxyz": 4, "imu_lin_acc_m_s2": 3, "imu_ang_vel_rad_s": 3}
_SINGLE = ("report_age_s", "lateness_s", "operator_age_s", "wrong_crc", "policy_failed", "operator_stop")
# One call for many attributes, for a tick reads them all.
positions_and_velocities = attrgetter("joint_pos_rad", "joint_vel_rad_s")
measured = attrgetter(*_JOINTS, *_IMU)
_single = attrgetter("time_s", "report.time_s", "report.battery_share", *_SINGLE)


class Row:
    """Where the numbers of a contract's robot stand in the row.

    Args:
        contract: The contract.
    """

    def __init__(self, contract: Contract) -> None:
        joints, feet = contract.robot.sdk_joint_names, contract.robot.foot_names
        labels: Dict[str, Tuple[str, ...]] = {
            # Positions and velocities stand as those of the command do: their differences are one subtraction.
            "report.joint_pos_rad": joints,
            "report.joint_vel_rad_s": joints,
            "velocity_command": contract.command.names,
            "command": joints * len(COMMAND_PARTS),
            **{f"report.{name}": joints for name in _JOINTS},
            **{f"report.{name}": tuple("wxyz" if width == 4 else "xyz") for name, width in _IMU.items()},
            "report.foot_force_n": feet,
            "action": contract.robot.joint_names,
            "frozen": sensors_of(contract),
            "alarms": ALARMS,
            **dict.fromkeys(("time_s", "report.time_s", "report.battery_share", *_SINGLE), ("",)),
        }
        self.labels = labels
        """What the numbers of each entry belong to, in the order of the row."""
        self.width = 0
        """Length of the row."""
        self.at: Dict[str, slice] = {}
        """Where each entry stands."""
        for name, names in labels.items():
            self.at[name] = slice(self.width, self.width + len(names))
            self.width += len(names)
        self.of_report = [name for name in labels if name.startswith("report.")]
        """Entries that the robot measures."""
        num_single = 3 + len(_SINGLE)
        self.shapes = [(len(names),) for names in list(labels.values())[:-num_single]] + [(num_single,)]
        """Shapes of the arrays in the row; the single numbers are the last."""
        self.no_feet = np.zeros(len(feet))
        """What a robot that does not feel its feet feels."""

    def between(self, first: str, last: str) -> slice:
        """Return where the entries from one to another stand, both included."""
        return slice(self.at[first].start, self.at[last].stop)

    def columns(self, name: str) -> np.ndarray:
        """Return the columns of an entry, (width,)."""
        return np.arange(self.at[name].start, self.at[name].stop)

    def gather(self, batch_shape: Tuple[int, ...], inputs: SafetyInputs, command: np.ndarray) -> np.ndarray:
        """Return the row, (..., width), in float64, in which a batch and a single robot round alike.

        Args:
            batch_shape: Batch shape of the state.
            inputs: What a check is given.
            command: The command to the joints, flat, (..., 5 num_joints).

        Raises:
            SurefootError: If an array is not of the shape that contract and state demand.
        """
        report, feet = inputs.report, inputs.report.foot_force_n
        if feet.shape[-1:] == (0,):  # a robot that does not feel its feet
            feet = np.broadcast_to(self.no_feet, (*batch_shape, len(self.no_feet)))
        alarms = np.broadcast_to(inputs.alarms, (*batch_shape, len(ALARMS))) if batch_shape else inputs.alarms
        wide = (
            *positions_and_velocities(report),
            inputs.velocity_command,
            command,
            *measured(report),
            feet,
            inputs.action,
        )
        numbers = _single(inputs)
        try:
            single = np.array(numbers, dtype=np.float64)  # (num_single, ...)
        except ValueError:  # they are not all of one shape
            raise self._refusal(batch_shape, (*wide, inputs.frozen, alarms), numbers) from None
        if batch_shape:
            single = np.moveaxis(single, 0, -1)
        row = (*wide, inputs.frozen, alarms, single)
        demanded = [(*batch_shape, *shape) for shape in self.shapes] if batch_shape else self.shapes
        if [array.shape for array in row] != demanded:
            raise self._refusal(batch_shape, row[:-1], numbers)
        return np.concatenate(row, axis=-1)  # of float64, as the single numbers are

    def _refusal(
        self, batch_shape: Tuple[int, ...], wide: Sequence[np.ndarray], numbers: Sequence[Any]
    ) -> SurefootError:
        """Return what to say of the first entry of a wrong shape."""
        shapes = [array.shape for array in wide] + [(*np.shape(number), 1) for number in numbers]
        for (name, names), shape in zip(self.labels.items(), shapes):
            right = (*batch_shape, len(names))
            if shape != right:
                return SurefootError(
                    f"{name} is given as {shape}, where the contract and a state of batch shape {batch_shape} demand "
                    f"{right}; one number for each robot counts as width 1."
                )
        return SurefootError(f"What a check is given does not fit a state of batch shape {batch_shape}.")
