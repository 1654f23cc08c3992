"""How much of a robot's limits a stage of its tests allows, and how long each fault may last."""

import math
from dataclasses import dataclass, fields
from typing import Tuple

from surefoot_bridge.errors import SurefootError


@dataclass(frozen=True)
class StageLimits:
    """Limits of a stage, on top of the contract's limits of the robot.

    A number without a source is called an assumption: a reasoned choice that no measurement on a robot stands behind
    yet.

    Attributes:
        largest_command: Largest absolute value of each component of the velocity command, in the order and units of the
            contract's ``command.names``. The stage says what it allows; nothing stands in for it.
        torque_share: Share of each joint's torque limit that a command may ask for, in (0, 1]. 0.8 keeps a fifth for
            what the command does not know of (impacts, the error of the torque estimate). Assumption.
        far_target_rad: How far beyond its range a joint's target may be to be clamped [rad]; a command with one further
            away is not obeyed at all. The Go2's policy goes 0.45 beyond at most. Assumption.
        position_margin_rad: How far beyond its range a joint may be measured [rad]. 0.087 is 5 degrees, the default of
            ``PositionProtect`` in unitree_legged_sdk's ``safety.h``. Elastic stops and encoder offsets stay below.
        temperature_margin_c: How far below the temperature from which a motor must rest walking ends [degrees Celsius].
            10 leaves minutes to stand and sit before the motor itself forces it. Assumption.
        lowest_battery_share: Charge of the battery down to which the policy may walk, in [0, 1). 0.2 leaves enough to
            stand and sit before the voltage gives way under load. Assumption.
        stiffness_full_torque_rad: Least position error at which stiffness may ask for a joint's whole torque limit
            [rad]; it bounds stiffness. 0.1 allows 237 N m/rad for a hip of the Go2 and 50 for a wrist of the G1;
            the stand-up controllers of unitree_rl_lab use 60 and 40. Assumption. The policy's own gain is allowed.
        damping_full_torque_rad_s: Least speed at which damping may ask for a joint's whole torque limit [rad/s]; it
            bounds damping. 0.5 allows 47 N m s/rad for a hip of the Go2 and 10 for a wrist of the G1; the stand-up
            controllers of unitree_rl_lab use 5 and 10. Assumption. The policy's own gain is allowed.
        damped_nms_per_rad: Velocity gain of every joint while the robot is damped [N m s/rad]. 3 is that of the passive
            state in unitree_rl_lab's ``deploy/robots/g1_29dof/config/config.yaml``, and in its forks' for the Go2.
        free_fall_m_s2: Specific force down to which the robot falls freely [m/s^2]. It is 0 in free fall and 9.81 at
            rest; 3 is a third of that. Assumption.
        quaternion_tolerance: How far the length of the IMU's quaternion may be from 1. Rounding to float32 gives 1e-7;
            0.05 misjudges no angle, since tilt does not depend on the length, and finds a sensor that sends zeros.
            Assumption.
        report_age_s: Age from which a report is too old to act on [s]. 0.04 is two control steps of 20 ms. Assumption.
        clock_step_s: Step of a clock between two reports or two checks from which it has jumped [s]. 0.5 is longer than
            any pause that the other limits let pass. Assumption.
        late_control_periods: Lateness of a tick, in control periods of the contract, from which its deadline is missed.
            1 is where an action is applied a whole step late. Assumption.
        longest_hold_s: How long the targets of a walking robot may be held [s]; then it stands without its policy. Time
            without a hold is counted off, ten times slower. 0.04 is two control steps, enough for a report that is
            lost, a step that fails or a tick that is late. Of Go2s at 1 m/s that were held for 0.1 s and stood
            up at once 3 of 20 fell, of those held for 0.3 s at 0.5 m/s 5 of 10.
        beyond_range_s: How long targets may be beyond their ranges, clamped, until the policy is in doubt [s]. The
            Go2's policy does so for 0.06 at most, but for longer than 0.1 where its sensors are 20 ms late. Of Go2s at
            0.5 and 1 m/s and down 10 degrees, with a hip 0.3 rad beyond its range, 0 of 90 fell that stood after 0.4.
        longest_doubt_s: How long a walking robot's policy may ask for what no trained policy does
            (:attr:`~surefoot_bridge.safety.Rule.doubted_s`) [s], counted as holds are; then the robot stands
            without it. 0.02 is one control step. Of Go2s at 0.3 m/s down 10 degrees with a hip pulled by all the torque
            that is allowed 0 of 30 fell that stood after 0.02, and 5 of 30 after 0.04.
        operator_age_s: Age of the operator's last heartbeat from which the operator is lost [s]. 0.5 bridges gaps of a
            radio link and is below the time in which a robot at 1 m/s leaves the operator's reach. Assumption.
        joint_grace_s: How long a joint may be measured beyond its range or its speed [s]. 0.02 is one control step: a
            single wrong reading does not drop the robot. Assumption.
        torque_grace_s: How long an estimated torque may reach the limit [s]. 0.1 lets landing impacts pass. Assumption.
        temperature_grace_s: How long a motor's temperature may reach a limit [s]. Motors heat within seconds, so 0.5
            only filters wrong readings. Assumption.
        tilt_grace_s: How long the base may be tilted to the limit [s]. 0.04 is two control steps. unitree_rl_lab goes
            to its passive state at 1.0 rad without any.
        fallen_grace_s: How long the base must be tilted to the limit until the robot lies and its motors are switched
            off [s]. 2 is longer than a fall from standing height takes (below 0.5 s). Assumption.
        free_fall_grace_s: How long a free fall may last [s]. In 0.15 s a robot drops 0.11 m, more than a step down.
            Assumption.
        old_report_grace_s: How long the same report may be seen again, or older ones [s]. 0.02 is one control step:
            where robot and loop have the same rate, their jitter alone repeats single reports, and a network may
            exchange two. Assumption.
        lost_report_grace_s: How long there may be no new report that can be trusted until the robot is damped [s].
            0.1 is how long targets that were right for a walking robot are held blindly, a fifth of a step of 0.5 s.
            Assumption. unitree_rl_lab also leaves every state for its passive one when reports stay away.
        alarm_grace_s: How long an alarm of the robot may last that ends walking [s]. 0.1 lets single wrong reports
            pass. Assumption.
        battery_grace_s: How long the battery may be low [s]. The reading dips under load for less than a stride; 2 is
            four of them. Assumption.
    """

    largest_command: Tuple[float, ...]
    torque_share: float = 0.8
    far_target_rad: float = 1.0
    position_margin_rad: float = 0.087
    temperature_margin_c: float = 10.0
    lowest_battery_share: float = 0.2
    stiffness_full_torque_rad: float = 0.1
    damping_full_torque_rad_s: float = 0.5
    damped_nms_per_rad: float = 3.0
    free_fall_m_s2: float = 3.0
    quaternion_tolerance: float = 0.05
    report_age_s: float = 0.04
    clock_step_s: float = 0.5
    late_control_periods: float = 1.0
    longest_hold_s: float = 0.04
    beyond_range_s: float = 0.4
    longest_doubt_s: float = 0.02
    operator_age_s: float = 0.5
    joint_grace_s: float = 0.02
    torque_grace_s: float = 0.1
    temperature_grace_s: float = 0.5
    tilt_grace_s: float = 0.04
    fallen_grace_s: float = 2.0
    free_fall_grace_s: float = 0.15
    old_report_grace_s: float = 0.02
    lost_report_grace_s: float = 0.1
    alarm_grace_s: float = 0.1
    battery_grace_s: float = 2.0

    def __post_init__(self) -> None:
        """Refuse numbers that bound nothing; all mistakes are named at once."""
        mistakes = []
        for item in fields(self):
            value = getattr(self, item.name)
            numbers = value if isinstance(value, tuple) else (value,)
            positive = item.name not in _MAY_BE_ZERO and not item.name.endswith("_grace_s")
            if not all(math.isfinite(number) and (number > 0 if positive else number >= 0) for number in numbers):
                mistakes.append(f"{item.name} is {value}; it must be {'> 0' if positive else '>= 0'}.")
        if self.torque_share > 1:
            mistakes.append(f"torque_share is {self.torque_share}; it must be at most 1.")
        if self.lowest_battery_share >= 1:
            mistakes.append(f"lowest_battery_share is {self.lowest_battery_share}; it must be below 1.")
        if mistakes:
            raise SurefootError("\n  ".join(["The limits of the stage are refused:", *mistakes]))


_MAY_BE_ZERO = ("largest_command", "position_margin_rad", "temperature_margin_c", "lowest_battery_share")
