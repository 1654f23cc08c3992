"""Configuration of an environment's randomization."""

from __future__ import annotations

from dataclasses import field

from isaaclab.utils import configclass

from .adaptive.bounds import AdaptiveCfg
from .parameter import Range


@configclass
class RandomizationCfg:
    """A preset, and ranges that take the place of the preset's."""

    preset: str = "none"
    """Name of one of :data:`surefoot.randomization.presets.PRESETS`."""

    ranges: dict[str, Range | None] = field(default_factory=dict)
    """Ranges by parameter; None keeps a parameter of the preset at its nominal value."""

    adaptive: AdaptiveCfg = AdaptiveCfg(scheme="none")
    """How the ranges in use grow towards the declared ones; with ``none`` they are the declared ones from the start."""

    foot_patch_radii_m: tuple[float, ...] = ()
    """Radii of the feet's contact patches in PhysX [m], one radius a process, in turn by rank; 0 is none.

    The largest torque against a foot's spin is ``mu N r``, in all environments of a process alike; ``mu r`` is MuJoCo's
    torsional coefficient. Newton has ``foot_torsional_friction`` by environment instead.
    """
