"""Experiments that compare what the sensors show with what is true."""

from __future__ import annotations

import math

import numpy as np

from surefoot.randomization_checks.bench import Bench

from .outcome import Outcome, equals

READINGS = 200
"""Control steps of an experiment that measures a statistic."""

DEVIATIONS = 5.0
"""How many standard errors a statistic may be off; a fixed seed makes the outcome the same each time."""


def _readings(bench: Bench, term: str, count: int = READINGS) -> tuple[np.ndarray, np.ndarray]:
    """Swing the joints in flight and return what a sensor shows and what is true, each (count, num_envs, dim)."""
    bench.fly()
    shown, true = [], []
    phase = np.arange(bench.spec.num_joints)
    for step in range(count):
        if step % 50 == 49:
            bench.fly()  # before the ground comes
        bench.step(offset=0.1 * np.sin(2.0 * math.pi * 2.0 * step * bench.step_dt + phase))
        reading = bench.read_sensors()[term]
        shown.append(reading[0])
        true.append(reading[1])
    return np.array(shown), np.array(true)


def _noise(bench: Bench, parameter: str, term: str, largest: float) -> Outcome:
    """Measure the standard deviation of the error of a sensor in each environment."""
    std = bench.ramp(0.0, largest)
    bench.put(**{parameter: std})
    shown, true = _readings(bench, term)
    error = (shown - true).transpose(1, 0, 2).reshape(bench.num_envs, -1)
    standard_error = 1.0 / math.sqrt(2.0 * error.shape[1])
    found = error.std(axis=1)
    return Outcome(
        float((np.abs(found - std) / np.maximum(std, 1e-6))[1:].max()),
        DEVIATIONS * standard_error,
        "readings spread about the truth by the standard deviation [share of it]",
    )


def gyro_noise(bench: Bench) -> Outcome:
    """Measure its spread."""
    return _noise(bench, "gyro_noise", "base_ang_vel", 0.3)


def gravity_noise(bench: Bench) -> Outcome:
    """Measure its spread."""
    return _noise(bench, "gravity_noise", "projected_gravity", 0.05)


def encoder_noise(bench: Bench) -> Outcome:
    """Measure its spread."""
    return _noise(bench, "encoder_noise", "joint_pos", 0.02)


def encoder_velocity_noise(bench: Bench) -> Outcome:
    """Measure its spread."""
    return _noise(bench, "encoder_velocity_noise", "joint_vel", 1.0)


def gyro_bias(bench: Bench) -> Outcome:
    """Compare readings with the truth."""
    bias = np.stack([bench.ramp(-0.1, 0.1), bench.ramp(0.1, -0.1), bench.ramp(0.0, 0.05)], axis=1)
    bench.put(gyro_bias=bias)
    shown, true = _readings(bench, "base_ang_vel", 10)
    return equals(shown - true, np.broadcast_to(bias, shown.shape), 1e-5, "readings are off by the bias [rad/s]")


def gyro_drift(bench: Bench) -> Outcome:
    """Measure how fast the error wanders."""
    return _walk(bench, "gyro_drift", "base_ang_vel", 3)


def attitude_drift(bench: Bench) -> Outcome:
    """Measure how fast the error wanders."""
    return _walk(bench, "attitude_drift", "projected_gravity", 2)


def _walk(bench: Bench, parameter: str, term: str, axes: int) -> Outcome:
    """Measure the standard deviation of the change of an error from reading to reading."""
    density = bench.ramp(0.0, 0.02)
    bench.put(**{parameter: density})
    errors = []
    bench.stand()
    for _ in range(40):
        bench.step()
        shown, true = bench.read_sensors()[term]
        errors.append(shown - true)
    change = np.diff(np.array(errors)[..., :axes], axis=0).transpose(1, 0, 2).reshape(bench.num_envs, -1)
    predicted = density * math.sqrt(bench.step_dt)
    found = change.std(axis=1)
    return Outcome(
        float((np.abs(found - predicted) / np.maximum(predicted, 1e-9))[1:].max()),
        DEVIATIONS / math.sqrt(2.0 * change.shape[1]) + 0.02,
        "errors wander by the density times the root of time [share of it]",
    )


def imu_mounting(bench: Bench) -> Outcome:
    """Compare the direction of gravity with the turned truth."""
    angle = bench.ramp(-0.1, 0.1)
    bench.put(imu_mounting=np.stack([np.zeros_like(angle), angle, np.zeros_like(angle)], axis=1))
    bench.fly()
    bench.step()
    shown, true = bench.read_sensors()["projected_gravity"]
    # Seen from an IMU that is turned about y by an angle, a level robot's gravity leans along x by its sine.
    lean = shown[:, 0] * -true[:, 2] - true[:, 0] * -shown[:, 2]
    return equals(lean, np.sin(angle), 1e-4, "gravity leans by the angle by which the IMU is turned")


def imu_latency(bench: Bench) -> Outcome:
    """Compare readings with the truth of before."""
    return _latency(bench, "imu_latency", "base_ang_vel")


def encoder_latency(bench: Bench) -> Outcome:
    """Compare readings with the truth of before."""
    return _latency(bench, "encoder_latency", "joint_pos")


def _latency(bench: Bench, parameter: str, term: str) -> Outcome:
    latency = bench.ramp(0.0, float(np.max(bench.layout.range_of(parameter).high)))
    bench.put(**{parameter: latency})
    shown, true = _readings(bench, term, 30)
    steps = latency / bench.step_dt
    whole = np.floor(steps).astype(int)
    share = (steps - whole)[:, None]
    errors = []
    for now in range(5, len(true)):
        past = np.stack([true[now - back, env] for env, back in enumerate(whole)])
        before = np.stack([true[now - back - 1, env] for env, back in enumerate(whole)])
        errors.append(np.abs(shown[now] - ((1.0 - share) * past + share * before)).max())
    largest = float(np.abs(true).max())
    return Outcome(max(errors), 1e-4 * largest, "readings are the truth as it was, the latency ago")


def sensor_dropout(bench: Bench) -> Outcome:
    """Count readings that come again."""
    return _repeats(bench, "sensor_dropout")


def sensor_repeat(bench: Bench) -> Outcome:
    """Count readings that come again."""
    return _repeats(bench, "sensor_repeat")


def _repeats(bench: Bench, parameter: str) -> Outcome:
    """Count how many of a noisy sensor's readings equal the one before, which noise alone never does."""
    probability = bench.ramp(0.0, 0.5)
    bench.put(**{parameter: probability}, encoder_noise=0.01 * np.ones(bench.num_envs))
    shown, _ = _readings(bench, "joint_pos")
    again = (shown[1:] == shown[:-1]).all(axis=2).mean(axis=0)  # (num_envs,)
    error = np.sqrt(probability * (1.0 - probability) / (READINGS - 1))
    return Outcome(
        float((np.abs(again - probability) / np.maximum(error, 1e-3)).max()),
        DEVIATIONS,
        "as many readings come again as the probability says [standard errors]",
    )
