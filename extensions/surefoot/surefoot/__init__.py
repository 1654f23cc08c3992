"""Training, proving and deploying policies for legged robots on Isaac Lab.

What a notebook needs is offered here by name and imported when it is first asked for: importing this package starts no
simulator and loads none of the heavy modules.
"""

from importlib import import_module
from typing import Any

_OFFERED = {
    "RobotSpec": "surefoot_robots:RobotSpec",
    "Scenario": "surefoot.evaluation.scenarios.scenario:Scenario",
    "export": "surefoot.notebook:export",
    "get_robot": "surefoot_robots:get_robot",
    "list_robots": "surefoot_robots:list_robots",
    "make_velocity_env_cfg": "surefoot_tasks.velocity.tasks:make_velocity_env_cfg",
    "mdp": "surefoot.envs.mdp:",
    "play": "surefoot.notebook:play",
    "train": "surefoot.notebook:train",
    "verify": "surefoot.notebook:verify",
}
"""Name -> module, and the name in it where it is not the module itself. Tasks stand above this package, so that nothing
here imports them by itself."""


def __getattr__(name: str) -> Any:
    """Import what is offered under a name."""
    if name not in _OFFERED:
        raise AttributeError(f"module 'surefoot' has no attribute {name!r}; it offers {', '.join(_OFFERED)}")
    place, _, attribute = _OFFERED[name].partition(":")
    module = import_module(place)
    globals()[name] = offered = getattr(module, attribute) if attribute else module
    return offered


def __dir__() -> list[str]:
    return sorted({*globals(), *_OFFERED})
