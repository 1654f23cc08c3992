"""Motors, gears and the battery."""

from __future__ import annotations

from functools import partial

from surefoot.randomization.declaration import ASSUMPTION, Declared, between, by_kind, of_joints, times

_joint = partial(Declared, over="joint", acts_on="actuator")
_robot = partial(Declared, over="environment", acts_on="actuator")

PARAMETERS = (
    _joint("stiffness", "N.m/rad", "position gain", of_joints("stiffness"), minimum=0.0,
           mild=by_kind(quadruped=times(0.95, 1.05, "himloco: 0.9 to 1.1, here half"),
                        humanoid=times(0.9, 1.1, "playground: 0.9 to 1.1 for T1")),
           standard=by_kind(quadruped=times(0.9, 1.1, "himloco: 0.9 to 1.1; rl_locomotion: 45 +- 5"),
                            humanoid=times(0.8, 1.2, "agibot_x1: 0.8 to 1.2")),
           harsh=by_kind(quadruped=times(0.8, 1.3, "walk_these_ways: 0.8 to 1.3"),
                         humanoid=times(0.75, 1.25, "human2humanoid: 0.75 to 1.25"))),
    _joint("damping", "N.m.s/rad", "velocity gain", of_joints("damping"), minimum=0.0,
           mild=by_kind(quadruped=times(0.83, 1.17, "rl_locomotion: 0.6 +- 0.2, here half"),
                        humanoid=times(0.9, 1.1, "agibot_x1: 0.8 to 1.2, here half")),
           standard=by_kind(quadruped=times(0.67, 1.33, "rl_locomotion: 0.6 +- 0.2"),
                            humanoid=times(0.8, 1.2, "agibot_x1: 0.8 to 1.2")),
           harsh=by_kind(quadruped=times(0.5, 1.5, "walk_these_ways: 0.5 to 1.5"),
                         humanoid=times(0.75, 1.25, "human2humanoid: 0.75 to 1.25"))),
    _joint("motor_strength", "-", "delivered over commanded torque", 1.0, minimum=0.0,
           mild=times(0.95, 1.05, "walk_these_ways: 0.9 to 1.1, here half"),
           standard=times(0.9, 1.1, "walk_these_ways: 0.9 to 1.1; agibot_x1: 0.8 to 1.2, here half"),
           harsh=times(0.8, 1.2, "extreme_parkour: 0.8 to 1.2; agibot_x1: 0.8 to 1.2")),
    _joint("stall_torque", "N.m", "torque at standstill", of_joints("saturation_effort_nm"), minimum=1e-3,
           standard=times(1.0, 1.2, f"{ASSUMPTION}: nominal is the effort limit, the least that it can be"),
           harsh=times(0.9, 1.3, f"{ASSUMPTION}: 10 % beyond standard")),
    _joint("no_load_speed", "rad/s", "speed without torque", of_joints("velocity_limit_rad_s"), minimum=1e-3,
           standard=times(0.9, 1.1, f"{ASSUMPTION}: tolerance of windings"),
           harsh=times(0.8, 1.2, f"{ASSUMPTION}: twice standard")),
    _joint("backlash", "rad", "width of the gap between gears", 0.0, minimum=0.0,
           standard=between(0.0, 0.005, f"{ASSUMPTION}: up to 17 arc minutes, planetary gears that have worn"),
           harsh=between(0.0, 0.015, f"{ASSUMPTION}: three times standard")),
    _joint("initial_motor_heat", "-", "motor heat at the start, 1 at continuous torque", 0.0, minimum=0.0,
           standard=between(0.0, 1.0, f"{ASSUMPTION}: from cold to what the continuous torque settles at")),
    _robot("command_delay", "s", "from the policy's output to the motor", 0.0, minimum=0.0,
           mild=between(0.0, 0.01, "himloco: 0 to 15 ms, here half; booster_gym: 0 to 18 ms, here half"),
           standard=by_kind(quadruped=between(0.0, 0.015, "himloco: 0 to 3 steps of 5 ms"),
                            humanoid=between(0.0, 0.02, "booster_gym: 0 to 18 ms")),
           harsh=by_kind(quadruped=between(0.0, 0.03, "walk_these_ways: a fixed lag of 6 steps of 5 ms"),
                         humanoid=between(0.0, 0.04, "agibot_x1: 5 to 40 ms"))),
    _robot("battery_voltage", "-", "voltage over nominal at the start", 1.0, minimum=0.5, maximum=1.5,
           standard=between(0.95, 1.13, "minitaur: 14 to 16.8 V of four cells of nominally 3.7 V", shared=True),
           harsh=between(0.85, 1.15, f"{ASSUMPTION}: cells down to 3.15 V", shared=True)),
    _robot("battery_sag", "1/s", "loss of that share per second", 0.0, minimum=0.0,
           standard=between(0.0, 0.001, f"{ASSUMPTION}: 2 % in 20 s, so that an episode sees it at all"),
           harsh=between(0.0, 0.005, f"{ASSUMPTION}: 10 % in 20 s")),
    _robot("battery_resistance", "1/W", "loss of that share per watt", 0.0, minimum=0.0,
           standard=by_kind(quadruped=between(0.0, 1e-4, f"{ASSUMPTION}: 0.1 ohm at 30 V"),
                            humanoid=between(0.0, 5e-5, f"{ASSUMPTION}: 0.1 ohm at 45 V")),
           harsh=by_kind(quadruped=between(0.0, 3e-4, f"{ASSUMPTION}: 0.3 ohm at 30 V"),
                         humanoid=between(0.0, 1.5e-4, f"{ASSUMPTION}: 0.3 ohm at 45 V"))),
)  # fmt: skip
