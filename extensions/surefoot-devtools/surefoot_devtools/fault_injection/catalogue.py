"""Every fault by name: what it does, which rules are expected to act, and where the robot must be how soon.

Times follow from the graces of :class:`~surefoot_bridge.safety.StageLimits` at their defaults, plus one control
period and two low-level ticks, in which what has gone wrong is noticed.
"""

from collections.abc import Mapping

from surefoot_bridge.errors import unknown_name
from surefoot_bridge.runtime.robot_control import GUARDIAN_TIMEOUT_S
from surefoot_bridge.safety import Response

from .fault import AT_ONCE_S as _AT_ONCE_S
from .fault import LONG_S as _LONG_S
from .fault import LOST as _LOST
from .fault import LOST_S as _LOST_S
from .fault import NOTICE_S as _NOTICE_S
from .fault import Fault
from .part_kinds import PART_KINDS
from .remote_kinds import REMOTE_KINDS
from .robot_kinds import ROBOT_KINDS


def fault_of(name: str, faults: Mapping[str, Fault] | None = None) -> Fault:
    """Return a fault.

    Args:
        name: Its name.
        faults: Those that there are; :data:`FAULTS` by default.

    Raises:
        SurefootError: If there is none of this name.
    """
    faults = FAULTS if faults is None else faults
    if name not in faults:
        raise unknown_name("fault", name, faults)
    return faults[name]


_NONE, _CLAMP, _STOP, _HOLD, _STAND, _DAMP = (
    Response[name] for name in ("NONE", "CLAMP", "STOP", "HOLD", "STAND", "DAMP")
)
_HELD_S = 0.04 + _NOTICE_S  # longest_hold_s; then a walking robot stands without its policy
_HALF_STRIDE_S = 0.2  # in which the target of a walking joint moves far enough to tell that its encoder stands still
_FIELDS = {
    "joint_pos_rad": "joint position",
    "joint_vel_rad_s": "joint velocity",
    "joint_torque_nm": "joint torque",
    "motor_temperature_c": "motor temperature",
    "imu_quat_wxyz": "component of the IMU's quaternion",
    "imu_ang_vel_rad_s": "component of the angular velocity",
    "imu_lin_acc_m_s2": "specific force",
    "foot_force_n": "foot force",
    "battery_share": "charge of the battery",
}
ALARM_PREFIX = "alarm_"
"""Begins the names of faults that raise an alarm of the robot; its name follows."""

_ALARM_S = 0.1 + _NOTICE_S  # alarm_grace_s
_ALARMS = (
    ("other_commander", "Another program commands the robot.", _DAMP, _AT_ONCE_S, False),
    ("own_controller", "The robot's own controller becomes active.", _DAMP, _AT_ONCE_S, False),
    ("other_variant", "The robot says that it is another variant than before.", _DAMP, _AT_ONCE_S, False),
    ("robot_clock_rate", "The robot's clock begins to run at another rate.", _STOP, _ALARM_S, False),
    ("motor_fault", "A motor reports a fault.", _STOP, _ALARM_S, True),
    ("motor_link", "Messages of a motor are lost.", _STOP, _ALARM_S, True),
    ("battery_silent", "The battery reports no more.", _STOP, _ALARM_S, True),
)
NAN_PREFIX = "nan_"
"""Begins the names of faults that make a number of a report not a number; the field's name follows."""

_LIST: tuple[Fault, ...] = (
    # Messages from the robot.
    Fault("reports_stop", "No report comes any more.", "robot", _LOST, _DAMP, 0.04 + _LOST_S, _LONG_S),
    Fault("reports_pause", "No report comes for 70 ms.", "robot", ("report_stale", "report_repeated"), _HOLD,
          0.04 + _AT_ONCE_S, 0.07),
    Fault("reports_thin", "Every second report is lost.", "robot", (), _NONE, _LONG_S, _LONG_S),
    Fault("reports_sparse", "Nine of ten reports are lost.", "robot", (), _NONE, _LONG_S, _LONG_S),
    Fault("reports_late", "Every report comes 100 ms late.", "robot", (*_LOST, "report_repeated"), _DAMP,
          0.1 + _LOST_S, _LONG_S),
    Fault("reports_bit_late", "Every report comes 10 ms late.", "robot", (), _NONE, _LONG_S, _LONG_S),
    Fault("report_duplicated", "One report comes again and again.", "robot", ("report_repeated",), _DAMP, _LOST_S,
          _LONG_S),
    Fault("reports_twice", "Every report comes twice.", "robot", (), _NONE, _LONG_S, _LONG_S),
    # Of two reports one is new, at most 4 ms after the other: the policy knows as much as from every second report.
    Fault("reports_swapped", "Reports come in the wrong order, every second before the one that it follows.", "robot",
          (), _NONE, _LONG_S, _LONG_S),
    Fault("reports_corrupt", "Every report has a wrong checksum.", "robot", ("report_crc",), _DAMP, _LOST_S, _LONG_S),
    Fault("report_corrupt", "One report has a wrong checksum.", "robot", ("report_crc",), _HOLD, _AT_ONCE_S, 0.002),
    Fault("read_raises", "Reading a report raises an exception.", "robot", _LOST, _DAMP, 0.04 + _LOST_S, _LONG_S),
    Fault("robot_restarts", "The robot counts its reports and its time from 0 again.", "robot",
          ("report_order", "clock_back"), _DAMP, _LOST_S, _LONG_S),
    Fault("sequence_frozen", "All reports have the same number.", "robot", ("report_repeated",), _DAMP, _LOST_S,
          _LONG_S),
    Fault("robot_clock_ahead", "The robot's clock jumps 10 s ahead.", "robot", ("clock_jump",), _DAMP, _AT_ONCE_S,
          _LONG_S),
    Fault("robot_clock_back", "The robot's clock jumps 1 s back.", "robot", ("clock_back", "clock_jump_back"), _DAMP,
          _AT_ONCE_S, _LONG_S),
    # What the robot measures.
    *(
        Fault(f"{NAN_PREFIX}{field}", f"A {words} is not a number.", "robot", ("report_not_finite",), _DAMP, _LOST_S,
              _LONG_S)
        for field, words in _FIELDS.items()
    ),
    Fault("infinite_velocity", "A joint velocity is infinite.", "robot", ("report_not_finite",), _DAMP, _LOST_S,
          _LONG_S),
    Fault("nan_once", "One report has a joint position that is not a number.", "robot", ("report_not_finite",), _HOLD,
          _AT_ONCE_S, 0.002),
    Fault("quaternion_zero", "The IMU's quaternion is zero.", "robot", ("report_quaternion",), _DAMP, _LOST_S,
          _LONG_S),
    Fault("quaternion_long", "The IMU's quaternion is of length 1.2.", "robot", ("report_quaternion",), _DAMP, _LOST_S,
          _LONG_S),
    Fault("imu_frozen", "The IMU measures the same over and over.", "robot", ("sensor_frozen",), _STAND,
          0.1 + _HELD_S, _LONG_S, walking_only=True),
    Fault("encoder_frozen", "The encoder of a joint measures the same over and over.", "robot",
          ("sensor_frozen",), _STAND, _HALF_STRIDE_S + _HELD_S, _LONG_S, walking_only=True),
    Fault("encoder_jump", "The encoder of a joint jumps beyond the joint's range.", "robot", ("joint_position",),
          _DAMP, 0.02 + _AT_ONCE_S, _LONG_S),
    Fault("encoder_offset", "The encoder of a joint jumps by 0.1 rad.", "robot", (), _NONE, _LONG_S, _LONG_S),
    Fault("velocity_spikes", "A joint's velocity is measured as twice what its motor can do.", "robot",
          ("joint_velocity",), _DAMP, 0.02 + _AT_ONCE_S, _LONG_S),
    Fault("velocity_spike", "One report has such a velocity.", "robot", (), _NONE, _LONG_S, 0.002),
    Fault("torque_high", "A joint's torque is estimated at its limit.", "robot", ("joint_torque",), _DAMP,
          0.1 + _AT_ONCE_S, _LONG_S),
    Fault("motor_warm", "A motor is 5 K below where it must rest.", "robot", ("motor_warm",), _STOP, 0.5 + _AT_ONCE_S,
          _LONG_S, walking_only=True),
    Fault("motor_hot", "A motor is 5 K above where it must rest.", "robot", ("motor_hot",), _DAMP, 0.5 + _AT_ONCE_S,
          _LONG_S),
    Fault("battery_low", "The battery is almost empty.", "robot", ("battery_low",), _STOP, 2.0 + _AT_ONCE_S, 2.5,
          walking_only=True),
    Fault("battery_empty", "The battery is at 0 % from the start.", "robot", (), _NONE, 4.0, 10.0, walking_only=True,
          before_walking=True),
    Fault("imu_tilted", "The IMU measures a tilt as in a fall.", "robot", ("tilt",), _DAMP, 0.04 + _AT_ONCE_S, _LONG_S),
    Fault("no_gravity", "The IMU measures a free fall.", "robot", ("free_fall",), _DAMP, 0.15 + _AT_ONCE_S, _LONG_S),
    # What it raises an alarm about.
    *(
        Fault(f"{ALARM_PREFIX}{name}", words, "robot", (name,), response, within_s, _LONG_S, walking_only)
        for name, words, response, within_s, walking_only in _ALARMS
    ),
    # Messages to the robot.
    Fault("commands_lost", "No command reaches the robot for 50 ms.", "robot", (), _NONE, _LONG_S, 0.05),
    Fault("write_raises", "Sending a command raises an exception.", "robot", (), _DAMP, _AT_ONCE_S, _LONG_S),
    # The world.
    Fault("tipped_over", "Somebody tips the robot over.", "robot", ("tilt",), _DAMP, 1.5, 0.002),
    # The policy.
    Fault("policy_raises", "The policy raises an exception.", "policy", ("policy_failed",), _HOLD, _AT_ONCE_S, _LONG_S,
          walking_only=True),
    Fault("policy_raises_once", "The policy raises an exception in one step.", "policy", ("policy_failed",), _HOLD,
          _AT_ONCE_S, 0.02, walking_only=True),
    Fault("policy_nan", "An action is not a number.", "policy", ("action_not_finite",), _HOLD, _AT_ONCE_S, _LONG_S,
          walking_only=True),
    Fault("policy_infinite", "An action is infinite.", "policy", ("action_not_finite",), _HOLD, _AT_ONCE_S, _LONG_S,
          walking_only=True),
    Fault("policy_huge", "Actions are a million times too large.", "policy", ("action_range",), _HOLD, _AT_ONCE_S,
          _LONG_S, walking_only=True),
    Fault("policy_random", "Actions are random within their range.", "policy", ("target_rate", "torque_asked"), _CLAMP,
          _AT_ONCE_S, _LONG_S, walking_only=True),
    Fault("policy_frozen", "The policy answers the same over and over.", "policy", (), _NONE, _LONG_S, _LONG_S,
          walking_only=True),
    Fault("policy_shape", "The policy answers with one number too few.", "policy", ("policy_failed",), _HOLD,
          _AT_ONCE_S, _LONG_S, walking_only=True),
    Fault("policy_slow", "The policy takes 60 ms.", "policy", ("deadline",), _HOLD, 0.06 + 2 * _AT_ONCE_S, 0.5,
          walking_only=True),
    Fault("policy_bit_slow", "The policy takes 8 ms.", "policy", (), _NONE, _LONG_S, _LONG_S, walking_only=True),
    # The operator.
    Fault("operator_stops", "The operator stops the robot.", "operator", ("operator_stop",), _DAMP, _AT_ONCE_S,
          _LONG_S),
    Fault("operator_silent", "The operator's heartbeat stays away.", "operator", ("operator_lost",), _STOP,
          0.5 + _AT_ONCE_S, _LONG_S),
    Fault("operator_raises", "Reading what the operator wants raises an exception.", "operator", ("operator_lost",),
          _STOP, 0.5 + _AT_ONCE_S, _LONG_S),
    Fault("operator_nan", "A velocity command is not a number.", "operator", ("velocity_command",), _CLAMP, _AT_ONCE_S,
          _LONG_S),
    Fault("operator_huge", "A velocity command is a thousand times too large.", "operator", ("velocity_command",),
          _CLAMP, _AT_ONCE_S, _LONG_S),
    Fault("operator_flickers", "The velocity command is reversed at every reading.", "operator", (), _NONE, _LONG_S,
          _LONG_S, walking_only=True),
    Fault("operator_babbles", "The operator asks for a random mode at every reading.", "operator", (), _NONE, _LONG_S,
          _LONG_S),
    # The loop's time.
    Fault("loop_stalls", "The loop is held up for 50 ms.", "clock", ("deadline",), _HOLD, 0.05 + _AT_ONCE_S, 0.002),
    Fault("loop_stalls_long", "The loop is held up for 1 s.", "clock", ("deadline", "clock_jump"), _DAMP,
          1.0 + _AT_ONCE_S, 0.002),
    Fault("loop_clock_ahead", "The loop's clock jumps 1 s ahead.", "clock", ("clock_jump", "deadline"), _DAMP,
          _AT_ONCE_S, _LONG_S),
    Fault("loop_clock_back", "The loop's clock jumps 1 s back.", "clock", ("clock_back", "clock_jump_back"), _DAMP,
          _AT_ONCE_S, _LONG_S),
)  # fmt: skip

FAULTS: dict[str, Fault] = {fault.name: fault for fault in (*_LIST, *ROBOT_KINDS, *PART_KINDS, *REMOTE_KINDS.values())}
"""All faults by name, in their order."""

_PROCESS_LIST: tuple[Fault, ...] = (
    Fault("process_killed", "The bridge's process is killed (SIGKILL).", "process", (), _DAMP,
          GUARDIAN_TIMEOUT_S + _NOTICE_S, _LONG_S, walking_only=True),
    Fault("process_hung", "The bridge's process is stopped (SIGSTOP).", "process", (), _DAMP,
          GUARDIAN_TIMEOUT_S + _NOTICE_S, _LONG_S, walking_only=True),
)  # fmt: skip

LIVE_FAULTS: dict[str, Fault] = {
    **{name: fault for name, fault in FAULTS.items() if not fault.before_walking},
    **{fault.name: fault for fault in _PROCESS_LIST},
}
"""All faults by name that a bridge in a process of its own can have: no process can be killed on a simulated clock, and
a robot that walks in real time has none that keeps it from walking."""
