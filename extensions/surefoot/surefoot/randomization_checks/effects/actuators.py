"""Experiments on motors, gears, battery and delay."""

from __future__ import annotations

import numpy as np

from surefoot.randomization_checks.bench import Bench

from .free_joints import limp, pull, response, slowed, soft
from .outcome import Outcome, equals, falls, rises


def stiffness(bench: Bench) -> Outcome:
    """Pull joints towards a target in flight."""
    bench.put(**(limp(bench) | {"stiffness": bench.ramp(0.01, 0.05)[:, None] * bench.nominal("stiffness")}))
    bench.fly()
    bench.step(offset=0.1)
    return rises(bench.joint_vel() @ bench.nominal("stiffness"), "a higher gain moves joints faster to their target")


def damping(bench: Bench) -> Outcome:
    """Brake joints in flight."""
    bench.put(**(limp(bench) | {"damping": soft(bench, bench.ramp(0.0, 0.3))}))
    return falls(slowed(bench, 1.0), "a higher velocity gain brakes joints more")


def motor_strength(bench: Bench) -> Outcome:
    """Drive joints in flight."""
    bench.put(motor_strength=bench.ramp(0.7, 1.3), **limp(bench))
    return rises(response(bench), "a stronger motor moves joints faster")


def stall_torque(bench: Bench) -> Outcome:
    """Saturate motors in flight."""
    bench.put(stall_torque=bench.ramp(0.02, 0.09)[:, None] * bench.nominal("stall_torque"), **limp(bench))
    return rises(response(bench, share=1.0), "a saturated motor of more stall torque moves joints faster")


def no_load_speed(bench: Bench) -> Outcome:
    """Saturate weak, turning motors in flight."""
    speed = bench.ramp(0.5, 1.5)[:, None] * bench.nominal("no_load_speed")
    bench.put(no_load_speed=speed, **_weak(bench))
    return rises(response(bench, share=1.0, joint_vel=5.0), "a motor of more no-load speed has more torque left")


def _weak(bench: Bench) -> dict[str, np.ndarray]:
    """Return values of limp joints whose motors saturate before they move far."""
    return {"stall_torque": np.tile(0.05 * bench.nominal("stall_torque"), (bench.num_envs, 1)), **limp(bench)}


def backlash(bench: Bench) -> Outcome:
    """Pull joints by less than half the gap in flight."""
    width = bench.ramp(0.0, 0.08)
    gain = np.tile(0.05 * bench.nominal("stiffness"), (bench.num_envs, 1))
    bench.put(**(limp(bench) | {"stiffness": gain}), backlash=width)
    bench.fly()
    bench.step(offset=0.02)
    speed = bench.joint_vel() @ bench.nominal("stiffness")
    outside = width < 0.04
    still = float(np.abs(speed[~outside]).max() / speed[0])
    moves_less = (np.diff(speed[outside]) >= 0.0).sum()
    return Outcome(still + moves_less, 1e-3, "a target inside the gap moves nothing, one outside moves less")


def initial_motor_heat(bench: Bench) -> Outcome:
    """Saturate motors in flight."""
    bench.put(initial_motor_heat=bench.ramp(1.02, 1.48), **limp(bench))
    return falls(response(bench, share=1.0), "a hotter motor has less torque")


def command_delay(bench: Bench) -> Outcome:
    """Let joints follow a moving target in flight."""
    delay = bench.ramp(0.0, bench.layout.largest_value("command_delay"))
    bench.put(command_delay=delay, coulomb_friction=np.zeros(bench.num_envs))
    bench.fly()
    slope, lag = 0.4, []
    for step in range(1, 41):
        bench.step(offset=slope * step * bench.step_dt)
        if step > 25:
            position = bench.joint_pos()
            lag.append((position[0] - position).mean(axis=1) / slope)
    return equals(np.mean(lag, axis=0), delay, 1.5e-3, "joints lag behind a moving target by the delay [s]")


def battery_voltage(bench: Bench) -> Outcome:
    """Saturate weak, turning motors in flight."""
    bench.put(battery_voltage=bench.ramp(0.6, 1.1), **_weak(bench))
    return rises(response(bench, share=1.0, joint_vel=2.0), "a motor has more torque at a higher voltage")


def battery_sag(bench: Bench) -> Outcome:
    """Wait, then saturate weak motors, in flight."""
    bench.put(battery_sag=bench.ramp(0.0, 0.5), **_weak(bench))
    bench.fly()
    bench.step(25)
    return falls(pull(bench, share=1.0), "a battery that sags faster gives less after half a second")


def battery_resistance(bench: Bench) -> Outcome:
    """Draw power in flight, then saturate weak motors."""
    bench.put(battery_resistance=bench.ramp(0.0, 1e-3), **_weak(bench))
    bench.fly(joint_vel=2.0)
    bench.step_with_effort(0.02)
    return falls(pull(bench, share=1.0), "a battery of more resistance gives way under load")
