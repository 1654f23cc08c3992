"""The stages in which a robot earns trust: each allows more than the one before, and asks more of the people around it.

No source says how fast a robot may walk in whose presence; apart from the torque share (see
:class:`~surefoot_bridge.safety.StageLimits`) all figures here are assumptions, with their reasons beside them.
"""

from dataclasses import dataclass
from typing import Dict, Mapping, Optional, Sequence, Tuple

from surefoot_bridge.contract import Contract, Interval
from surefoot_bridge.errors import SurefootError, unknown_name
from surefoot_bridge.safety import StageLimits

REHEARSAL = " (rehearsal)"
"""Ends the stage's name in the log of a simulated or emulated robot: such a log opens no stage."""


@dataclass(frozen=True)
class Criteria:
    """What a log must show for the next stage to open.

    Attributes:
        walked_s: Least time in which the policy walked [s].
        asked_share: Share of the largest forward speed that the stage allows, of which at least so much must have been
            asked for ...
        asked_s: ... for this long while it walked [s], and least time in which the IMU felt steps [s].
        missed_share: Largest share of ticks later than the stage's limit of lateness, in [0, 1].
        holds_per_min: Largest number of holds and stops per minute of walking [1/min]. Nothing that damps may have
            happened.
        temperature_margin_c: How far below the temperature from which it must rest each motor must have stayed [degrees
            Celsius].
        dropped_share: Largest share of ticks that are missing in the log because the disk was too slow, in [0, 1].
    """

    walked_s: float
    asked_share: float
    asked_s: float
    missed_share: float
    holds_per_min: float
    temperature_margin_c: float
    dropped_share: float


@dataclass(frozen=True)
class Stage:
    """One stage.

    Attributes:
        name: Its name.
        largest_command: Largest absolute value of each component of the velocity command by its name; None for as much
            as the policy was trained for.
        torque_share: Share of each joint's torque limit that a command may ask for, in (0, 1].
        duration_s: Longest duration of one run [s]; it ends in order then.
        confirmations: What the operator confirms before the first torque.
        criteria: What a log must show for the next stage to open.
        previous: Name of the stage before it; None for the first.
    """

    name: str
    largest_command: Optional[Mapping[str, float]]
    torque_share: float
    duration_s: float
    confirmations: Tuple[str, ...]
    criteria: Criteria
    previous: Optional[str]

    def limits(self, contract: Contract) -> StageLimits:
        """Return what the stage allows a contract's robot.

        Raises:
            SurefootError: If the policy is commanded by something for which the stage has no limit.
        """
        names = contract.command.names
        if self.largest_command is None:
            return StageLimits(largest_of(contract.command.trained), torque_share=self.torque_share)
        unknown = [name for name in names if name not in self.largest_command]
        if unknown:
            raise SurefootError(
                f"The stage {self.name} has no limit for {', '.join(unknown)} of the contract's command; it has some "
                f"for {', '.join(self.largest_command)}. Add it to surefoot_bridge.stages."
            )
        return StageLimits(tuple(self.largest_command[name] for name in names), torque_share=self.torque_share)

    def command_ranges(self, contract: Contract) -> Tuple[Interval, ...]:
        """Return what may be asked of a policy: what both the stage allows and it was trained for.

        Raises:
            SurefootError: If the policy is commanded by something for which the stage has no limit.
        """
        largest = self.limits(contract).largest_command
        return tuple(
            Interval(max(trained.low, -most), min(trained.high, most))
            for trained, most in zip(contract.command.trained, largest)
        )

    def log_name(self, *, rehearsal: bool) -> str:
        """Return how the stage is called in logs: with :data:`REHEARSAL` where no real robot moves."""
        return self.name + (REHEARSAL if rehearsal else "")


def stage_of(name: str) -> Stage:
    """Return a stage.

    Raises:
        SurefootError: If there is none of this name.
    """
    if name not in STAGES:
        raise unknown_name("stage", name, STAGES)
    return STAGES[name]


def largest_of(ranges: Sequence[Interval]) -> Tuple[float, ...]:
    """Return the largest absolute value in each range."""
    return tuple(max(abs(interval.low), abs(interval.high)) for interval in ranges)


def _command(forward_m_s: float, sideways_m_s: float, turn_rad_s: float) -> Dict[str, float]:
    return {"lin_vel_x_m_s": forward_m_s, "lin_vel_y_m_s": sideways_m_s, "ang_vel_z_rad_s": turn_rad_s}


def _criteria(walked_s: float) -> Criteria:
    """Return criteria that differ by how long the robot walked only."""
    return Criteria(
        walked_s=walked_s,
        asked_share=0.8,  # who has only stood has shown nothing of the speed that the stage was there for
        asked_s=walked_s / 3.0,
        missed_share=1e-3,  # one tick in two seconds at 500 Hz; the targets are held meanwhile
        holds_per_min=2.0,  # a radio's gap; more is a fault to be found first
        temperature_margin_c=15.0,  # 5 below where safety ends walking: the next stage walks longer
        dropped_share=0.01,
    )


_AREA = (
    "Nobody but those who take part is within {radius} m of the robot, and nobody is on a ladder or on stairs near it."
)
_STOP = "One person does nothing but watch, with a way in hand to stop the robot that was tried today."

STAGES: Dict[str, Stage] = {
    "tethered": Stage(
        "tethered",
        _command(0.3, 0.2, 0.4),  # slower than people stroll (about 1 m/s): a hand on the tether keeps up
        torque_share=0.8,
        duration_s=180.0,
        confirmations=(
            "The robot hangs in a gantry or on a tether that carries its weight before its body reaches the ground.",
            "The tether is slack enough to walk, tangles with no leg, and somebody moves along with it.",
            _AREA.format(radius=2),
            _STOP,
        ),
        criteria=_criteria(60.0),
        previous=None,
    ),
    "indoor": Stage(
        "indoor",
        _command(0.6, 0.3, 0.8),
        torque_share=0.8,
        duration_s=600.0,
        confirmations=(
            "The floor is level, dry and free of cables and edges for 5 m around; there is no way down from it.",
            _AREA.format(radius=3),
            _STOP,
        ),
        criteria=_criteria(180.0),
        previous="tethered",
    ),
    "outdoor": Stage(
        "outdoor",
        _command(1.0, 0.5, 1.0),
        torque_share=0.9,  # uneven ground asks for more; a tenth stays for impacts
        duration_s=1200.0,
        confirmations=(
            "The place is closed to traffic, and water, edges and slopes are further away than the robot gets in 10 s.",
            "Rain, dust and temperature are within what the robot's manual allows.",
            "The link to the robot was tried at the largest distance that it will have.",
            _AREA.format(radius=5),
            _STOP,
        ),
        criteria=_criteria(600.0),
        previous="indoor",
    ),
    "field": Stage(
        "field",
        None,
        torque_share=1.0,
        duration_s=3600.0,
        confirmations=(
            "Who may be met on the way was told of the robot, or is kept away by somebody.",
            "There is a plan for a robot that lies somewhere with an empty battery.",
            _STOP,
        ),
        criteria=_criteria(1200.0),
        previous="outdoor",
    ),
}
"""All stages in their order."""
