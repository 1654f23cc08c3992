"""Judgement of recorded motions: each engine by itself, and against MuJoCo C."""

import math
from collections.abc import Mapping

import numpy as np

from surefoot.engines import short_name
from surefoot.robot_checks.engine import TIMESTEP_S, Array, RobotState
from surefoot.robot_checks.recording import EngineRecord
from surefoot.robot_checks.referee import Referee, Rest
from surefoot.robot_checks.row import CheckRow
from surefoot.robot_checks.scenarios import SLIDE_DIRECTIONS
from surefoot_robots import RobotSpec

GRAVITY_M_S2 = 9.81
REFERENCE = "mujoco"

_LIES_M = 0.01  # above the ground at most, where a trunk lies on it
_ALIKE_RAD = 0.1  # between two attitudes that are one; turning about the vertical is none
_SLIDE_STEPS = 5  # 25 ms: all feet that touch still slide forward.


def check_motion(spec: RobotSpec, engine: str, recording: EngineRecord, referee: Referee) -> list[CheckRow]:
    """Check an engine's motions for what holds in any engine: limits, energy, penetration, standing, friction."""
    motions = recording.trajectories
    rows = [_torque_response(spec, engine, motions["torque_response"], referee)]
    rows += [_limit(spec, engine, motions, side) for side in ("lower", "upper")]
    rows += _drop(engine, motions["drop"], referee)
    rows += _hold(spec, engine, motions["hold"], referee)
    rows += [_friction(engine, motions[name], direction, name, referee) for name, direction in SLIDE_DIRECTIONS.items()]
    if engine == REFERENCE:
        rows.append(_live_friction(engine, motions["hold"], referee))
    return rows


def check_agreement(
    spec: RobotSpec, engine: str, recording: EngineRecord, reference: EngineRecord, referee: Referee
) -> list[CheckRow]:
    """Compare an engine's motions with MuJoCo C's, from the same states with the same law of torques."""
    ours, theirs = recording.trajectories, reference.trajectories
    flight_s = (len(ours["swing"].base_pos_w) - 1) * TIMESTEP_S
    rows = [
        CheckRow(
            "swing in the air: joint angles against MuJoCo",
            engine,
            _difference(ours["swing"].joint_pos, theirs["swing"].joint_pos),
            0.03,
            "rad",
            "Joints move at up to 7 rad/s; the engines' integrators differ by less than one step of that.",
        ),
        CheckRow(
            "swing in the air: base position against MuJoCo",
            engine,
            _difference(ours["swing"].base_pos_w, theirs["swing"].base_pos_w),
            GRAVITY_M_S2 * TIMESTEP_S * flight_s / 2.0 + 2e-3,
            "m",
            "PhysX falls g dt t / 2 less than semi-implicit Euler; 2 mm for the reaction to the joints.",
        ),
        CheckRow(
            "hold: joint angles against MuJoCo",
            engine,
            _difference(ours["hold"].joint_pos, theirs["hold"].joint_pos),
            0.02,
            "rad",
            "Contact is rigid in PhysX and takes two time steps to stop a foot in MuJoCo.",
        ),
        CheckRow(
            "hold: base height against MuJoCo",
            engine,
            _difference(ours["hold"].base_pos_w[:, 2], theirs["hold"].base_pos_w[:, 2]),
            5e-3,
            "m",
            "As for joint angles; feet sink in by about 1 mm in MuJoCo.",
        ),
    ]
    if spec.kind == "quadruped":
        rows.append(_rest(spec, engine, referee.rest(ours["drop"]), referee.rest(theirs["drop"])))
    return rows


def _rest(spec: RobotSpec, engine: str, ours: Rest, theirs: Rest) -> CheckRow:
    """Compare where the robot lies on its trunk in both: how legs fold that carry it depends on the contact model."""
    turned_rad = np.arccos(np.clip(ours.up_b @ theirs.up_b, -1.0, 1.0))
    otherwise = max(ours.gap_m, theirs.gap_m) > _LIES_M or turned_rad > _ALIKE_RAD
    why = (
        "It does not lie on its trunk alike in both, and no height can judge that: a sound robot's legs may fold "
        "otherwise. Look whether its shapes fit its links, and whether each joint's range is right."
        if otherwise
        else "It lies on its trunk in both; the legs' last position moves that by a twentieth of the standing height."
    )
    return CheckRow(
        "passive drop: base height at rest against MuJoCo",
        engine,
        abs(ours.height_m - theirs.height_m),
        math.inf if otherwise else 0.05 * spec.base_height_m,
        "m",
        f"At rest in {short_name(engine)}: {ours}; in MuJoCo: {theirs}. {why}",
    )


def _difference(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max())


def _torque_response(spec: RobotSpec, engine: str, states: RobotState, referee: Referee) -> CheckRow:
    mass = referee.mass_matrix(np.array(spec.joint_values("default_joint_pos")))
    expected = np.linalg.inv(mass)[6:, 6:]  # joint accelerations for 1 N m on one joint of the free robot
    found = states.joint_vel / TIMESTEP_S  # (driven joint, joint)
    worst = np.abs(found - expected).max(axis=1) / np.abs(expected).max(axis=1)
    return CheckRow(
        "joint accelerations for unit torques",
        engine,
        float(worst.max()),
        1e-3,
        "",
        "Relative to the inverse mass matrix: right joint, sign, inertia and armature, and no hidden drive or damping.",
    )


def _limit(spec: RobotSpec, engine: str, motions: Mapping[str, RobotState], side: str) -> CheckRow:
    joint_pos = motions[f"{side}_limits"].joint_pos  # (T, num_joints)
    lower, upper = (np.array(spec.joint_values(f"{bound}_limit_rad")) for bound in ("lower", "upper"))
    beyond = max((lower - joint_pos).max(), (joint_pos - upper).max())
    short = np.abs(joint_pos[-1] - (lower if side == "lower" else upper)).max()
    return CheckRow(
        f"joints driven to their {side} limits",
        engine,
        float(max(beyond, short)),
        0.05,
        "rad",
        "Furthest beyond a limit on the way, or from the limit at the end; MuJoCo's limits give way by v times 10 ms.",
    )


def _drop(engine: str, trajectory: RobotState, referee: Referee) -> list[CheckRow]:
    motion = referee.motion(trajectory)
    return [
        CheckRow(
            "passive drop: rise of energy",
            engine,
            float(motion.energy_j.max() - motion.energy_j[0]),
            0.01 * GRAVITY_M_S2 * referee.total_mass_kg * trajectory.base_pos_w[0, 2],
            "J",
            "Nothing drives the robot, so contact and limits may only take energy; 1 % of m g h for integration.",
        ),
        CheckRow(
            "passive drop: deepest penetration",
            engine,
            float(motion.penetration_m.max()),
            max(0.02, 0.01 * float(motion.sink_m_s.max())),
            "m",
            "MuJoCo's contact gives way by v times 10 ms: of the trunk's impact at 2 m/s, or the fastest one of a tall "
            "robot, whose head falls at up to 7 m/s.",
        ),
    ]


def _hold(spec: RobotSpec, engine: str, trajectory: RobotState, referee: Referee) -> list[CheckRow]:
    motion = referee.motion(trajectory)
    half = len(motion.tilt_rad) // 2
    creep = np.linalg.norm(motion.sole_pos_w[-1, :, :2] - motion.sole_pos_w[half, :, :2], axis=1).max()
    rows = [
        CheckRow(
            "hold: penetration of the feet at the end",
            engine,
            float(motion.penetration_m[-1]),
            2e-3,
            "m",
            "Under the robot's weight.",
        ),
        CheckRow(
            "zero-command drift of the feet",
            engine,
            float(creep / ((len(motion.tilt_rad) - 1 - half) * TIMESTEP_S)),
            5e-3,
            "m/s",
            "Fastest foot over the second half of the hold; loaded feet stay where they are.",
        ),
    ]
    if spec.kind == "quadruped":
        rows += [
            CheckRow("hold: tilt", engine, float(motion.tilt_rad.max()), 0.15, "rad", "The robot stands."),
            CheckRow(
                "hold: loss of height",
                engine,
                float(1.0 - trajectory.base_pos_w[-1, 2] / spec.base_height_m),
                0.2,
                "",
                "The gains are soft: the default pose sags under the robot's weight.",
            ),
        ]
    return rows


def _friction(
    engine: str, trajectory: RobotState, direction: tuple[float, float], name: str, referee: Referee
) -> CheckRow:
    # Momentum balance, whatever the joints do: sliding feet take mu times the vertical impulse out of the motion.
    velocity = referee.motion(trajectory).com_vel_w
    change = velocity[_SLIDE_STEPS] - velocity[0]
    normal = change[2] + GRAVITY_M_S2 * TIMESTEP_S * _SLIDE_STEPS
    measured = -(change[:2] @ np.array(direction)) / normal
    return CheckRow(
        f"friction of sliding feet, {name.removeprefix('slide_')}",
        engine,
        float(abs(measured / referee.foot_friction - 1.0)),
        0.05,
        "",
        f"Relative error of {measured:.3f}, from the robot's loss of momentum, to the model's {referee.foot_friction}.",
    )


def _live_friction(engine: str, trajectory: RobotState, referee: Referee) -> CheckRow:
    friction = referee.live_foot_friction(trajectory)
    return CheckRow(
        "friction of live contacts",
        engine,
        _difference(friction, np.full_like(friction, referee.foot_friction)) if friction.size else float("nan"),
        1e-9,
        "",
        "As the contacts of the hold carry it.",
    )
