"""What a robot's hardware is and can bear: no bundle can raise, rename or reorder it."""

from dataclasses import dataclass
from typing import Iterator, Tuple

from surefoot_bridge.contract import Contract, Interval
from surefoot_bridge.errors import refusal

_ROUNDING = 1.0 + 1e-9  # of a number that was written and read in another unit


@dataclass(frozen=True)
class HardwareCaps:
    """Joints and limits of a robot, known by its transport and not by what runs on it.

    Lists are in the order of the robot's own interface, with a number for each joint.

    Attributes:
        robot: Its name.
        joint_names: Its joints.
        foot_names: Its feet, in the order in which policies of this robot have them.
        joint_pos_rad: Range of each joint [rad].
        joint_vel_rad_s: Largest speed of each joint [rad/s].
        torque_nm: Largest torque of each joint [N m].
        motor_temperature_c: Temperature from which a motor must rest [degrees Celsius].
        low_level_hz: Largest rate of commands [Hz].
    """

    robot: str
    joint_names: Tuple[str, ...]
    foot_names: Tuple[str, ...]
    joint_pos_rad: Tuple[Interval, ...]
    joint_vel_rad_s: Tuple[float, ...]
    torque_nm: Tuple[float, ...]
    motor_temperature_c: float
    low_level_hz: float

    def require(self, contract: Contract) -> None:
        """Refuse a contract that is not for this robot as it is.

        Raises:
            SurefootError: If its joints or feet have other names or another order, or it allows more than the hardware
                bears; each mistake with both numbers.
        """
        mistakes = list(self._mistakes(contract))
        if mistakes:
            raise refusal(f"The contract is not for {self.robot} as it is:", mistakes)

    def _mistakes(self, contract: Contract) -> Iterator[str]:
        robot, safety = contract.robot, contract.safety
        for what, found, known in (
            ("joints", robot.sdk_joint_names, self.joint_names),
            ("feet", robot.foot_names, self.foot_names),
        ):
            if found != known:
                yield _unlike(what, found, known)
        if robot.sdk_joint_names != self.joint_names:
            return  # whose limits the numbers are is unknown
        for i, (name, place) in enumerate(zip(self.joint_names, contract.sdk_order)):
            limit, cap = safety.joint_pos_limit_rad[place], self.joint_pos_rad[i]
            if _beyond(-limit.low, -cap.low) or _beyond(limit.high, cap.high):
                yield (
                    f"safety.joint_pos_limit_rad of {name} is {limit.low:g} to {limit.high:g}; the robot has "
                    f"{cap.low:g} to {cap.high:g}."
                )
            for field, cap in (("joint_vel_limit_rad_s", self.joint_vel_rad_s), ("torque_limit_nm", self.torque_nm)):
                number = getattr(safety, field)[place]
                if _beyond(number, cap[i]):
                    yield f"safety.{field} of {name} is {number:g}; the robot bears {cap[i]:g}."
        for field, number, cap in (
            ("safety.motor_temperature_limit_c", safety.motor_temperature_limit_c, self.motor_temperature_c),
            ("timing.low_level_hz", contract.timing.low_level_hz, self.low_level_hz),
        ):
            if _beyond(number, cap):
                yield f"{field} is {number:g}; the robot bears {cap:g}."


def _beyond(number: float, cap: float) -> bool:
    return number > (cap * _ROUNDING if cap > 0 else cap / _ROUNDING)


def _unlike(what: str, found: Tuple[str, ...], known: Tuple[str, ...]) -> str:
    """Say how names differ: those that only one has, or else the first place where they differ."""
    lacks, adds = [n for n in known if n not in found], [n for n in found if n not in known]
    parts = [f"{word} {', '.join(names)}" for word, names in (("lacks", lacks), ("adds", adds)) if names]
    if not parts:
        place = next(i for i, (one, other) in enumerate(zip(found, known)) if one != other)
        parts = [f"has {found[place]} where the robot has {known[place]}"]
    return f"the list of {what} {' and '.join(parts)}; the robot's, in its order: {', '.join(known)}."
