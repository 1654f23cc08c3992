"""The physics engines by name: which can run here, and Isaac Lab's configuration of each."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args, overload

from surefoot.engines.devices import check_device
from surefoot_bridge.errors import SurefootError, unknown_name

if TYPE_CHECKING:
    from isaaclab.physics import PhysicsCfg

Physics = Literal["ovphysx", "newton_mjwarp", "isaacsim_physx"]
"""PhysX without Kit, Newton with the MuJoCo Warp solver, or Isaac Sim's PhysX. Isaac Lab's preset names."""

PHYSICS: tuple[Physics, ...] = get_args(Physics)

SHORT_NAMES: dict[str, Physics] = {"physx": "ovphysx", "newton": "newton_mjwarp", "isaacsim": "isaacsim_physx"}
"""What people call them."""


@overload
def full_name(name: str) -> Physics: ...
@overload
def full_name[E: str](name: str, known: Sequence[E]) -> E: ...
def full_name(name: str, known: Sequence[str] = PHYSICS) -> str:
    """Return an engine's name, of one that may be named in short; the type of an argument.

    Args:
        name: Its name.
        known: The engines that there are.

    Raises:
        SurefootError: If there is no such engine.
    """
    full = SHORT_NAMES.get(name, name)
    if full not in known:
        raise unknown_name("engine", name, map(short_name, known))
    return full


def short_name(name: str) -> str:
    """Return what people call an engine."""
    return next((short for short, full in SHORT_NAMES.items() if full == name), name)


_MODULE_AND_REMEDY: dict[Physics, tuple[str, str]] = {
    "ovphysx": ("ovphysx", "pip install 'isaaclab[ovphysx]==3.0.0'"),
    "newton_mjwarp": ("newton", "pip install 'isaaclab==3.0.0'"),
    "isaacsim_physx": ("isaacsim", "pip install 'surefoot[isaacsim]' on a machine with an RTX GPU"),
}


def default_physics(device: str) -> Physics:
    """Return the engine that is fastest on a device: Newton on CUDA, PhysX on a CPU."""
    return "newton_mjwarp" if device.startswith("cuda") else "ovphysx"


def check_physics(name: str, device: str) -> Physics:
    """Check that an engine is installed and that it runs on a device of this machine.

    Args:
        name: The engine's name, one of `PHYSICS` or `SHORT_NAMES`.
        device: ``"cpu"``, ``"cuda"`` or ``"cuda:<index>"``.

    Returns:
        The name, one of `PHYSICS`.

    Raises:
        SurefootError: If the name is unknown, the engine or a system library that it needs is not installed, or the
            device does not suit it.
    """
    name = full_name(name)
    module, remedy = _MODULE_AND_REMEDY[name]
    if importlib.util.find_spec(module) is None:
        installed = [
            short_name(other) for other, (module, _) in _MODULE_AND_REMEDY.items() if importlib.util.find_spec(module)
        ]
        raise SurefootError(
            f"Engine {short_name(name)!r} needs the Python package {module!r}, which is not installed; "
            f"installed: {', '.join(installed) or 'none'}. Install it with: {remedy}."
        )
    _check_system_libraries()
    device = check_device(device)
    if name == "isaacsim_physx" and device == "cpu":
        raise SurefootError(
            "Engine 'isaacsim' starts Isaac Sim, which renders on a CUDA device, but the device is 'cpu'. "
            "Use --device cuda:0, or --engine physx for the same PhysX without Isaac Sim."
        )
    return name


_SYSTEM_LIBRARIES = {"libGL.so.1": "libgl1", "libX11.so.6": "libx11-6", "libgomp.so.1": "libgomp1"}
"""Libraries that the engines' USD and PhysX load and that slim images lack, with their package on Debian and Ubuntu."""


def _check_system_libraries() -> None:
    """Refuse a machine that lacks libraries which no Python package brings."""
    missing = [name for name in _SYSTEM_LIBRARIES if sys.platform == "linux" and not _can_load(name)]
    if missing:
        packages = " ".join(_SYSTEM_LIBRARIES[name] for name in missing)
        raise SurefootError(
            f"The physics engines need the system libraries {', '.join(missing)}, which cannot be loaded here. "
            f"Install them with: apt-get install {packages}."
        )


def _can_load(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def make_physics_cfg(name: Physics) -> PhysicsCfg:
    """Build Isaac Lab's physics configuration for legged robots made of primitive shapes.

    Args:
        name: The engine's name, one of `PHYSICS`.

    Returns:
        A new configuration, for ``SimulationCfg.physics`` or as a field of a preset.

    Raises:
        SurefootError: If the name is unknown.
    """
    if name == "ovphysx":
        from isaaclab_ov.physics import OvPhysxCfg

        return OvPhysxCfg(gpu_max_rigid_patch_count=_GPU_MAX_RIGID_PATCH_COUNT)
    if name == "isaacsim_physx":
        from isaaclab_physx.physics import PhysxCfg

        return PhysxCfg(gpu_max_rigid_patch_count=_GPU_MAX_RIGID_PATCH_COUNT)
    if name == "newton_mjwarp":
        from isaaclab_newton.physics import MJWarpSolverCfg, NewtonCfg

        solver = MJWarpSolverCfg(
            njmax=_CONSTRAINT_ROWS_PER_WORLD,
            nconmax=_CONTACTS_PER_WORLD,
            # MuJoCo's own collision detection: exact for primitives, and it honours the feet's contact priority.
            use_mujoco_contacts=True,
            integrator="implicitfast",
            # MuJoCo's soft friction lets loaded feet creep apart: in 10 s of holding the default pose a Go2 sinks by
            # 31 mm with the defaults (pyramidal, 1), by 1 mm like this. PhysX does not creep.
            cone="elliptic",
            impratio=100.0,
        )
        return NewtonCfg(solver_cfg=solver)
    raise unknown_name("engine", name, PHYSICS)


# Isaac Lab's stock velocity tasks raise PhysX's GPU patch buffer to this for 4096 legged robots; the CPU ignores it.
_GPU_MAX_RIGID_PATCH_COUNT = 10 * 2**15

# In 150 falls from random poses each, Go2 touched the ground in at most 10 points and G1 in 16; twice that is room
# enough. A point has three rows in an elliptic cone, each joint at its limit (29 in G1) one: 32 * 3 + 29 < 128.
# Feet that resist spin and roll have six rows a point: 16 * 6 + 29 < 128, but not twice that.
_CONTACTS_PER_WORLD = 32
_CONSTRAINT_ROWS_PER_WORLD = 128

ROWS_WITH_TURNING_FEET = 224
"""Constraint rows of a world in MuJoCo Warp for twice as many contacts, all of six dimensions: 32 * 6 + 29 < 224."""
