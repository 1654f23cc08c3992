"""Trials of one scenario that run side by side: whatever is drawn for them, drawn before they begin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefoot.evaluation.scenarios.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class Variation:
    """What each robot and its world differ in from the nominal ones, N trials. Joints: order of the robot's interface.

    Attributes:
        friction: Friction coefficient between feet and ground, (N,).
        torsional_friction_m: Torque against a foot's spin per normal force [m], (N,); nominally 0.
        rolling_friction_m: Torque against a foot's roll per normal force [m], (N,); nominally 0.
        payload_kg: Mass on top of the base [kg], (N,).
        motor_strength: Torque delivered per torque asked for, (N, num_joints); nominally 1.
        motor_heat: Heat of each motor at the start; 1 is what its continuous torque settles at, (N, num_joints).
        cold_friction: Factor on dry and viscous joint friction, as of stiff grease, (N,); nominally 1.
        battery_voltage: Voltage at the start as a share of the nominal one, (N,).
        battery_sag_per_s: Share of the nominal voltage that is lost per second [1/s], (N,).
        command_latency_s: Time between a command and its effect [s], (N,).
        sensor_noise: Factor on the noise that the contract names for each observation, (N,); 0 is none.
        encoder_offset_rad: What encoders read more than the true position [rad], (N, num_joints).
        tilt_rad: Roll and pitch at the start [rad], (N, 2).
        yaw_rad: Heading at the start [rad], (N,).
        joint_offset_rad: How far each joint starts from its standing pose [rad], (N, num_joints).
    """

    friction: np.ndarray
    torsional_friction_m: np.ndarray
    rolling_friction_m: np.ndarray
    payload_kg: np.ndarray
    motor_strength: np.ndarray
    motor_heat: np.ndarray
    cold_friction: np.ndarray
    battery_voltage: np.ndarray
    battery_sag_per_s: np.ndarray
    command_latency_s: np.ndarray
    sensor_noise: np.ndarray
    encoder_offset_rad: np.ndarray
    tilt_rad: np.ndarray
    yaw_rad: np.ndarray
    joint_offset_rad: np.ndarray


@dataclass(frozen=True, kw_only=True)
class PushTimes:
    """One push of each trial.

    Attributes:
        start_s: When it begins [s], (N,).
        duration_s: How long it lasts [s], (N,).
        force_b: Force in the heading frame of the base (x forward, y left, z up) when it begins [N], (N, 3).
    """

    start_s: np.ndarray
    duration_s: np.ndarray
    force_b: np.ndarray


@dataclass(frozen=True, kw_only=True)
class TrialBatch:
    """Trials of one scenario.

    Attributes:
        scenario: The scenario.
        numbers: Number of each trial in the scenario, (N,), int64. Everything that is drawn for a trial depends on
            suite seed, scenario name and this number alone.
        seeds: Seed of each trial, (N,), uint64; for noise that is drawn while it runs.
        variation: What each robot differs in.
        pushes: Pushes, in the order of their beginning.
    """

    scenario: Scenario
    numbers: np.ndarray
    seeds: np.ndarray
    variation: Variation
    pushes: tuple[PushTimes, ...]

    @property
    def num_trials(self) -> int:
        """N."""
        return len(self.numbers)
