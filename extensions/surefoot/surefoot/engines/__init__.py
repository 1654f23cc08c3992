"""The physics engines that Surefoot runs in: names, checks, configurations, and what their processes need.

Importing this package starts nothing and imports neither torch, Warp nor Isaac Lab.
"""

from surefoot.engines.devices import check_device, default_device
from surefoot.engines.launch import launched
from surefoot.engines.native_log import native_log
from surefoot.engines.physics import (
    PHYSICS,
    SHORT_NAMES,
    Physics,
    check_physics,
    default_physics,
    full_name,
    make_physics_cfg,
    short_name,
)
from surefoot.engines.polling_threads import keep_polling_threads_idle, polling_threads
from surefoot.engines.shims import install_shims

__all__ = [
    "PHYSICS",
    "SHORT_NAMES",
    "Physics",
    "check_device",
    "check_physics",
    "default_device",
    "default_physics",
    "full_name",
    "install_shims",
    "keep_polling_threads_idle",
    "launched",
    "make_physics_cfg",
    "native_log",
    "polling_threads",
    "short_name",
]
