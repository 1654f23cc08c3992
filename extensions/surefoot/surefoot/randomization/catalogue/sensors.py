"""What sensors show beside the truth, as :mod:`surefoot.sensors.kernels` applies it."""

from __future__ import annotations

import math
from functools import partial

from surefoot.randomization.declaration import ASSUMPTION, Declared, around, between, by_kind
from surefoot.randomization.parameter import Range

_robot = partial(Declared, over="environment", acts_on="sensor", minimum=0.0)
_std = partial(_robot, law="gaussian_std")
_walk = partial(_robot, law="walk_std_per_root_s")
_vector = partial(Declared, over="xyz", acts_on="sensor", mirror="axial_vector", law="constant")
_chance = partial(_robot, maximum=1.0, law="probability")
_PACKETS = ("gyro", "gravity", "joint_pos", "joint_vel", "foot_contact")


def _usual(half_width: float) -> Range:
    """As strong as uniform noise of legged_gym's half width."""
    return between(half_width / math.sqrt(3.0), half_width / math.sqrt(3.0), "legged_gym: noise_scales")


def _strong(half_width: float) -> Range:
    std = half_width / math.sqrt(3.0)
    return between(std, 1.5 * std, "legged_gym: noise_scales; agibot_x1: noise_level 1.5")


PARAMETERS = (
    _std("gyro_noise", "rad/s", "standard deviation of the gyroscope's noise", errs=("gyro",),
         mild=_usual(0.2),
         standard=_usual(0.2),
         harsh=_strong(0.2)),
    _vector("gyro_bias", "rad/s", "bias of the gyroscope", errs=("gyro",),
            standard=around(0.02, f"{ASSUMPTION}: 1 degree per second, a MEMS gyroscope without calibration"),
            harsh=around(0.05, f"{ASSUMPTION}: 3 degrees per second")),
    _walk("gyro_drift", "rad/s^1.5", "random walk of the gyroscope's bias per root of a second", errs=("gyro",),
          standard=between(0.0, 0.002, f"{ASSUMPTION}: 0.01 rad/s in 20 s"),
          harsh=between(0.0, 0.005, f"{ASSUMPTION}: 0.02 rad/s in 20 s")),
    _std("gravity_noise", "-", "standard deviation of the noise of the gravity direction", errs=("gravity",),
         mild=_usual(0.05),
         standard=_usual(0.05),
         harsh=_strong(0.05)),
    _walk("attitude_drift", "rad/s^0.5", "random walk of roll and pitch per root of a second", errs=("gravity",),
          standard=between(0.0, 0.002, f"{ASSUMPTION}: 0.01 rad in 20 s"),
          harsh=between(0.0, 0.005, f"{ASSUMPTION}: 0.02 rad in 20 s")),
    _vector("imu_mounting", "rad", "rotation from base to IMU", errs=("gyro", "gravity"),
            mild=around(0.017, "haarnoja: 2 degrees, here half"),
            standard=around(0.035, "haarnoja: 2 degrees"),
            harsh=around(0.05, "mjlab: 0.05 rad about each axis")),
    _robot("imu_latency", "s", "age of the IMU's readings", errs=("gyro", "gravity"), law="age",
           standard=by_kind(quadruped=between(0.0, 0.02, "parkour: 5 to 45 ms for Go2, here half"),
                            humanoid=between(0.0, 0.01, "agibot_x1: 1 to 10 ms")),
           harsh=by_kind(quadruped=between(0.0, 0.045, "parkour: 5 to 45 ms for Go2"),
                         humanoid=between(0.0, 0.05, "haarnoja: 10 to 50 ms"))),
    _std("encoder_noise", "rad", "standard deviation of the noise of joint positions", errs=("joint_pos",),
         mild=_usual(0.01),
         standard=_usual(0.01),
         harsh=_strong(0.01)),
    _std("encoder_velocity_noise", "rad/s", "standard deviation of the noise of joint velocities",
         errs=("joint_vel",),
         mild=_usual(1.5),
         standard=_usual(1.5),
         harsh=_strong(1.5)),
    _robot("encoder_latency", "s", "age of the encoders' readings", errs=("joint_pos", "joint_vel"), law="age",
           standard=between(0.0, 0.02, "parkour: 5 to 45 ms, here half; agibot_x1: 0 to 40 ms, here half"),
           harsh=by_kind(quadruped=between(0.0, 0.045, "parkour: 5 to 45 ms for Go2"),
                         humanoid=between(0.0, 0.04, "agibot_x1: 0 to 40 ms"))),
    _chance("sensor_dropout", "-", "probability that a packet of a sensor is lost", errs=_PACKETS,
            standard=between(0.0, 0.01, f"{ASSUMPTION}: one packet in a hundred on a loaded bus"),
            harsh=between(0.0, 0.05, f"{ASSUMPTION}: one packet in twenty")),
    _chance("sensor_repeat", "-", "probability that a packet of a sensor comes again", errs=_PACKETS,
            standard=between(0.0, 0.02, f"{ASSUMPTION}: clocks of sensor and controller that drift apart"),
            harsh=between(0.0, 0.1, f"{ASSUMPTION}: five times standard")),
    _chance("contact_miss", "-", "probability that a foot on the ground is reported in the air",
            errs=("foot_contact",),
            standard=between(0.0, 0.05, f"{ASSUMPTION}: light contacts below a threshold"),
            harsh=between(0.0, 0.1, f"{ASSUMPTION}: twice standard")),
    _chance("contact_false", "-", "probability that a foot in the air is reported on the ground",
            errs=("foot_contact",),
            standard=between(0.0, 0.02, f"{ASSUMPTION}: jolts of the swing leg above a threshold"),
            harsh=between(0.0, 0.05, f"{ASSUMPTION}: more than twice standard")),
)  # fmt: skip
