"""What is measured of a trial: every measure with its unit, which way is better, and how it is defined.

:class:`~surefoot.evaluation.measures.collector.TrialMeasures` takes them, for all trials of a batch at once. Where
:mod:`surefoot.playing.metrics` has the same figure, constants and definitions are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

GRAVITY = 9.81
"""Acceleration of gravity [m/s^2]."""

MOVING_SPEED = 0.2
"""Commanded horizontal speed [m/s] above which a robot is expected to walk."""

MOVING_YAW_RATE = 0.2
"""Commanded yaw rate [rad/s] above which a robot is expected to step, even on the spot."""

MIN_SWING_S = 0.05
"""A foot that is off the ground for less is a stance foot that bounced, not a swing."""

IMPACT_S = 0.05
"""How long after a touchdown its impact is looked for [s]; later, the foot carries the robot."""

SOFT_LIMIT_SHARE = 0.9
"""Middle share of a joint's range beyond which it is at its limit, as the velocity tasks' penalty has it."""

RECOVERED_SPEED = 0.25
"""A pushed robot has recovered when its horizontal velocity error is within this [m/s] of what it was before.
Assumption: several times the sway of a trot at steady speed, and a fifth of what a shove of 0.1 s by 150 N gives 15 kg.
"""

RECOVERED_HOLD_S = 0.5
"""How long the error must stay that small [s]: longer than a stride of any legged robot here."""

Better = Literal["lower", "higher", "neither"]


@dataclass(frozen=True)
class Measure:
    """A measure of a trial.

    Attributes:
        label: What a report calls it.
        unit: Its unit; ``-`` without one.
        better: Which way is better; ``neither`` where that depends on the task.
        description: What it is, by formula where there is one.
    """

    label: str
    unit: str
    better: Better
    description: str


_MOVING = f"while the command asks for more than {MOVING_SPEED} m/s or {MOVING_YAW_RATE} rad/s"
_SWING = f"A swing is a foot's whole time in the air, of at least {MIN_SWING_S} s; its beginning must have been seen."

_TABLE: dict[str, tuple[str, str, Better, str]] = {
    # How it ended
    "fell": ("Fell", "-", "lower", (
        "1 if the base tilts to the contract's tilt limit, a body that must not touch the ground does with more than "
        "the contract's contact force, or the state is not finite; else 0.")),
    "time_to_fall_s": ("Time to fall", "s", "higher", "Time from the start to the fall. Of trials that fell."),
    "stopped_by_safety": ("Stopped by safety", "-", "lower", (
        "1 if the safety layer damped the robot or switched it off; else 0.")),
    "time_to_stop_s": ("Time to stop", "s", "higher", (
        "Time from the start to the stop by the safety layer. Of trials that it stopped.")),
    "safety_interventions": ("Safety interventions", "-", "lower", (
        "How many times a rule of the safety layer began to act: clamps, holds and stops alike. The report names the "
        "rules.")),
    # Whether it does what it is told
    "rms_vx_error": ("RMS error of forward speed", "m/s", "lower", (
        "sqrt(mean (c_x - v_x)^2), base frame, over the time in which tracking is judged: not for the scenario's "
        "settling time after each change of command and each push.")),
    "rms_vy_error": ("RMS error of sideways speed", "m/s", "lower", "As rms_vx_error, sideways."),
    "rms_yaw_rate_error": ("RMS error of yaw rate", "rad/s", "lower", "As rms_vx_error, for the yaw rate."),
    "steady_vx_error": ("Steady error of forward speed", "m/s", "lower", (
        "What remains when the gait's sway is averaged out: |mean (c_x - v_x)| between two changes of command, "
        "averaged by their judged time.")),
    "steady_vy_error": ("Steady error of sideways speed", "m/s", "lower", "As steady_vx_error, sideways."),
    "steady_yaw_rate_error": ("Steady error of yaw rate", "rad/s", "lower", "As steady_vx_error, for the yaw rate."),
    "command_share": ("Share of the commanded velocity", "-", "neither", (
        "sum(c . v) / sum(c . c) over the judged time, horizontal: 1 obeys, 0 stands still. Of trials that ask for "
        "motion.")),
    "turn_share": ("Share of the commanded yaw rate", "-", "neither", "As command_share, for the yaw rate."),
    # Where it went
    "target_reached": ("Target reached", "-", "higher", (
        "1 if the base came as near to the scenario's target as asked; else 0. Of scenarios with a target.")),
    "time_to_target_s": ("Time to target", "s", "lower", "Time from the start until then. Of trials that reached it."),
    "distance_m": ("Distance", "m", "higher", "Horizontal distance of the base from its start, at the end."),
    "path_m": ("Path", "m", "neither", "Length of the way: sum |v_xy| dt, base frame."),
    "climb_m": ("Climb", "m", "neither", "Height of the ground under the base at the end, less that at the start."),
    "turned_deg": ("Turned", "deg", "neither", (
        "Change of heading since the start, counterclockwise, whole turns counted.")),
    # What it costs
    "cost_of_transport": ("Cost of transport", "-", "lower", (
        "sum_j max(tau_j dq_j, 0) dt / (m g path): positive mechanical work over weight (payload included) and length "
        f"of path, while the command asks for more than {MOVING_SPEED} m/s.")),
    "torque_peak_nm": ("Torque peak", "N m", "lower", "Largest |torque| of any motor in any tick."),
    "torque_peak_share": ("Torque peak, share of limit", "-", "lower", (
        "Largest |torque| over the joint's torque limit, of any motor in any tick.")),
    "torque_rms_nm": ("Torque RMS", "N m", "lower", "sqrt(mean tau^2) over time and motors."),
    "motor_heat_max": ("Motor heat", "-", "lower", (
        "Largest heat of any motor; 1 is what its continuous torque settles at. Where a run is shorter than its "
        "scenario, extrapolated to the whole length T: q + (h - q) exp(-(T - t) / time constant), with q the heat at "
        "which the run's mean squared torque settles, as if the robot went on as it did.")),
    "saturation_share": ("Saturation", "-", "lower", (
        "Share of time and motors in which a motor delivered less than it was asked for.")),
    "joint_limit_share": ("At joint limits", "-", "lower", (
        f"Share of time and joints beyond the middle {SOFT_LIMIT_SHARE:.0%} of the joint's range.")),
    "action_rate": ("Action rate", "rad/s", "lower", (
        "sqrt(mean (a_t - a_t-1)^2) / dt over time and joints, a the clipped action times its scale: how fast the "
        "targets jump.")),
    "action_jerk": ("Action second difference", "rad/s^2", "lower", (
        "sqrt(mean (a_t - 2 a_t-1 + a_t-2)^2) / dt^2, a as in action_rate.")),
    # How it walks
    "foot_clearance_m": ("Foot clearance", "m", "higher", (
        f"Mean over swings of the sole's largest height above the ground, {_MOVING}. {_SWING}")),
    "foot_slip_m_s": ("Foot slip", "m/s", "lower", (
        "Mean horizontal speed of soles that touch the ground and did so a control step before.")),
    "foot_impact_weights": ("Foot impact", "weights", "lower", (
        f"Mean over touchdowns (after a swing) of the foot's largest force in {IMPACT_S} s from then, over the robot's "
        "weight (payload included).")),
    "air_time_s": ("Air time", "s", "neither", f"Mean length of a swing, {_MOVING}. {_SWING}"),
    "duty_factor": ("Duty factor", "-", "neither", f"Share of time and feet on the ground, {_MOVING}."),
    "feet_down_share": ("Feet down while standing", "-", "higher", (
        "Share of time and feet on the ground while the command is zero and tracking is judged. Of trials that ask the "
        "robot to stand.")),
    "gait_symmetry": ("Gait symmetry", "-", "higher", (
        "1 - mean over left-right pairs of |A_l - A_r| / (A_l + A_r), A the time that a foot is in the air, "
        f"{_MOVING}; 1 is even, 0 where one foot of each pair never lifts. After Robinson et al., JMPT 1987.")),
    "stride_hz": ("Stride frequency", "Hz", "neither", f"Swings of one foot a second, {_MOVING}. {_SWING}"),
    "base_height_mean_m": ("Base height", "m", "neither", "Mean height of the base's frame above the ground under it."),
    "base_height_spread_m": ("Base height spread", "m", "lower", "Standard deviation of that height over time."),
    "tilt_rms_rad": ("Tilt RMS", "rad", "lower", (
        "sqrt(mean tilt^2), the angle between the base's and the world's vertical; a slope counts.")),
    "tilt_max_rad": ("Largest tilt", "rad", "lower", "Largest angle between the base's and the world's vertical."),
    # What it withstands
    "recovery_s": ("Recovery time", "s", "lower", (
        "Time from a push's end until the horizontal velocity error is within "
        f"{RECOVERED_SPEED} m/s of its mean before the push, for {RECOVERED_HOLD_S} s; of several pushes the longest. "
        "Where it had not recovered by the next push or the end, the time until then, which is a lower bound. "
        "Of trials that were pushed and ran to their end.")),
    "largest_push_n": ("Largest push survived", "N", "higher", (
        "Largest force that the trial survives, by bisection. Of scenarios that search for it.")),
}  # fmt: skip

MEASURES: Mapping[str, Measure] = MappingProxyType({name: Measure(*row) for name, row in _TABLE.items()})
"""Every measure by name. What has nothing to be measured on is left out of a trial's measures."""
