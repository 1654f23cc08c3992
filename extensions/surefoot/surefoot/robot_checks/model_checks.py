"""Checks of the robot's specification and MJCF that need no motion."""

import mujoco
import numpy as np

from surefoot.robot_checks.engine import Array, ModelReadback, stack, standing_state
from surefoot.robot_checks.referee import Referee
from surefoot.robot_checks.row import CheckRow
from surefoot_robots import RobotSpec

_POSES = 20
_SEED = 0


def check_model(spec: RobotSpec, referee: Referee) -> list[CheckRow]:
    """Check masses, inertias, left-right symmetry, kinematic tree and standing height of the model."""
    model = referee.engine.read_model()
    standing = referee.motion(stack([standing_state(spec)]))
    armature = np.array(spec.joint_values("armature_kgm2"))
    return [
        CheckRow(
            "bodies with impossible mass or inertia",
            "model",
            _impossible_bodies(model),
            0,
            "",
            "Masses and principal moments are positive, and no moment exceeds the sum of the two others.",
        ),
        CheckRow(
            "left-right asymmetry of the mass matrix",
            "model",
            _asymmetry(spec, referee),
            0.01,
            "",
            "Largest entry of M(mirrored q) - mirrored M(q) over sqrt(Mii Mjj), 20 random poses; the makers' own "
            "models differ by up to half a percent between left and right.",
        ),
        CheckRow(
            "left-right asymmetry of collision shapes",
            "model",
            _shape_asymmetry(spec, referee),
            1e-3,
            "m",
            "Distance of the mirrored centre or size of a shape from those of its counterpart.",
        ),
        CheckRow(
            "motion outside a joint's subtree",
            "model",
            _leak(spec, referee),
            1e-9,
            "m",
            "Each joint swept from limit to limit moves the bodies below it and no other.",
        ),
        CheckRow(
            "height of the lowest sole at base_height_m",
            "model",
            abs(float(standing.sole_height_m.min())),
            1e-3,
            "m",
            "In the default pose the feet just touch the ground.",
        ),
        CheckRow(
            "armature of actuators against MJCF",
            "model",
            float(np.abs(armature - model.armature_kgm2).max()),
            1e-12,
            "kg m^2",
            "The number stands in both; they are the same.",
        ),
    ]


def check_readback(spec: RobotSpec, engine: str, model: ModelReadback, truth: ModelReadback) -> list[CheckRow]:
    """Check that an engine holds the robot that the MJCF describes.

    Args:
        spec: The robot.
        engine: Name of the engine.
        model: What the engine holds.
        truth: What MuJoCo compiles from the MJCF.
    """
    wrong_names = sum(a != b for a, b in zip(model.joint_names, spec.joint_names, strict=False))
    wrong_names += abs(len(model.joint_names) - spec.num_joints)
    missing = set(truth.body_names) ^ set(model.body_names)
    rows = [
        CheckRow("joints out of order", engine, wrong_names, 0, "", "Joint vectors are in policy order."),
        CheckRow("bodies missing or added", engine, len(missing), 0, "", "No body was merged or lost."),
    ]
    if missing:
        return rows
    order = [model.body_names.index(name) for name in truth.body_names]
    inertia_scale = np.abs(truth.inertia_b).max(axis=(1, 2), keepdims=True)
    limits = np.array([model.lower_rad - truth.lower_rad, model.upper_rad - truth.upper_rad])
    single = "Single precision."
    return [
        *rows,
        CheckRow("body mass", engine, _largest(model.mass_kg[order] / truth.mass_kg - 1.0), 1e-5, "", single),
        CheckRow("centre of mass", engine, _largest(model.com_b[order] - truth.com_b), 1e-6, "m", single),
        CheckRow(
            "body inertia",
            engine,
            _largest((model.inertia_b[order] - truth.inertia_b) / inertia_scale),
            1e-4,
            "",
            "Single precision, through principal axes and back.",
        ),
        CheckRow("armature", engine, _largest(model.armature_kgm2 / truth.armature_kgm2 - 1.0), 1e-5, "", single),
        CheckRow("joint limits", engine, _largest(limits), 1e-5, "rad", single + " USD keeps them in degrees."),
    ]


def _largest(difference: Array) -> float:
    return float(np.abs(difference).max())


def _impossible_bodies(model: ModelReadback) -> int:
    moments = np.linalg.eigvalsh(model.inertia_b)  # (num_bodies, 3), ascending
    triangle = moments[:, 0] + moments[:, 1] >= moments[:, 2] * (1.0 - 1e-9)
    possible = (model.mass_kg > 0) & (moments[:, 0] > 0) & triangle
    return int(np.count_nonzero(~possible))


def _asymmetry(spec: RobotSpec, referee: Referee) -> float:
    indices, signs = spec.mirror_permutation()
    order = np.array([*range(6), *(6 + index for index in indices)])
    sign = np.array([1, -1, 1, -1, 1, -1, *signs])  # linear velocity (x, -y, z), angular velocity (-x, y, -z), joints
    random = np.random.default_rng(_SEED)
    worst = 0.0
    for _ in range(_POSES):
        joint_pos = random.uniform(spec.joint_values("lower_limit_rad"), spec.joint_values("upper_limit_rad"))
        mirrored = np.array(signs) * joint_pos[list(indices)]
        mass = referee.mass_matrix(joint_pos)
        expected = sign[:, None] * mass[np.ix_(order, order)] * sign[None, :]
        scale = np.sqrt(np.diag(mass))
        difference = (referee.mass_matrix(mirrored) - expected) / np.outer(scale[order], scale[order])
        worst = max(worst, _largest(difference))
    return worst


def _shape_asymmetry(spec: RobotSpec, referee: Referee) -> float:
    """Return the largest distance, over all shapes, to the nearest shape of the same type on the other side."""
    referee.engine.reset(standing_state(spec))  # The default pose is its own mirror image.
    model, data = referee.model, referee.engine.data
    shapes = [geom for geom in range(model.ngeom) if model.geom_bodyid[geom] != 0]
    features = {g: np.concatenate([data.geom_xpos[g], model.geom_size[g]]) for g in shapes}
    flip = np.array([1.0, -1.0, 1.0, 1.0, 1.0, 1.0])
    worst = 0.0
    for geom in shapes:
        same_type = [other for other in shapes if model.geom_type[other] == model.geom_type[geom]]
        worst = max(worst, min(_largest(flip * features[geom] - features[other]) for other in same_type))
    return worst


def _leak(spec: RobotSpec, referee: Referee) -> float:
    model, data = referee.model, referee.engine.data
    worst = 0.0
    for index, joint in enumerate(spec.joint_names):
        body = model.joint(joint).bodyid[0]
        positions = []
        for limit in spec.joint_limits_rad[joint]:
            state = standing_state(spec)
            state.joint_pos[index] = limit
            referee.engine.reset(state)
            positions.append(data.xpos.copy())
        moved = np.linalg.norm(positions[1] - positions[0], axis=1)  # (num_bodies,)
        inside = np.array([_is_below(model, other, body) for other in range(model.nbody)])
        worst = max(worst, float(moved[~inside].max()))
    return worst


def _is_below(model: mujoco.MjModel, body: int, ancestor: int) -> bool:
    while body not in (0, ancestor):
        body = model.body_parentid[body]
    return body == ancestor
