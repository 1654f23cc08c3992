"""For each parameter an experiment in the running engine whose outcome physics predicts.

Environments hold rising values of one parameter and are nominal otherwise. All of them do the same, and the motion is
compared with a prediction: a number where theory gives one, else the direction in which the motion changes from each
environment to the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from surefoot.randomization.catalogue import GRAVITY_M_S2
from surefoot.randomization.layout import EVENTS

from .bench import Bench


class Outcome(NamedTuple):
    """What an experiment found: how far it was from the prediction, and how far it may be."""

    value: float
    limit: float
    statement: str


Experiment = Callable[[Bench], Outcome]

LEAST_CORRELATION = 0.6
"""Rank correlation that 16 values without connection exceed once in a hundred times."""


def rises(measured: np.ndarray, statement: str) -> Outcome:
    """Expect a measure to rise from each environment to the next; the value is how many steps do not."""
    return Outcome(float((np.diff(measured) <= 0.0).sum()), 0.0, statement)


def falls(measured: np.ndarray, statement: str) -> Outcome:
    """Expect a measure to fall from each environment to the next."""
    return rises(-measured, statement)


def equals(measured: np.ndarray, predicted: np.ndarray, limit: float, statement: str) -> Outcome:
    """Expect a measure to equal a prediction; the value is the largest difference."""
    return Outcome(float(np.abs(measured - predicted).max()), limit, statement)


# Contact.


def _sliding_friction(bench: Bench) -> np.ndarray:
    """Throw the standing robots sideways and return friction from the momentum lost along and gained across the ground.

    The impulse of the ground is ``M (g t + v_z)`` upwards and ``M (v_0 - v_y)`` along, so their quotient is the
    friction coefficient while all feet slide.
    """
    speed, steps = 3.0, 1  # later some feet of a humanoid roll instead of sliding
    bench.stand(lin_vel=(0.0, speed, 0.0))
    bench.step(steps)
    velocity = bench.com_vel()  # (num_envs, 3)
    return (speed - velocity[:, 1]) / (GRAVITY_M_S2 * steps * bench.step_dt + velocity[:, 2])


def foot_friction(bench: Bench) -> Outcome:
    """Slide."""
    friction = bench.ramp(0.2, 0.8)
    bench.put(foot_friction=friction)
    return equals(_sliding_friction(bench), friction, 0.05, "sliding feet lose mu times the normal impulse")


def foot_dynamic_friction_ratio(bench: Bench) -> Outcome:
    """Slide."""
    ratio = bench.ramp(0.3, 1.0)
    bench.put(foot_friction=0.8 * np.ones(bench.num_envs), foot_dynamic_friction_ratio=ratio)
    return equals(_sliding_friction(bench), 0.8 * ratio, 0.05, "sliding feet lose the dynamic share of mu")


def foot_restitution(bench: Bench) -> Outcome:
    """Drop the robot and see how high the feet bounce."""
    bench.put(foot_restitution=bench.ramp(0.0, 0.9))
    bench.stand(above_m=0.3)
    touched = np.zeros(bench.num_envs, dtype=bool)
    peak = np.zeros(bench.num_envs)
    for _ in range(25):
        bench.step()
        state = bench.env.locomotion
        touched |= state.foot_contact.any(dim=1).cpu().numpy()
        peak = np.maximum(peak, np.where(touched, state.sole_height_m.max(dim=1).values.cpu().numpy(), 0.0))
    return Outcome(
        -_correlation(peak), -LEAST_CORRELATION, "feet bounce the higher, the more of the impact they give back"
    )


def contact_stiffness_ratio(bench: Bench) -> Outcome:
    """Stand."""
    bench.put(contact_stiffness_ratio=bench.ramp(0.2, 1.0))
    bench.stand()
    bench.step(15)
    depth = -bench.env.locomotion.sole_height_m.mean(dim=1).cpu().numpy()
    return falls(depth, "feet sink in the less, the stiffer the contact")


def contact_damping_ratio(bench: Bench) -> Outcome:
    """Drop."""
    bench.put(contact_damping_ratio=bench.ramp(0.3, 1.5))
    bench.stand(above_m=0.05)
    deepest = np.zeros(bench.num_envs)
    for _ in range(10):
        bench.step()
        deepest = np.minimum(deepest, bench.env.locomotion.sole_height_m.min(dim=1).values.cpu().numpy())
    return Outcome(
        -_correlation(deepest), -LEAST_CORRELATION, "feet sink in the less at impact, the more the contact damps"
    )


# Bodies.


def _sinks(bench: Bench, statement: str) -> Outcome:
    bench.stand()
    bench.step(15)
    return falls(bench.base_height(), statement)


def base_mass(bench: Bench) -> Outcome:
    """Stand."""
    bench.put(base_mass=bench.nominal("base_mass") * bench.ramp(0.7, 1.5))
    return _sinks(bench, "a heavier base sinks more on its legs")


def payload_mass(bench: Bench) -> Outcome:
    """Stand."""
    bench.put(payload_mass=bench.ramp(0.0, 6.0))
    return _sinks(bench, "a heavier payload sinks the legs more")


def link_mass(bench: Bench) -> Outcome:
    """Drive joints in flight."""
    bench.put(link_mass=bench.ramp(0.7, 1.5)[:, None] * bench.nominal("link_mass"), **_limp(bench))
    return falls(_response(bench), "the same torques move heavier links less")


def base_com(bench: Bench) -> Outcome:
    """Push upwards at the origin in flight."""
    nominal = bench.nominal("base_com")
    com = np.tile(nominal, (bench.num_envs, 1))
    com[:, 0] += bench.ramp(-0.05, 0.05)
    return rises(
        _pitch_after_push(bench, (0.0, 0.0, 0.0), base_com=com), "a push behind the centre of mass pitches down"
    )


def payload_position(bench: Bench) -> Outcome:
    """Push upwards at the origin in flight."""
    position = np.zeros((bench.num_envs, 3))
    position[:, 0] = bench.ramp(-0.2, 0.2)
    pitch = _pitch_after_push(
        bench, (0.0, 0.0, 0.0), payload_mass=3.0 * np.ones(bench.num_envs), payload_position=position
    )
    return rises(pitch, "a push behind the payload pitches down")


def base_inertia_ratio(bench: Bench) -> Outcome:
    """Push upwards behind the centre of mass in flight."""
    pitch = _pitch_after_push(bench, (-0.2, 0.0, 0.0), base_inertia_ratio=bench.ramp(0.5, 3.0))
    return falls(pitch, "the same push turns a base of more inertia less")


def _pitch_after_push(bench: Bench, point: tuple[float, float, float], **values: np.ndarray) -> np.ndarray:
    """Return the pitch rate [rad/s] after one control step of 50 N upwards at a point of the base, (num_envs,)."""
    force = np.tile((0.0, 0.0, 50.0), (bench.num_envs, 1))
    points = np.tile(point, (bench.num_envs, 1))
    duration = bench.step_dt * np.ones(bench.num_envs)
    bench.put(push_force=force, push_point=points, push_duration=duration, **values)
    bench.fly()
    bench.push("push_force")
    bench.step()
    bench.end_pushes()
    return bench.base_ang_vel()[:, 1]


# Joints.


def _limp(bench: Bench) -> dict[str, np.ndarray]:
    """Return values of joints that only feed-forward efforts drive."""
    none = np.zeros(bench.num_envs)
    return {"stiffness": none, "damping": none, "coulomb_friction": none}


def _response(bench: Bench, share: float = 0.05, joint_vel: float = 0.0) -> np.ndarray:
    """Drive all joints in flight by a share of their effort limits; see :func:`_pull`."""
    bench.fly(joint_vel=joint_vel)
    return _pull(bench, share)


def _pull(bench: Bench, share: float) -> np.ndarray:
    """Let the engine take one call with feed-forward efforts, and return their work on the joints, (num_envs,).

    Torques ``tau`` give velocities ``M^-1 tau t``. Their product with the torques, ``tau^T M^-1 tau t``, falls with
    every inertia and rises with the torques, however the joints act on each other.
    """
    limit = np.array(bench.spec.joint_values("effort_limit_nm"))
    before = bench.joint_vel()
    velocity, _ = bench.one_call(share * limit)
    return (velocity[:, 6:] - before) @ limit


def _slowed(bench: Bench, joint_vel: float) -> np.ndarray:
    """Let joints coast in flight, and return their velocities weighed by armature, (num_envs,); see `_soft`."""
    bench.fly(joint_vel=joint_vel)
    velocity, _ = bench.one_call(np.zeros(bench.spec.num_joints))
    return velocity[:, 6:] @ bench.nominal("armature")


def _soft(bench: Bench, share: np.ndarray) -> np.ndarray:
    """Return coefficients that take a share of a joint's velocity of 1 rad/s in a control step, by its armature alone.

    So no joint comes to rest, whatever its inertia.
    """
    return share[:, None] * bench.nominal("armature") / bench.step_dt


def link_inertia_ratio(bench: Bench) -> Outcome:
    """Drive joints in flight."""
    bench.put(link_inertia_ratio=bench.ramp(0.5, 3.0), **_limp(bench))
    return falls(_response(bench), "the same torques move links of more inertia less")


def armature(bench: Bench) -> Outcome:
    """Drive joints in flight."""
    bench.put(armature=bench.ramp(0.5, 2.0)[:, None] * bench.nominal("armature"), **_limp(bench))
    return falls(_response(bench), "the same torques move joints of more armature less")


def coulomb_friction(bench: Bench) -> Outcome:
    """Let joints coast in flight."""
    bench.put(**(_limp(bench) | {"coulomb_friction": _soft(bench, bench.ramp(0.0, 0.3))}))
    return falls(_slowed(bench, 1.0), "more friction slows coasting joints more")


def static_friction_ratio(bench: Bench) -> Outcome:
    """Let joints coast slowly in flight."""
    friction = _soft(bench, 0.02 * np.ones(bench.num_envs))
    bench.put(**(_limp(bench) | {"coulomb_friction": friction}), static_friction_ratio=bench.ramp(1.0, 3.0))
    return falls(_slowed(bench, 0.2), "more static friction slows slow joints more")


def viscous_friction(bench: Bench) -> Outcome:
    """Let joints coast in flight."""
    bench.put(**_limp(bench), viscous_friction=_soft(bench, bench.ramp(0.0, 0.3)))
    return falls(_slowed(bench, 1.0), "more viscous friction slows coasting joints more")


def encoder_offset(bench: Bench) -> Outcome:
    """Hold the default pose in flight, where gravity does not load the joints."""
    offset = bench.ramp(-0.05, 0.05)
    bench.put(encoder_offset=offset, coulomb_friction=np.zeros(bench.num_envs))
    bench.fly()
    bench.step(75)
    found = (bench.joint_pos() - bench.default_pose).mean(axis=1)
    return equals(found, -offset, 1e-3, "joints settle where their encoders read the target [rad]")


# Actuators.


def stiffness(bench: Bench) -> Outcome:
    """Pull joints towards a target in flight."""
    bench.put(**(_limp(bench) | {"stiffness": bench.ramp(0.01, 0.05)[:, None] * bench.nominal("stiffness")}))
    bench.fly()
    bench.step(offset=0.1)
    return rises(bench.joint_vel() @ bench.nominal("stiffness"), "a higher gain moves joints faster to their target")


def damping(bench: Bench) -> Outcome:
    """Brake joints in flight."""
    bench.put(**(_limp(bench) | {"damping": _soft(bench, bench.ramp(0.0, 0.3))}))
    return falls(_slowed(bench, 1.0), "a higher velocity gain brakes joints more")


def motor_strength(bench: Bench) -> Outcome:
    """Drive joints in flight."""
    bench.put(motor_strength=bench.ramp(0.7, 1.3), **_limp(bench))
    return rises(_response(bench), "a stronger motor moves joints faster")


def stall_torque(bench: Bench) -> Outcome:
    """Saturate motors in flight."""
    bench.put(stall_torque=bench.ramp(0.02, 0.09)[:, None] * bench.nominal("stall_torque"), **_limp(bench))
    return rises(_response(bench, share=1.0), "a saturated motor of more stall torque moves joints faster")


def no_load_speed(bench: Bench) -> Outcome:
    """Saturate weak, turning motors in flight."""
    speed = bench.ramp(0.5, 1.5)[:, None] * bench.nominal("no_load_speed")
    bench.put(no_load_speed=speed, **_weak(bench))
    return rises(_response(bench, share=1.0, joint_vel=5.0), "a motor of more no-load speed has more torque left")


def _weak(bench: Bench) -> dict[str, np.ndarray]:
    """Return values of limp joints whose motors saturate before they move far."""
    return {"stall_torque": np.tile(0.05 * bench.nominal("stall_torque"), (bench.num_envs, 1)), **_limp(bench)}


def backlash(bench: Bench) -> Outcome:
    """Pull joints by less than half the gap in flight."""
    width = bench.ramp(0.0, 0.08)
    gain = np.tile(0.05 * bench.nominal("stiffness"), (bench.num_envs, 1))
    bench.put(**(_limp(bench) | {"stiffness": gain}), backlash=width)
    bench.fly()
    bench.step(offset=0.02)
    speed = bench.joint_vel() @ bench.nominal("stiffness")
    outside = width < 0.04
    still = float(np.abs(speed[~outside]).max() / speed[0])
    moves_less = (np.diff(speed[outside]) >= 0.0).sum()
    return Outcome(still + moves_less, 1e-3, "a target inside the gap moves nothing, one outside moves less")


def initial_motor_heat(bench: Bench) -> Outcome:
    """Saturate motors in flight."""
    bench.put(initial_motor_heat=bench.ramp(1.02, 1.48), **_limp(bench))
    return falls(_response(bench, share=1.0), "a hotter motor has less torque")


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
    return rises(_response(bench, share=1.0, joint_vel=2.0), "a motor has more torque at a higher voltage")


def battery_sag(bench: Bench) -> Outcome:
    """Wait, then saturate weak motors, in flight."""
    bench.put(battery_sag=bench.ramp(0.0, 0.5), **_weak(bench))
    bench.fly()
    bench.step(25)
    return falls(_pull(bench, share=1.0), "a battery that sags faster gives less after half a second")


def battery_resistance(bench: Bench) -> Outcome:
    """Draw power in flight, then saturate weak motors."""
    bench.put(battery_resistance=bench.ramp(0.0, 1e-3), **_weak(bench))
    bench.fly(joint_vel=2.0)
    bench.step_with_effort(0.02)
    return falls(_pull(bench, share=1.0), "a battery of more resistance gives way under load")


# World.


def gravity(bench: Bench) -> Outcome:
    """Fall."""
    pull = np.tile(bench.nominal("gravity"), (bench.num_envs, 1))
    pull[:, 0] = bench.ramp(-1.0, 1.0)
    pull[:, 2] += bench.ramp(0.5, -0.5)
    bench.put(gravity=pull)
    bench.fly()
    bench.step(5)
    return equals(bench.com_vel() / (5 * bench.step_dt), pull, 0.01, "robots fall as gravity says [m/s^2]")


def push_velocity(bench: Bench) -> Outcome:
    """Push in flight."""
    change = np.zeros((bench.num_envs, 3))
    change[:, 0], change[:, 1] = bench.ramp(-1.0, 1.0), bench.ramp(0.5, -0.5)
    bench.put(push_velocity=change)
    bench.fly()
    position = bench.env.robot.data.root_link_pos_w.torch[:, :2].cpu().numpy().copy()
    bench.push("push_velocity")
    bench.step()
    moved = bench.env.robot.data.root_link_pos_w.torch[:, :2].cpu().numpy() - position
    return equals(moved, change[:, :2] * bench.step_dt, 1e-3, "the base moves by velocity times time [m]")


def push_force(bench: Bench) -> Outcome:
    """Push in flight, and weigh the momentum."""
    force = np.zeros((bench.num_envs, 3))
    force[:, 0] = bench.ramp(-80.0, 80.0)
    duration = 0.05
    bench.put(push_force=force, push_duration=duration * np.ones(bench.num_envs))
    _push_for(bench, steps=4)
    momentum = bench.com_vel()[:, 0] * bench.total_mass()
    return equals(momentum, force[:, 0] * duration, 0.05, "momentum is force times duration [N.s]")


def push_duration(bench: Bench) -> Outcome:
    """Push in flight, and weigh the momentum."""
    duration = bench.ramp(0.01, 0.1)
    bench.put(push_force=np.tile((40.0, 0.0, 0.0), (bench.num_envs, 1)), push_duration=duration)
    _push_for(bench, steps=7)
    momentum = bench.com_vel()[:, 0] * bench.total_mass()
    return equals(momentum, 40.0 * duration, 0.05, "momentum is force times duration [N.s]")


def push_point(bench: Bench) -> Outcome:
    """Push upwards off the centre in flight."""
    point = np.zeros((bench.num_envs, 3))
    point[:, 0] = bench.ramp(0.2, -0.2)
    bench.put(
        push_force=np.tile((0.0, 0.0, 50.0), (bench.num_envs, 1)),
        push_point=point,
        push_duration=bench.step_dt * np.ones(bench.num_envs),
    )
    _push_for(bench, steps=1)
    return rises(bench.base_ang_vel()[:, 1], "a push further behind pitches the base down more")


def _push_for(bench: Bench, steps: int) -> None:
    bench.fly()
    bench.push("push_force")
    for _ in range(steps):
        bench.step()
        bench.randomization.pushes.act()
    bench.end_pushes()


def push_velocity_interval(bench: Bench) -> Outcome:
    """Count pushes."""
    return _interval(bench, "push_velocity")


def push_force_interval(bench: Bench) -> Outcome:
    """Count pushes."""
    return _interval(bench, "push_force")


def _interval(bench: Bench, event: str) -> Outcome:
    """Begin an episode and let time pass: each environment is pushed when its interval is over."""
    bench.randomization.reset(bench.everyone)
    interval = bench.table.view(f"{event}_interval")[:, 0].cpu().numpy().copy()
    first = np.full(bench.num_envs, np.inf)
    for step in range(1, round(interval.max() / bench.step_dt) + 2):
        bench.table.advance(bench.step_dt)
        due = bench.table.event_due[:, EVENTS.index(event)].cpu().numpy()
        first = np.where(due & np.isinf(first), step * bench.step_dt, first)
    return equals(first, interval, 0.5001 * bench.step_dt, "the first push comes when the interval is over [s]")


def _correlation(measured: np.ndarray) -> float:
    """Return the rank correlation of a measure with the order of the environments."""
    ranks = np.argsort(np.argsort(measured))
    return float(np.corrcoef(ranks, np.arange(len(measured)))[0, 1])


EXPERIMENTS: dict[str, Experiment] = {
    experiment.__name__: experiment
    for experiment in (
        foot_friction,
        foot_dynamic_friction_ratio,
        foot_restitution,
        contact_stiffness_ratio,
        contact_damping_ratio,
        base_mass,
        base_inertia_ratio,
        base_com,
        payload_mass,
        payload_position,
        link_mass,
        link_inertia_ratio,
        armature,
        coulomb_friction,
        static_friction_ratio,
        viscous_friction,
        encoder_offset,
        stiffness,
        damping,
        motor_strength,
        stall_torque,
        no_load_speed,
        backlash,
        initial_motor_heat,
        command_delay,
        battery_voltage,
        battery_sag,
        battery_resistance,
        gravity,
        push_velocity,
        push_velocity_interval,
        push_force,
        push_point,
        push_duration,
        push_force_interval,
    )
}
"""Experiments by parameter; those of the sensors are in :mod:`surefoot.randomization.proving.sensor_effects`."""
