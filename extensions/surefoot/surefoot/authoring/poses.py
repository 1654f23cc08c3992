"""Poses that are proposed for a robot: its feet where they carry it, found by inverse kinematics on its own model."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import mujoco
import numpy as np

from .anatomy import Anatomy, Array, at_zero, shape_bottom, shape_points, shape_radius

STAND_SHARE = {4: 0.76, 2: 0.95}
"""Height of the hips over the feet in the default pose, as a share of the straight leg, by number of feet: between a
Go2's 0.71 and an ANYmal-D's 0.86; a G1's 0.94."""

CROUCH_SHARE = {4: 0.6, 2: 0.92}
"""The same of the pose that catches a robot which still moves."""

_SIT_SHARE = 0.9
"""The same of a robot on two feet that is about to hang from its gantry."""

_REACHED_M = 0.01
"""How near a foot must come for a way to bend the knee to count as possible."""

_MARGIN = 0.02
"""Share of a joint's range that a proposed pose leaves at either end."""


class _Way(NamedTuple):
    """How a leg is bent: where the search begins, and what counts of the foot's place.

    Attributes:
        turns_rad: Of hip, knee and ankle about the lateral axis, for a knee that points backwards.
        weights: Of the foot's distance from where it is to be, in x, y and z.
    """

    turns_rad: tuple[float, float, float]
    weights: tuple[float, float, float]


_BENT = _Way((0.6, -1.2, 0.6), (1.0, 1.0, 1.0))
_FOLDED = _Way((1.4, -2.7, 1.3), (0.1, 1.0, 1.0))  # where a folded leg's foot lies ahead or behind matters little

_Height = Callable[[Array], float]
"""Height of a foot in the base's frame [m] from the place of its hip."""


class Soles(NamedTuple):
    """Points of each foot in its frame [m], and the radius around them [m]."""

    points: tuple[tuple[tuple[float, float, float], ...], ...]
    radius_m: float


class Pose(NamedTuple):
    """A pose and how well it does what was asked.

    Attributes:
        joint_pos: Joint -> position [rad].
        error_m: Largest distance of a foot from where it was to be [m].
    """

    joint_pos: dict[str, float]
    error_m: float


class Poser:
    """Finds poses of one robot."""

    def __init__(self, model: mujoco.MjModel, anatomy: Anatomy, ranges: Mapping[str, tuple[float, float]]) -> None:
        self._model, self._anatomy, self._ranges = model, anatomy, ranges
        self._data = at_zero(model)
        self.soles = find_soles(model, anatomy)
        zero = self._data
        self._lateral = {joint: float(zero.xaxis[model.joint(joint).id] @ [0.0, 1.0, 0.0]) for joint in anatomy.joints}
        self._anchors = {joint: zero.xanchor[model.joint(joint).id].copy() for joint in anatomy.joints}
        self._upright = {foot: zero.body(foot).xmat.reshape(3, 3).copy() for foot in anatomy.feet}
        self._foot_zero = {foot: self._foot(foot) for foot in anatomy.feet}
        mujoco.mj_comPos(model, zero)
        self._com_x = float(zero.subtree_com[0][0])
        base = model.body(anatomy.base)
        shapes = range(base.geomadr[0], base.geomadr[0] + base.geomnum[0])
        self.belly_m = min([shape_bottom(model, zero, shape) for shape in shapes], default=0.0)

    @property
    def leg_length_m(self) -> float:
        """Length of the first leg, straight, from its first lateral joint to its sole's centre [m]."""
        foot, leg = self._anatomy.feet[0], self._anatomy.legs[0]
        places = [self._anchors[joint] for joint in leg if abs(self._lateral[joint]) > 0.7]
        places = [*(places or [self._anchors[leg[0]]]), self._foot_zero[foot]]
        return float(sum(np.linalg.norm((b - a)[[0, 2]]) for a, b in pairwise(places)))

    def resting(self) -> dict[str, float]:
        """Return all joints at zero, or as near as their ranges let them come."""
        return {joint: float(np.clip(0.0, *self._within(joint))) for joint in self._anatomy.joints}

    def stand(self, share: float, knees: Sequence[int]) -> Pose:
        """Return the pose with level base, soles flat, hips at a share of the straight leg over the feet.

        A foot is below its hip; those of a robot on two feet are below its centre of mass.

        Args:
            share: Height of the hips over the feet, as a share of the straight leg.
            knees: For each foot, 1 for a knee that points backwards, -1 for one that points forwards.
        """
        return self._solve(self._standing(share), knees)

    def sit(self, knees: Sequence[int]) -> Pose:
        """Return the pose with the legs folded until the belly lies on the ground, or as far as they fold.

        A robot on two feet bends its knees only: it does not come to rest by poses alone.
        """
        if len(self._anatomy.feet) == 2:
            return self.stand(_SIT_SHARE, knees)
        return self._solve(lambda _: self.belly_m + self.soles.radius_m, knees, _FOLDED)

    def knees(self) -> tuple[tuple[int, ...], bool]:
        """Return which way each foot's knee bends, and whether another way is possible too.

        It is the way with the least motion from the configuration of zeros; where both ask for the same, backwards on
        four feet and forwards on two.
        """
        count = len(self._anatomy.feet)
        order = (1, -1) if count == 4 else (-1, 1)
        found = {knee: self._solve_all(self._standing(STAND_SHARE[count]), (knee,) * count) for knee in order}
        knees, ambiguous = [], False
        for index in range(count):
            ways = {knee: legs[index] for knee, legs in found.items() if legs[index][1] < _REACHED_M}
            ambiguous |= len(ways) > 1
            ways = ways or {knee: legs[index] for knee, legs in found.items()}
            knees.append(min(ways, key=lambda knee: round(sum(map(abs, ways[knee][0].values())), 1)))
        return tuple(knees), ambiguous

    def height_m(self, joint_pos: Mapping[str, float]) -> float:
        """Return the height of the base frame over flat ground on which the lowest sole stands, base level [m]."""
        self._place(joint_pos)
        bottoms = [
            float(
                self._data.body(foot).xpos[2]
                + (np.array(points) @ self._data.body(foot).xmat.reshape(3, 3).T)[:, 2].min()
            )
            for foot, points in zip(self._anatomy.feet, self.soles.points, strict=True)
        ]
        return self.soles.radius_m - min(bottoms)

    def _standing(self, share: float) -> _Height:
        return lambda hip: float(hip[2] - share * self.leg_length_m)

    def _solve(self, height: _Height, knees: Sequence[int], way: _Way = _BENT) -> Pose:
        legs = self._solve_all(height, knees, way)
        pose = self.resting()
        for positions, _ in legs:
            pose.update(positions)
        return Pose(pose, max(error for _, error in legs))

    def _solve_all(
        self, height: _Height, knees: Sequence[int], way: _Way = _BENT
    ) -> list[tuple[dict[str, float], float]]:
        """Return the joints' positions and the foot's error for each leg, right ones as left ones' mirror images."""
        solved: dict[str, tuple[dict[str, float], float]] = {}
        for index, (foot, leg) in enumerate(zip(self._anatomy.feet, self._anatomy.legs, strict=True)):
            mirror = self._anatomy.joint_mirror
            other = solved.get(self._anatomy.foot_mirror[foot])
            if other is not None and all(joint in mirror and mirror[joint].partner in other[0] for joint in leg):
                places = {joint: mirror[joint].sign * other[0][mirror[joint].partner] + 0.0 for joint in leg}
                solved[foot] = (places, other[1])
            else:
                solved[foot] = self._solve_leg(foot, leg, height, knees[index], way)
        return list(solved.values())

    def _solve_leg(
        self, foot: str, leg: tuple[str, ...], height: _Height, knee: int, way: _Way
    ) -> tuple[dict[str, float], float]:
        from scipy.optimize import least_squares  # slow to import, and a file may be refused before

        lateral = [joint for joint in leg if abs(self._lateral[joint]) > 0.7]
        hip = self._anchors[lateral[0] if lateral else leg[0]]
        x = hip[0] if len(self._anatomy.feet) == 4 else self._com_x
        target = np.array([x, self._foot_zero[foot][1], height(hip)])
        bend = dict.fromkeys(leg, 0.0)
        for joint, turn in zip(lateral, way.turns_rad, strict=False):
            bend[joint] = knee * turn * np.sign(self._lateral[joint])
        bounds = np.array([self._within(joint) for joint in leg])
        if lateral:  # a knee stays below its hip
            hip_bounds = np.clip(bounds[leg.index(lateral[0])], -1.57, 1.57)
            if hip_bounds[0] < hip_bounds[1]:
                bounds[leg.index(lateral[0])] = hip_bounds
        start = np.clip([bend[joint] for joint in leg], *bounds.T)
        weights = np.array(way.weights)
        flat = 0.1 * self.leg_length_m if len(leg) > 4 else 0.0  # only such legs can lay their soles flat

        def misses(positions: Array) -> Array:
            self._place(dict(zip(leg, positions, strict=True)))
            turned = self._data.body(foot).xmat.reshape(3, 3) - self._upright[foot]
            return np.concatenate(
                [weights * (self._foot(foot) - target), flat * turned.ravel(), 1e-4 * (positions - start)]
            )

        solution = least_squares(misses, start, bounds=tuple(bounds.T))
        rounded = np.clip(np.round(solution.x, 3), *bounds.T) + 0.0
        bends = len(lateral) < 2 or np.sign(rounded[leg.index(lateral[1])]) == np.sign(bend[lateral[1]])
        error = float(np.linalg.norm(misses(rounded)[:3])) if bends else np.inf
        return dict(zip(leg, map(float, rounded), strict=True)), error

    def _within(self, joint: str) -> tuple[float, float]:
        lower, upper = self._ranges[joint]
        margin = _MARGIN * (upper - lower)
        return lower + margin, upper - margin

    def _place(self, joint_pos: Mapping[str, float]) -> None:
        for joint, position in joint_pos.items():
            self._data.qpos[self._model.joint(joint).qposadr[0]] = position
        mujoco.mj_kinematics(self._model, self._data)

    def _foot(self, foot: str) -> Array:
        """Return the middle of a foot's sole [m]."""
        points = np.array(self.soles.points[self._anatomy.feet.index(foot)])
        body = self._data.body(foot)
        return body.xpos + points.mean(axis=0) @ body.xmat.reshape(3, 3).T


def find_soles(model: mujoco.MjModel, anatomy: Anatomy) -> Soles:
    """Return the points that touch flat ground, with all joints at zero and the base level."""
    data = at_zero(model)
    shapes = {
        foot: range(body.geomadr[0], body.geomadr[0] + body.geomnum[0])
        for foot in anatomy.feet
        if (body := model.body(foot))
    }
    lowest = {foot: min(shape_bottom(model, data, geom) for geom in geoms) for foot, geoms in shapes.items()}
    touching = {
        foot: [geom for geom in geoms if shape_bottom(model, data, geom) < lowest[foot] + 0.005]
        for foot, geoms in shapes.items()
    }
    radius = min(shape_radius(model, geom) for geoms in touching.values() for geom in geoms)
    points = []
    for foot, geoms in touching.items():
        body = data.body(foot)
        of_foot = np.concatenate(
            [shape_points(model, data, geom) for geom in geoms if shape_radius(model, geom) >= radius]
        )
        if radius == 0.0:
            of_foot = of_foot[of_foot[:, 2] < lowest[foot] + 0.005]
        local = (of_foot - body.xpos) @ body.xmat.reshape(3, 3)
        points.append(tuple(tuple(float(round(number, 6)) + 0.0 for number in point) for point in local))
    return Soles(tuple(points), radius)
