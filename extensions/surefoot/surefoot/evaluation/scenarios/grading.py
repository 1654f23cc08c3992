"""What a scenario searches over levels of its ground: the hardest that a policy masters, or where half of it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from surefoot.strict_model import StrictModel

if TYPE_CHECKING:
    from surefoot.terrains.terrain import Terrain


class Target(StrictModel):
    """A place ahead to which an operator steers the robot; a trial that reaches it ends there.

    The law is RoboGauge's ``target_pos_velocity`` (github.com/wty-yy/RoboGauge, goals/velocity_goals.py): it turns at
    twice the angle to the place, walks at full speed while that is below 45 degrees, and else steps aside.
    """

    ahead_m: float = Field(gt=0.0, le=30.0)
    """How far along x from the start."""
    within_m: float = Field(default=0.1, ge=0.02, le=1.0)
    """From the base's origin, horizontally: nearer has reached it."""
    speed_m_s: float = Field(default=1.0, gt=0.0, le=5.0)
    side_speed_m_s: float = Field(default=1.0, ge=0.0, le=5.0)
    """At most, by as much a second as it is aside."""
    yaw_rate_rad_s: float = Field(default=1.5, ge=0.0, le=5.0)
    """At most."""
    way: Literal["forward", "backward"] = "forward"
    """How it walks there; let one that walks backward face away with ``robot: {yaw_deg: 180}``."""


class Levels(StrictModel):
    """Levels of difficulty of a terrain: what one of its fields has on each, the easiest first."""

    field: str
    """Of the scenario's terrain: ``grade_deg``."""
    sizes: tuple[float, ...] = Field(min_length=2, max_length=30)

    def terrain_at(self, terrain: Terrain, level: int) -> Terrain:
        """Return a terrain on a level, from 1 on."""
        return terrain.model_copy(update={self.field: self.sizes[level - 1]})


class Tracking(StrictModel):
    """How well velocities are tracked, by RoboGauge's goals ``max_velocity`` and ``diagonal_velocity``.

    Full speed either way along each axis for 5 s and then 2 s of standing; and each of the eight directions of full
    speed for 3 s and then its opposite.
    """

    velocity: tuple[float, float, float]
    """Full speed forward and sideways [m/s], and of turning [rad/s]; what a policy was not trained for is clamped by
    its safety layer, and counts as the error that it is."""
    trials: int = Field(default=3, ge=1, le=20)
    """Times that all of it is done."""

    WAYS: ClassVar[int] = 14
    """Both ways along three axes, and eight diagonals."""


class Grading(StrictModel):
    """How hard the ground is that a policy masters, and how well it walks there, at several frictions."""

    levels: Levels | None = None
    """What the highest level is searched among; without, only the quality counts, as on flat ground."""
    frictions: tuple[float, ...] = Field(min_length=1, max_length=20)
    """Of the feet, one after the other."""
    trials: int = Field(default=5, ge=1, le=50)
    """On a level at a friction."""
    passes: int = Field(default=4, ge=1)
    """Of these trials, how many must reach the target for the level to be mastered."""
    tracking: Tracking
    robogauge: str = ""
    """RoboGauge's name of the course, if it has it; the mean over such courses is what compares."""


class HalfSuccess(StrictModel):
    """The size of the ground at which success falls to one half, by bisection over levels."""

    levels: Levels


class UniformNoise(StrictModel):
    """Noise on what the policy is shown, uniform up to so much either way, drawn anew each control period.

    The safety layer sees the sensors without it: RoboGauge, whose noise this is, has no such layer, and one that saw
    noise of 3 rad/s would stop robots for it.
    """

    gyro_rad_s: float = Field(default=0.0, ge=0.0, le=10.0)
    joint_pos_rad: float = Field(default=0.0, ge=0.0, le=1.0)
    joint_vel_rad_s: float = Field(default=0.0, ge=0.0, le=20.0)
