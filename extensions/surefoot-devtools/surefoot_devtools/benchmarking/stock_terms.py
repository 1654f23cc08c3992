"""The parameters of the standard preset that Isaac Lab's stock event terms can randomize too, and those terms.

Both sides are compared on these alone, with the same ranges and as many numbers: what the stock terms draw for each
element is drawn for each here too, where the preset would share one number. Where a stock term has fewer ranges than
parameters it is given the widest; that costs it nothing.

Pushes are left out: their stock term draws when one is due, not at a reset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from surefoot.engines import Physics
from surefoot.randomization.catalogue import make_catalogue
from surefoot.randomization.layout import EVENTS
from surefoot.randomization.nominal_model import read_nominal_model
from surefoot.randomization.parameter import Parameter, Range, ResolvedRange, resolve_range, to_value
from surefoot.randomization.presets import preset_ranges
from surefoot.randomization.support import DRAWN_ONCE, support_of
from surefoot_robots import RobotSpec

if TYPE_CHECKING:
    from isaaclab.managers import EventTermCfg

PRESET = "standard"

STOCK_TERMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "feet": ("foot_friction", "foot_dynamic_friction_ratio", "foot_restitution"),
        "base_mass": ("base_mass",),
        "link_mass": ("link_mass",),
        "base_inertia": ("base_inertia_ratio",),
        "link_inertia": ("link_inertia_ratio",),
        "base_com": ("base_com",),
        "armature": ("armature",),
        "joint_friction": ("coulomb_friction", "static_friction_ratio", "viscous_friction"),
        "gains": ("stiffness", "damping"),
        "gravity": ("gravity",),
    }
)
"""Parameters that each stock term randomizes, by a name for the term.

The base's payload is not among them: the stock term that adds to a mass would replace what `base_mass` has drawn.
"""

_DRAWN_BY_STOCK_IN_PHYSX_ALONE = ("static_friction_ratio",)
"""In Newton the stock term of joint friction draws two numbers, in PhysX three."""

_MATERIAL_BUCKETS = 64
"""Materials that the stock term chooses from in PhysX, as in Isaac Lab's velocity tasks."""


def matched_ranges(spec: RobotSpec, physics: Physics) -> dict[str, Range]:
    """Return the ranges that both sides draw at a reset, in the order of the preset."""
    stock = {name for names in STOCK_TERMS.values() for name in names}
    if physics == "newton_mjwarp":
        stock -= set(_DRAWN_BY_STOCK_IN_PHYSX_ALONE)
    drawn = _drawn_at_resets(spec, physics)
    return {name: replace(asked, shared=False) for name, asked in drawn.items() if name in stock}


def without_stock_term(spec: RobotSpec, physics: Physics) -> list[str]:
    """Return what the standard preset draws at a reset and no stock event term can."""
    matched = matched_ranges(spec, physics)
    return [name for name in _drawn_at_resets(spec, physics) if name not in matched]


def values_per_environment(spec: RobotSpec, names: Mapping[str, Range]) -> int:
    """Return how many numbers the table holds of some parameters in each environment."""
    return sum(len(parameter.elements) for parameter in make_catalogue(spec) if parameter.name in names)


def stock_event_terms(spec: RobotSpec, physics: Physics) -> dict[str, EventTermCfg]:
    """Return the stock event terms that draw :func:`matched_ranges` at a reset."""
    ranges = _Ranges(spec, matched_ranges(spec, physics))
    return {term: _MAKE[term](ranges) for term, names in STOCK_TERMS.items() if any(map(ranges.has, names))}


def _drawn_at_resets(spec: RobotSpec, physics: Physics) -> dict[str, Range]:
    occasions = {parameter.name: parameter.occasion for parameter in make_catalogue(spec)}
    return {
        name: asked
        for name, asked in preset_ranges(PRESET, spec).items()
        if support_of(name, physics).level == "supported"
        and name not in DRAWN_ONCE[physics]
        and occasions[name] not in EVENTS
    }


class _Ranges:
    """The matched ranges in the forms that stock terms take."""

    def __init__(self, spec: RobotSpec, ranges: Mapping[str, Range]) -> None:
        self.spec = spec
        self._parameters = {parameter.name: parameter for parameter in make_catalogue(spec)}
        self._ranges = ranges

    def has(self, name: str) -> bool:
        """Tell whether a parameter is matched."""
        return name in self._ranges

    def draws(self, *names: str) -> tuple[float, float]:
        """Return the smallest and the largest draw of parameters that are scaled."""
        found = [self._resolved(name)[1] for name in names]
        return min(min(item.low) for item in found), max(max(item.high) for item in found)

    def axes(self, name: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the smallest and the largest draw of each element."""
        _, resolved = self._resolved(name)
        return resolved.low, resolved.high

    def values(self, *names: str) -> tuple[float, float]:
        """Return the smallest and the largest value; both the nominal one for a parameter that is not matched."""
        ends = [end for name in names for side in self.value_axes(name) for end in side]
        return min(ends), max(ends)

    def value_axes(self, name: str) -> tuple[list[float], list[float]]:
        """Return the smallest and the largest value of each element."""
        parameter = self._parameters[name]
        if not self.has(name):
            return list(parameter.nominal), list(parameter.nominal)
        _, resolved = self._resolved(name)

        def side(draws: tuple[float, ...]) -> list[float]:
            operation = resolved.range.operation
            return [to_value(operation, nominal, draw) for nominal, draw in zip(parameter.nominal, draws, strict=True)]

        return side(resolved.low), side(resolved.high)

    def _resolved(self, name: str) -> tuple[Parameter, ResolvedRange]:
        return self._parameters[name], resolve_range(self._parameters[name], self._ranges[name])


def _term(function: str, *, bodies: list[str] | None = None, **params: Any) -> EventTermCfg:
    """Return a stock term of Isaac Lab's by name, for some bodies of the robot or for all of it."""
    from isaaclab.envs import mdp
    from isaaclab.managers import EventTermCfg, SceneEntityCfg

    if function != "randomize_physics_scene_gravity":
        params["asset_cfg"] = SceneEntityCfg("robot", body_names=bodies)
    return EventTermCfg(func=getattr(mdp, function), mode="reset", params=params)


def _links(spec: RobotSpec) -> list[str]:
    model = read_nominal_model(spec)
    return [name for name, joint in zip(model.body_names, model.joint_of_body, strict=True) if joint >= 0]


def _feet(ranges: _Ranges) -> EventTermCfg:
    friction, ratio = ranges.values("foot_friction"), ranges.values("foot_dynamic_friction_ratio")
    return _term(
        "randomize_rigid_body_material",
        bodies=list(ranges.spec.foot_bodies),
        static_friction_range=friction,
        dynamic_friction_range=(friction[0] * ratio[0], friction[1] * ratio[1]),
        restitution_range=ranges.values("foot_restitution"),
        num_buckets=_MATERIAL_BUCKETS,
        make_consistent=True,
    )


def _mass(parameter: str, bodies: Callable[[RobotSpec], list[str]]) -> Callable[[_Ranges], EventTermCfg]:
    return lambda ranges: _term(
        "randomize_rigid_body_mass",
        bodies=bodies(ranges.spec),
        mass_distribution_params=ranges.draws(parameter),
        operation="scale",
        recompute_inertia=False,  # the term of inertia, which follows, starts from the nominal one again
    )


def _inertia(parameter: str, bodies: Callable[[RobotSpec], list[str]]) -> Callable[[_Ranges], EventTermCfg]:
    return lambda ranges: _term(
        "randomize_rigid_body_inertia",
        bodies=bodies(ranges.spec),
        inertia_distribution_params=ranges.draws(parameter),
        operation="scale",
        diagonal_only=False,
    )


def _base_com(ranges: _Ranges) -> EventTermCfg:
    low, high = ranges.axes("base_com")
    com_range = {axis: (low[index], high[index]) for index, axis in enumerate("xyz")}
    return _term("randomize_rigid_body_com", bodies=[ranges.spec.base_body], com_range=com_range)


def _armature(ranges: _Ranges) -> EventTermCfg:
    return _term(
        "randomize_joint_parameters",
        armature_distribution_params=ranges.draws("armature"),
        operation="scale",
        distribution="log_uniform",
    )


def _joint_friction(ranges: _Ranges) -> EventTermCfg:
    return _term(
        "randomize_joint_parameters",
        friction_distribution_params=ranges.values("coulomb_friction", "viscous_friction"),
        operation="abs",
    )


def _gains(ranges: _Ranges) -> EventTermCfg:
    return _term(
        "randomize_actuator_gains",
        stiffness_distribution_params=ranges.draws("stiffness"),
        damping_distribution_params=ranges.draws("damping"),
        operation="scale",
    )


def _gravity(ranges: _Ranges) -> EventTermCfg:
    return _term(
        "randomize_physics_scene_gravity", gravity_distribution_params=ranges.value_axes("gravity"), operation="abs"
    )


def _base(spec: RobotSpec) -> list[str]:
    return [spec.base_body]


_MAKE: Mapping[str, Callable[[_Ranges], EventTermCfg]] = {
    "feet": _feet,
    "base_mass": _mass("base_mass", _base),
    "link_mass": _mass("link_mass", _links),
    "base_inertia": _inertia("base_inertia_ratio", _base),
    "link_inertia": _inertia("link_inertia_ratio", _links),
    "base_com": _base_com,
    "armature": _armature,
    "joint_friction": _joint_friction,
    "gains": _gains,
    "gravity": _gravity,
}
