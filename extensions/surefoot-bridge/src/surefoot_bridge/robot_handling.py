"""How each robot stands, sits and is damped without its policy: poses and gains by joint, with their sources.

Sources:

- ``FixStand``, ``Passive``: states of unitree_rl_lab's controllers. G1: ``deploy/robots/g1_29dof/config/config.yaml``
  at unitreerobotics/unitree_rl_lab@1a762ac. Go2: ``deploy/robots/go2/config/config.yaml`` at @e72a072; its durations
  and its damping are those of a fork, FO-ODE/unitree_rl_lab@96987bf.
- ``go2_stand_example.py``: ``example/go2/low_level/go2_stand_example.py`` at
  unitreerobotics/unitree_sdk2_python@9b05080.
- ``mjlab``: ``src/mjlab/asset_zoo/robots/unitree_g1/g1_constants.py`` in mjlab 1.6.0.

An assumption is a reasoned choice that no source stands behind.
"""

from dataclasses import dataclass
from typing import Dict, Mapping, NamedTuple, Tuple

from .contract import Contract
from .errors import SurefootError, unknown_name
from .machine_modes import HoldGains, Poses, check_poses


@dataclass(frozen=True)
class Handling:
    """How a robot is held without its policy. Every mapping has each of its joints.

    Attributes:
        stand_rad: Standing pose [rad].
        sit_rad: Pose in which the robot may become passive [rad].
        stand_s: Duration of the motion to stand [s].
        sit_s: Duration of the motion to sit [s].
        stiffness_nm_per_rad: Position gains that stand and sit [N m/rad].
        damping_nms_per_rad: Velocity gains that stand and sit [N m s/rad].
        damped_nms_per_rad: Velocity gain of every joint while the robot is damped [N m s/rad].
        passive_needs: What must hold before the robot becomes passive, as a person reads it.
    """

    stand_rad: Mapping[str, float]
    sit_rad: Mapping[str, float]
    stand_s: float
    sit_s: float
    stiffness_nm_per_rad: Mapping[str, float]
    damping_nms_per_rad: Mapping[str, float]
    damped_nms_per_rad: float
    passive_needs: str


class Hold(NamedTuple):
    """Poses and gains of a contract's robot, in the policy's order.

    Attributes:
        poses: Poses without the policy.
        gains: Gains without the policy.
    """

    poses: Poses
    gains: HoldGains


def handling_of(robot: str) -> Handling:
    """Return how a robot is held without its policy.

    Raises:
        SurefootError: If nothing is known of the robot.
    """
    if robot not in HANDLING:
        raise unknown_name(
            "robot", robot, HANDLING, "Nothing says how it stands and sits: add it to surefoot_bridge.robot_handling."
        )
    return HANDLING[robot]


def hold_of(contract: Contract) -> Hold:
    """Return the poses and gains that hold a contract's robot, in the order of its policy.

    Raises:
        SurefootError: If nothing is known of the robot, the contract has other joints than it, or a pose is beyond the
            contract's limits.
    """
    handling, names = handling_of(contract.robot.name), contract.robot.joint_names
    if set(names) != set(handling.stand_rad):
        known, asked = set(handling.stand_rad), set(names)
        parts = (("without", known - asked), ("with", asked - known))
        differences = [f"{how} {', '.join(sorted(which))}" for how, which in parts if which]
        raise SurefootError(
            f"The contract's {contract.robot.name} is another one than is known here: {'; '.join(differences)}. Export "
            "the policy for this robot, or add the robot under a name of its own to surefoot_bridge.robot_handling."
        )

    def ordered(by_joint: Mapping[str, float]) -> Tuple[float, ...]:
        return tuple(by_joint[name] for name in names)

    poses = Poses(ordered(handling.stand_rad), ordered(handling.sit_rad), handling.stand_s, handling.sit_s)
    gains = HoldGains(
        ordered(handling.stiffness_nm_per_rad),
        ordered(handling.damping_nms_per_rad),
        (handling.damped_nms_per_rad,) * len(names),
    )
    check_poses(contract, poses, gains)
    return Hold(poses, gains)


DAMPED_NMS_PER_RAD = 3.0
"""Velocity gain of a damped joint [N m s/rad]: ``Passive`` of both robots."""

_GO2_PARTS = ("hip", "thigh", "calf")
_GO2_LEGS = ("FL", "FR", "RL", "RR")


def _go2(**legs: Tuple[float, float, float]) -> Dict[str, float]:
    """Return a number for each joint of a Go2, given hip, thigh and calf of each leg."""
    return {f"{leg}_{part}_joint": number for leg in _GO2_LEGS for part, number in zip(_GO2_PARTS, legs[leg])}


def _go2_same(hip: float, thigh: float, calf: float) -> Dict[str, float]:
    return _go2(**dict.fromkeys(_GO2_LEGS, (hip, thigh, calf)))


_G1_LEG = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
_G1_WAIST = ("yaw", "roll", "pitch")
_G1_ARM = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_roll", "wrist_pitch", "wrist_yaw")


def _g1(leg: Tuple[float, ...], waist: Tuple[float, ...], arm: Tuple[float, ...], mirror: float) -> Dict[str, float]:
    """Return a number for each joint of a G1, given those of the left side.

    Args:
        leg: Left leg; its roll and yaw are 0 in every pose here, so the right one is the same.
        waist: Waist.
        arm: Left arm.
        mirror: Factor of the right arm's roll joints: -1 for angles, 1 for gains.
    """
    numbers = {f"waist_{part}_joint": number for part, number in zip(_G1_WAIST, waist)}
    for side in ("left", "right"):
        numbers.update({f"{side}_{part}_joint": number for part, number in zip(_G1_LEG, leg)})
        for part, number in zip(_G1_ARM, arm):
            mirrored = side == "right" and part.endswith("roll") and number
            numbers[f"{side}_{part}_joint"] = mirror * number if mirrored else number
    return numbers


HANDLING: Dict[str, Handling] = {
    "unitree_go2": Handling(
        stand_rad=_go2_same(0.0, 0.8, -1.5),  # FixStand
        # Last target of go2_stand_example.py: the belly lies on the ground, the legs are folded beside it.
        sit_rad=_go2(FL=(0.35, 1.36, -2.65), FR=(-0.35, 1.36, -2.65), RL=(0.5, 1.36, -2.65), RR=(-0.5, 1.36, -2.65)),
        stand_s=2.0,  # FixStand: 1 s to fold the legs, 1 s to rise; here both are one motion
        sit_s=1.8,  # go2_stand_example.py: 900 ticks of 2 ms
        stiffness_nm_per_rad=_go2_same(60.0, 80.0, 80.0),  # FixStand
        damping_nms_per_rad=_go2_same(5.0, 4.0, 4.0),  # FixStand
        damped_nms_per_rad=DAMPED_NMS_PER_RAD,
        passive_needs="its belly lies on the ground",
    ),
    "unitree_g1": Handling(
        stand_rad=_g1(
            (-0.1, 0.0, 0.0, 0.3, -0.2, 0.0), (0.0, 0.0, 0.0), (0.0, 0.25, 0.0, 0.97, 0.15, 0.0, 0.0), -1.0
        ),  # FixStand
        # Assumption: no source lets a G1 down. These are mjlab's bent knees, with the centre of mass over the soles; a
        # humanoid does not come to rest on the ground by poses alone, so a gantry takes it from there.
        sit_rad=_g1((-0.312, 0.0, 0.0, 0.669, -0.363, 0.0), (0.0, 0.0, 0.0), (0.2, 0.2, 0.0, 0.6, 0.0, 0.0, 0.0), -1.0),
        stand_s=3.0,  # FixStand
        sit_s=3.0,  # Assumption: as long as to stand
        stiffness_nm_per_rad=_g1((100.0, 100.0, 100.0, 150.0, 40.0, 40.0), (200.0,) * 3, (40.0,) * 7, 1.0),  # FixStand
        damping_nms_per_rad=_g1((2.0, 2.0, 2.0, 4.0, 2.0, 2.0), (5.0,) * 3, (10.0,) * 7, 1.0),  # FixStand
        damped_nms_per_rad=DAMPED_NMS_PER_RAD,
        passive_needs="the gantry carries it",
    ),
}
"""All robots by name."""
