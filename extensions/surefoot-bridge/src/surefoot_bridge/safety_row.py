"""All that a check is given, side by side in one row, so that most of what rules look at takes no arithmetic."""

from typing import Dict, List, Tuple

import numpy as np

from .contract import Contract
from .errors import SurefootError
from .safety_inputs import SafetyInputs
from .state import JointCommand

_COMMAND = ("joint_pos_rad", "joint_vel_rad_s", "stiffness_nm_per_rad", "damping_nms_per_rad", "torque_nm")
_JOINTS = ("joint_vel_rad_s", "joint_torque_nm", "motor_temperature_c")
_IMU = {"imu_quat_wxyz": 4, "imu_lin_acc_m_s2": 3, "imu_ang_vel_rad_s": 3}
_SINGLE = ("report_age_s", "lateness_s", "operator_age_s", "wrong_crc", "policy_failed", "operator_stop")


class Row:
    """Where the numbers of a contract's robot stand in the row.

    Args:
        contract: The contract.
    """

    def __init__(self, contract: Contract) -> None:
        joints, feet = contract.robot.sdk_joint_names, contract.robot.foot_names
        labels: Dict[str, Tuple[str, ...]] = {
            "report.joint_pos_rad": joints,
            "velocity_command": contract.command.names,
            **{f"command.{name}": joints for name in _COMMAND},
            **{f"report.{name}": joints for name in _JOINTS},
            **{f"report.{name}": tuple("wxyz" if width == 4 else "xyz") for name, width in _IMU.items()},
            "report.foot_force_n": feet,
            "action": contract.robot.joint_names,
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
        self.command = self.between("command.joint_pos_rad", "command.torque_nm")
        """Where the command to the joints stands, its parts side by side."""
        self.of_report = [name for name in labels if name.startswith("report.")]
        """Entries that the robot measures."""
        self._shapes = [(len(names),) for names in labels.values()]
        self._no_feet = np.zeros(len(feet))

    def between(self, first: str, last: str) -> slice:
        """Return where the entries from one to another stand, both included."""
        return slice(self.at[first].start, self.at[last].stop)

    def columns(self, name: str) -> np.ndarray:
        """Return the columns of an entry, (width,)."""
        return np.arange(self.at[name].start, self.at[name].stop)

    def gather(self, batch_shape: Tuple[int, ...], inputs: SafetyInputs, command: JointCommand) -> np.ndarray:
        """Return the row, (..., width), in float64, in which a batch and a single robot round alike.

        Raises:
            SurefootError: If an array is not of the shape that contract and state demand.
        """
        report, feet = inputs.report, inputs.report.foot_force_n
        if feet.shape[-1:] == (0,):  # a robot that does not feel its feet
            feet = np.broadcast_to(self._no_feet, (*batch_shape, len(self._no_feet)))
        wide: List[object] = [report.joint_pos_rad, inputs.velocity_command]
        wide += [getattr(command, name) for name in _COMMAND]
        wide += [getattr(report, name) for name in (*_JOINTS, *_IMU)]
        wide += [feet, inputs.action]
        single = [inputs.time_s, report.time_s, report.battery_share]
        single += [getattr(inputs, name) for name in _SINGLE]
        row = [np.asarray(value, dtype=np.float64) for value in wide]
        row += [np.asarray(value, dtype=np.float64)[..., None] for value in single]
        demanded = [(*batch_shape, *shape) for shape in self._shapes] if batch_shape else self._shapes
        shapes = [array.shape for array in row]
        if shapes != demanded:
            name, shape, right = next(item for item in zip(self.labels, shapes, demanded) if item[1] != item[2])
            raise SurefootError(
                f"{name} is given as {shape}, where the contract and a state of batch shape {batch_shape} demand "
                f"{right}; one number for each robot counts as width 1."
            )
        return np.concatenate(row, axis=-1)
