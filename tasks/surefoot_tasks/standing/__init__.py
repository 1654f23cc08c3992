"""Getting up from a fall, and standing still: two tasks for each robot, without a velocity command."""

from surefoot_robots import get_robot, list_robots

KINDS = ("Recovery", "Stand")
"""Parts of task ids: stand up from any fall; stand still where it is put, pushed."""


def task_id(label: str, kind: str) -> str:
    """Return the id of a task of the robot with a label, one of :data:`KINDS`."""
    return f"Surefoot-{kind}-{label}"


def register() -> None:
    """Register every robot's tasks; their configurations are built when a task is looked up."""
    import gymnasium

    for robot in list_robots():
        for kind in KINDS:
            name = f"{__name__}.tasks:{robot}_{kind.lower()}"
            gymnasium.register(
                id=task_id(get_robot(robot).label, kind),
                entry_point="surefoot.envs.env:SurefootEnv",
                disable_env_checker=True,
                kwargs={
                    "env_cfg_entry_point": f"{name}_env_cfg",
                    "rsl_rl_cfg_entry_point": f"{name}_agent_cfg",
                    "default_agent": "rsl_rl",
                },
            )
